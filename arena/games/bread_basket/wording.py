"""Bread Basket for people who play it: the moves in words."""

from collections.abc import Mapping, Sequence

from arena.core.game import JSON
from arena.core.wording import Asked, Choice, Group, Unreadable
from arena.games.bread_basket.cards import CARDS, CHEF
from arena.games.bread_basket.tricks import longest_trick, trick_start, worth


class BreadBasketWording:
    """A `Wording`: cards are their own keys, `S` stops, and `@3` takes the card at position 3 with a Chef."""

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the cards to play, stopping, and the Chef's positions."""
        line = [CARDS[name] for name in asked.view["line"]]
        plays, stops, chefs = [], [], []
        for move in asked.legal or ():
            if move["type"] == "play":
                plays.append(Choice(move["card"], _taken(line, CARDS[move["card"]]), move))
            elif move["type"] == "stop":
                stops.append(Choice("S", "end your turn", move))
            else:
                chefs.append(_fetch(line, move))
        groups = [Group("Play a card", tuple(plays)), Group("Or stop", tuple(stops))]
        groups.append(Group("Or lay a Chef aside and take a card of the line", tuple(chefs)))
        return [group for group in groups if group.choices]

    def how(self, asked: Asked) -> Sequence[str]:  # noqa: ARG002 - there are none
        """Return nothing: all moves are listed."""
        return ()

    def read(self, text: str, asked: Asked) -> JSON:  # noqa: ARG002 - nothing is read but keys
        """Raise Unreadable: every move has a key."""
        raise Unreadable("type a card that you hold, such as 7, O or C")

    def known(self, private: Mapping[str, JSON]) -> Sequence[str]:  # noqa: ARG002 - it is empty
        """Return nothing."""
        return ()

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:  # noqa: ARG002 - only the hand
        """Return the hand."""
        return " ".join(view["hand"]) or "no cards"


def _taken(line: list[int], card: int) -> str:
    """Return what a card takes if it is played; empty if nothing."""
    longer = [*line, card]
    start = trick_start(longer, len(line))
    return "" if start < 0 else _worth(longer[start:])


def _fetch(line: list[int], move: Mapping[str, JSON]) -> Choice:
    at = move["position"]
    rest = line[:at] + line[at + 1 :]
    trick = longest_trick(rest, at)
    more = f", {_worth(rest[trick[0] : trick[1] + 1])}" if trick else ""
    return Choice(f"@{at}", f"the {_NAMES[line[at]]}{more}", move)


def _worth(cards: Sequence[int]) -> str:
    kind, points = worth(cards)
    return f"takes a {kind}, {points:+d}"


_NAMES = {**{card: name for name, card in CARDS.items()}, 0: "Onion", CHEF: "Chef"}
