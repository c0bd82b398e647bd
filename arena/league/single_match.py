"""Single matches, outside any league, for `match`, `play` and `trace`, and why a game could not be played."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from secrets import token_bytes

from msgspec import Struct, structs

from arena import registry
from arena.config.deal_suites import is_suite, read_suite
from arena.core.errors import ArenaError, UsageError
from arena.core.game import AnyGame, sides_of
from arena.core.ruleset import Rotations, Ruleset
from arena.core.seatings import check_rotations, seatings
from arena.core.ticket import Ticket, match_seed
from arena.executors.base import Lost, Stop
from arena.executors.processes import ProcessExecutor
from arena.executors.worker import SerialExecutor
from arena.league.definition.bots_of_commands import Table
from arena.league.definition.given_rules import given_rules, given_seats
from arena.league.definition.league_secret import secret_of_seed
from arena.league.running.local_games import AtTable, Observer, PreparedGames
from arena.league.running.ticket_queue import Tickets
from arena.league.running.work_units import Excused, Failure, Raised
from arena.players.pool import PoolLimits
from arena.referee.transcript import PERSON, Entrant
from arena.sandbox.bot_program import refuse_unknown_program
from arena.sandbox.confinement import UNCONFINED, Confinement
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS, STARTUP_MS, Clock, Limits
from results.base.plugins import package_of
from results.base.scoring import NO_PARTNERS, Partners
from results.records import AttemptRecord, GameRecord, MatchDeal, MatchRecord


class MatchRules(Struct, frozen=True):
    """The rules of a single match."""

    game: AnyGame
    ruleset: Ruleset
    rotations: Rotations
    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    pace_ms: int = 0
    startup_ms: int = STARTUP_MS


def resolve_match(
    game_name: str,
    ruleset_name: str | None,
    options: Sequence[str],
    seats: int,
    rotations: Rotations | None = None,
    *,
    rotate: bool = False,
    by_option: bool = False,
) -> MatchRules:
    """Return the rules of a match from the arguments of a command; options are NAME=VALUE.

    `rotate`: use the rotations that the game recommends, unless `rotations` names others; otherwise there is one game.
    `by_option`: the number of seats was given as --seats, not by naming bots.
    Raises UsageError if they are not valid, or the ruleset does not allow that many seats.
    """
    game = registry.game(game_name)
    resolved = given_rules(game, ruleset_name, options, seats, by_option=by_option)
    rotations = rotations or (game.info.rotations if rotate else "off")
    check_rotations(rotations, seats)
    return MatchRules(game, resolved, rotations, DEFAULT_CLOCK)


def least_seats(game_name: str, ruleset_name: str | None, options: Sequence[str], bots: int) -> int:
    """Return the fewest seats that a ruleset allows and that hold so many bots; `bots` if it allows fewer only."""
    allowed = given_seats(registry.game(game_name), ruleset_name, options)
    return next((seats for seats in allowed if seats >= bots), bots)


def deal_of_seed(seed: str | None, game: str) -> MatchDeal:
    """Return the deal that a seed stands for, or `suite:NAME/7` in the current folder; without one, one nobody knows.

    Raises UsageError.
    """
    if seed is not None and is_suite(seed):
        name, _, number = seed.partition("/")
        suite = read_suite(name, Path())
        suite.check(game)
        if not number.isdecimal() or not 1 <= int(number) <= len(suite.seeds):
            raise UsageError(
                f"the suite {suite.name} has deals 1 to {len(suite.seeds)}, and --seed {seed} names none of them",
                f"for example: --seed {name}/1",
            )
        return MatchDeal(suite.seed(int(number) - 1))
    return MatchDeal(match_seed(token_bytes(32) if seed is None else secret_of_seed(seed), 0))


class Played(Struct, frozen=True):
    """A match that has been played. Its records have the index of the player as the number of the entry."""

    seats: tuple[int, ...]
    """The index of the player at each seat of the first game."""
    games: tuple[GameRecord, ...]
    attempts: tuple[AttemptRecord, ...]
    deal: MatchDeal
    sides: tuple[int, ...] = ()
    """The side of each seat, if some are partners."""


def play_match(
    rules: MatchRules,
    table: Table,
    deal: MatchDeal | None = None,
    confinement: Confinement = UNCONFINED,
    observer: Observer | None = None,
    at_table: AtTable | None = None,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Played:
    """Play one match; no store is needed.

    `deal`: default, one that nobody knows. `at_table` asks the person at the table, if there is one. With an
    `observer` or a person, the games are played in this process. With a person, a failed game isn't played again,
    because the person has seen its cards. `progress` gets the numbers of games played and to play, after each.
    Raises GameFailed if a game could not be played, UsageError if a bot's program may not be started here.
    """
    bots = {number: player.bot for number, player in enumerate(table.players) if player.bot is not None}
    for bot in bots.values():
        refuse_unknown_program(bot.program, confinement.runtimes, bot.version.reference)
    chosen, order = rules.ruleset, table.seats
    deal = deal or deal_of_seed(None, rules.game.info.name)
    sides = sides_of(rules.game, chosen, len(order))
    match = MatchRecord(_LEAGUE, 0, 0, order, len(seatings(order, rules.rotations, sides)))
    people = {} if at_table is None else {n: at_table for n in range(len(table.players)) if n not in bots}
    work = PreparedGames(
        game=rules.game.info.name,
        programs={number: bot.program for number, bot in bots.items()},
        entrants={
            number: Entrant(player.label, player.bot.version.sha256 if player.bot else PERSON)
            for number, player in enumerate(table.players)
        },
        clock=rules.clock,
        limits=rules.limits,
        pace_ms=rules.pace_ms,
        pool=PoolLimits(startup_ms=rules.startup_ms),
        confinement=confinement,
        observer=observer,
        people=people,
    )
    planned = iter([[match]])
    tickets = Tickets(
        _LEAGUE,
        lambda _match_no: deal.seed,
        {len(order): chosen},
        rules.rotations,
        lambda: next(planned, []),
        lambda _match_no, _rotation: False,
        partners=Partners({len(order): sides}) if sides else NO_PARTNERS,
    )
    source = _Shifted(tickets, deal.first_rotation)
    games: list[GameRecord] = []
    attempts: list[AttemptRecord] = []
    here = observer is not None or bool(people)
    playing = (SerialExecutor() if here else ProcessExecutor(1)).run(work, source, Stop())
    for chunk in playing:
        for result in chunk:
            game = result.game if isinstance(result, Excused) else result
            if isinstance(game, GameRecord):
                games.append(structs.replace(game, rotation=game.rotation - deal.first_rotation))
                progress(len(games), match.games)
                continue
            if isinstance(result, Failure):
                rotation = result.record.rotation - deal.first_rotation
                attempts.append(structs.replace(result.record, rotation=rotation))
            again = replace(result.ticket, rotation=result.ticket.rotation - deal.first_rotation)
            if people or is_endless(result) or not tickets.play_again(again):
                raise why_failed(result, rules.game)
    return Played(order, tuple(games), tuple(attempts), deal, sides)


class _Shifted:
    """A `TicketSource` whose first rotation has another number, as in the match whose deal is repeated."""

    def __init__(self, tickets: Tickets, first_rotation: int) -> None:
        self._tickets = tickets
        self._first_rotation = first_rotation

    def take(self, most: int, worker_no: int) -> list[Ticket]:
        """Return tickets as they are played."""
        taken = self._tickets.take(most, worker_no)
        return [replace(ticket, rotation=ticket.rotation + self._first_rotation) for ticket in taken]


_LEAGUE = "casual"
"""Stands for the league until the match is stored."""


class GameFailed(ArenaError):
    """A game could not be played, and no bot was at fault."""


def is_endless(result: Failure | Lost) -> bool:
    """Return whether a game did not end, so that a replay would not help."""
    return isinstance(result, Failure) and result.raised is not None and bool(result.raised.endless)


def why_failed(result: Failure | Lost, game: AnyGame) -> GameFailed:
    """Return the error for a game that could not be played; it blames the game's rules if they failed."""
    if isinstance(result, Failure) and result.raised is not None:
        return why_aborted(result.raised, game)
    detail = result.detail if isinstance(result, Lost) else result.record.detail
    return GameFailed(f"a game could not be played: {detail}", "nothing was rated; try again")


def why_aborted(raised: Raised, game: AnyGame) -> GameFailed:
    """Return the error for a game that an error aborted; it blames the game's rules if they failed."""
    if raised.endless:
        return GameFailed(raised.endless, f"nothing was rated; {raised.remedy}")
    where = ""
    if raised.places:
        file, line, function = raised.places[-1]
        where = f' (File "{file}", line {line}, in {function})'
    module = type(game).__module__
    source = getattr(sys.modules.get(module), "__file__", None)
    who = f"the game {game.info.name!r} of {package_of(game, 'arena.games')}"
    if any(file == source for file, _, _ in raised.places):
        return GameFailed(
            f"{who} failed: {raised.words}{where}",
            "nothing was rated; this is a bug in the game: fix it, or report it to its author",
        )
    if not module.startswith("arena."):
        return GameFailed(
            f"{who} has returned something that can't be played: {raised.words}{where}",
            f"nothing was rated; this finds what is wrong: python -m arena_conformance --game {game.info.name}",
        )
    return GameFailed(f"a game could not be played: {raised.words}{where}", "nothing was rated; try again")
