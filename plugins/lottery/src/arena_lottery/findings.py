"""What the lottery finds, as plain values without numpy."""

from msgspec import Struct


class Weight(Struct, frozen=True):
    """What an entry has in the maximal lottery."""

    entry_no: int
    weight: float
    """From 0 to 1; all weights add up to 1."""
    margin: float
    """Against an entry drawn from the lottery, −1 to 0: 0 if it has a weight."""
    low: float | None
    """Lower end of the interval of the weight; None without samples."""
    high: float | None
    drawn: float | None
    """In how many of the samples it has a weight, from 0 to 1; None without samples."""


class Lottery(Struct, frozen=True):
    """The maximal lottery of a league."""

    weights: tuple[Weight, ...]
    pairs_unmet: int
    draws: int
    """Number of samples; 0: there are none."""
