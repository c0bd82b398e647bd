"""Ctrl-C, and the requests to end of service managers and closing terminals: a sentence, and the documented code.

`main` listens from its first line on. While modules are being loaded nothing has begun that would have to be ended,
and libraries turn exceptions there into tracebacks of their own, so the process leaves at once. Everywhere else
`Interrupted` is raised, which nobody takes for an error, and what has begun is ended in order.
"""

import contextlib
import os
import shlex
import signal
import stat
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 4  # arena.cli.exit_codes.INTERRUPTED; that module may be what is being loaded
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a keyboard, a service manager and a closing terminal send."""
PATIENCE = 2
"""So many more requests are left unheard while an interrupted command ends what it has begun; then it is left."""
_SHOW_CURSOR = "\x1b[?25h"


class Interrupted(BaseException):
    """Somebody wants the command to end. Not an `Exception`, nor the `KeyboardInterrupt` that libraries wait for."""


class _State:
    heard = 0


def listen() -> None:
    """Have requests to end raise `Interrupted`; those that this process was started to ignore stay ignored."""
    sys.unraisablehook = _unraisable
    for number in REQUESTS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)


def stop_listening() -> None:
    """Ignore requests to end from now on: the command is done, and what is left takes a moment."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


def say_interrupted(arguments: list[str]) -> int:
    """Tell the command that goes on, by the arguments of this one; return the exit code."""
    with contextlib.suppress(OSError):  # the terminal is gone
        sys.stderr.write(f"{sentence(arguments)}\n")
        sys.stderr.flush()
    return INTERRUPTED


def sentence(arguments: list[str]) -> str:
    """Return what an interrupted command says."""
    return f"interrupted; go on with: {shlex.join(['arena', *arguments])}"


def was_interrupted() -> bool:
    """Return whether a request to end has come."""
    return _State.heard > 0


def hang_up() -> None:
    """Write nowhere any more: the terminal is gone, and to write to it would be an error."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _on_signal(number: int, frame: FrameType | None) -> None:
    _State.heard += 1
    if number == signal.SIGHUP:
        hang_up()
    if _is_loading(frame):
        _leave()
    if _State.heard == 1 or _State.heard > 1 + PATIENCE:
        raise Interrupted


def _is_loading(frame: FrameType | None) -> bool:
    """Return whether a module is being loaded."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _leave() -> None:
    """End the process at once, with a word."""
    text = f"{sentence(sys.argv[1:])}\n"
    with contextlib.suppress(OSError):
        os.write(2, ((_SHOW_CURSOR if os.isatty(2) else "") + text).encode(errors="replace"))
    os._exit(INTERRUPTED)


def _unraisable(unraisable: Any) -> None:
    """Raise an interruption again that came where none can be raised; anything else is told as usual."""
    if isinstance(unraisable.exc_value, Interrupted):
        _State.heard = 0
        os.kill(os.getpid(), signal.SIGINT)
    else:
        sys.__unraisablehook__(unraisable)
