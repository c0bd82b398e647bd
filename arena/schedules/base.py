"""What a schedule is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from arena.core.rotation import Rotations
from results.ratings.base import USUAL, Rating, Scale

MOST_AT_ONCE = 4096
"""Matches that a schedule gives at once, at most: planning more would take long, and much memory."""


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, and at tables of what sizes."""

    entries: tuple[int, ...]
    """Entry numbers, in the order of the league file."""
    seats: tuple[int, ...]
    """Table sizes: one, or an explicit mix in which every entry plays the same proportion."""
    authors: Mapping[int, str] = field(default_factory=dict)
    """Who wrote an entry's bot, by entry number; where versions of one author may share a table, nobody is named."""
    scale: Scale = USUAL
    """What ratings mean."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """What entries are called, by entry number, as far as that is known yet."""
    starts: Mapping[int, Rating] = field(default_factory=dict)
    """By entry: where its rating starts, as far as that is known yet."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A match whose result a schedule may see."""

    match_no: int
    round_no: int
    entries: tuple[int, ...]
    shares: tuple[int, ...] | None
    """Of each entry, summed over the match's games, in units of 1 / `results.scoring.UNIT`; None: the match is void."""
    games: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a schedule may know of the league so far."""

    planned: int
    """Matches planned already; the next one gets this number."""
    seen: int = 0
    """Results of the matches before this number are in what follows, and of no others."""
    matches: Mapping[int, int] = field(default_factory=dict)
    """By entry: how many matches are planned with it, played or not."""
    unseen: Mapping[int, int] = field(default_factory=dict)
    """By entry: how many of these are not among the matches seen; none where an entry is missing."""
    pairs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By pair of entries, the lower number first: how many matches are planned with both."""
    seated: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By entry and table size: how many matches are planned with it at tables of that size; where sizes are mixed."""
    ratings: Mapping[int, Rating] = field(default_factory=dict)
    """By entry: its rating after the matches seen."""
    tally: Any = None
    """The schedule's own `Tally` of the matches seen, to be read only; None where it keeps none."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to be played: the table's entries; the league shuffles the starting circle."""

    round_no: int
    entries: tuple[int, ...]
    why: str = ""
    """One line for people, where there is something to say; the league puts the label of entry 3 in place of `#3`."""


class Schedule(Protocol):
    """A way of pairing. `settings` is the type of its table in the league file."""

    name: str
    settings: type[Struct]

    def tally(self, field: Field, settings: Any) -> "Tally | None":
        """Return a tally of no match yet; None where counts and ratings are all that the schedule goes by."""

    def sees(self, field: Field, settings: Any, planned: int) -> int:
        """Return how many matches must have their results in before the match of number `planned` can be made.

        Exactly these are in the summary that it is then made from, so that the same results give the same league,
        however many workers there are. 0 for a schedule that does not adapt; at most `planned`; never falls.
        """

    def next_matches(self, field: Field, settings: Any, summary: Summary) -> tuple[Pairing, ...] | None:
        """Return the next matches in order, one at least; None: the league is complete.

        Depends on nothing but its arguments: the same arguments give the same matches.
        """

    def total(self, field: Field, settings: Any) -> int | None:
        """Return how many matches there will be in all, where that is known beforehand."""


class Tally(Protocol):
    """What a schedule keeps of the results: sums, which don't grow with the number of matches."""

    def add(self, match: Finished) -> None:
        """Take in the next match, void ones among them. They come in order, each once."""


@runtime_checkable
class Checked(Protocol):
    """A schedule that not every field and every settings fit."""

    def check(self, field: Field, settings: Any) -> None:
        """Raise UsageError where field and settings do not fit. Asked before anything else, and before a match is made.

        A message may begin with the key at fault: `schedule.rounds: …`, `seats: …`.
        """


@runtime_checkable
class Rotated(Protocol):
    """A schedule that goes best with rotations of its own choice, where the league file names none."""

    rotations: Rotations


@runtime_checkable
class Sized(Protocol):
    """A schedule that sets tables of other sizes than those of the field, too."""

    def sizes(self, field: Field, settings: Any) -> Mapping[int, int | None]:
        """Return by table size how many matches there will be in all; None where that is not known beforehand."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where an entry stands by the rules of a format, which may not be where its rating puts it."""

    place: int
    """From 1; equals share one."""
    entry: int
    points: float
    """Of the format's own counting."""
    byes: int = 0
    """Rounds that it did not have to play."""
    note: str = ""
    """What else decided, in words for people; `#3` stands for entry 3."""


@runtime_checkable
class Placed(Protocol):
    """A schedule whose format has an order of its own, beside the ratings."""

    def placing(self, field: Field, settings: Any, results: Iterable[Finished]) -> tuple[Placing, ...]:
        """Return every entry, best first, as the matches so far have it; `results` are in order, without gaps."""
