"""Locks that we hold on what all bots share and no overlay can give them twice.

Devices, the files of namespaces that are nobody's own, and the one inode behind all event descriptors can be opened by
every bot, and what can be opened can be locked. While we hold a shared lock on each of them, nobody gets an exclusive
one, everybody gets a shared one, and whoever asks who holds a lock is told of ours, which is the oldest. So a lock of a
bot tells no other anything.
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
"""struct flock of a 64-bit Linux."""


class HeldLocks:
    """Our locks. A context manager; hold them as long as any bot lives that may lock files."""

    def __init__(self) -> None:
        """Take the locks; what bots could not open either is left out."""
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
        """Let go of the locks. May be called twice."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()

    def _hold(self, descriptor: int) -> None:
        self._descriptors.append(descriptor)
        # Where somebody else has an exclusive lock, ours can't be had, and theirs does the same.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        # Not the kind that is lost as soon as this process closes any descriptor of the same inode.
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
