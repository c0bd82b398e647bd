"""Replays and logs: which ones are kept, and when they can be seen."""

import json
import shlex
import zlib
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from results.base.advice import Advice, run
from results.base.errors import MatchUnfinished, ReplayNotKept, SegmentDamaged, StoreDamaged, UnknownGame
from results.records import GameRecord, LogRecord, check_policy, newest_kept
from results.records.query_rows import Replay
from results.store.database import named_rows, rows, value
from results.store.league_rows import LeaguePart, first_of_final, league_row
from results.store.segments.files import Segment
from results.store.segments.lookup import remove_files, replay_in_segments, rows_in, segments_of
from results.store.segments.moving_replays import Pruned, drop_older, prune
from results.store.sqlite_file import Connection

_SHARES = 64
"""Replays beyond the last N are dropped once there is one more for each 64 of them."""


class Replays(LeaguePart):
    """Replays and logs, hidden until all games of their match are stored."""

    def get(self, league: str, match_no: int, rotation: int) -> Replay:
        """Return the replay of a game.

        Raises UnknownGame, MatchUnfinished, ReplayNotKept, SegmentAway, StoreDamaged.
        """
        with self._database.reading() as connection:
            name, number, fingerprint = _visible(connection, league, match_no, rotation)
            text = (
                "SELECT body, timing FROM replay "
                "WHERE league_id = :league AND match_no = :match AND rotation = :rotation"
            )
            found = named_rows(connection, text, league=number, match=match_no, rotation=rotation)
            row: Any = found[0] if found else None
            if row is None:
                row = replay_in_segments(self._database, connection, number, match_no, rotation, name)
        if row is None:
            raise ReplayNotKept(
                f"the replay of {name} was not kept", "`keep_replays` in the league file says which are"
            )
        try:
            return Replay(zlib.decompress(row.body), zlib.decompress(row.timing), fingerprint)
        except zlib.error as error:
            raise StoreDamaged(f"the replay of {name} is damaged: {error}", "restore a backup") from error

    def check_visible(self, league: str, match_no: int, rotation: int) -> None:
        """Raise MatchUnfinished if a game can't be seen yet: its hands, logs, notes, questions and seeds.

        All rotations of a match share a deal, and so may several matches. So this holds until all games on the deal are
        in. Raises UnknownGame.
        """
        with self._database.reading() as connection:
            _visible(connection, league, match_no, rotation)

    def logs(self, league: str, match_no: int, rotation: int) -> tuple[LogRecord, ...]:
        """Return what bots wrote to standard error, by seat. Raises UnknownGame, MatchUnfinished."""
        with self._database.reading() as connection:
            _, number, _ = _visible(connection, league, match_no, rotation)
            text = (
                "SELECT seat, head, tail, dropped_bytes FROM log "
                "WHERE league_id = ? AND match_no = ? AND rotation = ? ORDER BY seat"
            )
            found = connection.execute(text, (number, match_no, rotation))
            return tuple(LogRecord(*row) for row in found)

    def asks_at_fault(self, league: str, *, entry_no: int | None = None) -> dict[tuple[int, int, int], int]:
        """Return the id of the ask in which a seat was at fault, by match, rotation and seat, if known."""
        text = (
            "SELECT match_no, rotation, seat, decisions, timing "
            "FROM seat LEFT JOIN replay USING (league_id, match_no, rotation) "
            f"WHERE league_id = :league AND verdict > '' {'' if entry_no is None else 'AND entry_no = :entry'}"
        )
        with self._reading(league) as (connection, row):
            faults = rows(connection, text, league=row.id, entry=entry_no)
            away = {(match_no, rotation) for match_no, rotation, _, _, timing in faults if timing is None}
            timings = self._timings(connection, row.id, away)
        asks = {
            (*game, seat): _last_ask(timing or timings.get(tuple(game), b""), seat, decisions)
            for *game, seat, decisions, timing in faults
        }
        return {key: ask for key, ask in asks.items() if ask is not None}

    def _timings(
        self, connection: Connection, league: int, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], bytes]:
        """Return the timings of those of some games, (match, rotation), that are in segments that are here."""
        found = {}
        for segment in segments_of(connection, league, min(keys)[0], max(keys)[0]) if keys else ():
            with suppress(FileNotFoundError, SegmentDamaged):
                there = rows_in(self._database, segment, league, keys, "match_no, rotation, timing")
                found.update({(match_no, rotation): timing for match_no, rotation, timing in there})
        return found

    def prune(self, league: str, keep_replays: str) -> Pruned:
        """Drop the stored replays that the policy (`all`, `faults`, `last N`, `none`) wouldn't keep; return which.

        Games, seats, logs and fingerprints stay, and so do all rankings. Segments that keep some replays are written
        anew. Raises BadPolicy, and SegmentDamaged for a segment that can't be read; then nothing has changed.
        """
        check_policy(keep_replays)
        pruned = self._prune(league, keep_replays)
        remove_files(self._database, pruned.gone)
        return pruned

    def _prune(self, league: str, keep_replays: str) -> Pruned:
        with self._changing(league) as (connection, row):
            dropped = "FROM replay WHERE league_id = :league"
            values = {"league": row.id}
            newest_out = None
            if keep_replays == "all":
                return Pruned()
            if keep_replays == "faults":
                dropped += (
                    " AND (match_no, rotation) NOT IN "
                    "(SELECT match_no, rotation FROM seat WHERE league_id = :league AND verdict IS NOT NULL)"
                )
            elif newest_kept(keep_replays) is not None:
                newest_out = newest_beyond(connection, row.id, keep_replays)
                if newest_out is None:
                    return Pruned()
                dropped += " AND (match_no, rotation) <= (:last_match, :last_rotation)"
                values |= dict(zip(("last_match", "last_rotation"), newest_out, strict=True))
            # Marked, so that `verify` can tell pruned replays from lost ones.
            keys = f"SELECT match_no, rotation {dropped}"
            marking = (
                f"UPDATE game SET pruned = 1 WHERE league_id = :league AND (match_no, rotation) IN ({keys})"
            )
            connection.execute(marking, values)
            from_store = connection.execute(f"DELETE {dropped}", values).rowcount
            pruned = prune(
                self._database, connection, row.id, newest_out, only_faults=keep_replays == "faults"
            )
            pruned.replays += from_store
            return pruned


def kept(game: GameRecord, policy: str) -> bool:
    """Return whether to store the replay of a game; `last N` stores all and drops old ones later."""
    if policy == "faults":
        return any(seat.verdict is not None for seat in game.seats)
    return policy != "none"


def drop_beyond(connection: Connection, number: int, policy: str, *, fresh: int) -> list[Segment]:
    """If the policy is `last N`, drop all replays but those of the last N games by match and rotation.

    `fresh` games were just added. Finding the last N takes longer the more they are, so it is done once for so many
    new games as are a small share of N.

    A game that is no longer among the last N never returns to them, so the remaining replays don't depend on the
    order in which games came in, but for those that are still to be dropped. A segment goes as a whole, with the last
    of its replays that goes; return those whose files are to be removed once that is committed.
    """
    last = newest_kept(policy)
    if last is None:
        return []
    ((games,),) = rows(connection, "SELECT games_done FROM progress WHERE league_id = :league", league=number)
    step = max(1, last // _SHARES)
    if games <= last or games // step == (games - fresh) // step:
        return []
    newest_out = newest_beyond(connection, number, policy)
    if newest_out is None:
        return []
    text = "DELETE FROM replay WHERE league_id = ? AND (match_no, rotation) <= (?, ?)"
    connection.execute(text, (number, *newest_out))
    return drop_older(connection, number, newest_out)


def newest_beyond(connection: Connection, number: int, policy: str) -> tuple[int, int] | None:
    """Return (match_no, rotation) of the newest game whose replay `last N` drops; None if there is none."""
    kept = newest_kept(policy)
    if kept is None:
        return None
    text = (
        "SELECT match_no, rotation FROM game WHERE league_id = :league "
        "ORDER BY match_no DESC, rotation DESC LIMIT 1 OFFSET :kept"
    )
    return next(iter(rows(connection, text, league=number, kept=kept)), None)


def _last_ask(timing: bytes, seat: int, decisions: int) -> int | None:
    """Return the id of a seat's last ask if it was at fault in it; None if not, or if it isn't stored."""
    try:
        facts = json.loads(zlib.decompress(timing))
        first = facts["first_asks"][seat]
        at_fault = any(one["seat"] == seat for one in facts["refused"])
        return first + decisions - 1 if at_fault else None
    except (zlib.error, ValueError, KeyError, TypeError, IndexError):  # an older game, or a damaged one
        return None


def _visible(connection: Connection, league: str, match_no: int, rotation: int) -> tuple[str, int, str]:
    """Return the game's name, its league's number and its fingerprint, if its replay is visible."""
    row = league_row(connection, league)
    number = row.id
    name = f"game {row.name}/{match_no}.{rotation}"
    text = (
        "SELECT fingerprint, state, deal_no, round_no FROM game JOIN match USING (league_id, match_no) "
        "WHERE game.league_id = ? AND game.match_no = ? AND rotation = ?"
    )
    found = connection.execute(text, (number, match_no, rotation)).fetchone()
    if found is None:
        listing = run("replay list", shlex.quote(row.name))
        raise UnknownGame(f"{name} is not in the ledger", Advice(listing, " shows those that are"))
    fingerprint, state, deal_no, round_no = found
    still_open = (
        match_no if state == "planned" else None if deal_no is None else _open_on(connection, number, deal_no)
    )
    if still_open is not None:
        raise MatchUnfinished(
            f"{name} can't be seen yet: match {still_open} is still being played, on the same deal",
            "try again when all games on this deal are finished",
        )
    if (first := first_of_final(row)) is not None and round_no >= first:
        raise MatchUnfinished(
            f"{name} can't be seen yet: it is of the final, whose deals are hidden until the league is over",
            "try again when the league is finished",
        )
    return name, number, fingerprint


def _open_on(connection: Connection, number: int, deal_no: int) -> int | None:
    """Return the first unfinished match on a deal that several share; None without one. All were planned at once."""
    text = (
        "SELECT min(match_no) FROM match JOIN progress USING (league_id) WHERE league_id = :league "
        "AND match_no >= max(:deal, next_match_no) AND deal_no = :deal AND state = 'planned'"
    )
    found: int | None = value(connection, text, league=number, deal=deal_no)
    return found
