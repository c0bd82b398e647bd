"""The part of /proc that a bot sees besides its own processes: constant files, but no counters.

The kernel's counters are shared by the whole machine. A bot can increase many of them, and most keep their value after
it ends, so that a number of forks or of pages read could carry a message to the next bot. Therefore every file in
/proc is hidden unless it is known to be constant. Files that programs need to start have plausible fixed contents.
"""

import os
import stat
from functools import cache
from pathlib import Path

PROC = Path("/proc")
CONSTANT = frozenset(
    {
        "bootconfig",
        "cmdline",
        "config.gz",
        "consoles",
        "cpuinfo",
        "crypto",
        "devices",
        "dma",
        "dynamic_debug",
        "execdomains",
        "filesystems",
        "iomem",
        "ioports",
        "kallsyms",
        "misc",
        "mtrr",
        "partitions",
        "version",
    }
)
"""Names of the files in /proc that no bot can change."""
_OWN = frozenset({"self", "thread-self", "mounts", "net"})
"""Links into the reader's own process."""


@cache
def covered() -> tuple[tuple[str, ...], dict[str, bytes]]:
    """Return the folders in /proc to hide behind empty ones, and the files to hide with their replacement contents.

    Cached, as the set of files is fixed at boot. Leaves out files that bots can't read.
    """
    folders: list[str] = []
    files: dict[str, bytes] = {}
    for entry in sorted(os.scandir(PROC), key=lambda entry: entry.name):
        if entry.name.isdigit() or entry.name in CONSTANT | _OWN or entry.is_symlink():
            continue
        if entry.is_dir():
            folders.append(entry.path)
        elif entry.stat().st_mode & stat.S_IROTH:
            files[entry.path] = _contents(entry.name)
    return tuple(folders), files


def _memory() -> bytes:
    try:
        total_kib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1024
    except (OSError, ValueError):
        return b""
    names = {"MemTotal": total_kib, "MemFree": total_kib, "MemAvailable": total_kib}
    names |= dict.fromkeys(("Buffers", "Cached", "SwapTotal", "SwapFree"), 0)
    return "".join(f"{name + ':':16}{kib:8} kB\n" for name, kib in names.items()).encode()


def _times() -> bytes:
    zeros = " 0" * 10
    cores = "".join(f"cpu{number}{zeros}\n" for number in range(os.cpu_count() or 1))
    return f"cpu {zeros}\n{cores}intr 0\nctxt 0\nbtime 0\nprocesses 0\nprocs_running 1\nprocs_blocked 0\n".encode()


def _contents(name: str) -> bytes:
    match name:
        case "loadavg":
            return b"0.00 0.00 0.00 1/1 1\n"
        case "meminfo":
            return _memory()
        case "stat":
            return _times()
        case "swaps":
            return b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        case "uptime":
            return b"0.00 0.00\n"
        case _:
            return b""
