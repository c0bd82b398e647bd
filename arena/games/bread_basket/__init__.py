"""Bread Basket: sandwiches and soups in one shared line of cards (source 000, beta rules 2.1)."""

from arena.core.card_game_base import NOTHING, OneAtATime, draw_decks
from arena.core.chance import Chance
from arena.core.errors import BadOption
from arena.core.game import JSON, Event, Game
from arena.core.ruleset import GameInfo, Option, Ruleset
from arena.games.bread_basket import transitions
from arena.games.bread_basket import wording as words
from arena.games.bread_basket.playout_policy import Guesser, policy
from arena.games.bread_basket.state import CARDS, NAMES, State, deck, names

_SEATS = range(2, 7)


class BreadBasket(OneAtATime[State, int]):
    """The rules of Bread Basket (source 000). A `Game` whose moves are the integers of `play`."""

    info = GameInfo(
        name="bread-basket",
        title="Bread Basket",
        version=1,
        summary="Make sandwiches and soups in one shared line of cards; 2 to 6 players.",
        rulesets={"tens": {}, "none": {"chefs": "none"}, "extra": {"chefs": "extra"}},
        drawn_events=("taken",),
        steps=("random", "greedy", "counter", "dreamer", "baker"),
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

    decisions = staticmethod(transitions.decisions)
    check_move = staticmethod(transitions.check)
    make_move = staticmethod(transitions.make_move)
    parse_move = staticmethod(transitions.parse)
    format_move = staticmethod(transitions.format_)
    sample_move = staticmethod(transitions.sample)
    policy = staticmethod(policy)
    guesser = staticmethod(Guesser)
    draw = staticmethod(words.draw)
    describe = staticmethod(words.describe)
    wording = words.BreadBasketWording()

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
        """Return the first state and the events of the first deal. Shuffles by the streams `deck/0`, `deck/1`, …."""
        decks = draw_decks(chance, ruleset.count("hands"), CARDS, deck(ruleset.choice("chefs")))
        held: list[list[int]] = [[] for _ in range(seats)]
        second, none = ruleset.flag("chef_second"), [0] * seats
        state = State(decks, 0, (), 0, held, [], 0, NOTHING, NOTHING, none, tuple(none), second)
        log: list[Event] = []
        transitions.deal_hand(state, log)
        return state, tuple(log)

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


GAME: Game[State, int] = BreadBasket()
"""The rules of Bread Basket."""
