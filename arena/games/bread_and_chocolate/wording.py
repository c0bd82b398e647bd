"""Bread and Chocolate for people who play it: the moves in words, and discards as a list of cards."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from arena.core.card_game_base import HandWording, card_rows, deals, describe_other, gains, seat_row
from arena.core.game import JSON
from arena.core.move_words import Asked, Choice, Filled, Form, Group, Item, Slot, Unreadable
from arena.core.ruleset import Ruleset
from arena.games.bread_and_chocolate.moves import counted
from arena.games.bread_and_chocolate.rules import CARDS, Rules, rank, rules_of

_MOST_CHARS = 40
_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


class BreadAndChocolateWording(HandWording):
    """A `Wording`: cards are their own keys, such as `7h`."""

    spelling: ClassVar[Mapping[str, str]] = {
        card: f"{card[0].replace('T', '10')}{_SUITS[card[1]]}" for card in CARDS
    }

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the cards that fit, each with its effect, or the choices of the opening."""
        if asked.kind == "opening":
            return [Group("Open the hand", tuple(_opening(move, asked) for move in asked.legal or ()))]
        rules = _rules(asked)
        top = CARDS[asked.view["up"]]
        plays = tuple(
            Choice(move["card"], *_effect(rules, top, CARDS[move["card"]], move))
            for move in asked.legal or ()
            if move["type"] == "play"
        )
        others = tuple(
            Choice("D", "draw a card", move) for move in asked.legal or () if move["type"] == "draw"
        )
        groups = [Group(f"Play a card on the {asked.view['up']}", plays), Group("You can only", others)]
        return [group for group in groups if group.choices]

    def how(self, asked: Asked) -> Sequence[str]:
        """Return how many cards to discard."""
        owed = asked.view["discard"]
        some = " ".join(asked.view["hand"][:owed])
        cards = "a card, such as" if owed == 1 else f"{owed} cards, the last goes on top, such as"
        return [f"Discard {cards}  {some}"]

    def read(self, text: str, asked: Asked) -> JSON:
        """Return the cards to discard; they may be separated by spaces or commas."""
        if asked.kind != "discard":
            raise Unreadable("type one of the moves above, such as the name of a card")
        words = text.replace(",", " ").split()
        cards = [_card(word) for word in words]
        owed = asked.view["discard"]
        if len(cards) != owed:
            named = _counted(len(cards)) if cards else "none"
            raise Unreadable(f"discard {_counted(owed)} of yours; you named {named}")
        return {"type": "discard", "cards": cards}

    def form(self, asked: Asked) -> Form | None:
        """Return the form of a discard: your cards, and where they go."""
        if asked.kind != "discard" or asked.legal is not None:
            return None
        owed = asked.view["discard"]
        slot = Slot(
            f"Discard {_counted(owed)}", owed, owed, remark="the last goes on top" if owed > 1 else ""
        )
        items = tuple(Item(card, card, card=card, seat=asked.view["seat"]) for card in asked.view["hand"])
        return Form((slot,), items, "Discard")

    def composed(self, filled: Filled, asked: Asked) -> JSON:
        """Return the discard. Raises Unreadable."""
        return self.read(" ".join(filled.slots[0]) if filled.slots else "", asked)


def _counted(cards: int) -> str:
    return "a card" if cards == 1 else f"{cards} cards"


def _card(word: str) -> str:
    """Return the name of a card that is typed with any case, 10 for T. Raises Unreadable."""
    name = word.upper().replace("10", "T", 1)
    name = name[:-1] + name[-1:].lower()
    if name not in CARDS:
        raise Unreadable(f"{word[:_MOST_CHARS]!a} is no card; cards are written 7h, Td or As")
    return name


def _rules(asked: Asked) -> Rules:
    return rules_of(Ruleset("bread-and-chocolate", 1, "", dict(asked.options)))


def _opening(move: Mapping[str, JSON], asked: Asked) -> Choice:
    top = asked.view["up"]
    return {
        "spread": Choice("S", "spread", move, effect="turn up cards until the colour changes"),
        "flip": Choice("F", "flip", move, effect=f"swap the {top} with the top of the down pile"),
        "pass": Choice("P", "pass", move),
    }[move["type"]]


def _effect(rules: Rules, top: int, card: int, move: JSON) -> tuple[str, JSON, str]:
    """Return a play's effect in words, the move, and the effect as short as a badge."""
    effect = rules.effect[top][card]
    if effect < 0:
        return f"you discard {-effect}", move, f"discard {-effect}"
    if effect > 0:
        return f"you draw {effect}", move, f"draw {effect}"
    is_spread = rules.name != "shram" and rank(card) == rank(top)
    return ("same rank: a spread", move, "spread") if is_spread else ("no effect", move, "")


_CELL = 3
"""Columns per card in a row of cards."""


def draw(view: Mapping[str, JSON], width: int) -> str:
    """Return the table as plain text: the seats, the three piles, the cards in hand."""
    lines = [f"Hand {view['hand_no'] + 1} of {view['hands']}, turn {view['turns'] + 1}", ""]
    lines += [_seat(view, seat) for seat in range(len(view["held"]))]
    lines += ["", *_piles(view)]
    if "hand" in view:
        lines += ["", *card_rows("Hand ", view["hand"], width, _CELL)]
    return "\n".join(lines)


def _seat(view: Mapping[str, JSON], seat: int) -> str:
    marks = []
    if seat == view["turn"]:
        marks += [f"discards {view['discard']}"] * (view["discard"] > 0)
        marks += ["opens"] * (view["opening"] > 0)
    return seat_row(view, seat, f"{counted(view['held'][seat]):>8}", 5, marks)


def _piles(view: Mapping[str, JSON]) -> list[str]:
    rank_up = view["up"][0].replace("T", "10")
    spread = f"   a spread of {rank_up} lasts" if view["spread"] else ""
    return [
        f"Up   [{view['up']}]  on {counted(view['up_count'] - 1)}{spread}",
        f"Down [**]  {counted(view['down_count'])}      Stock [**]  {counted(view['stock'])}",
    ]


def describe(event: Mapping[str, JSON]) -> str:
    """Return one sentence that describes an event, in its wire format, to people."""
    who = f"Seat {event.get('seat')}"
    match event["kind"]:
        case "dealt":
            return f"{deals(event)}; {event['up']} is turned up."
        case "spread":
            return f"{who} spreads and turns up {' '.join(event['cards']) or 'nothing'}."
        case "flipped":
            return f"{who} flips: {event['up']} comes up, {event['down']} goes down."
        case "passed":
            return f"{who} passes."
        case "played":
            effect = {"spread": ", the same rank: a spread", "none": ""}.get(event["effect"])
            if effect is None:
                effect = f" and must {event['effect']} {counted(event['number'])}"
            return f"{who} lays {event['card']}{effect}."
        case "stuck":
            return f"{who} has no legal play and must draw."
        case "drew":
            drawn = f" ({' '.join(event['cards'])})" if "cards" in event else ""
            return f"{who} draws {counted(event['count'])}{drawn}, {event['stock']} left in the stock."
        case "discarded":
            what = f" ({' '.join(event['cards'])})" if "cards" in event else ""
            return f"{who} discards {counted(event['count'])}{what}."
        case "reset":
            return (
                f"The piles are turned over: {event['up']} is up, with {counted(event['up_count'])} in its pile, "
                f"{event['stock']} in the stock, {event['down_count']} down."
            )
        case "refilled":
            return f"The up pile below {event['up']} is turned over: {event['stock']} in the stock."
        case "hand_ended":
            winner = event["winner"]
            how = "at the turn limit" if winner is None else f"as seat {winner} goes out"
            return f"Hand {event['hand_no'] + 1} ends {how}: {gains(event)}."
    return describe_other(event)
