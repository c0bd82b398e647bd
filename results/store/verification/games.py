"""Checks the games of some matches: rows, replays and logs, each against what was written."""

import gc
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from results.base.errors import RulesMissing
from results.records.query_rows import Finding, Mend
from results.store.database import Database, value
from results.store.kept_replays import newest_beyond
from results.store.schema.checked_rows import (
    MATCH_STATES,
    GameChecksums,
    checked_columns,
    match_checksum,
    of_row,
    state_of_match,
    unpacked,
)
from results.store.segments.lookup import rows_between, spans_in
from results.store.sqlite_file import Connection

CheckBody = Callable[[dict[str, Any]], str | None]
"""Replays a body by the rules; returns what is wrong, in words, or None.
Raises RulesMissing if the rules aren't installed."""

Row = Mapping[str, Any]


DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Verified:
    """Games that were found to follow the rules, by a digest of what was checked: `key`, the replay and the result."""

    key: bytes
    """Differs for other rules."""
    digests: frozenset[bytes] = frozenset()

    def digest(self, fingerprint: str, result: Mapping[str, Any]) -> bytes:
        """Return the digest of one game."""
        told = f"{fingerprint} {result}".encode()
        return blake2b(told, digest_size=DIGEST_BYTES, key=self.key).digest()


class Span(NamedTuple):
    """A range of matches of one league that are checked together."""

    league: int
    name: str
    keep_replays: str
    start: int
    stop: int
    games: int
    """The number of their games; more may arrive while the league is being played."""


@dataclass(slots=True)
class Checked:
    """The result of checking a span."""

    games: int = 0
    findings: list[Finding] = field(default_factory=list)
    without_rules: Counter[str] = field(default_factory=Counter)
    """The number of games that couldn't be replayed by the rules, by reason."""
    verified: list[bytes] = field(default_factory=list)
    """The digests of games that follow the rules."""


def check_span(
    database: Database,
    connection: Connection,
    span: Span,
    check_body: CheckBody | None,
    verified: Verified | None = None,
) -> Checked:
    """Check the matches of a span with all their games; those `verified` aren't replayed again."""
    checked = Checked()
    games = _grouped(connection, span, "game", "match_no", more=("pruned", "checksums"))
    checked.findings += _check_matches(connection, span, games)
    of_game = {
        name: _grouped(connection, span, name, "match_no", "rotation") for name in ("seat", "replay", "log")
    }
    elsewhere = _in_segments(database, connection, span)
    newest_out = newest_beyond(connection, span.league, span.keep_replays) or (-1, -1)
    for game in (game for of_match in games.values() for game in of_match):
        key = (game["match_no"], game["rotation"])
        checked.games += 1
        check = _GameCheck(
            span.name,
            game,
            {seat["seat"]: seat for seat in of_game["seat"].get(key, [])},
            next(iter(of_game["replay"].get(key, [])), None) or elsewhere.replays.get(key),
            {log["seat"]: log for log in of_game["log"].get(key, [])},
        )
        is_away = any(first <= game["match_no"] <= last for first, last in elsewhere.away)
        checked.findings += check.rows(may_lack_replay=key <= newest_out or is_away)
        try:
            with _collecting_later():
                checked.findings += check.body(check_body, verified)
        except RulesMissing as error:
            checked.without_rules[f"{error}; {error.hint}"] += 1
        if check.verified:
            checked.verified.append(check.verified)
    return checked


class _Elsewhere(NamedTuple):
    """The replays of a span that are in segments."""

    replays: dict[tuple[int, int], Row]
    away: list[tuple[int, int]]
    """The first and the last match of segments that can't be read, which is a finding of its own."""


def _in_segments(database: Database, connection: Connection, span: Span) -> _Elsewhere:
    """Return the replays of a span's games that are in segments."""
    found = _Elsewhere({}, [])
    columns = checked_columns(connection, "replay")
    for segment, rows in rows_between(database, connection, span.league, span.start, span.stop - 1):
        if rows is None:
            of_league = [one for one in spans_in(connection, segment.number) if one.league == span.league]
            found.away.extend((one.first_match, one.last_match) for one in of_league)
        for row in rows or ():
            found.replays[row[1], row[2]] = dict(zip(columns, row, strict=True))
    return found


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Don't look for garbage inside the block.

    A replay is thousands of small values without a cycle, all freed at the end of the block. Each search would go
    through everything that the process holds, and for long games all of them would take a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _check_matches(
    connection: Connection, span: Span, games: Mapping[int, Sequence[Row]]
) -> Iterator[Finding]:
    """Check that matches are complete and consecutive, and done exactly if all their games are stored."""
    text = "SELECT coalesce(max(next_match_no), 0) FROM progress WHERE league_id = :league"
    counted_to = value(connection, text, league=span.league)
    columns = checked_columns(connection, "match")
    matches = _rows(connection, span, "match", columns, ("checksum",))
    expected = span.start
    for match in matches:
        number, state = match["match_no"], match["state"]

        def finding(text: str, kind: str = "match", at: int = number) -> Finding:
            return Finding(kind, span.name, at, None, f"table match: {text}")

        for missing in range(expected, number):
            yield finding("it is not there; there is a gap in the numbers of matches", at=missing)
        expected = number + 1
        values = [match[name] for name in columns]
        right = match_checksum(values, columns.index("state"))
        stored = match["checksum"]
        if stored is None:
            yield finding("its row has no checksum", "row")
        elif stored // 4 != right // 4:
            yield finding("its row is not what was written", "row")
        elif stored != right:
            was = state_of_match(stored) or f"none of {', '.join(MATCH_STATES)}"
            yield finding(f"its state is {state}, and was {was}", "row")
        games_in = len(games.get(number, ()))
        if state != "void" and (state == "done") != (games_in == match["games"]):
            yield finding(f"it is {state}, with {games_in} of {match['games']} games in")
        if state == "planned" and number < counted_to:
            text = "table progress: the rankings go beyond this match, though it is not finished"
            yield Finding("derived", span.name, number, None, text, Mend.REBUILD)
    for missing in range(expected, span.stop):
        text = "table match: it is not there; there is a gap in the numbers of matches"
        yield Finding("match", span.name, missing, None, text)


@dataclass(slots=True)
class _GameCheck:
    """The rows of one game."""

    league: str
    game: Row
    seats: Mapping[int, Row]
    replay: Row | None
    logs: Mapping[int, Row]
    verified: bytes = b""
    """The digest of the game, once it is found to follow the rules."""

    def rows(self, *, may_lack_replay: bool) -> Iterator[Finding]:
        """Compare all rows with their checksums; `may_lack_replay`: the league no longer keeps this replay."""
        sums = unpacked(self.game["checksums"])
        if sums is None:
            missing = self.game["checksums"] is None
            text = "table game: " + ("its row has no checksums" if missing else "its checksums are damaged")
            yield self._finding("row", text)
            return
        own = {name: value for name, value in self.game.items() if name not in ("pruned", "checksums")}
        if of_row(tuple(own.values())) != sums.game:
            yield self._finding("row", "table game: its row is not what was written")
        for table, rows, right in (("seat", self.seats, sums.seats), ("log", self.logs, sums.logs)):
            for seat, checksum in enumerate(right):
                if wrong := _wrong(rows.get(seat), checksum):
                    yield self._finding(wrong[0], f"table {table}: the row of seat {seat} {wrong[1]}")
            for seat in sorted(set(rows) - set(range(len(right)))):
                yield self._finding("row", f"table {table}: the row of seat {seat} was never written")
        yield from self._replay_row(sums, may_lack_replay=may_lack_replay)

    def _replay_row(self, sums: GameChecksums, *, may_lack_replay: bool) -> Iterator[Finding]:
        pruned = self.game["pruned"]
        if pruned not in (0, 1) or (pruned and self.replay is not None):
            yield self._finding("row", "table game: it is marked as pruned, though its replay is here")
        if self.replay is None and (pruned or may_lack_replay):
            return
        if wrong := _wrong(self.replay, sums.replay):
            yield self._finding(wrong[0], f"table replay: its replay {wrong[1]}")

    def body(self, check_body: CheckBody | None, verified: Verified | None) -> Iterator[Finding]:
        """Check a kept replay against the game's fingerprint, its seats and the rules. Raises RulesMissing."""
        if self.replay is None:
            return
        try:
            text = zlib.decompress(self.replay["body"])
        except (zlib.error, TypeError) as error:
            yield self._finding("fingerprint", f"table replay: its body can't be decompressed ({error})")
            return
        if (found := sha256(text).hexdigest()) != self.game["fingerprint"]:
            yield self._finding(
                "fingerprint",
                f"tables game, replay: the replay's fingerprint is {found}, not {self.game['fingerprint']}",
            )
            return
        stored = _told_by_seats([self.seats[seat] for seat in sorted(self.seats)])
        digest = verified.digest(found, stored) if verified else b""
        if verified and digest in verified.digests:
            self.verified = digest
            return
        try:
            body = msgspec.json.decode(text)
            told = _told_by_body(body)
        except (msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"{type(error).__name__}: {error}"
            yield self._finding("seat", f"table replay: its body has no result ({problem})")
            return
        for what in stored:
            if told[what] != stored[what]:
                text_of = f"table seat: {what} are {stored[what]}, and {told[what]} in the replay"
                yield self._finding("seat", text_of)
        if check_body and (wrong := check_body(body)):
            yield self._finding("rules", f"its replay does not follow the rules: {wrong}")
        elif check_body and told == stored:
            self.verified = digest

    def _finding(self, kind: str, text: str) -> Finding:
        return Finding(kind, self.league, self.game["match_no"], self.game["rotation"], text)


def _wrong(row: Row | None, checksum: int) -> tuple[str, str] | None:
    """Return the kind of what is wrong with a row, and what is; `checksum`: that of the written row, 0 without one."""
    if row is None:
        return ("missing", "is missing") if checksum else None
    if not checksum:
        return ("row", "was never written")
    return None if of_row(tuple(row.values())) == checksum else ("row", "is not what was written")


def _told_by_body(body: Mapping[str, Any]) -> dict[str, Any]:
    faults = {fault["seat"]: (fault["verdict"], fault["at_decision"]) for fault in body["faults"]}
    return {"scores": list(body["scores"]), "ranks": list(body["ranks"]), "faults": faults}


def _told_by_seats(seats: Sequence[Row]) -> dict[str, Any]:
    return {
        "scores": [seat["score"] for seat in seats],
        "ranks": [seat["rank"] for seat in seats],
        "faults": {
            seat["seat"]: (seat["verdict"], seat["at_decision"])
            for seat in seats
            if seat["verdict"] is not None
        },
    }


def _rows(
    connection: Connection, span: Span, table: str, columns: Sequence[str], more: Sequence[str] = ()
) -> list[Row]:
    """Return a table's rows of these matches in key order, as columns with raw values."""
    names = [*columns, *more]
    text = (
        f"SELECT {', '.join(names)} FROM {table} "
        "WHERE league_id = ? AND match_no >= ? AND match_no < ? ORDER BY match_no"
    )
    for column in ("rotation", "seat"):
        text += f", {column}" if column in columns else ""
    found = connection.execute(text, (span.league, span.start, span.stop))
    return [dict(zip(names, row, strict=True)) for row in found]


def _grouped(
    connection: Connection, span: Span, table: str, *key: str, more: Sequence[str] = ()
) -> dict[Any, list[Row]]:
    """Return the rows of these matches by their values in the columns of `key`."""
    rows = _rows(connection, span, table, checked_columns(connection, table), more)
    return {found: list(same) for found, same in groupby(rows, key=itemgetter(*key))}
