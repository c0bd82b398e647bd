"""Finds a good move in any game: tries each in the same worlds, and gives up the worse half again and again.

    from arena_engine import ForwardModel
    from arena_engine.search import search

    def choose(ask, game):
        return search(ForwardModel(game), ask).move

A world is a guess of what you can't see. In each, every move that is left is made, and all seats play on by the game's
policy to the end of the hand or round. After each part of the time, the half that has done worse is given up:
sequential halving, as in Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, inf, log2, sqrt
from time import monotonic
from typing import Any

from arena.core.foresight import MOST_CANDIDATES
from arena.core.game import JSON

from .forward_model import ForwardModel, Playouts, Position

SHARE = 1 / 3
"""The part of the time for one move that `search` takes if it isn't told a time."""
LONGEST = 200
"""Decisions after which a playout is broken off."""
_LARGEST_BATCH = 16
"""The most worlds guessed at once: guesses in batches are faster, but take longer until the time is looked at."""
_GUESSES_FOR_CANDIDATES = 8
"""The most guesses that candidates come from, none of which is among the worlds in which they are compared."""
_FEWEST = 16
"""Worlds after which a move can be given up because it is clearly behind."""
_CLEARLY = 4.0
"""Standard errors by which it is behind then."""


@dataclass(slots=True)
class Candidate:
    """A move that was tried."""

    move: JSON
    leads: list[float]
    """By how many points the seat led the mean of the others at the end of each playout. All candidates were tried in
    the same worlds in the same order, with the same chance; those given up early have fewer."""

    @property
    def worlds(self) -> int:
        """The number of worlds in which it was tried."""
        return len(self.leads)

    @property
    def value(self) -> float:
        """The mean of the leads; minus infinity without any."""
        return sum(self.leads) / len(self.leads) if self.leads else -inf

    @property
    def error(self) -> float:
        """The standard error of the value; infinite for fewer than two worlds."""
        return _error(self.leads)

    def behind(self, other: "Candidate") -> tuple[float, float]:
        """Return by how many points it is worse than another in the worlds that both were tried in, and the error.

        This error is smaller than that of either value, since much of the luck is common to both.
        """
        lost = [its - own for its, own in zip(other.leads, self.leads, strict=False)]
        return (sum(lost) / len(lost) if lost else inf), _error(lost)


def _error(figures: list[float]) -> float:
    """Return the standard error of a mean."""
    count = len(figures)
    if count < 2:
        return inf
    mean = sum(figures) / count
    return sqrt(sum([(one - mean) ** 2 for one in figures]) / (count - 1) / count)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found."""

    candidates: tuple[Candidate, ...]
    """Best first: those that were tried longest, by their values."""

    @property
    def move(self) -> JSON:
        """The best move."""
        return self.candidates[0].move


def search(
    model: ForwardModel,
    ask: Mapping[str, Any],
    seconds: float | None = None,
    worlds: int | None = None,
    decisions: int | None = LONGEST,
) -> Found:
    """Return what is found for one question, within so many seconds or in so many worlds.

    Without either, it takes a third of the time for one move. It always finds a move; with little time, it is one
    guess and one playout late. With `worlds` alone the result follows from `game.rng`; the best move is tried in all
    of them. `decisions` limits each playout.
    Where the question lists no legal moves, the game's `candidates` are compared; other seats that decide at the
    same time move by the policy.
    Raises ArenaError if the game can't guess (`model.can_guess`), and ValueError if no state fits what was seen.
    """
    began = monotonic()
    if seconds is None and worlds is None:
        seconds = SHARE * ask["time"]["move_ms"] / 1000
    end = inf if seconds is None else began + seconds
    seat, rules, rng = model.game.seat, model.rules, model.game.rng
    (here,) = model.guesses(ask, 1)
    if ask.get("legal") is None:
        different: dict[Any, None] = {}
        for _ in range(_GUESSES_FOR_CANDIDATES):
            before = len(different)
            different |= dict.fromkeys(model.foresight.candidates(here.state, seat, rng))
            if len(different) == before or before >= MOST_CANDIDATES:
                break
            (here,) = model.guesses(ask, 1)
        parsed = list(different)[:MOST_CANDIDATES]
    else:
        parsed = [rules.parse_move(here.state, seat, raw) for raw in ask["legal"]]
        usual = model.foresight.policy(here.state, seat, rng)
        parsed.sort(
            key=lambda move: move != usual
        )  # it comes first, and is made if there is no time for anything
    tried = [(move, Candidate(rules.format_move(move), [])) for move in parsed]
    phases = max(1, ceil(log2(len(tried))))
    playouts = Playouts(rules, model.foresight, decisions)
    guessed = _in_batches(model, ask)
    left = tried
    for phase in range(phases):
        if len(left) == 1:
            break
        until = inf if seconds is None else began + seconds * (phase + 1) / phases
        # The worlds of a phase are twice those of the one before, as there are half as many moves.
        most = inf if worlds is None else max(1, worlds * (2 ** (phase + 1) - 1) // (2**phases - 1))
        while left[0][1].worlds < most and monotonic() < until:
            world = next(guessed)
            if world is None:
                break
            chance = rng.randrange(1 << 32)
            leads: list[float] = []
            for move, _ in left:
                if leads and monotonic() > end:
                    break
                leads.append(playouts.lead_after(world.state, seat, move, chance))
            else:
                for (_, candidate), lead in zip(left, leads, strict=True):
                    candidate.leads.append(lead)
        left = sorted(left, key=lambda one: -one[1].value)
        best = left[0][1]
        left = [one for one in left[: (len(left) + 1) // 2] if one[1] is best or not _clearly(one[1], best)]
    return Found(tuple(sorted([one for _, one in tried], key=lambda one: (-one.worlds, -one.value))))


def _clearly(candidate: Candidate, best: Candidate) -> bool:
    """Return whether a candidate is so far behind that more worlds won't help it."""
    lost, error = candidate.behind(best)
    return candidate.worlds >= _FEWEST and lost > _CLEARLY * error


def _in_batches(model: ForwardModel, ask: Mapping[str, Any]) -> Iterator[Position | None]:
    """Yield guesses without end, a few at a time; None while no more are found."""
    count = 1
    while True:
        try:
            yield from model.guesses(ask, count)
        except ValueError:
            yield None
        count = min(2 * count, _LARGEST_BATCH)
