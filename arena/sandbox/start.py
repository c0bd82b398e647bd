"""Starts one bot with three pipes in a new session, inside a sandbox if there is one."""

import contextlib
import errno
import os
import resource
import subprocess
from pathlib import Path

from msgspec import Struct

from arena.core.errors import UsageError
from arena.sandbox.bot_program import Bounds, Program, environment, fitting, process_bounds, stage_python
from arena.sandbox.bubblewrap import GO, launch
from arena.sandbox.bubblewrap_status import Status
from arena.sandbox.cgroups import BotGroup
from arena.sandbox.confinement import Confinement
from arena.sandbox.machine_shortage import REFUSALS
from arena.sandbox.runtimes import PYTHON_FOLDER, Origin, ProgramMissing, Runtimes, python_name
from arena.sandbox.shared_folder_overlays import Overlays, Workshop
from arena.sandbox.survivors import kill_group
from arena.sandbox.usage import Usage

TOO_LARGE = frozenset({errno.E2BIG, errno.ENAMETOOLONG, errno.ELOOP})
"""Errors at the start that the bot's own arguments, names or links cause."""
BEGIN_S = 10.0
"""How long bubblewrap may take to start its first process."""


class CannotStart(Exception):
    """The program can't start, by the bot's fault; the text says why. `number`: the system's error; 0 if none."""

    def __init__(self, text: str, number: int = 0) -> None:
        super().__init__(text)
        self.number = number


class Started(Struct):
    """A started program with its pipes, status and control group. The caller owns all of them."""

    popen: "subprocess.Popen[bytes]"
    """The program itself, or bubblewrap around it."""
    stdin: int
    stdout: int
    stderr: int
    """Our ends of its pipes."""
    status: Status | None = None
    """bubblewrap's reports; None without a sandbox."""
    group: BotGroup | None = None

    def exit_code(self) -> int | None:
        """Return the exit code of an ended program, or minus the signal that ended it; None while it runs.

        Doesn't reap the process: its pid must not be reused while its group may still have to be killed.
        """
        if self.popen.returncode is not None or not hasattr(os, "waitid"):
            return self.popen.poll()
        try:
            ended = os.waitid(os.P_PID, self.popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # the arena was started with SIGCHLD ignored
            return self.popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def usage(self) -> Usage | None:
        """Return the counters of what it uses; None while its sandbox is still being built."""
        if self.status is None:
            return Usage(self.popen.pid)
        self.status.update()
        bot_pid = self.status.bot_pid()
        return None if bot_pid is None else Usage(bot_pid, self.status.child_pid, self.group)

    def strike(self) -> None:
        """Send SIGKILL to its process group without waiting."""
        if self.popen.returncode is None:
            kill_group(self.popen.pid)
            with contextlib.suppress(PermissionError):
                self.popen.kill()


def start(
    confinement: Confinement,
    program: Program,
    staged: Path,
    scratch: Path,
    *,
    slot: int,
    token: str,
    engine: Path | None,
    overlays: Overlays | None = None,
    workshop: Workshop | None = None,
    lets_in: bool = True,
) -> Started:
    """Start a program whose files were copied to `staged`; without a sandbox, it may write to `scratch`.

    Unless `lets_in`, call `let_in` afterwards, so that several starts can wait for the system together. `token` must be
    unique, as it also names the control group. Without `overlays` the bot can't lock files. With a `workshop` it may
    change its own files: in a sandbox those of the workshop, otherwise those in `staged`. Raises CannotStart if the bot
    is at fault, and OSError if the system refuses.
    """
    group = None
    started = None
    bounds = fitting(confinement.bounds, confinement.runtimes.file_name(program.command[0]))
    if confinement.delegation is not None:
        group = BotGroup(confinement.delegation, token, bounds)
    try:
        if confinement.tools is None:
            shown_engine, builds = engine if program.engine else None, workshop is not None
            argv, variables = _unconfined(
                program, staged, scratch, token, shown_engine, confinement.runtimes, builds=builds
            )
            started = _start_plainly(program.command[0], argv, variables, staged, bounds)
            if group is not None:
                with contextlib.suppress(ProcessLookupError):
                    group.add(started.popen.pid)
        else:
            with launch(
                confinement.tools,
                program,
                staged,
                bounds,
                slot=slot,
                token=token,
                runtimes=confinement.runtimes,
                engine=engine,
                overlays=overlays,
                gated=group is not None,
                workshop=workshop,
            ) as prepared:
                started = _popen(prepared.argv, prepared.env, staged, prepared.pass_fds)
            started.status = Status(prepared.status, prepared.scratch)
            started.group = group
            if lets_in:
                let_in(started)
    except BaseException as error:
        if started is not None:
            _end(started)
        if group is not None:
            group.remove()
        if isinstance(error, ProgramMissing):  # it existed when the run began
            raise OSError(errno.ENOENT, str(error)) from None
        if isinstance(error, UsageError):
            raise CannotStart(str(error)) from None
        if started is None and (reason := _of_what_it_brought(error)):
            raise CannotStart(f"the program {program.command[0]!r} could not be started: {reason}") from None
        raise
    started.group = group
    return started


def _of_what_it_brought(error: BaseException) -> str:
    """Return the reason for an error that the bot's own arguments or names caused; empty for any other error."""
    if isinstance(error, UnicodeEncodeError):
        return "an argument is no text that can be encoded"
    if isinstance(error, ValueError) and "null byte" in str(error):
        return str(error)
    return str(error.strerror) if isinstance(error, OSError) and error.errno in TOO_LARGE else ""


def _end(started: Started) -> None:
    started.strike()
    started.popen.wait()
    for descriptor in (started.stdin, started.stdout, started.stderr):
        os.close(descriptor)
    if started.status is not None:
        started.status.close()


def let_in(started: Started) -> None:
    """Move a sandbox into its control group, then let the program in it start. Does nothing if it has no group.

    Moving a process takes some milliseconds, during which bubblewrap builds the sandbox. Children of a member join the
    group, so after process 1 at most one other process is left to move. Raises OSError if the system refuses.
    """
    status, group = started.status, started.group
    if status is None or group is None:
        return
    if status.wait_begun(BEGIN_S) and status.child_pid is not None:
        _add(group, status.child_pid)
        for pid in set(status.members()) - group.members():
            _add(group, pid)
    with contextlib.suppress(BrokenPipeError):
        os.write(started.stdin, GO)


def _add(group: BotGroup, pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        group.add(pid)


def _unconfined(
    program: Program,
    staged: Path,
    scratch: Path,
    token: str,
    engine: Path | None,
    runtimes: Runtimes,
    *,
    builds: bool,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the command and environment to start without a sandbox. Raises UsageError if bots may not start it."""
    found = runtimes.find(program.command[0], staged)
    path, programs = found.program, None
    if found.origin is Origin.PYTHON:
        programs = stage_python(staged.with_name(PYTHON_FOLDER), runtimes.python)
        path = programs / python_name(program.command[0])
    elif found.origin is Origin.LISTED:
        programs = path.parent
    return (str(path), *program.command[1:]), environment(token, scratch, engine, programs, builds=builds)


def _start_plainly(
    name: str, argv: tuple[str, ...], variables: dict[str, str], folder: Path, bounds: Bounds
) -> Started:
    try:
        started = _popen(argv, variables, folder)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in REFUSALS:
            raise
        number, reason = (error.errno, error.strerror) if isinstance(error, OSError) else (0, str(error))
        raise CannotStart(f"the program {name!r} could not be started: {reason}", number or 0) from error
    _bound(started.popen.pid, bounds)
    return started


def _popen(
    argv: tuple[str, ...], env: dict[str, str], folder: Path, inherited: tuple[int, ...] = ()
) -> Started:
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        reads, stdin = _pipe(theirs, ours)
        stdout, writes = _pipe(ours, theirs)
        stderr, logs = _pipe(ours, theirs)
        popen = subprocess.Popen(
            argv,
            cwd=folder,
            env=env,
            stdin=reads,
            stdout=writes,
            stderr=logs,
            pass_fds=inherited,
            start_new_session=True,
        )
        ours.pop_all()
        return Started(popen, stdin, stdout, stderr)


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Return the read end and the write end of a new pipe; the given stacks close them."""
    reads, writes = os.pipe()
    reader.callback(os.close, reads)
    writer.callback(os.close, writes)
    return reads, writes


def _bound(pid: int, bounds: Bounds) -> None:
    """Set the limits of a single process, if the system allows it. Not its process limit, which counts per user."""
    if not hasattr(resource, "prlimit"):
        return
    for _, kind, value in process_bounds(bounds):
        with contextlib.suppress(OSError, ValueError):
            hard = resource.prlimit(pid, kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, kind, (value, value))
