"""The host agent: the process that plays on a host, with a guardian of its own: `python -m arena_cluster.agent`.

It gets the work and units of tickets from its parent, and sends back results. When its parent ends, for whatever
reason, it ends everything.
"""

import contextlib
import fcntl
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import msgspec
from msgspec import structs
from msgspec.structs import replace

from arena.config.settings import read_runtimes
from arena.core.errors import ArenaError, MachineRefuses
from arena.core.ticket import Ticket, WorkEntry
from arena.executors.base import Lost, Stop, WorkersRefused
from arena.executors.processes import ProcessExecutor
from arena.league.running import work_units
from arena.league.running.local_games import EntryPrograms, prepare
from arena.players.pool import HostRefusal
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.machine_shortage import refusal
from arena.sandbox.runtimes import Runtimes
from arena.submissions.folder import content_hash, keep, read_files
from arena.submissions.version_files_by_hash import KeptVersions, checked_hash, files_of_version
from arena_cluster import sessions
from arena_cluster.messages import Unit, unpack
from results.base.children import Failed, Pipe, Unreadable, failed, to_parent
from results.records import GameRecord

SIGN_OF_LIFE_S = 1.0
END_S = 20.0
"""After its input has ended it has so long to end in order; then only its guardian cleans up."""
LOCK = "agent.lock"
VERSIONS = "versions"


class VersionCache:
    """A folder of versions. Only one process at a time may use it."""

    def __init__(self, place: Path, most_bytes: int) -> None:
        """Use a folder, which is created. Raises OSError."""
        self.place = place
        self._most_bytes = most_bytes
        self._checked: set[str] = set()
        """Those of this session: they are used, and stay."""
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in place.glob(".*"):  # of a process that was killed while it wrote
            remove_tree(path)

    def __len__(self) -> int:
        return sum(1 for path in self.place.iterdir() if not path.name.startswith("."))

    def has(self, sha256: str) -> bool:
        """Return whether a version is here, and still has its hash; remove it if not."""
        name = checked_hash(sha256)
        folder = self.place / name
        if name in self._checked:
            return True
        if not folder.is_dir():
            return False
        try:
            is_whole = content_hash(read_files(folder, kept=True)) == name
        except (ArenaError, OSError):
            is_whole = False
        if not is_whole:
            remove_tree(folder)
            return False
        with suppress(OSError):
            os.utime(folder)
        self._checked.add(name)
        return True

    def put(self, sha256: str, packed: bytes) -> None:
        """Keep a version. Raises ArenaError if it isn't the one with this hash, and OSError."""
        name = checked_hash(sha256)
        files = files_of_version(name, packed)
        self._make_room(len(packed))
        keep(files, self.place / name)
        self._checked.add(name)

    def _make_room(self, needed: int) -> None:
        """Remove the versions that were not used for the longest time, but none of this session."""
        kept = []
        for path in self.place.iterdir():
            with suppress(OSError):
                kept.append((path.stat().st_mtime, _bytes_in(path), path))
        total = needed + sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= self._most_bytes:
                return
            if path.name not in self._checked:
                remove_tree(path)
                total -= size


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


class Queues:
    """The tickets that the agent has, by slot. The `TicketSource` of its executor, and what knows their numbers.

    Slots get the executor's worker numbers in the order in which they first have a ticket. `take` waits while nothing
    is played, as the executor would otherwise end.
    """

    def __init__(self, pipe: Pipe[sessions.ToAgent], stop: Stop) -> None:
        self._pipe = pipe
        self._stop = stop
        self._queues: dict[int, deque[tuple[int, Ticket]]] = {}
        """By worker number."""
        self._worker_of: dict[int, int] = {}
        """By slot."""
        self._taken: dict[int, dict[int, Ticket]] = {}
        """By worker number: what it has taken and not returned, by the number of the ticket."""
        self._where: dict[tuple[str, int, int], tuple[int, int]] = {}
        """By the key of a taken ticket: the worker that has it, and its number."""
        self._changed = Condition()
        self._told: tuple[int, ...] = ()
        self._told_s = 0.0
        self.versions = 0

    def add(self, slot: int, numbered: Iterable[tuple[int, Ticket]]) -> None:
        """Add tickets for a slot."""
        with self._changed:
            worker_no = self._worker_of.setdefault(slot, len(self._worker_of))
            self._queues.setdefault(worker_no, deque()).extend(numbered)
            self._changed.notify()

    def wake(self) -> None:
        """Let `take` look whether it should stop."""
        with self._changed:
            self._changed.notify()

    def take(self, most: int, worker_no: int) -> list[Any]:
        """Return tickets for a worker; wait for some if no worker has any."""
        with self._changed:
            while not any(self._taken.values()) and not any(self._queues.values()):
                if self._stop.after_game or self._stop.at_once:
                    return []
                self._tell()
                self._changed.wait(SIGN_OF_LIFE_S)
            if self._stop.after_game or self._stop.at_once:
                return []
            queue = self._queues.get(worker_no)
            if not queue:
                return []
            taken = self._taken.setdefault(worker_no, {})
            found = [queue.popleft() for _ in range(min(most, len(queue)))]
            taken.update(found)
            self._where.update((ticket.key, (worker_no, number)) for number, ticket in found)
            self._tell()
            return [ticket for _, ticket in found]

    def returned(self, results: Iterable[Any]) -> list[sessions.Result]:
        """Return results with the numbers of their tickets."""
        told = []
        with self._changed:
            for result in results:
                worker_no, number = self._where.pop(_key_of(result))
                del self._taken[worker_no][number]
                is_fault = isinstance(result, work_units.Failure | Lost)
                told.append(sessions.Result(number, work_units.pack_results([result]), is_fault))
            self._tell()
        return told

    def _tell(self) -> None:
        """Say what is played now, if that has changed, or as a sign of life."""
        playing = tuple(next(iter(taken)) for taken in self._taken.values() if taken)
        now_s = time.monotonic()
        if playing != self._told or now_s > self._told_s + SIGN_OF_LIFE_S:
            self._told, self._told_s = playing, now_s
            self._pipe.send(sessions.Playing(playing, self.versions))


def _key_of(result: GameRecord | work_units.Excused | work_units.Failure | Lost) -> tuple[str, int, int]:
    if isinstance(result, GameRecord):
        return result.league, result.match_no, result.rotation
    key: tuple[str, int, int] = result.ticket.key
    return key


class Reader:
    """Reads what the worker sends, in a thread, and sees that versions are here before their tickets are played."""

    def __init__(
        self,
        pipe: Pipe[sessions.ToAgent],
        work: work_units.GameWork,
        cache: VersionCache,
        runtimes: Runtimes,
        queues: Queues,
        stop: Stop,
    ) -> None:
        self._pipe = pipe
        self._work = work
        self._cache = cache
        self._queues = queues
        self._stop = stop
        self._waiting: deque[tuple[Unit, list[list[Ticket]], set[str]]] = deque()
        """Units in the order received, with the versions that each still needs."""
        self._programs = EntryPrograms({}, KeptVersions(cache.place), runtimes)
        self._seen: set[int] = set()
        """The entries whose programs were looked for."""
        self._asked_for: set[str] = set()
        self._refused: set[str] = set()

    def begin(self) -> None:
        """Start the thread."""
        Thread(target=self._read, name="reader", daemon=True).start()

    def _read(self) -> None:
        try:
            while (message := self._pipe.receive()) is not None:
                if isinstance(message, sessions.Play):
                    self._add(unpack(message.unit, Unit))
                elif isinstance(message, sessions.Version):
                    self._keep(message)
                elif isinstance(message, sessions.Finish):
                    self._stop.after_game = True
                    self._queues.wake()
        except (ArenaError, Unreadable, msgspec.DecodeError):
            traceback.print_exc()
        self._stop.at_once = True
        self._queues.wake()
        time.sleep(END_S)
        os._exit(1)

    def _add(self, unit: Unit) -> None:
        tickets = [work_units.unpack_tickets(slot.tickets) for slot in unit.slots]
        needed = set()
        for _, entry in self._entries_of(chain.from_iterable(tickets)):
            # Of a version that can't be had, the games fail because of the platform.
            if entry.sha256 not in self._refused and not self._cache.has(entry.sha256):
                needed.add(entry.sha256)
        missing = needed - self._asked_for
        self._asked_for |= needed
        self._waiting.append((unit, tickets, needed))
        self._pipe.send(*(sessions.Needs(sha256) for sha256 in sorted(missing)))
        self._release()

    def _keep(self, version: sessions.Version) -> None:
        try:
            if not version.why_not:
                self._cache.put(version.sha256, version.content)
        except (ArenaError, OSError) as error:
            version = structs.replace(version, why_not=str(error))
        if version.why_not:
            self._refused.add(version.sha256)
            print(f"version {version.sha256[:12]} cannot be had: {version.why_not}", file=sys.stderr)
        self._queues.versions = len(self._cache)
        for _, _, missing in self._waiting:
            missing.discard(version.sha256)
        self._release()

    def _release(self) -> None:
        """Hand on the units at the front that need nothing more."""
        while self._waiting and not self._waiting[0][2]:
            unit, tickets, _ = self._waiting.popleft()
            try:
                self._look_for_programs(chain.from_iterable(tickets))
            except HostRefusal as error:
                self._pipe.send(sessions.WorkRefused(str(error), ""))
                self._stop.after_game = True
                self._queues.wake()
                return
            for slot, found in zip(unit.slots, tickets, strict=True):
                self._queues.add(slot.slot, zip(slot.numbers, found, strict=True))

    def _look_for_programs(self, tickets: Iterable[Ticket]) -> None:
        """Raise HostRefusal if this host can't play an entry: another host may, so no game of it fails here."""
        for entry_no, entry in self._entries_of(tickets):
            if entry_no not in self._seen and entry.sha256 not in self._refused:
                self._programs.admit(entry_no, entry)
                self._programs[entry_no]
                self._seen.add(entry_no)

    def _entries_of(self, tickets: Iterable[Ticket]) -> Iterator[tuple[int, WorkEntry]]:
        """Yield the entries that the work or the tickets know, by number."""
        for ticket in tickets:
            newcomers = dict(ticket.newcomers)
            for entry_no in ticket.entries:
                if entry := self._work.entries.get(entry_no) or newcomers.get(entry_no):
                    yield entry_no, entry


def play(pipe: Pipe[sessions.ToAgent], begin: sessions.Begin) -> None:
    """Play what comes through the pipe until it ends, or `Finish` comes."""
    folder = Path(begin.folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.ExitStack() as opened:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        opened.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the guardian of the last agent has cleaned up
        cache = VersionCache(folder / VERSIONS, begin.cache_bytes)
        work = work_units.unpack_work(begin.work)
        if work.wanted.sandbox == "auto" and not begin.may_be_unconfined:
            work = structs.replace(work, wanted=replace(work.wanted, sandbox="require"))
        private = (folder.resolve(), *map(Path, begin.private))
        runtimes = read_runtimes(private)
        prepared, report = prepare(work, KeptVersions(cache.place), runtimes, private)
        pipe.send(sessions.Ready(report.level.word, len(cache)))
        stop = Stop()
        queues = Queues(pipe, stop)
        queues.versions = len(cache)
        Reader(pipe, work, cache, runtimes, queues, stop).begin()
        executor = ProcessExecutor(begin.slots, name=begin.name, first_core=begin.first_core)
        for chunk in executor.run(prepared, queues, stop, held=(lock,)):
            pipe.send(*queues.returned(chunk))


def main() -> None:
    """Play for the worker that is the parent."""
    pipe = to_parent(sessions.ToAgent, sessions.MOST_BYTES)
    begin = pipe.receive()
    if not isinstance(begin, sessions.Begin):
        return
    try:
        play(pipe, begin)
    except (MachineRefuses, WorkersRefused) as error:
        pipe.send(failed(error))
    except ArenaError as error:
        pipe.send(sessions.WorkRefused(str(error), error.hint))
    except Exception as error:  # noqa: BLE001 - the runner is told, and no bot is blamed
        found = refusal(error)
        if found is None:
            traceback.print_exc()
        words = (found.what, found.remedy) if found else (f"{type(error).__name__}: {error}", "")
        pipe.send(Failed(*words))
    pipe.close()


if __name__ == "__main__":
    main()
