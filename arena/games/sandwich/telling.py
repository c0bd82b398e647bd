"""Sandwich for people: a sentence for each event."""

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


_Event = Mapping[str, JSON]


def describe(event: _Event) -> str:
    """Return one sentence that describes an event, in its wire format, to people."""
    teller = _TELLERS.get(event["kind"])
    if teller is None:
        rest = ", ".join(f"{key} {value}" for key, value in event.items() if key != "kind")
        return f"{event['kind'].capitalize()}: {rest}."
    return teller(event)


def _dealt(event: _Event) -> str:
    ways = {"left": "to the left", "right": "to the right", "both": "two to each side"}
    return (
        f"Seat {event['dealer']} deals round {event['round_no'] + 1}, {event['pile']} cards each, face down; "
        f"sandwiches go {ways[event['direction']]}."
    )


def _turned_up(event: _Event) -> str:
    order = ", ".join(f"seat {seat}" for seat in event["grab_order"])
    return f"Turn {event['market_turn'] + 1} of the market: {_by_seat(event['market'])}; grab order: {order}."


def _grabbed(event: _Event) -> str:
    return f"Taken: {_by_seat(event['taken'])}."


def _offered(event: _Event) -> str:
    if not event["offers"]:
        return f"Nobody offers anything in trade round {event['trade_round'] + 1}, so trading is over."
    return f"Offers of trade round {event['trade_round'] + 1}: {_trades(event['offers'])}."


def _traded(event: _Event) -> str:
    if not event["trades"]:
        return f"No offer of trade round {event['trade_round'] + 1} is taken."
    return f"Traded: {_trades(event['trades'])}."


def _served(event: _Event) -> str:
    receivers = event["receivers"]
    sandwiches = event.get("sandwiches")
    if sandwiches is None:
        return f"Seat {event['seat']} gives sandwiches to {_listed(receivers)}, face down.{_words(event)}"
    given = "; ".join(f"to seat {to}: {stacked(one)}" for to, one in zip(receivers, sandwiches, strict=True))
    return f"Seat {event['seat']} gives sandwiches, {given}.{_words(event)}"


def _words(event: _Event) -> str:
    """Return the words that go with sandwiches, made printable, since other players wrote them."""
    words = [
        f"to seat {to}: {word!a}"
        for to, word in zip(event["receivers"], event.get("words", ()), strict=False)
        if word is not None
    ]
    return f" The words are, {'; '.join(words)}." if words else ""


def _read_out(event: _Event) -> str:
    shown = "; ".join(f"{place}: {stacked(one)}" for place, one in enumerate(event["sandwiches"]))
    return f"Before seat {event['taster']} lie {shown}."


def _tasted(event: _Event) -> str:
    ranked = "; ".join(
        f"{stacked(sandwich)} by seat {maker}, {_points(points)}"
        for sandwich, maker, points in zip(event["sandwiches"], event["makers"], event["points"], strict=True)
    )
    return f"Seat {event['taster']} tastes, best first: {ranked}."


def _round_ended(event: _Event) -> str:
    told = ", ".join(
        f"seat {seat} {points:+d} (now {score})"
        for seat, (points, score) in enumerate(zip(event["points"], event["scores"], strict=True))
    )
    return f"Round {event['round_no'] + 1} ends: {told}."


def _by_seat(cards: Sequence[str]) -> str:
    return ", ".join(f"seat {seat} {card}" for seat, card in enumerate(cards))


def _trades(offers: Sequence[_Event]) -> str:
    return "; ".join(
        f"{offer['number']}: seat {offer['seat']} to seat {offer['to']}, {offer['give']} for {offer['want']}"
        for offer in offers
    )


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


def _listed(seats: Sequence[int]) -> str:
    return f"{', '.join(f'seat {seat}' for seat in seats[:-1])} and seat {seats[-1]}"


_TELLERS = {
    "dealt": _dealt,
    "turned_up": _turned_up,
    "grabbed": _grabbed,
    "offered": _offered,
    "traded": _traded,
    "served": _served,
    "read_out": _read_out,
    "tasted": _tasted,
    "round_ended": _round_ended,
}
