"""Comparisons of two versions: what was asked, what came out, and on how many games it rests."""

from results.analysis.comparison import Answer
from results.reports.rows import ReportRow


class ComparisonRow(ReportRow, frozen=True, kw_only=True):
    """One comparison, as far as it has come."""

    comparison: str
    """Name of its league."""
    game: str
    ruleset: str
    old: str
    new: str
    others: tuple[str, ...]
    """Labels of the two, and of those at the table with them."""
    answer: Answer | None
    """None while there is none, or the budget was spent without one."""
    estimate: float | None
    """The new version's mean share of a game minus the old one's, −1 to 1; None before the first match."""
    low: float
    high: float
    """The ends of the interval in which that difference lies, but for the error rate."""
    difference: float
    """X of the question, as a difference of mean shares: smaller ones do not matter."""
    error_rate: float
    """Of 1: how often, at most, the answer may be wrong."""
    matches: int
    games: int
    """That the answer rests on."""
    games_played: int
    """Of which some may have come too late for the answer."""
    forfeits_old: int
    forfeits_new: int
    """Games that each forfeited, of those that were judged."""
