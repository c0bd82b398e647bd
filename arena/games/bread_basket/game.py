"""Bread Basket as a `Game`."""

from collections.abc import Mapping

from arena.core.chance import Chance, Rng
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import JSON, Decision, Event, Outcome, Seen, ranks_of
from arena.core.ruleset import GameInfo, Option, Ruleset
from arena.games.bread_basket import guessing, play, wording
from arena.games.bread_basket.play import deal_hand, make_move
from arena.games.bread_basket.state import CARDS, NAMES, NOTHING, State, deck, names
from arena.games.bread_basket.wording import BreadBasketWording

_SEATS = range(2, 7)


class BreadBasket:
    """The rules of Bread Basket (source 000). A `Game` whose moves are the integers of `moves`."""

    info = GameInfo(
        name="bread-basket",
        title="Bread Basket",
        version=1,
        summary="Make sandwiches and soups in one shared line of cards; 2 to 6 players.",
        rulesets={"tens": {}, "none": {"chefs": "none"}, "extra": {"chefs": "extra"}},
        options=(
            Option(
                "chefs",
                "choice",
                "which Chefs are in the deck: the tens are Chefs, none, or five besides the tens",
                "tens",
                choices=("tens", "none", "extra"),
            ),
            Option(
                "chef_second",
                "flag",
                "a Chef's ability may also be the second action of a turn, after a card",
                False,
                implied=True,
            ),
            Option(
                "hands",
                "count",
                "hands in a game; best a multiple of the number of players, because starting a hand is a disadvantage",
                None,
                high=1000,
                auto="one for each player",
            ),
        ),
        rotations="balanced",
        longest_decisions=1_000_000,  # above the maximum of 1000 hands
    )

    wording = BreadBasketWording()

    def seats(self, ruleset: Ruleset) -> range:  # noqa: ARG002 - the same for every ruleset
        """Return 2 to 6."""
        return _SEATS

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset with `hands` filled in.

        Raises BadOption unless there are 2 to 6 seats, and for `chef_second` with a deck without Chefs.
        """
        if seats not in _SEATS:
            raise BadOption(f"Bread Basket is for 2 to 6 players, not {seats}", "set another number of seats")
        if ruleset.flag("chef_second") and ruleset.choice("chefs") == "none":
            said = "with chefs = none there are no Chefs"
            raise BadOption(said, "leave it out", option="chef_second")
        return ruleset.filled(hands=seats)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the first state and the events of the first deal.

        Draws the deck of every hand, in draw order, from the streams `deck/0`, `deck/1` and so on.
        """
        cards = deck(ruleset.choice("chefs"))
        decks = tuple(
            tuple([CARDS[name] for name in chance.permutation(f"deck/{hand_no}", cards)])
            for hand_no in range(ruleset.count("hands"))
        )
        held: list[list[int]] = [[] for _ in range(seats)]
        second, none = ruleset.flag("chef_second"), [0] * seats
        state = State(decks, 0, (), 0, held, [], 0, NOTHING, NOTHING, none, tuple(none), second)
        log: list[Event] = []
        deal_hand(state, log)
        return state, tuple(log)

    def turn(self, state: State) -> tuple[Decision[int], ...] | Outcome:
        """Return the decision of the seat whose turn it is, or the outcome after the last hand."""
        if state.to_move != NOTHING:
            return play.decisions(state)
        return Outcome(tuple(state.scores), ranks_of(state.scores))

    def apply(self, state: State, moves: Mapping[int, int]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after a move and what happened. Raises IllegalMove, naming the rule."""
        _check(state, moves)
        after = state.copy()
        return after, self.make_legal(after, moves)

    def advance(self, state: State, moves: Mapping[int, int]) -> None:
        """Make a legal move in place, unchecked and without events."""
        make_move(state, moves[state.to_move], None)

    def make_legal(self, state: State, moves: Mapping[int, int]) -> tuple[Event, ...]:
        """Make a legal move in place, unchecked, and return what happened."""
        log: list[Event] = []
        make_move(state, moves[state.to_move], log)
        return tuple(log)

    def copy(self, state: State) -> State:
        """Return an independent copy of the state, to be used with `advance`."""
        return state.copy()

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the points of each seat so far, including the current hand."""
        return tuple(state.scores)

    def private(self, state: State, seat: int) -> dict[str, JSON]:  # noqa: ARG002 - nobody knows anything alone
        """Return nothing: a seat's own cards change, so they are in its view."""
        return {}

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return what is on the table and, for a seat, its own cards in the order they came."""
        seen: dict[str, JSON] = {
            "hand_no": state.hand_no,
            "hands": len(state.decks),
            "dealer": state.dealer,
            "turn": None if state.to_move == NOTHING else state.to_move,
            "played": [] if state.played == NOTHING else [NAMES[state.played]],
            "line": names(state.line),
            "stock": state.stock_count,
            "held": [len(cards) for cards in state.held],
            "aside": state.aside,
            "scores": list(state.scores),
        }
        if seat is not None:
            seen["seat"] = seat
            seen["hand"] = names(state.held[seat])
        return seen

    def parse_move(self, state: State, seat: int, raw: JSON) -> int:
        """Return the legal move that a JSON value stands for. Raises IllegalMove, naming the rule."""
        return play.parse(state, seat, raw)

    def format_move(self, move: int) -> JSON:
        """Return the move as a JSON object with a `type`: `play`, `stop` or `chef`."""
        return play.format_(move)

    def sample_move(self, state: State, seat: int, rng: Rng) -> int:  # noqa: ARG002 - only one seat decides
        """Return one of the legal moves of the seat whose turn it is; all are equally likely."""
        legal = play.decisions(state)[0].legal or ()
        return legal[rng.randrange(len(legal))]

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return a full state consistent with what a seat has seen; see `guessing`."""
        return guessing.guess(seen, rng)

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return the table as plain text, at most `width` columns wide (40 or more)."""
        return wording.draw(view, width)

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return one sentence that describes an event to people."""
        return wording.describe(event)


def _check(state: State, given: Mapping[int, int]) -> None:
    """Check that there is exactly one move and that it is legal. Raises IllegalMove."""
    if len(given) != 1:
        raise IllegalMove(f"one seat moves at a time, and there are {len(given)} moves")
    for seat, move in given.items():
        play.check(state, seat, move)
