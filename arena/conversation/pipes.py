"""Speaks with a bot that somebody else has started, over two named pipes: for debuggers, so without any time limit."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.conversation.told import Conversation, Question
from arena.players.base import NO_LOG, Fault, PlayerLog, Reply
from protocol import codec
from protocol.errors import MalformedLine
from protocol.messages import ArenaMessage, Clock, Hello, HelloReply, Move, Ready
from protocol.verdicts import Verdict
from protocol.versions import SUPPORTED

READ_BYTES = 65_536
TO_BOT = "to-bot"
FROM_BOT = "from-bot"
KIT_VARIABLE = "ARENA_KIT_PIPES"
"""Names the folder of the pipes to the Python kit, which then leaves standard input and output to the debugger."""


class PipedBot:
    """A bot at the other end of two named pipes in a folder. Answers questions as `stepping.Answering`."""

    def __init__(self, folder: Path, opened: Callable[[list[int]], None] = lambda _: None) -> None:
        """Make the pipes. `opened` is called before `hello`, with the ids of processes that have opened them."""
        self.folder = folder
        self._opened = opened
        self._to = self._from = -1
        self._line_bytes = 0
        self._inbox = bytearray()
        for name in (TO_BOT, FROM_BOT):
            os.mkfifo(folder / name, 0o600)

    def start(self, told: Conversation) -> Fault | None:
        """Wait until the bot has opened both pipes, shake hands, and begin the game."""
        self._to = os.open(
            self.folder / TO_BOT, os.O_WRONLY
        )  # in the order in which a shell opens `<` and `>`
        self._from = os.open(self.folder / FROM_BOT, os.O_RDONLY)
        self._opened(_holders(self.folder / FROM_BOT))
        self._line_bytes = told.start.limits.line_bytes
        for message, reply in ((Hello(protocols=list(SUPPORTED)), HelloReply), (told.start, Ready)):
            answer = self._exchange(message)
            if isinstance(answer, Fault):
                return answer
            if not isinstance(answer, reply):
                return Fault(Verdict.STARTUP, f"answered `{_tag(message)}` with another message")
        return None

    def ask(self, question: Question, clock: Clock) -> Reply | Fault:  # noqa: ARG002 - there is no limit
        """Ask, and wait for the answer however long it takes."""
        asked_ns = time.monotonic_ns()
        answer = self._exchange(question.ask)
        if isinstance(answer, Fault):
            return answer
        if isinstance(answer, Move) and answer.id == question.ask.id:
            return Reply(answer.move, answer.note, time.monotonic_ns() - asked_ns, 0)
        return Fault(Verdict.MALFORMED, f"the answer is no `move` with the id {question.ask.id}")

    def end(self, told: Conversation) -> None:
        """Tell it the result."""
        if told.end is not None:
            self._send(told.end)

    def log(self) -> PlayerLog:
        """Close the pipes; standard error is where the bot was started."""
        for descriptor in (self._to, self._from):
            if descriptor >= 0:
                os.close(descriptor)
        self._to = self._from = -1
        return NO_LOG

    def _exchange(self, message: ArenaMessage) -> HelloReply | Ready | Move | Fault:
        if not self._send(message):
            return Fault(Verdict.CRASH, "closed its input")
        line = self._receive()
        if line is None:
            return Fault(Verdict.CRASH, f"ended before it answered `{_tag(message)}`")
        try:
            return codec.decode(line, self._line_bytes)
        except MalformedLine as error:
            return Fault(Verdict.MALFORMED, str(error))

    def _send(self, message: ArenaMessage) -> bool:
        line = codec.encode(message, self._line_bytes)
        try:
            while line:
                line = line[os.write(self._to, line) :]
        except BrokenPipeError:
            return False
        return True

    def _receive(self) -> bytes | None:
        """Return the next line without its newline; None if the bot has closed its output, or the line is too long."""
        while (end := self._inbox.find(b"\n")) < 0:
            data = os.read(self._from, READ_BYTES)
            if not data or len(self._inbox) > self._line_bytes:
                return None
            self._inbox += data
        line = bytes(self._inbox[:end])
        del self._inbox[: end + 1]
        return line


def _tag(message: ArenaMessage) -> str:
    return str(message.__struct_config__.tag)


def _holders(pipe: Path) -> list[int]:
    """Return the ids of other processes that have a pipe open, as far as /proc shows them."""
    return sorted(
        int(process.name)
        for process in Path("/proc").glob("[0-9]*")
        if int(process.name) != os.getpid() and _holds(process, pipe)
    )


def _holds(process: Path, pipe: Path) -> bool:
    """Return whether a process has a pipe open; descriptors may come and go meanwhile."""
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:  # another user's, or it has ended
        return False
    for descriptor in descriptors:
        with suppress(OSError):
            if descriptor.readlink() == pipe:
                return True
    return False
