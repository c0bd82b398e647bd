"""Sandwich as a `Game`."""

from collections.abc import Mapping

from arena.core.chance import Chance, Rng
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision, Event, Outcome, Seen, ranks_of
from arena.core.ruleset import Ruleset
from arena.games.sandwich import guessing, legality, play, rules, telling
from arena.games.sandwich.ingredients import CARDS, NAMES
from arena.games.sandwich.play import deal_round, make_moves
from arena.games.sandwich.rules import INFO, Rules
from arena.games.sandwich.state import NOBODY, Deal, Move, State, draw_palate, format_
from arena.games.sandwich.telling import draw
from arena.games.sandwich.wording import SandwichWording


class Sandwich:
    """The rules of Sandwich (source 002). A `Game` in which most decisions are composed and simultaneous."""

    info = INFO
    wording = SandwichWording()

    def seats(self, ruleset: Ruleset) -> range:
        """Return 3 to 6, or 5 to 12 with two boxes; at least 5 if the direction alternates."""
        return rules.seats(ruleset)

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset unchanged. Raises BadOption if it can't be played with this many seats."""
        rules.check(ruleset, seats)
        return ruleset

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the first state and the events of the first deal.

        Draws for each round the cards in draw order from `deck/ROUND` and the seats from `grab_order/ROUND`;
        for each seat its palate from `likings/SEAT` and `quirks/SEAT`; and in free tasting the order in which
        sandwiches are read out from `shown/ROUND/SEAT`.
        """
        played = Rules.of(ruleset, seats)
        rounds = range(played.rounds)
        deal = Deal(
            decks=tuple([_deck(chance, played.boxes, round_no) for round_no in rounds]),
            grab_orders=tuple([chance.permutation(f"grab_order/{no}", range(seats)) for no in rounds]),
            palates=tuple([draw_palate(chance, seat) for seat in range(seats)]),
            shown=tuple([_shown(chance, played, round_no) for round_no in rounds]) if played.free else (),
        )
        state = start(played, deal)
        log: list[Event] = []
        deal_round(state, log)
        return state, tuple(log)

    def turn(self, state: State) -> tuple[Decision[Move], ...] | Outcome:
        """Return the decisions to make now, or the outcome after the last round."""
        if state.phase == "over":
            return Outcome(tuple(state.scores), ranks_of(state.scores))
        return legality.decisions(state)

    def apply(self, state: State, moves: Mapping[int, Move]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after the moves of a turn and what happened. Raises IllegalMove, naming the rule."""
        _check(state, moves)
        after = state.copy()
        return after, self.make_legal(after, moves)

    def advance(self, state: State, moves: Mapping[int, Move]) -> None:
        """Make the legal moves of a turn in place, unchecked and without events."""
        make_moves(state, moves, None)

    def make_legal(self, state: State, moves: Mapping[int, Move]) -> tuple[Event, ...]:
        """Make the legal moves of a turn in place, unchecked, and return what happened."""
        log: list[Event] = []
        make_moves(state, moves, log)
        return tuple(log)

    def copy(self, state: State) -> State:
        """Return an independent copy of the state, to be used with `advance`."""
        return state.copy()

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the points of each seat so far, including the current round."""
        return tuple(state.scores)

    def private(self, state: State, seat: int) -> dict[str, JSON]:
        """Return the seat's palate, and the families and pair figures, which are the same in every game."""
        return play.private(state, seat)

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return what is on the table and, for a seat, who gets its sandwiches."""
        return play.view(state, seat)

    def parse_move(self, state: State, seat: int, raw: JSON) -> Move:
        """Return the legal move that a JSON value stands for. Raises IllegalMove, naming the rule."""
        return legality.parse(state, seat, raw)

    def format_move(self, move: Move) -> JSON:
        """Return the move as a JSON object: `grab`, `offer`, `no_offer`, `answer`, `serve` or `taste`."""
        return format_(move)

    def sample_move(self, state: State, seat: int, rng: Rng) -> Move:
        """Return a legal move of the seat's decision; see `sampling`."""
        return legality.sample(state, seat, rng)

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return a full state consistent with what a seat has seen; see `guessing`."""
        return guessing.guess(seen, rng)

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return the table as plain text, at most `width` columns wide (40 or more)."""
        return draw(view, width)

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return one sentence that describes an event to people."""
        return telling.describe(event)


def start(played: Rules, deal: Deal) -> State:
    """Return the state of a game before its first round is dealt."""
    empty: list[list[int]] = [[] for _ in range(played.seats)]
    nothing = (0,) * played.seats
    return State(
        rules=played,
        deal=deal,
        round_no=0,
        phase="grab",
        market_turn=0,
        market=[],
        hands=empty,
        trade_round=0,
        offers=(),
        plates=[()] * played.seats,
        taster=NOBODY,
        scores=list(nothing),
        before=nothing,
    )


def _deck(chance: Chance, boxes: int, round_no: int) -> tuple[int, ...]:
    return tuple([CARDS[name] for name in chance.permutation(f"deck/{round_no}", NAMES * boxes)])


def _shown(chance: Chance, played: Rules, round_no: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each taster, the order in which its sandwiches are read out in a round."""
    return tuple(
        [
            chance.permutation(f"shown/{round_no}/{taster}", range(played.served))
            for taster in range(played.seats)
        ]
    )


def _check(state: State, moves: Mapping[int, Move]) -> None:
    """Check that each seat that decides now has one legal move. Raises IllegalMove."""
    for seat, move in moves.items():
        legality.check(state, seat, move)
    for seat in legality.deciders(state):
        if seat not in moves:
            raise IllegalMove(f"seat {seat} is to decide too, and its move is missing")
    if not moves:
        raise IllegalMove("the game is over")
