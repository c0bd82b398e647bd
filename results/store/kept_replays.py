"""Replays and logs: which ones are kept, and when they can be seen."""

import json
import shlex
import zlib

from results.base.advice import Advice, run
from results.base.errors import MatchUnfinished, ReplayNotKept, StoreDamaged, UnknownGame
from results.records import GameRecord, LogRecord, check_policy, newest_kept
from results.records.query_rows import Replay
from results.store.database import rows, value
from results.store.league_rows import LeaguePart, first_of_final, league_row
from results.store.sqlite_file import Connection

_SHARES = 64
"""Replays beyond the last N are dropped once there is one more for each 64 of them."""


class Replays(LeaguePart):
    """Replays and logs, hidden until all games of their match are stored."""

    def get(self, league: str, match_no: int, rotation: int) -> Replay:
        """Return the replay of a game.

        Raises UnknownGame, MatchUnfinished, ReplayNotKept, StoreDamaged.
        """
        with self._database.reading() as connection:
            name, number, fingerprint = _visible(connection, league, match_no, rotation)
            text = (
                "SELECT body, timing FROM replay "
                "WHERE league_id = :league AND match_no = :match AND rotation = :rotation"
            )
            found = rows(connection, text, league=number, match=match_no, rotation=rotation)
        if not found:
            raise ReplayNotKept(
                f"the replay of {name} was not kept", "`keep_replays` in the league file says which are"
            )
        try:
            body, timing = map(zlib.decompress, found[0])
        except zlib.error as error:
            raise StoreDamaged(f"the replay of {name} is damaged: {error}", "restore a backup") from error
        return Replay(body, timing, fingerprint)

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
        asks = {
            (*game, seat): _last_ask(timing or b"", seat, decisions)
            for *game, seat, decisions, timing in faults
        }
        return {key: ask for key, ask in asks.items() if ask is not None}

    def prune(self, league: str, keep_replays: str) -> int:
        """Drop the stored replays that the policy (`all`, `faults`, `last N`, `none`) wouldn't keep; return how many.

        Games, seats, logs and fingerprints stay, and so do all rankings. Raises BadPolicy.
        """
        check_policy(keep_replays)
        if keep_replays == "all":
            return 0
        with self._changing(league) as (connection, row):
            dropped = "FROM replay WHERE league_id = :league"
            values = {"league": row.id}
            if keep_replays == "faults":
                dropped += (
                    " AND (match_no, rotation) NOT IN "
                    "(SELECT match_no, rotation FROM seat WHERE league_id = :league AND verdict IS NOT NULL)"
                )
            elif newest_kept(keep_replays) is not None:
                newest_out = newest_beyond(connection, row.id, keep_replays)
                if newest_out is None:
                    return 0
                dropped += " AND (match_no, rotation) <= (:last_match, :last_rotation)"
                values |= dict(zip(("last_match", "last_rotation"), newest_out, strict=True))
            # Marked, so that `verify` can tell pruned replays from lost ones.
            keys = f"SELECT match_no, rotation {dropped}"
            marking = (
                f"UPDATE game SET pruned = 1 WHERE league_id = :league AND (match_no, rotation) IN ({keys})"
            )
            connection.execute(marking, values)
            return connection.execute(f"DELETE {dropped}", values).rowcount


def kept(game: GameRecord, policy: str) -> bool:
    """Return whether to store the replay of a game; `last N` stores all and drops old ones later."""
    if policy == "faults":
        return any(seat.verdict is not None for seat in game.seats)
    return policy != "none"


def drop_beyond(connection: Connection, number: int, policy: str, *, fresh: int) -> None:
    """If the policy is `last N`, drop all replays but those of the last N games by match and rotation.

    `fresh` games were just added. Finding the last N takes longer the more they are, so it is done once for so many
    new games as are a small share of N.

    A game that is no longer among the last N never returns to them, so the remaining replays don't depend on the
    order in which games came in, but for those that are still to be dropped.
    """
    last = newest_kept(policy)
    if last is None:
        return
    ((games,),) = rows(connection, "SELECT games_done FROM progress WHERE league_id = :league", league=number)
    step = max(1, last // _SHARES)
    if games <= last or games // step == (games - fresh) // step:
        return
    if (newest_out := newest_beyond(connection, number, policy)) is not None:
        text = "DELETE FROM replay WHERE league_id = ? AND (match_no, rotation) <= (?, ?)"
        connection.execute(text, (number, *newest_out))


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
