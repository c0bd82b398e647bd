"""One bot process: started, asked to quit, killed."""

import contextlib
import errno
import os
import select
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from arena.core.errors import UsageError
from arena.players.base import PlayerLog
from arena.players.channel import Channel
from arena.sandbox.folders import remove_tree
from arena.sandbox.program import Program, environment, resolve_command, stage
from arena.sandbox.survivors import kill_group
from protocol import codec
from protocol.messages import Quit

EXIT_GRACE_MS = 100
"""How long an ended pipe may be ahead of the exit code."""
KILL_WAIT_MS = 5_000
"""How long a killed process may take to be gone; only one that the system holds takes more than a moment."""
REFUSALS = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT})
"""Errors of a start that are the machine's fault, not the bot's."""


class CannotStart(Exception):
    """The program cannot be started at all, and that is the bot's fault; the text says why."""


class BotProcess:
    """A running bot program with its pipes, its copy of the files and its scratch folder."""

    def __init__(self, program: Program, place: Path, token: str, engine_path: Path | None) -> None:
        """Start the program in a fresh copy of its folder, in the new folder `place`.

        Raises CannotStart where there is no such program, OSError where the system refuses.
        """
        self.matches: set[tuple[str, int]] = set()
        """The matches (league, match_no) this process has played a game of."""
        self.games = 0
        self.asked = 0
        """The id of the last ask."""
        self.stale_replies = 0
        """Answers, in this game, to asks that were answered already."""
        self.scratch = place / "scratch"
        self._place = place
        self._is_killed = False
        try:
            self.scratch.mkdir(parents=True)
            folder = place / "bot"
            stage(program.folder, folder)
            environ = environment(token, self.scratch, engine_path if program.engine else None)
            self._popen, self.channel = _start(program.command, folder, environ)
        except BaseException:
            remove_tree(place)
            raise
        self.pid = self._popen.pid
        self._cpu_clock = (~self.pid << 3) | 2

    def take_log(self) -> PlayerLog:
        """Return the log of the game, and begin anew."""
        log, stale = self.channel.log.take(), self.stale_replies
        self.stale_replies = 0
        return replace(log, stale_replies=stale) if stale else log

    def cpu_ns(self) -> int:
        """Return the CPU time the process itself has used; 0 where the system does not tell."""
        try:
            return time.clock_gettime_ns(self._cpu_clock)
        except OSError:
            return 0

    def ending(self, closed: str) -> str:
        """Return how the process ended, in words; `closed` is the pipe that ended before it did."""
        if not self.wait(EXIT_GRACE_MS):
            return f"closed its {closed} but went on running"
        code = self._exit_code()
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
            return f"was ended by signal {-code}"
        return f"exited with code {code}"

    def wait(self, limit_ms: int) -> bool:
        """Wait for the process to end; return whether it did. It keeps its number until it is killed or dropped."""
        if self._exit_code() is not None:
            return True
        if limit_ms > 0:
            try:
                descriptor = os.pidfd_open(self.pid)
            except (AttributeError, OSError):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(limit_ms / 1000)
            else:
                poll = select.poll()
                poll.register(descriptor, select.POLLIN)
                poll.poll(limit_ms)
                os.close(descriptor)
        return self._exit_code() is not None

    def _exit_code(self) -> int | None:
        """Return the exit code, or minus the signal, of a process that has ended; None: it runs.

        Does not take it off the process table: its number stays its own, so that its group can still be killed.
        """
        if self._popen.returncode is not None or not hasattr(os, "waitid"):
            return self._popen.poll()
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # whoever started the arena has it ignore the ends of children
            return self._popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def ask_to_quit(self) -> None:
        """Send `quit` and close standard input; the process may take a while."""
        if not self.channel.stdin_ended:
            with contextlib.suppress(OSError):
                os.write(self.channel.stdin, codec.encode(Quit()))
        self.channel.close_stdin()

    def kill(self) -> None:
        """Kill the process group, reap the process, remove its folders. May be called twice."""
        if self._is_killed:
            return
        self._is_killed = True
        if self._popen.returncode is None:
            kill_group(self.pid)
            with contextlib.suppress(PermissionError):
                self._popen.kill()
            if self.wait(KILL_WAIT_MS):
                self._popen.wait()
        self.channel.close()
        remove_tree(self._place)


def _start(
    command: tuple[str, ...], folder: Path, environ: dict[str, str]
) -> tuple["subprocess.Popen[bytes]", Channel]:
    """Start a program with pipes of its own, in a session of its own."""
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        reads, stdin = _pipe(theirs, ours)
        stdout, writes = _pipe(ours, theirs)
        stderr, logs = _pipe(ours, theirs)
        try:
            popen = subprocess.Popen(
                resolve_command(command, folder),
                cwd=folder,
                env=environ,
                stdin=reads,
                stdout=writes,
                stderr=logs,
                start_new_session=True,
            )
        except UsageError as error:
            raise CannotStart(str(error).removeprefix(f"{folder}: ")) from None
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in REFUSALS:
                raise
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CannotStart(f"the program {command[0]!r} could not be started: {reason}") from error
        ours.pop_all()
        return popen, Channel(stdin, stdout, stderr)


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Return the ends of a new pipe, reading end first; each is closed by the stack of its owner."""
    reads, writes = os.pipe()
    reader.callback(os.close, reads)
    writer.callback(os.close, writes)
    return reads, writes
