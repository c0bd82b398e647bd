"""Tunes: an unrated league whose entries are one version with other values of its parameters, a few at each step.

A step seats mirrored pairs at one table (`results.analysis.tuning`) for a few deals; then others join, at the point to
which the results led, and they leave. So all that a tune knows is in the ledger, and the same results give the same
entries, whatever interrupts it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from arena.core.errors import UsageError
from arena.league.end_rules import EndRule
from arena.schedules.base import Finished, Pairing
from arena.submissions.manifest import Parameter, argument
from results.analysis.tuning import AHEAD_STEPS, Point, Slice, Tuner, slices
from results.base.scoring import UNIT
from results.records import EntrySpec, VersionRecord

STEP_DEALS = 4
"""Deals that the pairs of a step play: more mean fewer starts of bots, and fewer steps for as many games."""


def lead(entries: Sequence[int], shares: Sequence[int], games: int, one: int, other: int) -> float:
    """Return one entry's mean share of a match's games minus another's; `shares` are sums in 1 / `scoring.UNIT`."""
    by_entry = dict(zip(entries, shares, strict=True))
    return (by_entry[one] - by_entry[other]) / (UNIT * games)


def games_for(parameters: int, seats: int) -> int:
    """Return how many games a tune should have: enough for 90 % of a gain of 0.10 in simulations, see docs/tuning.md.

    Tables of two tell less: the result of a game there depends more on luck, and there is one pair at each.
    """
    return int(round(GAMES_FOR_TWO[seats >= 4] * float((parameters / 2) ** 1.2), -2))


GAMES_FOR_TWO = 4_000, 1_500
"""For two parameters, at tables of two or three and at larger ones."""


class Tuning(EndRule):
    """The end rule of a tune: chooses who plays next, and ends it if the bot doesn't read a parameter."""

    ends_run = True

    def __init__(
        self,
        parameters: Mapping[str, Parameter],
        version: VersionRecord,
        seats: int,
        budget_games: int | None = None,
        plays_alike: Callable[[int], bool] = lambda _: False,
    ) -> None:
        """Begin; `plays_alike` returns whether all games of a match had the same moves at each seat."""
        self.start: Point = tuple(one.place(one.value) for one in parameters.values())
        # A spread of less than half a step of a whole number would try the same value twice.
        least = [
            0.51 / (one.high - one.low) if one.integer and not one.log else 0.0 for one in parameters.values()
        ]
        self.parameters = parameters
        self.tuner = Tuner(self.start, seats // 2, least)
        self.answer: None = None
        self.judged = 0
        """Number of matches judged, including void ones: those with lower numbers than this."""
        self.unread: list[str] = []
        """Parameters that change nothing."""
        self._version = version
        self._seats = seats
        self._budget_games = budget_games
        self._plays_alike = plays_alike
        self._found: list[list[float]] = [[] for _ in range(seats // 2)]
        """By pair: its results in the matches of this step so far."""

    def values(self, point: Point) -> dict[str, float]:
        """Return the values of the parameters at a point."""
        return {
            name: one.at(place) for (name, one), place in zip(self.parameters.items(), point, strict=True)
        }

    def arguments(self, point: Point) -> tuple[str, ...]:
        """Return the arguments that start the bot at a point."""
        return tuple(argument(name, value) for name, value in self.values(point).items())

    def specs(self, step: int) -> list[EntrySpec]:
        """Return the entries of a step: of each pair both sides; at an odd table also the centre."""
        tuner = self.tuner
        found = []
        for pair, points in enumerate(tuner.points(step)):
            letter = "abcdefgh"[pair] if tuner.pairs > 1 else ""
            for side, point in zip("+-", points, strict=True):
                found.append(EntrySpec(f"{step + 1}{letter}{side}", self._version.id, self.arguments(point)))
        if self._seats % 2:
            found.append(EntrySpec(f"{step + 1}0", self._version.id, self.arguments(tuner.centre_of(step))))
        return found

    def sees(self, planned: int) -> int:
        """Return how many results decide who plays match `planned`."""
        return max(0, planned // STEP_DEALS - AHEAD_STEPS) * STEP_DEALS

    def leaving(self, planned: int) -> list[int]:
        """Return the entries of the step before, once a new one begins."""
        step, within = divmod(planned, STEP_DEALS)
        return [] if within or not step else list(range((step - 1) * self._seats, step * self._seats))

    def joining(self, planned: int, entries: int) -> list[EntrySpec]:
        """Return the entries of a step that begins; none if they are among the first `entries` already."""
        step, within = divmod(planned, STEP_DEALS)
        return [] if within or entries > step * self._seats else self.specs(step)

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the rest of the step; none of a step beyond the budget."""
        rest = STEP_DEALS - matches % STEP_DEALS
        more = rest * games_of(self._seats)
        return pairings[:rest] if self._budget_games is None or games + more <= self._budget_games else ()

    def take(self, match: Finished) -> None:
        """Judge the next match; a step counts once its last match is over."""
        step = self.judged // STEP_DEALS
        first = step * self._seats
        if match.shares is not None:
            for pair, found in enumerate(self._found):
                found.append(
                    lead(match.entries, match.shares, match.games, first + 2 * pair, first + 2 * pair + 1)
                )
        self.judged += 1
        if self.judged % STEP_DEALS:
            return
        turned = self.tuner.looks_at(step)
        if step < len(self.parameters) and turned is not None and self._nothing_changed(step):
            self.unread.append(list(self.parameters)[turned])
        self.tuner.add([sum(found) / len(found) if found else None for found in self._found])
        for found in self._found:
            found.clear()
        if self.unread and self.tuner.steps >= len(self.parameters):
            self.why = "the bot doesn't read a parameter"

    def _nothing_changed(self, step: int) -> bool:
        """Return whether a look found no move that differs."""
        if not any(self._found) or any(result for found in self._found for result in found):
            return False
        return all(self._plays_alike(step * STEP_DEALS + deal) for deal in range(STEP_DEALS))

    def landscape(self) -> dict[str, Slice]:
        """Return what is known along each parameter, with the others at the answer."""
        return dict(zip(self.parameters, slices(self.tuner.looked, self.tuner.best), strict=True))


def refuse_unread(bot: str, unread: Sequence[str], seats: int, parameters: Iterable[str] = ()) -> UsageError:
    """Return the error about parameters that a bot doesn't read, of all that are tuned."""
    read = [name for name in parameters if name not in unread]
    others = f": {' '.join(f'--parameter {name}' for name in read)}" if read else ""
    error = UsageError(
        f"{bot} plays the same whatever the value of {' and '.join(unread)}: from the lowest to the highest, no move "
        f"differs at tables of {seats}",
        f"let the bot read {' and '.join(f'--{name}=VALUE' for name in unread)} from its arguments, in Python by "
        f"parameter({unread[0]!r}) of the kit; if {'that does' if len(unread) == 1 else 'these do'} nothing at such "
        f"tables, tune the others{others}",
    )
    error.exit_code = 3
    return error
