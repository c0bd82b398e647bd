"""A process of Arena that gets its orders through a pipe, because command lines can be read by everybody.

It ends with this pipe, so it ends with the process that started it, however that ends.
"""

import contextlib
import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from arena.executors.cluster.identity import Identity


class HostOrders(Struct, frozen=True, kw_only=True):
    """Read by a host from its standard input, because command lines can be read by everybody."""

    scheduler: str
    """Its address."""
    identity: Identity
    slots: int
    """How many games it plays at a time."""
    name: str
    folder: str
    """For versions and temporary files; it is the host's own."""
    private: tuple[str, ...] = ()
    """More folders that no bot may see."""
    listens_on: str = ""
    """The address under which the scheduler reaches it; empty: that from which it reaches the scheduler."""
    may_be_unconfined: bool = False
    """Whether it plays with a weaker sandbox, where the league leaves that open."""
    is_quiet: bool = False
    """Whether it says only what is wrong."""
    cache_bytes: int = 2**31
    """Size of all versions that it keeps."""
    first_core: int = 0
    """The core of its first slot, where several hosts share a machine."""
    hang_s: float = 60.0
    """Kill the process that plays if it has said nothing for so long."""


PR_SET_DUMPABLE = 4


def hide_memory() -> None:
    """Keep other processes of this account from reading what this one has in memory, such as a key."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)


class Child:
    """Such a process. Raises OSError if the machine refuses it."""

    def __init__(
        self, module: str, *, listens: bool = False, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start a module in a session of its own, out of reach of the terminal's Ctrl-C.

        `listens`: whether its standard output is read, from `reading`; otherwise it is thrown away. `environment` is
        added to that of this process.
        """
        self.reading = -1
        theirs_in, self.writing = os.pipe()
        theirs_out = os.open(os.devnull, os.O_WRONLY)
        if listens:
            os.close(theirs_out)
            self.reading, theirs_out = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module],
                stdin=theirs_in,
                stdout=theirs_out,
                # The packages may be on a path that only this process knows.
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(str(Path(part).absolute()) for part in sys.path),
                    **(environment or {}),
                },
                start_new_session=True,
            )
        except OSError:
            self.let_go()
            if self.reading >= 0:
                os.close(self.reading)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def send(self, content: bytes) -> None:
        """Write to its standard input; nothing happens if it has ended."""
        with contextlib.suppress(OSError):
            while content and self.writing >= 0:
                content = content[os.write(self.writing, content) :]

    def let_go(self) -> None:
        """Let it end, by the end of its standard input."""
        writing, self.writing = self.writing, -1
        if writing >= 0:
            os.close(writing)
