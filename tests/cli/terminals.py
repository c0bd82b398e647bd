"""A person at a terminal: starts a command in a pseudo-terminal of its own, types, and reads what is shown."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.leagues import ARENA

PATIENCE_S = 60.0
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[@-~]|[()][A-Z0-9]|[=>78])")


class Terminal:
    """A command in a pseudo-terminal, with everything it has shown so far."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 80, rows: int = 24) -> None:
        self.master, self._slave = pty.openpty()
        self.resize(columns, rows)
        self.settings = termios.tcgetattr(self._slave)
        (folder / "tmp").mkdir(exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "TERM": "xterm"}
        for size in (
            "COLUMNS",
            "LINES",
        ):  # the workers of pytest-xdist inherit both; they would win over the real size
            environment.pop(size, None)
        self.process = subprocess.Popen(
            [*ARENA, *arguments],
            cwd=folder,
            env=environment,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.raw = ""
        self._seen = 0

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        """Type a text, without Enter."""
        os.write(self.master, text.encode())

    def enter(self, line: str) -> None:
        """Type a line."""
        self.type(line + "\n")

    def read(self, wait_s: float = 0.05) -> bool:
        """Take in what is shown; return whether there was anything."""
        ready, _, _ = select.select([self.master], [], [], wait_s)
        if not ready:
            return False
        try:
            some = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += some.decode(errors="replace")
        return bool(some)

    def wait(self, *texts: str) -> str:
        """Wait for any of some texts in what has been shown since the last `wait`; return it."""
        until_s = time.monotonic() + PATIENCE_S
        while True:
            new = self.text[self._seen :]
            found = [(new.find(text), text) for text in texts if text in new]
            if found:
                at, text = min(found)
                self._seen += at + len(text)
                return text
            assert time.monotonic() < until_s, f"{texts} did not come; the screen: {self.text[-3000:]}"
            if not self.read() and self.process.poll() is not None and not self.read():
                raise AssertionError(f"{texts} did not come before the end: {self.text[-3000:]}")

    @property
    def text(self) -> str:
        """Everything that was shown, without escape sequences."""
        return _ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    def end(self) -> int:
        """Wait for the end of the command; return its exit code."""
        until_s = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < until_s, f"it does not end: {self.text[-3000:]}"
            self.read()
        while self.read(0.02):
            pass
        return self.process.returncode

    def is_restored(self) -> bool:
        """Return whether the terminal has the settings that it had before the command."""
        return termios.tcgetattr(self._slave) == self.settings

    def has_unread_lines(self) -> bool:
        """Return whether lines were typed that the command hasn't read."""
        return bool(select.select([self._slave], [], [], 0)[0])

    def hang_up(self) -> None:
        """Close the terminal, as closing its window does."""
        os.close(self._slave)
        self._slave = -1
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        """End everything."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        for descriptor in (self.master, self._slave):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)


@contextlib.contextmanager
def terminal(folder: Path, *arguments: str, **size: Any) -> Iterator[Terminal]:
    """Run a command in a terminal of its own."""
    opened = Terminal(folder, *arguments, **size)
    try:
        yield opened
    finally:
        opened.close()
