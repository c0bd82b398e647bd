"""Sandwich for people: the table as plain text."""

from collections.abc import Iterator, Mapping, Sequence

from arena.core.game import JSON

_INDENT = "    "


def draw(view: Mapping[str, JSON], width: int) -> str:
    """Return the table as plain text: the market, the seats with their cards, offers, and the tasting.

    No line is longer than `width` (40 columns or more).
    """
    lines = [*_wrapped("", _heading(view), ", ", width)]
    if view["market"]:
        cards = [f"{position} {name}" for position, name in enumerate(view["market"])]
        order = [f"seat {seat}" for seat in view["grab_order"]]
        lines += ["", *_wrapped("", ["Market, grab order: " + order[0], *order[1:]], ", ", width)]
        lines += _wrapped(_INDENT, cards, "   ", width)
    lines.append("")
    for seat in range(len(view["hands"])):
        lines += _seat(view, seat, width)
    if view["offers"]:
        lines += ["", "Offers"]
        for offer in view["offers"]:
            lines += _wrapped(_INDENT, _offer(offer), ", ", width)
    if view["read_out"]:
        lines += ["", f"Before seat {view['taster']} lie"]
        for place, sandwich in enumerate(view["read_out"]):
            lines += _wrapped(f"{_INDENT}{place}: ", sandwich, " + ", width)
    return "\n".join(lines)


def stacked(sandwich: Sequence[str]) -> str:
    """Return a sandwich in words: its ingredients with + between them."""
    return " + ".join(sandwich)


def _heading(view: Mapping[str, JSON]) -> list[str]:
    phase = {
        "grab": "market",
        "offer": "trading, offers",
        "answer": "trading, answers",
        "serve": "making",
        "taste": "tasting",
        "over": "over",
    }[view["phase"]]
    parts = [f"Round {view['round_no'] + 1} of {view['rounds']}", phase]
    if view["market_turn"] is not None:
        parts += [f"turn {view['market_turn'] + 1}", f"{view['pile']} left in each pile"]
    if view["trade_round"] is not None:
        parts.append(f"trade round {view['trade_round'] + 1}")
    ways = {"left": "to the left", "right": "to the right", "both": "two to each side"}
    return [*parts, f"served {ways[view['direction']]}"]


def _seat(view: Mapping[str, JSON], seat: int, width: int) -> Iterator[str]:
    marks = []
    if seat == view.get("seat"):
        marks.append("you")
    if seat == view["taster"]:
        marks.append("tastes")
    row = f"seat {seat:<2} {view['scores'][seat]:4} points  {', '.join(marks)}"
    yield row.rstrip()
    if view["hands"][seat]:
        yield from _wrapped(_INDENT, view["hands"][seat], ", ", width)
    for sandwich in view["plates"][seat]:
        yield from _wrapped(f"{_INDENT}served: ", sandwich or ["face down"], " + ", width)


def _offer(offer: Mapping[str, JSON]) -> list[str]:
    who = f"{offer['number']}: seat {offer['seat']} to seat {offer['to']}"
    return [who, f"{offer['give']} for {offer['want']}"]


def _wrapped(indent: str, words: Sequence[str], between: str, width: int) -> Iterator[str]:
    """Yield words in rows of at most `width` columns; later rows are indented like the first."""
    row = indent + words[0]
    for word in words[1:]:
        longer = row + between + word
        if len(longer) + len(between.rstrip()) > width:
            yield row + between.rstrip()
            row = " " * len(indent) + word
        else:
            row = longer
    yield row
