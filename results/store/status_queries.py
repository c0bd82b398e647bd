"""What goes on in a store, asked however long its leagues are; and the commands that were taken up."""

from typing import Any, NamedTuple

from protocol.verdicts import Verdict
from results.base.advice import Advice, unpacked
from results.records import CommandOutcome, CommandRecord, LeagueState
from results.store.database import Part, named_rows, record, rows, to_text
from results.store.league_rows import CASUAL, LeaguePart, progress_row
from results.store.schema.checked_rows import add_row
from results.store.sqlite_file import Connection

MOST_WORDS = 2_000
"""Longest text of an outcome, in characters."""


class Commands(Part):
    """Commands that were taken up."""

    def find(self, uuid: str) -> CommandRecord | None:
        """Return the record of a command; None if it has not been taken up."""
        with self._database.reading() as connection:
            found = named_rows(connection, "SELECT * FROM command WHERE uuid = :uuid", uuid=uuid)
            return _record(found[0]) if found else None

    def newest(self, most: int) -> list[CommandRecord]:
        """Return the commands that were taken up last, the newest first."""
        with self._database.reading() as connection:
            text = "SELECT * FROM command ORDER BY id DESC LIMIT :most"
            return [_record(row) for row in named_rows(connection, text, most=most)]

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
            return _record(add_row(connection, "command", **given, taken_at=self._database.now(), **became))


def _record(row: Any) -> CommandRecord:
    return record(CommandRecord, row, by=row.submitted_by, advice=unpacked(row.hint))


_VERDICTS = sorted(verdict.value for verdict in Verdict)


_LEAGUES = """
    SELECT uuid, name, state, rated, created_at, matches_planned, matches_done, games_done, next_match_no,
        count(at_match_no), coalesce(max(at_match_no), -1)
    FROM league JOIN progress ON progress.league_id = league.id
        LEFT JOIN league_event ON league_event.league_id = league.id
    WHERE name <> :casual GROUP BY league.id ORDER BY league.id
    """
"""The columns of `LeagueActivity`."""
_ATTEMPTS = """
    SELECT attempt.verdict, attempt.match_no, match.state, attempt.at, attempt.detail
    FROM attempt LEFT JOIN match USING (league_id, match_no)
    WHERE attempt.league_id = :league AND attempt.match_no >= :first AND attempt.at >= :since ORDER BY attempt.at
    """
_FAULTS = """
    SELECT verdict, count(*) FROM seat WHERE league_id = :league AND match_no >= :first
        AND verdict IN (SELECT value FROM json_each(:verdicts)) GROUP BY verdict ORDER BY verdict
    """


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
        with self._database.reading() as connection:
            leagues = [LeagueActivity(*row) for row in rows(connection, _LEAGUES, casual=CASUAL)]
            leagues = [one._replace(rated=bool(one.rated)) for one in leagues]
            ((newest,),) = rows(connection, "SELECT coalesce(max(id), 0) FROM command")
            return StoreActivity(leagues, newest)

    def games(self) -> int:
        """Return how many games the store has, of all leagues."""
        with self._database.reading() as connection:
            ((games,),) = rows(connection, "SELECT coalesce(sum(games_done), 0) FROM progress")
            return int(games)

    def failed_attempts(self, league: str, since: str) -> list[FailedAttempts]:
        """Return the games of a league that failed because of the platform at or after a time, by verdict."""
        with self._reading(league) as (connection, row):
            reached = progress_row(connection, row.id).next_match_no
            first = min(_first_match(connection, row.id, since), reached)
            attempts = rows(connection, _ATTEMPTS, league=row.id, first=first, since=since)
        found = []
        for verdict in sorted({one[0] for one in attempts}):
            of_verdict = [one[1:] for one in attempts if one[0] == verdict]
            matches = {match_no: state for match_no, state, _, _ in of_verdict}
            void = sum(state == "void" for state in matches.values())
            found.append(FailedAttempts(verdict, len(of_verdict), len(matches), void, *of_verdict[-1][2:]))
        return found

    def faults(self, league: str, since: str) -> dict[str, int]:
        """Return how many seats were forfeited, by verdict, in a league's matches that ended at or after a time."""
        with self._reading(league) as (connection, row):
            first = _first_match(connection, row.id, since)
            return dict(rows(connection, _FAULTS, league=row.id, first=first, verdicts=to_text(_VERDICTS)))


def _first_match(connection: Connection, league: int, since: str) -> int:
    """Return the first match with a game that ended at or after a time, if games end in the order of their matches.

    They nearly do, so this looks at a few of them only: a binary search by the times of games.
    """
    low, high = 0, progress_row(connection, league).matches_planned
    text = (
        "SELECT substr(finished_at, 1, 19) FROM game WHERE league_id = :league AND match_no >= :first "
        "ORDER BY match_no, rotation LIMIT 1"
    )
    while low < high:
        middle = (low + high) // 2
        ended = rows(connection, text, league=league, first=middle)
        if not ended or ended[0][0] >= since[:19]:
            high = middle
        else:
            low = middle + 1
    return low
