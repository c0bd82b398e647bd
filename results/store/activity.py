"""What goes on in a store, asked however long its leagues are; and the commands that were taken up."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from protocol.verdicts import Verdict
from results.base.advice import Advice, unpacked
from results.records import CommandOutcome, CommandRecord, LeagueState
from results.store.database import Part, record
from results.store.league_rows import CASUAL, LeaguePart
from results.store.tables.checksums import add_row
from results.store.tables.games import ATTEMPT, GAME, MATCH, PROGRESS, SEAT
from results.store.tables.leagues import COMMAND, LEAGUE, LEAGUE_EVENT

MOST_WORDS = 2_000
"""Longest text of an outcome, in characters."""


class Commands(Part):
    """Commands that were taken up."""

    def find(self, uuid: str) -> CommandRecord | None:
        """Return the record of a command; None if it has not been taken up."""
        with self._database.reading() as connection:
            row = connection.execute(select(COMMAND).where(COMMAND.c.uuid == uuid)).first()
            return None if row is None else _record(row)

    def newest(self, most: int) -> list[CommandRecord]:
        """Return the commands that were taken up last, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(select(COMMAND).order_by(COMMAND.c.id.desc()).limit(most))
            return [_record(row) for row in rows]

    def add(
        self,
        uuid: str,
        kind: str,
        by: str,
        submitted_at: str,
        outcome: CommandOutcome,
        words: str,
        advice: object = "",
    ) -> CommandRecord:
        """Record that a command was taken up now; in one transaction with its effect (`Store.together`)."""
        given = {"uuid": uuid, "kind": kind, "submitted_by": by, "submitted_at": submitted_at}
        became = {"outcome": outcome, "words": words[:MOST_WORDS], "hint": Advice(advice).packed()}
        with self._database.changing(adds=True) as connection:
            return _record(add_row(connection, COMMAND, **given, taken_at=self._database.now(), **became))


def _record(row: Any) -> CommandRecord:
    return record(CommandRecord, row, by=row.submitted_by, advice=unpacked(row.hint))


_VERDICTS = sorted(verdict.value for verdict in Verdict)


class LeagueActivity(NamedTuple):
    """How far a league is."""

    uuid: str
    name: str
    state: LeagueState
    rated: bool
    created_at: str
    matches_planned: int
    matches_done: int
    games_done: int
    next_match_no: int
    """All matches below are finished."""
    events: int
    """How many events it has."""
    last_event_match_no: int
    """The latest match from which one of them holds; −1 without any."""


class StoreActivity(NamedTuple):
    """How far everything in a store is."""

    leagues: list[LeagueActivity]
    """The oldest first, without the built-in one of single games."""
    newest_command: int
    """The number of the command that was taken up last; 0 before the first."""


class FailedAttempts(NamedTuple):
    """Games of one league that failed for the same reason of the platform."""

    verdict: str
    attempts: int
    matches: int
    """How many matches they are of."""
    void: int
    """How many of these were given up."""
    newest_at: str
    newest_detail: str


class Activity(LeaguePart):
    """What goes on in a store."""

    def now(self) -> StoreActivity:
        """Return how far everything is."""
        events = (
            select(
                LEAGUE_EVENT.c.league_id,
                func.count().label("events"),
                func.max(LEAGUE_EVENT.c.at_match_no).label("last"),
            )
            .group_by(LEAGUE_EVENT.c.league_id)
            .subquery()
        )
        query = (
            select(
                *(LEAGUE.c[name] for name in LeagueActivity._fields[:5]),
                *(PROGRESS.c[name] for name in LeagueActivity._fields[5:9]),
                func.coalesce(events.c.events, 0),
                func.coalesce(events.c.last, -1),
            )
            .join(PROGRESS, PROGRESS.c.league_id == LEAGUE.c.id)
            .outerjoin(events, events.c.league_id == LEAGUE.c.id)
            .where(LEAGUE.c.name != CASUAL)
            .order_by(LEAGUE.c.id)
        )
        with self._database.reading() as connection:
            leagues = [LeagueActivity(*row) for row in connection.execute(query)]
            newest = select(func.coalesce(func.max(COMMAND.c.id), 0))
            return StoreActivity(leagues, connection.execute(newest).scalar_one())

    def games(self) -> int:
        """Return how many games the store has, of all leagues."""
        with self._database.reading() as connection:
            query = select(func.coalesce(func.sum(PROGRESS.c.games_done), 0))
            return int(connection.execute(query).scalar_one())

    def failed_attempts(self, league: str, since: str) -> list[FailedAttempts]:
        """Return the games of a league that failed because of the platform at or after a time, by verdict."""
        with self._reading(league) as (connection, row):
            number = row.id
            reached = select(PROGRESS.c.next_match_no).where(PROGRESS.c.league_id == number)
            first = min(_first_match(connection, number, since), connection.execute(reached).scalar_one())
            state = (
                select(MATCH.c.state)
                .where(MATCH.c.league_id == number, MATCH.c.match_no == ATTEMPT.c.match_no)
                .scalar_subquery()
            )
            query = (
                select(
                    ATTEMPT.c.verdict,
                    ATTEMPT.c.match_no,
                    ATTEMPT.c.at,
                    ATTEMPT.c.detail,
                    state.label("state"),
                )
                .where(ATTEMPT.c.league_id == number, ATTEMPT.c.match_no >= first, ATTEMPT.c.at >= since)
                .order_by(ATTEMPT.c.at)
            )
            rows = connection.execute(query).all()
        found = []
        for verdict in sorted({row.verdict for row in rows}):
            of_verdict = [row for row in rows if row.verdict == verdict]
            matches = {row.match_no: row.state for row in of_verdict}
            newest = of_verdict[-1]
            void = sum(match == "void" for match in matches.values())
            found.append(
                FailedAttempts(verdict, len(of_verdict), len(matches), void, newest.at, newest.detail)
            )
        return found

    def faults(self, league: str, since: str) -> dict[str, int]:
        """Return how many seats were forfeited, by verdict, in a league's matches that ended at or after a time."""
        with self._reading(league) as (connection, row):
            number = row.id
            first = _first_match(connection, number, since)
            query = (
                select(SEAT.c.verdict, func.count())
                .where(SEAT.c.league_id == number, SEAT.c.verdict.in_(_VERDICTS))
                .where(SEAT.c.match_no >= first)
                .group_by(SEAT.c.verdict)
                .order_by(SEAT.c.verdict)
            )
            return {row[0]: row[1] for row in connection.execute(query)}


def _first_match(connection: Connection, league: int, since: str) -> int:
    """Return the first match with a game that ended at or after a time, if games end in the order of their matches.

    They nearly do, so this looks at a few of them only: a binary search by the times of games.
    """
    planned = select(PROGRESS.c.matches_planned).where(PROGRESS.c.league_id == league)
    low, high = 0, connection.execute(planned).scalar_one()
    while low < high:
        middle = (low + high) // 2
        ended = connection.execute(
            select(GAME.c.finished_at)
            .where(GAME.c.league_id == league, GAME.c.match_no >= middle)
            .order_by(GAME.c.match_no, GAME.c.rotation)
            .limit(1)
        ).scalar()
        if ended is None or ended[:19] >= since[:19]:
            high = middle
        else:
            low = middle + 1
    return low
