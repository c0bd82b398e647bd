"""Guessing a full state from what one seat has seen: unseen cards lie at random where they may be.

What is taken into account: the seat's own cards; every card that was ever face up, drawn or discarded by the
seat itself, followed through all resets; of each other hand what went in and out; and that a player who
drew for want of a legal play held none of the cards that could have been laid.
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
    """Return a full state whose view for the seat is the one it has seen; later hands have random decks.

    `seen.events` needs to reach back to the deal of the current hand, no further; events of other kinds than
    the game's own are passed over. Raises ValueError where events and view do not fit each other.
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
    """Guesses at one moment of a hand; made once for any number of them."""

    def __init__(self, recall: Recall, view: Mapping[str, JSON]) -> None:
        """Take what the seat recalls and its latest view. Raises ValueError where they do not fit."""
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
        """Attempts made so far: about one for each guess, many where the events leave little room."""
        return self._stories.attempts

    def state(self, rng: Rng) -> State:
        """Return a random state that fits; this hand is its last. Raises ValueError where none is found."""
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
    """Return the events from the last deal on. Raises ValueError where there is none."""
    for start in range(len(events) - 1, -1, -1):
        if events[start]["kind"] == "dealt":
            return events[start:]
    raise ValueError("the events do not reach back to the deal of this hand")


def _decks(view: Mapping[str, JSON], rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return random decks for the hands to come; those of past hands and of this one are left empty."""
    decks: list[tuple[int, ...]] = [()] * (view["hand_no"] + 1)
    for _ in range(view["hands"] - len(decks)):
        order = list(range(52))
        rng.shuffle(order)
        decks.append(tuple(order))
    return tuple(decks)
