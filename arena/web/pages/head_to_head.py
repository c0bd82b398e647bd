"""Who finished above whom: a table of all pairs among the first bots of a league."""

from collections.abc import Sequence

from arena.web.html.links import asking, choice
from arena.web.html.page import Page
from arena.web.pages import league_by_places, path_of, tabs
from arena.web.pages.league_format import format_places
from results.reports.head_to_head import CountedBy, PairRow, is_against_order, pair_rows
from results.reports.leagues import league_summary
from results.reports.rankings import in_ranking_order
from results.store import Store

ASKS = ("first", "by")
SIZES = (20, 40, 60)
"""How many bots can be shown, from the top."""
FEW = 8
"""Up to so many columns have names instead of numbers."""
_CLASSES = 5


def head_to_head(store: Store, name: str, first: tuple[str, ...] = (), by: tuple[str, ...] = ()) -> Page:
    """Return the page. Raises NoPage, NotUnderstood."""
    league = league_by_places(store, name)
    counted_by, size = counted_by_of(by), first_of(first)
    by_format = format_places(store, league)
    labels = [row.label for row in in_ranking_order(store, league, by_format) if row.matches]
    pairs = {
        (pair.bot, pair.opponent): pair for pair in pair_rows(store, league, counted_by, size, by_format)
    }
    shown = labels[:size]
    rows = [
        (number, label, [cell_of(pairs.get((label, other))) for other in shown])
        for number, label in enumerate(shown, 1)
    ]
    return Page(
        path_of(league, "head-to-head"),
        f"Head to head · {league.name}",
        "head_to_head.html",
        {
            "league": league_summary(store, league),
            "rows": rows,
            "is_one_match": store.leagues.progress(league.uuid).matches_done == 1,
            "by": counted_by.value,
            "size": size,
            "few": FEW,
            "sizes": SIZES,
            "bots": len(labels),
            "is_against_order": league.traits.chooses and is_against_order(pairs.values(), shown),
            "asking": asking({"first": str(size), "by": counted_by.value}),
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 15,
        description=f"How often each bot of {league.name} finished above each of the others.",
    )


def first_of(asked: Sequence[str]) -> int:
    """Return how many bots are asked for: one of `SIZES`. Raises NotUnderstood."""
    return int(choice("first", asked, [str(size) for size in SIZES], str(SIZES[0])))


def counted_by_of(asked: Sequence[str]) -> CountedBy:
    """Return what is asked to be counted. Raises NotUnderstood."""
    return CountedBy(choice("by", asked, [one.value for one in CountedBy], CountedBy.MATCHES.value))


def cell_of(pair: PairRow | None) -> tuple[PairRow, str, str] | None:
    """Return a pair, the class of its colour, from `heat1` (always below) to `heat5`, and the query for its matches."""
    if pair is None:
        return None
    colour = 1 + min(_CLASSES - 1, int(pair.share_percent * _CLASSES / 100))
    return (pair, f"heat{colour}", asking({"bot": (pair.bot, pair.opponent)}))
