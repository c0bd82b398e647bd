"""Bread and Chocolate: get rid of all cards exactly, in three rulesets (sources 001, 003, 004)."""

from arena.core.card_game_base import NOTHING, OneAtATime, draw_decks
from arena.core.chance import Chance
from arena.core.errors import BadOption
from arena.core.game import JSON, Event, Game
from arena.core.ruleset import GameInfo, Option, Ruleset
from arena.games.bread_and_chocolate import moves, playout_policy, transitions
from arena.games.bread_and_chocolate import wording as words
from arena.games.bread_and_chocolate.moves import Move
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, State, names, rules_of

_SHRAM_TURNS = 40
"""Turns per player after which a hand of `shram` ends."""


class BreadAndChocolate(OneAtATime[State, Move]):
    """The rules of Bread and Chocolate (sources 001, 003, 004). A `Game` whose moves are those of `moves`."""

    info = GameInfo(
        name="bread-and-chocolate",
        title="Bread and Chocolate",
        version=1,
        summary="Get rid of your cards exactly: one above draws, one below discards; 2 players, in shram 2 to 5.",
        rulesets={"pagat": {}, "gamerules": {"rules": "gamerules"}, "shram": {"rules": "shram"}},
        steps=("random", "greedy", "blocker", "rememberer", "chocolatier"),
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
                "going_out", "number", "points for going out", None, low=0, high=1000, auto="10, in shram 0"
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

    decisions = staticmethod(moves.decisions)
    check_move = staticmethod(moves.check)
    make_move = staticmethod(transitions.make_move)
    parse_move = staticmethod(moves.parse)
    format_move = staticmethod(moves.format_)
    sample_move = staticmethod(moves.sample)
    policy = staticmethod(playout_policy.policy)
    candidates = staticmethod(playout_policy.candidates)
    standing = staticmethod(playout_policy.standing)
    guesser = playout_policy.Guesser
    draw = staticmethod(words.draw)
    describe = staticmethod(words.describe)
    wording = words.BreadAndChocolateWording()

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
        """Return the first state and the events of the first deal. Shuffles by the streams `deck/0`, `deck/1`, …."""
        decks = draw_decks(chance, ruleset.count("hands"), CARDS, NAMES)
        held: list[list[int]] = [[] for _ in range(seats)]
        state = State(rules_of(ruleset), decks, 0, [], [], [], held, 0, 0, 0, False, 0, [0] * seats)
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


GAME: Game[State, Move] = BreadAndChocolate()
"""The rules of Bread and Chocolate."""
