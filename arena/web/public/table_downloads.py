"""Tables of a league to download: the rows behind the pages, as CSV or JSON."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import structs

from arena.web.html.page_model import FileWish
from arena.web.http.page_threads import takes_long
from arena.web.pages import ladder_query, league_named
from arena.web.pages.ladder_query import filters_of
from arena.web.pages.league_format import format_places
from arena.web.pages.rankings import TooLarge, found_rankings
from arena.web.pages.statistics import PAIRS_ASK, counted_by_of, first_of
from results.base.errors import RatingFailed, RatingMissing
from results.records import LeagueRecord
from results.reports.columns import Row, csv_lines, json_lines, keys_of
from results.reports.head_to_head import PairRow, pair_rows
from results.reports.statistics_views import VIEWS, View, added_views
from results.store import Store

Asked = Mapping[str, tuple[str, ...]]
FORMS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
"""Media types by suffix."""


class Refusal(Exception):
    """The rows can't be made; the message says why."""

    def __init__(self, why: str, status: int = 503) -> None:
        """`status`: of the response, by HTTP."""
        super().__init__(why)
        self.status = status


Rows = tuple[Iterable[Row], Sequence[str]]
"""Rows, and the keys of the columns they have."""


def download(store: Store, wish: FileWish, name: str, *, report: str, form: str) -> bytes:
    """Return the content of the file `leagues/NAME/REPORT.FORM`. Raises NoPage, NotUnderstood, Refusal."""
    rows, columns = REPORTS[report](store, league_named(store, name), wish.asked)
    return "".join((csv_lines if form == "csv" else json_lines)(rows, columns)).encode()


def _rankings(store: Store, league: LeagueRecord, asked: Asked) -> Rows:
    filters = filters_of(store, league, asked, datetime.now(UTC))
    if filters.problems:
        raise Refusal(" ".join(filters.problems), 400)
    try:
        found = found_rankings(store, league, filters)
    except TooLarge:
        raise Refusal("Rating these matches takes too long. Choose fewer of them.") from None
    except (RatingMissing, RatingFailed) as error:
        raise Refusal(str(error)) from None
    if filters.active_only:
        found = structs.replace(found, rows=tuple(row for row in found.rows if row.state == "active"))
    return (found.rows, found.keys)


def _pairs(store: Store, league: LeagueRecord, asked: Asked) -> Rows:
    by, first = counted_by_of(asked.get("by", ())), first_of(asked.get("first", ()))
    rows = pair_rows(store, league, by, first, format_places(store, league))
    return (rows, keys_of(PairRow))


def _statistics(view: View) -> Callable[[Store, LeagueRecord, Asked], Rows]:
    def table(store: Store, league: LeagueRecord, _asked: Asked) -> Rows:
        if view.answer is None and view.on_site is None:
            takes_long(f"computing {view.file}")
        rows = view.on_site(store, league) if view.on_site else view.rows(store, league, None)
        return (rows, keys_of(view.kind))

    return table


REPORTS: Mapping[str, Callable[[Store, LeagueRecord, Asked], Rows]] = {
    "rankings": _rankings,
    "pairs": _pairs,
    **{view.file: _statistics(view) for view in (*VIEWS.values(), *added_views().values()) if view.file},
}
"""By the name of the file."""
ASKS: Mapping[str, tuple[str, ...]] = {"rankings": ladder_query.ASKS, "pairs": PAIRS_ASK}
"""What may be asked of a file, by its name; of others, nothing."""
