"""Bread and Chocolate for people: a plain-text picture of the table, and a sentence for each event."""

from collections.abc import Mapping, Sequence

from arena.core.game import JSON

_CELL = 3
"""Columns per card in a row of cards."""


def draw(view: Mapping[str, JSON], width: int) -> str:
    """Return the table as plain text: the seats, the three piles, the cards in hand."""
    lines = [f"Hand {view['hand_no'] + 1} of {view['hands']}, turn {view['turns'] + 1}", ""]
    lines += [_seat(view, seat) for seat in range(len(view["held"]))]
    lines += ["", *_piles(view)]
    if "hand" in view:
        lines += ["", *_row("Hand ", view["hand"], width)]
    return "\n".join(lines)


def _seat(view: Mapping[str, JSON], seat: int) -> str:
    marks = []
    if seat == view.get("seat"):
        marks.append("you")
    if seat == view["dealer"]:
        marks.append("dealer")
    if seat == view["turn"]:
        marks += [f"discards {view['discard']}"] * (view["discard"] > 0)
        marks += ["opens"] * (view["opening"] > 0)
    pointer = ">" if seat == view["turn"] else " "
    row = f"{pointer} seat {seat}  {_cards(view['held'][seat]):>8}  {view['scores'][seat]:5} points  {', '.join(marks)}"
    return row.rstrip()


def _piles(view: Mapping[str, JSON]) -> list[str]:
    spread = f"   a spread of {_rank(view['up'])} lasts" if view["spread"] else ""
    return [
        f"Up   [{view['up']}]  on {_cards(view['up_count'] - 1)}{spread}",
        f"Down [**]  {_cards(view['down_count'])}      Stock [**]  {_cards(view['stock'])}",
    ]


def _row(label: str, cards: Sequence[str], width: int) -> list[str]:
    """Return cards in as many rows as the width requires, with the label before the first."""
    each = max(1, (width - len(label)) // _CELL)
    rows = []
    for start in range(0, max(1, len(cards)), each):
        head = label if start == 0 else " " * len(label)
        part = "".join(f"{card:>{_CELL}}" for card in cards[start : start + each])
        rows.append(head + (part or " (no cards)"))
    return rows


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _rank(card: str) -> str:
    return "10" if card[0] == "T" else card[0]


def describe(event: Mapping[str, JSON]) -> str:
    """Return one sentence that describes an event, in its wire format, to people."""
    return _TELLERS.get(event["kind"], _other)(event)


def _dealt(event: Mapping[str, JSON]) -> str:
    own = f"; you get {' '.join(event['hand'])}" if "hand" in event else ""
    dealt = f"Seat {event['dealer']} deals hand {event['hand_no'] + 1}, {event['held'][0]} cards each"
    return f"{dealt}{own}; {event['up']} is turned up."


def _spread(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} spreads and turns up {' '.join(event['cards']) or 'nothing'}."


def _flipped(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} flips: {event['up']} comes up, {event['down']} goes down."


def _passed(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} passes."


def _played(event: Mapping[str, JSON]) -> str:
    laid = f"Seat {event['seat']} lays {event['card']}"
    if event["effect"] == "spread":
        return f"{laid}, the same rank: a spread."
    if event["effect"] == "none":
        return f"{laid}."
    return f"{laid} and must {event['effect']} {_cards(event['number'])}."


def _stuck(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} has no legal play and must draw."


def _drew(event: Mapping[str, JSON]) -> str:
    drawn = f" ({' '.join(event['cards'])})" if "cards" in event else ""
    return f"Seat {event['seat']} draws {_cards(event['count'])}{drawn}, {event['stock']} left in the stock."


def _discarded(event: Mapping[str, JSON]) -> str:
    what = f" ({' '.join(event['cards'])})" if "cards" in event else ""
    return f"Seat {event['seat']} discards {_cards(event['count'])}{what}."


def _reset(event: Mapping[str, JSON]) -> str:
    return (
        f"The piles are turned over: {event['up']} is up, with {_cards(event['up_count'])} in its pile, "
        f"{event['stock']} in the stock, {event['down_count']} down."
    )


def _refilled(event: Mapping[str, JSON]) -> str:
    return f"The up pile below {event['up']} is turned over: {event['stock']} in the stock."


def _hand_ended(event: Mapping[str, JSON]) -> str:
    how = "at the turn limit" if event["winner"] is None else f"as seat {event['winner']} goes out"
    told = ", ".join(
        f"seat {seat} {points:+d} (now {score})"
        for seat, (points, score) in enumerate(zip(event["points"], event["scores"], strict=True))
    )
    return f"Hand {event['hand_no'] + 1} ends {how}: {told}."


def _forfeit(event: Mapping[str, JSON]) -> str:
    return f"Seat {event['seat']} forfeits: {event['verdict']}."


def _other(event: Mapping[str, JSON]) -> str:
    told = ", ".join(f"{key} {value}" for key, value in event.items() if key != "kind")
    return f"{str(event['kind']).replace('_', ' ').capitalize()}: {told}."


_TELLERS = {
    "dealt": _dealt,
    "spread": _spread,
    "flipped": _flipped,
    "passed": _passed,
    "played": _played,
    "stuck": _stuck,
    "drew": _drew,
    "discarded": _discarded,
    "reset": _reset,
    "refilled": _refilled,
    "hand_ended": _hand_ended,
    "forfeit": _forfeit,
}
