"""What the analyses find, as plain values without numpy."""

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What a term is."""

    TRANSFER = "transfer"
    """The first gains and the second loses, or the other way round if it is negative."""
    ALLIANCE = "alliance"
    """Both gain, or both lose if it is negative."""


class Term(Struct, frozen=True):
    """What a pair does to the results of both, in the unit of the results."""

    kind: Kind
    entry_no: int
    other_no: int
    matches: int
    """At the same table."""
    value: float
    """Transfer: of the difference of their results; alliance: of the result of each."""
    error: float
    usual: float
    """Standard deviation of the terms of this kind among the other pairs, beyond luck."""
    chance: float
    """In which part of honest fields any term would be so large, as far as 1."""
    is_flagged: bool


class Coalitions(Struct, frozen=True):
    """The terms of all pairs that were looked at."""

    terms: tuple[Term, ...]
    """By entry numbers, then kind."""
    pairs_unseen: int
    """Pairs that met, but were not looked at: too few matches, too many pairs, inseparable from the rest, or nearly
    certain who finishes above whom."""


class Company(Struct, frozen=True):
    """An entry, with and without another one."""

    entry_no: int
    other_no: int
    games_with: int
    games_without: int
    share_with: float
    """Mean share of a game, 0 to 1; a forfeit is the last place."""
    share_without: float | None
    """None if it played no game without the other."""
    score_with: float
    score_without: float | None


class OwnAuthor(Struct, frozen=True):
    """An entry at the tables at which its author has another one, and at those where nobody has. Shares are 0 to 1."""

    entry_no: int
    matches: int
    matches_rated: int
    share: float | None
    """Mean share of its games there, as played; None without any."""
    matches_others: int
    """Rated matches at tables at which no two entries have one author."""
    share_others: float | None
    expected: float | None = None
    """What the other tables let expect of its mean share; None, as the next, if they don't tell."""
    difference: float | None = None
    """How much more it took, in the matches for which that is known."""
    error: float | None = None
    chance: float | None = None
    """In which part of honest leagues any entry would differ as much, at most."""
    is_flagged: bool = False
