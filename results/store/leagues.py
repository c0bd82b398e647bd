"""Leagues: creating, finding, ending them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from uuid import uuid4

from results.base.advice import Advice, by
from results.base.errors import LeagueClosed, LeagueUnfinished, NameRefused, RecordRefused
from results.base.text import folded
from results.ratings import rater
from results.records import (
    UNSCHEDULED,
    EntrySpec,
    LeagueEvent,
    LeagueRecord,
    LeagueState,
    RulesetRecord,
    Traits,
    check_policy,
)
from results.records.query_rows import Progress
from results.store.database import Row, insert, record, rows, to_text, value
from results.store.entries import join
from results.store.league_rows import (
    CASUAL,
    LeaguePart,
    add_event,
    all_leagues,
    check_name,
    events_of,
    events_of_kind,
    league_record,
    league_row,
    next_event_no,
    progress_row,
    ruleset_id,
)
from results.store.schema.checked_rows import add_row, change_rows, count, refuse_missing
from results.store.segments.lookup import drop_empty, remove_files
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import position

REVEALED = "revealed"
"""Kind of the league event by which the secret was published."""


class Leagues(LeaguePart):
    """Leagues: what they play, how they are rated, and their progress."""

    def create(
        self,
        name: str,
        *,
        config: Mapping[str, Any],
        ruleset: RulesetRecord,
        entries: Sequence[EntrySpec],
        secret: bytes | None = None,
        rating: str = "trueskill",
        rating_options: Mapping[str, Any] | None = None,
        keep_replays: str = "all",
        rated: bool = True,
        traits: Traits = UNSCHEDULED,
    ) -> LeagueRecord:
        """Create a league with its entries, numbered from 0 in the given order.

        If `rated` is false, nothing is derived from its games, and it can be found only by its name.
        `secret`: the 32 bytes from which all deals are derived, for a reproducible league. Without it, the store
        draws one, and the league is sealed. `traits` are its schedule's. Raises NameRefused if a name or label is
        taken or can't be shown, UnknownRating, BrokenPlugin, RatingFailed, BadRating, BadPolicy, UnknownVersion.
        """
        check_policy(keep_replays)
        rated_by = rater(rating, rating_options)
        with self._database.changing(adds=True) as connection:
            _refuse_name(connection, name)
            found = self._add(
                connection,
                name,
                secret,
                config=to_text(config),
                ruleset_id=ruleset_id(connection, ruleset),
                rated=rated,
                rating=rating,
                rating_options=to_text(rated_by.options),
                rating_scale=to_text(rated_by.scale),
                schedule_traits=to_text(traits),
                keep_replays=keep_replays,
                state="created",
            )
            join(connection, found, entries)
            return league_record(connection, found)

    def check_new_name(self, name: str) -> None:
        """Raise NameRefused if a new league can't have this name: it is taken, or can't be shown."""
        with self._database.reading() as connection:
            _refuse_name(connection, name)

    def casual(self) -> LeagueRecord:
        """Return the built-in league of single games; the first call creates it."""
        with self._database.changing(adds=True) as connection:
            if value(connection, "SELECT id FROM league WHERE name = :name", name=CASUAL) is None:
                nothing = {"config": "{}", "rating": "", "rating_options": "{}"}
                self._add(
                    connection, CASUAL, None, **nothing, rated=False, keep_replays="all", state="running"
                )
            return league_record(connection, league_row(connection, CASUAL))

    def get(self, name: str | None = None) -> LeagueRecord:
        """Return a league by name or uuid, or else the newest rated one. Raises UnknownLeague."""
        with self._database.reading() as connection:
            return league_record(connection, league_row(connection, name))

    def all(self) -> list[LeagueRecord]:
        """Return all leagues, the oldest first, including the built-in one."""
        with self._database.reading() as connection:
            return [league_record(connection, row) for row in all_leagues(connection)]

    def uuids(self) -> list[str]:
        """Return the uuids of all leagues, the oldest first; this works even if a league is damaged."""
        with self._database.reading() as connection:
            return [uuid for (uuid,) in rows(connection, "SELECT uuid FROM league ORDER BY id")]

    def progress(self, league: str) -> Progress:
        """Return the progress of a league."""
        with self._reading(league) as (connection, row):
            found = progress_row(connection, row.id)
            own = {"league": row.name, "state": row.state, "matches_counted": found.next_match_no}
            return record(Progress, found, **own)

    def rating_stopped_at(self, league: str) -> int | None:
        """Return the first finished match that the rankings lack, as the rating system failed at it."""
        with self._reading(league) as (connection, row):
            reached, end = position(connection, row.id)
            return reached if row.rated and reached < end else None

    def set_state(self, league: str, state: LeagueState) -> LeagueRecord:
        """Change the state of a league. Raises LeagueClosed if it would continue although its secret is public."""
        with self._changing(league) as (connection, row):
            if row.revealed and state in ("created", "running"):
                raise LeagueClosed(
                    f"the secret of league {row.name!r} has been revealed: its future deals are known",
                    "create a new league",
                )
            change_rows(connection, "league", {"id": row.id}, {"state": state})
            return league_record(connection, league_row(connection, row.uuid))

    @contextmanager
    def playing(self, league: str) -> Iterator[None]:
        """Note, while the context lasts, that a league is played by this process, which holds the store's lock."""
        self._database.played.append(league)
        try:
            yield
        finally:
            self._database.played.remove(league)

    def is_played(self, league: LeagueRecord) -> bool:
        """Return whether this process plays a league."""
        return league.uuid in self._database.played

    def rename(self, league: str, name: str) -> None:
        """Change the name of a league. Raises NameRefused if it is taken, or can't be shown."""
        with self._changing(league) as (connection, row):
            _refuse_name(connection, name, but=row.name)
            change_rows(connection, "league", {"id": row.id}, {"name": name})

    def delete(self, league: str) -> None:
        """Delete a league with its entries, matches, games and everything derived from them."""
        with self._changing(league) as (connection, row):
            connection.execute("PRAGMA defer_foreign_keys = ON")  # until the commit, so in any order
            for (table,) in rows(connection, "SELECT name FROM sqlite_master WHERE type = 'table'"):
                if "league_id" in connection.columns(table):
                    connection.execute(f"DELETE FROM {table} WHERE league_id = ?", (row.id,))
            connection.execute("DELETE FROM league WHERE id = ?", (row.id,))
            count(connection, "league", 0, -1)
            gone = drop_empty(connection)
        remove_files(self._database, gone)

    def add_event(
        self, league: str, at_match_no: int, kind: str, data: Mapping[str, Any] | None = None
    ) -> LeagueEvent:
        """Record a change to a league from a match on: a pause, a stop, an extension."""
        with self._changing(league, adds=True) as (connection, row):
            return add_event(connection, row, at_match_no, kind, data or {}, self._database.now())

    def events(self, league: str, first: int = 0) -> list[LeagueEvent]:
        """Return the recorded changes to a league from number `first` on, in order."""
        with self._database.reading() as connection:
            return events_of(connection, league_row(connection, league), first)

    def events_of_kind(self, kind: str) -> list[LeagueEvent]:
        """Return the events of a kind of all leagues, league by league in order."""
        with self._database.reading() as connection:
            return events_of_kind(connection, kind)

    def event_count(self, league: str) -> int:
        """Return how many changes to a league are recorded, without reading them."""
        with self._database.reading() as connection:
            return next_event_no(connection, league_row(connection, league).id)

    def refuse_missing(self, league: str) -> None:
        """Raise StoreDamaged if entries or matches of a league have been lost, so that it can't continue."""
        with self._reading(league) as (connection, row):
            refuse_missing(connection, row.id, row.name)

    def secret(self, league: str) -> bytes:
        """Return the 32 bytes from which a league's deals are derived: for its runner, never shown."""
        with self._database.reading() as connection:
            secret: bytes = league_row(connection, league).secret
            return secret

    def reveal(self, league: str) -> bytes:
        """Return the secret of a league that has ended, and mark it as public. Raises LeagueUnfinished."""
        with self._changing(league, adds=True) as (connection, row):
            if row.state not in ("finished", "stopped"):
                raise LeagueUnfinished(
                    f"league {row.name!r} is {row.state}; its secret would reveal the future deals",
                    Advice("finish it first", by("run", row.name)),
                )
            if not row.revealed:
                change_rows(connection, "league", {"id": row.id}, {"revealed": True})
                at = progress_row(connection, row.id).matches_planned
                add_event(connection, row, at, REVEALED, {}, self._database.now())
            secret: bytes = row.secret
            return secret

    def _add(self, connection: Connection, name: str, secret: bytes | None, **values: Any) -> Row:
        """Add a league with these values and without any match; return its row."""
        key = os.urandom(32) if secret is None else secret
        if len(key) != 32:
            raise RecordRefused(f"a secret of {len(key)} bytes", "a league's secret has 32 bytes")
        row = add_row(
            connection,
            "league",
            uuid=str(uuid4()),
            name=name,
            secret=key,
            commitment=sha256(key).hexdigest(),
            sealed=secret is None,
            created_at=self._database.now(),
            **values,
        )
        insert(connection, "progress", [(row.id, *(0 for _ in list(connection.columns("progress"))[1:]))])
        return league_row(connection, row.uuid)


def _refuse_name(connection: Connection, name: str, but: str | None = None) -> None:
    """Raise NameRefused if a league can't have a name; `but` is its name till now, which may look like the new one."""
    check_name("league", name)
    if folded(name) == CASUAL:
        raise NameRefused(f"{CASUAL!r} is the built-in league of single games", "choose another name")
    names = rows(connection, "SELECT name FROM league")
    there = next(
        (one for (one,) in names if folded(one) == folded(name) and (one == name or one != but)), None
    )
    if there is not None:
        alike = "" if there == name else f", and {name!r} looks like it"
        raise NameRefused(
            f"there is a league {there!r} already{alike}",
            Advice("choose another name, or continue it", by("run", there)),
        )
