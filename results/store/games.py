"""Reads the ledger itself: games, faults, failed attempts."""

import shlex
from collections.abc import Collection, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Any

from msgspec.structs import astuple

from protocol.verdicts import Reason, Verdict
from results.base.advice import Advice, run
from results.base.errors import UnknownGame
from results.records import AttemptRecord, SeatRecord
from results.records.query_rows import DayUse, FinishedGame, Forfeit, Placing
from results.store.database import Row, named_rows, record, rows, to_text, value
from results.store.league_rows import LeaguePart, league_row, partners_of, progress_row
from results.store.segments.lookup import COVERED
from results.store.sqlite_file import Connection

SEAT_COLUMNS = ", ".join(SeatRecord.__struct_fields__)
"""The arguments of `seat_record`, to be selected in this order."""

_VERDICT, _REASON = map(SeatRecord.__struct_fields__.index, ("verdict", "reason"))
_VERDICTS = {verdict.value: verdict for verdict in Verdict}
_REASONS = {reason.value: reason for reason in Reason}


def seat_record(values: Sequence[Any]) -> SeatRecord:
    """Return the seat of a row of `SEAT_COLUMNS`; `verify` reports unknown verdicts, unknown reasons are left out."""
    if (verdict := values[_VERDICT]) is None:
        return SeatRecord(*values)
    found = list(values)
    found[_VERDICT], found[_REASON] = _VERDICTS.get(verdict, verdict), _REASONS.get(values[_REASON])
    return SeatRecord(*found)


def seat_values(seat: SeatRecord) -> tuple[Any, ...]:
    """Return the values of a seat's row after the key of its game."""
    values = astuple(seat)
    if seat.verdict is None:
        return values
    return tuple(value.value if isinstance(value, StrEnum) else value for value in values)


_SEATS = (
    f"SELECT match_no, rotation, {SEAT_COLUMNS} FROM seat WHERE league_id = :league "
    "AND match_no IN (SELECT value FROM json_each(:match_nos)) ORDER BY match_no, rotation, seat"
)
_PLACINGS = """
    SELECT seats, rank, count(*), sum(lead) FROM (
        SELECT count(*) + 1 AS seats, own.rank AS rank, own.score - CASE
            WHEN sum(other.rank = own.rank) > :partners THEN max(other.score)
            ELSE coalesce(max(CASE WHEN other.rank <> own.rank THEN other.score END), own.score) END AS lead
        FROM seat own JOIN seat other ON other.league_id = :league AND other.match_no = own.match_no
            AND other.rotation = own.rotation AND other.seat <> own.seat
        WHERE own.league_id = :league AND own.entry_no = :entry AND own.verdict IS NULL
            AND (own.match_no, own.rotation) IN (
                SELECT match_no, rotation FROM seat WHERE league_id = :league AND entry_no = :entry
                ORDER BY match_no DESC, rotation DESC LIMIT :newest
            )
        GROUP BY own.match_no, own.rotation, own.seat HAVING count(other.verdict) = 0
    ) GROUP BY seats, rank ORDER BY seats, rank
    """
"""The keys are found in the index of entries; SQLite would read the seats of all entries otherwise. Partners, of whom
each seat has so many, share its rank and are no opponents."""
_OF_OTHERS = {"label": "entry", "worker": "game", "finished_at": "game"}
_OF_FORFEIT = ", ".join(f"{_OF_OTHERS.get(name, 'seat')}.{name}" for name in Forfeit.__struct_fields__)
_FAULTS = (
    f"SELECT {_OF_FORFEIT} "
    "FROM seat JOIN game USING (league_id, match_no, rotation) JOIN entry USING (league_id, entry_no) "
    # Not null; stated as more than empty, so that SQLite finds the index on faults. The sum keeps SQLite from reading
    # every seat from the first match on.
    "WHERE seat.league_id = :league AND seat.verdict > '' AND seat.match_no + 0 >= :first"
)
_EVERY_MATCH = 2**62

NEAR_MATCHES = 4096
"""Among this many matches in a row, one was played on every day from the first to the last of them."""


class Games(LeaguePart):
    """Finished games, their faults, and failed attempts."""

    def all(
        self,
        league: str,
        *,
        entries: Collection[int] = (),
        verdict: Verdict | None = None,
        match_no: int | None = None,
        after: tuple[int, int] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> list[FinishedGame]:
        """Return finished games by match and rotation.

        Optionally only those in which one of some entries played, in which a seat was forfeited for a reason (together:
        one of them for that reason), or of one match. `after`: only those that follow (match_no, rotation) in this
        order, to continue from the last one seen.
        """
        with self._reading(league) as (connection, row):
            # Select the keys first, ordered and limited, so that a long league is never read completely.
            keys, values = _keys(entries, verdict)
            if match_no is not None:
                keys += " AND match_no = :match"
            if after is not None:
                keys += f" AND (match_no, rotation) {'<' if newest_first else '>'} (:after_match, :after_rotation)"
                values |= {"after_match": after[0], "after_rotation": after[1]}
            order = "ORDER BY match_no DESC, rotation DESC" if newest_first else "ORDER BY match_no, rotation"
            if limit is not None:
                keys += f" {order} LIMIT :limit"
            text = f"{_GAMES} AND (match_no, rotation) IN ({keys}) {order}"
            values |= {"league": row.id, "match": match_no, "limit": limit}
            return _with_seats(connection, row, named_rows(connection, text, **values))

    def number(self, league: str, *, entries: Collection[int] = (), verdict: Verdict | None = None) -> int:
        """Return how many finished games there are, optionally only of those that `all` returns for the same."""
        with self._database.reading() as connection:
            keys, values = _keys(entries, verdict)
            number = league_row(connection, league).id
            return int(value(connection, f"SELECT count(*) FROM ({keys})", league=number, **values))

    def get(self, league: str, match_no: int, rotation: int) -> FinishedGame:
        """Return one finished game. Raises UnknownGame."""
        with self._reading(league) as (connection, row):
            text = f"{_GAMES} AND match_no = :match AND rotation = :rotation"
            games = named_rows(connection, text, league=row.id, match=match_no, rotation=rotation)
            found = _with_seats(connection, row, games)
        if not found:
            raise UnknownGame(
                f"game {row.name}/{match_no}.{rotation} is not in the ledger",
                Advice(run("replay list", shlex.quote(row.name)), " shows those that are"),
            )
        return found[0]

    def of_matches(self, league: str, match_nos: Collection[int]) -> list[FinishedGame]:
        """Return the finished games of some matches, by match and rotation."""
        with self._reading(league) as (connection, row):
            some = "AND match_no IN (SELECT value FROM json_each(:matches)) ORDER BY match_no, rotation"
            games = named_rows(
                connection, f"{_GAMES} {some}", league=row.id, matches=to_text(sorted(match_nos))
            )
            return _with_seats(connection, row, games)

    def placings(self, league: str, entry_no: int, newest: int) -> list[Placing]:
        """Return how often an entry finished at each rank and by how much, in its `newest` games without a fault."""
        with self._reading(league) as (connection, row):
            sides = next(iter(partners_of(row).sides.values()), ())
            values = {"entry": entry_no, "newest": newest, "partners": sides.count(0) - 1 if sides else 0}
            found = rows(connection, _PLACINGS, league=row.id, **values)
            return [Placing(*one) for one in found]

    def keys(self, league: str, first: int = 0, last: int | None = None) -> set[tuple[int, int]]:
        """Return (match_no, rotation) of the games in the ledger, for matches from `first` to `last` included."""
        text = "SELECT match_no, rotation FROM game WHERE league_id = :league AND match_no BETWEEN :first AND :last"
        return set(self._rows(league, text, first=first, last=_EVERY_MATCH if last is None else last))

    def faults(self, league: str, *, entries: Collection[int] = (), first: int = 0) -> list[Forfeit]:
        """Return the forfeited seats from match `first` on, by match, rotation and seat."""
        some = "AND seat.entry_no IN (SELECT value FROM json_each(:entries))" if entries else ""
        faults = self._rows(league, f"{_FAULTS} {some}", first=first, entries=to_text(sorted(entries)))
        # Sorted here: SQLite would read every seat of the league to do it.
        found = [Forfeit(*forfeit) for forfeit in faults]
        return sorted(found, key=lambda forfeit: (forfeit.match_no, forfeit.rotation, forfeit.seat))

    def faults_by_verdict(self, league: str) -> dict[str, int]:
        """Return how many seats of a league were forfeited, by verdict, whether their matches are finished or not."""
        text = (
            "SELECT verdict, count(*) FROM seat WHERE league_id = :league AND verdict > '' "
            "GROUP BY verdict ORDER BY verdict"
        )
        return dict(self._rows(league, text))

    def faults_of_matches(self, league: str, first: int, end: int) -> list[tuple[int, int, Verdict]]:
        """Return (match, entry, verdict) of the forfeited seats in the matches from `first` to `end` − 1, in order."""
        text = (
            "SELECT match_no, entry_no, verdict FROM seat WHERE league_id = :league AND match_no >= :first "
            "AND match_no < :end AND verdict IS NOT NULL ORDER BY match_no, rotation, seat"
        )
        found = self._rows(league, text, first=first, end=end)
        return [(match_no, entry_no, Verdict(verdict)) for match_no, entry_no, verdict in found]

    def counts(
        self, league: str, entries: Collection[int], first: int = 0, end: int = _EVERY_MATCH
    ) -> dict[int, int]:
        """Return how many games some entries have finished from `first` to `end` − 1, if any."""
        text = (
            "SELECT entry_no, count(*) FROM seat WHERE league_id = :league AND match_no >= :first "
            "AND match_no < :end AND entry_no IN (SELECT value FROM json_each(:entries)) GROUP BY entry_no"
        )
        return dict(self._rows(league, text, entries=to_text(sorted(entries)), first=first, end=end))

    def use_of_day(self, league: str, day: str, first: int, end: int | None = None) -> dict[int, DayUse]:
        """Return what each entry used on a day (UTC, `2026-01-31`) in the matches from `first` to `end` − 1."""
        # The sum of an entry and 0 keeps SQLite from reading the index of entries, and so every seat.
        text = (
            "SELECT seat.entry_no + 0, count(*), sum(seat.cpu_ns) "
            "FROM game JOIN seat USING (league_id, match_no, rotation) "
            "WHERE game.league_id = :league AND game.match_no >= :first AND game.match_no < :end "
            "AND substr(game.finished_at, 1, 10) = :day GROUP BY 1"
        )
        found = self._rows(league, text, first=first, end=_EVERY_MATCH if end is None else end, day=day)
        return {entry: DayUse(games, cpu_ns) for entry, games, cpu_ns in found}

    def first_of_day(self, league: str, day: str) -> int:
        """Return a match number that no match with a game of that day (UTC), or to come, is below."""
        with self._reading(league) as (connection, row):
            text = "SELECT max(match_no) FROM game WHERE league_id = :league"
            ((newest,),) = rows(connection, text, league=row.id)
            first = (newest or 0) + 1
            text = (
                "SELECT 1 FROM game WHERE league_id = :league AND match_no >= :first AND match_no < :end "
                "AND substr(finished_at, 1, 10) = :day LIMIT 1"
            )
            while first > 0:
                some = {"first": first - NEAR_MATCHES, "end": first, "day": day}
                if not rows(connection, text, league=row.id, **some):
                    break
                first -= NEAR_MATCHES
            counted: int = progress_row(connection, row.id).next_match_no
            return max(0, min(first, counted))

    def attempts(self, league: str, match_no: int | None = None) -> list[AttemptRecord]:
        """Return the games that failed because of platform errors, optionally only of one match."""
        with self._reading(league) as (connection, row):
            of_match = "" if match_no is None else "AND match_no = :match"
            order = "ORDER BY match_no, rotation, at, attempt"
            text = f"SELECT * FROM attempt WHERE league_id = :league {of_match} {order}"
            return [
                record(AttemptRecord, found, league=row.uuid, verdict=Verdict(found.verdict))
                for found in named_rows(connection, text, league=row.id, match=match_no)
            ]

    def sandbox_levels(self, league: str) -> list[str]:
        """Return the levels of isolation that games were played at, stepping through the index."""
        levels: list[str] = []
        with self._reading(league) as (connection, row):
            text = "SELECT min(sandbox) FROM game WHERE league_id = :league AND sandbox > :last"
            ((found,),) = rows(connection, text, league=row.id, last="")
            while found is not None:
                levels.append(found)
                ((found,),) = rows(connection, text, league=row.id, last=found)
        return levels

    def fingerprint(self, league: str) -> str:
        """Return SHA-256 over `match_no rotation fingerprint` of every game, one line each, in order."""
        digest = sha256()
        with self._reading(league) as (connection, row):
            text = "SELECT match_no, rotation, fingerprint FROM game WHERE league_id = ? ORDER BY match_no, rotation"
            for game in connection.execute(text, (row.id,)):
                digest.update(f"{' '.join(map(str, game))}\n".encode())
        return digest.hexdigest()


def _keys(entries: Collection[int], verdict: Verdict | None) -> tuple[str, dict[str, Any]]:
    """Return the statement of the keys of the games that `Games.all` is asked for, and its values but the league."""
    if not entries and verdict is None:
        return "SELECT match_no, rotation FROM game WHERE league_id = :league", {}
    text = "SELECT DISTINCT match_no, rotation FROM seat WHERE league_id = :league"
    if entries:
        # As numbers in the statement: SQLite then follows the index in its order, and stops at a limit.
        text += f" AND entry_no IN ({', '.join(str(int(entry)) for entry in sorted(entries))})"
    if verdict is not None:
        text += " AND verdict = :verdict"
    return text, {"verdict": verdict and verdict.value}


_GAMES = (
    "SELECT game.*, match.round_no, match.state, match.rated, (EXISTS (SELECT 1 FROM replay "
    "WHERE replay.league_id = game.league_id AND replay.match_no = game.match_no AND replay.rotation = game.rotation) "
    f"OR {COVERED}) AS has_replay FROM game JOIN match USING (league_id, match_no) WHERE game.league_id = :league"
)


def _with_seats(connection: Connection, row: Row, games: Sequence[Row]) -> list[FinishedGame]:
    seats: dict[tuple[int, int], list[SeatRecord]] = {(game.match_no, game.rotation): [] for game in games}
    match_nos = to_text(sorted({game.match_no for game in games}))
    for match_no, rotation, *seat in rows(connection, _SEATS, league=row.id, match_nos=match_nos):
        if (match_no, rotation) in seats:
            seats[match_no, rotation].append(seat_record(seat))
    return [
        record(
            FinishedGame,
            game,
            league=row.name,
            seats=tuple(seats[game.match_no, game.rotation]),
        )
        for game in games
    ]
