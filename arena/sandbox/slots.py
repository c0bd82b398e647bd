"""Slots: numbers of bots that live at the same time on one machine, so that no two of root's share an account.

A slot is held by a lock on a file, which ends with the process that holds it, whatever ends that.
"""

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from arena.sandbox.survivors import BOT_UIDS

PROBE_SLOT = len(BOT_UIDS) - 1
"""The probe's own: its program touches nothing and is gone in a moment."""
FOLDER = Path("/run/arena-slots")


class Slots:
    """The slots that one process holds: numbers, and for root's bots accounts, that no two living bots share.

    A number that was given back is taken again first, so that few numbers are ever in use.
    """

    def __init__(self, *, distinct: bool, folder: Path = FOLDER) -> None:
        """`distinct` says whether no other process of this machine may have them, as it is with root's accounts."""
        self._folder = folder if distinct else None
        self._free: list[int] = []
        self._locks: dict[int, int] = {}
        self._next = os.getpid() % PROBE_SLOT if distinct else 0  # so that processes seldom try each other's

    def take(self) -> int:
        """Return a slot that no living bot has. Raises OSError where there is none, or the system refuses."""
        if self._free:
            return self._free.pop()
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
        for _ in range(PROBE_SLOT):
            slot, self._next = self._next, (self._next + 1) % PROBE_SLOT
            if self._folder is None or (slot not in self._locks and self._lock(slot)):
                return slot
        raise OSError(errno.EAGAIN, f"all {PROBE_SLOT} slots for bots are taken")

    def give_back(self, slot: int) -> None:
        """Have a slot for another bot, once nothing runs under its account any more."""
        self._free.append(slot)

    def close(self) -> None:
        """Free all slots. May be called twice."""
        for descriptor in self._locks.values():
            os.close(descriptor)
        self._locks.clear()
        self._free.clear()

    def _lock(self, slot: int) -> bool:
        assert self._folder is not None  # noqa: S101 - `take` has looked
        descriptor = os.open(self._folder / str(slot), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._locks[slot] = descriptor
            return True
        os.close(descriptor)
        return False
