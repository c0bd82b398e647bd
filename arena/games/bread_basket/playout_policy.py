"""For bots that think ahead: what one seat knows of the hidden cards, and a cheap sensible move."""

from collections.abc import Mapping, Sequence

from arena.core.card_game_base import NOTHING, guess_decks, last_deal
from arena.core.chance import Rng
from arena.core.game import JSON
from arena.core.ruleset import Ruleset
from arena.games.bread_basket.state import CARDS, CHEF, NAMES, RANKS, State, deck, gains
from arena.games.bread_basket.transitions import STOP


class Guesser:
    """What a seat knows in one game: which cards of this hand it has seen, and where some of the others are."""

    def __init__(self, ruleset: Ruleset, seats: int, seat: int, private: Mapping[str, JSON]) -> None:  # noqa: ARG002 - a seat's cards are in its view
        self._seats, self._seat = seats, seat
        self._second = ruleset.flag("chef_second")
        self._cards = [CARDS[name] for name in deck(ruleset.choice("chefs"))]
        self._unseen: list[int] = []
        """The cards of this hand that the seat hasn't seen."""
        self._known: list[list[int]] = []
        """The cards that it knows in each other hand: those fetched and not yet played. Empty before a deal."""
        self._taken: list[int] = []
        """The points of this hand so far."""

    def hear(self, events: Sequence[Mapping[str, JSON]]) -> None:
        """Take events in their wire format; those before the last deal among them don't count.

        Raises ValueError for events that are impossible with this deck.
        """
        for event in events[last_deal(events) or 0 :]:
            kind = event["kind"]
            if kind == "dealt":
                self._unseen = self._cards[:]
                self._known = [[] for _ in range(self._seats)]
                self._taken = [0] * self._seats
                self._strike([event["card"], *event["hand"]])
            elif kind == "refilled":
                self._strike([event["card"]])
            elif kind == "taken" and self._taken:
                self._taken[event["seat"]] += event["points"]
            elif kind in ("played", "fetched") and event["seat"] != self._seat and self._known:
                hand = self._known[event["seat"]]
                gone = CHEF if kind == "fetched" else CARDS[event["card"]]
                if gone in hand:
                    hand.remove(gone)
                else:
                    self._strike([NAMES[gone]])
                if kind == "fetched":
                    hand.append(CARDS[event["card"]])

    def _strike(self, seen: list[str]) -> None:
        """Remove cards that have been seen from the unseen ones. Raises ValueError if there are none left."""
        for name in seen:
            if CARDS[name] not in self._unseen:
                raise ValueError(
                    f"the deck has no {name} left to be seen: events came twice, or are of another deck"
                )
            self._unseen.remove(CARDS[name])

    def worlds(self, view: Mapping[str, JSON], count: int, rng: Rng) -> list[State]:
        """Return states with all unseen cards at random; the decks of later hands are the same in all of one call.

        Raises ValueError if the view contradicts the events, or they don't reach back to the deal of this hand.
        """
        if not self._known:
            raise ValueError("the events do not reach back to the last deal")
        seats, unseen, random = range(self._seats), self._unseen[:], rng.random
        hidden = [held - len(known) for held, known in zip(view["held"], self._known, strict=True)]
        hidden[self._seat] = 0
        left = len(unseen) - sum(hidden)
        if left != view["stock"] or min(hidden) < 0:
            raise ValueError(f"{left} cards are left for a stock of {view['stock']}: events are missing")
        decks = guess_decks(view, self._cards, rng)
        hand, line = ([CARDS[name] for name in view[key]] for key in ("hand", "line"))
        before = tuple([score - taken for score, taken in zip(view["scores"], self._taken, strict=True)])
        worlds = []
        for _ in range(count):
            keys = [random() for _ in unseen]  # sorted by them, cards are shuffled in a third of the time
            mixed = [card for _, card in sorted(zip(keys, unseen, strict=True))]
            held, at = [], left
            for seat in seats:
                held.append(
                    hand[:] if seat == self._seat else mixed[at : at + hidden[seat]] + self._known[seat]
                )
                at += hidden[seat]
            worlds.append(
                State(
                    decks=decks,
                    hand_no=view["hand_no"],
                    stock=tuple(mixed[:left]),
                    stock_at=0,
                    held=held,
                    line=line[:],
                    aside=view["aside"],
                    to_move=NOTHING if view["turn"] is None else view["turn"],
                    played=CARDS[view["played"][0]] if view["played"] else NOTHING,
                    scores=list(view["scores"]),
                    before=before,
                    chef_second=self._second,
                )
            )
        return worlds


def policy(state: State, seat: int, rng: Rng) -> int:
    """Return the card that takes the most points; if none takes any, a stop, or any card to begin the turn.

    A policy that also avoids lines which others can complete makes weaker search bots, and takes longer.
    """
    hand, points = state.held[seat], gains(state.line)
    best, move = 0, STOP
    for card in hand:
        gain = points[RANKS[card]]
        if gain > best:
            best, move = gain, card
    if move == STOP and state.played == NOTHING:
        return hand[rng.randrange(len(hand))]
    return move
