"""Bread and Chocolate as a `Game`."""

from collections.abc import Mapping

from arena.core.chance import Chance, Rng
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import JSON, Decision, Event, Outcome, Seen, ranks_of
from arena.core.ruleset import GameInfo, Option, Ruleset
from arena.games.bread_and_chocolate import guessing, moves, wording
from arena.games.bread_and_chocolate.moves import Move
from arena.games.bread_and_chocolate.play import deal_hand, make_move
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, names, rules_of
from arena.games.bread_and_chocolate.state import NOTHING, State
from arena.games.bread_and_chocolate.wording import BreadAndChocolateWording

_SHRAM_TURNS = 40
"""Turns per player after which a hand of `shram` ends."""


class BreadAndChocolate:
    """The rules of Bread and Chocolate (sources 001, 003, 004). A `Game` whose moves are those of `moves`."""

    info = GameInfo(
        name="bread-and-chocolate",
        title="Bread and Chocolate",
        version=1,
        summary="Get rid of your cards exactly: one above draws, one below discards; 2 players, in shram 2 to 5.",
        rulesets={"pagat": {}, "gamerules": {"rules": "gamerules"}, "shram": {"rules": "shram"}},
        options=(
            Option(
                "rules",
                "choice",
                "whose rules: source 001 (pagat), 003 (gamerules) or 004 (shram)",
                "pagat",
                choices=("pagat", "gamerules", "shram"),
            ),
            Option(
                "hands",
                "count",
                "hands in a game; best a multiple of the number of players, so that each begins equally often",
                None,
                high=1000,
                auto="10, in shram one for each player",
            ),
            Option(
                "turn_limit",
                "count",
                "turns after which a hand ends without a winner",
                None,
                high=5000,
                auto="500, in shram 40 for each player",
            ),
            Option(
                "going_out",
                "number",
                "points for going out",
                None,
                low=0,
                high=1000,
                auto="10, in shram 0",
            ),
            Option(
                "values",
                "choice",
                "what the court cards and the ace cost in shram: J 11 Q 12 K 13 A 14 (ranks), or 10 10 10 11 (note)",
                "ranks",
                choices=("ranks", "note"),
            ),
        ),
        longest_decisions=100_000_000,  # above the maximum of 1000 hands with 5000 turns
    )

    wording = BreadAndChocolateWording()

    def seats(self, ruleset: Ruleset) -> range:
        """Return 2 to 5 in `shram`, else 2 alone."""
        return range(2, 6) if ruleset.choice("rules") == "shram" else range(2, 3)

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset with `hands`, `turn_limit` and `going_out` filled in.

        Raises BadOption for a number of seats that the rules don't allow, and for `values` if the cards have no
        values.
        """
        rules = ruleset.choice("rules")
        if seats not in self.seats(ruleset):
            players = "2 to 5 players" if rules == "shram" else "2 players"
            raise BadOption(
                f"Bread and Chocolate by {rules} is for {players}, not {seats}", "set another number"
            )
        if rules == "shram":
            return ruleset.filled(hands=seats, turn_limit=_SHRAM_TURNS * seats, going_out=0)
        if ruleset.choice("values") != "ranks":
            said = f"cards have values only in shram, not in {rules}"
            raise BadOption(said, "leave it out", option="values")
        return ruleset.filled(hands=10, turn_limit=500, going_out=10)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the first state and the events of the first deal.

        Draws the deck of every hand, in draw order, from the streams `deck/0`, `deck/1` and so on.
        """
        decks = tuple(
            tuple([CARDS[name] for name in chance.permutation(f"deck/{hand_no}", NAMES)])
            for hand_no in range(ruleset.count("hands"))
        )
        held: list[list[int]] = [[] for _ in range(seats)]
        state = State(rules_of(ruleset), decks, 0, [], [], [], held, 0, 0, 0, False, 0, [0] * seats)
        log: list[Event] = []
        deal_hand(state, log)
        return state, tuple(log)

    def turn(self, state: State) -> tuple[Decision[Move], ...] | Outcome:
        """Return the decision of the seat whose turn it is, or the outcome after the last hand."""
        if state.to_move != NOTHING:
            return moves.decisions(state)
        return Outcome(tuple(state.scores), ranks_of(state.scores))

    def apply(self, state: State, moves: Mapping[int, Move]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after a move and what happened. Raises IllegalMove, naming the rule."""
        _check(state, moves)
        after = state.copy()
        return after, self.make_legal(after, moves)

    def advance(self, state: State, moves: Mapping[int, Move]) -> None:
        """Make a legal move in place, unchecked and without events."""
        make_move(state, moves[state.to_move], None)

    def make_legal(self, state: State, moves: Mapping[int, Move]) -> tuple[Event, ...]:
        """Make a legal move in place, unchecked, and return what happened."""
        log: list[Event] = []
        make_move(state, moves[state.to_move], log)
        return tuple(log)

    def copy(self, state: State) -> State:
        """Return an independent copy of the state, to be used with `advance`."""
        return state.copy()

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the points of each seat in the hands that have ended."""
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
            "turns": state.turns,
            "opening": state.opening,
            "discard": state.owed,
            "up": NAMES[state.up[-1]],
            "up_count": len(state.up),
            "down_count": len(state.down),
            "stock": len(state.stock),
            "spread": state.spread,
            "held": [len(cards) for cards in state.held],
            "scores": list(state.scores),
        }
        if seat is not None:
            seen["seat"] = seat
            seen["hand"] = names(state.held[seat])
        return seen

    def parse_move(self, state: State, seat: int, raw: JSON) -> Move:
        """Return the legal move that a JSON value stands for. Raises IllegalMove, naming the rule."""
        return moves.parse(state, seat, raw)

    def format_move(self, move: Move) -> JSON:
        """Return the move as a JSON object with a `type`: play, discard, draw, spread, flip or pass."""
        return moves.format_(move)

    def sample_move(self, state: State, seat: int, rng: Rng) -> Move:  # noqa: ARG002 - only one seat decides
        """Return one of the legal moves of the seat whose turn it is; all are equally likely."""
        return moves.sample(state, rng)

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return a full state consistent with what a seat has seen; see `guessing`."""
        return guessing.guess(seen, rng)

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return the table as plain text, at most `width` columns wide (60 or more)."""
        return wording.draw(view, width)

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return one sentence that describes an event to people."""
        return wording.describe(event)


def _check(state: State, given: Mapping[int, Move]) -> None:
    """Check that there is exactly one move and that it is legal. Raises IllegalMove."""
    if len(given) != 1:
        raise IllegalMove(f"one seat moves at a time, and there are {len(given)} moves")
    for seat, move in given.items():
        moves.check(state, seat, move)
