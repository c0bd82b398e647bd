"""A control group for each bot: limits its memory and processes as a whole, and can freeze or kill all of them at once.

Needs cgroup v2 and a delegated group, as `systemd-run --user --scope -p Delegate=yes arena …` provides.
Source: the kernel's admin-guide/cgroup-v2 and systemd's CGROUP_DELEGATION documents.
"""

import contextlib
import errno
import os
import select
import subprocess
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from msgspec import Struct

from arena.core.errors import UsageError
from arena.sandbox.bot_program import Bounds

NEEDED = ("memory", "pids")
WANTED = (*NEEDED, "cpu")
_MANAGER = "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "--user "
REMEDY = f"start Arena with: systemd-run {_MANAGER}--scope -p Delegate=yes arena …"
OWN_GROUP = "arena"
"""The group for Arena's own processes: a group that passes its controllers on to subgroups may not hold processes."""
TRY_S = 10.0
"""How long the trial of a group may take."""
FREEZE_S = 1.0
REMOVE_S = 5.0
"""How long to wait for a group to freeze, and to be removed."""
ASK_S = 10.0
"""How long systemd may take to answer."""
STALE_S = 60.0
"""Age after which an empty group counts as abandoned."""
PREFIX = "arena-bot-"
BUSY_TRIES = 20
"""Maximum number of attempts to move all processes out of a group; a shell may start new ones in the meantime."""
OOMD_KILLS = "user.oomd_kill"
"""The extended attribute in which systemd-oomd counts the processes it killed in a group."""
_LOOK_S = 0.002
_SYSTEMD = Path("/run/systemd/system")


class Delegation(Struct, frozen=True):
    """A group in which we may make subgroups."""

    folder: Path
    controllers: frozenset[str]
    """Those of `WANTED` that are available; freezing and killing work even without any."""

    @property
    def is_whole(self) -> bool:
        """Whether memory and processes can be limited."""
        return self.controllers.issuperset(NEEDED)


def find_delegation(mounts: str | None = None, groups: str | None = None) -> Delegation:
    """Return the group of this process, if it was delegated to the process.

    `mounts` and `groups` are the texts of /proc/self/mountinfo and /proc/self/cgroup (default: read them). Raises
    UsageError with the reason and the remedy if there is none.
    """
    try:
        mounts = os.fsdecode(Path("/proc/self/mountinfo").read_bytes()) if mounts is None else mounts
        groups = os.fsdecode(Path("/proc/self/cgroup").read_bytes()) if groups is None else groups
    except OSError as error:
        raise UsageError(f"cannot read the control groups: {error}", REMEDY) from None
    folder = _folder(mounts, groups)
    if folder.name == OWN_GROUP and _hands_on(folder.parent):
        folder = folder.parent  # an earlier `hand_on` has moved this process
    if not all(os.access(place, os.W_OK) for place in (folder, folder / "cgroup.procs")):
        raise UsageError(f"the control group {folder} is not writable", REMEDY)
    if _SYSTEMD.is_dir() and not _is_delegated(folder):
        raise UsageError(f"the control group {folder} belongs to systemd", REMEDY)
    try:
        controllers = frozenset((folder / "cgroup.controllers").read_text().split())
    except OSError as error:
        raise UsageError(f"cannot read the control group {folder}: {error}", REMEDY) from None
    return Delegation(folder, controllers & frozenset(WANTED))


def hand_on(delegation: Delegation) -> None:
    """Move all processes of the group to a subgroup, and pass its controllers on to the groups of bots.

    Call it before making a bot's group; it may be called again. Raises OSError if the system refuses.
    """
    if not delegation.controllers:
        return
    control = delegation.folder / "cgroup.subtree_control"
    for tries_left in reversed(range(BUSY_TRIES)):
        if (delegation.folder / "cgroup.type").exists():  # the root group may keep its processes
            _make_way(delegation.folder)
        try:
            control.write_text(" ".join(f"+{name}" for name in NEEDED if name in delegation.controllers))
            break
        except OSError as error:  # a process was started in between
            if error.errno != errno.EBUSY or not tries_left:
                raise
    for name in delegation.controllers.difference(NEEDED):
        with contextlib.suppress(OSError):  # optional: some systems don't pass it on
            control.write_text(f"+{name}")


def _make_way(folder: Path) -> None:
    own = folder / OWN_GROUP
    own.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (own / "cgroup.procs").write_text(pid)


def slow_mount(folder: Path, mounts: str | None = None) -> str:
    """Return the mount of a group if a process waits some milliseconds until it is moved there; empty if it doesn't.

    `mounts` as in `find_delegation`. The option `favordynmods` takes that wait away, and makes forks a little slower.
    """
    mounts = os.fsdecode(Path("/proc/self/mountinfo").read_bytes()) if mounts is None else mounts
    for line in mounts.splitlines():
        place, kind = line.split()[4], line.partition(" - ")[2]
        if kind.startswith("cgroup2 ") and folder.is_relative_to(place) and "favordynmods" not in kind:
            return place
    return ""


def try_out(delegation: Delegation) -> str:
    """Return what a bot's group, tried with a process, lacks for level `full`. Passes the controllers on first."""
    try:
        hand_on(delegation)
        group = BotGroup(delegation, f"probe-{os.getpid()}-{time.monotonic_ns()}", Bounds())
    except OSError as error:
        return f"cannot make a group with limits in {delegation.folder}: {error.strerror}"
    try:
        trouble = _trouble_with(group)
    except OSError as error:
        trouble = f"cannot use a group in {delegation.folder}: {error.strerror}"
    gone = group.remove()
    return trouble or ("" if gone else f"cannot remove the group {group.folder}")


def _trouble_with(group: "BotGroup") -> str:
    """Try a group with a process; return what is wrong with it, or an empty text. Raises OSError."""
    with subprocess.Popen(("cat",), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            group.add(process.pid)
            if not group.counts_memory:
                return "the kernel does not count out-of-memory kills of a group"
            if not group.freeze(TRY_S):
                return "cannot freeze the processes of a group"
            group.kill()
        finally:
            process.kill()
    return ""


def remove_groups(token: str) -> None:
    """Kill all processes in groups of bots whose token begins with `token`, and remove the groups. Raises nothing.

    Cleans up after a killed process. Looks where this process would make groups for its own bots.
    """
    with contextlib.suppress(OSError, UsageError):
        beginning = PREFIX + token.replace("/", "-")
        for folder in find_delegation().folder.iterdir():
            if folder.name.startswith(beginning):
                _remove(folder, REMOVE_S)


def sweep(delegation: Delegation) -> None:
    """Remove empty groups that killed runs left behind, but not new ones that are still being filled."""
    with contextlib.suppress(OSError):
        for folder in delegation.folder.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError):
                if time.time() - folder.stat().st_ctime > STALE_S:
                    folder.rmdir()


class BotGroup:
    """The group of one bot process and all processes it starts."""

    def __init__(self, delegation: Delegation, token: str, bounds: Bounds) -> None:
        """Make the group of the bot with this token. Raises OSError if the system refuses."""
        self.folder = delegation.folder / (PREFIX + token.replace("/", "-"))
        self.folder.mkdir()
        self._switch = self._cpu = self._pressure = -1
        self._counts_waits = True
        try:
            if "memory" in delegation.controllers:
                self._write("memory.max", bounds.memory_bytes)
                self._write("memory.oom.group", 1)
                with contextlib.suppress(FileNotFoundError):  # a kernel that does not count swap
                    self._write("memory.swap.max", 0)
            if "pids" in delegation.controllers:
                self._write("pids.max", bounds.processes)
        except OSError:
            self.folder.rmdir()
            raise

    def add(self, pid: int) -> None:
        """Add a process. Children that it has already started stay outside."""
        self._write("cgroup.procs", pid)

    def members(self) -> set[int]:
        """Return the processes of the group."""
        return set(map(int, (self.folder / "cgroup.procs").read_text().split()))

    def begin_freeze(self) -> None:
        """Start freezing the group, without waiting for it; takes some microseconds."""
        self._set_frozen(b"1")

    def freeze(self, limit_s: float = FREEZE_S) -> bool:
        """Freeze the group; return whether all its processes have stopped in time."""
        self._set_frozen(b"1")
        return self._wait("cgroup.events", lambda: self._value("cgroup.events", "frozen") == 1, limit_s)

    def thaw(self) -> None:
        """Thaw the group."""
        self._set_frozen(b"0")

    def kill(self) -> None:
        """Kill every process of the group, even if frozen. Needs Linux 5.14."""
        self._write("cgroup.kill", 1)

    def remove(self, limit_s: float = REMOVE_S) -> bool:
        """Kill all remaining processes and remove the group; return whether it is gone."""
        for descriptor in (self._switch, self._cpu, self._pressure):
            if descriptor >= 0:
                os.close(descriptor)
        self._switch = self._cpu = self._pressure = -1
        return _remove(self.folder, limit_s)

    def cpu_ns(self) -> int:
        """Return the CPU time of the group, including ended processes; 0 after its removal."""
        try:
            if self._cpu < 0:
                self._cpu = os.open(self.folder / "cpu.stat", os.O_RDONLY)
            return int(os.pread(self._cpu, 64, 0).split(None, 2)[1]) * 1000  # the first line is usage_usec
        except OSError:
            return 0

    def waited_ns(self) -> int | None:
        """Return how long the group was kept waiting: threads of it were ready to run, and none had that core.

        On several cores this is a mean over those that it wanted. None if the kernel doesn't count it (before Linux
        5.13, or without pressure stall information). Source: the kernel's accounting/psi document.
        """
        if self._counts_waits:
            try:
                if self._pressure < 0:
                    self._pressure = os.open(self.folder / "cpu.pressure", os.O_RDONLY)
                full = os.pread(self._pressure, 256, 0).partition(b"\nfull ")[2]
                return int(full.rpartition(b"total=")[2]) * 1000
            except (OSError, ValueError):
                self._counts_waits = False
        return None

    def memory_bytes(self) -> int:
        """Return the memory that the group uses now; 0 if memory isn't counted."""
        return self._number("memory.current")

    def most_memory_bytes(self) -> int:
        """Return the peak memory of the group so far; 0 if the kernel doesn't report it (before Linux 5.19)."""
        return self._number("memory.peak")

    @property
    def counts_memory(self) -> bool:
        """Whether the kernel counts the group's memory and its out-of-memory kills."""
        return (self.folder / "memory.events").exists()

    def memory_kills(self) -> int:
        """Return how many processes were killed because the group reached its memory limit."""
        return self._value("memory.events", "oom_kill") if self._value("memory.events", "oom") else 0

    def outside_memory_kills(self) -> int:
        """Return how many processes the kernel killed for lack of memory although the group was within its limit.

        The kernel counts every out-of-memory kill in `oom_kill`, and in `oom` how often the limit was reached.
        """
        return 0 if self._value("memory.events", "oom") else self._value("memory.events", "oom_kill")

    def oomd_kills(self) -> int:
        """Return how many processes of the group systemd-oomd has killed; it records that in an extended attribute."""
        try:
            return int(os.getxattr(self.folder, OOMD_KILLS))
        except (AttributeError, OSError, ValueError):
            return 0

    def _number(self, file: str) -> int:
        try:
            return int((self.folder / file).read_text())
        except FileNotFoundError:
            return 0

    def _value(self, file: str, key: str) -> int:
        """Return one number from a file of "key value" lines; 0 if it is missing."""
        try:
            lines = (self.folder / file).read_text().splitlines()
        except FileNotFoundError:
            return 0
        return next((int(line.split()[1]) for line in lines if line.split()[0] == key), 0)

    def _set_frozen(self, value: bytes) -> None:
        if self._switch < 0:
            self._switch = os.open(self.folder / "cgroup.freeze", os.O_WRONLY)
        os.pwrite(self._switch, value, 0)

    def _write(self, file: str, value: int) -> None:
        (self.folder / file).write_text(str(value))

    def _wait(self, file: str, is_done: Callable[[], bool], limit_s: float) -> bool:
        """Wait until a condition holds, checking it whenever the kernel reports a change of a file."""
        until = time.monotonic() + limit_s
        with (self.folder / file).open() as events:
            poll = select.poll()
            poll.register(events, select.POLLPRI)
            while not is_done():
                left_s = until - time.monotonic()
                if left_s <= 0:
                    return False
                poll.poll(left_s * 1000)
        return True


def _remove(folder: Path, limit_s: float) -> bool:
    """Kill all processes of a group and remove it; return whether it is gone."""
    with contextlib.suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
    until = time.monotonic() + limit_s
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:  # a process is still exiting
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
        else:
            return True


def _folder(mounts: str, groups: str) -> Path:
    """Return the folder of this process's group in cgroup v2."""
    inside = next((line[3:] for line in groups.splitlines() if line.startswith("0::")), None)
    for line in mounts.splitlines():
        fields, _, kind = line.partition(" - ")
        if inside is not None and kind.startswith("cgroup2 "):
            root, place = fields.split()[3:5]
            if inside == root or inside.startswith(root.rstrip("/") + "/"):
                return Path(place) / Path(inside).relative_to(root)
    raise UsageError("there is no cgroup v2 on this machine", "use a system with cgroup v2 and systemd")


def _hands_on(folder: Path) -> bool:
    """Return whether the group already passes controllers on to subgroups."""
    try:
        enabled = (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
    return bool(set(enabled) & set(WANTED)) and os.access(folder, os.W_OK)


def _is_delegated(folder: Path) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return _systemd_delegates(folder)


@cache
def _systemd_delegates(folder: Path) -> bool:
    """Ask systemd whether it has delegated the group; older user managers don't set the extended attribute."""
    of_user = any(part.startswith("user@") and part.endswith(".service") for part in folder.parent.parts)
    manager = ("--user",) if of_user else ()
    try:
        told = subprocess.run(
            ("systemctl", *manager, "show", "--property=Delegate", "--value", "--", folder.name),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=ASK_S,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.strip() == b"yes"
