"""For bots that think ahead: states that a seat can't tell from the present one, and cheap sensible moves.

A guess uses the seat's own cards; every card that was ever face up, or drawn or discarded by the seat itself, tracked
through all resets; what entered and left each other hand; and the fact that a player who had to draw held none of the
cards that could have been laid. Each history that fits all this is as likely as any other.
"""

from collections.abc import Mapping, Sequence

from arena.core.card_game_base import NOTHING, guess_decks, last_deal
from arena.core.chance import Rng
from arena.core.game import JSON
from arena.core.ruleset import Ruleset
from arena.games.bread_and_chocolate.moves import DISCARD, DRAWING, PASSING, PLAYS, Move, playable
from arena.games.bread_and_chocolate.possible_histories import Histories
from arena.games.bread_and_chocolate.recall import Recall
from arena.games.bread_and_chocolate.rules import CARDS, State, number, rules_of

_MEAN_COST = 8
"""Of a card in `shram`."""
_DISCARDS = 8
"""Different ones that are compared."""
_NOISE = 0.75
"""By how many numbers the order of cards is disturbed for the second discard that is drawn, twice as many for the
third, and so on."""


def policy(state: State, seat: int, rng: Rng) -> Move:
    """Return the play that leaves the fewest cards, in `shram` the cheapest hand, and any of those that are as good.

    Passes in the opening, and discards the cards that help least to get rid of others; see `burden`.
    """
    if state.owed:
        hand = state.held[seat]
        if state.owed == len(hand):  # forced, in the order of the hand
            return (DISCARD, *hand)
        return (DISCARD, *sorted(hand, key=burden, reverse=True)[: state.owed])
    if state.opening:
        return PASSING
    cards = playable(state)
    if not cards:
        return DRAWING
    effect, random = state.rules.effect[state.up[-1]], rng.random
    if state.rules.name == "shram":
        cost = state.rules.cost
        return PLAYS[min([(effect[card] * _MEAN_COST - cost[card] + random(), card) for card in cards])[1]]
    return PLAYS[min([(effect[card] + random(), card) for card in cards])[1]]


def burden(card: int) -> int:
    """Return how little a card helps to get rid of others, 1 to 11: high numbers seldom fit, courts take none along.

    Against random moves in `pagat`, discarding courts first instead of last is worth about 3 points a hand.
    """
    return number(card) or 11


def candidates(state: State, seat: int, rng: Rng) -> list[Move]:
    """Return some different discards: the policy's first, then ever more random ones."""
    hand = state.held[seat]
    found: dict[frozenset[int], Move] = {}
    for step in range(3 * _DISCARDS):
        noise = _NOISE * step
        cards = sorted(hand, key=lambda card: burden(card) + noise * rng.random(), reverse=True)[: state.owed]
        found.setdefault(frozenset(cards), (DISCARD, *cards))
        if len(found) == _DISCARDS:
            break
    return list(found.values())


def standing(state: State) -> tuple[float, ...]:
    """Return the points of each seat in all finished hands, minus what its cards cost if this one is unfinished."""
    if state.to_move == NOTHING:
        return tuple(state.scores)
    cost = state.rules.cost
    held = zip(state.scores, state.held, strict=True)
    return tuple([score - sum([cost[card] for card in hand]) for score, hand in held])


class Guesser:
    """What a seat knows in one game; see `arena.core.foresight`."""

    def __init__(self, ruleset: Ruleset, seats: int, seat: int, private: Mapping[str, JSON]) -> None:  # noqa: ARG002 - a seat's cards are in its view
        self._rules = rules_of(ruleset)
        self._seat = seat
        self._histories: Histories | None = None

    def hear(self, events: Sequence[Mapping[str, JSON]]) -> None:
        """Take events in their wire format; those before the last deal among them don't count.

        Events of kinds other than the game's own are ignored. Raises ValueError if they contradict each other.
        """
        try:
            for event in events[last_deal(events) or 0 :]:
                if event["kind"] == "dealt":
                    self._histories = Histories(Recall(self._rules, self._seat, event))
                elif self._histories is not None:
                    self._histories.recall.hear(event)
        except (IndexError, KeyError) as error:
            raise ValueError(f"the events do not follow from each other: {error!r}") from error

    def worlds(self, view: Mapping[str, JSON], count: int, rng: Rng) -> list[State]:
        """Return states that look to the seat like the present one; they share the random decks of later hands.

        Raises ValueError if events and view are inconsistent.
        """
        histories = self._histories
        if histories is None:
            raise ValueError("the events do not reach back to the last deal")
        recall = histories.recall
        piles = [len(recall.stock), len(recall.up), len(recall.down)]
        if piles != [view["stock"], view["up_count"], view["down_count"]]:
            raise ValueError("the piles are not what the events say: events are missing")
        if recall.held != view["held"]:
            raise ValueError("the hands are not what the events say: events are missing")
        decks = guess_decks(view, range(52), rng)
        hand = [CARDS[name] for name in view["hand"]]
        found = []
        for _ in range(count):
            histories.tell(rng)
            at = histories.at
            found.append(
                State(
                    rules=recall.rules,
                    decks=decks,
                    hand_no=view["hand_no"],
                    stock=[at[place] for place in recall.stock],
                    up=[at[place] for place in recall.up],
                    down=[at[place] for place in recall.down],
                    held=[
                        hand[:] if seat == recall.seat else histories.hand(seat)
                        for seat in range(len(recall.held))
                    ],
                    to_move=NOTHING if view["turn"] is None else view["turn"],
                    opening=view["opening"],
                    owed=view["discard"],
                    spread=view["spread"],
                    turns=view["turns"],
                    scores=list(view["scores"]),
                )
            )
        return found
