"""Bread Basket for people: a plain-text picture of the table, and a sentence for each event."""

from collections.abc import Mapping, Sequence

from arena.core.game import JSON

_CELL = 4
"""Columns per card in the line."""


def draw(view: Mapping[str, JSON], width: int) -> str:
    """Return the table as plain text: the seats, the line with its positions, the cards in hand."""
    lines = [_heading(view), ""]
    lines += [_seat(view, seat) for seat in range(len(view["held"]))]
    lines += ["", *_line_of_cards(view["line"], width)]
    if "hand" in view:
        lines += ["", *_wrapped("Hand  ", view["hand"], width)]
    return "\n".join(lines)


def _heading(view: Mapping[str, JSON]) -> str:
    aside = f", Chefs aside {view['aside']}" if view["aside"] else ""
    return f"Hand {view['hand_no'] + 1} of {view['hands']}, stock {view['stock']}{aside}"


def _seat(view: Mapping[str, JSON], seat: int) -> str:
    marks = []
    if seat == view.get("seat"):
        marks.append("you")
    if seat == view["dealer"]:
        marks.append("dealer")
    if seat == view["turn"] and view["played"]:
        marks.append(f"has played {view['played'][0]}")
    pointer = ">" if seat == view["turn"] else " "
    cards = f"{view['held'][seat]:2} card{' ' if view['held'][seat] == 1 else 's'}"
    row = f"{pointer} seat {seat}  {cards}  {view['scores'][seat]:4} points  {', '.join(marks)}"
    return row.rstrip()


def _line_of_cards(cards: Sequence[str], width: int) -> list[str]:
    """Return the line, each card above its position, in as many pairs of rows as the width requires."""
    if not cards:
        return ["Line   (empty)"]
    each = max(1, (width - 6) // _CELL)
    rows = []
    for start in range(0, len(cards), each):
        part = cards[start : start + each]
        label = "Line  " if start == 0 else "      "
        rows.append(label + "".join(f"{card:>{_CELL}}" for card in part))
        rows.append("  at  " + "".join(f"{start + i:>{_CELL}}" for i in range(len(part))))
    return rows


def _wrapped(label: str, cards: Sequence[str], width: int) -> list[str]:
    each = max(1, (width - len(label)) // _CELL)
    rows = []
    for start in range(0, max(1, len(cards)), each):
        head = label if start == 0 else " " * len(label)
        part = "".join(f"{card:>{_CELL}}" for card in cards[start : start + each])
        rows.append(head + (part or " (no cards)"))
    return rows


def describe(event: Mapping[str, JSON]) -> str:
    """Return one sentence that describes an event, in its wire format, to people."""
    return _TELLERS.get(event["kind"], _other)(event)


def _dealt(event: Mapping[str, JSON]) -> str:
    own = f"; you get {' '.join(event['hand'])}" if "hand" in event else ""
    dealt = f"Seat {event['dealer']} deals hand {event['hand_no'] + 1}, {event['held'][0]} cards each"
    return f"{dealt}{own}; the line starts with {event['card']}."


def _played(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} plays {event['card']}."


def _stopped(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} stops."


def _fetched(event: Mapping[str, JSON]) -> str:
    return (
        f"Seat {event['seat']} lays a Chef aside and takes the {event['card']} "
        f"from position {event['position']} of the line."
    )


def _taken(event: Mapping[str, JSON]) -> str:
    points = "1 point" if event["points"] == 1 else f"{event['points']} points"
    return f"Seat {event['seat']} takes the {event['trick']} {'-'.join(event['cards'])} for {points}."


def _refilled(event: Mapping[str, JSON]) -> str:
    return f"The line is empty; {event['card']} is turned up from the stock, {event['stock']} left."


def _hand_ended(event: Mapping[str, JSON]) -> str:
    told = ", ".join(
        f"seat {seat} {points:+d} (now {score})"
        for seat, (points, score) in enumerate(zip(event["points"], event["scores"], strict=True))
    )
    return f"Hand {event['hand_no'] + 1} ends: {told}."


def _forfeit(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} forfeits: {event['verdict']}."


def _other(event: Mapping[str, JSON]) -> str:
    told = ", ".join(f"{key} {value}" for key, value in event.items() if key != "kind")
    return f"{str(event['kind']).replace('_', ' ').capitalize()}: {told}."


_TELLERS = {
    "dealt": _dealt,
    "played": _played,
    "stopped": _stopped,
    "fetched": _fetched,
    "taken": _taken,
    "refilled": _refilled,
    "hand_ended": _hand_ended,
    "forfeit": _forfeit,
}
