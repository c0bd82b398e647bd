"""Ctrl-C: the first finishes the games being played, the second stops at once. Neither loses a finished game.

SIGTERM (from service managers) and SIGHUP (from a closed terminal) do the same.
"""

import signal
from collections.abc import Callable
from types import FrameType

from arena.executors.base import Stop


class Interrupts:
    """Context manager that turns signals into a `Stop` while a league runs. Main thread only.

    Signals that this process was started to ignore, such as SIGHUP under `nohup`, stay ignored.
    """

    def __init__(
        self, stop: Stop, notify: Callable[[str], None], hung_up: Callable[[], None] = lambda: None
    ) -> None:
        """Prepare. `notify` gets a line for the user; `hung_up` is called when the terminal closes."""
        self._stop = stop
        self._notify = notify
        self._hung_up = hung_up
        self._before: dict[int, object] = {}
        self.heard = False
        """Whether a signal has come."""

    def __enter__(self) -> "Interrupts":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal itself returned

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.heard = True
        if number == signal.SIGHUP:
            self._hung_up()
        if self._stop.after_game:
            self._stop.at_once = True
            self._notify("stopping at once")
        else:
            self._stop.after_game = True
            self._notify(
                "finishing the games being played; press Ctrl-C again to stop now"
                if self._stop.is_playing
                else "stopping; no game is being played"
            )
        self._stop.break_off()
