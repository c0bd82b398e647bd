"""Nim behind Arena's Game abstraction: a game without chance, in which nothing is hidden."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.core.chance import Chance, Rng
from arena.core.game import JSON, Decision, Event, Game, Outcome, Seen
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Option, Ruleset


@dataclass(slots=True)
class State:
    """One moment of a game."""

    heaps: list[int]
    """How many are left in each heap."""
    seat: int
    """Whose turn it is."""


@dataclass(frozen=True, slots=True)
class Take:
    """A move: so many from one heap."""

    heap: int
    count: int


class Nim(BaseGame[State, Take]):
    """The rules of Nim for two: take from one heap as many as you like; who takes the last one wins."""

    info = GameInfo(
        name="nim",
        title="Nim",
        version=1,
        summary="Take from one heap; who takes the last one wins. 2 players, no chance.",
        rulesets={"classic": {}, "small": {"heaps": (1, 2, 3)}},
        options=(Option("heaps", "numbers", "how many lie in each heap at the start", (3, 4, 5), high=20),),
    )

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the heaps of the ruleset; nothing is drawn."""
        state = State(list(ruleset.numbers("heaps")), 0)
        return state, (Event("heaped", {"heaps": state.heaps[:]}),)

    def turn(self, state: State) -> tuple[Decision[Take], ...] | Outcome:
        """Return the moves of the one seat whose turn it is, or the outcome when all heaps are empty."""
        legal = [Take(heap, count) for heap, left in enumerate(state.heaps) for count in range(1, left + 1)]
        return (Decision(state.seat, "take", tuple(legal)),) if legal else Outcome(self.scores(state))

    def apply(self, state: State, moves: Mapping[int, Take]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after a move and what happened. Raises IllegalMove."""
        self.check(state, moves)
        after = self.copy(state)
        self.advance(after, moves)
        take = moves[state.seat]
        told = {"seat": state.seat, "heap": take.heap, "count": take.count, "left": after.heaps[take.heap]}
        return after, (Event("taken", told),)

    def advance(self, state: State, moves: Mapping[int, Take]) -> None:
        """Make a legal move in place, unchecked."""
        take = moves[state.seat]
        state.heaps[take.heap] -= take.count
        state.seat = 1 - state.seat

    def copy(self, state: State) -> State:
        """Return a state of one's own to advance."""
        return State(state.heaps[:], state.seat)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return 1 for who took the last one, once that has happened."""
        if any(state.heaps):
            return (0, 0)
        return (0, 1) if state.seat == 0 else (1, 0)

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return the heaps and whose turn it is."""
        return {"heaps": state.heaps[:], "turn": state.seat}

    def format_move(self, move: Take) -> JSON:
        """Return the move as a JSON object."""
        return {"type": "take", "heap": move.heap, "count": move.count}

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return the true state, as all of it is seen."""
        return State(list(seen.view["heaps"]), seen.view["turn"])


GAME: Game[State, Take] = Nim()
"""The rules of Nim, as the registry finds them."""
