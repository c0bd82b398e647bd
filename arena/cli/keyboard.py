"""Reads single keys from the terminal. Its settings are restored however the block is left."""

import contextlib
import os
import select
import signal
import termios
import time
import tty
from types import FrameType
from typing import Any, Self

_TYPED = 0
_REST_OF_KEY_S = 0.05
"""The bytes of one key arrive together; after this long, Escape is a key by itself."""
END_OF_INPUT = "end of input"
STOP = "stop"
"""Ctrl-Z: restore the screen, then call `suspend`."""
_KEYS = {
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left",
    b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left",
    b"\x1b[H": "home", b"\x1b[F": "end", b"\x1bOH": "home", b"\x1bOF": "end",
    b"\x1b[1~": "home", b"\x1b[4~": "end", b"\x1b[7~": "home", b"\x1b[8~": "end",
    b"\x1b[5~": "page up", b"\x1b[6~": "page down", b"\x1b": "escape",
}  # fmt: skip
_FINAL = range(0x40, 0x7F)
"""The byte that ends an escape sequence (ECMA-48, section 5.4)."""
_MOST_BYTES = 32


class Keyboard:
    """A context manager: the terminal passes keys on at once and doesn't show them. Ctrl-C still interrupts."""

    def __init__(self) -> None:
        self._settings: list[Any] = []
        self._before: dict[int, Any] = {}
        self._wake, self._woken, self._wakeup_before = -1, -1, -1
        self._pending = bytearray()
        self._wants_stop = False

    def __enter__(self) -> Self:
        self._settings = termios.tcgetattr(_TYPED)
        self._wake, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            self._wakeup_before = signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
            self._before[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, _only_wake)
            self._before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._on_stop)
            tty.setcbreak(_TYPED, termios.TCSADRAIN)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        os.close(self._wake)
        os.close(self._woken)

    def key(self, wait_s: float | None) -> str:
        """Return the next key: a character, or a name such as `left`.

        Empty if none comes within `wait_s` seconds (None: no limit), or if the terminal has a new size. `STOP` for
        Ctrl-Z, `END_OF_INPUT` if the terminal is gone.
        """
        if not self._pending and not self._wants_stop:
            ready, _, _ = select.select([_TYPED, self._wake], [], [], wait_s)
            if self._wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake, 512)
            if _TYPED in ready and not self._read():
                return END_OF_INPUT
        if self._wants_stop:
            return STOP
        return self._take() if self._pending else ""

    def suspend(self) -> None:
        """Stop the process as by Ctrl-Z, until the shell continues it."""
        self._wants_stop = False
        self._restore()
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)
        tty.setcbreak(_TYPED, termios.TCSADRAIN)

    def _read(self) -> bool:
        try:
            some = os.read(_TYPED, 512)
        except OSError:
            some = b""
        self._pending += some
        return bool(some)

    def _take(self) -> str:
        """Take one key from what was read."""
        if self._pending[0] != 0x1B:
            return self._character()
        until_s = time.monotonic() + _REST_OF_KEY_S
        while not _is_whole(self._pending):
            ready, _, _ = select.select([_TYPED], [], [], max(0.0, until_s - time.monotonic()))
            if not ready or not self._read():
                break
        end = next((at + 1 for at in range(1, len(self._pending)) if _is_whole(self._pending[: at + 1])), 1)
        sequence = bytes(self._pending[:end])
        del self._pending[:end]
        return _KEYS.get(sequence, "unknown")

    def _character(self) -> str:
        first = self._pending[0]
        length = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        character = bytes(self._pending[:length]).decode(errors="replace")
        del self._pending[:length]
        return character

    def _restore(self) -> None:
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(_TYPED, termios.TCSADRAIN, self._settings)

    def _on_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._wants_stop = True


def _is_whole(typed: bytes | bytearray) -> bool:
    """Return whether bytes after Escape end an escape sequence, or can't be one."""
    if len(typed) < 2:
        return False
    if typed[1] not in b"[O":
        return True
    return len(typed) >= _MOST_BYTES or (len(typed) > 2 and typed[-1] in _FINAL)


def _only_wake(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the signal has interrupted the wait for a key."""
