"""Reads lines that are typed at standard input."""

import contextlib
import os
import select
import signal
import termios
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from arena.cli.terminal.interruption import PATIENCE, REQUESTS, Interrupted, hang_up

TYPED = 0
"""The descriptor of standard input."""
MOST_BYTES = 4_096
"""Longer lines are read to their end and refused."""
LOOK_S = 0.25
"""A signal is noticed within this time."""
_WHY = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "the terminal was closed"}


class Gone(Exception):
    """Nothing more will be typed; the message says why."""


class NoTimeLeft(Exception):
    """No line came within the time limit."""


class TooLong(Exception):
    """A line longer than `MOST_BYTES`."""


class LineInput:
    """A context manager for reading lines from standard input.

    The first signals make the present or next `read` raise Gone; a further one ends the command by `Interrupted`.
    Ctrl-Z stops the process at the present or next `read`.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        """What was typed and not yet used."""
        self._ended = False
        """Whether the input is at its end, or the terminal is gone."""
        self._wants_stop = False
        self._heard: list[int] = []
        self._before: dict[int, Any] = {}
        """The handlers of signals. Those that this process was started to ignore stay ignored."""

    def __enter__(self) -> Self:
        for number in (*REQUESTS, signal.SIGTSTP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(termios.error, OSError):  # no terminal, or it is gone
            termios.tcflush(TYPED, termios.TCIFLUSH)  # what was typed too late isn't meant for the shell
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def gone(self) -> str:
        """Why nothing more will be typed; empty as long as more may be."""
        if self._heard:
            return _WHY[signal.Signals(self._heard[0])]
        return "end of input" if self._ended else ""

    def read(
        self,
        prompt: Callable[[], None],
        left_s: float | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> str:
        """Return the next line, without its end. `prompt` writes the prompt, again after a stop.

        Raises Gone, NoTimeLeft after `left_s` seconds, TooLong. Calls `meanwhile` a few times a second.
        """
        until_s = None if left_s is None else time.monotonic() + left_s
        prompt()
        while True:
            if self._wants_stop:
                self._stop()
                prompt()
            if self._heard:
                raise Gone(self.gone)
            if (line := self._line()) is not None:
                return line
            if self._ended:
                raise Gone(self.gone)
            wait_s = LOOK_S if until_s is None else min(LOOK_S, until_s - time.monotonic())
            if wait_s <= 0:
                raise NoTimeLeft
            self._take_in(wait_s)
            meanwhile()

    def _take_in(self, wait_s: float) -> None:
        """Take in what is typed within some seconds."""
        if not select.select([TYPED], [], [], wait_s)[0]:
            return
        try:
            some = os.read(TYPED, MOST_BYTES)
        except OSError:  # the terminal is gone
            some = b""
        self._pending += some
        self._ended = not some

    def _line(self) -> str | None:
        """Take a line from what was typed; None if there is no whole line. Raises TooLong."""
        end = self._pending.find(b"\n")
        if end < 0:
            del self._pending[MOST_BYTES + 1 :]
            return None
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        if len(line) > MOST_BYTES:
            raise TooLong
        return line.decode(errors="replace")

    def _stop(self) -> None:
        """Stop the process as by Ctrl-Z, until the shell continues it."""
        self._wants_stop = False
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGTSTP:
            self._wants_stop = True
            return
        self._heard.append(number)
        if number == signal.SIGHUP:
            hang_up()
        if len(self._heard) > 1 + PATIENCE:
            raise Interrupted
