"""How much of the machine one bot process and all that it starts may use."""

import resource
import sys
from dataclasses import dataclass, replace
from pathlib import Path

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on one bot."""

    memory_bytes: int = 256 * MIB
    """Of all its processes together; kept by a cgroup, or by sampling where there is none."""
    address_bytes: int = 4096 * MIB
    """Address space of each process, 0 for no bound: a backstop only, as runtimes reserve much that they never use."""
    processes: int = 64
    """Processes and threads together."""
    descriptors: int = 256
    """Open files of each process."""
    file_bytes: int = 64 * MIB
    """The largest file it may write."""
    scratch_bytes: int = 16 * MIB
    """What /tmp may hold."""
    shared_bytes: int = 16 * MIB
    """What /dev/shm may hold."""
    scratch_files: int = 4096
    """How many files, folders and links each of these may hold."""


RESERVING = frozenset({"bun", "deno", "dotnet", "go", "java", "wasmer", "wasmtime"})
"""Runtimes that reserve more address space than they will ever use, so that a bound on it says nothing."""


def fitting(bounds: Bounds, name: str) -> Bounds:
    """Return the bounds for a program of that name: without one on address space where it could not even start."""
    return replace(bounds, address_bytes=0) if Path(name).name in RESERVING else bounds


def prlimit_arguments(bounds: Bounds, *, counts_processes: bool = True) -> list[str]:
    """Return the options by which prlimit(1) sets the bounds of one process.

    A bound above what this process may have itself is lowered to that, because it cannot be raised again.
    `counts_processes` is false where the kernel would count all processes of the account instead of the bot's.
    """
    wanted = process_bounds(bounds)
    if counts_processes:
        wanted.append(("nproc", resource.RLIMIT_NPROC, bounds.processes))
    return [f"--{name}={_possible(kind, value)}" for name, kind, value in wanted]


def process_bounds(bounds: Bounds) -> list[tuple[str, int, int]]:
    """Return the bounds of one process that can always be kept: name for prlimit(1), kind, value."""
    wanted = [
        ("nofile", resource.RLIMIT_NOFILE, bounds.descriptors),
        ("fsize", resource.RLIMIT_FSIZE, bounds.file_bytes),
        # Not 0: where dumps are piped to a program (systemd-coredump, apport), the kernel starts that in spite
        # of 0; for 1 alone it does not (do_coredump in fs/coredump.c). A file of one byte is never written.
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
