"""What a bot sees of /proc besides its own processes: what never changes, and nothing that counts.

Counters of the kernel are the whole machine's. A bot can raise many of them, and most of them stay raised when it
has ended: a number of forks or of pages read would be a message to whoever looks next. So every file of /proc is
covered unless it is known to be constant. What programs need in order to start has contents of the same form.
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
"""Files that no bot can change, by its name in /proc."""
_OWN = frozenset({"self", "thread-self", "mounts", "net"})
"""Links to what is the reader's own."""


@cache
def covered() -> tuple[tuple[str, ...], dict[str, bytes]]:
    """Return the folders of /proc to be covered by empty ones, and the files with the contents to cover them with.

    Looked for once, as the kernel decides at its start what there is. What a bot could not read anyway is left out.
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
