"""Rock, paper, scissors for Arena: a whole game, most of which comes from `BaseGame`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.core.chance import Chance
from arena.core.game import JSON, Decision, Event, Game, Outcome
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Option, Ruleset

HANDS = ("rock", "paper", "scissors")


@dataclass
class State:
    """How many throws are left, and who has won how many."""

    left: int
    won: tuple[int, int] = (0, 0)


class Roshambo(BaseGame[State, str]):
    """Both throw at once; paper beats rock, scissors beat paper, rock beats scissors."""

    info = GameInfo(
        "roshambo", "Roshambo", 1, "Rock, paper, scissors; 2 players.", {"plain": {}},
        (Option("throws", "count", "throws in a game", 5, high=100),), rotations="off",
    )  # fmt: skip

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        return State(ruleset.count("throws")), (Event("begun", {}),)

    def turn(self, state: State) -> tuple[Decision[str], ...] | Outcome:
        if not state.left:
            return Outcome(state.won)
        return tuple(Decision(seat, "throw", HANDS) for seat in (0, 1))

    def apply(self, state: State, moves: Mapping[int, str]) -> tuple[State, tuple[Event, ...]]:
        self.check(state, moves)
        ahead = (HANDS.index(moves[0]) - HANDS.index(moves[1])) % 3
        won = (state.won[0] + (ahead == 1), state.won[1] + (ahead == 2))
        return replace(state, left=state.left - 1, won=won), (
            Event("thrown", {"hands": [moves[0], moves[1]]}),
        )

    def scores(self, state: State) -> tuple[int, ...]:
        return state.won

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        return {"left": state.left, "won": list(state.won)}

    def format_move(self, move: str) -> JSON:
        return {"type": "throw", "hand": move}


GAME: Game[State, str] = Roshambo()
