"""Resource limits for a bot and all processes it starts."""

import resource
import sys
from dataclasses import dataclass, replace
from pathlib import Path

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one bot."""

    memory_bytes: int = 256 * MIB
    """Memory of all its processes together; enforced by a cgroup, or by sampling if there is none."""
    address_bytes: int = 4096 * MIB
    """Address space of each process, 0 for no limit; only a backstop, as runtimes reserve much more than they use."""
    processes: int = 64
    """Processes and threads together."""
    descriptors: int = 256
    """Open files of each process."""
    file_bytes: int = 64 * MIB
    """Maximum size of a file it writes."""
    scratch_bytes: int = 16 * MIB
    """Capacity of /tmp."""
    shared_bytes: int = 16 * MIB
    """Capacity of /dev/shm."""
    scratch_files: int = 4096
    """Maximum number of files, folders and links in each of the two."""


RESERVING = frozenset({"bun", "deno", "dotnet", "go", "java", "wasmer", "wasmtime"})
"""Runtimes that reserve far more address space than they use, so that limiting it makes no sense."""


def fitting(bounds: Bounds, name: str) -> Bounds:
    """Return the limits for a program of that name; no limit on address space if it couldn't start with one."""
    return replace(bounds, address_bytes=0) if Path(name).name in RESERVING else bounds


def prlimit_arguments(bounds: Bounds, *, counts_processes: bool = True) -> list[str]:
    """Return the options for prlimit(1) to set the limits of one process.

    Limits above this process's own hard limits are lowered to them, because hard limits can't be raised.
    `counts_processes` is false if the kernel would count all processes of the account and not only the bot's.
    """
    wanted = process_bounds(bounds)
    if counts_processes:
        wanted.append(("nproc", resource.RLIMIT_NPROC, bounds.processes))
    return [f"--{name}={_possible(kind, value)}" for name, kind, value in wanted]


def process_bounds(bounds: Bounds) -> list[tuple[str, int, int]]:
    """Return the limits of one process that can always be set: name for prlimit(1), kind, value."""
    wanted = [
        ("nofile", resource.RLIMIT_NOFILE, bounds.descriptors),
        ("fsize", resource.RLIMIT_FSIZE, bounds.file_bytes),
        # Not 0: if core dumps are piped to a program (systemd-coredump, apport), the kernel starts it despite a
        # limit of 0, but not with a limit of 1 (do_coredump in fs/coredump.c). It never writes a 1-byte file.
        ("core", resource.RLIMIT_CORE, 1),
        ("memlock", resource.RLIMIT_MEMLOCK, 65_536),
    ]
    if sys.platform.startswith("linux"):
        wanted += [
            ("msgqueue", resource.RLIMIT_MSGQUEUE, 0),
            ("sigpending", resource.RLIMIT_SIGPENDING, 256),
            ("rtprio", resource.RLIMIT_RTPRIO, 0),
        ]
    if bounds.address_bytes:
        wanted.append(("as", resource.RLIMIT_AS, bounds.address_bytes))
    return wanted


def _possible(kind: int, value: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)
