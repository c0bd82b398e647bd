"""Single matches, outside any league: `arena match`."""

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_bytes

from arena import registry
from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset, ruleset
from arena.core.ticket import match_seed
from arena.league.definition.define import parse_options
from arena.league.definition.seeds import secret_of_seed
from arena.league.definition.staged_bots import StagedBot
from arena.league.running.game_work import Excused, Failure
from arena.league.running.local_games import PreparedGames
from arena.league.running.single_games import is_endless, play_here, why_failed
from arena.league.running.tickets import Tickets
from arena.referee.transcript import Entrant
from arena.registry import blaming
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.submissions.command_check import refuse_unknown_program
from protocol.limits import DEFAULT_CLOCK
from protocol.messages import Clock
from results.records import AttemptRecord, GameRecord, MatchDeal, MatchRecord


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The rules of a single match."""

    game: AnyGame
    ruleset: Ruleset
    """Resolved."""
    rotations: Rotations
    clock: Clock = DEFAULT_CLOCK


def resolve_match(
    game_name: str,
    ruleset_name: str | None,
    options: Sequence[str],
    seats: int,
    rotations: Rotations | None,
    clock: Clock = DEFAULT_CLOCK,
) -> MatchRules:
    """Return the rules of a match from the arguments of a command; options are NAME=VALUE.

    Raises UsageError if they are not valid, or the ruleset does not allow that many seats.
    """
    game = registry.game(game_name)
    rules = ruleset(game.info, ruleset_name, parse_options(game, options))
    with blaming("game", game_name, game):
        allowed = game.seats(rules)
        if seats not in allowed:
            raise UsageError(
                f"{game.info.name} ({rules.name}) is for {allowed[0]} to {allowed[-1]} players, not {seats}",
                "name a bot for each seat",
            )
        resolved = game.resolve(rules, seats)
    return MatchRules(game, resolved, rotations or "off", clock)


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has been played. Its records have the index of the player as the number of the entry."""

    seats: tuple[int, ...]
    """The index of the player at each seat of the first game."""
    games: tuple[GameRecord, ...]
    attempts: tuple[AttemptRecord, ...]
    deal: MatchDeal


def play_match(
    rules: MatchRules,
    players: Sequence[tuple[str, StagedBot]],
    seats: Sequence[int],
    seed: str | None = None,
    confinement: Confinement = UNCONFINED,
) -> Played:
    """Play one match; no store is needed. `players` are labels and bots, `seats` the index of the player at each seat.

    Raises GameFailed if a game could not be played, UsageError if a bot's program may not be started here.
    """
    for _, bot in players:
        refuse_unknown_program(bot.program, confinement.runtimes, bot.version.reference)
    chosen, order = rules.ruleset, tuple(seats)
    match = MatchRecord(_LEAGUE, 0, 0, order, len(seatings(order, rules.rotations)))
    work = PreparedGames(
        game=rules.game.info.name,
        programs={number: bot.program for number, (_, bot) in enumerate(players)},
        entrants={number: Entrant(label, bot.version.sha256) for number, (label, bot) in enumerate(players)},
        clock=rules.clock,
        confinement=confinement,
    )
    deal = MatchDeal(match_seed(token_bytes(32) if seed is None else secret_of_seed(seed), 0))
    planned = iter([[match]])
    tickets = Tickets(
        _LEAGUE,
        lambda _match_no: deal.seed,
        {len(order): chosen},
        rules.rotations,
        lambda: next(planned, []),
        lambda _match_no, _rotation: False,
    )
    games: list[GameRecord] = []
    attempts: list[AttemptRecord] = []
    for chunk in play_here(work, tickets):
        for result in chunk:
            game = result.game if isinstance(result, Excused) else result
            if isinstance(game, GameRecord):
                games.append(game)
                continue
            if isinstance(result, Failure):
                attempts.append(result.record)
            if is_endless(result) or not tickets.play_again(result.ticket):
                raise why_failed(result, rules.game)
    return Played(order, tuple(games), tuple(attempts), deal)


_LEAGUE = "casual"
"""Stands for the league until the match is stored."""
