"""Explains to its author why a bot failed a step: the cause, the place in its program, and the cure."""

import re
from pathlib import PurePosixPath
from typing import Any, Final

import msgspec

from arena.checking.places import Sources, last_error
from arena.checking.steps import Failure
from arena.checking.table import Played, Seatable
from arena.checking.witness import Witness
from arena.players.base import Fault, PlayerLog
from arena.sandbox.standstill import Standstill
from arena.submissions.advice import advice, in_short
from arena.submissions.manifest import BotToml
from protocol.verdicts import Verdict

_LINE_CHARS: Final = 600
"""Longer lines are cut in the middle."""
LOG_LINES: Final = 20
_CAME_LINES: Final = 5
_MISSING_FILE: Final = re.compile(
    r"^FileNotFoundError: .*?: '([^'\n]+)'|^Error: ENOENT: .*?'([^'\n]+)'", re.MULTILINE
)
_FLUSH: Final = {
    "python": "in Python: print(line, flush=True)",
    "node": "in Node: process.stdout.write(line + '\\n')",
    "jq": "jq --unbuffered",
    "sed": "sed -u",
    "java": "in Java: flush() after each line",
}
_FLUSH_IN_SOURCE: Final = {
    ".go": "in Go: Flush() on a bufio.Writer after each line",
    ".rs": "in Rust: flush() after each line",
    ".java": "in Java: flush() after each line",
    ".c": "in C: fflush(stdout) after each line",
    ".cpp": "in C++: std::flush after each line",
    ".py": "in Python: print(line, flush=True)",
}


class Explainer:
    """Explains the failures of one bot."""

    def __init__(self, bot_toml: BotToml, sources: Sources) -> None:
        self._bot_toml = bot_toml
        self._manifest = bot_toml.manifest
        self._sources = sources

    def of_start(self, fault: Fault) -> Failure:
        """Explain why a bot could not be started at all."""
        cure = "is it a program for this machine, and is its first line right?"
        return Failure(fault.detail, cure, self._bot_toml.place("command"))

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
        """Return the cause, the cure and the place."""
        sources, said = self._sources, in_short(f"{fault.verdict}: {fault.detail}")
        if witness.standstill is not None:
            return self._of_standstill(witness, log)
        error, place = last_error(log), sources.place_in_log(log)
        if fault.verdict is Verdict.ILLEGAL:
            return said, _legal(witness), ""
        if fault.verdict is Verdict.MALFORMED or "is no message" in fault.detail:
            return self._of_malformed(said, fault, witness)
        if "no answer" in fault.detail or "did not read" in fault.detail:
            return self._of_timeout(said, witness, log, last_words)
        if (
            "exited with code" in fault.detail
            or "was ended by" in fault.detail
            or "closed its" in fault.detail
        ):
            cause = f"{said}: {error}" if error else said
            return cause, self._of_end(fault, log), place
        return said, advice(log, fault.detail, kit=self._manifest.kit), place

    def _of_standstill(self, witness: Witness, log: str) -> tuple[str, str, str]:
        asked, waited = witness.kind, f"{witness.waited_s:.1f} s"
        place = self._sources.place_in_log(log)
        if witness.standstill is Standstill.STUCK:
            return (
                f"no answer to `{asked}` after {waited}, and none can come: all threads and processes of the bot "
                "are waiting for each other, and none is reading standard input",
                "look for a lock that is never released, or a child process that is never answered",
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
            wanted = _decoded(witness.message).get("id")
            if asked == "ask" and given.get("type") == "move" and given.get("id") != wanted:
                return (
                    f"the bot answered with id {_brief(given.get('id'))}, but was asked with id {wanted}, and is now "
                    "waiting for the next message",
                    f"repeat the `id` of the ask: ids increase, but not by one; {_move_form(wanted)}",
                    "",
                )
            return (
                f"the bot answered `{asked}` with something else, and is now waiting for the next message: "
                f"{_cut(lines[-1], 120)}",
                {
                    "start": 'answer `start` with {"type":"ready"}',
                    "hello": 'answer `hello` with {"type":"hello","protocol":1}',
                }.get(asked, _move_form(wanted)),
                self._sources.place_of_output(lines[-1].decode("utf-8", "replace")),
            )
        return (
            f"no answer to `{asked}` after {waited}, and none will come: the bot is waiting for the next message",
            f"does it answer `{asked}`, and flush standard output after each line? {self._flush()}".rstrip(),
            place,
        )

    def _of_timeout(self, said: str, witness: Witness, log: str, last_words: bytes) -> tuple[str, str, str]:
        words = last_words.decode("utf-8", "replace")
        place = self._sources.place_of_hang(words) or self._sources.place_in_log(log)
        if witness.was_busy and witness.kind != "ask":
            said += ": it was still computing"
        if said.endswith("it was still computing"):
            cures = {
                "hello": "is there an endless loop before it reads messages, or does it prepare for too long?",
                "start": "is there an endless loop? If it only prepares long, do that before the first message",
            }
            return (
                said,
                cures.get(witness.kind, "is there an endless loop? If it only thinks long, watch `time`"),
                place,
            )
        return (
            said,
            "it may sleep, wait for something other than its input, or keep its answer in a buffer"
            + ("" if words else f": does it flush each line? {self._flush()}"),
            place,
        )

    def _of_malformed(self, said: str, fault: Fault, witness: Witness) -> tuple[str, str, str]:
        lines = witness.lines() or [witness.unfinished()]
        wanted = _decoded(witness.message).get("id")
        stray = next((line for line in lines if not _decoded(line)), lines[-1])
        place = self._sources.place_of_output(stray.decode("utf-8", "replace"))
        if "was not asked" in fault.detail:
            return said, f"repeat the `id` of the ask; {_move_form(wanted)}", place
        if "this is an array" in fault.detail or "a message is an object" in fault.detail:
            return said, f"each line must be one JSON object: {_answer_form(witness)}", place
        if "not JSON" in fault.detail:
            return said, advice("", fault.detail), place
        return said, _answer_form(witness), place

    def _of_end(self, fault: Fault, log: str) -> str:
        manifest = self._manifest
        if found := _MISSING_FILE.search(log):
            name = found[1] or found[2]
            return (
                f"{name} is not there: a bot sees only the files in its folder, and runs in a copy of it; put the file "
                "there, and open it by a path relative to the folder"
            )
        if told := advice(log, fault.detail, kit=manifest.kit):
            return told
        if "SyntaxError" in log or "IndentationError" in log or "TabError" in log:
            return "correct the syntax; the log shows the line"
        if last_error(log).startswith("arena_kit.BotError"):
            return "the top of arena_kit.py shows what the kit calls, and what it takes back"
        if last_error(log):
            return "the traceback is in the log: correct the program"
        if "code 0" in fault.detail:
            return "the program ended by itself: go on reading messages until `quit`"
        if "SIGKILL" in fault.detail:
            return "did it use too much memory?"
        if "was ended by" in fault.detail:
            return "it crashed in native code: run it in a debugger with the message above as its input"
        if "closed its" in fault.detail:
            return "keep standard input and output open until `quit`"
        if PurePosixPath(manifest.command[0]).name in ("sh", "bash"):
            return "a command of the script failed; the log shows which"
        return "write the reason to standard error before exiting with this code"

    def _flush(self) -> str:
        name = PurePosixPath(self._manifest.command[0]).name
        of_program = (how for start, how in _FLUSH.items() if name.startswith(start))
        of_source = (how for suffix, how in _FLUSH_IN_SOURCE.items() if self._sources.have(suffix))
        return next(of_program, "") or next(of_source, "")


def _legal(witness: Witness) -> str:
    """Return what would have been legal."""
    ask = _decoded(witness.message)
    legal = ask.get("legal")
    if isinstance(legal, list):
        shown = [msgspec.json.encode(move).decode() for move in legal[:4]]
        more = f", … ({len(legal)} in all)" if len(legal) > len(shown) else ""
        return f"answer with one of `legal`, unchanged: {', '.join(shown)}{more}"
    example = msgspec.json.encode(ask.get("example")).decode()
    return f"build the move like `example`: {example[:200]}"


def _answer_form(witness: Witness) -> str:
    forms = {
        "hello": 'answer `hello` with {"type":"hello","protocol":1}',
        "start": 'answer `start` with {"type":"ready"}',
    }
    return forms.get(witness.kind) or _move_form(_decoded(witness.message).get("id"))


def _move_form(number: object) -> str:
    return f'answer like {{"type":"move","id":{number if type(number) is int else 1},"move":…}}'


def _decoded(line: bytes) -> dict[str, Any]:
    """Return a line as an object; empty if it isn't one."""
    try:
        value = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _brief(value: object) -> str:
    return msgspec.json.encode(value).decode()[:40]


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
