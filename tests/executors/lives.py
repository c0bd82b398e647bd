"""Work that writes down which processes lived in a worker during which game, and looks who still lives at the next.

What it finds is in a file, shared by all workers: a line for each process that has played a game or was kept in the
meantime, and one for each that still lived when another game of the same match began.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.core.game import AnyGame
from arena.core.ticket import Ticket
from arena.league.running.local_games import GamePlaying, PreparedGames
from arena.players.base import Player
from arena.referee.transcript import Entrant
from arena.sandbox.survivors import find_marked
from results.records import GameRecord


class WatchedWork(PreparedGames, frozen=True):
    """The work of a league whose processes are written down in `file`."""

    file: Path = Path()

    def open(self, worker: str, token: str, *, own_process: bool) -> GamePlaying:
        playing = GamePlaying(self, worker, token, own_process=own_process)
        playing._referee = _Witness(playing, self.file)  # type: ignore[assignment]  # all of a referee that is used
        return playing


def watched(work: PreparedGames, file: Path) -> WatchedWork:
    """Return the same work, watched."""
    file.touch()
    return WatchedWork(**{name: getattr(work, name) for name in work.__struct_fields__}, file=file)


def lived_too_long(file: Path) -> list[str]:
    """Return what was found that should not be."""
    return [line for line in file.read_text().splitlines() if line.startswith("ALIVE")]


def processes(file: Path) -> set[str]:
    """Return all processes that have played or were kept."""
    return {line.split(maxsplit=2)[2] for line in file.read_text().splitlines() if line.startswith("played")}


class _Witness:
    """A referee that looks around before each game, and writes down after it who has played or was kept."""

    def __init__(self, playing: GamePlaying, file: Path) -> None:
        self._playing = playing
        self._referee = playing._referee
        self._file = file
        self.worker = self._referee.worker

    def play(
        self, game: AnyGame, players: Sequence[Player], entrants: Sequence[Entrant], ticket: Ticket
    ) -> GameRecord:
        self._look(ticket)
        try:
            return self._referee.play(game, players, entrants, ticket)
        finally:
            self._write_down(ticket)

    def _look(self, ticket: Ticket) -> None:
        """Look for whoever lives of those who lived in another game of the match, and for such a game under way."""
        with self._file.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            begun, alive = set(), []
            for line in file.read().splitlines():
                what, match, *rest = line.split()
                if match != str(ticket.match_no):
                    continue
                if what == "begun":
                    begun.add((rest[0], rest[1]))
                elif what == "over":
                    begun.discard((rest[0], rest[1]))
                elif what == "played" and _started(int(rest[0])) == rest[1]:
                    alive.append(f"ALIVE {match} {rest} before rotation {ticket.rotation} on {self.worker}")
            for rotation, pid in begun:
                if _started(int(pid)):
                    alive.append(f"ALIVE {match} rotation {rotation} is being played by {pid}")
            file.writelines(f"{line}\n" for line in alive)
            file.write(f"begun {ticket.match_no} {ticket.rotation} {os.getpid()}\n")

    def _write_down(self, ticket: Ticket) -> None:
        pool: Any = self._playing._pool
        pids = [
            pid
            for process in [*pool._playing.values(), *(kept for _, kept in pool._idle)]
            for pid in {process.pid, *find_marked(f"{pool._token}/{process._place.name}")}
        ]
        lines = [f"played {ticket.match_no} {pid} {_started(pid)}\n" for pid in pids if _started(pid)]
        with self._file.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.writelines([*lines, f"over {ticket.match_no} {ticket.rotation} {os.getpid()}\n"])


def _started(pid: int) -> str:
    """Return when a living process was started, as the system counts; empty: it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in b"ZX" else fields[19].decode()
