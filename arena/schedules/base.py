"""What a schedule is."""

from dataclasses import dataclass
from typing import Any, Protocol

from msgspec import Struct


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, and at tables of what sizes."""

    entries: tuple[int, ...]
    """Entry numbers, in the order of the league file."""
    seats: tuple[int, ...]
    """Table sizes: one, or an explicit mix in which every entry plays the same proportion."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a schedule may know of the league so far."""

    planned: int
    """Matches planned already; the next one gets this number."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to be played: the table's entries; the league shuffles the starting circle."""

    round_no: int
    entries: tuple[int, ...]
    why: str = ""
    """One line for people, where there is something to say."""


class Schedule(Protocol):
    """A way of pairing. `settings` is the type of its table in the league file."""

    name: str
    settings: type[Struct]

    def next_matches(self, field: Field, settings: Any, summary: Summary) -> tuple[Pairing, ...] | None:
        """Return the next matches in order; an empty tuple: wait for results; None: the league is complete.

        Depends on nothing but its arguments: the same arguments give the same matches.
        """

    def total(self, field: Field, settings: Any) -> int | None:
        """Return how many matches there will be in all, where that is known beforehand.

        Raises UsageError where the field and the settings do not fit.
        """
