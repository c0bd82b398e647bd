"""Builds the system call filter, a classic BPF program for the kernel's seccomp, without a library.

Sources: the kernel's userspace-api/seccomp_filter documentation, linux/seccomp.h, linux/bpf_common.h, linux/audit.h.
"""

import errno
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from arena.sandbox.system_calls import (
    ABSENT,
    ARGUMENTS,
    DENIED,
    FCNTL,
    IGNORED,
    LOCKS,
    NEWEST_CALL,
    POSIX_LOCKS,
    TIMES,
    Argument,
    Numbers,
)

ALLOW: Final = 0x7FFF_0000
ERRNO: Final = 0x0005_0000
KILL: Final = 0x8000_0000
"""SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO (error in the low 16 bits; 0 reports success), SECCOMP_RET_KILL_PROCESS."""

_LOAD, _EQUAL, _ABOVE, _SET, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_AT_CALL, _AT_MACHINE, _AT_ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data. Arguments have 64 bits in little-endian order; those we check are ints."""
_IOCTL_GROUP = 0xFF00
_WITHOUT_LOCKS: Final = replace(
    ARGUMENTS["fcntl"],
    values=tuple(command for command in FCNTL if command not in POSIX_LOCKS),
    error=errno.ENOLCK,
)


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    """AUDIT_ARCH_…: the kernel's number for the machine type in a filter."""
    column: int
    """The column of this machine type in `Numbers`."""


_MACHINES: Final = {
    "x86_64": _Machine(0xC000_003E, 0),
    "amd64": _Machine(0xC000_003E, 0),
    "aarch64": _Machine(0xC000_00B7, 1),
    "arm64": _Machine(0xC000_00B7, 1),
}


def program(machine: str, *, locks: bool = True) -> bytes | None:
    """Return the filter for a machine type as named by `platform.machine()`; None for an unknown type.

    `locks` allows the bot to lock files and to set their times, which is safe only if no other sandbox sees the same
    files. The bytes are an array of struct sock_filter, as read by `bwrap --seccomp`. A call from another architecture
    (32-bit on a 64-bit kernel) kills the process, because its numbers mean other calls.
    """
    known = _MACHINES.get(machine.lower())
    return None if known is None else _assemble(_instructions(known, locks=locks))


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction. Jumps go to a label, or to the next step if there is none."""

    code: int
    value: int
    true: str = ""
    false: str = ""
    label: str = ""


def _instructions(machine: _Machine, *, locks: bool) -> list[_Step]:
    def numbers(calls: dict[str, Numbers]) -> Iterable[int]:
        return (number for call in calls.values() if (number := call[machine.column]) is not None)

    examined: list[_Step] = []
    ends: set[int] = {0, errno.EPERM, errno.ENOSYS, errno.ENOLCK}
    first: list[_Step] = []
    unlocked = {} if locks else {"fcntl": _WITHOUT_LOCKS}
    for name, argument in (ARGUMENTS | unlocked).items():
        number = argument.call[machine.column]
        if number is not None:
            first.append(_Step(_EQUAL, number, true=name))
            examined += _examination(name, argument)
            ends.add(argument.error)
    refused = [
        (DENIED, errno.EPERM),
        (ABSENT, errno.ENOSYS),
        (IGNORED, 0),
        *(() if locks else ((LOCKS, errno.ENOLCK), (TIMES, 0))),
    ]
    return [
        _Step(_LOAD, _AT_MACHINE),
        _Step(_EQUAL, machine.audit, false="kill"),
        _Step(_LOAD, _AT_CALL),
        _Step(_ABOVE, NEWEST_CALL, true=_end(errno.ENOSYS)),
        *first,
        *(_Step(_EQUAL, number, true=_end(error)) for calls, error in refused for number in numbers(calls)),
        _Step(_RETURN, ALLOW),
        *examined,
        _Step(_RETURN, ALLOW, label="allow"),
        *(_Step(_RETURN, ERRNO | error, label=_end(error)) for error in sorted(ends)),
        _Step(_RETURN, KILL, label="kill"),
    ]


def _end(error: int) -> str:
    return f"errno {error}"


def _examination(name: str, argument: Argument) -> list[_Step]:
    """Return the steps that allow or refuse a call based on its argument."""
    refuse, code = _end(argument.error), _SET if argument.test == "has bits" else _EQUAL
    hit, miss = ("allow", refuse) if argument.test == "not among" else (refuse, "allow")
    *others, last = argument.values
    steps = [_Step(_LOAD, _AT_ARGUMENTS + 8 * argument.index, label=name)]
    if argument.test == "has all bits":
        steps.append(_Step(_AND, last))
    if argument.test == "group":
        steps.append(_Step(_AND, _IOCTL_GROUP))
        *others, last = (value << 8 for value in argument.values)
    return [
        *steps,
        *(_Step(code, value, true=hit) for value in others),
        _Step(code, last, true=hit, false=miss),
    ]


def _assemble(steps: list[_Step]) -> bytes:
    """Return the steps as machine code. Jumps are relative to the next step, forward only, and at most 255 long."""
    places = {step.label: place for place, step in enumerate(steps) if step.label}

    def distance(place: int, label: str) -> int:
        return places[label] - place - 1 if label else 0

    return b"".join(
        struct.pack("<HBBI", step.code, distance(place, step.true), distance(place, step.false), step.value)
        for place, step in enumerate(steps)
    )
