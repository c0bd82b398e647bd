"""Explains to its author why a bot failed a step: the cause, the place in its program, and the cure."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec
from msgspec import Struct

from arena.checking.conversation_witness import Witness
from arena.checking.harness import Played, Seatable
from arena.checking.step_results import Failure
from arena.players.base import Fault, PlayerLog
from arena.sandbox.deadlock import Standstill
from arena.submissions.bot_languages import language_of
from arena.submissions.fault_advice import ENDED, SILENT, advice, answer_form
from arena.submissions.folder import MAX_DEPTH, File, shown_name
from arena.submissions.manifest import BotToml
from protocol.verdicts import Reason, Verdict

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


class Sources(Struct, frozen=True):
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
        """Return the only line of its programs that writes a literal of this output, or nothing. Reads only a part."""
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


_LINE_CHARS: Final = 600
"""Longer lines are cut in the middle."""
LOG_LINES: Final = 20
_CAME_LINES: Final = 5
_PROGRAM: Final = "is it a program for this machine, and is its first line right?"


class Explainer:
    """Explains the failures of one bot."""

    def __init__(self, bot_toml: BotToml, sources: Sources) -> None:
        self._bot_toml = bot_toml
        self._kit = bot_toml.manifest.kit
        self._sources = sources
        manifest, names = bot_toml.manifest, (file.path for file in sources.files)
        self._language = language_of(manifest.command, names, manifest.build)

    def of_start(self, fault: Fault) -> Failure:
        """Explain why a bot could not be started at all."""
        return Failure(fault.detail, self._advice(fault) or _PROGRAM, self._bot_toml.place("command"))

    def of_handshake(self, bot: Seatable, fault: Fault) -> Failure:
        """Explain why a bot did not shake hands."""
        return self._explained(fault, bot.witness, bot.log, bot.last_words, "")

    def of_game(self, bot: Seatable, played: Played, fault: Fault) -> Failure:
        """Explain why a bot failed in a game."""
        deal = played.deal
        doing = f"{deal.game.info.name}, {deal.ruleset.name}, seat {deal.seat} of {deal.seats}"
        witness = bot.witness
        if witness.kind == "ask":
            number = _decoded(witness.message).get("id")
            doing += f", decision {played.record.seats[deal.seat].at_decision} (ask {number})"
        return self._explained(fault, witness, played.log, played.last_words, doing)

    def of_behaviour(self, bot: Seatable, cause: str, cure: str, *, came: bytes = b"") -> Failure:
        """Explain a failure that isn't a fault in a league."""
        lines = (came or bytes(bot.witness.came)).split(b"\n")
        return Failure(
            cause,
            cure,
            self._sources.place_of_output(came.decode("utf-8", "replace")) if came else "",
            sent=_cut(bot.witness.message),
            came=_shown(lines),
            log=_end_of(bot.log),
        )

    def of_hang(self, bot: Seatable, cause: str, cure: str) -> Failure:
        """Explain that a bot doesn't exit."""
        words = bot.last_words.decode("utf-8", "replace")
        place = self._sources.place_of_hang(words)
        return Failure(cause, cure, place, log=_end_of(bot.log, bot.last_words))

    def _explained(
        self, fault: Fault, witness: Witness, log: PlayerLog, last_words: bytes, doing: str
    ) -> Failure:
        text = _text(log)
        cause, cure, place = self._judged(fault, witness, text, last_words)
        came = witness.lines() + ([rest] if (rest := witness.unfinished()) else [])
        return Failure(
            cause, cure, place, doing, _cut(witness.message), _shown(came), _end_of(log, last_words)
        )

    def _judged(self, fault: Fault, witness: Witness, log: str, last_words: bytes) -> tuple[str, str, str]:
        sources, said = self._sources, f"{fault.verdict}: {fault.detail}"
        if witness.standstill is not None:
            return self._of_standstill(witness, log)
        error, place = last_error(log), sources.place_in_log(log)
        if fault.verdict is Verdict.ILLEGAL:
            return said, self._advice(fault, log, witness), ""
        cure = self._advice(fault, log, witness)
        if fault.reason in SILENT:
            words = last_words.decode("utf-8", "replace")
            return said, cure, sources.place_of_hang(words) or place
        if fault.reason in ENDED:
            if error.startswith("arena_kit.BotError"):
                cure = "the top of arena_kit.py shows what the kit calls, and what it takes back"
            return f"{said}: {error}" if error else said, cure, place
        if fault.reason is None:
            return said, cure, place
        lines = witness.lines() or [witness.unfinished()]
        stray = next((line for line in lines if not _decoded(line)), lines[-1])
        return said, cure, sources.place_of_output(stray.decode("utf-8", "replace"))

    def _advice(self, fault: Fault, log: str = "", witness: Witness | None = None) -> str:
        asked, message = ("", {}) if witness is None else (witness.kind, _decoded(witness.message))
        return advice(
            fault.reason, log, self._language, kit=self._kit, asked=asked, ask=message, verdict=fault.verdict
        )

    def _of_standstill(self, witness: Witness, log: str) -> tuple[str, str, str]:
        asked, waited = witness.kind, f"{witness.waited_s:.1f} s"
        place = self._sources.place_in_log(log)
        if witness.standstill is Standstill.STUCK:
            return (
                f"no answer to `{asked}` after {waited}, and none can come: all threads and processes of the bot "
                "are waiting for each other, and none is reading standard input",
                advice(Reason.STUCK),
                place,
            )
        if rest := witness.unfinished():
            return (
                f"no complete answer to `{asked}`: the bot wrote {len(rest)} bytes without a newline, and is now "
                "waiting for the next message",
                "end each message with a newline, and write all of it at once",
                self._sources.place_of_output(rest.decode("utf-8", "replace")),
            )
        if lines := witness.lines():
            given = _decoded(lines[-1])
            message = _decoded(witness.message)
            wanted = message.get("id")
            if asked == "ask" and given.get("type") == "move" and given.get("id") != wanted:
                number = msgspec.json.encode(given.get("id")).decode()[:40]
                return (
                    f"the bot answered with id {number}, but was asked with id {wanted}, and is now "
                    "waiting for the next message",
                    advice(Reason.WRONG_ID, asked=asked, ask=message),
                    "",
                )
            return (
                f"the bot answered `{asked}` with something else, and is now waiting for the next message: "
                f"{_cut(lines[-1], 120)}",
                answer_form(asked, wanted),
                self._sources.place_of_output(lines[-1].decode("utf-8", "replace")),
            )
        return (
            f"no answer to `{asked}` after {waited}, and none will come: the bot is waiting for the next message",
            advice(Reason.READING, language=self._language, kit=self._kit, asked=asked),
            place,
        )


def _decoded(line: bytes) -> dict[str, Any]:
    """Return a line as an object; empty if it isn't one."""
    try:
        value = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _cut(line: bytes, most: int = _LINE_CHARS) -> str:
    text = line.rstrip(b"\n").decode("utf-8", "replace")
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def _shown(lines: list[bytes]) -> tuple[str, ...]:
    kept = [_cut(line) for line in lines if line.strip()]
    more = (f"… and {len(kept) - _CAME_LINES} lines more",) if len(kept) > _CAME_LINES else ()
    return (*kept[:_CAME_LINES], *more)


def _text(log: PlayerLog) -> str:
    return (log.head + log.tail).decode("utf-8", "replace")


def _end_of(log: PlayerLog, last_words: bytes = b"") -> tuple[str, ...]:
    text = _text(log) + last_words.decode("utf-8", "replace")
    return tuple(line[:_LINE_CHARS] for line in text.rstrip().splitlines()[-LOG_LINES:])
