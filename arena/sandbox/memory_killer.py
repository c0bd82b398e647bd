"""Evidence that the system, not the bot, has ended a bot: the kernel counts what its memory killer ends.

Who sent a SIGKILL can't be asked for afterwards, and a bot can send itself one. So a bot that was ended by SIGKILL has
crashed, unless the kernel has counted a victim of its memory killer since the bot was last heard of.
Source: `oom_kill` in /proc/vmstat (Linux 4.13), memory.events in the kernel's admin-guide/cgroup-v2.
"""

import time
from collections.abc import Callable
from pathlib import Path

VMSTAT = Path("/proc/vmstat")
READ_AGAIN_S = 1.0
"""How old a count may be that is taken for the one of now: reading it takes as long as several decisions."""


class MemoryKiller:
    """The count of processes that the memory killer has ended on this machine since it was started."""

    def __init__(self, vmstat: Path = VMSTAT, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._vmstat = vmstat
        self._monotonic_s = monotonic_s
        self._read_s = float("-inf")
        self._recent: int | None = None

    def victims(self) -> int | None:
        """Return the count now; None where the kernel doesn't tell."""
        self._recent = _counted(self._vmstat)
        self._read_s = self._monotonic_s()
        return self._recent

    def recent_victims(self) -> int | None:
        """Return a count that is at most `READ_AGAIN_S` old."""
        if self._monotonic_s() - self._read_s > READ_AGAIN_S:
            return self.victims()
        return self._recent


def _counted(vmstat: Path) -> int | None:
    try:
        lines = vmstat.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)


OF_THIS_MACHINE = MemoryKiller()
