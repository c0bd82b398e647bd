"""Bread Basket for people who play it: the moves in words."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from arena.core.card_game_base import HandWording, card_rows, deals, describe_other, gains, seat_row
from arena.core.game import JSON
from arena.core.move_words import Asked, Choice, Group, Unreadable
from arena.games.bread_basket.state import CARDS, CHEF, longest_trick, trick_start, worth


class BreadBasketWording(HandWording):
    """A `Wording`: cards are their own keys, `S` stops, and `@3` takes the card at position 3 with a Chef."""

    spelling: ClassVar[Mapping[str, str]] = {"O": "Onion", "C": "Chef"}

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the cards to play, stopping, and the Chef's positions."""
        line = [CARDS[name] for name in asked.view["line"]]
        plays, stops, chefs = [], [], []
        for move in asked.legal or ():
            if move["type"] == "play":
                plays.append(Choice(move["card"], *_taken(line, CARDS[move["card"]], move)))
            elif move["type"] == "stop":
                stops.append(Choice("S", "end your turn", move))
            else:
                chefs.append(_fetch(line, move))
        groups = [Group("Play a card", tuple(plays)), Group("Or stop", tuple(stops))]
        groups.append(Group("Or lay a Chef aside and take a card of the line", tuple(chefs)))
        return [group for group in groups if group.choices]

    def chosen(self, asked: Asked, move: JSON) -> str:
        """Return what a player chose, such as `play 7 (takes a soup, +4)`; nothing if it isn't legal."""
        listed = (choice for group in self.choices(asked) for choice in group.choices)
        choice = next((one for one in listed if one.move == move), None)
        if choice is None:
            return ""
        match move["type"]:
            case "chef":
                return f"take {choice.text} at {move['position']} with a Chef"
            case "stop":
                return "stop"
        return f"play {move['card']}" + (f" ({choice.text})" if choice.text else "")

    def how(self, asked: Asked) -> Sequence[str]:  # noqa: ARG002 - there are none
        """Return nothing: all moves are listed."""
        return ()

    def read(self, text: str, asked: Asked) -> JSON:  # noqa: ARG002 - nothing is read but keys
        """Raise Unreadable: every move has a key."""
        raise Unreadable("type a card that you hold, such as 7, O or C")


def _taken(line: list[int], card: int, move: JSON) -> tuple[str, JSON, str]:
    longer = [*line, card]
    start = trick_start(longer, len(line))
    return ("", move, "") if start < 0 else _with_worth(move, "", longer[start:])


def _fetch(line: list[int], move: Mapping[str, JSON]) -> Choice:
    at = move["position"]
    rest = line[:at] + line[at + 1 :]
    trick = longest_trick(rest, at)
    words = f"the {_NAMES[line[at]]}"
    return Choice(
        f"@{at}",
        *(_with_worth(move, f"{words}, ", rest[trick[0] : trick[1] + 1]) if trick else (words, move, "")),
    )


def _with_worth(move: JSON, words: str, cards: Sequence[int]) -> tuple[str, JSON, str]:
    """Return a choice that takes these cards: its words, the move, and what it gains."""
    kind, points = worth(cards)
    return f"{words}takes a {kind}, {points:+d}", move, f"{points:+d}"


_NAMES = {**{card: name for name, card in CARDS.items()}, 0: "Onion", CHEF: "Chef"}


_CELL = 4
"""Columns per card in the line."""


def draw(view: Mapping[str, JSON], width: int) -> str:
    """Return the table as plain text: the seats, the line with its positions, the cards in hand."""
    lines = [_heading(view), ""]
    lines += [_seat(view, seat) for seat in range(len(view["held"]))]
    lines += ["", *_line_of_cards(view["line"], width)]
    if "hand" in view:
        lines += ["", *card_rows("Hand  ", view["hand"], width, _CELL)]
    return "\n".join(lines)


def _heading(view: Mapping[str, JSON]) -> str:
    aside = f", Chefs aside {view['aside']}" if view["aside"] else ""
    return f"Hand {view['hand_no'] + 1} of {view['hands']}, stock {view['stock']}{aside}"


def _seat(view: Mapping[str, JSON], seat: int) -> str:
    marks = [f"has played {card}" for card in view["played"] if seat == view["turn"]]
    cards = f"{view['held'][seat]:2} card{' ' if view['held'][seat] == 1 else 's'}"
    return seat_row(view, seat, cards, 4, marks)


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


def describe(event: Mapping[str, JSON]) -> str:
    """Return one sentence that describes an event, in its wire format, to people."""
    who = f"Seat {event.get('seat')}"
    match event["kind"]:
        case "dealt":
            return f"{deals(event)}; the line starts with {event['card']}."
        case "played":
            return f"{who} plays {event['card']}."
        case "stopped":
            return f"{who} stops."
        case "fetched":
            card, position = event["card"], event["position"]
            return f"{who} lays a Chef aside and takes the {card} from position {position} of the line."
        case "taken":
            points = "1 point" if event["points"] == 1 else f"{event['points']} points"
            return f"{who} takes the {event['trick']} {'-'.join(event['cards'])} for {points}."
        case "refilled":
            return f"The line is empty; {event['card']} is turned up from the stock, {event['stock']} left."
        case "hand_ended":
            return f"Hand {event['hand_no'] + 1} ends: {gains(event)}."
    return describe_other(event)
