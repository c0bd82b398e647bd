"""Guesses a full state from what one seat has seen: unseen cards are placed at random where they may be.

It uses the seat's own cards; every card that was ever face up, or drawn or discarded by the seat itself,
tracked through all resets; what entered and left each other hand; and the fact that a player who had to draw
held none of the cards that could have been laid.
"""

from collections.abc import Mapping, Sequence

from arena.core.chance import Rng
from arena.core.game import JSON, Seen
from arena.games.bread_and_chocolate.cards import CARDS
from arena.games.bread_and_chocolate.recall import Recall
from arena.games.bread_and_chocolate.rules import rules_of
from arena.games.bread_and_chocolate.state import NOTHING, State
from arena.games.bread_and_chocolate.stories import Stories


def guess(seen: Seen, rng: Rng) -> State:
    """Return a full state that looks to the seat like the one it has seen; later hands have random decks.

    `seen.events` must start no later than the deal of the current hand. Events of kinds other than the game's
    own are ignored. Raises ValueError if events and view are inconsistent.
    """
    recall = Recall(rules_of(seen.ruleset), seen.seat)
    try:
        for event in _this_hand(seen.events):
            recall.hear(event)
    except (IndexError, KeyError) as error:
        raise ValueError(f"the events do not follow from each other: {error!r}") from error
    state = Guesser(recall, seen.view).state(rng)
    state.decks = _decks(seen.view, rng)
    return state


class Guesser:
    """Guesses at one moment of a hand; one object makes any number of them."""

    def __init__(self, recall: Recall, view: Mapping[str, JSON]) -> None:
        """Take what the seat recalls and its latest view. Raises ValueError if they are inconsistent."""
        piles = [len(recall.stock), len(recall.up), len(recall.down)]
        if piles != [view["stock"], view["up_count"], view["down_count"]]:
            raise ValueError("the piles are not what the events say: events are missing")
        if recall.held != view["held"]:
            raise ValueError("the hands are not what the events say: events are missing")
        self._recall = recall
        self._view = view
        self._hand = [CARDS[name] for name in view["hand"]]
        self._stories = Stories(recall)

    @property
    def attempts(self) -> int:
        """Attempts made so far: about one per guess, more if the events leave little room."""
        return self._stories.attempts

    def state(self, rng: Rng) -> State:
        """Return a random consistent state; this hand is its last. Raises ValueError if none is found."""
        recall, view = self._recall, self._view
        story = self._stories.tell(rng)
        held = [story.held.get(seat, self._hand)[:] for seat in range(len(recall.held))]
        for seat in story.held:
            rng.shuffle(held[seat])
        return State(
            rules=recall.rules,
            decks=((),) * (view["hand_no"] + 1),
            hand_no=view["hand_no"],
            stock=[story.at[place] for place in recall.stock],
            up=[story.at[place] for place in recall.up],
            down=[story.at[place] for place in recall.down],
            held=held,
            to_move=NOTHING if view["turn"] is None else view["turn"],
            opening=view["opening"],
            owed=view["discard"],
            spread=view["spread"],
            turns=view["turns"],
            scores=list(view["scores"]),
        )


def _this_hand(events: Sequence[Mapping[str, JSON]]) -> Sequence[Mapping[str, JSON]]:
    """Return the events since the last deal. Raises ValueError if there is none."""
    for start in range(len(events) - 1, -1, -1):
        if events[start]["kind"] == "dealt":
            return events[start:]
    raise ValueError("the events do not reach back to the deal of this hand")


def _decks(view: Mapping[str, JSON], rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return random decks for future hands; those of past hands and of this one are left empty."""
    decks: list[tuple[int, ...]] = [()] * (view["hand_no"] + 1)
    for _ in range(view["hands"] - len(decks)):
        order = list(range(52))
        rng.shuffle(order)
        decks.append(tuple(order))
    return tuple(decks)
