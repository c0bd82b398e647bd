"""What thinking ahead needs of a game beyond its rules, and the defaults for games without these members.

All members are optional. `foresight(game)` returns each that the game has, and the default of each that it lacks, so
whatever thinks ahead works for every game. They are for bots: the referee never calls them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from arena.core.chance import Rng
from arena.core.game import JSON, AnyGame, Game, Outcome, Seen, at_random, play_chance
from arena.core.ruleset import Ruleset

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)

MOST_CANDIDATES = 12
"""Different moves that the default of `candidates` draws, if there are that many."""
_DRAWS = 3 * MOST_CANDIDATES


class Guesser(Protocol[S_co]):
    """What one seat knows in one game; it makes any number of guesses."""

    def hear(self, events: Sequence[Mapping[str, JSON]]) -> None:
        """Take the events since the last call, in order and in their wire format; the first call has the deal.

        Ignores kinds of events that aren't the game's own. Raises ValueError if they contradict what it heard.
        """

    def worlds(self, view: Mapping[str, JSON], count: int, rng: Rng) -> Sequence[S_co]:
        """Return this many states that are consistent with all that was heard and with the seat's latest view.

        Each is as likely as its deal; what others' moves suggest doesn't count. The states are independent copies,
        but those of one call may share what chance decides after the present hand or round.
        Raises ValueError if no state fits, because events and view contradict each other.
        """


Policy = Callable[[S, int, Rng], Any]
"""Chooses a move: the state, a seat that decides now, random numbers → the move."""


class ThinksAhead(Protocol[S, M_co]):
    """The optional members of a game. All are pure, and leave the state as it is."""

    def policy(self, state: S, seat: int, rng: Rng) -> M_co:
        """Return a legal move of a seat that decides now: a sensible one, found quickly. Default: `sample_move`."""

    def candidates(self, state: S, seat: int, rng: Rng) -> Sequence[M_co]:
        """Return up to a dozen different legal moves that are worth comparing, for a decision that lists none.

        They depend only on what the seat knows, since they have to be legal in all that it may take for the truth.
        Default: the policy's move, then different ones of `sample_move`.
        """

    def stage(self, state: S) -> int:
        """Return how many hands or rounds have been scored; playouts end when it grows. Default: 0, so at the end."""

    def standing(self, state: S) -> tuple[float, ...]:
        """Return the score of each seat, with an estimate of what an unfinished hand is worth. Default: `scores`."""

    def play_on(self, state: S, policy: "Policy[S]", rng: Rng, most: int) -> S:
        """Make the moves of a policy until the stage grows, the game is over or `most` turns are made (−1: no limit).

        Changes the state in place, and returns it. Default: by `turn` and `advance`, which takes about twice as long.
        """

    def guesser(self, ruleset: Ruleset, seats: int, seat: int, private: Mapping[str, JSON]) -> Guesser[S]:
        """Return a guesser for a seat that has heard nothing yet; the ruleset is resolved. Default: `guess`."""


@dataclass(frozen=True, slots=True)
class Foresight(Generic[S, M]):
    """The members of `ThinksAhead`: a game's own, and the defaults of those that it lacks."""

    policy: Callable[[S, int, Rng], M]
    candidates: Callable[[S, int, Rng], Sequence[M]]
    stage: Callable[[S], int]
    standing: Callable[[S], tuple[float, ...]]
    play_on: Callable[[S, Policy[S], Rng, int], S]
    guesser: Callable[[Ruleset, int, int, Mapping[str, JSON]], Guesser[S]]


def foresight(game: Game[S, M]) -> Foresight[S, M]:
    """Return what a game offers to bots that think ahead."""
    found: Any = game
    policy = getattr(found, "policy", game.sample_move)

    def candidates(state: S, seat: int, rng: Rng) -> Sequence[M]:
        different = dict.fromkeys([policy(state, seat, rng)])
        for _ in range(_DRAWS):
            if len(different) == MOST_CANDIDATES:
                break
            different.setdefault(game.sample_move(state, seat, rng))
        return tuple(different)

    def guesser(ruleset: Ruleset, seats: int, seat: int, private: Mapping[str, JSON]) -> Guesser[S]:
        return _Rememberer(game, ruleset, seats, seat, private)

    stage = getattr(found, "stage", no_stage)
    return Foresight(
        policy,
        getattr(found, "candidates", candidates),
        stage,
        getattr(found, "standing", game.scores),
        getattr(found, "play_on", turn_by_turn(game, stage)),
        getattr(found, "guesser", guesser),
    )


def no_stage(_: Any) -> int:
    """Return 0: nothing is scored before the end."""
    return 0


def turn_by_turn(game: Game[S, M], stage: Callable[[S], int]) -> Callable[[S, Policy[S], Rng, int], S]:
    """Return the default of `play_on` for a game and its stages; it makes due draws, too."""
    late = hasattr(game, "due")

    def play_on(state: S, policy: Policy[S], rng: Rng, most: int) -> S:
        draw, begun = at_random(rng), stage(state)
        while most != 0 and stage(state) == begun:
            turn = game.turn(state)
            if isinstance(turn, Outcome):
                break
            game.advance(state, {one.seat: policy(state, one.seat, rng) for one in turn})
            if late:
                state, _ = play_chance(game, state, draw)
            most -= 1
        return state

    return play_on


class _Rememberer:
    """The guesser of a game that has none: it keeps all events and calls `guess`."""

    def __init__(
        self, game: AnyGame, ruleset: Ruleset, seats: int, seat: int, private: Mapping[str, JSON]
    ) -> None:
        self._game, self._told = game, (ruleset, seats, seat, private)
        self._events: list[Mapping[str, JSON]] = []

    def hear(self, events: Sequence[Mapping[str, JSON]]) -> None:
        self._events += events

    def worlds(self, view: Mapping[str, JSON], count: int, rng: Rng) -> list[Any]:
        """Return guesses. Raises what the game's `guess` raises, ArenaError if it has none."""
        seen = Seen(*self._told, view, self._events)
        return [self._game.guess(seen, rng) for _ in range(count)]
