"""Shows the moves that a person can choose from, in as few lines as the terminal allows."""

from collections.abc import Sequence

from rich.text import Text

from arena.core.seat_names import with_names
from arena.core.wording import Choice, Group
from results.escaping import one_line

MOST_SHOWN = 40
"""Of longer lists, people see only the moves that match what they type."""
_GAP = "   "


def choice_lines(groups: Sequence[Group], width: int, names: Sequence[str]) -> list[Text]:
    """Return the choices of all groups, at most `MOST_SHOWN`, each group below its title."""
    lines: list[Text] = []
    room = MOST_SHOWN
    for group in groups:
        shown = group.choices[:room]
        room -= len(shown)
        if shown:
            lines.append(Text(f"{with_names(one_line(group.title), names)}:"))
            lines += _rows([_shown(choice, names) for choice in shown], width)
    left = sum(len(group.choices) for group in groups) - (MOST_SHOWN - room)
    if left:
        lines.append(Text(f"and {left} more: type a part of a move to see those that match", "dim"))
    return lines


def matching(groups: Sequence[Group], typed: str, names: Sequence[str]) -> list[Group]:
    """Return the choices that contain every word that was typed."""
    words = typed.lower().split()

    def matches(group: Group, choice: Choice) -> bool:
        text = with_names(f"{group.title} {choice.key} {choice.text}", names).lower()
        return all(word in text for word in words)

    found = [
        Group(group.title, tuple(choice for choice in group.choices if matches(group, choice)))
        for group in groups
    ]
    return [group for group in found if group.choices]


def _shown(choice: Choice, names: Sequence[str]) -> Text:
    text = with_names(one_line(choice.text), names)
    return Text.assemble((one_line(choice.key), "bold"), f" {text}" if text else "")


def _rows(items: Sequence[Text], width: int) -> list[Text]:
    """Return items side by side, two cells in."""
    rows: list[Text] = []
    for item in items:
        if rows and rows[-1].cell_len + len(_GAP) + item.cell_len <= width:
            rows[-1].append(_GAP).append_text(item)
        else:
            rows.append(Text("  ").append_text(item))
    return rows
