"""Rows of leagues, rulesets and league events: finding, creating and reading them within a transaction."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, func, select

from results.canonical import from_text, to_text
from results.errors import NameRefused, UnknownLeague
from results.escaping import one_line
from results.ratings.base import UNRATED, Scale
from results.records import LeagueEvent, LeagueRecord, RulesetRecord
from results.store.tables import TABLES, LeagueEventRow, LeagueRow, RulesetRow

CASUAL = "casual"
"""The built-in league of single games: unrated, and every match has its own ruleset."""


def check_name(what: str, name: str) -> None:
    """Raise NameRefused for a name that is empty, has spaces around it, or can't be printed on one line."""
    if not name or name != name.strip() or one_line(name) != name:
        raise NameRefused(
            f"{what} {name!r}: a name is one line of text, without spaces around it", "change it"
        )


def league_row(session: Session, name: str | None) -> LeagueRow:
    """Return the row of a league by name or uuid; without a name, the newest rated one. Raises UnknownLeague."""
    query = select(LeagueRow)
    if name is None:
        query = query.where(col(LeagueRow.rated)).order_by(col(LeagueRow.id).desc()).limit(1)
    else:
        query = query.where((LeagueRow.uuid == name) | (LeagueRow.name == name))
    if (row := session.exec(query).first()) is not None:
        return row
    raise UnknownLeague(name, list(session.exec(select(LeagueRow.name).order_by(col(LeagueRow.id)))))


class LeagueFacts(NamedTuple):
    """The columns of a league needed to store its games and fold them."""

    number: int
    uuid: str
    name: str
    rated: bool
    rating: str
    rating_options: str
    rating_scale: str
    keep_replays: str

    @property
    def scale(self) -> Scale:
        """What the league's ratings mean."""
        return scale_from_text(self.rating_scale)


_league = TABLES["league"]
_FACTS = select_columns(*(_league.c[name] for name in ("id", *LeagueFacts._fields[1:])))
_FACTS_OF = _FACTS.where(or_(_league.c.uuid == bindparam("name"), _league.c.name == bindparam("name")))


def league_facts(connection: Connection, name: str) -> LeagueFacts:
    """Return the facts of a league, by name or uuid. Raises UnknownLeague."""
    row = connection.execute(_FACTS_OF, {"name": name}).first()
    if row is None:
        names = connection.execute(select_columns(_league.c.name).order_by(_league.c.id)).scalars()
        raise UnknownLeague(name, list(names))
    return LeagueFacts(*row)


def all_league_facts(connection: Connection) -> list[LeagueFacts]:
    """Return the facts of every league, oldest first."""
    return [LeagueFacts(*row) for row in connection.execute(_FACTS.order_by(_league.c.id))]


def some_league_facts(connection: Connection, name: str | None) -> list[LeagueFacts]:
    """Return the facts of one league, by name or uuid, or of every league for None. Raises UnknownLeague."""
    return all_league_facts(connection) if name is None else [league_facts(connection, name)]


def scale_from_text(text: str) -> Scale:
    """Return the scale in a league's row. Raises msgspec.DecodeError if it is damaged."""
    return UNRATED if text == "{}" else msgspec.json.decode(text, type=Scale)


def league_id(row: LeagueRow) -> int:
    """Return the number of a stored league."""
    if row.id is None:
        raise AssertionError("a league without its number")
    return row.id


def league_record(session: Session, row: LeagueRow) -> LeagueRecord:
    """Return a league as a public record."""
    return LeagueRecord(
        uuid=row.uuid,
        name=row.name,
        config=from_text(row.config),
        ruleset=ruleset_record(session, row.ruleset_id),
        commitment=row.commitment,
        sealed=row.sealed,
        rated=row.rated,
        rating=row.rating,
        rating_options=from_text(row.rating_options),
        scale=scale_from_text(row.rating_scale),
        keep_replays=row.keep_replays,
        state=row.state,  # type: ignore[arg-type]  # the table allows no other words
        revealed=row.revealed,
        created_at=row.created_at,
        seed_derivation=row.seed_derivation,
    )


def ruleset_id(session: Session, ruleset: RulesetRecord) -> int:
    """Return the number of a ruleset; a new one is added to the store."""
    same = select(RulesetRow).where(
        RulesetRow.game == ruleset.game,
        RulesetRow.rules_version == ruleset.version,
        RulesetRow.options == ruleset.options,
    )
    row = session.exec(same).first()
    if row is None:
        row = RulesetRow(
            game=ruleset.game, rules_version=ruleset.version, name=ruleset.name, options=ruleset.options
        )
        session.add(row)
        session.flush()
    if row.id is None:
        raise AssertionError("a ruleset without its number")
    return row.id


def ruleset_record(session: Session, number: int | None) -> RulesetRecord | None:
    """Return a ruleset by its number in the store."""
    if number is None:
        return None
    row = session.get_one(RulesetRow, number)
    return RulesetRecord(row.game, row.rules_version, row.name, row.options)


def add_event(
    session: Session, row: LeagueRow, at_match_no: int, kind: str, data: Mapping[str, Any], at: str
) -> LeagueEvent:
    """Record a change to a league."""
    number = league_id(row)
    event = LeagueEventRow(
        league_id=number,
        event_no=next_event_no(session, number),
        at_match_no=at_match_no,
        kind=kind,
        data=to_text(data),
        at=at,
    )
    session.add(event)
    session.flush()
    return event_record(row, event)


def next_event_no(session: Session, league: int) -> int:
    """Return the number of the next event of a league; found by the index, however many there are."""
    last = select(func.max(LeagueEventRow.event_no)).where(LeagueEventRow.league_id == league)
    found = session.exec(last).one()
    return 0 if found is None else found + 1


def event_record(row: LeagueRow, event: LeagueEventRow) -> LeagueEvent:
    """Return a league event as a public record."""
    return LeagueEvent(
        row.uuid, event.event_no, event.at_match_no, event.kind, from_text(event.data), event.at
    )


def events_of(session: Session, row: LeagueRow, first: int = 0) -> list[LeagueEvent]:
    """Return the events of a league from number `first` on, in order."""
    kept = LeagueEventRow
    query = (  # columns, not rows as objects: a long league has thousands, and every change reads them
        select(kept.event_no, kept.at_match_no, kept.kind, kept.data, kept.at)  # type: ignore[call-overload]  # of five
        .where(kept.league_id == row.id, kept.event_no >= first)
        .order_by(col(kept.event_no))
    )
    return [
        LeagueEvent(row.uuid, event_no, at_match_no, kind, from_text(data), at)
        for event_no, at_match_no, kind, data, at in session.exec(query)
    ]
