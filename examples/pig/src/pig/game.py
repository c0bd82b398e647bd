"""Pig behind Arena's Game abstraction: dice that are cast during the game, as often as the players like."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.core.chance import Chance, Rng
from arena.core.game import JSON, Decision, Draw, Drawn, Event, Game, Outcome, Roll, Seen
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Option, Ruleset


@dataclass(slots=True)
class State:
    """One moment of a game. No list is changed in place."""

    target: int
    banked: tuple[int, ...]
    """The points of each seat that can't be lost any more."""
    starting: tuple[int, ...]
    """The seats that cast for who begins; empty once that is settled."""
    seat: int = 0
    """Whose turn it is."""
    pot: int = 0
    """What this turn has brought so far."""
    casting: bool = False
    """Whether the die is to be cast now."""


class Pig(BaseGame[State, str]):
    """The rules of Pig: cast the die as long as you dare; a 1 costs all that the turn has brought."""

    info = GameInfo(
        name="pig",
        title="Pig",
        version=1,
        summary="Cast a die as long as you dare; a 1 costs all of the turn. 2 to 6 players.",
        rulesets={"plain": {}},
        options=(Option("target", "count", "the points that win", 50, low=10, high=1000),),
        longest_decisions=5000,  # who always casts again never banks a point
    )
    players = range(2, 7)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return the state before the first die is cast."""
        state = State(ruleset.count("target"), (0,) * seats, starting=tuple(range(seats)))
        return state, (Event("begun", {"target": state.target}),)

    def due(self, state: State) -> Draw | None:
        """Ask for a die of each seat that may still begin, and later for one die whenever a seat has said so."""
        if state.starting:
            return Roll("start", len(state.starting), 1, 6)
        return Roll("die", 1, 1, 6) if state.casting else None

    def drawn(self, state: State, values: Drawn) -> tuple[State, tuple[Event, ...]]:
        """Return the state after the dice that were asked for. Who shares the highest die for the start casts again."""
        if state.starting:
            told = {"seats": list(state.starting), "dice": list(values)}
            best = tuple([s for s, die in zip(state.starting, values, strict=True) if die == max(values)])
            settled = len(best) == 1
            after = replace(state, starting=() if settled else best, seat=best[0] if settled else 0)
            return after, (Event("start", told),)
        (die,) = values
        after = replace(state, pot=state.pot + die, casting=False) if die > 1 else self._next(state)
        return after, (Event("cast", {"seat": state.seat, "die": die}),)

    def turn(self, state: State) -> tuple[Decision[str], ...] | Outcome:
        """Return the choice to cast or to hold, or the outcome once a seat has the target."""
        if max(state.banked) >= state.target:
            return Outcome(state.banked)
        return (Decision(state.seat, "dare", ("cast", "hold") if state.pot else ("cast",)),)

    def apply(self, state: State, moves: Mapping[int, str]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after a choice. Raises IllegalMove. The die itself is cast by `due` and `drawn`."""
        self.check(state, moves)
        if moves[state.seat] == "cast":
            return replace(state, casting=True), ()
        banked = tuple([had + state.pot * (s == state.seat) for s, had in enumerate(state.banked)])
        told = {"seat": state.seat, "points": state.pot, "banked": banked[state.seat]}
        return replace(self._next(state), banked=banked), (Event("held", told),)

    def _next(self, state: State) -> State:
        return replace(state, seat=(state.seat + 1) % len(state.banked), pot=0, casting=False)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the points that each seat has banked."""
        return state.banked

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return the points, whose turn it is and what the turn has brought."""
        return {"banked": list(state.banked), "turn": state.seat, "pot": state.pot}

    def format_move(self, move: str) -> JSON:
        """Return the choice as a JSON object."""
        return {"type": move}

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return the true state, as all of it is seen."""
        view = seen.view
        return State(seen.ruleset.count("target"), tuple(view["banked"]), (), view["turn"], view["pot"])


GAME: Game[State, str] = Pig()
"""The rules of Pig, as the registry finds them."""
