"""Builds the system call filter, a classic BPF program for the kernel's seccomp, without a library.

Sources: the kernel's userspace-api/seccomp_filter documentation, linux/seccomp.h, linux/bpf_common.h, linux/audit.h.
"""

import errno
import struct
from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

Numbers = tuple[int | None, int | None]
"""A call's number on x86_64 and on aarch64; None if the call doesn't exist there."""

NEWEST_CALL: Final = 462
"""The newest system call that was reviewed (mseal, Linux 6.10). For bots, newer calls don't exist.

From 424 on, the kernel gives new calls the same number on all machines. This limit also refuses the whole x32 interface
of x86_64, whose calls have bit 30 set or numbers from 512 on.
"""

DENIED: Final[dict[str, Numbers]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # keyrings, which namespaces don't separate
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # large parts of the kernel that no bot needs
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
    # shows the number of free inodes of any file system of the machine, by device number
    "ustat": (136, None),
    # shows the kernel's inode numbers, which count for the whole machine
    "name_to_handle_at": (303, 264),
    # show which pages of a file others use
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # memory that belongs to no process and outlives its creator
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
}
"""Calls that fail with EPERM."""

ABSENT: Final[dict[str, Numbers]] = {
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # watch files that others use as well
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    # show what is in the page cache, which outlives every process
    "mincore": (27, 232),
    "cachestat": (451, 451),
    # return numbers that count for the whole machine
    "pidfd_open": (434, 434),
    "io_setup": (206, 0),
    "statmount": (457, 457),
    "listmount": (458, 458),
}
"""Calls that fail with ENOSYS, so that libraries fall back to older ones. A filter can't see the flags of clone3, and
data written to a memfd isn't counted until it is mapped."""

IGNORED: Final[dict[str, Numbers]] = {
    "setsid": (112, 157),
    "fadvise64": (221, 223),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
}
"""Calls that do nothing and succeed: hints about the page cache, writes to shared disks, and new sessions, which are
numbered for the whole machine (/proc/self/autogroup). A bot already has its own session. Neither does it choose its
core or its priority: one that gave way to others of its own will would be kept waiting by them, and be excused."""

LOCKS: Final[dict[str, Numbers]] = {"flock": (73, 32)}
"""Calls that fail with ENOLCK if the bot shares files with other bots, without `Overlays`."""

TIMES: Final[dict[str, Numbers]] = {
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""Calls that do nothing and succeed if the bot uses the host's devices: anyone may set the times of /dev/null."""


class Argument(Struct, frozen=True):
    """A call that is refused depending on one argument. Only the low 32 bits are checked, as all of these are ints."""

    call: Numbers
    index: int
    """Which argument, from 0."""
    test: Literal["among", "not among", "has bits", "has all bits", "group"]
    """The call is refused if the argument is one of the values, is none of them, has any of their bits set, has all of
    them set, or ("group") if its bits 8 to 15, by which the kernel groups ioctl requests, are one of the values."""
    values: tuple[int, ...]
    error: int
    """The errno of a refusal."""


_NEWNS = 0x0002_0000
_NEWCGROUP, _NEWUTS, _NEWIPC = 0x0200_0000, 0x0400_0000, 0x0800_0000
_NEWUSER, _NEWPID, _NEWNET = 0x1000_0000, 0x2000_0000, 0x4000_0000
NAMESPACE_FLAGS: Final = _NEWNS | _NEWCGROUP | _NEWUTS | _NEWIPC | _NEWUSER | _NEWPID | _NEWNET
"""Flags that clone must not have. (clone can't create time namespaces.)"""
PIDFD_FLAG: Final = 0x1000
"""CLONE_PIDFD: the inode number of such a descriptor counts all processes of the machine."""
FAMILIES: Final = (1,)
"""AF_UNIX. TCP is refused because, even in a bot's own network namespace, it chooses ports from a table that the whole
machine shares."""
POSIX_LOCKS: Final = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW."""
FCNTL: Final = (*range(17), 36, 37, 38, 1025, 1028, 1030, 1032, 1033, 1034)
"""Descriptors, locks, signal owners, F_GETLEASE, F_CREATED_QUERY, F_DUPFD_CLOEXEC, F_GETPIPE_SZ and seals. Refused:
leases, folder notifications, write hints (stored in the inode) and pipe sizes (limited per user, for all bots)."""

ARGUMENTS: Final[dict[str, Argument]] = {
    "clone": Argument((56, 220), 0, "has bits", (NAMESPACE_FLAGS | PIDFD_FLAG,), errno.EPERM),
    "socket": Argument((41, 198), 0, "not among", FAMILIES, errno.EAFNOSUPPORT),
    "socketpair": Argument((53, 199), 0, "not among", FAMILIES, errno.EAFNOSUPPORT),
    # abstract names chosen by the kernel; before Linux 6 it counts them for the whole machine
    "bind": Argument((49, 200), 2, "among", (2,), errno.EINVAL),
    # SO_PASSCRED makes the kernel choose such a name; the inode numbers of SO_PASSPIDFD count all processes
    "setsockopt": Argument((54, 208), 2, "among", (16, 76), errno.ENOPROTOOPT),
    # SO_COOKIE, SO_NETNS_COOKIE, SO_PEERPIDFD: machine-wide counters
    "getsockopt": Argument((55, 209), 2, "among", (57, 71, 77), errno.ENOPROTOOPT),
    "fcntl": Argument((72, 25), 1, "not among", FCNTL, errno.EINVAL),
    # NSIO: namespace numbers; random: the entropy pool
    "ioctl": Argument((16, 29), 1, "group", (0xB7, ord("R")), errno.ENOTTY),
    # MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE: act on pages that others share
    "madvise": Argument((28, 233), 2, "among", (12, 20, 21, 25), errno.EINVAL),
    # MAP_SHARED with MAP_ANONYMOUS: memory that stays allocated while no process has it mapped, so nothing counts it
    "mmap": Argument((9, 222), 3, "has all bits", (0x21,), errno.EPERM),
    # STATX_MNT_ID_UNIQUE: a counter of all mounts of the machine
    "statx": Argument((332, 291), 3, "has bits", (0x4000,), errno.EINVAL),
    # PR_SET_MEMORY_MERGE: merges pages, like MADV_MERGEABLE
    "prctl": Argument((157, 167), 0, "among", (67,), errno.EINVAL),
    # all but RWF_HIPRI, DSYNC, SYNC, APPEND: NOWAIT shows what is in the page cache, DONTCACHE changes it
    "preadv2": Argument((327, 286), 5, "has bits", (0xFFFF_FFFF & ~0x17,), errno.EOPNOTSUPP),
    "pwritev2": Argument((328, 287), 5, "has bits", (0xFFFF_FFFF & ~0x17,), errno.EOPNOTSUPP),
}
"""Calls that are refused with some arguments."""


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


class _Machine(Struct, frozen=True):
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


class _Step(Struct, frozen=True):
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
