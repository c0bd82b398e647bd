"""Lays out messages of the protocol for people, and the steps of a check with what a bot was sent and wrote.

A message takes one line, or a page by itself. Bots write some of it, so everything is escaped and bounded.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from arena.checking.step_results import Failure, Step
from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import hint, say, say_error
from arena.core import move_words as names
from results.base.text import json_text, one_line, visible

MOST_ITEMS = 40
"""Moves or events listed one by one; more are counted."""
MOST_CHARS = 2_000
"""Longest value on a page, in characters."""
_LEAST_WIDTH = 20


def decision_words(decision: int, ask: int | None = None) -> str:
    """Return the name of a decision: its number in the game, and the id of the ask that its bot saw, if known.

    >>> decision_words(42, 20), decision_words(42)
    ('decision 42 (ask 20)', 'decision 42')
    """
    return f"decision {decision}" if ask is None else f"decision {decision} (ask {ask})"


def cut(text: str, width: int | None) -> str:
    """Return text as one safe line of at most `width` characters, with the number of those left out at its end.

    >>> cut("abcdefghijklmnopqrstuvwxyz", 20)
    'abcdefghijklmno… +11'
    """
    line = one_line(text)
    if width is None or len(line) <= (width := max(width, _LEAST_WIDTH)):
        return line
    kept = width
    while kept + len(f"… +{len(line) - kept}") > width:
        kept -= 1
    return f"{line[:kept]}… +{len(line) - kept}"


def message_lines(
    message: Mapping[str, Any], *, width: int | None = None, picture: str = "", most: int = MOST_ITEMS
) -> Iterator[str]:
    """Yield a message of either side field by field: lists of objects an item per line, legal moves numbered from 1.

    `width` is the longest line; None: as long as they are, up to 2,000 characters for a value. `picture` is the table
    as the game draws it, shown instead of the JSON of `view`. At most `most` items of a list are shown.
    """
    width = MOST_CHARS if width is None else width
    for key, value in message.items():
        if key == "type":
            continue
        if key == "view" and picture:
            yield "view:"
            yield from (("    " + cut(visible(line), width - 4)).rstrip() for line in picture.split("\n"))
        elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
            yield f"{key}: {len(value)}"
            yield from _items(value, width, most, numbered=key == "legal")
        elif isinstance(value, Mapping) and value:
            whole = f"{key}: {json_text(value)}"
            if len(whole) <= width:
                yield cut(whole, width)
                continue
            yield f"{key}:"
            yield from ("    " + cut(f"{name}: {json_text(item)}", width - 4) for name, item in value.items())
        else:
            yield cut(f"{key}: {value if isinstance(value, str) else json_text(value)}", width)


def _items(items: Sequence[Any], width: int, most: int, *, numbered: bool) -> Iterator[str]:
    for number, item in enumerate(items[:most], 1):
        start = f"{number:4}. " if numbered else "    "
        yield start + cut(json_text(item), width - len(start))
    if len(items) > most:
        yield f"    … and {len(items) - most} more"


def seat_names(labels: Sequence[str]) -> list[str]:
    """Return a name for each seat on one line each; players with the same label are numbered."""
    return names.seat_names([one_line(label) for label in labels])


_STATES = {"ok": "ok", "failed": "FAILED", "untested": "not tested"}


def step_line(step: Step) -> str:
    """Return the line of a step."""
    said = f": {step.text}" if step.state != "failed" else ""
    return one_line(f"{step.number}. {step.name}{said} … {_STATES[step.state]}")


def say_failure(failure: Failure, what: str) -> None:
    """Print why a step failed, what the bot was sent and wrote, the end of its log, and what to do."""
    where = f"{failure.place}: " if failure.place else ""
    say_error(f"{what}: {where}{failure.cause}")
    if failure.cure:
        hint(failure.cure)
    if failure.doing:
        say(f"  in: {failure.doing}")
    if failure.sent:
        say(f"  it was sent: {one_line(failure.sent)}")
        came = failure.came or ("nothing",)
        say(f"  it wrote: {one_line(came[0])}")
        for line in came[1:]:
            say(f"            {one_line(line)}")
    if failure.log:
        say("  the end of its log:")
        for line in failure.log:
            error_console().print(Text("    " + one_line(line)), soft_wrap=True)
