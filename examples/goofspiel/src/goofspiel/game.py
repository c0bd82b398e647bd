"""Goofspiel behind Arena's Game abstraction: everybody bids at once for prizes that are turned up one by one."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.core.chance import Chance, Rng
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import JSON, Decision, Event, Game, Outcome, Seen, ranks_of
from arena.core.move_parsing import read_shape, shown, whole_number
from arena.core.ruleset import GameInfo, Option, Ruleset

_SEATS = range(2, 5)


@dataclass(slots=True)
class State:
    """One moment of a game. `prizes` and `carry` never change; everything else does, in place."""

    prizes: tuple[int, ...]
    """All of them, in the order in which they are turned up."""
    carry: bool
    """Whether prizes that nobody takes stay at stake."""
    turned: int
    """How many prizes have been turned up so far."""
    stake: list[int]
    """The prizes that are bid for now."""
    hands: list[list[int]]
    """The bids that each seat holds, in ascending order."""
    scores: list[int]


class Goofspiel:
    """The rules of Goofspiel. A `Game` whose moves are the cards that are bid, as integers."""

    info = GameInfo(
        name="goofspiel",
        title="Goofspiel",
        version=1,
        summary="Bid cards for prizes, all at once; 2 to 4 players.",
        rulesets={"carry": {}, "discard": {"ties": "discard"}},
        options=(
            Option("cards", "count", "cards in each hand, and prizes in the pile", 13, low=3, high=13),
            Option(
                "ties",
                "choice",
                "what becomes of prizes that nobody takes: they stay at stake, or are out of the game",
                "carry",
                choices=("carry", "discard"),
            ),
        ),
        rotations="off",  # no seat differs from another, so rotated seats would only play the same again
    )

    def seats(self, ruleset: Ruleset) -> range:  # noqa: ARG002 - the same for every ruleset
        """Return 2 to 4."""
        return _SEATS

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset as it is: no option is left open. Raises BadOption for other than 2 to 4 seats."""
        if seats not in _SEATS:
            raise BadOption(f"Goofspiel is for 2 to 4 players, not {seats}", "set another number of seats")
        return ruleset

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the first state, with one prize turned up. Draws the order of the prizes, `prizes`."""
        cards = range(1, ruleset.count("cards") + 1)
        prizes = chance.permutation("prizes", cards)
        hands = [list(cards) for _ in range(seats)]
        state = State(prizes, ruleset.choice("ties") == "carry", 0, [], hands, [0] * seats)
        log: list[Event] = []
        _turn_up(state, log)
        return state, tuple(log)

    def turn(self, state: State) -> tuple[Decision[int], ...] | Outcome:
        """Return a bid for every seat, all at once, or the outcome when no cards are left."""
        if not state.hands[0]:
            return Outcome(tuple(state.scores), ranks_of(state.scores))
        return tuple([Decision(seat, "bid", tuple(hand)) for seat, hand in enumerate(state.hands)])

    def apply(self, state: State, moves: Mapping[int, int]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after everybody's bid and what happened. Raises IllegalMove, naming the rule."""
        if sorted(moves) != list(range(len(state.hands))):
            raise IllegalMove(f"every seat bids once, and there are bids of the seats {sorted(moves)}")
        for seat, card in moves.items():
            _check(state, seat, card)
        after = self.copy(state)
        log: list[Event] = []
        _bid(after, moves, log)
        return after, tuple(log)

    def advance(self, state: State, moves: Mapping[int, int]) -> None:
        """Make legal bids in place, unchecked and without events."""
        _bid(state, moves, None)

    def copy(self, state: State) -> State:
        """Return a state of one's own to advance."""
        hands = [hand[:] for hand in state.hands]
        return State(state.prizes, state.carry, state.turned, state.stake[:], hands, state.scores[:])

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the points of each seat so far."""
        return tuple(state.scores)

    def private(self, state: State, seat: int) -> dict[str, JSON]:  # noqa: ARG002 - nobody knows anything alone
        """Return nothing: no seat knows anything that the others do not."""
        return {}

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return what lies on the table; hands are open, as every bid is shown and all began with the same."""
        seen: dict[str, JSON] = {
            "stake": state.stake[:],
            "pile": len(state.prizes) - state.turned,
            "hands": [hand[:] for hand in state.hands],
            "scores": state.scores[:],
        }
        if seat is not None:
            seen["seat"] = seat
        return seen

    def parse_move(self, state: State, seat: int, raw: JSON) -> int:
        """Return the legal bid that a JSON value means. Raises IllegalMove, naming the rule."""
        _, fields = read_shape(raw, {"bid": ("card",)})
        card = whole_number(fields["card"], "a bid")
        _check(state, seat, card)
        return card

    def format_move(self, move: int) -> JSON:
        """Return the bid as a JSON object."""
        return {"type": "bid", "card": move}

    def sample_move(self, state: State, seat: int, rng: Rng) -> int:
        """Return one of the seat's cards, all equally likely."""
        hand = state.hands[seat]
        return hand[rng.randrange(len(hand))]

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return a full state that fits what a seat has seen: the prizes still in the pile in random order."""
        view = seen.view
        turned = [event["card"] for event in seen.events if event["kind"] == "turned"]
        pile = [card for card in range(1, seen.ruleset.count("cards") + 1) if card not in turned]
        rng.shuffle(pile)
        return State(
            prizes=(*turned, *pile),
            carry=seen.ruleset.choice("ties") == "carry",
            turned=len(turned),
            stake=list(view["stake"]),
            hands=[list(hand) for hand in view["hands"]],
            scores=list(view["scores"]),
        )

    def draw(self, view: Mapping[str, JSON], width: int) -> str:  # noqa: ARG002 - never wider than 40 columns
        """Return the table as plain text: what is at stake, then each seat with its score and its cards."""
        lines = [f"At stake  {_listed(view['stake']) or 'nothing'}", f"Pile      {view['pile']}"]
        for seat, hand in enumerate(view["hands"]):
            you = "  (you)" if seat == view.get("seat") else ""
            lines += ["", f"seat {seat}  {view['scores'][seat]} points{you}", f"  {_listed(hand)}".rstrip()]
        return "\n".join(lines)

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return one sentence that tells an event to a person."""
        match event["kind"]:
            case "turned":
                return f"The prize {event['card']} is turned up, {event['pile']} left in the pile."
            case "shown":
                bids = ", ".join(f"seat {seat} bids {card}" for seat, card in enumerate(event["bids"]))
                return f"{bids.capitalize()}."
            case "taken":
                return (
                    f"Seat {event['seat']} takes {_listed(event['cards'])}, which scores {event['points']}."
                )
            case "carried":
                return f"Nobody takes the stake of {_listed(event['cards'])}; it stays."
            case "discarded":
                return f"Nobody takes the stake of {_listed(event['cards'])}; it is out of the game."
            case "forfeit":
                return f"Seat {event['seat']} forfeits: {event['verdict']}."
            case kind:
                return f"{str(kind).capitalize()}."


def _check(state: State, seat: int, card: int) -> None:
    """Do nothing where the seat may bid that card now. Raises IllegalMove, naming the rule."""
    if not state.hands[0]:
        raise IllegalMove("the game is over")
    if card not in state.hands[seat]:
        raise IllegalMove(f"a bid is a card of the hand, which holds no {shown(card)}")


def _turn_up(state: State, log: list[Event] | None) -> None:
    """Put the next prize of the pile at stake."""
    card = state.prizes[state.turned]
    state.turned += 1
    state.stake.append(card)
    if log is not None:
        log.append(Event("turned", {"card": card, "pile": len(state.prizes) - state.turned}))


def _bid(state: State, moves: Mapping[int, int], log: list[Event] | None) -> None:
    """Make everybody's bid: the highest that nobody else made takes the stake. Then turn up the next prize.

    Where `log` is a list, what happens is appended to it as events; playouts pass None.
    """
    bids = [moves[seat] for seat in range(len(state.hands))]
    for hand, card in zip(state.hands, bids, strict=True):
        hand.remove(card)
    stake = state.stake
    unique = [card for card in bids if bids.count(card) == 1]
    told: dict[str, JSON] = {"cards": stake[:]}
    if unique:
        winner, points = bids.index(max(unique)), sum(stake)
        state.scores[winner] += points
        kind, told = "taken", {"seat": winner, "cards": stake[:], "points": points}
    elif state.carry and state.hands[0]:
        kind = "carried"
    else:
        kind = "discarded"
    if kind != "carried":
        stake.clear()
    if log is not None:
        log += [Event("shown", {"bids": bids}), Event(kind, told)]
    if state.hands[0]:
        _turn_up(state, log)


def _listed(cards: list[int]) -> str:
    """Return cards with spaces between them."""
    return " ".join(map(str, cards))


GAME: Game[State, int] = Goofspiel()
"""The rules of Goofspiel, as the registry finds them."""
