"""The definition of a league: game, rulesets, schedule and table sizes, all checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena import registry
from arena.config.league_file import DEFAULT_SCHEDULE, MOST_MATCHES, LeagueFile
from arena.config.reading import convert, keyed, naming
from arena.core.errors import UnknownName, UsageError
from arena.core.game import AnyGame
from arena.core.rotation import Rotations, check_rotations, seatings
from arena.core.ruleset import Ruleset, players, ruleset
from arena.league.definition.key_places import place_of
from arena.league.definition.quota import check_quota
from arena.league.definition.stop import check_stop
from arena.registry import blaming
from arena.schedules.base import Checked, Field, Open, Remarks, Rotated, Schedule, Sized
from results.base.advice import Advice, run
from results.ratings.base import USUAL, Rating, Scale
from results.records import VersionRecord


@dataclass(frozen=True, slots=True)
class Lineup:
    """What is known about a league's entries, by entry number; anything missing is not known yet."""

    authors: Mapping[int, str] = field(default_factory=dict)
    """Of all but reference bots, which are nobody's."""
    labels: Mapping[int, str] = field(default_factory=dict)
    starts: Mapping[int, Rating] = field(default_factory=dict)
    """Where ratings start."""
    scale: Scale = USUAL
    """The scale of the ratings."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A league as its file defines it, checked for the entries known so far."""

    file: LeagueFile
    game: AnyGame
    ruleset: Ruleset
    """As set in the file; options that depend on the number of seats are not resolved."""
    rulesets: dict[int, Ruleset]
    """Resolved, by number of seats."""
    field: Field
    schedule: Schedule
    schedule_settings: Any
    rotations: Rotations

    @property
    def total_matches(self) -> int | None:
        """The number of matches; None if the schedule does not know it."""
        return self.schedule.total(self.field, self.schedule_settings)

    @property
    def matches_by_size(self) -> Mapping[int, int | None]:
        """The number of matches by table size; None for a number that the schedule does not know."""
        return _sizes(self.schedule, self.field, self.schedule_settings)

    def games_of(self, seats: int) -> int:
        """Return the number of games of a match at a table of that size."""
        return len(seatings(tuple(range(seats)), self.rotations))

    @property
    def total_games(self) -> int | None:
        """The number of games; None if the schedule does not know it."""
        total = 0
        for seats, matches in self.matches_by_size.items():
            if matches is None:
                return None
            total += matches * self.games_of(seats)
        return total

    @property
    def standing(self) -> bool:
        """Whether the league is to go on until it is stopped: its schedule never ends, and it has no `[stop]`."""
        stop = self.file.stop
        return self.endless and stop.until is None and not (stop.matches or stop.games or stop.minutes)

    @property
    def awaits_entries(self) -> bool:
        """Whether the league has too few entries for a table, and waits until enough have joined."""
        is_open = isinstance(self.schedule, Open) and self.standing
        return is_open and len(self.field.entries) < min(self.field.seats)

    @property
    def endless(self) -> bool:
        """Whether the schedule never ends by itself."""
        return _is_endless(self.schedule, self.field, self.schedule_settings)

    def remarks(self) -> Sequence[str]:
        """Return warnings of settings of the schedule that do something else in this field; see `Remarks`.

        Raises PluginFailed.
        """
        schedule = self.schedule
        if not isinstance(schedule, Remarks):
            return ()
        with blaming("schedule", schedule.name, schedule):
            return schedule.remarks(self.field, self.schedule_settings)

    def with_lineup(self, lineup: Lineup) -> "Definition":
        """Return the definition with more known about the entries. Raises UsageError if something does not fit them."""
        file, schedule, settings = self.file, self.schedule, self.schedule_settings
        apart = authors_apart(file, lineup.authors)
        field = Field(
            self.field.entries,
            self.field.seats,
            apart,
            lineup.scale,
            dict(lineup.labels),
            dict(lineup.starts),
        )
        with keyed("schedule"), blaming("schedule", schedule.name, schedule):
            if isinstance(schedule, Checked) and not self.awaits_entries:
                schedule.check(field, settings)
            _check_total(schedule.total(field, settings))
            sizes = list(_sizes(schedule, field, settings))
        rulesets = {seats: self._resolved(seats) for seats in sizes}
        check_stop(file.stop, len(field.entries), endless=_is_endless(schedule, field, settings))
        check_quota(file.quota, schedule)
        return replace(self, field=field, rulesets=rulesets)

    def _resolved(self, seats: int) -> Ruleset:
        """Return the ruleset for a table size that the schedule needs. Raises UsageError if there is none."""
        with keyed("options"), blaming("game", self.file.game, self.game):
            allowed = self.game.seats(self.ruleset)
            if seats in allowed:
                return self.game.resolve(self.ruleset, seats)
        entries, size = len(self.field.entries), self.field.seats[0]
        why = f"{self.schedule.name} of {entries} bots at {size} needs tables of {seats}: "
        raise _wrong_size(seats, allowed, self.ruleset, why)


NOBODY_KNOWN = Lineup()


def authors_apart(file: LeagueFile, authors: Mapping[int, str]) -> dict[int, str]:
    """Return the authors by entry if their bots are kept apart; empty if they aren't.

    `authors` are those of all that have ever played, without reference bots. As long as it is a single one, nobody else
    could lose by it.
    """
    return {} if file.same_author or len(set(authors.values())) < 2 else dict(authors)


def authors_of(versions: Mapping[int, VersionRecord | None]) -> dict[int, str]:
    """Return the authors of versions by entry, for `Lineup`: without reference bots, which are known by content."""
    return {
        number: version.author
        for number, version in versions.items()
        if version is not None and not version.bundled
    }


def define(
    file: LeagueFile,
    entries: int,
    name: str,
    text: str = "",
    lineup: Lineup = NOBODY_KNOWN,
    game_rotations: Rotations | None = None,
) -> Definition:
    """Return the definition of a league file with that number of entries.

    `name` and `text` are the file's, for messages. `game_rotations` replace the game's default. Raises UsageError,
    naming what does not fit.
    """
    with naming(name, text):
        with keyed("game"):
            game = registry.game(file.game)
        rules = _ruleset(game, file, text)
        with keyed("options"), blaming("game", file.game, game):
            allowed = game.seats(rules)
        seats = _table_sizes(file, entries, allowed, rules)
        schedule, settings = schedule_of(file, name, text)
        by_game = game_rotations or game.info.rotations
        preferred = schedule.rotations if isinstance(schedule, Rotated) else by_game
        rotations = file.rotations or preferred
        check_rotations(rotations, max(seats))
        field = Field(tuple(range(entries)), seats)
        found = Definition(file, game, rules, {}, field, schedule, settings, rotations)
        if not entries and not found.awaits_entries:
            raise UsageError(
                "bots: the league has no bots",
                'name some in [[bots]] tables, such as path = "bots/any_game/random"; only a ladder without [stop] may '
                "begin without bots, and waits for them",
            )
        return found.with_lineup(lineup)


def _table_sizes(file: LeagueFile, entries: int, allowed: Sequence[int], rules: Ruleset) -> tuple[int, ...]:
    """Return the table sizes of a league file. Raises UsageError for a size that the rules don't allow."""
    if file.seats is None and allowed:
        return (max((seats for seats in allowed if seats <= entries), default=allowed[0]),)
    wanted = entries if file.seats is None else file.seats
    sizes = (wanted,) if isinstance(wanted, int) else tuple(dict.fromkeys(wanted))
    for seats in sizes:
        if seats not in allowed:
            raise _wrong_size(seats, allowed, rules)
    return sizes


def schedule_of(file: LeagueFile, name: str, text: str = "") -> tuple[Schedule, Any]:
    """Return the schedule of a league file, and its settings. Raises UsageError naming the key at fault."""
    schedule = schedule_named(file.schedule)
    own_keys = {key: value for key, value in file.schedule.items() if key != "kind"}
    return schedule, convert(own_keys, schedule.settings, name, text, "schedule", besides=("kind",))


def schedule_named(table: Any) -> Schedule:
    """Return the schedule that the `[schedule]` table of a league file names. Raises UsageError naming the key."""
    kind = table.get("kind", DEFAULT_SCHEDULE) if isinstance(table, dict) else DEFAULT_SCHEDULE
    with keyed("schedule.kind"):
        if not isinstance(kind, str):
            raise UsageError("expected text", f"available: {', '.join(registry.schedules())}")
        return registry.schedule(kind)


def _ruleset(game: AnyGame, file: LeagueFile, text: str) -> Ruleset:
    """Return the ruleset of a league file. Raises UsageError naming the key at fault."""
    with keyed("ruleset"):
        ruleset(game.info, file.ruleset)
    for option, value in file.options.items():
        with keyed(f"options.{option}"):
            try:
                game.info.option(option).check(value)
            except UnknownName as error:
                error.advice = place_of(option, ["options"], text) or error.hint
                raise
    return ruleset(game.info, file.ruleset, file.options)


def _check_total(matches: int | None) -> None:
    """Raise UsageError for a schedule too long to be played."""
    if matches is not None and matches > MOST_MATCHES:
        raise UsageError(
            f"schedule: more than {MOST_MATCHES:,} matches, the limit for a league",
            "set fewer rounds, `tables` for a sample of a round robin, or another kind of schedule",
        )


def _wrong_size(seats: int, allowed: Sequence[int], rules: Ruleset, why: str = "") -> UsageError:
    more = "; change `seats` or the number of bots" if why else ""
    return UsageError(
        f"seats: {why}{rules.name} is for {players(allowed)}, not {seats}",
        Advice("see ", run("games show", rules.game), more),
    )


def _sizes(schedule: Schedule, field: Field, settings: Any) -> Mapping[int, int | None]:
    """Return the number of matches by table size; None if it is not known beforehand."""
    if isinstance(schedule, Sized):
        return schedule.sizes(field, settings)
    total = schedule.total(field, settings)
    return {seats: total if len(field.seats) == 1 else None for seats in field.seats}


def _is_endless(schedule: Schedule, field: Field, settings: Any) -> bool:
    """Return whether a schedule never ends by itself; one with sizes but no total ends when its results say so."""
    return schedule.total(field, settings) is None and not isinstance(schedule, Sized)


def parse_options(game: AnyGame, given: Sequence[str]) -> dict[str, object]:
    """Return options written as NAME=VALUE. Raises UsageError listing the valid names or values."""
    options: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"option {text!r} is not of the form NAME=VALUE")
        options[name] = game.info.option(name).parse(value)
    return options
