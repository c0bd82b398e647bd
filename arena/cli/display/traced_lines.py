"""Formats the lines of a conversation for a terminal: time, direction, decision, text."""

import json
from typing import TYPE_CHECKING

from rich.text import Text

from arena.cli.display.message_text import cut, decision_words
from results.escaping import json_text

if TYPE_CHECKING:
    from arena.conversation.tracing import TracedLine

MARKS = {"arena": "→", "bot": "←", "log": "·"}
"""Arena's lines go to the bot; the bot's come from it; the log goes beside."""
_STYLES = {"arena": "cyan", "bot": "green", "log": "dim"}


def traced_text(line: "TracedLine", width: int | None, *, names_seat: bool) -> Text:
    """Return one line of a trace, at most `width` characters long; None: whole, on one line."""
    start = f"{line.at_ms / 1000:8.3f} s "
    if names_seat:
        start += f"seat {line.seat} "
    start += MARKS[line.speaker] + " "
    if line.decision is not None:
        start += decision_words(line.decision, line.ask) + " "
    end = "" if line.after_ms is None else f"  ({line.after_ms:.1f} ms)"
    if not line.is_whole and line.speaker != "log":
        end += "  (no newline)"
    room = None if width is None else width - len(start) - len(end)
    text = line.text if room is None or len(line.text) <= room else _heart_of(line)
    return Text.assemble(start, (cut(text, room), _STYLES[line.speaker]), end)


def _heart_of(line: "TracedLine") -> str:
    """Return what matters of a question or an answer, whose type and id stand before it; other lines whole."""
    if line.decision is None or line.speaker == "log":
        return line.text
    try:
        message = json.loads(line.text)
    except (ValueError, RecursionError):  # a bot may write anything
        return line.text
    match message:
        case {"type": "ask", "kind": kind, "view": view}:
            return f"{kind} {json_text(view)}"
        case {"type": "move", "move": move, "note": str(note)}:
            return f"{json_text(move)} {note}"
        case {"type": "move", "move": move}:
            return json_text(move)
    return line.text
