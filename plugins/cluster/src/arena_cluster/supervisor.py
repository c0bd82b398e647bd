"""One host, from when it joins a cluster until it leaves: keeps its Dask worker going (`arena host --join`).

`python -m arena_cluster.supervisor` gets its orders from its parent, and ends with it.
"""

import contextlib
import fcntl
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from arena.config.settings import executor_settings
from arena.core.errors import UsageError
from arena_cluster import ClusterSettings, identity
from arena_cluster.dask_worker import LEAVE, REFUSED
from arena_cluster.messages import HostOrders
from results.base.children import Child, Pauses, module, to_parent
from results.base.permissions import caches

LEAST_PAUSE_S = 1.0
MOST_PAUSE_S = 30.0
"""Bounds of the pause before the worker is started again."""
SOUND_S = 5.0
"""After a worker has lived for so long, the pauses begin at the shortest again."""
LOCK = "host.lock"


class JoinedHost:
    """Keeps the worker of a host going."""

    def __init__(self, orders: HostOrders, say: Callable[[str], None]) -> None:
        """`say` prints a line for people."""
        self._orders = orders
        self._say = say
        self._over = Event()
        self._worker: Child[str] | None = None

    def stay(self) -> int:
        """Play until the host leaves or is refused; return the exit code of the command."""
        identity.hide_memory()
        pauses = Pauses(LEAST_PAUSE_S, MOST_PAUSE_S, SOUND_S)
        Path(self._orders.folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        while not self._over.is_set():
            pauses.begin()
            code = self._worker_once()
            if code == REFUSED:
                return 1
            if self._over.is_set():
                break
            pause_s = pauses.next_s()
            if not self._orders.is_quiet:
                self._say(f"joining again in {pause_s:.0f} s")
            self._over.wait(pause_s)
        return 0

    def leave(self) -> None:
        """Finish the games being played, then leave; a second call ends at once."""
        if self._over.is_set():
            self.end()
        self._over.set()
        if self._worker is not None:
            self._worker.send(LEAVE)

    def leave_unless_leaving(self) -> None:
        """Finish the games being played, then leave, unless it does so already."""
        if not self._over.is_set():
            self.leave()

    def end(self) -> None:
        """End at once."""
        self._over.set()
        if self._worker is not None:
            self._worker.close()

    def _worker_once(self) -> int:
        """Start the worker, and wait for its end; return its exit code."""
        worker: Child[str] = Child(module("arena_cluster.dask_worker"), str)
        self._worker = worker
        worker.send(self._orders)
        if self._over.is_set():
            worker.close()
        worker.listen(self._say).join()
        code = worker.process.wait()
        worker.close_reading()
        return code


def identity_in(certificates: Path | None) -> tuple[identity.Identity, Path]:
    """Return the identity in a folder (or in that of the settings file), and the folder. Raises UsageError."""
    given = certificates or Path(executor_settings("cluster", ClusterSettings).certificates or "")
    if given == Path():
        raise identity.needs_certificates()
    folder = given.expanduser().resolve()
    return identity.read_identity(folder), folder


@contextlib.contextmanager
def free_folder(given: Path | None) -> Iterator[Path]:
    """Yield the folder of this host, its own meanwhile. Raises UsageError if other hosts use or accounts can use it."""
    folder = (given or caches() / "host").absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        state = folder.stat()
        if state.st_uid != os.geteuid() or stat.S_IMODE(state.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
            raise UsageError(
                f"{folder} is open to other accounts, who could read and replace bots there",
                "name a folder of this account alone: --folder FOLDER; or chmod 700 it",
            )
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        is_file = isinstance(error, FileExistsError) and folder.is_file()
        why = "is a file, not a folder" if is_file else f"can't be used: {error.strerror}"
        raise UsageError(f"{folder} {why}", "name another folder: --folder FOLDER") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    except BlockingIOError:
        raise UsageError(f"another host uses {folder}", "name another folder: --folder FOLDER") from None
    finally:
        os.close(lock)


def main() -> None:
    """Join for the parent, and end with it."""
    parent = to_parent(HostOrders)
    orders = parent.receive()
    if orders is None:
        return
    host = JoinedHost(orders, lambda line: print(f"{orders.name}: {line}", file=sys.stderr, flush=True))
    parent.listen(at_end=host.end)
    raise SystemExit(host.stay())


if __name__ == "__main__":
    main()
