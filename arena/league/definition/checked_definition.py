"""The definition of a league: game, rulesets, schedule, table sizes and length, all checked."""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from arena import registry
from arena.config.deal_suites import Suite
from arena.config.league_file import DEFAULT_SCHEDULE, MOST_MATCHES, LeagueFile, StopTable
from arena.config.mistakes import UnknownKey, at_key, convert
from arena.core.errors import BadValue, UnknownName, UsageError
from arena.core.game import AnyGame, sides_of
from arena.core.ruleset import Rotations, Ruleset, players, ruleset
from arena.core.seatings import check_rotations, seatings
from arena.league.definition.stop_and_quota import check_quota, check_stop
from arena.registry import blaming
from arena.schedules.base import MOST_AT_ONCE, Checked, Field, Open, Remark, Remarks, Rotated, Schedule, Sized
from arena.schedules.base.balance import Rounds
from results.base.advice import Advice, run
from results.base.scoring import NO_PARTNERS, Partners
from results.base.text import counted
from results.ratings.base import USUAL, Rating, Scale
from results.records import VersionRecord


class Lineup(Struct, frozen=True):
    """What is known about a league's entries, by entry number; anything missing is not known yet."""

    authors: Mapping[int, str] = field(default_factory=dict)
    """Of all but reference bots, which are nobody's."""
    labels: Mapping[int, str] = field(default_factory=dict)
    starts: Mapping[int, Rating] = field(default_factory=dict)
    scale: Scale = USUAL
    teams: tuple[tuple[int, ...], ...] = ()
    """The entries of each fixed team; by default, if they are fixed, each [[bots]] table is one entry."""


class Definition(Struct, frozen=True):
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
    partners: Partners = NO_PARTNERS

    @property
    def drawn(self) -> Partners:
        """Who are partners, if the base order of a match draws them."""
        return NO_PARTNERS if self.partners.teams else self.partners

    @property
    def common_deals(self) -> bool:
        """Whether all tables of a round play the same deal."""
        return self.file.deals not in ("own", None) or self.counts_scores

    @property
    def counts_scores(self) -> bool:
        """Whether scores of tables on the same deals are compared, as nobody at a table wins or loses against another.

        Then entries have mean scores instead of ratings.
        """
        return self.game.info.counts_tables(self.field.seats[0])

    @property
    def total_matches(self) -> int | None:
        """The number of matches; None if the schedule does not know it."""
        return self.schedule.total(self.field, self.schedule_settings)

    @property
    def matches_by_size(self) -> Mapping[int, int | None]:
        """The number of matches by table size; None for a number that the schedule does not know."""
        size = self.partners.team_size
        if isinstance(self.schedule, Sized):
            of_units = self.schedule.sizes(self.field, self.schedule_settings)
            return {units * size: matches for units, matches in of_units.items()}
        total = self.total_matches
        return {units * size: total if len(self.field.seats) == 1 else None for units in self.field.seats}

    def games_at(self, units: int) -> int:
        """Return the number of games of a match at a table of so many entries, or fixed teams, of the field."""
        return self.games_of(units * self.partners.team_size)

    def games_of(self, seats: int) -> int:
        """Return the number of games of a match at a table of that size."""
        return len(self.seatings(tuple(range(seats))))

    def seatings(self, entries: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Return the seating of every game of a match, given its entries in base order."""
        return seatings(entries, self.rotations, self.partners.at(len(entries)))

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
        """Whether the schedule never ends by itself; one with sizes but no total ends when its results say so."""
        return self.total_matches is None and not isinstance(self.schedule, Sized)

    def remarks(self) -> Sequence[Remark]:
        """Return warnings of the schedule's settings; see `Remarks`. Raises PluginFailed."""
        schedule = self.schedule
        if not isinstance(schedule, Remarks):
            return ()
        with blaming("schedule", schedule.name, schedule):
            return schedule.remarks(self.field, self.schedule_settings)

    def in_words(self, bots: int) -> str:
        """Return how many bots play, with who are partners, and at which tables: `4 bots in 2 teams at tables of 4`."""
        teams = len(self.partners.teams)
        drawn = " with partners drawn" if self.partners.sides and not teams else ""
        partners = f" in {counted(teams, 'team')}" if teams else drawn
        return f"{counted(bots, 'bot')}{partners} at tables of {' or '.join(map(str, self.matches_by_size))}"

    def with_lineup(self, lineup: Lineup) -> "Definition":
        """Return the definition with more known about the entries. Raises UsageError if something does not fit them."""
        file, schedule = self.file, self.schedule
        field = replace(
            self.field,
            authors=authors_apart(file, lineup.authors),
            scale=lineup.scale,
            labels=dict(lineup.labels),
            starts=dict(lineup.starts),
        )
        found = replace(self, field=field)
        with at_key("schedule"), blaming("schedule", schedule.name, schedule):
            if isinstance(schedule, Checked) and not self.awaits_entries:
                schedule.check(field, self.schedule_settings)
            if (matches := found.total_matches) is not None and matches > MOST_MATCHES:
                raise BadValue(
                    ("schedule",),
                    f"more than {MOST_MATCHES:,} matches, the limit for a league",
                    "set fewer rounds, `tables` for a sample of a round robin, or another kind of schedule",
                )
            sizes = list(found.matches_by_size)
        rulesets = {seats: self._resolved(seats) for seats in sizes}
        partners = self._partners(rulesets, lineup.teams)
        check_stop(file.stop, field, endless=found.endless)
        check_quota(file.quota, schedule)
        if lineup.teams and file.quota.limits_use:
            raise BadValue(
                ("quota",), "fixed teams play or pause as a whole, and a quota is for bots", "remove [quota]"
            )
        return replace(found, rulesets=rulesets, partners=partners)

    def _partners(self, rulesets: Mapping[int, Ruleset], teams: tuple[tuple[int, ...], ...]) -> Partners:
        """Return who are partners at the tables. Raises UsageError if the game's sides don't fit its seats."""
        game = self.game
        with at_key("game"), blaming("game", self.file.game, game):
            sides = {seats: sides_of(game, rules, seats) for seats, rules in rulesets.items()}
        found = {seats: of_table for seats, of_table in sides.items() if of_table}
        return Partners(found, game.info.forfeit_loses, teams) if found else NO_PARTNERS

    def _resolved(self, seats: int) -> Ruleset:
        """Return the ruleset for a table size that the schedule needs. Raises UsageError if there is none."""
        with at_key("options"), blaming("game", self.file.game, self.game):
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


def resolve(file: LeagueFile, entries: int, lineup: Lineup = NOBODY_KNOWN) -> Definition:
    """Return the definition of a league file with that number of entries, from wherever the file was read.

    Raises UsageError, most often a BadValue with the path of the key that does not fit, and SeveralMistakes; `read`
    adds file and line.
    """
    with at_key("game"):
        game = registry.game(file.game)
    rules = _ruleset(game, file)
    with at_key("options"), blaming("game", file.game, game):
        allowed = game.seats(rules)
    if file.teams == "fixed" and not lineup.teams:
        of_team: dict[str | None, list[int]] = {}
        for number, bot in enumerate(file.bots):
            of_team.setdefault(bot.team, []).append(number)
        lineup = replace(lineup, teams=tuple(map(tuple, of_team.values())))
    entries = sum(map(len, lineup.teams)) or entries
    seats = _table_sizes(file, entries, allowed, rules)
    schedule, settings = schedule_of(file)
    preferred = schedule.rotations if isinstance(schedule, Rotated) else game.info.rotations
    rotations = file.rotations or preferred
    check_rotations(rotations, max(seats))
    if file.deals not in ("own", None) and max(seats) > 1:
        _check_common_deals(schedule, rotations)
    if isinstance(file.deals, Suite):
        _check_suite(file.deals, game, settings)
    field = Field(tuple(range(entries)), seats)
    partners = NO_PARTNERS
    if file.teams is not None:
        size = _team_size(file, game, rules, seats)
        if file.teams == "fixed":
            labels = lineup.labels
            for team in lineup.teams:
                if len(team) != size:
                    raise BadValue(
                        ("bots", str(team[-1])),
                        f"the team of {labels.get(team[0], f'bot {team[0] + 1}')} has {counted(len(team), 'bot')}, and "
                        f"a side of {game.info.title} has {size}",
                        f"give {size} [[bots]] tables the same team; a bot may be named in several",
                    )
            units = tuple(team[0] for team in lineup.teams)
            field = Field(units, tuple(table // size for table in seats), team_size=size)
            partners = Partners(teams=lineup.teams)
    found = Definition(file, game, rules, {}, field, schedule, settings, rotations, partners)
    if any(map(game.info.counts_tables, seats)):
        _check_scores(found)
    elif file.final_rounds:
        raise BadValue(
            ("final_rounds",),
            "only a league that compares scores of tables hides the deals of its last rounds",
            "remove final_rounds; replays and logs of any league are hidden until all games on their deal are over",
        )
    if not entries and not found.awaits_entries:
        raise BadValue(
            ("bots",),
            "the league has no bots",
            'name some in [[bots]] tables, such as path = "bots/any_game/random"; only a ladder without [stop] may '
            "begin without bots, and waits for them",
        )
    return found.with_lineup(lineup)


def _team_size(file: LeagueFile, game: AnyGame, rules: Ruleset, sizes: Sequence[int]) -> int:
    """Return how many seats a side has. Raises BadValue if there are no sides, or fixed teams don't fill the tables."""
    with at_key("game"), blaming("game", file.game, game):
        sides = {seats: sides_of(game, game.resolve(rules, seats), seats) for seats in sizes}
    if alone := [seats for seats, of_table in sides.items() if not of_table]:
        raise BadValue(
            ("teams",),
            f"{game.info.title} has no partners at tables of {alone[0]}: every seat plays for itself",
            "remove teams, and team in [[bots]]",
        )
    of_size = {seats: seats // (max(of_table) + 1) for seats, of_table in sides.items()}
    if len(set(of_size.values())) > 1 and file.teams == "fixed":
        said = " and ".join(f"{size} at tables of {seats}" for seats, size in of_size.items())
        raise BadValue(("seats",), f"sides have {said}, and fixed teams have one size", "set one table size")
    return next(iter(of_size.values()))


def _check_common_deals(schedule: Schedule, rotations: Rotations) -> None:
    """Raise BadValue unless rounds depend on no results and everybody plays each deal in every seat."""
    if not isinstance(schedule, Rounds):
        kinds = [name for name, other in registry.schedules().items() if isinstance(other, Rounds)]
        raise BadValue(
            ("deals",),
            f"the schedule {schedule.name!r} has no rounds whose tables could play the same deal",
            f"remove deals, or use one of these schedules: {', '.join(kinds)}",
        )
    if rotations == "off":
        raise BadValue(
            ("deals",),
            'with rotations = "off", bots play a deal in different seats, so nothing is gained if they share it',
            'remove deals, or rotations = "off"',
        )


def _check_suite(suite: Suite, game: AnyGame, settings: Any) -> None:
    """Raise BadValue unless the suite is whole, of this game, and has a deal for every round."""
    with at_key("deals"):
        suite.check(game.info.name)
    rounds = getattr(settings, "rounds", None)
    if rounds is None or rounds > len(suite.seeds):
        raise BadValue(
            ("schedule", "rounds"),
            f"the suite {suite.name} has {counted(len(suite.seeds), 'deal')}, one for each round",
            f"set rounds to {len(suite.seeds)} or less",
        )


_OF_ALL_TABLES = "round-robin"
"""The schedule in which everybody sits with everybody else equally often."""


def _check_scores(found: Definition) -> None:
    """Raise BadValue unless everybody plays the same deals, at tables of one size, with the same others."""
    file, seats, info, schedule = found.file, found.field.seats, found.game.info, found.schedule
    game = f"{info.name} is for one player" if 1 in seats else f"all seats of {info.name} share a score"
    if len(seats) > 1:
        raise BadValue(
            ("seats",),
            f"{game}, so a league compares scores of tables, and those of different sizes can't be compared",
            "set one number of seats",
        )
    if file.deals == "own":
        raise BadValue(
            ("deals",),
            f"{game}, so a league compares scores of tables, and on deals of their own these differ by luck",
            'remove deals = "own"',
        )
    is_sample = getattr(found.schedule_settings, "tables", None) is not None
    if schedule.name != _OF_ALL_TABLES or is_sample:
        is_other = schedule.name != _OF_ALL_TABLES
        raise BadValue(
            ("schedule", "kind" if is_other else "tables"),
            f"{game}, so all bots have to play the same deals, with the same others, and "
            f"{f'the schedule {schedule.name!r}' if is_other else 'a sample of tables'} doesn't see to that",
            f'use kind = "{_OF_ALL_TABLES}" with a number of rounds, and without tables',
        )
    if file.stop != StopTable():
        raise BadValue(
            ("stop",),
            f"{game}, and a league that ends within a round has deals that not all bots have played",
            "remove [stop], and set rounds in [schedule]",
        )
    rounds = getattr(found.schedule_settings, "rounds", 1)
    if file.final_rounds > rounds:
        raise BadValue(
            ("final_rounds",),
            f"final_rounds is {file.final_rounds}, more than the {counted(rounds, 'round')} of the league",
            f"set it to {rounds} or less, or more rounds",
        )
    entries, size = len(found.field.entries), seats[0]
    if 1 < size == entries:
        raise BadValue(
            ("bots",),
            f"{game}: {counted(entries, 'bot')} make a single table of {size}, and its score says nothing about "
            "one of them",
            f"add bots, so that there are {size + 1} or more, or play single games: arena match",
        )
    tables = comb(entries, size)
    if tables > MOST_AT_ONCE:
        raise BadValue(
            ("bots",),
            f"{counted(entries, 'bot')} make {tables:,} tables of {size}, and at most {MOST_AT_ONCE:,} share a deal",
            "make several leagues of them, or set fewer seats",
        )


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


def schedule_of(file: LeagueFile) -> tuple[Schedule, Any]:
    """Return the schedule of a league file, and its settings. Raises UsageError as `resolve`."""
    schedule = schedule_named(file.schedule)
    own_keys = {key: value for key, value in file.schedule.items() if key != "kind"}
    return schedule, convert(own_keys, schedule.settings, ("schedule",), besides=("kind",))


def schedule_named(table: Any) -> Schedule:
    """Return the schedule that the `[schedule]` table of a league file names. Raises UsageError as `resolve`."""
    kind = table.get("kind", DEFAULT_SCHEDULE) if isinstance(table, dict) else DEFAULT_SCHEDULE
    with at_key("schedule", "kind"):
        if not isinstance(kind, str):
            raise UsageError("expected text", f"available: {', '.join(registry.schedules())}")
        return registry.schedule(kind)


def _ruleset(game: AnyGame, file: LeagueFile) -> Ruleset:
    """Return the ruleset of a league file. Raises BadValue, and UnknownKey for an option that the game doesn't have."""
    with at_key("ruleset"):
        ruleset(game.info, file.ruleset)
    for name, value in file.options.items():
        try:
            option = game.info.option(name)
        except UnknownName as error:
            raise UnknownKey(("options", name), str(error), error.advice) from None
        with at_key("options", name):
            option.check(value)
    return ruleset(game.info, file.ruleset, file.options)


def _wrong_size(seats: int, allowed: Sequence[int], rules: Ruleset, why: str = "") -> BadValue:
    more = "; change `seats` or the number of bots" if why else ""
    return BadValue(
        ("seats",),
        f"{why}{rules.name} is for {players(allowed)}, not {seats}",
        Advice("see ", run("games show", rules.game), more),
    )


def most_games(definition: Definition) -> int | None:
    """Return the largest number of games a league can have, from its schedule and budget; None if unknown."""
    table = definition.file.stop
    known = [definition.total_games, table.games]
    if table.matches is not None:
        most = max(definition.games_at(units) for units in definition.field.seats)
        known.append(table.matches * most)
    return min((games for games in known if games is not None), default=None)


def how_long(definition: Definition) -> str:
    """Return in words how long a league will run, from its schedule and its `[stop]` table."""
    parts, table = [], definition.file.stop
    matches, games = definition.total_matches, definition.total_games
    if matches is not None:
        parts.append(f"{counted(matches, 'match', 'matches')}, {counted(games or 0, 'game')}")
    if table.until == "settled":
        what = "its order is settled" if table.top is None else f"its top {table.top} are settled"
        parts.append(f"until {what} at an error rate of {table.error_rate:g}")
    budget = [
        f"at most {words}"
        for given, words in (
            (table.matches, counted(table.matches or 0, "match", "matches")),
            (table.games, counted(table.games or 0, "game")),
            (table.minutes, f"{table.minutes or 0:g} minutes plus the matches planned by then"),
        )
        if given is not None
    ]
    return ", ".join([*parts, *budget]) or (
        "until stopped" if definition.endless else "as many matches as it takes"
    )
