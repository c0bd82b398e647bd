"""Child processes that run Arena's own modules: starting them, talking to them, keeping them going.

A child has a session of its own, out of reach of the terminal's Ctrl-C. Parent and child send each other messages
through pipes, because command lines can be read by everybody. One that must not outlive its parent listens to its pipe
(`Pipe.listen`): only the parent has the other end, so the pipe ends with the parent, however that ends.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Any, Generic, Self, TypeVar

import msgspec
from msgspec import Struct

from results.base.permissions import make_folder

T = TypeVar("T")
MOST_BYTES = 8_388_608
"""Longest message, unless a pipe has another bound."""
MOST_LOG_BYTES = 4 * 2**20
"""A larger log is put aside before the next process begins, in place of the one put aside before."""
_PART_BYTES = 65_536


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def uninterrupted_start(tracker: Any, signals: Collection[signal.Signals]) -> Iterator[None]:
    """Block signals while processes start, whose `resource_tracker` is that of `multiprocessing` or `multiprocess`.

    They inherit the block; and none is cut off half started, which it would report with a traceback.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        tracker.ensure_running()  # starting the tracker unblocks some signals
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Unreadable(Exception):
    """What came through a pipe isn't a message of its kind, or is longer than allowed."""


class Failed(Struct, frozen=True, tag="failed"):
    """The last message of a child that can't do its work, for reasons of the machine or of Arena."""

    why: str
    """For people."""
    hint: str = ""
    trace: str = ""
    """For the log; empty if nothing is broken."""

    @property
    def words(self) -> str:
        """Why, and what to do about it."""
        return f"{self.why}; {self.hint}" if self.hint else self.why


def failed(error: Exception) -> Failed:
    """Return an error with a hint as the last message."""
    return Failed(str(error), str(getattr(error, "hint", "")))


class Pipe(Generic[T]):
    """One end of two pipes that carry messages, each as a line of JSON."""

    def __init__(self, reading: int, writing: int, kind: Any, most_bytes: int = MOST_BYTES) -> None:
        """`kind`: the type of what is read. Takes over the descriptors; `writing` may be -1."""
        self._reading, self._writing = reading, writing
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)
        self._most_bytes = most_bytes
        self._received = bytearray()
        self._searched = 0
        self._lock = Lock()

    def send(self, *messages: object) -> bool:
        """Send messages; return whether somebody still reads. Any thread may."""
        packed = memoryview(b"".join(msgspec.json.encode(message) + b"\n" for message in messages))
        with self._lock:
            try:
                while packed and self._writing >= 0:
                    packed = packed[os.write(self._writing, packed) :]
            except OSError:
                return False
            return self._writing >= 0

    def receive(self, wait_s: float | None = None) -> T | None:
        """Return the next message; None at the end. Raises TimeoutError after `wait_s`, Unreadable."""
        while (end := self._received.find(b"\n", self._searched)) < 0:
            self._searched = len(self._received)
            if self._searched > self._most_bytes:
                raise Unreadable(f"a message has more than {self._most_bytes:,} bytes")
            if wait_s is not None and not _has_come(self._reading, wait_s):
                raise TimeoutError
            try:
                part = os.read(self._reading, _PART_BYTES)
            except OSError:
                part = b""
            if not part:
                return None
            self._received += part
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        try:
            return self._decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise Unreadable(str(error)) from None

    def listen(
        self, act: Callable[[T], None] = lambda _: None, at_end: Callable[[], None] = lambda: None
    ) -> Thread:
        """Act on each message, and on the end of the pipe or of what can be read, in a thread; return that."""

        def follow() -> None:
            with suppress(Unreadable):
                while (message := self.receive()) is not None:
                    act(message)
            at_end()

        thread = Thread(target=follow, name="pipe", daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        """Close the writing end, so that the other side comes to the end of its pipe."""
        with self._lock:
            writing, self._writing = self._writing, -1
            if writing >= 0:
                os.close(writing)

    def close_reading(self) -> None:
        """Close the reading end too. Nobody may be reading."""
        self.close()
        reading, self._reading = self._reading, -1
        if reading >= 0:
            os.close(reading)


def _has_come(descriptor: int, wait_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000 * wait_s))


def to_parent(kind: Any, most_bytes: int = MOST_BYTES) -> Pipe[Any]:
    """Return a child's end of the pipes to its parent, which sends messages of this kind.

    It takes them from standard input and output: what starts later can't read orders, and what is printed by mistake
    goes to standard error.
    """
    pipe: Pipe[Any] = Pipe(os.dup(0), os.dup(1), kind, most_bytes)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return pipe


def module(name: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of Arena."""
    return [sys.executable, "-m", name, *arguments]


def start(
    command: Sequence[str],
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] | None = None,
    cwd: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own. Raises OSError if the machine refuses it.

    `environment` is added to that of this process; by default standard error is that of this process too.
    """
    # The packages may be on a path that only this process knows.
    path = os.pathsep.join(str(Path(part).absolute()) for part in sys.path)
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        pass_fds=pass_fds,
        start_new_session=True,
    )


def run(
    command: Sequence[str],
    most_s: float,
    *,
    cwd: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end; return what it wrote. With an error, all of its process group is killed.

    Raises TimeoutError if it takes longer than `most_s`, and OSError.
    """
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, environment=environment)
    try:
        out, said = process.communicate(timeout=most_s)
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    finally:
        kill(process)
    return subprocess.CompletedProcess(command, process.returncode, out, said)


def kill(process: subprocess.Popen[bytes]) -> int:
    """Kill a process with its group, unless it was seen to end; return how it ended, by `returncode`."""
    if process.returncode is None:  # not yet reaped, so its number isn't another's
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


class Child(Pipe[T]):
    """A process with which this one exchanges messages, through its standard input and output."""

    def __init__(
        self,
        command: Sequence[str],
        kind: Any,
        *,
        most_bytes: int = MOST_BYTES,
        stderr: int | IO[bytes] | None = None,
        cwd: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it; see `start` and `Pipe`. `kind`: the type of what it sends. Raises OSError."""
        theirs_in, writing = os.pipe()
        reading, theirs_out = os.pipe()
        super().__init__(reading, writing, kind, most_bytes)
        try:
            self.process = start(
                command, stdin=theirs_in, stdout=theirs_out, stderr=stderr, cwd=cwd, environment=environment
            )
        except BaseException:
            self.close_reading()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.close_reading()

    def kill(self) -> int:
        """Kill it with its process group; return how it ended, by `returncode`."""
        return kill(self.process)

    def end(self, most_s: float) -> int:
        """Let it end by the end of its pipe, and kill it if it takes longer; return how it ended."""
        self.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(most_s)
        return self.kill()


class Pauses:
    """Pauses before something is tried again, each twice as long as the one before, within bounds."""

    def __init__(self, least_s: float = 1.0, most_s: float = 60.0, sound_s: float = 0.0) -> None:
        """`sound_s`: they begin at the shortest again after an attempt that has lasted so long; 0: never."""
        self._least_s, self._most_s, self._sound_s = least_s, most_s, sound_s
        self._next_s = least_s
        self._began_s = time.monotonic()

    def begin(self) -> None:
        """Note that an attempt begins."""
        self._began_s = time.monotonic()

    def lasted(self, seconds: float) -> bool:
        """Return whether the attempt has lasted for so long."""
        return time.monotonic() - self._began_s > seconds

    def next_s(self) -> float:
        """Return how long to pause now that the attempt is over."""
        if self._sound_s and self.lasted(self._sound_s):
            self.reset()
        pause_s, self._next_s = self._next_s, min(self._most_s, 2 * self._next_s)
        return pause_s

    def reset(self) -> None:
        """Begin at the shortest again."""
        self._next_s = self._least_s


def start_logged(
    command: Sequence[str], log: Path, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start a command that writes to the end of a log. Raises OSError.

    Only its owner can read the log, and a link is never followed.
    """
    make_folder(log.parent)
    with suppress(OSError):
        if log.stat().st_size > MOST_LOG_BYTES:
            log.replace(log.with_name(f"{log.name}.1"))
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(log, flags, 0o600)
    try:
        return start(command, stdin=stdin, stdout=descriptor, stderr=descriptor)
    finally:
        os.close(descriptor)


def last_words(log: Path, most_bytes: int) -> str:
    """Return the end of what a process has written to a file; empty if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - most_bytes))
            return file.read(most_bytes).decode(errors="replace").strip()
    except OSError:
        return ""
