"""Comparisons of two versions, and forecasts of how many matches tell two bots apart."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import field

from results.analysis.race import Race, Why
from results.analysis.sequential_test import Answer, Doubt
from results.analysis.tuning import Slice
from results.base.text import counted
from results.records.roster import Outcome
from results.reports.columns import Column, ReportRow


def outcome_in_words(outcome: Outcome) -> str:
    """Return what was found, in a sentence or two."""
    x = f"{outcome.difference:g}"
    found = {
        "better": f"{outcome.new} is better than {outcome.old}.",
        "worse": f"{outcome.new} is worse than {outcome.old}.",
        "no difference": f"{outcome.new} and {outcome.old} differ by less than {x} in mean share.",
        "best": f"{outcome.new} is the best: better than {outcome.old}, and no other is better than it by {x}.",
        "none better": f"No variant is better than {outcome.old} by {x}; {outcome.new} came closest.",
        None: f"Undecided so far whether {outcome.new} is better than {outcome.old}.",
    }[outcome.answer]
    if outcome.estimate is None:
        return found
    sure = f"{100 * (1 - outcome.error_rate):g} % interval"
    ahead = (
        f"{abs(outcome.estimate):.3f} {'below' if outcome.estimate < 0 else 'above'} that of {outcome.old}"
    )
    ends = f"{outcome.low:+.3f} to {outcome.high:+.3f}".replace("-", "−")
    rests = counted(outcome.matches, "match", "matches")
    return f"{found} The mean share of {outcome.new} is {ahead} ({sure} {ends}, {rests})."


class ComparisonRow(ReportRow, frozen=True, kw_only=True):
    """The current state of one comparison."""

    comparison: Annotated[str, Column()]
    game: Annotated[str, Column()]
    ruleset: Annotated[str, Column()]
    old: Annotated[str, Column()]
    new: Annotated[str, Column()]
    others: Annotated[tuple[str, ...], Column(drawn=lambda row: ", ".join(row.others))]
    """Labels of the two bots, and of the others at the table."""
    answer: Annotated[Answer | None, Column()]
    """None if there is no answer yet, or the budget ran out without one."""
    estimate: Annotated[float | None, Column(decimals=3)]
    """The new version's mean share of a game minus the old one's, −1 to 1; None before the first match."""
    low: Annotated[float, Column(decimals=3)]
    high: Annotated[float, Column(decimals=3)]
    """The ends of the interval that contains the difference, with probability 1 − error rate."""
    difference: Annotated[float, Column("X", 3)]
    """X in the question, as a difference of mean shares: smaller differences don't matter."""
    error_rate: Annotated[float, Column(decimals=3)]
    """How often, at most, the answer may be wrong, as a fraction of 1."""
    matches: Annotated[int, Column()]
    games: Annotated[int, Column()]
    """Matches behind the answer."""
    games_played: Annotated[int, Column()]
    """All games; some may have finished too late for the answer."""
    forfeits_old: Annotated[int, Column()]
    forfeits_new: Annotated[int, Column()]
    """Games that each bot forfeited, out of those counted for the answer."""
    forecast_matches: Annotated[float | None, Column("expected", 0)] = None
    """How many matches the comparison was expected to take if the true difference is X; None: not known."""
    forecast_most: float | None = None
    """Nine comparisons of ten take at most so many then."""
    forecast_matches_equal: float | None = None
    """How many it was expected to take if the two are equal."""
    luck_share_percent: float | None = field(name="luck_share", default=None)
    """The luck that the forecast is based on: the standard deviation of a match's result, in percent of a share."""
    luck_from: str | None = None
    """Where that is known from: `comparisons`, `store`, `game`, or `random players`."""
    luck_matches: int | None = None
    """From how many matches."""
    doubts: Annotated[tuple[Doubt, ...], Column(drawn=lambda row: ", ".join(row.doubts))] = ()
    """Signs that matches weren't independent and alike, as the answer supposes: `dependent`, `drift`, `early`."""
    more_matches: Annotated[float | None, Column("more", 0)] = None
    """How many more matches an answer is expected to take, judged by the results so far; None if there is one."""


class RaceRow(ReportRow, frozen=True, kw_only=True):
    """The current state of one variant of a race."""

    variant: Annotated[str, Column(priority=0)]
    state: Annotated[str, Column(priority=0, wide=True)]
    """`best`, `better` than the base so far, `running`, or why it is out."""
    estimate: Annotated[float | None, Column("ahead", 3, priority=1)]
    """Its mean share less that of the base, −1 to 1; None before its first deal."""
    low: Annotated[float, Column("at least", 3, priority=2, drawn=lambda row: _bound(row.low))]
    high: Annotated[float, Column("at most", 3, priority=2, drawn=lambda row: _bound(row.high))]
    """The ends of the interval that contains the difference, with probability 1 − error rate, of it alone."""
    deals: Annotated[int, Column(priority=3)]
    """On which it is judged."""
    forfeits: Annotated[int, Column(priority=4, only_if=lambda row: row.forfeits)]
    """Games that it forfeited."""
    race: str
    game: str
    ruleset: str
    base: str
    answer: str | None
    """`best`, `none better`, or None: there is no answer yet, or the budget ran out without one."""
    difference: float
    """X: smaller differences don't matter."""
    error_rate: float
    """How often, at most, a race names a variant that isn't better than the base, as a fraction of 1."""
    games: int
    """All games of the race that are judged."""


def _bound(end: float) -> str:
    """Return an end of an interval, unless it says nothing."""
    return f"{end:.3f}" if abs(end) < 0.9995 else "–"


def race_rows(
    race: Race, labels: Sequence[str], forfeits: Callable[[int], int], /, **about: Any
) -> list[RaceRow]:
    """Return the variants of a race, the best first, those that are out at the end; `about`: what all rows share."""
    out = {one: (race.dropped[one].deals if one in race.dropped else race.deals + 1) for one in race.tests}
    order = sorted(race.tests, key=lambda one: (-out[one], -(race.tests[one].estimate or 0.0), one))
    rows = []
    for one in order:
        test, dropped = race.tests[one], race.dropped.get(one)
        if dropped is not None:
            state = f"out: {_OUT[dropped.why]}".replace("X", f"{race.question.difference:g}")
            state = state.replace("LEADER", labels[dropped.behind] if dropped.behind else "")
        elif one == race.best:
            state = "best"
        else:
            state = "better so far" if one in race.proven else "running"
        low, high = test.interval()
        rows.append(
            RaceRow(
                variant=labels[one],
                state=state,
                estimate=test.estimate,
                low=low,
                high=high,
                deals=test.matches,
                forfeits=forfeits(one),
                base=labels[0],
                difference=race.question.difference,
                error_rate=race.question.error_rate,
                **about,
            )
        )
    return rows


_OUT = {
    Why.NOT_BETTER: "not better by X",
    Why.BEHIND: "behind LEADER",
    Why.NOT_BETTER_THAN_BEST: "not better than LEADER by X",
}


class TuneRow(ReportRow, frozen=True, kw_only=True):
    """One parameter of a tune as it stands."""

    parameter: Annotated[str, Column(priority=0)]
    was: Annotated[float, Column("now", drawn=lambda row: f"{row.was:g}", priority=1)]
    """The value in bot.toml."""
    found: Annotated[float, Column(drawn=lambda row: f"{row.found:g}", priority=0)]
    """The answer so far."""
    low: Annotated[float, Column("lowest", drawn=lambda row: f"{row.low:g}", priority=5)]
    high: Annotated[float, Column("highest", drawn=lambda row: f"{row.high:g}", priority=5)]
    """Between which it is turned."""
    at_low: Annotated[
        float, Column("at lowest", drawn=lambda row: plus_minus(row.at_low, row.error_low), priority=3)
    ]
    error_low: float
    at_high: Annotated[
        float, Column("at highest", drawn=lambda row: plus_minus(row.at_high, row.error_high), priority=3)
    ]
    error_high: float
    """The mean share at its ends less that at the answer, with the others at theirs, each with its standard error."""
    state: Annotated[str, Column(priority=2, wide=True)]
    """`matters`, `flat`: less than X anywhere, with 95 % confidence; or `not known`."""
    tune: str
    game: str
    ruleset: str
    games: int
    """All games of the tune that are judged."""
    answer: str | None = None
    """Of the comparison of all values found with those of now; None as long as there is none."""


MATTERS, FLAT, NOT_KNOWN = "matters", "flat", "not known"


def state_of(slice_: Slice, x: float) -> str:
    """Return what is known of a parameter: whether it changes the share at all, or by less than X anywhere."""
    if slice_.most() < x:
        return FLAT
    pairs = zip(slice_.shares, slice_.errors, strict=True)
    return MATTERS if any(abs(share) > Z_ALL * error > 0 for share, error in pairs) else NOT_KNOWN


Z_ALL = 2.8
"""For 11 places of one parameter together, at 5 %."""


def plus_minus(share: float, error: float) -> str:
    """Return a share with its standard error.

    >>> plus_minus(-0.1234, 0.02)
    '−0.12 ± 0.02'
    """
    return f"{share:+.2f} ± {error:.2f}".replace("-", "−")
