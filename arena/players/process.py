"""One bot process: started, greeted, asked to quit, killed."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from arena.players.base import Fault
from arena.players.channel import Channel, Exchange, run
from arena.sandbox.program import Program, environment, remove_tree, resolve_command, stage
from arena.sandbox.survivors import kill_group
from protocol import codec
from protocol.messages import Hello, HelloReply, Message, Quit
from protocol.verdicts import Verdict
from protocol.versions import SUPPORTED

EXIT_GRACE_MS = 100
"""How long an ended pipe may be ahead of the exit code."""


class BotProcess:
    """A running bot program with its pipes, its copy of the files and its scratch folder."""

    def __init__(self, program: Program, place: Path, token: str, engine_path: Path | None) -> None:
        """Start the program in a fresh copy of its folder below `place`.

        Raises OSError where the system refuses, UsageError where the program is not installed.
        """
        self.matches: set[tuple[str, int]] = set()
        """The matches (league, match_no) this process has played a game of."""
        self.games = 0
        self.asked = 0
        """The id of the last ask."""
        self.stale_replies = 0
        self._place = place
        self.scratch = place / "scratch"
        self.scratch.mkdir(parents=True)
        folder = place / "bot"
        stage(program.folder, folder)
        self._popen = subprocess.Popen(
            resolve_command(program.command, folder),
            cwd=folder,
            env=environment(token, self.scratch, engine_path if program.engine else None),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self.pid = self._popen.pid
        self._cpu_clock = (~self.pid << 3) | 2
        self.channel = Channel(*map(_take_over, _pipes(self._popen)))

    def cpu_ns(self) -> int:
        """Return the CPU time the process itself has used; 0 where the system does not tell."""
        try:
            return time.clock_gettime_ns(self._cpu_clock)
        except OSError:
            return 0

    def exchange(self, message: Message, limit_ms: int, on_line: Callable[[bytes], bool]) -> Exchange:
        """Send a message and wait until `on_line` takes an answer or the time is up."""
        exchange = Exchange(self.channel, codec.encode(message, self.channel.line_bytes), limit_ms * 1_000_000, on_line)
        run([exchange])
        return exchange

    def greet(self, limit_ms: int) -> Fault | None:
        """Shake hands within the time for starting up. Returns a `startup` fault if it fails."""
        answer: list[str] = []

        def on_line(line: bytes) -> bool:
            try:
                reply = codec.decode(line)
            except codec.MalformedLine as error:
                answer.append(f"answered `hello` with a line that is no message: {error}")
                return True
            if not isinstance(reply, HelloReply):
                answer.append("answered `hello` with another message")
            elif reply.protocol not in SUPPORTED:
                answer.append(
                    f"chose protocol {reply.protocol}; the arena speaks {', '.join(map(str, SUPPORTED))}"
                )
            return True

        done = self.exchange(Hello(protocols=list(SUPPORTED)), limit_ms, on_line)
        if done.failure:
            return Fault(Verdict.STARTUP, self.explain(done.failure, "`hello`", limit_ms))
        return Fault(Verdict.STARTUP, answer[0]) if answer else None

    def explain(self, failure: str, asked: str, limit_ms: float) -> str:
        """Return why there was no answer, in words, with figure and limit."""
        if failure == "ended":
            return f"{self.ending()} before it answered {asked}"
        if failure == "overlong":
            return f"line: {self.channel.line_bytes} bytes limit, still no newline"
        if failure == "unread":
            return f"did not read {asked} within {limit_ms:.0f} ms: its input pipe is full"
        return f"no answer to {asked} within {limit_ms:.0f} ms"

    def ending(self) -> str:
        """Return how the process ended, in words."""
        if not self.wait(EXIT_GRACE_MS):
            return "closed its output but went on running"
        code = self._popen.returncode
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
            return f"was ended by signal {-code}"
        return f"exited with code {code}"

    @property
    def has_exited(self) -> bool:
        """Whether the process is gone."""
        return self._popen.poll() is not None

    def wait(self, limit_ms: int) -> bool:
        """Wait for the process to exit; return whether it did."""
        if self._popen.poll() is not None:
            return True
        try:
            descriptor = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            try:
                self._popen.wait(limit_ms / 1000)
            except subprocess.TimeoutExpired:
                return False
            return True
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll(limit_ms)
        finally:
            os.close(descriptor)
        return self._popen.poll() is not None

    def ask_to_quit(self) -> None:
        """Send `quit` and close standard input; the process may take a while."""
        with contextlib.suppress(OSError):
            os.write(self.channel.stdin, codec.encode(Quit()))
        self.channel.close_stdin()

    def kill(self) -> None:
        """Kill the process group, reap the process, remove its folders. May be called twice."""
        kill_group(self.pid)
        self._popen.kill()
        self._popen.wait()
        self.channel.close()
        remove_tree(self._place)


def _pipes(popen: "subprocess.Popen[bytes]") -> tuple[object, object, object]:
    return popen.stdin, popen.stdout, popen.stderr


def _take_over(pipe: object) -> int:
    """Return a descriptor of our own for a pipe that Popen made, and close Popen's."""
    number = os.dup(pipe.fileno())  # type: ignore[attr-defined]  # a raw pipe: all three were asked for
    pipe.close()  # type: ignore[attr-defined]
    return number
