"""Guesses a full state from what one seat has seen: unseen cards are dealt at random where they may be.

Known are the seat's own cards, the line, everything played, turned up or taken and, in the other hands, cards that a
Chef fetched, until they are played. All other cards of the deck are unseen, in the other hands or in the stock.
"""

from collections.abc import Mapping, Sequence

from arena.core.chance import Rng
from arena.core.game import JSON, Seen
from arena.games.bread_basket.state import CARDS, CHEF, NAMES, NOTHING, State, deck

_Events = Sequence[Mapping[str, JSON]]


def guess(seen: Seen, rng: Rng) -> State:
    """Return a full state that looks to the seat like the one it has seen, with all unseen cards at random.

    `seen.events` must start no later than the deal of the current hand. Events of kinds other than the game's
    own are ignored. Later hands have random decks.
    Raises ValueError if events and view are inconsistent.
    """
    view = seen.view
    events = _this_hand(seen.events)
    cards = [CARDS[name] for name in deck(seen.ruleset.choice("chefs"))]
    unseen, known = _recall(seen, events, cards)
    rng.shuffle(unseen)
    held: list[list[int]] = []
    for seat, count in enumerate(view["held"]):
        if seat == seen.seat:
            held.append([CARDS[name] for name in view["hand"]])
            continue
        hidden = count - len(known[seat])
        held.append([unseen.pop() for _ in range(hidden)] + known[seat])
    if len(unseen) != view["stock"]:
        raise ValueError(f"{len(unseen)} cards are left for a stock of {view['stock']}: events are missing")
    return State(
        decks=_decks(view, cards, rng),
        hand_no=view["hand_no"],
        stock=tuple(unseen),
        stock_at=0,
        held=held,
        line=[CARDS[name] for name in view["line"]],
        aside=view["aside"],
        to_move=NOTHING if view["turn"] is None else view["turn"],
        played=CARDS[view["played"][0]] if view["played"] else NOTHING,
        scores=list(view["scores"]),
        before=_scores_before(view, events),
        chef_second=seen.ruleset.flag("chef_second"),
    )


def _recall(seen: Seen, events: _Events, cards: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Return the cards of this hand that the seat has not seen, and those it knows in each other hand.

    Raises ValueError for events that are impossible with this deck.
    """
    unseen = list(cards)
    known: list[list[int]] = [[] for _ in range(seen.seats)]
    for event in events:
        kind = event["kind"]
        if kind == "dealt":
            _strike(unseen, [event["card"], *event["hand"]])
        elif kind == "refilled":
            _strike(unseen, [event["card"]])
        elif kind in ("played", "fetched") and event["seat"] != seen.seat:
            hand = known[event["seat"]]
            gone = CHEF if kind == "fetched" else CARDS[event["card"]]
            if gone in hand:
                hand.remove(gone)
            else:
                _strike(unseen, [NAMES[gone]])
            if kind == "fetched":
                hand.append(CARDS[event["card"]])
    return unseen, known


def _strike(unseen: list[int], seen: list[str]) -> None:
    """Remove cards that have been seen from the unseen ones. Raises ValueError if there are none left."""
    for name in seen:
        if CARDS[name] not in unseen:
            raise ValueError(f"the deck has no {name} left to be seen: events came twice, or of another deck")
        unseen.remove(CARDS[name])


def _this_hand(events: _Events) -> _Events:
    """Return the events since the last deal. Raises ValueError if there is none."""
    for start in range(len(events) - 1, -1, -1):
        if events[start]["kind"] == "dealt":
            return events[start:]
    raise ValueError("the events do not reach back to the deal of this hand")


def _scores_before(view: Mapping[str, JSON], events: _Events) -> tuple[int, ...]:
    """Return the scores at the start of this hand: the current ones less what was taken since."""
    scores = list(view["scores"])
    for event in events:
        if event["kind"] == "taken":
            scores[event["seat"]] -= event["points"]
    return tuple(scores)


def _decks(view: Mapping[str, JSON], cards: Sequence[int], rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return random decks for future hands; those of past hands and of this one are left empty."""
    decks: list[tuple[int, ...]] = [()] * (view["hand_no"] + 1)
    for _ in range(view["hands"] - len(decks)):
        order = list(cards)
        rng.shuffle(order)
        decks.append(tuple(order))
    return tuple(decks)
