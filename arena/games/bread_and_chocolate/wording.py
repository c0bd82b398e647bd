"""Bread and Chocolate for people who play it: the moves in words, and discards as a list of cards."""

from collections.abc import Mapping, Sequence

from arena.core.game import JSON
from arena.core.ruleset import Ruleset
from arena.core.wording import Asked, Choice, Filled, Form, Group, Item, Slot, Unreadable
from arena.games.bread_and_chocolate.rules import CARDS, Rules, rank, rules_of

_MOST_CHARS = 40


class BreadAndChocolateWording:
    """A `Wording`: cards are their own keys, such as `7h`."""

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the cards that fit, each with its effect, or the choices of the opening."""
        if asked.kind == "opening":
            return [Group("Open the hand", tuple(_opening(move, asked) for move in asked.legal or ()))]
        rules = _rules(asked)
        top = CARDS[asked.view["up"]]
        plays = tuple(
            Choice(move["card"], _effect(rules, top, CARDS[move["card"]]), move)
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
        title = "Discard a card" if owed == 1 else f"Discard {owed} cards; the last goes on top"
        items = tuple(Item(card, card) for card in asked.view["hand"])
        return Form((Slot(title, owed, owed),), items, "Discard")

    def composed(self, filled: Filled, asked: Asked) -> JSON:
        """Return the discard. Raises Unreadable."""
        return self.read(" ".join(filled.slots[0]) if filled.slots else "", asked)

    def known(self, private: Mapping[str, JSON]) -> Sequence[str]:  # noqa: ARG002 - it is empty
        """Return nothing."""
        return ()

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:  # noqa: ARG002 - only the hand
        """Return the hand."""
        return " ".join(view["hand"]) or "no cards"


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
        "spread": Choice("S", "spread: turn up cards until the colour changes", move),
        "flip": Choice("F", f"flip: swap the {top} with the top of the down pile", move),
        "pass": Choice("P", "pass", move),
    }[move["type"]]


def _effect(rules: Rules, top: int, card: int) -> str:
    effect = rules.effect[top][card]
    if effect < 0:
        return f"you discard {-effect}"
    if effect > 0:
        return f"you draw {effect}"
    is_spread = rules.name != "shram" and rank(card) == rank(top)
    return "same rank: a spread" if is_spread else "no effect"


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
