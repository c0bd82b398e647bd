"""Explains to its author why a bot failed a step: the cause, the place in its program, and the cure."""

from typing import Any, Final

import msgspec

from arena.checking.places import Sources, last_error
from arena.checking.steps import Failure
from arena.checking.table import Played, Seatable
from arena.checking.witness import Witness
from arena.players.base import Fault, PlayerLog
from arena.sandbox.standstill import Standstill
from arena.submissions.advice import ENDED, SILENT, advice, answer_form
from arena.submissions.languages import language_of
from arena.submissions.manifest import BotToml
from protocol.verdicts import Reason, Verdict

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
        """Return the cause, the cure and the place."""
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
                return (
                    f"the bot answered with id {_brief(given.get('id'))}, but was asked with id {wanted}, and is now "
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
