"""Sandwich for people who compose their moves from buttons: a form for each kind of decision."""

from collections.abc import Mapping, Sequence

from arena.core.game import JSON
from arena.core.move_words import Asked, Choice, Filled, Form, Item, Slot, Unreadable
from arena.games.sandwich.descriptions import stacked
from arena.games.sandwich.ingredients import CARDS, FAMILY_NAME_OF
from arena.games.sandwich.legality import WORD_CHARS


def chosen(asked: Asked, move: Mapping[str, JSON]) -> str:
    """Return what a player chose, from its move and what it was asked."""
    view = asked.view
    match move["type"]:
        case "grab":
            return f"wants {', then '.join(view['market'][place] for place in move['order'])}"
        case "offer":
            return f"offers seat {move['to']} {move['give']} for {move['want']}"
        case "no_offer":
            return "offers nothing"
        case "answer":
            several = "s" if len(move["accept"]) > 1 else ""
            numbers = ", ".join(map(str, move["accept"]))
            return f"accepts offer{several} {numbers}" if numbers else "accepts nothing"
        case "serve":
            made = zip(view["receivers"], move["sandwiches"], strict=True)
            return f"makes {'; '.join(f'{stacked(one)} for seat {to}' for to, one in made)}"
        case _:
            ranked = (stacked(view["read_out"][place]) for place in move["ranking"])
            return f"ranks {', then '.join(ranked)}"


_CARDS = 3
"""Of a sandwich."""


def form_of(asked: Asked) -> Form:
    """Return the form of a decision. Keys of items are positions, so that equal cards differ."""
    return _FORMS[asked.kind](asked)


def move_of(filled: Filled, asked: Asked) -> JSON:
    """Return the move that a filled form stands for. Raises Unreadable if it isn't one of this form."""
    known = {item.key for item in form_of(asked).items}
    if len(filled.slots) != len(form_of(asked).slots) or not all(
        key in known for slot in filled.slots for key in slot
    ):
        raise Unreadable("this is another decision's form: load the page again")
    return _MOVES[asked.kind](filled, asked)


def sorted_hand(asked: Asked) -> list[str]:
    """Return your cards, families together; a card's number is its position here plus 1."""
    hand = asked.view["hands"][asked.view["seat"]]
    return sorted(hand, key=CARDS.__getitem__)


def _market(asked: Asked) -> Form:
    own = asked.view["seat"]
    items = tuple(
        Item(str(at), name + (" (yours)" if at == own else ""), FAMILY_NAME_OF[name], card=name)
        for at, name in enumerate(asked.view["market"])
    )
    slot = Slot("Choose the cards you want, best first", 1, len(items), remark="the rest come last")
    return Form((slot,), items, "Grab")


def _grab(filled: Filled, asked: Asked) -> JSON:
    own = asked.view["seat"]
    order = list(map(int, filled.slots[0]))
    if not order:
        raise Unreadable("choose the card that you want most")
    rest = [at for at in range(len(asked.view["market"])) if at not in order]
    return {"type": "grab", "order": order + sorted(rest, key=lambda at: at == own)}


def _trade(asked: Asked) -> Form:
    own, hands = asked.view["seat"], asked.view["hands"]
    mine = [
        Item(f"give {name}", name, "Your cards", 0, name, own) for name in dict.fromkeys(sorted_hand(asked))
    ]
    theirs = [
        Item(f"{seat} {name}", name, f"seat {seat}", 1, name, seat)
        for seat in range(len(hands))
        if seat != own
        for name in dict.fromkeys(sorted(hands[seat], key=CARDS.__getitem__))
    ]
    none = Choice("no", "No offer", {"type": "no_offer"})
    return Form((Slot("You give", 1, 1), Slot("You get", 1, 1)), (*mine, *theirs), "Make the offer", (none,))


def _offer(filled: Filled, asked: Asked) -> JSON:  # noqa: ARG001 - as the others
    if [len(slot) for slot in filled.slots] != [1, 1]:
        raise Unreadable("choose a card to give and a card to get, or make no offer")
    (give,), (want,) = filled.slots
    first, given = give.split(" ")
    to, wanted = want.split(" ")
    if first != "give" or to == "give":
        raise Unreadable("you give one of your cards and get one of another player's")
    return {"type": "offer", "to": int(to), "give": given, "want": wanted}


def _offers(asked: Asked) -> Form:
    own = asked.view["seat"]
    items = tuple(
        Item(str(offer["number"]), f"{offer['give']} for your {offer['want']}", f"seat {offer['seat']}")
        for offer in asked.view["offers"]
        if offer["to"] == own
    )
    none = Choice("no", "Accept none", {"type": "answer", "accept": []})
    return Form(
        (Slot("Accept offers, the one you want most first", 0, len(items)),), items, "Answer", (none,)
    )


def _answer(filled: Filled, asked: Asked) -> JSON:  # noqa: ARG001 - as the others
    return {"type": "answer", "accept": list(map(int, filled.slots[0]))}


def _kitchen(asked: Asked) -> Form:
    own = asked.view["seat"]
    items = tuple(
        Item(str(at), name, FAMILY_NAME_OF[name], None, name, own)
        for at, name in enumerate(sorted_hand(asked))
    )
    chars = WORD_CHARS if asked.options["open"] else 0
    receivers = asked.view["receivers"]
    slots = tuple(
        Slot(f"{_which(receivers, at)} for seat {seat}", _CARDS, _CARDS, chars, False, seat)
        for at, seat in enumerate(receivers)
    )
    return Form(slots, items, "Serve")


def _which(receivers: Sequence[int], at: int) -> str:
    """Return what a sandwich is called: with a number if its receiver gets several."""
    several = receivers.count(receivers[at])
    return f"Sandwich {receivers[: at + 1].count(receivers[at])} of {several}" if several > 1 else "Sandwich"


def _serve(filled: Filled, asked: Asked) -> JSON:
    hand, receivers = sorted_hand(asked), asked.view["receivers"]
    for seat, slot in zip(receivers, filled.slots, strict=True):
        if len(slot) != _CARDS:
            has = len(slot) or "none"
            raise Unreadable(f"a sandwich has {_CARDS} cards, and the one for seat {seat} has {has}")
    for seat, word in zip(receivers, filled.words, strict=False):
        if len(word.strip()) > WORD_CHARS:
            raise Unreadable(
                f"a comment has at most {WORD_CHARS} characters; shorten the one for seat {seat}"
            )
    words = [word.strip() for word in filled.words]
    served = {"type": "serve", "sandwiches": [[hand[int(key)] for key in slot] for slot in filled.slots]}
    return served | ({"words": words} if any(words) else {})


def _table(asked: Asked) -> Form:
    items = tuple(Item(str(at), stacked(one)) for at, one in enumerate(asked.view["read_out"]))
    return Form((Slot("Rank the sandwiches, best first", len(items), len(items)),), items, "Rank them")


def _taste(filled: Filled, asked: Asked) -> JSON:
    ranking = list(map(int, filled.slots[0]))
    missing: Sequence[int] = [at for at in range(len(asked.view["read_out"])) if at not in ranking]
    return {"type": "taste", "ranking": [*ranking, *missing] if len(missing) == 1 else ranking}


_FORMS = {"grab": _market, "offer": _trade, "answer": _offers, "serve": _kitchen, "taste": _table}
_MOVES = {"grab": _grab, "offer": _offer, "answer": _answer, "serve": _serve, "taste": _taste}
