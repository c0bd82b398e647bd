"""The table of rankings: its rows, and what is known of all of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, takewhile
from typing import Annotated, NamedTuple, Protocol

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from results.base.text import decimals_of
from results.ratings.base import Scale
from results.reports.columns import Column, ColumnGroup, ReportRow, columns_of, keys_of
from results.reports.fits import MOST_TO_TELL, FitBy, FitSummary, FitUnit
from results.reports.history import Moved, Movement
from results.reports.league_states import EntryState
from results.reports.leagues import LeagueSummary


class Strength(ColumnGroup, frozen=True, kw_only=True):
    """The strength of an entry by the fit."""

    value: float = field(name="fit_value")
    """Above the mean, in the unit."""
    low: float | None = field(name="fit_low")
    high: float | None = field(name="fit_high")
    """The ends of its 95 % interval; None without an interval."""
    unit: FitUnit = field(name="fit_unit")
    share_percent: float | None = field(name="fit_share")
    """Expected share of a game against a bot at the mean, ties as halves, in percent (0 to 100); None unless the fit
    is by places."""
    rank: int | None = field(name="fit_rank")
    """By the fit, among the entries that have a rank."""
    through: int = field(name="fit_through")
    """The fit is based on all matches below this number."""

    @property
    def half(self) -> float | None:
        """Half the width of the interval; None without one."""
        return None if self.low is None or self.high is None else self.high / 2 - self.low / 2


class Claims(ColumnGroup, frozen=True, kw_only=True):
    """What the intervals of the fit claim about an entry and others."""

    above: tuple[str, ...] = field(name="fit_above")
    """Labels of the entries that it is stronger than, each pair told apart at 95 %."""
    above_familywise: tuple[str, ...] = field(name="fit_above_familywise")
    """The same at 95 % for all pairs of the league together."""
    apart: bool | None
    """Whether it is certain, at 95 %, which is stronger, this entry or the one above; None for the first entry."""
    apart_familywise: bool | None
    place_best: int | None = field(name="fit_place_best")
    """The best place by strength that it may have, among the entries that have a rank; with 95 %, all entries are
    between their best and worst places."""
    place_worst: int | None = field(name="fit_place_worst")
    matches_to_tell: int | None
    """About how many matches the league needs in all to tell it apart from the entry above, pair by pair, in four
    leagues of five, if the two are as far apart as they look. None for the first entry, if they are told apart, and
    beyond `MOST_TO_TELL`."""
    disputes: tuple[str, ...]
    """Labels of the entries ranked above it that are certainly weaker by the fit."""
    drift: float | None = field(default=None, name="fit_drift")
    """How much its strength changed from the first half of its matches to the second; None if that may be chance."""


class Scores(ColumnGroup, frozen=True, kw_only=True):
    """The scores of an entry's games, where scores of tables are compared."""

    mean: float = field(name="score_mean")
    median: float | None = field(name="score_median")
    """This and the best are None if only some matches are counted."""
    best: int | float | None = field(name="score_best")
    behind: float | None = field(name="score_behind")
    """How far its strength is behind that of the entry above, by deals that both played; None for the first, and
    without a fit in this order."""
    behind_low: float | None = field(name="score_behind_low")
    behind_high: float | None = field(name="score_behind_high")
    """The ends of the 95 % interval of that."""


class Placing(Protocol):
    """Where an entry stands by the rules of its league's format; the other fields are those of `FormatStanding`."""

    @property
    def place(self) -> int:
        """From 1; equal entries share a place."""

    @property
    def points(self) -> float:
        """As counted by the format."""


class MoveCost(ColumnGroup, frozen=True, kw_only=True):
    """What the moves of an entry cost it: by how many points another move would have been better, on average."""

    price: float
    """In points a decision."""
    low: float | None = field(name="price_low")
    high: float | None = field(name="price_high")
    """The ends of its 95 % interval; None from a single game."""


class FormatStanding(ColumnGroup, frozen=True, kw_only=True):
    """Where an entry stands by the rules of its league's format, such as a Swiss."""

    points: float
    byes: int
    tie_breaks: Mapping[str, float]
    note: str = field(name="how")
    """How far it got, in a line for people; empty if points say it."""


class RankingRow(ReportRow, frozen=True, kw_only=True):
    """One entry. Entries with too few matches for a rank come last and have the rank None.

    Entries that have been retired or replaced are where their rating puts them, and have no rank.

    Columns:
        matches: Matches played; a match is all games on one deal
        games: Games played
        wins: Games won; a win shared among k counts 1/k
        share_percent: Mean share of the opponents at the table that it finished above, a tie counting half
        faults: Games it forfeited
    """

    rank: int | None
    label: str
    mu: float | None
    """The value that rankings are ordered by; None, as σ, in a table without ratings, ordered by share or scores."""
    sigma: float | None
    """None if the rating system has none."""
    matches: Annotated[int, Column(decimals=0, priority=5)]
    games: Annotated[int, Column(decimals=0, priority=7, quiet=True)]
    wins: Annotated[float, Column(decimals=1, priority=3)]
    share_percent: Annotated[float | None, Column(decimals=1, priority=4)] = field(name="share")
    faults: Annotated[int, Column(priority=6)]
    strength: Strength | None
    claims: Claims | None
    scores: Scores | None = None
    """None unless scores of tables are compared."""
    standing: FormatStanding | None = None
    """None if the league's format has no standings of its own."""
    needs: int
    """Number of matches still needed for a rank."""
    retired: bool
    version: str | None
    """`author/bot@3`; None for a player that isn't a submitted bot."""
    state: EntryState = "active"
    state_why: str = ""
    """Why it is paused or benched, or the label of the entry that replaced it."""
    is_new: bool = field(default=False, name="new")
    """It joined while the league ran, and its place is less sure than the others': `standings.newcomers`."""
    joined_match: int | None = None
    """The first match that it could play; None: it was there from the start."""
    cost: MoveCost | None = None
    """None if none of its moves has a price, or nobody asked."""
    moved: Moved | None = None
    """Since the moment since which movement is shown; None if it isn't."""

    @property
    def is_undecided(self) -> bool:
        """Whether it is not told apart from the entry above, pair by pair."""
        return self.claims is not None and self.claims.apart is False


RESULT_COLUMNS = columns_of(RankingRow)
"""What an entry has played and won, for terminals and pages. Pages show those with a help text."""


class Undecided(NamedTuple):
    """Two neighbours that are not told apart."""

    upper: str
    lower: str
    """Their labels."""
    matches: int | None
    """As `Claims.matches_to_tell`."""


class Counted(Struct, frozen=True):
    """How many matches are counted."""

    matches: int
    of: int
    """How many there are."""


class Rankings(Struct, frozen=True, kw_only=True):
    """The rankings of a league, with general information about them."""

    league: LeagueSummary
    scale: Scale
    rows: tuple[RankingRow, ...]
    least_matches: int
    """With fewer matches, an entry has no rank."""
    rated_matches: int
    """Number of matches counted in the rankings."""
    rating_stopped_at: int | None
    """The finished match at which the rating system failed, so that the rankings end before it."""
    waiting_games: int
    """Games that are not rated yet, as their match or an earlier one is unfinished."""
    fit: FitSummary | None
    fit_by: FitBy = FitBy.PLACES
    """What the fit is by, or would be."""
    by_fit: bool = False
    """Whether they are ordered by the fit, see `deciding_order`."""
    by_share: bool = False
    """Whether they are ordered by the mean share, as in a round robin."""
    is_rated: bool = True
    """Whether the entries have ratings; without, they are ordered by share."""
    counts_scores: bool = False
    """Whether scores of tables are compared: entries have mean scores instead of ratings, wins and shares."""
    moves: bool = False
    """Whether the league's field has ever changed, or will."""
    recount: Counted | None = None
    """The matches that were counted, if not all are."""
    movement: Movement | None = None
    """Since when movement is shown."""
    circles: tuple[Annotated[tuple[str, ...], Meta(min_length=2)], ...] = ()
    """Labels of bots that surely beat each other in a circle: each the next, and the last the first."""
    contradictions: tuple[tuple[str, str], ...] = ()
    """Labels of a bot that surely beats another, and of that one, which the fit surely places above it."""
    undecided: tuple[Undecided, ...] = ()
    """The neighbours that are not told apart, pair by pair; those first that would be told soonest."""
    chosen: bool = False
    """Whether the results decide who meets whom, as on a ladder."""
    own_standings: str | None = None
    """The format, such as `Swiss`, if they are in the order of its own standings."""
    lacks_standings: bool = False
    """Whether a format decides who has won, but its standings can't be counted here."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns in JSON and CSV."""
        left_out = (
            *(() if self.is_rated else ("mu", "sigma", "strength", "claims")),
            *(() if self.moves else ("state", "state_why", "is_new", "joined_match")),
            *(() if self.movement else ("moved",)),
            *(() if any(row.cost for row in self.rows) else ("cost",)),
            *(() if self.own_standings else ("standing",)),
            *(("mu", "sigma", "wins", "share_percent") if self.counts_scores else ("scores",)),
        )
        return keys_of(RankingRow, left_out)


def score_columns(rows: Sequence[RankingRow], decimals: int) -> Iterator[Column]:
    """Yield the columns of scores of tables, means with so many decimals; nothing if those aren't compared."""
    if not any(row.scores for row in rows):
        return
    yield _of_scores(
        "mean",
        Column("mean", decimals, priority=1, help="Mean score of a game; a forfeit counts as the lowest"),
    )
    behind = Column(
        "behind",
        right=True,
        priority=2,
        key="behind",
        drawn=_behind,
        help="Points a game behind the bot above, on the deals that both played, ± half of the 95 % interval",
    )
    if any(map(_behind, rows)):
        yield behind
    if not any(row.scores and row.scores.median is not None for row in rows):
        return
    yield _of_scores(
        "median", Column("median", decimals, priority=3, help="Half of its games have at most this score")
    )
    exact = decimals if decimals == 4 else decimals - 1  # of scores: means have one more, up to 4
    yield _of_scores("best", Column("best", exact, priority=3, help="The highest score of a game"))


def _of_scores(key: str, column: Column) -> Column:
    return replace(column, key=f"score_{key}", drawn=lambda row: getattr(row.scores, key, None))


def _behind(row: RankingRow) -> str:
    """Return how far an entry is behind the one above, with as many decimals as the interval justifies."""
    found = row.scores
    if found is None or found.behind is None:
        return ""
    if found.behind_low is None or found.behind_high is None:
        return f"{found.behind:.1f}"
    half = (found.behind_high - found.behind_low) / 2
    decimals = decimals_of(half) if half else 1
    return f"{found.behind:.{decimals}f}±{half:.{decimals}f}"


def aim_in_words(found: Rankings) -> str:
    """Return what is known of that which a ladder finds out first; empty without such an aim."""
    kind, _, asked = found.league.aim.partition(":")
    if kind == "bot":
        return f"This ladder aims at {asked}."
    if kind != "top" or not asked.isdecimal():
        return ""
    top = int(asked)
    claims = [(row.label, row.claims) for row in found.rows if row.rank is not None and row.claims]
    sure = [label for label, one in claims if one.place_worst is not None and one.place_worst <= top]
    may = [
        label
        for label, one in claims
        if label not in sure and one.place_best is not None and one.place_best <= top
    ]
    if not claims or len(sure) + len(may) < top:
        return f"This ladder aims at the best {top}."
    surely = f"{', '.join(sure)} {'is' if len(sure) == 1 else 'are'} among the best {top}" if sure else ""
    if not may:
        return f"{surely} (95 %)."
    few = f"{', '.join(may[:_MOST_NAMED])}{f' and {len(may) - _MOST_NAMED} more' if len(may) > _MOST_NAMED else ''}"
    if not sure:
        return f"{few} may be among the best {top} (95 %)."
    left = "place" if top - len(sure) == 1 else f"{top - len(sure)} places"
    return f"{surely}; {few} may have the other {left} (95 %)."


_MOST_NAMED = 6
"""Bots in a sentence."""


TIE_BREAKS = {
    "Buchholz": "the points of all its opponents",
    "Sonneborn-Berger": "the points of each opponent, times the bot's share against it",
}
"""What tie-breaks are, as far as they are known; others have only their names."""


def standing_columns(rows: Sequence[RankingRow]) -> Iterator[Column]:
    """Yield the columns of standings by the league's format, by which it orders; nothing if it has none."""
    standings = [row.standing for row in rows if row.standing is not None]
    if not standings:
        return
    yield _of_standing("points", Column("points", 2, priority=1, help="As the format counts them"))
    for name in standings[0].tie_breaks:
        yield Column(
            name.replace("-", "-\n"),
            2,
            priority=2,
            drawn=partial(_tie_break, name),
            key=name,
            page=name,
            help=TIE_BREAKS.get(name, "Decides between equal points"),
        )
    if any(one.byes for one in standings):
        free = "Rounds without an opponent; each is worth 1 point"
        yield _of_standing("byes", Column("byes", right=True, priority=4, help=free))
    if any(one.note for one in standings):
        yield _of_standing(
            "note", Column("how", wide=True, priority=2, page="How far", help="How far it got")
        )


def _of_standing(key: str, column: Column) -> Column:
    return replace(column, key=key, drawn=lambda row: getattr(row.standing, key, None))


def _tie_break(name: str, row: RankingRow) -> float | None:
    return None if row.standing is None else row.standing.tie_breaks.get(name)


def place_range(row: RankingRow) -> str:
    """Return the places that the entry may have by strength; empty without intervals."""
    if row.claims is None or row.claims.place_best is None:
        return ""
    best, worst = row.claims.place_best, row.claims.place_worst
    return str(best) if best == worst else f"{best}–{worst}"


def first_places(rows: Iterable[tuple[int | None, str]]) -> tuple[str, ...]:
    """Return the labels of those who are first; none if that says nothing. `rows`: rank and label of every entry."""
    ranked = [(rank, label) for rank, label in rows if rank is not None]
    first = tuple(label for rank, label in ranked if rank == 1)
    return () if len(first) == len(ranked) else first


def winner(found: Rankings) -> tuple[str, ...]:
    """Return who has won a finished league as a sentence in parts, labels in turn with words; none while it runs."""
    if found.league.state != "finished" or found.recount or found.lacks_standings:
        return ()
    ranked = [row for row in found.rows if row.rank is not None]
    first = first_places((row.rank, row.label) for row in ranked)
    if len(first) != 1:
        return (*_listed(first), " share first place") if first else ()
    below = takewhile(lambda row: row.is_undecided, ranked[1:])
    stronger = ranked[0].claims.above if ranked[0].claims else ()
    tied = [row.label for row in below if row.label not in stronger]
    if not tied:
        return (*first, " is first" if found.by_share and found.fit is None else " wins")
    more = (tied[0], f" and {len(tied) - 1} more") if len(tied) > 2 else _listed(tied)
    return (*first, " is first, statistically tied with ", *more)


def _listed(labels: Sequence[str]) -> list[str]:
    """Return labels with what stands between them."""
    found = [part for label in labels for part in (", ", label)][1:]
    return [*found[:-2], " and ", found[-1]] if len(labels) > 1 else found


def undecided(rows: Sequence[RankingRow]) -> tuple[Undecided, ...]:
    """Return the neighbours in all rows that are not told apart; those first that would be told soonest."""
    found = [
        Undecided(upper.label, lower.label, lower.claims.matches_to_tell)
        for upper, lower in pairwise(row for row in rows if row.rank is not None)
        if lower.claims is not None and lower.is_undecided
    ]
    return tuple(sorted(found, key=lambda pair: pair.matches or MOST_TO_TELL + 1))


def is_against_shares(rows: Sequence[RankingRow]) -> bool:
    """Return whether an entry is ranked above one with a higher share."""
    shares = [row.share_percent or 0.0 for row in rows if row.rank is not None]
    return any(later > earlier for earlier, later in pairwise(shares))
