"""Other processes that hold the lock of a store."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from results.store import holding


class Holder:
    """A fork that holds the lock until it is let go of or killed."""

    def __init__(self, store: Path, does: str, beside: Callable[[int], None] = lambda _: None) -> None:
        """Return once the lock is held. `beside` is called in the fork with the lock's descriptor."""
        held, tells = os.pipe()
        waits, self._release = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            code = 1
            try:
                os.close(held)
                os.close(self._release)
                with holding(store, does) as lock:
                    beside(lock)
                    os.write(tells, b"held")
                    os.read(waits, 1)
                code = 0
            finally:
                os._exit(code)
        os.close(tells)
        os.close(waits)
        with os.fdopen(held, "rb") as told:
            words = told.read(4)
        self.returncode: int | None = None
        if words != b"held":
            self.end()
        assert words == b"held"

    def kill(self) -> None:
        """Kill it, and reap it."""
        os.kill(self.pid, signal.SIGKILL)
        self.end()

    def end(self) -> None:
        """Have it let go of the lock, and wait for its end."""
        os.close(self._release)
        self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@contextmanager
def held_elsewhere(store: Path, does: str) -> Iterator[Holder]:
    """Have another process hold the lock."""
    holder = Holder(store, does)
    try:
        yield holder
    finally:
        if holder.returncode is None:
            holder.kill()
