"""Finds out how well this machine can confine bots.

An installed bubblewrap proves little, as many systems forbid what it needs. So the probe starts a program with exactly
the arguments that bots get, and lets it try what is forbidden.
"""

import errno
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.core.errors import UsageError
from arena.sandbox.account_slots import PROBE_SLOT
from arena.sandbox.bot_program import Bounds, Program
from arena.sandbox.bubblewrap import Tools, find_tools, launch
from arena.sandbox.bubblewrap_remedies import GROUPS, container, remedy
from arena.sandbox.bubblewrap_status import Status
from arena.sandbox.cgroups import NEEDED, REMEDY, Delegation, find_delegation, hand_on, try_out
from arena.sandbox.kept_probe import forget, is_kept, keep, key_of
from arena.sandbox.machine_shortage import refusal
from arena.sandbox.run_folder import PROBE, RunFolder
from arena.sandbox.runtimes import Runtimes
from arena.sandbox.shared_folder_overlays import NamespacesRefused, Overlays
from arena.sandbox.survivors import IS_LINUX, kill_group
from results.base.isolation_levels import Level

ENDED_S = 20.0
"""How long the processes of a killed sandbox may take to disappear."""


@contextmanager
def running_inside(
    tools: Tools,
    program: Program,
    slot: int,
    token: str,
    *,
    bounds: Bounds | None = None,
    runtimes: Runtimes | None = None,
    engine: Path | None = None,
    overlays: Overlays | None = None,
    **how: Any,
) -> "Iterator[tuple[subprocess.Popen[Any], Status]]":
    """Run a program inside the sandbox; kill it and all it has started at the end of the context.

    The program runs in its own folder, not in a copy. `slot`, `engine` and `overlays` are as for `bubblewrap.launch`.
    `how` is passed to Popen, for pipes or another account. Raises as `launch`.
    """
    with launch(
        tools,
        program,
        program.folder,
        bounds or Bounds(),
        slot=slot,
        token=token,
        runtimes=runtimes,
        engine=engine,
        overlays=overlays,
    ) as start:
        process = subprocess.Popen(
            start.argv, env=start.env, pass_fds=start.pass_fds, start_new_session=True, **how
        )
    with process, Status(start.status) as status:
        try:
            yield process, status
        finally:
            if process.returncode is None:
                kill_group(process.pid)
                process.kill()
            status.wait_ended(ENDED_S)  # until then, its processes count against limits


_MARK = "probe"
TRY_S = 20.0
"""How long one trial of the probe may take."""


REQUIRED = Level.CONFINED
"""The level that `sandbox = require` asks for: the strongest one that needs no service on the host."""


class Check(Struct, frozen=True):
    """The result of one check."""

    name: str
    trouble: str = ""
    """What is wrong; empty if the check passed."""
    remedy: str = ""
    is_refused: bool = False
    """Whether the machine ran out of a resource, so that the check is inconclusive."""

    @property
    def passed(self) -> bool:
        """Whether the check passed."""
        return not self.trouble


class ProbeReport(Struct, frozen=True):
    """What the probe found."""

    level: Level
    """The strongest level available on this machine."""
    checks: tuple[Check, ...]
    """In the order they were made. Checks that depend on a failed one are skipped."""
    tools: Tools | None = None
    """The tools to start bots with; None below `NAMESPACES`."""
    delegation: Delegation | None = None
    """The group for bots' control groups; its controllers, if any, have been passed on."""

    @property
    def missing(self) -> tuple[Check, ...]:
        """The failed checks: what keeps this machine from the highest level."""
        return tuple(check for check in self.checks if not check.passed)

    def lines(self) -> list[str]:
        """Return the report as text: the level, then one line for each failed check, with its remedy."""
        first = f"bots run at level {self.level.word!r}: {self.level.contains}"
        return [first, *(f"{check.name}: {check.trouble}; {check.remedy}" for check in self.missing)]


def probe(private: tuple[Path, ...] = (), *, anew: bool = False) -> ProbeReport:
    """Find out by trial how this machine can confine bots. Takes about 0.1 s, once per run. Never raises.

    If all trials succeeded lately, only the first is made again; if that fails, or with `anew`, all are.
    `private` are folders that no bot may see, in addition to the home folder and the current one.
    """
    if not IS_LINUX:
        lone = Check(
            "system", "bots can only be confined on Linux", "use Linux, a virtual machine or a container"
        )
        return ProbeReport(Level.PROCESS, (lone,))
    checks: list[Check] = []
    tools, level, stands = None, Level.PROCESS, False
    try:
        tools = find_tools(private)
    except UsageError as error:
        checks.append(Check("tools", str(error), error.hint))
    except OSError as error:
        checks.append(_refused("tools", error))
    if tools is not None:
        checks.append(Check("tools"))
        key = key_of(tools, Path(tempfile.gettempdir()))
        if not anew and is_kept(key) and (found := _again(tools)):
            checks += found
            level, stands = Level.CONFINED, True
        else:
            forget()
    if tools is not None and not stands:
        with _beside(partial(_locks, tools)) as locks:  # most of each trial is waiting
            checks += _trials(tools)
            if stands := all(check.passed for check in checks):
                checks.append(_seccomp(tools))
                level = Level.CONFINED if checks[-1].passed else Level.NAMESPACES
            if level is Level.CONFINED:
                checks.append(locks())
                if not checks[-1].passed:
                    tools = replace(tools, overlays=None)
                else:
                    keep(key)
    cgroup, delegation = _cgroup()
    if not cgroup.passed and container() is not None:
        cgroup = replace(cgroup, remedy=GROUPS)
    checks.append(cgroup)
    if level is Level.CONFINED and checks[-1].passed:
        level = Level.FULL
    return ProbeReport(level, tuple(checks), tools if stands else None, delegation)


def _again(tools: Tools) -> list[Check]:
    """Make the first trial again, and return the checks that all succeeded before; empty if it fails."""
    try:
        with RunFolder("", PROBE) as place:
            if not _start(tools, place.path).passed:
                return []
    except OSError:
        return []
    return [Check(name) for name in ("start", "interpreter", "forbidden", "seccomp", "file locks")]


@contextmanager
def _beside(trial: Callable[[], Check]) -> Iterator[Callable[[], Check]]:
    """Begin a trial in a thread; yield what returns its result. Without threads, it is made when it is asked for."""
    with ThreadPoolExecutor(1) as threads:
        try:
            begun = threads.submit(trial)
        except RuntimeError:
            yield trial
        else:
            yield begun.result


def _trials(tools: Tools) -> Iterator[Check]:
    try:
        with RunFolder("", PROBE) as place:
            for trial in _TRIALS:
                check = trial(tools, place.path)
                yield check
                if not check.passed:
                    return
    except OSError as error:
        yield _refused("probe", error)


def _refused(name: str, error: OSError) -> Check:
    refused = refusal(error)
    if refused is None:
        return Check(name, str(error), "fix the cause of this error")
    return Check(name, refused.what, refused.remedy, is_refused=True)


def _start(tools: Tools, place: Path) -> Check:
    return _run("start", tools, place, ("true",))[0]


def _interpreter(tools: Tools, place: Path) -> Check:
    check, told = _run("interpreter", tools, place, ("python", "-c", "print('here')"))
    if check.passed and told != b"here\n":
        return Check("interpreter", f"Python said {told[:60]!r}", "use another installation of Python")
    return check


def _forbidden(tools: Tools, place: Path) -> Check:
    """Let a program inside try to read a file of the host, to connect to this process, and to see other processes."""
    canary = place / "canary"
    canary.write_text("seen")
    canary.chmod(0o644)
    strict = () if tools.seccomp is None else ("strict",)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = ("python", "-c", FORBIDDEN, str(canary), str(port), *strict)
        check, told = _run("forbidden", tools, place, command)
    if not check.passed:
        return check
    try:
        done = json.loads(told)
    except ValueError:
        done = [f"said {told[:60]!r}"]
    trouble = "a program inside " + ", ".join(done) if done else ""
    return Check("forbidden", trouble, "report this as a bug in Arena" if done else "")


FORBIDDEN = """
import json, os, socket, sys
done = []
try:
    with open(sys.argv[1]) as file:
        file.read()
    done.append("read a file of the host")
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2).close()
    done.append("connected to the host")
except OSError:
    pass
if {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}:
    done.append("saw other processes")
if sys.argv[3:]:
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()
        done.append("made a forbidden system call")
    except OSError:
        pass
print(json.dumps(done))
"""
"""A program that tries what is forbidden and prints what worked. Outside a sandbox, everything works."""

_TRIALS = (_start, _interpreter, _forbidden)


def _run(
    name: str, tools: Tools, place: Path, command: tuple[str, ...], overlays: Overlays | None = None
) -> tuple[Check, bytes]:
    """Start a command exactly like a bot; return a check of that name, whether it ended well, and what it wrote."""
    staged = place / "bot"
    staged.mkdir(exist_ok=True)
    staged.chmod(0o755)
    try:
        with running_inside(
            tools,
            Program(staged, command),
            PROBE_SLOT,
            _MARK,
            overlays=overlays,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as (process, _):
            told, errors = process.communicate(timeout=TRY_S)
    except UsageError as error:
        return Check(name, str(error), error.hint), b""
    except subprocess.TimeoutExpired:
        return Check(name, f"no result within {TRY_S:.0f} s", "try again when the machine is less busy"), b""
    if process.returncode == 0:
        return Check(name), told
    said = errors.decode(errors="replace").strip().splitlines()
    trouble = said[-1] if said else f"it exited with code {process.returncode}"
    return Check(name, trouble, remedy(trouble), is_refused=trouble.endswith(_OUT_OF)), told


_OUT_OF = tuple(
    f": {os.strerror(number)}" for number in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
)
"""Endings of messages from a machine that has run out of a resource. "No space left on device" isn't among them,
because a system that forbids namespaces reports the same error."""


def _seccomp(tools: Tools) -> Check:
    if tools.seccomp is not None:
        return Check("seccomp")
    return Check(
        "seccomp", "there is no system call filter for this type of machine", "use x86_64 or aarch64"
    )


LOCK = """
import fcntl, os
descriptor = os.open("/tmp/lock", os.O_RDWR | os.O_CREAT)
fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("locked")
"""


def _locks(tools: Tools) -> Check:
    """Let a program inside lock a file, if bots can have their own overlays."""
    name = "file locks"
    advice = (
        "bots can't lock files, which SQLite, for example, needs: use Linux 5.11 or newer with overlayfs, and allow "
        "user namespaces for this user"
    )
    if tools.overlays is None:
        return Check(name, "unshare or nsenter is missing", "install the package util-linux")
    try:
        with RunFolder("", PROBE) as place, Overlays(tools.overlays, place.path / "overlays") as overlays:
            check, told = _run(name, tools, place.path, ("python", "-c", LOCK), overlays)
    except NamespacesRefused as error:
        return Check(name, str(error.strerror), advice)
    except OSError as error:
        refused = _refused(name, error)
        return refused if refused.is_refused else Check(name, str(error), advice)
    if not check.passed or told != b"locked\n":
        return Check(name, check.trouble or f"Python said {told[:60]!r}", advice)
    return check


def _cgroup() -> tuple[Check, Delegation | None]:
    """Look for a delegated control group; return it even if it can only freeze and kill bots."""
    name = "cgroup"
    try:
        delegation = find_delegation()
    except UsageError as error:
        return Check(name, str(error), error.hint), None
    if not delegation.is_whole:
        lacking = ", ".join(name for name in NEEDED if name not in delegation.controllers)
        trouble = f"the control group {delegation.folder} has no controller for {lacking}"
        try:
            hand_on(delegation)
        except OSError as error:
            return Check(name, f"{trouble} and cannot be used: {error.strerror}", REMEDY), None
        return Check(name, trouble, REMEDY), delegation
    if trouble := try_out(delegation):
        return Check(name, trouble, REMEDY), None
    return Check(name), delegation
