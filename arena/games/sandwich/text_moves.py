"""Sandwich for people who play it: how to write each move, and a palate in words."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import ClassVar

from arena.core.game import JSON
from arena.core.move_words import Asked, Group, Unreadable
from arena.games.sandwich.form_moves import chosen, form_of, move_of, sorted_hand
from arena.games.sandwich.ingredients import FAMILY_NAME_OF, NAMES

_MOST_CHARS = 40
_SHOWN = 6
"""How many of the best and the worst to name."""
_NONE = frozenset({"no", "none", "nothing", "-"})


class SandwichWording:
    """A `Wording`: ingredients are written with their number or the beginning of their name."""

    spelling: ClassVar[Mapping[str, str]] = {name: name.replace("-", " ") for name in NAMES if "-" in name}
    form = staticmethod(form_of)
    composed = staticmethod(move_of)
    chosen = staticmethod(chosen)

    def choices(self, asked: Asked) -> Sequence[Group]:  # noqa: ARG002 - rankings are written, too
        """Return nothing: even the rankings of a tasting are easier to write than to find in a list."""
        return ()

    def how(self, asked: Asked) -> Sequence[str]:
        """Return how to write the move, with the ingredients, offers or sandwiches that it is about."""
        return _HOW[asked.kind](asked)

    def read(self, text: str, asked: Asked) -> JSON:
        """Return the move that a line stands for. Raises Unreadable."""
        return _READ[asked.kind](text.strip().lower() if asked.kind != "serve" else text.strip(), asked)

    def worth(self, private: Mapping[str, JSON]) -> Mapping[str, float]:
        """Return what a palate finds in each ingredient: the liking of its family and the quirk."""
        likings: Mapping[str, float] = private["likings"]
        return {name: likings[FAMILY_NAME_OF[name]] + quirk for name, quirk in private["quirks"].items()}

    def known(self, private: Mapping[str, JSON]) -> Sequence[str]:
        """Return a palate: families by liking, the best and worst ingredients, and how families go together."""
        likings: Mapping[str, float] = private["likings"]
        worth = self.worth(private)
        best = sorted(worth, key=lambda name: -worth[name])
        pairs = private["pairs"]
        both = [
            (figures[other], f"{family}+{other}")
            for family, figures in pairs.items()
            for other in figures
            if list(pairs).index(family) <= list(pairs).index(other)
        ]
        good = sorted((pair for pair in both if pair[0] >= _GOES_WELL), reverse=True)
        bad = sorted(pair for pair in both if pair[0] <= -_GOES_WELL)
        return [
            f"likes: {_figures(sorted(((figure, family) for family, figure in likings.items()), reverse=True))}",
            f"best: {_figures([(worth[name], name) for name in best[:_SHOWN]])}",
            f"worst: {_figures([(worth[name], name) for name in best[: -_SHOWN - 1 : -1]])}",
            f"pairs that go well: {_figures(good)}",
            f"pairs that don't: {_figures(bad)}",
        ]

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:  # noqa: ARG002
        """Return nothing: all cards lie open, and palates don't change."""
        return ""


_GOES_WELL = 0.6
"""Pair figures from here on, positive or negative, are worth knowing."""


def _figures(found: Sequence[tuple[float, str]]) -> str:
    return ", ".join(f"{what} {round(figure, 1) + 0.0:+.1f}" for figure, what in found)  # -0.0 becomes 0.0


# The market


def _how_to_grab(asked: Asked) -> list[str]:
    own = asked.view["seat"]
    cards = [
        f"{at} {name} ({FAMILY_NAME_OF[name]}{', yours' if at == own else ''})"
        for at, name in enumerate(asked.view["market"])
    ]
    return ["Rank the cards you want, best first; those you leave out come last:", f"  {', '.join(cards)}"]


def _grab(text: str, asked: Asked) -> JSON:
    market = asked.view["market"]
    order: list[int] = []
    for word in _words(text):
        at = int(word) if _is_number(word, len(market)) else _position(word, market, order)
        if at in order:
            raise Unreadable(f"{market[at]} is there twice")
        order.append(at)
    if not order:
        raise Unreadable("name the card that you want most")
    own = asked.view["seat"]
    rest = [at for at in range(len(market)) if at not in order]
    return {"type": "grab", "order": order + sorted(rest, key=lambda at: at == own)}


def _position(word: str, names: Sequence[str], taken: Sequence[int]) -> int:
    """Return the position of an ingredient in a list, one that isn't taken if there are two. Raises Unreadable."""
    name = _ingredient(word, names)
    places = [at for at, other in enumerate(names) if other == name]
    return next((at for at in places if at not in taken), places[0])


# Trading


def _how_to_offer(asked: Asked) -> list[str]:
    own, hands = asked.view["seat"], asked.view["hands"]
    held = [(name, seat) for seat, hand in enumerate(hands) if seat != own for name in hand]
    if not hands[own] or not held:
        return ["You have nothing to offer, or nobody has a card; write  no"]
    want, holder = held[0]
    several = any(name == want and seat != holder for name, seat in held)
    from_whom = f" from {asked.names[holder] if asked.names else holder}" if several else ""
    example = f"{hands[own][0]} for {want}{from_whom}"
    return [f"Offer one of your cards for another player's, such as  {example}  ; or  no"]


def _offer(text: str, asked: Asked) -> JSON:
    if text in _NONE:
        return {"type": "no_offer"}
    give, found, rest = text.partition(" for ")
    want, _, whose = rest.partition(" from ")
    if not found or not want.strip():
        raise Unreadable("write an offer as  ham for fig  , or  no")
    own, hands = asked.view["seat"], asked.view["hands"]
    given = _ingredient(give.strip(), hands[own])
    others = [seat for seat in range(len(hands)) if seat != own]
    wanted = _ingredient(want.strip(), [name for seat in others for name in hands[seat]])
    holders = [seat for seat in others if wanted in hands[seat]]
    if whose:
        holders = [seat for seat in holders if whose.strip() in (str(seat), asked.names[seat].lower())]
    if len(holders) != 1:
        raise Unreadable(
            f"{len(holders)} players hold {wanted}: add  from  and a name" if holders else "not held there"
        )
    return {"type": "offer", "to": holders[0], "give": given, "want": wanted}


def _how_to_answer(asked: Asked) -> list[str]:
    own = asked.view["seat"]
    offers = [
        f"  {offer['number']}: seat {offer['seat']} gives {offer['give']} for your {offer['want']}"
        for offer in asked.view["offers"]
        if offer["to"] == own
    ]
    return ["Accept offers by number, the one you want most first; or  no", *offers]


def _answer(text: str, asked: Asked) -> JSON:  # noqa: ARG001 - as the others
    if text in _NONE:
        return {"type": "answer", "accept": []}
    return {"type": "answer", "accept": _numbers(text, "offers")}


# Making sandwiches


def _how_to_serve(asked: Asked) -> list[str]:
    hand, receivers = sorted_hand(asked), asked.view["receivers"]
    families: dict[str, list[str]] = {}
    for number, name in enumerate(hand, 1):
        families.setdefault(FAMILY_NAME_OF[name], []).append(f"{number} {name}")
    to = ", ".join(f"seat {seat}" for seat in receivers)
    example = " / ".join(" ".join(str(3 * at + i) for i in (1, 2, 3)) for at in range(len(receivers)))
    lines = [f"Make {len(receivers)} sandwiches of 3 cards, with / between them, for {to}:"]
    lines.append("  " + "; ".join(f"{family} {', '.join(cards)}" for family, cards in families.items()))
    lines.append(f"such as  {example}  ; the last sandwich may be left out")
    if asked.options["open"]:
        lines.append("A comment may follow each after a colon:  1 2 3: fresh from the oven / …")
    return lines


def _serve(text: str, asked: Asked) -> JSON:
    hand, needed = sorted_hand(asked), len(asked.view["receivers"])
    parts = [part.partition(":") for part in text.split("/")]
    sandwiches: list[list[str]] = []
    left = dict(enumerate(hand, 1))
    for cards, _, _ in parts:
        sandwiches.append([_take(word, left, len(hand)) for word in _words(cards.lower())])
    if len(sandwiches) == needed - 1 and len(left) == 3:
        sandwiches.append(list(left.values()))
        left = {}
    if len(sandwiches) != needed or any(len(one) != 3 for one in sandwiches):
        sizes = ", ".join(str(len(one)) for one in sandwiches)
        these = "this has" if len(sandwiches) == 1 else "these have"
        cards = "card" if sizes == "1" else "cards"
        raise Unreadable(f"write {needed} sandwiches of 3 cards with / between them; {these} {sizes} {cards}")
    words = [word.strip() for _, _, word in parts]
    served = {"type": "serve", "sandwiches": sandwiches}
    if any(words):
        served["words"] = [word for word, _ in zip_longest(words, sandwiches, fillvalue="")]
    return served


def _take(word: str, left: dict[int, str], held: int) -> str:
    """Take a card, by number or name, from those left; return its name. Raises Unreadable."""
    if word.isdecimal() and word.isascii():
        number = int(word[:_MOST_CHARS])
        if number not in left:
            is_taken = 1 <= number <= held
            raise Unreadable(
                f"card {number} is there twice" if is_taken else f"your cards are numbered 1 to {held}"
            )
    else:
        name = _ingredient(word, list(left.values()))
        number = next(number for number, other in left.items() if other == name)
    return left.pop(number)


# Tasting


def _how_to_taste(asked: Asked) -> list[str]:
    lines = [f"  {place}: {' + '.join(sandwich)}" for place, sandwich in enumerate(asked.view["read_out"])]
    example = " ".join(map(str, reversed(range(len(lines)))))
    return [f"Rank the sandwiches, best first, such as  {example}", *lines]


def _taste(text: str, asked: Asked) -> JSON:
    ranking = _numbers(" ".join(text) if text.isdecimal() else text, "sandwiches")
    if sorted(ranking) != list(range(len(asked.view["read_out"]))):
        raise Unreadable("name the number of each sandwich once, best first")
    return {"type": "taste", "ranking": ranking}


def _words(text: str) -> list[str]:
    return text.replace(",", " ").replace("+", " ").split()


def _is_number(word: str, count: int) -> bool:
    return word.isdecimal() and word.isascii() and len(word) < 3 and int(word) < count


def _numbers(text: str, what: str) -> list[int]:
    words = _words(text)
    if not words or not all(_is_number(word, 100) for word in words):
        raise Unreadable(f"write numbers of {what}")
    return [int(word) for word in words]


def _ingredient(word: str, names: Sequence[str]) -> str:
    """Return the ingredient in a list that starts with a word. Raises Unreadable if there is none, or several."""
    found = {name for name in names if name.startswith(word)}
    if word in found:
        return word
    if len(found) == 1:
        return found.pop()
    shown = repr(word[:_MOST_CHARS]) if word.isprintable() else ascii(word[:_MOST_CHARS])
    if found:
        raise Unreadable(f"{shown} can be {' or '.join(sorted(found))}")
    if word in NAMES:
        raise Unreadable(f"{word} is not there")
    raise Unreadable(f"no ingredient there starts with {shown}")


_HOW = {
    "grab": _how_to_grab,
    "offer": _how_to_offer,
    "answer": _how_to_answer,
    "serve": _how_to_serve,
    "taste": _how_to_taste,
}
_READ = {"grab": _grab, "offer": _offer, "answer": _answer, "serve": _serve, "taste": _taste}
