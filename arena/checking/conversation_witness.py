"""Sees what goes between Arena and the bot that is checked."""

import time
from collections.abc import Callable
from typing import Final

import msgspec

from arena.players.channel import Tap
from arena.players.exchange import MOST_GRACE
from arena.players.process import BotProcess
from arena.sandbox.deadlock import Standstill
from arena.sandbox.usage import machine_load
from protocol.verdicts import Reason
from results.base.clock import NS_PER_MS

SAYS_AFTER_MS: Final = 2_000
"""After this long without an answer, the author is told what the check is waiting for."""
_MOST_BYTES: Final = 65_536
_LONG_LINE: Final = 60_000
"""Nothing is added to lines that are nearly as long as a bot has to expect."""
UNKNOWN_FIELD: Final = b',"x_unknown":{"since":2,"values":[1,"two",null,true]}}\n'
UNKNOWN_MESSAGE: Final = b'{"type":"x-unknown","values":[1,"two",null,true]}\n'


class Witness(Tap):
    """Sees the lines of one process: the `Tap` of its channel."""

    def __init__(self, process: BotProcess, tell: Callable[[str], None], told: set[str]) -> None:
        """Have `tell` called with a line for people if the bot takes long; `told` are the types it was told of."""
        self.process = process
        self.adds_fields = False
        """Whether to add a field that the protocol doesn't know to each message."""
        self.adds_messages = False
        """Whether to send a message of an unknown type before each `start` and `ask`."""
        self.message = b""
        """The last message."""
        self.came = bytearray()
        """What the bot wrote since then, at most 64 KiB."""
        self.standstill: Standstill | None = None
        self.limit_ms = 0
        """How long the bot may take for the present answer."""
        self._tell = tell
        self._told = told
        self._since_ns = time.monotonic_ns()

    def sends(self, line: bytes, limit_ns: int) -> bytes:
        """Note a message and how long its answer may take; return the message, with what it was told to add."""
        self.limit_ms = limit_ns // NS_PER_MS
        kind = _kind(line)
        if self.adds_fields and len(line) < _LONG_LINE:
            line = line[:-2] + UNKNOWN_FIELD
        self.message = line
        if self.adds_messages and kind in ("start", "ask"):
            line = UNKNOWN_MESSAGE + line
        self.came.clear()
        self.standstill = None
        self._since_ns = time.monotonic_ns()
        return line

    def stalls(self, why: Standstill) -> None:
        """Note that the bot can't answer any more."""
        self.standstill = why

    def wrote(self, data: bytes) -> None:
        """Note what the bot wrote."""
        self.came += data[: _MOST_BYTES - len(self.came)]

    def looks(self) -> None:
        """See whether the bot computes; tell the author if it takes long."""
        now_ns = time.monotonic_ns()
        waited_ms = (now_ns - self._since_ns) // NS_PER_MS
        is_slow = waited_ms >= SAYS_AFTER_MS and self.limit_ms > 2 * SAYS_AFTER_MS
        if is_slow and self.kind not in self._told:
            self._told.add(self.kind)
            match self.process.monitor.silence(now_ns - self._since_ns):
                case Reason.COMPUTING:
                    why = "it is computing."
                case Reason.BUSY_MACHINE:
                    why = f"{machine_load()}."
                case _:
                    why = "it is hardly computing" + ("." if self.came else ": does it flush its output?")
            self._tell(
                f"no answer to `{self.kind}` for {SAYS_AFTER_MS // 1000} s, and {why} It has "
                f"{self.limit_ms / 1000:g} s; on a busy machine, up to {self.limit_ms * (1 + MOST_GRACE) / 1000:g} s, "
                "and then once more"
            )

    def lines(self) -> list[bytes]:
        """Return the complete lines that the bot wrote since the last message."""
        return bytes(self.came).split(b"\n")[:-1]

    def unfinished(self) -> bytes:
        """Return what the bot wrote after its last newline."""
        return bytes(self.came).rpartition(b"\n")[2]

    @property
    def kind(self) -> str:
        """The type of the last message: `hello`, `start`, `ask` or `end`."""
        return _kind(self.message)

    @property
    def waited_s(self) -> float:
        """The time since the last message was sent."""
        return (time.monotonic_ns() - self._since_ns) / 1e9


def _kind(line: bytes) -> str:
    return str(msgspec.json.decode(line)["type"]) if line else ""
