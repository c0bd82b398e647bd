"""Finds the line of a bot's program that a log or a stray line of output speaks of."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from arena.submissions.content_hash import File
from arena.submissions.folder import MAX_DEPTH, shown_name

_PYTHON = re.compile(r'^[ \t]*File "(?P<path>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):$", re.MULTILINE)
_NODE_STACK = re.compile(
    r"^[ \t]+at (?:.*\()?(?:file://)?(?P<path>/[^\s():]+):(?P<line>\d+):\d+\)?$", re.MULTILINE
)
_NODE_HEAD = re.compile(r"^(?:file://)?(?P<path>/[^\s:]+):(?P<line>\d+)$", re.MULTILINE)
_ERRORS = re.compile(
    r"^(?:Uncaught )?[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b(?: \[\w+\])?(?::|$)"
    r"|^panic: |^fatal error: |^thread '.*' panicked |^Exception in thread |^Unhandled exception"
    r"|^terminate called |: Assertion .{1,500} failed\.$| line \d+\.$"
)
"""Lines that name an error: of Python and Node, Go, Rust, Java, C#, C++, C and Perl."""
_COMPILED = re.compile(
    r"panicked at (?:'.{0,500}', )?(?P<rust>[^\s:]+\.rs):(?P<rust_line>\d+):"
    r"|^\t(?P<go>/\S+\.go):(?P<go_line>\d+)"
    r"|^[ \t]+at [^\n(]*\((?P<java>\w+\.(?:java|kt)):(?P<java_line>\d+)\)"
    r"|^[^\s:]+: (?P<c>[\w./-]+\.(?:c|cc|cpp)):(?P<c_line>\d+): "
    r"| at (?P<perl>[\w./-]+\.p[lm]) line (?P<perl_line>\d+)\.",
    re.MULTILINE,
)
_SHELL = re.compile(r"^(?P<path>[\w./-]+): (?:line )?(?P<line>\d+): ", re.MULTILINE)
_OUTPUT = ("print", "console.", "echo", "puts", "write", "cout", "fmt.", "say", "dump")
"""Words in lines of programs that write to standard output."""
_LITERAL = re.compile(r"\"([^\"\\]{3,})\"|'([^'\\]{3,})'|\becho ([\w ]{3,})")
_PROGRAM_SUFFIX = re.compile(r"(\.(py|js|mjs|cjs|ts|sh|rb|pl|c|cpp|cc|rs|go|java|lua))?")
_KIT = "arena_kit.py"
_PATH_CHARS = 4_096
_TEXT_CHARS = 1_000
_ERROR_CHARS = 1_000
_SOURCE_BYTES = 1_000_000
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a bot, and where its author has them."""

    folder: Path
    """As the author named it."""
    files: tuple[File, ...]

    def place(self, path: str, line: int) -> str:
        """Return a line of one of its files, for its author; empty for another file.

        `path` is as the running program names it: it runs in a copy of the folder, `…/bot`.
        """
        if len(path) > _PATH_CHARS:
            return ""
        names = {file.path for file in self.files}
        parts = PurePosixPath(path).parts
        for at in range(max(0, len(parts) - MAX_DEPTH - 1), len(parts)):
            name = "/".join(parts[at:])
            if name in names and (at == 0 or parts[at - 1] == "bot" or parts[0] != "/"):
                return f"{shown_name(str(self.folder / name))}:{line}"
        return ""

    def place_in_log(self, log: str) -> str:
        """Return the line that a traceback in a log leads to: the innermost one in the bot's own files."""
        start = max((found.start() for found in _TRACEBACK.finditer(log)), default=0)
        if found := self._known(_PYTHON.finditer(log, start)):
            return found[-1]
        for pattern in (_NODE_STACK, _NODE_HEAD, _SHELL, _COMPILED):
            if found := self._known(pattern.finditer(log)):
                return found[0]
        return ""

    def place_of_hang(self, words: str) -> str:
        """Return the line where a Python program was, from what its fault handler wrote: innermost first."""
        found = self._known(_PYTHON.finditer(words))
        return found[0] if found else ""

    def place_of_output(self, text: str) -> str:
        """Return the only line of its programs that writes a literal which is part of this output; empty if unsure.

        Looks at a bounded part of both.
        """
        found: list[str] = []
        text, left = text[:_TEXT_CHARS], _MOST_LINES
        for file in self.files:
            if file.path == _KIT or not _PROGRAM_SUFFIX.fullmatch(PurePosixPath(file.path).suffix):
                continue
            lines = file.content[:_SOURCE_BYTES].decode("utf-8", "replace").splitlines()[:left]
            left -= len(lines)
            for number, line in enumerate(lines, 1):
                if len(line) < _TEXT_CHARS and any(word in line for word in _OUTPUT) and _writes(line, text):
                    found.append(f"{self.folder / file.path}:{number}")
        return found[0] if len(found) == 1 else ""

    def _known(self, found: Iterable["re.Match[str]"]) -> Sequence[str]:
        pairs = (tuple(filter(None, one.groups())) for one in found)
        places = [
            self.place(path, int(line))
            for path, line in pairs
            if PurePosixPath(path).name != _KIT and len(line) < 9
        ]
        return [place for place in places if place]


def last_error(log: str) -> str:
    """Return the line of a log that names the error: the end of a traceback of Python, or the first; empty if none."""
    tracebacks = [*_TRACEBACK.finditer(log)]
    lines = log.rstrip().splitlines()
    if tracebacks or any(line.startswith("  File ") for line in lines):
        return next((line.strip() for line in reversed(lines) if _is_error(line)), "")
    return next((line.strip() for line in lines if _is_error(line)), "")


def _is_error(line: str) -> bool:
    return _ERRORS.search(line[:_ERROR_CHARS]) is not None


def _writes(line: str, text: str) -> bool:
    literals = (next(filter(None, found), "") for found in _LITERAL.findall(line))
    return any(
        part.strip() and part.strip() in text
        for literal in literals
        for part in re.split(r"\{[^{}]*\}|%\w", literal)
        if len(part.strip()) >= 3
    )
