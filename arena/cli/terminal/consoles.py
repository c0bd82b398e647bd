"""The consoles of standard output and standard error, and what both write in any encoding.

They write nothing once their terminal is closed.
"""

import codecs
import errno
import io
import sys
from collections.abc import Mapping
from typing import IO, Any, cast

from rich.console import Console

from arena.cli.terminal.interruption import hang_up

_WORDS = (
    "μ mu µ u σ sigma λ lambda ν nu α alpha β beta δ delta π pi τ tau θ theta √ sqrt ² ^2 ³ ^3 ⁵ ^5 × x "
    "… ... ± +- ≈ ~ ≤ <= ≥ >= → -> ← <- ↑ ^ ↓ v ⏎ \\n ‖ || ＝ = ＋ + － - ＠ @"
)
"""Characters, each with what stands for it."""
PLAIN: Mapping[str, str] = {
    **dict(zip("·−–—│┊┤─━●░█▇▆▅▄▃▂▁▉▊▋▌▍▎▏▲▼♣♦♥♠", "----||+-=o:#%*+=-._#######^vcdhs", strict=True)),
    **dict(zip(_WORDS.split()[::2], _WORDS.split()[1::2], strict=True)),
    **dict.fromkeys("“”„‟«»", '"'),
    "½": "1/2",
    "�": "?",
    **dict.fromkeys("‘’‚‛ˋ", "'"),
    **{chr(spins): "*" for spins in range(0x2800, 0x2900)},
}
"""What stands for characters of Arena's own texts in an encoding that lacks them; for any other, `?` does."""
_PLAIN = "arena.plain"


def _in_plain_text(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(one, "?") for one in error.object[error.start : error.end]), error.end


codecs.register_error(_PLAIN, _in_plain_text)


def write_in_any_encoding() -> None:
    """From now on, write to both streams what their encoding lacks as `PLAIN` has it, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_PLAIN)


def as_written(text: str) -> str:
    """Return a text as standard output writes it, for what is measured before."""
    encoding = getattr(sys.stdout, "encoding", None)
    if text.isascii() or not encoding:
        return text
    return text.encode(encoding, _PLAIN).decode(encoding)


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

    def write_data(self, data: str | bytes) -> None:
        binary = getattr(self._file, "buffer", None)
        if binary is None:  # something that takes text has its place
            self.write(data if isinstance(data, str) else data.decode("latin-1"))
            return
        self.flush()
        try:
            binary.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)
        except OSError as error:
            self._ignore_closed_terminal(error)
        self.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    @property
    def _file(self) -> IO[str]:
        return cast("IO[str]", getattr(sys, self._name))

    def _ignore_closed_terminal(self, error: OSError) -> None:
        if error.errno != errno.EIO:
            raise error
        hang_up()


_OUT = _StandardStream("stdout")


def write_line(line: str) -> None:
    """Write a line for people to standard output, in its encoding."""
    _OUT.write(f"{line}\n")
    _OUT.flush()


def write_data(data: str | bytes) -> None:
    """Write what programs read to standard output: text as UTF-8, whatever encoding the terminal has."""
    _OUT.write_data(data)


def console() -> Console:
    """Return the console of standard output; honours NO_COLOR, pipes and COLUMNS."""
    return Console(file=cast("IO[str]", _StandardStream("stdout")), highlight=False)


def error_console() -> Console:
    """Return the console of standard error."""
    return Console(file=cast("IO[str]", _StandardStream("stderr")), stderr=True, highlight=False)
