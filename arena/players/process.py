"""One bot process, from its start to its end."""

import contextlib
import errno
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from arena.players.base import PlayerLog
from arena.players.channel import Channel
from arena.players.usage_monitor import BotMonitor
from arena.sandbox.account_slots import Slots
from arena.sandbox.bot_program import Program, stage
from arena.sandbox.bubblewrap_status import SIGNALLED, ended_by
from arena.sandbox.cgroups import BotGroup
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.folder_removal import empty, remove_tree
from arena.sandbox.machine_shortage import REFUSALS
from arena.sandbox.shared_folder_overlays import Overlays
from arena.sandbox.start import TOO_LARGE, CannotStart, let_in, start
from arena.sandbox.survivors import find_marked, with_descendants
from protocol import codec
from protocol.messages import Quit
from protocol.verdicts import Reason

VMSTAT = Path("/proc/vmstat")
READ_AGAIN_S = 1.0
"""How old a count may be to be used again; reading it takes as long as several decisions."""


class MemoryKiller:
    """Counts the out-of-memory kills on this machine since it was booted."""

    def __init__(self, vmstat: Path = VMSTAT, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._vmstat = vmstat
        self._monotonic_s = monotonic_s
        self._read_s = float("-inf")
        self._recent: int | None = None

    def victims(self) -> int | None:
        """Return the current count; None if the kernel doesn't report it."""
        self._recent = _counted(self._vmstat)
        self._read_s = self._monotonic_s()
        return self._recent

    def recent_victims(self) -> int | None:
        """Return a count that is at most `READ_AGAIN_S` old."""
        if self._monotonic_s() - self._read_s > READ_AGAIN_S:
            return self.victims()
        return self._recent


def _counted(vmstat: Path) -> int | None:
    try:
        lines = vmstat.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)


OF_THIS_MACHINE = MemoryKiller()


class EndedFromOutside(Exception):
    """The sandbox was killed from outside, which no bot can do: a platform error."""


class KillEvidence:
    """What the kernel recorded about the end of one bot process.

    If the bot has a control group that counts memory, only that group's kills count, not those of other bots.
    Otherwise all out-of-memory kills of the machine count that happened since the bot's last answer.
    """

    __slots__ = ("_before", "_group", "_killer")

    def __init__(self, group: BotGroup | None) -> None:
        self._group = group
        self._killer = OF_THIS_MACHINE
        self._before = self._killer.recent_victims()

    def heard(self) -> None:
        """Record that the bot is alive: it has just answered."""
        self._before = self._killer.recent_victims()

    def found(self) -> str:
        """Return why the system is to blame for the SIGKILL that ended the bot, with figures; empty if it isn't."""
        if self._group is not None:
            if self._group.oomd_kills():
                return "killed: systemd-oomd has ended the bot's control group"
            if self._group.counts_memory:
                if self._group.outside_memory_kills():
                    return "killed: the machine was out of memory, and the bot within its limit"
                return ""
        now = self._killer.victims()
        if now is None or self._before is None or now <= self._before:
            return ""
        return (
            f"killed: the system's memory killer has ended {now - self._before} processes of this machine since "
            "the bot was last heard of"
        )


EXIT_GRACE_MS = 100
"""How long to wait for the exit code after a pipe has closed."""
KILL_WAIT_MS = 5_000
"""How long to wait for a killed process to disappear. It takes longer than a moment only if the kernel blocks it."""
_NOT_STARTED = re.compile(rb"^(?:prlimit|setpriv): failed to execute .*: (.+)$", re.MULTILINE)
"""The error of the launcher (prlimit or setpriv) when it can't execute the bot's program."""
NOT_STARTED = {
    errno.EACCES: Reason.NOT_EXECUTABLE,
    errno.ENOENT: Reason.NO_INTERPRETER,
    errno.ENOEXEC: Reason.WRONG_FORMAT,
}
"""Why the system didn't start a program, by its error."""
_NUMBERS = {os.strerror(number): number for number in (*NOT_STARTED, *REFUSALS)}
_NO_COMMAND = 127
_SET_UP_FAILED = re.compile(rb"\Abwrap: (?:.*: )?([^:\n]+)$", re.MULTILINE)
"""The error of bubblewrap when it can't build the sandbox; the reason comes last."""
_NO_SLOTS = Slots(distinct=False)


class BotProcess:
    """A running bot program with its pipes, its copy of the files, its sandbox and its scratch folder."""

    def __init__(
        self,
        program: Program,
        place: Path,
        token: str,
        engine_path: Path | None,
        confinement: Confinement = UNCONFINED,
        slots: Slots = _NO_SLOTS,
        overlays: Overlays | None = None,
        *,
        lets_in: bool = True,
    ) -> None:
        """Start the program in a fresh copy of its folder, in the new folder `place`. The token must be unique.

        Unless `lets_in`, call `let_in` before anything else but `kill`. Raises CannotStart if bots may not start this
        program, and OSError if the system refuses to start it or lacks it.
        """
        self.token = token
        self.deals: set[tuple[str, int]] = set()
        """The deals (league, first match on it) that this process has played."""
        self.games = 0
        self.asked = 0
        """The id of the last ask."""
        self.stale_replies = 0
        """Answers in this game to asks that had already been answered."""
        self._command = program.command[0]
        self._scratch = place / "scratch"
        self._place = place
        self._slots = slots
        self._overlays = overlays
        self._is_gone = False
        slot = slots.take()
        try:
            self._scratch.mkdir(parents=True)
            folder = place / "bot"
            _stage(program.folder, folder)
            started = start(
                confinement,
                program,
                folder,
                self._scratch,
                slot=slot,
                token=token,
                engine=engine_path,
                overlays=overlays,
                lets_in=lets_in,
            )
        except BaseException:
            if overlays is not None:
                overlays.end_scratch(slot)
            slots.give_back(slot)
            remove_tree(place)
            raise
        self._slot = slot
        self._started = started
        self._popen, self._status, self._group = started.popen, started.status, started.group
        self.channel = Channel(started.stdin, started.stdout, started.stderr)
        self.pid = self._popen.pid
        self.evidence = KillEvidence(self._group)
        self.monitor = BotMonitor(
            started.usage, self._group, confinement.bounds, pondering=confinement.pondering
        )

    def let_in(self) -> None:
        """Let the program start in its sandbox. Raises OSError if the system refuses; then call `kill`."""
        let_in(self._started)

    def members(self) -> list[int]:
        """Return the pids of all processes of the bot. May miss those started in the meantime."""
        if self._status is None:
            return sorted({*with_descendants([self.pid]), *find_marked(self.token)})
        self._status.update()
        return self._status.members()

    def empty_scratch(self) -> None:
        """Empty all folders that the bot can write to. Raises OSError if that fails."""
        if self._status is None:
            empty(self._scratch)
            return
        self._status.update()
        for folder in self._status.writable_folders():
            empty(folder)

    def take_log(self) -> PlayerLog:
        """Return the log of the game and start a new one."""
        log, stale = self.channel.log.take(), self.stale_replies
        self.stale_replies = 0
        return replace(log, stale_replies=stale) if stale else log

    def ending(self, closed: str) -> tuple[str, Reason | None]:
        """Return how the process ended, in words and in one; `closed` names the pipe that closed before it ended."""
        if not self.wait(EXIT_GRACE_MS):
            return f"closed its {closed} but went on running", Reason.CLOSED
        code = self._started.exit_code()
        if self._status is not None and code is not None:
            if code in (126, 127):
                self.channel.drain_log()  # the reason may have arrived since the last read
                if reason := _NOT_STARTED.search(self.channel.log.head):
                    why = reason[1].decode(errors="replace")
                    words = f"the program {self._command!r} could not be started: {why}"
                    return words, NOT_STARTED.get(_NUMBERS.get(why, 0))
            if code > SIGNALLED:
                code = SIGNALLED - code  # bubblewrap passes a signal on as a shell does
        if code is not None and code < 0:
            return ended_by(-code), Reason.KILLED if -code == signal.SIGKILL else Reason.CRASHED
        reasons = {0: Reason.EXITED, _NO_COMMAND: Reason.NOT_FOUND}
        return f"exited with code {code}", reasons.get(code or 0, Reason.FAILED)

    def killed_by_system(self) -> str:
        """Return why the system is to blame for the end of the process, with figures; empty if it isn't.

        SIGKILL alone proves nothing: the bot may have sent it to itself.
        """
        killed = -signal.SIGKILL if self._status is None else SIGNALLED + signal.SIGKILL
        return self.evidence.found() if self._started.exit_code() == killed else ""

    def raise_if_ended_from_outside(self) -> None:
        """Raise EndedFromOutside if a signal ended the process around the sandbox.

        That process is outside the bot's process namespace, so the bot can't have sent the signal.
        """
        code = self._started.exit_code()
        if self._status is not None and code is not None and code < 0:
            name = signal.Signals(-code).name
            raise EndedFromOutside(f"the sandbox was ended from outside, by {name}; no bot can do that")

    def raise_if_never_built(self) -> None:
        """Raise OSError if the machine didn't let bubblewrap build the sandbox, so that the bot never ran.

        bubblewrap reports how the program inside ended. If bubblewrap exits without that report, no program ran.
        """
        if self._status is None or not self.wait(EXIT_GRACE_MS) or self._started.exit_code() != 1:
            return
        self._status.update()
        self.channel.drain_log()
        said = _SET_UP_FAILED.search(self.channel.log.head)
        if self._status.exit_code is None and said:
            number = _NUMBERS.get(said[1].decode(errors="replace"), 0)
            if number in REFUSALS:
                raise OSError(number, os.strerror(number))

    def wait(self, limit_ms: int) -> bool:
        """Wait for the process to end; return whether it did. Doesn't reap it, so its pid isn't reused yet."""
        if self._started.exit_code() is not None:
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
        return self._started.exit_code() is not None

    def ask_to_quit(self) -> None:
        """Send `quit` and close standard input; don't wait for the process to end."""
        self.monitor.begin_leaving()
        if not self.channel.stdin_ended:
            with contextlib.suppress(OSError):
                line = codec.encode(Quit())
                os.write(self.channel.stdin, line)
                if self.channel.tap is not None:
                    self.channel.tap.sent(line)
        self.channel.close_stdin()

    def strike(self) -> None:
        """Send SIGKILL to the bot without waiting; call `kill` later."""
        self._started.strike()

    def kill(self, remove: Callable[[Path], object] = remove_tree) -> bool:
        """Kill all processes of the bot, reap it, `remove` its folders; return whether all processes are gone.

        May be called again; does nothing if everything is already gone.
        """
        if self._is_gone:
            return True
        self.monitor.close()
        self.strike()
        gone = self.wait(KILL_WAIT_MS)
        if gone:
            self._popen.wait()
        if self._status is not None:
            gone = self._status.wait_ended(KILL_WAIT_MS / 1000)
        if self._group is not None:
            gone = self._group.remove() and gone
        if gone:
            if self._overlays is not None:
                self._overlays.end_scratch(self._slot)
            self._slots.give_back(self._slot)
            if self._status is not None:
                self._status.close()
        self.channel.close()
        remove(self._place)
        self._is_gone = gone
        return gone


def _stage(folder: Path, target: Path) -> None:
    """Copy a bot's files. Raises CannotStart if its files can't be copied, and OSError as `stage`."""
    try:
        stage(folder, target)
    except RecursionError:
        raise CannotStart("its files could not be copied: its folders are nested too deep") from None
    except OSError as error:
        if error.errno not in TOO_LARGE:
            raise
        raise CannotStart(f"its files could not be copied: {error.strerror}") from None
