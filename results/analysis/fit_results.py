"""What analyses measure and find, as plain values: they can be cached and read without numpy."""

from enum import StrEnum

from msgspec import Struct


class Measure(StrEnum):
    """What a result of a seat is."""

    SCORES = "scores"
    """Its score, in points; of a forfeit the stated one."""
    SHARES = "shares"
    """The share of its rank, in percent: of the opponents at the table, how many it finished above, ties as halves."""


class Strength(Struct, frozen=True):
    """The fitted strength of one entry."""

    entry_no: int
    value: float
    """Above (negative: below) the mean of the entries that it is connected with by matches: by places in Elo points, by
    least squares in the unit of the results."""
    low: float | None
    """Lower end of the interval, at most `value`; None if it has fewer than two matches, or nothing scatters."""
    high: float | None
    """Its upper end, at least `value`."""
    above: tuple[int, ...] | None
    """Numbers of the entries that it is stronger than, each told apart at `CONFIDENCE`; None without an interval."""
    above_familywise: tuple[int, ...] | None = None
    """The same at `CONFIDENCE` for all pairs of the league together; None without an interval."""
    share: float | None = None
    """By places: expected share against an entry at the mean, ties as halves, from 0 to 1."""
    drift: float | None = None
    """How much it changed from the first half of its matches to the second, in the unit of `value`; None if that may be
    chance, at `CONFIDENCE` for all entries together."""
    behind_half: float | None = None
    """Half of the interval of its difference to the next stronger entry, from deals that both played; None unless
    scores of tables are compared, and for the strongest."""

    @property
    def half(self) -> float | None:
        """Half the width of the interval; None without one."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class Fit(Struct, frozen=True):
    """The strengths of all entries that have played."""

    strengths: tuple[Strength, ...]
    pairs: int = 0
    """Number of pairs that can be compared: both with intervals and connected by matches."""
    pairs_apart: int = 0
    pairs_apart_familywise: int = 0
    drawn_together: bool = False
    """Whether the strengths are drawn together, as the results decided who met whom."""
