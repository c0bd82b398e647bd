"""Handles Ctrl-C, SIGTERM from service managers and SIGHUP from closing terminals: a message and the documented code.

`main` installs the handler first. While modules load, libraries turn exceptions into tracebacks of their own. Before
the command begins, there is nothing to clean up, so the process exits at once; later the signal comes again when the
module is loaded. It also comes again while a temporary folder is made or removed, so that the folder doesn't stay, and
within SQLAlchemy, which prints what interrupts the closing of a connection. Otherwise the handler raises
`Interrupted`, so that running work ends cleanly.
"""

import contextlib
import os
import shlex
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

INTERRUPTED = 4  # arena.cli.exit_codes.INTERRUPTED; that module may be what is being loaded
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals of a keyboard, a service manager and a closing terminal."""
PATIENCE = 2
"""Ignore this many more signals while an interrupted command cleans up; the next one ends it."""
_AGAIN_S = 0.01
_GOES_ON = (("run",), ("compare",))
"""Commands that keep what they have played, and go on from there; all others start afresh."""
_LOADING = "<frozen importlib"
_DELICATE = (_LOADING, f"{os.sep}tempfile.py", f"-packages{os.sep}sqlalchemy{os.sep}")
"""Parts of the names of source files: a signal waits until none of their functions is being run."""
_MOST_WAITS = 300
_SHOW_CURSOR = "\x1b[?25h"


class Interrupted(BaseException):
    """The user wants the command to end. Neither an `Exception` nor a `KeyboardInterrupt`, which libraries catch."""


class _State:
    heard = 0
    latest = int(signal.SIGTERM)
    """The number of the signal that came last."""
    waits = 0
    """How often a signal has come at a delicate moment."""
    is_ignoring = False
    """Whether an exception would be ignored now, and a signal has to wait."""
    has_begun = False
    """Whether the command runs, and may leave something behind if the process ends at once."""


def begin() -> None:
    """Tell that the command begins: from now on it is never ended without cleaning up."""
    _State.has_begun = True


def listen() -> None:
    """Make signals raise `Interrupted`; signals that this process was started to ignore stay ignored."""
    sys.unraisablehook = _unraisable
    for number in REQUESTS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)


def stop_listening() -> None:
    """Ignore signals from now on: the command is done, and the rest takes only a moment."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def on_request(handle: Callable[[], None]) -> Iterator[None]:
    """Let signals call `handle` meanwhile; those that this process was started to ignore stay ignored."""

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            hang_up()
        handle()

    heard = [number for number in REQUESTS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, on_signal) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say_interrupted(arguments: list[str]) -> int:
    """Print the command that continues, from the arguments of this one; return the exit code."""
    with contextlib.suppress(OSError):  # the terminal is gone
        sys.stderr.write(f"{sentence(arguments)}\n")
        sys.stderr.flush()
    return INTERRUPTED


def sentence(arguments: list[str]) -> str:
    """Return the message of an interrupted command."""
    goes_on = any(tuple(arguments[: len(words)]) == words for words in _GOES_ON)
    how = "continue with" if goes_on else "run it again with"
    return f"interrupted; {how}: {shlex.join(['arena', *arguments])}"


def was_interrupted() -> bool:
    """Return whether a signal has come."""
    return _State.heard > 0


def hang_up() -> None:
    """Redirect the terminal's descriptors to the null device: the terminal is gone, and writing to it would fail."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _on_signal(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGHUP:
        hang_up()
    if not _State.has_begun and _is_within(frame, _LOADING):
        _leave()
    _State.latest = number
    if _State.waits < _MOST_WAITS and _is_within(frame, *_DELICATE):
        _State.waits += 1
        _come_again(number)
        return
    _State.heard += 1
    if _State.heard == 1 or _State.heard > 1 + PATIENCE:
        raise Interrupted


def _is_within(frame: FrameType | None, *files: str) -> bool:
    """Return whether a function is being run whose source file's name contains one of these texts."""
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in files):
            return True
        frame = frame.f_back
    return False


def _leave() -> None:
    """Print the message and end the process at once."""
    text = f"{sentence(sys.argv[1:])}\n"
    with contextlib.suppress(OSError):
        os.write(2, ((_SHOW_CURSOR if os.isatty(2) else "") + text).encode(errors="replace"))
    os._exit(INTERRUPTED)


def _unraisable(unraisable: Any) -> None:
    """Raise an interruption again if it came where exceptions are ignored; report anything else as usual."""
    if isinstance(unraisable.exc_value, Interrupted):
        _State.heard, _State.is_ignoring = 0, True
        try:
            _come_again(_State.latest)
        finally:
            _State.is_ignoring = False
    else:
        sys.__unraisablehook__(unraisable)


def _come_again(number: int) -> None:
    """Have this signal sent once more, a little later; another one may be ignored, as SIGINT is in background jobs."""
    with contextlib.suppress(RuntimeError):  # the interpreter is ending anyway
        threading.Thread(target=_signal_again, args=(number,), daemon=True).start()


def _signal_again(number: int) -> None:
    """Send the signal when the hook or the import is over: an exception there would be ignored or printed."""
    time.sleep(_AGAIN_S)
    while _State.is_ignoring:  # on a busy machine the hook takes longer
        time.sleep(_AGAIN_S)
    os.kill(os.getpid(), number)
