"""Sandwich: grab ingredients in a scramble and make sandwiches for your neighbours (source 002, four editions)."""

from collections.abc import Mapping

from arena.core.card_game_base import InPlace, draw_decks
from arena.core.chance import Chance
from arena.core.errors import IllegalMove
from arena.core.game import Event, Game
from arena.core.ruleset import Ruleset
from arena.games.sandwich import descriptions, determinization, legality, playout_policy, rules, transitions
from arena.games.sandwich.ingredients import CARDS, NAMES
from arena.games.sandwich.rules import INFO, Rules
from arena.games.sandwich.state import NOBODY, Deal, Move, State, draw_palate, format_
from arena.games.sandwich.text_moves import SandwichWording
from arena.games.sandwich.transitions import deal_round, make_moves


class Sandwich(InPlace[State, Move]):
    """The rules of Sandwich (source 002). A `Game` in which most decisions are composed and simultaneous."""

    info = INFO
    wording = SandwichWording()
    seats = staticmethod(rules.seats)
    resolve = staticmethod(rules.resolve)
    decisions = staticmethod(legality.decisions)
    private = staticmethod(transitions.private)
    view = staticmethod(transitions.view)
    parse_move = staticmethod(legality.parse)
    format_move = staticmethod(format_)
    sample_move = staticmethod(legality.sample)
    policy = staticmethod(playout_policy.policy)
    candidates = staticmethod(playout_policy.candidates)
    guesser = determinization.Guesser
    draw = staticmethod(descriptions.draw)
    describe = staticmethod(descriptions.describe)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the first state and the events of the first deal.

        Draws for each round the cards in draw order from `deck/ROUND` and the seats from `grab_order/ROUND`;
        for each seat its palate from `likings/SEAT` and `quirks/SEAT`; and in free tasting the order in which
        sandwiches are read out from `shown/ROUND/SEAT`.
        """
        played = Rules.of(ruleset, seats)
        rounds = range(played.rounds)
        deal = Deal(
            decks=draw_decks(chance, played.rounds, CARDS, NAMES * played.boxes),
            grab_orders=tuple([chance.permutation(f"grab_order/{no}", range(seats)) for no in rounds]),
            palates=tuple([draw_palate(chance, seat) for seat in range(seats)]),
            shown=tuple([_shown(chance, played, round_no) for round_no in rounds]) if played.free else (),
        )
        state = start(played, deal)
        log: list[Event] = []
        deal_round(state, log)
        return state, tuple(log)

    def check(self, state: State, moves: Mapping[int, Move]) -> None:
        """Check that each seat that decides now has one legal move. Raises IllegalMove, naming the rule."""
        for seat, move in moves.items():
            legality.check(state, seat, move)
        for seat in legality.deciders(state):
            if seat not in moves:
                raise IllegalMove(f"seat {seat} is to decide too, and its move is missing")
        if not moves:
            raise IllegalMove("the game is over")

    def stage(self, state: State) -> int:
        """Return how many rounds have been scored."""
        return state.rules.rounds if state.phase == "over" else state.round_no

    def advance(self, state: State, moves: Mapping[int, Move]) -> None:
        """Make the legal moves of a turn in place, unchecked and without events."""
        make_moves(state, moves, None)

    def make_legal(self, state: State, moves: Mapping[int, Move]) -> tuple[Event, ...]:
        """Make the legal moves of a turn in place, unchecked, and return what happened."""
        log: list[Event] = []
        make_moves(state, moves, log)
        return tuple(log)


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


def _shown(chance: Chance, played: Rules, round_no: int) -> tuple[tuple[int, ...], ...]:
    served = range(played.served)
    return tuple([chance.permutation(f"shown/{round_no}/{taster}", served) for taster in range(played.seats)])


GAME: Game[State, Move] = Sandwich()
"""The rules of Sandwich."""
