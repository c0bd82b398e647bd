"""Sandwich for people: a picture of the table, and a sentence for each event."""

from collections.abc import Iterator, Mapping, Sequence

from arena.core.card_game_base import describe_other, gains
from arena.core.game import JSON

_INDENT = "    "
_WAYS = {"left": "to the left", "right": "to the right", "both": "two to each side"}


def draw(view: Mapping[str, JSON], width: int) -> str:
    """Return market, seats with their cards, offers and tasting as text, in lines of up to `width` (at least 40)."""
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
    return [*parts, f"served {_WAYS[view['direction']]}"]


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
    match event["kind"]:
        case "dealt":
            return (
                f"Seat {event['dealer']} deals round {event['round_no'] + 1}, {event['pile']} cards each, face down; "
                f"sandwiches go {_WAYS[event['direction']]}."
            )
        case "turned_up":
            turn, order = event["market_turn"] + 1, ", ".join(f"seat {seat}" for seat in event["grab_order"])
            return f"Turn {turn} of the market: {_by_seat(event['market'])}; grab order: {order}."
        case "grabbed":
            return f"Taken: {_by_seat(event['taken'])}."
        case "offered" if not event["offers"]:
            return f"Nobody offers anything in trade round {event['trade_round'] + 1}, so trading is over."
        case "offered":
            return f"Trade round {event['trade_round'] + 1}: {_trades(event['offers'], 'offers')}."
        case "traded" if not event["trades"]:
            return f"No offer of trade round {event['trade_round'] + 1} is taken."
        case "traded":
            return f"Traded: {_trades(event['trades'], 'gives')}."
        case "served":
            return _served(event)
        case "read_out":
            return f"Before seat {event['taster']} lie {'; '.join(map(stacked, event['sandwiches']))}."
        case "tasted":
            tasted = zip(event["sandwiches"], event["makers"], event["points"], strict=True)
            ranked = "; ".join(
                f"{stacked(sandwich)} by seat {maker}, {points} point{'' if points == 1 else 's'}"
                for sandwich, maker, points in tasted
            )
            return f"Seat {event['taster']} tastes, best first: {ranked}."
        case "round_ended":
            return f"Round {event['round_no'] + 1} ends: {gains(event)}."
    return describe_other(event)


def _served(event: _Event) -> str:
    """Tell of sandwiches, with their words, made printable, since other players wrote them."""
    receivers, sandwiches = event["receivers"], event.get("sandwiches")
    if sandwiches is None:
        *others, last = (f"seat {seat}" for seat in receivers)
        given = f" to {', '.join(others)} and {last}, face down"
    else:
        made = zip(receivers, sandwiches, strict=True)
        given = f", {'; '.join(f'to seat {to}: {stacked(one)}' for to, one in made)}"
    words = [
        f"to seat {to}: {word!a}"
        for to, word in zip(receivers, event.get("words", ()), strict=False)
        if word is not None
    ]
    told = f" The words are, {'; '.join(words)}." if words else ""
    return f"Seat {event['seat']} gives sandwiches{given}.{told}"


def _by_seat(cards: Sequence[str]) -> str:
    return ", ".join(f"seat {seat} {card}" for seat, card in enumerate(cards))


def _trades(offers: Sequence[_Event], verb: str) -> str:
    return "; ".join(
        f"seat {offer['seat']} {verb} seat {offer['to']} {offer['give']} for {offer['want']} (offer {offer['number']})"
        for offer in offers
    )
