"""The system calls that bots may not make, or only with some arguments, with their numbers on each machine type.

They close the gaps that namespaces leave. First, kernel interfaces that no card game needs and that have been used to
escape from sandboxes: io_uring, bpf, keyrings, tracing, mounts, nested namespaces. Second, memory that isn't charged to
any process, such as memfd and System V objects. Third, everything that lets one sandbox send a message to another:
state that outlives a process, or that two sandboxes share. docs/security.md lists those.

Sources: the kernel's userspace-api/seccomp_filter documentation, linux/fcntl.h, asm-generic/mman-common.h,
asm-generic/socket.h, linux/fs.h, and its tables of system calls (arch/x86/entry/syscalls/syscall_64.tbl,
scripts/syscall.tbl).
"""

import errno
from dataclasses import dataclass
from typing import Final, Literal

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


@dataclass(frozen=True, slots=True)
class Argument:
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
