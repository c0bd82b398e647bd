"""A control group for each bot: memory and processes of all of it together, freezing, and an end for all at once.

Needs version 2 and a group that was delegated to us, as `systemd-run --user --scope -p Delegate=yes arena …` gives.
Source: the kernel's admin-guide/cgroup-v2 and systemd's CGROUP_DELEGATION documents.
"""

import contextlib
import errno
import os
import select
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.core.errors import UsageError
from arena.sandbox.bounds import Bounds

NEEDED = ("memory", "pids")
WANTED = (*NEEDED, "cpu")
_MANAGER = "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "--user "
REMEDY = f"start the arena by: systemd-run {_MANAGER}--scope -p Delegate=yes arena …"
OWN_GROUP = "arena"
"""Where the arena itself goes: a group whose controllers are handed on may hold no process of its own."""
TRY_S = 10.0
"""How long a trial of a group may take."""
FREEZE_S = 1.0
REMOVE_S = 5.0
"""How long is waited for all of a group to stand still, and to be gone."""
ASK_S = 10.0
"""How long systemd may take to answer."""
STALE_S = 60.0
"""How old an empty group is before it is nobody's."""
PREFIX = "arena-bot-"
BUSY_TRIES = 20
"""How often processes are moved out of the way before the group is given up: a shell may start others meanwhile."""
OOMD_KILLS = "user.oomd_kill"
"""The extended attribute in which systemd-oomd counts what it has killed of a group."""
_LOOK_S = 0.002
_SYSTEMD = Path("/run/systemd/system")


@dataclass(frozen=True, slots=True)
class Delegation:
    """A group below which we may make others."""

    folder: Path
    controllers: frozenset[str]
    """Of `WANTED`, those that can be had here; without any, freezing and killing still work."""

    @property
    def is_whole(self) -> bool:
        """Whether memory and processes can be bounded."""
        return self.controllers.issuperset(NEEDED)


def find_delegation(mounts: str | None = None, groups: str | None = None) -> Delegation:
    """Return the group this process is in, if it was delegated to it.

    The texts are those of /proc/self/mountinfo and /proc/self/cgroup. Raises UsageError with the reason and the remedy.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
        groups = Path("/proc/self/cgroup").read_text() if groups is None else groups
    except OSError as error:
        raise UsageError(f"control groups cannot be looked at: {error}", REMEDY) from None
    folder = _folder(mounts, groups)
    if folder.name == OWN_GROUP and _hands_on(folder.parent):
        folder = folder.parent  # whoever was in the group before us has moved us, as `hand_on` does
    if not all(os.access(place, os.W_OK) for place in (folder, folder / "cgroup.procs")):
        raise UsageError(f"the control group {folder} is not ours", REMEDY)
    if _SYSTEMD.is_dir() and not _is_delegated(folder):
        raise UsageError(f"the control group {folder} belongs to systemd", REMEDY)
    try:
        controllers = frozenset((folder / "cgroup.controllers").read_text().split())
    except OSError as error:
        raise UsageError(f"the control group {folder} cannot be read: {error}", REMEDY) from None
    return Delegation(folder, controllers & frozenset(WANTED))


def hand_on(delegation: Delegation) -> None:
    """Move all processes of the group to one below it, and let bots' groups have its controllers.

    Before any bot's group is made; may be called again. Raises OSError where the system refuses.
    """
    if not delegation.controllers:
        return
    control = delegation.folder / "cgroup.subtree_control"
    for tries_left in reversed(range(BUSY_TRIES)):
        if (delegation.folder / "cgroup.type").exists():  # the root of all groups may keep its processes
            _make_way(delegation.folder)
        try:
            control.write_text(" ".join(f"+{name}" for name in NEEDED if name in delegation.controllers))
            break
        except OSError as error:  # a process was started between the two
            if error.errno != errno.EBUSY or not tries_left:
                raise
    for name in delegation.controllers.difference(NEEDED):
        with contextlib.suppress(OSError):  # some systems keep it to themselves, and bots do without
            control.write_text(f"+{name}")


def _make_way(folder: Path) -> None:
    own = folder / OWN_GROUP
    own.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (own / "cgroup.procs").write_text(pid)


def try_out(delegation: Delegation) -> str:
    """Return what a bot's group lacks here, found out with a process in one; empty: it has all of level `full`.

    The controllers are handed on first.
    """
    try:
        hand_on(delegation)
        group = BotGroup(delegation, f"probe-{os.getpid()}-{time.monotonic_ns()}", Bounds())
    except OSError as error:
        return f"no group with bounds can be made in {delegation.folder}: {error.strerror}"
    try:
        trouble = _trouble_with(group)
    except OSError as error:
        trouble = f"a group in {delegation.folder} cannot be used: {error.strerror}"
    gone = group.remove()
    return trouble or ("" if gone else f"the group {group.folder} cannot be removed")


def _trouble_with(group: "BotGroup") -> str:
    """Return what is wrong with a group of controllers, tried with a process; empty: nothing. Raises OSError."""
    with subprocess.Popen(("cat",), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            group.add(process.pid)
            if not group.counts_memory:
                return "the kernel does not count what its memory killer ends"
            if not group.freeze(TRY_S):
                return "the processes of a group do not stand still when they are told to"
            group.kill()
        finally:
            process.kill()
    return ""


def remove_groups(token: str) -> None:
    """Kill all processes in groups of bots whose token begins with `token`, and remove the groups. Raises nothing.

    For what a killed process has left: looked for where this process's own bots would have theirs.
    """
    with contextlib.suppress(OSError, UsageError):
        beginning = PREFIX + _in_one_name(token)
        for folder in find_delegation().folder.iterdir():
            if folder.name.startswith(beginning):
                _remove(folder, REMOVE_S)


def sweep(delegation: Delegation) -> None:
    """Remove the groups that killed runs have left empty; one that is only being filled is left alone."""
    with contextlib.suppress(OSError):
        for folder in delegation.folder.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError):
                if time.time() - folder.stat().st_ctime > STALE_S:
                    folder.rmdir()


class BotGroup:
    """The group of one bot process and all that it starts."""

    def __init__(self, delegation: Delegation, token: str, bounds: Bounds) -> None:
        """Make the group of the bot that bears a token; raises OSError where the system refuses."""
        self.folder = delegation.folder / (PREFIX + _in_one_name(token))
        self.folder.mkdir()
        self._switch = -1
        self._cpu = -1
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
        """Take a process in; what it has started before stays outside."""
        self._write("cgroup.procs", pid)

    def members(self) -> set[int]:
        """Return the processes of the group."""
        return set(map(int, (self.folder / "cgroup.procs").read_text().split()))

    def begin_freeze(self) -> None:
        """Have every process of the group stopped, without waiting for it: a write of some microseconds."""
        self._set_frozen(b"1")

    def freeze(self, limit_s: float = FREEZE_S) -> bool:
        """Stop every process of the group; return whether all stand still in time."""
        self._set_frozen(b"1")
        return self._wait("cgroup.events", lambda: self._value("cgroup.events", "frozen") == 1, limit_s)

    def thaw(self) -> None:
        """Let every process of the group go on."""
        self._set_frozen(b"0")

    def kill(self) -> None:
        """Kill every process of the group, frozen or not; needs Linux 5.14."""
        self._write("cgroup.kill", 1)

    def remove(self, limit_s: float = REMOVE_S) -> bool:
        """Kill what is left and remove the group; return whether it is gone."""
        for descriptor in (self._switch, self._cpu):
            if descriptor >= 0:
                os.close(descriptor)
        self._switch = self._cpu = -1
        return _remove(self.folder, limit_s)

    def cpu_ns(self) -> int:
        """Return the CPU time that the group has used, the ended processes' with it; 0 once it is removed."""
        try:
            if self._cpu < 0:
                self._cpu = os.open(self.folder / "cpu.stat", os.O_RDONLY)
            return int(os.pread(self._cpu, 64, 0).split(None, 2)[1]) * 1000  # first comes usage_usec
        except OSError:
            return 0

    def memory_bytes(self) -> int:
        """Return what the group holds now; 0 where memory is not counted."""
        try:
            return int((self.folder / "memory.current").read_text())
        except FileNotFoundError:
            return 0

    def most_memory_bytes(self) -> int:
        """Return the most that the group has held so far; 0 where the kernel does not tell (before Linux 5.19)."""
        try:
            return int((self.folder / "memory.peak").read_text())
        except FileNotFoundError:
            return 0

    @property
    def counts_memory(self) -> bool:
        """Whether the kernel counts the group's memory, and the kills for it."""
        return (self.folder / "memory.events").exists()

    def memory_kills(self) -> int:
        """Return how many processes were killed because the group's memory was spent."""
        return self._value("memory.events", "oom_kill") if self._value("memory.events", "oom") else 0

    def outside_memory_kills(self) -> int:
        """Return how many processes were killed for want of memory while the group had not reached its limit.

        The kernel counts every victim of its memory killer in `oom_kill`, and in `oom` how often the limit was reached.
        """
        return 0 if self._value("memory.events", "oom") else self._value("memory.events", "oom_kill")

    def oomd_kills(self) -> int:
        """Return how many processes of the group systemd-oomd has killed; it leaves their number at the group."""
        try:
            return int(os.getxattr(self.folder, OOMD_KILLS))
        except (AttributeError, OSError, ValueError):
            return 0

    def _value(self, file: str, key: str) -> int:
        """Return one number of a file of "key value" lines; 0 where there is none."""
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
        """Wait for the kernel to say that a file has changed, until it says what is waited for."""
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


def _in_one_name(token: str) -> str:
    return token.replace("/", "-")


def _remove(folder: Path, limit_s: float) -> bool:
    """Kill all that is in a group and remove it; return whether it is gone."""
    with contextlib.suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
    until = time.monotonic() + limit_s
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:  # a process is still on its way out
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
        else:
            return True


def _folder(mounts: str, groups: str) -> Path:
    """Return where the group of version 2 is that this process is in."""
    inside = next((line[3:] for line in groups.splitlines() if line.startswith("0::")), None)
    for line in mounts.splitlines():
        fields, _, kind = line.partition(" - ")
        if inside is not None and kind.startswith("cgroup2 "):
            root, place = fields.split()[3:5]
            if inside == root or inside.startswith(root.rstrip("/") + "/"):
                return Path(place) / Path(inside).relative_to(root)
    raise UsageError(
        "there are no control groups of version 2 here", "use a system with cgroup v2 and systemd"
    )


def _hands_on(folder: Path) -> bool:
    """Return whether the group has been made ready for bots' groups below it."""
    try:
        enabled = (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
    return bool(set(enabled) & set(WANTED)) and os.access(folder, os.W_OK)


def _is_delegated(folder: Path) -> bool:
    """Return whether systemd says that it leaves the group to us."""
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return _systemd_delegates(folder)


@cache
def _systemd_delegates(folder: Path) -> bool:
    """Return whether systemd says so when it is asked: older managers of users leave no mark at their groups."""
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
