"""Rankings: which rows and columns the table has, and what its cells say."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from msgspec import structs
from msgspec.structs import replace
from rich.console import Console

from arena.cli.display.ranking_notes import explained, have_moved, legend, news, notes, state, what_counts
from arena.cli.display.tables import explain, heading, print_table
from arena.cli.terminal.messages import print_line, print_prose
from results.base.errors import UnknownEntry
from results.base.text import counted, decimals_of
from results.ratings.base import Scale
from results.reports.columns import Column
from results.reports.comparison_rows import outcome_in_words
from results.reports.fits import FitUnit
from results.reports.ranking_columns import (
    RESULT_COLUMNS,
    RankingRow,
    Rankings,
    aim_in_words,
    place_range,
    score_columns,
    standing_columns,
    winner,
)


def rank(row: RankingRow) -> str:
    """Return the rank, marked if the entry is not distinguishable from the one above."""
    return "–" if row.rank is None else f"{'≈' if row.is_undecided else ''}{row.rank}"


def moved(row: RankingRow) -> str:
    """Return the places gained or lost, or that the entry had no rank before."""
    if row.rank is None:
        return ""
    places = row.moved and row.moved.places
    if places is None:
        return "new"
    if not places:
        return "="
    return f"{'▲' if places > 0 else '▼'}{abs(places)}"


def change(decimals: int, row: RankingRow) -> str:
    """Return the change of the rating with its sign."""
    return "" if row.moved is None or row.moved.rating is None else f"{row.moved.rating:+.{decimals}f}"


def strength(row: RankingRow, decimals: int | None = None) -> str:
    """Return the fitted strength, with half the width of its interval; empty if there is none.

    It has as many decimals as the interval justifies, or `decimals`, and none if it is in Elo points.
    """
    found = row.strength
    if found is None:
        return ""
    if found.unit is FitUnit.ELO:
        decimals = 0
    elif decimals is None:
        decimals = 2 if found.half is None else decimals_of(found.half)
    value = round(found.value, decimals) + 0.0  # no −0
    return f"{value:+.{decimals}f}" + ("" if found.half is None else f"±{found.half:.{decimals}f}")


def cost(row: RankingRow) -> str:
    """Return what a decision costs on average, with half of its interval."""
    if row.cost is None:
        return ""
    half = None if row.cost.low is None or row.cost.high is None else (row.cost.high - row.cost.low) / 2
    return f"{row.cost.price:.2f}" + ("" if half is None else f"±{half:.2f}")


def stronger_than(row: RankingRow) -> str:
    """Return how many entries it is significantly stronger than: each pair by itself / all pairs together."""
    return "" if row.claims is None else f"{len(row.claims.above)}/{len(row.claims.above_familywise)}"


NAMES = (
    Column(
        "#",
        right=True,
        priority=1,
        drawn=rank,
        key="rank",
        help="Place; ≈ if statistically tied with the bot above, – if it has played too few matches",
    ),
    Column("bot", priority=0, key="label"),
    Column(
        "state",
        priority=1,
        drawn=state,
        key="state",
        help="Unless it simply plays on: retired, replaced, paused, benched or new",
    ),
)
RATINGS = (
    Column(
        "moved",
        right=True,
        priority=1,
        drawn=moved,
        key="moved",
        help="With --movement: places gained (▲) or lost (▼), new if it had none",
    ),
    Column(
        "change",
        right=True,
        priority=2,
        key="change",
        help="With --movement: how much its rating has changed",
    ),
    Column(
        "μ",
        2,
        priority=2,
        key="mu",
        help="Rating: its estimated strength, of which only the gaps between bots mean something",
    ),
    Column(
        "σ",
        2,
        priority=8,
        quiet=True,
        key="sigma",
        help="Uncertainty of μ: with 95 % confidence, the strength is within two σ of it",
    ),
    Column(
        "fit",
        right=True,
        priority=3,
        drawn=strength,
        key="strength",
        help="A second estimate, from all games at once: Elo points above an average bot (or points per game), ± half "
        "of its 95 % interval",
    ),
    Column(
        "above",
        right=True,
        priority=6,
        drawn=stronger_than,
        key="above",
        help="Only with strengths in points: how many bots it is significantly stronger than, tested pair by pair / "
        "all pairs together",
    ),
    Column(
        "places",
        right=True,
        priority=4,
        drawn=place_range,
        key="places",
        help="The range of places that it may have; all ranges hold together with 95 % confidence",
    ),
    Column(
        "price",
        right=True,
        priority=3,
        drawn=cost,
        key="cost",
        help="With --prices: by how many points another move would have been better, a decision; ± half of its 95 % "
        "interval",
    ),
)


def columns(
    scale: Scale,
    rows: Sequence[RankingRow],
    *,
    by_share: bool = False,
) -> tuple[Column, ...]:
    """Return the columns that aren't empty, with a fit with narrower titles. Those that decide the order come first."""
    if not rows:
        return NAMES[:2]
    empty = {
        *(() if any(map(state, rows)) else ("state",)),
        *(() if have_moved(rows) else ("moved", "change")),
        *(("mu", "sigma", "change") if rows[0].mu is None else ()),
        *(() if any(row.strength for row in rows) else ("strength",)),
        *(
            ()
            if any(row.claims and not (row.strength and row.strength.unit is FitUnit.ELO) for row in rows)
            else ("above",)
        ),
        *(() if any(map(place_range, rows)) else ("places",)),
        *(() if any(row.cost for row in rows) else ("cost",)),
    }
    halves = [row.strength.half for row in rows if row.strength and row.strength.half]
    drawn = {
        "change": partial(change, scale.decimals),
        "strength": partial(strength, decimals=decimals_of(min(halves)) if halves else None),
    }
    standing = (*standing_columns(rows), *score_columns(rows, scale.decimals))
    if any(row.scores for row in rows):
        empty |= {"wins", "share_percent"}
    if by_share:
        share = [column for column in RESULT_COLUMNS if column.key in ("share_percent", "wins")]
        standing = tuple(sorted(share, key=lambda column: column.key != "share_percent"))
    results = [column for column in RESULT_COLUMNS if column not in standing]
    every = [*NAMES, *standing, *([*results, *RATINGS] if standing else [*RATINGS, *results])]
    shown = [
        replace(column, drawn=drawn.get(column.key, column.drawn))
        for column in fitted_to(scale, every)
        if column.key not in empty
    ]
    if "strength" in empty and (by_share or not standing):
        return tuple(shown)
    return tuple(replace(column, title=column.title.replace(" ", "\n")) for column in shown)


def print_rankings(
    out: Console,
    rankings: Rankings,
    conditions: Sequence[str] = (),
    since: str = "",
    left_out: str = "",
    *,
    explains: bool = False,
    explained_by: str = "",
) -> None:
    """Print the rankings as a table, with who has won above it and at most two lines below it.

    `conditions`: what limits the matches that are counted, in words · `since`: the moment that movement is since ·
    `left_out`: which rows the table doesn't have, in words · `explains`: everything else that is known is below it,
    too · `explained_by`: the command that says it, if that isn't this one with --explain.
    """
    print_line(out, heading(rankings.league), "bold")
    if rankings.league.outcome:
        print_prose(out, outcome_in_words(rankings.league.outcome))
    if aimed := aim_in_words(rankings):
        print_prose(out, aimed)
    for line in (what_counts(rankings, conditions), "".join(winner(rankings))):
        if line:
            print_line(out, line, "bold")
    rows = rankings.rows
    shown = columns(rankings.scale, rows, by_share=rankings.by_share)
    drawn = print_table(out, shown, rows, style=lambda row: "dim" if row.retired else "")
    lines = [*([left_out] if left_out else ()), *news(rankings)]
    signs = legend(rankings, since)
    if explains:
        for line in (*lines, *signs):
            print_line(out, line)
        _explain(out, rankings, drawn)
        return
    for line in lines[:1]:
        print_line(out, line, "dim")
    hidden = counted(len(lines) - 1, "more note") if len(lines) > 1 else ""
    told = [*signs[:1], f"{hidden} with --explain" if hidden else "--explain says more"]
    if explained_by:
        told[-1] = f"{hidden or 'more'}: {explained_by}"
    for line in told if explained_by else [" · ".join(told)]:
        print_line(out, line, "dim")


def _explain(out: Console, rankings: Rankings, shown: Sequence[Column]) -> None:
    """Print what the columns of a table mean, by the first row, and then what the fit says."""
    row = next((row for row in rankings.rows if row.rank is not None), None)
    if row is not None:
        explain(out, shown, row, lambda column: explained(column, row, rankings))
    print_line(out, "")
    for line in notes(rankings):
        print_prose(out, line)


NEIGHBOURS = 5
"""Rows above and below a bot that are shown with it."""
MOST_IN_A_TERMINAL = 100
"""Rows shown in a terminal unless more are asked for."""


class Choice(NamedTuple):
    """Which rows were asked for."""

    active: bool = False
    """Only bots that play."""
    top: int | None = None
    """At most so many, from the first on."""
    around: str | None = None
    """A bot's label: it, and those next to it."""


def chosen(rankings: Rankings, choice: Choice, *, in_a_terminal: bool) -> tuple[Rankings, str]:
    """Return the rankings with the rows asked for, and what is left out, in words; empty if it was asked for.

    Raises UnknownEntry if no row has the label `around`.
    """
    rows = rankings.rows
    if choice.active:
        rows = tuple(row for row in rows if row.state == "active")
    note = ""
    count = len(rows)
    if choice.around is not None:
        rows = _around(rows, choice.around)
    elif choice.top is not None:
        rows = rows[: choice.top]
    elif in_a_terminal and count > MOST_IN_A_TERMINAL:
        rows = rows[:MOST_IN_A_TERMINAL]
        note = f"{len(rows)} of {count:,} bots: --top {count} shows all, --around BOT shows a bot and those next to it"
    return structs.replace(rankings, rows=rows), note


def _around(rows: tuple[RankingRow, ...], label: str) -> tuple[RankingRow, ...]:
    """Return the row with a label, and those next to it."""
    place = next((place for place, row in enumerate(rows) if row.label == label), None)
    if place is None:
        raise UnknownEntry("entry", label, [row.label for row in rows])
    return rows[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]


def fitted_to(scale: Scale, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns with those for μ and σ adapted to the scale; without σ, μ is titled "rating"."""
    fitted = []
    for column in columns:
        if column.key == "sigma" and not scale.has_sigma:
            continue
        if column.key == "start_mu" and scale.of_scores:  # nobody has a score before the first game
            continue
        if column.key in ("start_mu", "mu", "sigma"):
            column = replace(column, decimals=scale.decimals)
        if column.key == "mu" and not scale.has_sigma:
            column = replace(column, title=scale.title)
        if column.key == "moments" and not scale.has_sigma:
            column = replace(column, title=f"{scale.title} over the league")
        fitted.append(column)
    return tuple(fitted)
