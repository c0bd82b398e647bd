"""Locks that we hold on files that all bots share and that overlays can't duplicate.

Every bot can open, and therefore lock, devices, the files of shared namespaces, and the single inode behind all event
descriptors. While we hold a shared lock on each of them, no bot gets an exclusive lock, every bot gets a shared one,
and asking who holds a lock always names ours, which is the oldest. So bots can't use locks on them to exchange
messages.
"""

import contextlib
import fcntl
import os
import struct
from pathlib import Path

from arena.sandbox.survivors import IS_LINUX

DEVICES = tuple(Path("/dev") / name for name in ("full", "null", "random", "tty", "urandom", "zero"))
"""The devices of the host that bubblewrap shows to bots."""
NAMESPACES = Path("/proc/self/ns")
_WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0) if IS_LINUX else b""
"""struct flock on 64-bit Linux."""


class HeldLocks:
    """Our locks. A context manager; hold them as long as any bot that may lock files is alive."""

    def __init__(self) -> None:
        """Take the locks. Skips files that we, and therefore bots, can't open."""
        self._descriptors: list[int] = []
        for path in (*DEVICES, *sorted(NAMESPACES.iterdir())):
            with contextlib.suppress(OSError):
                self._hold(os.open(path, os.O_RDONLY | os.O_NOCTTY))
        self._hold(os.eventfd(0))

    def __enter__(self) -> "HeldLocks":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the locks. May be called twice."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()

    def _hold(self, descriptor: int) -> None:
        self._descriptors.append(descriptor)
        # Fails if another process has an exclusive lock, which serves the same purpose.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        # Not F_SETLK: such a lock is lost as soon as this process closes any descriptor of the same inode.
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
