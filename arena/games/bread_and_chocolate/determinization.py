"""Guesses full states from what one seat has seen: each history that fits it is as likely as any other.

A guess uses the seat's own cards; every card that was ever face up, or drawn or discarded by the seat itself, tracked
through all resets; what entered and left each other hand; and the fact that a player who had to draw held none of the
cards that could have been laid.
"""

from collections.abc import Mapping, Sequence

from arena.core.card_game_base import NOTHING, guess_decks, last_deal
from arena.core.chance import Rng
from arena.core.game import JSON
from arena.core.ruleset import Ruleset
from arena.games.bread_and_chocolate.possible_histories import Histories
from arena.games.bread_and_chocolate.recall import Recall
from arena.games.bread_and_chocolate.rules import CARDS, State, rules_of


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
            state = State(
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
            found.append(state)
        return found
