"""The consoles of standard output and standard error. They write nothing once their terminal is closed."""

import errno
import sys
from typing import IO, Any, cast

from rich.console import Console

from arena.cli.interruption import hang_up


class _StandardStream:
    """The current `sys.stdout` or `sys.stderr`. Once its terminal is closed, writing does nothing.

    A write to a closed terminal may fail before SIGHUP arrives. SIGHUP then ends the command cleanly.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, text: str) -> int:
        try:
            self._file.write(text)
        except OSError as error:
            self._ignore_closed_terminal(error)
        return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError as error:
            self._ignore_closed_terminal(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    @property
    def _file(self) -> IO[str]:
        return cast("IO[str]", getattr(sys, self._name))

    def _ignore_closed_terminal(self, error: OSError) -> None:
        if error.errno != errno.EIO:
            raise error
        hang_up()


def console() -> Console:
    """Return the console of standard output; honours NO_COLOR, pipes and COLUMNS."""
    return Console(file=cast("IO[str]", _StandardStream("stdout")), highlight=False)


def error_console() -> Console:
    """Return the console of standard error."""
    return Console(file=cast("IO[str]", _StandardStream("stderr")), stderr=True, highlight=False)
