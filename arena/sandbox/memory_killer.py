"""Evidence that the system has killed a bot: the kernel's count of out-of-memory kills.

Nobody can find out afterwards who sent a SIGKILL, and a bot can send one to itself. So a bot that ended with SIGKILL
has crashed, unless the kernel has counted an out-of-memory kill since the bot's last answer.
Source: `oom_kill` in /proc/vmstat (Linux 4.13), memory.events in the kernel's admin-guide/cgroup-v2.
"""

import time
from collections.abc import Callable
from pathlib import Path

VMSTAT = Path("/proc/vmstat")
READ_AGAIN_S = 1.0
"""How old a count may be to be used again; reading it takes as long as several decisions."""


class MemoryKiller:
    """Counts the out-of-memory kills on this machine since it was booted."""

    def __init__(self, vmstat: Path = VMSTAT, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._vmstat = vmstat
        self._monotonic_s = monotonic_s
        self._read_s = float("-inf")
        self._recent: int | None = None

    def victims(self) -> int | None:
        """Return the current count; None if the kernel doesn't report it."""
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
