"""The table of rankings: its rows, what is known of all of them, and its columns in JSON and CSV."""

from msgspec import Struct, field

from results.ratings.base import Scale
from results.reports.fit_cache import AnyFit, FitBy
from results.reports.leagues import LeagueSummary
from results.reports.movement import Movement
from results.reports.neighbours import Undecided
from results.reports.rows import ReportRow, keys_of
from results.reports.selection import Recount
from results.reports.states import EntryState


class RankingRow(ReportRow, frozen=True, kw_only=True):
    """One entry. Entries with too few matches for a rank come last and have the rank None.

    Entries that have been retired or replaced are where their rating puts them, and have no rank.
    """

    rank: int | None
    """From 1, in ranking order; equal ratings share a rank."""
    label: str
    mu: float | None
    """The value that rankings are ordered by; this and σ are None in a table without ratings, ordered by share."""
    sigma: float | None
    """None if the rating system has none."""
    matches: int
    games: int
    wins: float
    """Games won; a win shared among k counts 1/k."""
    share_percent: float | None = field(name="share")
    """Mean share of a game in percent (0 to 100); None before the first."""
    faults: int
    """Games it forfeited."""
    fit_elo: float | None
    """Strength by the fit, in Elo points above the mean; without a fit, this and its other values are None."""
    fit_elo_low: float | None
    fit_elo_high: float | None
    """The ends of its 95 % interval; None without intervals."""
    fit_share_percent: float | None = field(name="fit_share")
    """Expected share of a game against a bot at the mean, ties as halves, in percent (0 to 100)."""
    fit_rank: int | None
    """By the fit, among the entries that have a rank."""
    fit_through: int | None
    """The fit is based on all matches below this number."""
    apart: bool | None
    """Whether it is certain, at 95 %, which is stronger, this entry or the one above; None for the first entry and
    without intervals."""
    disputes: tuple[str, ...]
    """Labels of the entries ranked above it that are certainly weaker by the fit."""
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
    rank_before: int | None = None
    """At the moment since which movement is shown; None: it had none, or movement isn't shown."""
    moved_places: int | None = None
    """Places gained since then, negative if lost; None if it has or had no rank."""
    moved_rating: float | None = None
    """How much the value that rankings are ordered by has changed since then; None if it had no rank then, or
    without ratings."""
    fit_by: str | None = None
    """`scores` or `shares`; this and the next three are None without a fit by one of them."""
    fit_value: float | None = None
    """Strength by the fit, in points per game (shares: in percent of a share) above the mean."""
    fit_low: float | None = None
    fit_high: float | None = None
    """The ends of its 95 % interval; None without an interval."""
    fit_above: tuple[str, ...] | None = None
    """Labels of the entries that it is stronger than, each pair told apart at 95 %; this and the next four are None
    without a fit with intervals."""
    fit_above_familywise: tuple[str, ...] | None = None
    """The same at 95 % for all pairs of the league together."""
    apart_familywise: bool | None = None
    """As `apart`, at 95 % for all pairs of the league together."""
    fit_place_best: int | None = None
    """The best place by strength that it may have, among the entries that have a rank; with 95 %, all entries are
    between their best and worst places."""
    fit_place_worst: int | None = None
    matches_to_tell: int | None = None
    """About how many matches the league needs in all to tell it apart from the entry above, pair by pair, in four
    leagues of five, if the two are as far apart as they look. None for the first entry, if they are told apart,
    beyond `MOST_TO_TELL`, and without a fit with intervals."""


STATE_KEYS = ("state", "state_why", "new", "joined_match")
"""Columns of leagues whose field changes."""
MOVEMENT_KEYS = ("rank_before", "moved_places", "moved_rating")
"""Columns of rankings with movement."""
RATING_KEYS = ("mu", "sigma")
FIT_KEYS = (
    "fit_elo",
    "fit_elo_low",
    "fit_elo_high",
    "fit_share",
    "fit_rank",
    "fit_through",
    "apart",
    "disputes",
)
"""With `RATING_KEYS`: columns that rankings without ratings don't have."""
PLACES_KEYS = ("fit_elo", "fit_elo_low", "fit_elo_high", "fit_share")
"""Those of them that only a fit by places has."""
LEAST_SQUARES_KEYS = (
    "fit_by",
    "fit_value",
    "fit_low",
    "fit_high",
)
"""Columns that only a fit by scores or shares has."""
CLAIM_KEYS = (
    "fit_above",
    "fit_above_familywise",
    "apart_familywise",
    "fit_place_best",
    "fit_place_worst",
    "matches_to_tell",
)
"""Columns of any fit with intervals."""


class Rankings(Struct, frozen=True, kw_only=True):
    """The rankings of a league, with general information about them."""

    league: LeagueSummary
    scale: Scale
    """What the ratings mean."""
    rows: tuple[RankingRow, ...]
    """Best first."""
    least_matches: int
    """With fewer matches, an entry has no rank."""
    rated_matches: int
    """Number of matches counted in the rankings."""
    rating_stopped_at: int | None
    """The finished match at which the rating system failed, so that the rankings end before it."""
    waiting_games: int
    """Games that are not rated yet, as their match or an earlier one is unfinished."""
    fit: AnyFit | None
    fit_by: FitBy = FitBy.PLACES
    """What the fit is by, or would be."""
    by_fit: bool = False
    """Whether they are ordered by the fit, see `deciding_strengths`; otherwise by rating."""
    is_rated: bool = True
    """Whether the entries have ratings; without, they are ordered by share."""
    moves: bool = False
    """Whether the league's field has ever changed, or will."""
    recount: Recount | None = None
    """The matches that were counted, if not all are."""
    movement: Movement | None = None
    """Since when movement is shown."""
    circles: tuple[tuple[str, ...], ...] = ()
    """Labels of bots that surely beat each other in a circle: each the next, and the last the first."""
    contradictions: tuple[tuple[str, str], ...] = ()
    """Labels of a bot that surely beats another, and of that one, which the fit surely places above it."""

    undecided: tuple[Undecided, ...] = ()
    """The neighbours that are not told apart, pair by pair; those first that would be told soonest."""
    chosen: bool = False
    """Whether the results decide who meets whom, as on a ladder."""
    own_standings: str | None = None
    """The schedule, if its own standings decide who has won, as in a Swiss."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns in JSON and CSV."""
        left_out = {
            *(() if self.moves else STATE_KEYS),
            *(() if self.movement else MOVEMENT_KEYS),
            *(() if self.is_rated else (*RATING_KEYS, *FIT_KEYS, *LEAST_SQUARES_KEYS, *CLAIM_KEYS)),
            *(LEAST_SQUARES_KEYS if self.fit_by is FitBy.PLACES else PLACES_KEYS),
        }
        return tuple(key for key in keys_of(RankingRow) if key not in left_out)
