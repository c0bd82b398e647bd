"""What is known of the luck of matches, best first, and how long a comparison takes because of it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.core.game_files import own_text
from arena.core.ruleset import Rotations, Ruleset, ruleset
from arena.core.seatings import seatings
from arena.league.definition.checked_definition import Definition
from arena.league.definition.rating import random_matches
from arena.registry import blaming
from results.analysis.sample_size import ComparisonLength, Spread, comparison_length, spread
from results.analysis.sequential_test import Question, SequentialTest
from results.base.clock import pace
from results.records import LeagueRecord
from results.records.query_rows import SeatResult
from results.records.roster import COMPARISON
from results.store import Store

FILE = "luck.json"

_Positive = Annotated[float, Meta(gt=0)]


class Measured(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The luck of the matches of a ruleset with all options at their defaults, at one table size; see `Spread`."""

    ruleset: str
    seats: Annotated[int, Meta(ge=2)]
    rotations: Rotations
    games: Annotated[int, Meta(ge=1)]
    matches: Annotated[int, Meta(ge=1)]
    share: _Positive
    share_error: _Positive
    score: _Positive
    score_error: _Positive

    @property
    def spread(self) -> Spread:
        """The luck."""
        return Spread(**{name: getattr(self, name) for name in Spread.__struct_fields__})


class MeasuredFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a game's file."""

    rules_version: int
    """The version of the rules that was played."""
    measured: tuple[Measured, ...]


def measured_file(game: AnyGame) -> MeasuredFile | None:
    """Return a game's figures, None without any of these rules. Raises PluginFailed."""
    with blaming("game", game.info.name, game):
        text = own_text(game, FILE)
        if text is None:
            return None
        found = msgspec.json.decode(text, type=MeasuredFile)
    return found if found.rules_version == game.info.version else None


def measured_luck(game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations) -> Spread | None:
    """Return the luck measured for these rules, which are resolved, at that table size; None if it wasn't."""
    found = measured_file(game)
    for one in found.measured if found else ():
        if one.seats != seats or one.ruleset not in game.info.rulesets:
            continue
        if _seated_alike(one.rotations, rotations, seats) and (
            game.resolve(ruleset(game.info, one.ruleset, {}), seats).key == rules.key
        ):
            return one.spread
    return None


def _seated_alike(one: Rotations, other: Rotations, seats: int) -> bool:
    """Return whether two kinds of rotation play the same seatings, as `cyclic` and `balanced` do with two seats."""
    table = tuple(range(seats))
    return one == other or seatings(table, one) == seatings(table, other)


ENOUGH_MATCHES = 2_000
"""Leagues are read, the newest first, until they have this many matches."""
LEAST_MATCHES = 50
"""A league with fewer tells less than the game's own figures."""


class Source(StrEnum):
    """Where the luck is known from."""

    COMPARISONS = "comparisons"
    """Earlier comparisons of the same bots in this store."""
    STORE = "store"
    """Leagues with the same rules in this store."""
    GAME = "game"
    """Figures of the game, measured with its reference bots."""
    RANDOM = "random players"
    """Random players: nothing else is known of these rules at this table size."""


@dataclass(frozen=True, slots=True)
class KnownLuck:
    """The luck of a league's matches at tables of one size."""

    spread: Spread
    source: Source
    leagues: int = 0
    """How many leagues it is from, if it is from the store."""


def known_luck(
    definition: Definition, seats: int, store: Store | None, bots: Collection[str] = ()
) -> KnownLuck | None:
    """Return the best that is known of the luck at tables of that size; None if even random players never differ.

    `bots`: prefer comparisons of two of these, as `author/bot`. Raises PluginFailed if the game fails.
    """
    if definition.game.info.counts_tables(seats):
        return None
    games, rules = definition.games_of(seats), definition.rulesets[seats]
    if store is not None:
        alike = [league for league in store.leagues.all() if _is_alike(league, definition, seats)]
        comparisons = [league for league in alike if not league.rated and _compares(store, league, bots)]
        for source, leagues in (
            (Source.COMPARISONS, comparisons),
            (Source.STORE, [league for league in alike if league.rated]),
        ):
            blocks = list(_matches_of(store, leagues))
            found = spread(blocks, seats, games, definition.partners) if blocks else None
            if found is not None and found.matches >= LEAST_MATCHES:
                return KnownLuck(found, source, len(blocks))
    measured = measured_luck(definition.game, rules, seats, definition.rotations)
    if measured is not None:
        return KnownLuck(measured, Source.GAME)
    with blaming("game", definition.game.info.name, definition.game):
        rows = [
            row
            for match in random_matches(
                definition.game, rules, seats, definition.rotations, definition.partners.at(seats)
            )
            for row in match
        ]
    drawn = spread([rows], seats, games, definition.partners)
    return None if drawn is None else KnownLuck(drawn, Source.RANDOM)


def _is_alike(league: LeagueRecord, definition: Definition, seats: int) -> bool:
    """Return whether a league plays by the same rules, and seats bots in the same way."""
    rules, ours = league.ruleset, definition.ruleset
    if rules is None or (rules.game, rules.version, rules.options) != (ours.game, ours.version, ours.key):
        return False
    rotations: Any = league.config.get("rotations")
    table = tuple(range(seats))
    if rotations not in get_args(Rotations):
        return False
    try:
        sides = definition.partners.at(seats)
        return league.partners.at(seats) == sides and seatings(table, rotations, sides) == seatings(
            table, definition.rotations, sides
        )
    except UsageError:  # not for so many seats
        return False


def _compares(store: Store, league: LeagueRecord, bots: Collection[str]) -> bool:
    """Return whether a league is a comparison of versions of these bots."""
    entries = store.entries.all(league.uuid)[:2]
    names = {f"{entry.version.author}/{entry.version.bot}" for entry in entries if entry.version}
    return (
        bool(names)
        and names <= set(bots)
        and any(event.kind == COMPARISON for event in store.leagues.events(league.uuid))
    )


def _matches_of(store: Store, leagues: Collection[LeagueRecord]) -> Iterator[list[SeatResult]]:
    """Yield the first matches of each league, the newest league first, with entries and matches numbered apart."""
    matches = entries = 0
    for league in reversed(list(leagues)):
        if matches >= ENOUGH_MATCHES:
            return
        for block in islice(store.seats.results(league.uuid), 1):
            rows = [
                row._replace(match_no=row.match_no + matches, entry_no=row.entry_no + entries)
                for row in block
            ]
            if rows:
                yield rows
                matches = 1 + max(row.match_no for row in rows)
                entries = 1 + max(row.entry_no for row in rows)


NEWEST_GAMES = 400


def games_per_s(store: Store, definition: Definition) -> float | None:
    """Return the pace of the newest league with the same rules; None if too few games are stored."""
    ours = definition.ruleset
    for league in reversed(store.leagues.all()):
        rules = league.ruleset
        if rules is None or (rules.game, rules.version, rules.options) != (ours.game, ours.version, ours.key):
            continue
        games = store.games.all(league.uuid, newest_first=True, limit=NEWEST_GAMES)
        if (found := pace(game.finished_at for game in games)) is not None:
            return found
    return None


OWN_MATCHES = 30
"""From this many matches on, a comparison's own results tell its luck."""


@dataclass(frozen=True, slots=True)
class ComparisonForecast:
    """How many matches a comparison takes until its answer."""

    luck: KnownLuck
    at_difference: ComparisonLength
    """If the true difference is the X of the question."""
    of_equals: ComparisonLength
    """If it is 0."""
    games_per_s: float | None
    """The pace of the newest games with these rules; None: not known."""


def forecast_comparison(
    definition: Definition, question: Question, store: Store, bots: Sequence[str]
) -> ComparisonForecast | None:
    """Return the forecast of a comparison of `bots`; None if no luck is known. Raises PluginFailed."""
    luck = known_luck(definition, definition.field.seats[0] * definition.partners.team_size, store, bots)
    if luck is None:
        return None
    at_difference, of_equals = (
        comparison_length(question, luck.spread.share, difference)
        for difference in (question.difference, 0.0)
    )
    return ComparisonForecast(luck, at_difference, of_equals, games_per_s(store, definition))


def still_to_play(test: SequentialTest) -> ComparisonLength | None:
    """Return how many more matches a comparison without an answer takes; None if it has too few to tell."""
    estimate, deviation = test.estimate, test.deviation
    if estimate is None or deviation is None or test.matches < OWN_MATCHES:
        return None
    return comparison_length(
        test.question, max(deviation, 1e-6), None, matches=test.matches, estimate=estimate
    )
