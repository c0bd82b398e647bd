"""Reads what is typed at standard input; signals wake whoever waits for it."""

import contextlib
import os
import select
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

TYPED = 0
"""The descriptor of standard input."""
_AT_ONCE_BYTES = 4_096


class TypedInput:
    """A context manager that takes in bytes from standard input, and hears signals meanwhile.

    Ctrl-Z sets `wants_stop`: whoever reads calls `stop` once the screen allows it.
    """

    def __init__(self) -> None:
        self.pending = bytearray()
        """What was typed and not yet used."""
        self.ended = False
        """Whether the input is at its end, or the terminal is gone."""
        self.wants_stop = False
        self.handlers: dict[int, Callable[[int, FrameType | None], None]] = {signal.SIGTSTP: self._on_stop}
        """Of signals. Those that this process was started to ignore stay ignored."""
        self._before: dict[int, Any] = {}
        self._wake, self._woken, self._wakeup_before = -1, -1, -1

    def __enter__(self) -> Self:
        self._wake, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._wakeup_before = signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        for number, handler in self.handlers.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, handler)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        os.close(self._wake)
        os.close(self._woken)

    def wait(self, wait_s: float | None) -> None:
        """Wait for input or a signal, at most `wait_s` seconds (None: no limit), and take it in."""
        ready, _, _ = select.select([TYPED, self._wake], [], [], wait_s)
        if self._wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake, 512)
        if TYPED not in ready:
            return
        try:
            some = os.read(TYPED, _AT_ONCE_BYTES)
        except OSError:  # the terminal is gone
            some = b""
        self.pending += some
        self.ended = not some

    def stop(self) -> None:
        """Stop the process as by Ctrl-Z, until the shell continues it."""
        self.wants_stop = False
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)

    def _on_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.wants_stop = True
