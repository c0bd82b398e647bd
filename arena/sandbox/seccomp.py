"""The system calls that a bot may not make, as a program for the kernel's seccomp filter.

A deny-list in classic BPF, made here without a library. It closes what namespaces leave open: interfaces of the
kernel that no card game needs and that have been ways out of sandboxes (io_uring, bpf, keyrings, tracing, mounts,
namespaces within namespaces), and memory that is charged to no process (memfd, System V objects), which sampling
the processes of a bot would not see. Files, network, other processes are the namespaces' business.

Sources: the kernel's userspace-api/seccomp_filter documentation, linux/seccomp.h, linux/bpf_common.h,
linux/audit.h, and its tables of system calls (arch/x86/entry/syscalls/syscall_64.tbl, scripts/syscall.tbl).
"""

import errno
import struct
from dataclasses import dataclass
from typing import Final

NEWEST_CALL: Final = 462
"""The newest system call that was looked at (mseal, Linux 6.10); what is newer does not exist for a bot.

The kernel gives the same number to new calls on all machines, from 424 on. Refusing beyond it also refuses the whole
x32 interface of x86_64: its calls have bit 30 set, or numbers from 512 on.
"""

DENIED: Final[dict[str, tuple[int | None, int | None]]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # keyrings, which no namespace separates
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # large parts of the kernel that nobody here needs
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    # the machine itself
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    # memory that belongs to no process and outlives whoever made it
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
}
"""Calls that fail with EPERM, and their numbers on x86_64 and aarch64 (None: there is no such call)."""

ABSENT: Final[dict[str, tuple[int | None, int | None]]] = {
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
}
"""Calls that fail with ENOSYS, so that libraries take the older way: clone3 hides its flags from a filter, and what
is written to a memfd is counted nowhere until it is mapped."""

CLONE: Final = (56, 220)
SOCKETS: Final = {"socket": (41, 198), "socketpair": (53, 199)}
FAMILIES: Final = (1, 2, 10)
"""AF_UNIX, AF_INET, AF_INET6: what is left of the network stays within the bot's own namespace."""
NAMESPACE_FLAGS: Final = 0x7E02_0000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. (NEWTIME can't be asked of clone.)"""

ALLOW: Final = 0x7FFF_0000
ERRNO: Final = 0x0005_0000
KILL: Final = 0x8000_0000
"""SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO (the error in the low 16 bits), SECCOMP_RET_KILL_PROCESS."""

_LOAD, _EQUAL, _ABOVE, _SET, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_AT_CALL, _AT_MACHINE, _AT_FIRST_ARGUMENT = 0, 4, 16
"""Where struct seccomp_data has these; arguments have 64 bits, little end first, and ours are ints."""


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    """AUDIT_ARCH_…: how the kernel names it to a filter."""
    column: int
    """Which of the numbers above are its."""


_MACHINES: Final = {
    "x86_64": _Machine(0xC000_003E, 0),
    "amd64": _Machine(0xC000_003E, 0),
    "aarch64": _Machine(0xC000_00B7, 1),
    "arm64": _Machine(0xC000_00B7, 1),
}


def program(machine: str) -> bytes | None:
    """Return the filter for a machine type as `platform.machine()` names it; None for one without a list here.

    The bytes are an array of struct sock_filter, as `bwrap --seccomp` reads them. A call of another architecture (32
    bits on a 64-bit kernel) kills the process: the same numbers would mean other calls.
    """
    known = _MACHINES.get(machine.lower())
    return None if known is None else _assemble(_instructions(known))


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction; jumps go to a label, or on to the next step where there is none."""

    code: int
    value: int
    true: str = ""
    false: str = ""
    label: str = ""


def _instructions(machine: _Machine) -> list[_Step]:
    def numbers(calls: dict[str, tuple[int | None, int | None]]) -> list[int]:
        return [number for call in calls.values() if (number := call[machine.column]) is not None]

    return [
        _Step(_LOAD, _AT_MACHINE),
        _Step(_EQUAL, machine.audit, false="kill"),
        _Step(_LOAD, _AT_CALL),
        _Step(_ABOVE, NEWEST_CALL, true="absent"),
        *(_Step(_EQUAL, number, true="deny") for number in numbers(DENIED)),
        *(_Step(_EQUAL, number, true="absent") for number in numbers(ABSENT)),
        _Step(_EQUAL, CLONE[machine.column], true="clone"),
        *(_Step(_EQUAL, call[machine.column], true="socket") for call in SOCKETS.values()),
        _Step(_RETURN, ALLOW),
        _Step(_LOAD, _AT_FIRST_ARGUMENT, label="clone"),
        _Step(_SET, NAMESPACE_FLAGS, true="deny", false="allow"),
        _Step(_LOAD, _AT_FIRST_ARGUMENT, label="socket"),
        *(_Step(_EQUAL, family, true="allow") for family in FAMILIES),
        _Step(_RETURN, ERRNO | errno.EAFNOSUPPORT),
        _Step(_RETURN, ALLOW, label="allow"),
        _Step(_RETURN, ERRNO | errno.EPERM, label="deny"),
        _Step(_RETURN, ERRNO | errno.ENOSYS, label="absent"),
        _Step(_RETURN, KILL, label="kill"),
    ]


def _assemble(steps: list[_Step]) -> bytes:
    """Return the steps as machine code; jumps are counted from the next step, forward only, 255 at most."""
    places = {step.label: place for place, step in enumerate(steps) if step.label}

    def distance(place: int, label: str) -> int:
        return places[label] - place - 1 if label else 0

    return b"".join(
        struct.pack("<HBBI", step.code, distance(place, step.true), distance(place, step.false), step.value)
        for place, step in enumerate(steps)
    )
