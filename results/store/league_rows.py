"""Rows of leagues, rulesets and league events: finding, creating and reading them within a transaction."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from results.base.errors import NameRefused, UnknownLeague
from results.base.scoring import NO_PARTNERS, Partners
from results.base.text import one_line
from results.ratings.base import UNRATED, Scale
from results.records import LeagueEvent, LeagueRecord, RulesetRecord, Traits, partners_in
from results.store.database import (
    Part,
    Row,
    from_text,
    named_rows,
    object_from_text,
    record,
    rows,
    to_text,
    value,
)
from results.store.schema.checked_rows import add_row, number_of
from results.store.sqlite_file import Connection

_NEWEST = "SELECT * FROM league WHERE rated ORDER BY id DESC LIMIT 1"
_NAMED = "SELECT * FROM league WHERE uuid = :name OR name = :name"
_EVENTS = (
    "SELECT event_no, at_match_no, kind, data, at FROM league_event "
    "WHERE league_id = :league AND event_no >= :first ORDER BY event_no"
)
_OF_KIND = (
    "SELECT league.uuid, event_no, at_match_no, kind, data, at FROM league_event "
    "JOIN league ON league.id = league_id WHERE kind = :kind ORDER BY league_id, event_no"
)

CASUAL = "casual"
"""The built-in league of single games: unrated, and every match has its own ruleset."""


def check_name(what: str, name: str) -> None:
    """Raise NameRefused for a name that is empty, has spaces around it, or can't be printed on one line."""
    if not name or name != name.strip() or one_line(name) != name:
        raise NameRefused(
            f"{what} {name!r}: a name is one line of text, without spaces around it", "change it"
        )


def league_row(connection: Connection, name: str | None) -> Row:
    """Return the row of a league by name or uuid; without a name, the newest rated one. Raises UnknownLeague."""
    found = named_rows(connection, _NEWEST) if name is None else named_rows(connection, _NAMED, name=name)
    if found:
        return found[0]
    raise UnknownLeague(name, [one for (one,) in rows(connection, "SELECT name FROM league ORDER BY id")])


class LeaguePart(Part):
    """A part that is asked about one league at a time, by its name or uuid."""

    @contextmanager
    def _reading(self, league: str) -> Iterator[tuple[Connection, Row]]:
        """Yield a connection that sees a single state of the ledger, and the league's row. Raises UnknownLeague."""
        with self._database.reading() as connection:
            yield connection, league_row(connection, league)

    def _rows(self, league: str, text: str, **values: Any) -> list[Any]:
        """Return the rows of a statement with named values, of which `league` is the league's number."""
        with self._reading(league) as (connection, row):
            return rows(connection, text, **{**values, "league": row.id})

    @contextmanager
    def _changing(self, league: str, *, adds: bool = False) -> Iterator[tuple[Connection, Row]]:
        """Do the same with one whose changes are committed together; `adds` as in `Database.changing`."""
        with self._database.changing(adds=adds) as connection:
            yield connection, league_row(connection, league)


def progress_row(connection: Connection, league: int) -> Row:
    """Return the progress of a league, given by its number."""
    (row,) = named_rows(connection, "SELECT * FROM progress WHERE league_id = :league", league=league)
    return row


def all_leagues(connection: Connection) -> Sequence[Row]:
    """Return the rows of all leagues, oldest first."""
    return named_rows(connection, "SELECT * FROM league ORDER BY id")


def scale_of(league: Row) -> Scale:
    """Return what the ratings of a league mean. Raises msgspec.DecodeError if its row is damaged."""
    text = league.rating_scale
    return UNRATED if text == "{}" else msgspec.json.decode(text, type=Scale)


def first_of_final(league: Row) -> int | None:
    """Return the first round that is hidden until the league is over; None without a final, and once it is over."""
    if league.state == "finished" or '"final_rounds"' not in league.config:
        return None
    config = from_text(league.config)
    return config["schedule"].get("rounds", 1) - config["final_rounds"] if config["final_rounds"] else None


def partners_of(league: Row) -> Partners:
    """Return who are partners at the tables of a league."""
    return partners_in(from_text(league.config)) if '"partners"' in league.config else NO_PARTNERS


def league_record(connection: Connection, row: Row) -> LeagueRecord:
    """Return a league as a public record."""
    return record(
        LeagueRecord,
        row,
        config=object_from_text(row.config),
        ruleset=ruleset_record(connection, row.ruleset_id),
        rating_options=from_text(row.rating_options),
        scale=scale_of(row),
        traits=msgspec.json.decode(row.schedule_traits, type=Traits),
    )


def ruleset_id(connection: Connection, ruleset: RulesetRecord) -> int:
    """Return the number of a ruleset; a new one is added to the store."""
    key = {"game": ruleset.game, "rules_version": ruleset.version, "options": ruleset.options}
    return number_of(connection, "ruleset", key, name=ruleset.name)


def ruleset_record(connection: Connection, number: int | None) -> RulesetRecord | None:
    """Return a ruleset by its number in the store."""
    if number is None:
        return None
    (row,) = named_rows(connection, "SELECT * FROM ruleset WHERE id = :number", number=number)
    return RulesetRecord(row.game, row.rules_version, row.name, row.options)


def add_event(
    connection: Connection, league: Row, at_match_no: int, kind: str, data: Mapping[str, Any], at: str
) -> LeagueEvent:
    """Record a change to a league."""
    number, text = next_event_no(connection, league.id), to_text(data)
    key = {"league_id": league.id, "event_no": number}
    add_row(connection, "league_event", **key, at_match_no=at_match_no, kind=kind, data=text, at=at)
    return LeagueEvent(league.uuid, number, at_match_no, kind, from_text(text), at)


def next_event_no(connection: Connection, league: int) -> int:
    """Return the number of the next event of a league; found by the index, however many there are."""
    text = "SELECT coalesce(max(event_no), -1) + 1 FROM league_event WHERE league_id = :league"
    return int(value(connection, text, league=league))


def events_of_kind(connection: Connection, kind: str) -> list[LeagueEvent]:
    """Return the events of a kind of all leagues, league by league in order."""
    found = rows(connection, _OF_KIND, kind=kind)
    return [
        LeagueEvent(uuid, no, at_no, kind, from_text(data), at) for uuid, no, at_no, kind, data, at in found
    ]


def events_of(connection: Connection, league: Row, first: int = 0) -> list[LeagueEvent]:
    """Return the events of a league from number `first` on, in order."""
    return [
        LeagueEvent(league.uuid, event_no, at_match_no, kind, from_text(data), at)
        for event_no, at_match_no, kind, data, at in rows(connection, _EVENTS, league=league.id, first=first)
    ]
