"""The log of a bot in one game, line by line, with the decisions that its lines mention."""

import re

from msgspec import Struct

from arena.conversation.narration import Conversation
from results.records import LogRecord

_ASK = re.compile(r"\bask (\d{1,16})\b")
"""How the kits, and Arena's own details, name a decision: by the id that the bot has seen."""


class LogLine(Struct, frozen=True):
    """One line of a log."""

    text: str
    """As the bot wrote it, apart from bytes that aren't UTF-8: it may have control characters."""
    decision: int | None = None
    ask: int | None = None
    """The decision that it mentions by the id of its ask."""


def log_lines(log: LogRecord, told: Conversation | None = None) -> list[LogLine]:
    """Return the lines of a stored log; a line in brackets stands for what was dropped in the middle."""
    if not log.dropped_bytes:
        return _lines(log.head + log.tail, told)
    gap = LogLine(f"({log.dropped_bytes:,} bytes of the log were not kept)")
    return [*_lines(log.head, told), gap, *_lines(log.tail, told)]


def _lines(data: bytes, told: Conversation | None) -> list[LogLine]:
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return [_line(line, told) for line in text.split("\n")] if text else []


def _line(text: str, told: Conversation | None) -> LogLine:
    text = text.removesuffix("\r")
    found = _ASK.search(text) if told is not None else None
    if found is None or told is None or (decision := told.decision_of(int(found[1]))) is None:
        return LogLine(text)
    return LogLine(text, decision, int(found[1]))
