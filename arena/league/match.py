"""Single matches, outside any league: `arena match`."""

from collections.abc import Iterator, Sequence
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
from arena.league.definition.stored import versions_of
from arena.league.running.game_work import Excused, Failure
from arena.league.running.local_games import PreparedGames
from arena.league.running.single_games import is_endless, play_here, why_failed
from arena.league.running.tickets import Tickets
from arena.referee.transcript import Entrant
from arena.registry import blaming
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.submissions.command_check import refuse_unknown_program
from arena.submissions.versions import program_of
from protocol.limits import DEFAULT_CLOCK
from protocol.messages import Clock
from results.records import EntryRecord, EntrySpec, GameRecord, RulesetRecord, VersionRecord
from results.store import Store


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


def casual_entries(
    store: Store, versions: Sequence[VersionRecord], labels: Sequence[str]
) -> list[EntryRecord]:
    """Return the entries in `casual` of versions with these labels; create the missing ones."""
    store.leagues.casual()
    return [
        store.entries.casual(EntrySpec(label, version.id))
        for label, version in zip(labels, versions, strict=True)
    ]


def play_match(
    store: Store,
    rules: MatchRules,
    entries: Sequence[EntryRecord],
    seed: str | None = None,
    confinement: Confinement = UNCONFINED,
) -> Iterator[GameRecord]:
    """Play one match between entries of `casual`, the first in the first seat; append its games and yield them.

    Raises GameFailed if a game could not be played, UsageError if a bot's program may not be started here.
    """
    versions = versions_of(entries)
    for version in versions.values():
        refuse_unknown_program(program_of(store, version), confinement.runtimes, version.reference)
    league = store.leagues.casual()
    numbers = tuple(entry.entry_no for entry in entries)
    chosen = rules.ruleset
    match = store.matches.plan_next(
        league.uuid,
        numbers,
        len(seatings(numbers, rules.rotations)),
        why="a single match",
        ruleset=RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key),
    )
    work = PreparedGames(
        game=rules.game.info.name,
        programs={number: program_of(store, version) for number, version in versions.items()},
        entrants={entry.entry_no: Entrant(entry.label, versions[entry.entry_no].sha256) for entry in entries},
        clock=rules.clock,
        confinement=confinement,
    )
    secret = token_bytes(32) if seed is None else secret_of_seed(seed)
    planned = iter([[match]])
    tickets = Tickets(
        league.uuid,
        lambda _match_no: match_seed(secret, 0),
        {len(numbers): chosen},
        rules.rotations,
        lambda: next(planned, []),
        lambda _match_no, _rotation: False,
    )
    for chunk in play_here(work, tickets):
        for result in chunk:
            game = result.game if isinstance(result, Excused) else result
            if isinstance(game, GameRecord):
                store.append([game])
                yield game
            else:
                store.append([], [result.record] if isinstance(result, Failure) else [])
                if is_endless(result) or not tickets.play_again(result.ticket):
                    raise why_failed(result, rules.game)
