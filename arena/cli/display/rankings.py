"""Rankings as a table with notes: which rows and columns it has, what its cells say; and the ranking by a format."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import structs
from rich.console import Console

from arena.cli.display.live import busy
from arena.cli.display.tables import heading, print_table
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_line
from results.base.errors import UnknownEntry
from results.base.text import counted, decimals_of, rounded_to
from results.ratings.base import Scale
from results.reports.columns import Column, ReportRow, columns_of, row_from
from results.reports.fits import MOST_TO_TELL, FitBy, FitSummary, FitUnit
from results.reports.ranking_table import RESULT_COLUMNS, RankingRow, Rankings, Undecided, is_against_shares
from results.reports.states import ENTRY_STATES

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store


DRAWN_INTERVALS = {
    FitBy.PLACES: "; in simulated leagues, 93 to 98 % of the intervals held, more if all bots are equal",
    FitBy.SCORES: "; in simulated leagues, 95 to 98 % of the intervals held, more if all bots are equal",
    FitBy.SHARES: "",
}
"""What was measured of the intervals of strengths that are drawn together.

`benchmarks/places_fit.py` and `benchmarks/score_fit.py` measure it; nothing was measured by shares.
"""
_LEAST_SQUARES = "above the mean, ± 95 %, from all games at once (least squares by match)"
FIT_WORDS = {
    FitBy.PLACES: "fit: odds of finishing above a bot at the mean rather than below, in Elo points: +100 is 64 to 36; "
    "± 95 %, from all games at once (Bradley–Terry with Davidson's ties)",
    FitBy.SCORES: f"fit: strength in points per game {_LEAST_SQUARES}",
    FitBy.SHARES: f"fit: strength in percentage points of share {_LEAST_SQUARES}",
}
"""What the column `fit` is."""
MOST_NAMED = 3
"""Bots, or pairs of bots, named in a note below the table; the other formats have all of them."""


def rank(row: RankingRow) -> str:
    """Return the rank, marked if the entry is not distinguishable from the one above."""
    return "–" if row.rank is None else f"{'≈' if row.is_undecided else ''}{row.rank}"


def state(row: RankingRow) -> str:
    """Return what an entry is besides active, in a word."""
    return row.state if row.state != "active" else "new" if row.is_new else ""


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


def strength(row: RankingRow) -> str:
    """Return the fitted strength, with half the width of its interval; empty if there is none.

    It has as many decimals as the interval justifies, and none if it is in Elo points.
    """
    found = row.strength
    if found is None:
        return ""
    in_elo = found.unit is FitUnit.ELO
    if found.half is None:
        return f"{round(found.value):+d}" if in_elo else f"{found.value:+.2f}"
    decimals = 0 if in_elo else decimals_of(found.half)
    value = round(found.value, decimals) + 0.0  # no −0
    return f"{value:+.{decimals}f}±{found.half:.{decimals}f}"


def place_range(row: RankingRow) -> str:
    """Return the places that the entry may have by strength; empty without intervals."""
    if row.claims is None or row.claims.place_best is None:
        return ""
    best, worst = row.claims.place_best, row.claims.place_worst
    return str(best) if best == worst else f"{best}–{worst}"


def told_apart(row: RankingRow) -> str:
    """Return from how many entries it is told apart as the stronger one: by pairs / familywise."""
    return "" if row.claims is None else f"{len(row.claims.above)}/{len(row.claims.above_familywise)}"


COLUMNS = (
    Column("#", key="rank", right=True, priority=1, drawn=rank),
    Column("bot", key="label", priority=0),
    Column("state", key="state", priority=1, drawn=state),
    Column("moved", key="moved", right=True, priority=1, drawn=moved),
    Column("change", key="change", right=True, priority=2),
    Column("μ", 2, key="mu", priority=2),
    Column("σ", 2, key="sigma", priority=7),
    Column("fit", key="strength", right=True, priority=3, drawn=strength),
    Column("above", key="above", right=True, priority=6, drawn=told_apart),
    Column("places", key="places", right=True, priority=4, drawn=place_range),
    *RESULT_COLUMNS,
)


def columns(scale: Scale, rows: Sequence[RankingRow], *, with_movement: bool = False) -> tuple[Column, ...]:
    """Return the columns of the table: without those that would be empty, and with a fit with narrower titles."""
    if not rows:
        return COLUMNS[:2]
    empty = {
        *(() if any(map(state, rows)) else ("state",)),
        *(() if with_movement else ("moved", "change")),
        *(("mu", "sigma", "change") if rows[0].mu is None else ()),
        *(() if any(row.strength for row in rows) else ("strength",)),
        *(() if any(row.claims and not _is_in_elo(row) for row in rows) else ("above",)),
        *(() if any(map(place_range, rows)) else ("places",)),
    }
    shown = [column for column in fitted_to(scale, COLUMNS) if column.key not in empty]
    signed = partial(change, scale.decimals)
    shown = [replace(one, drawn=signed) if one.key == "change" else one for one in shown]
    if "strength" in empty:
        return tuple(shown)
    return tuple(replace(column, title=column.title.replace(" ", "\n")) for column in shown)


def _is_in_elo(row: RankingRow) -> bool:
    return row.strength is not None and row.strength.unit is FitUnit.ELO


def print_rankings(
    out: Console, rankings: Rankings, conditions: Sequence[str] = (), since: str = "", left_out: str = ""
) -> None:
    """Print the rankings as a table, with its notes.

    `conditions`: what limits the matches that are counted, in words · `since`: the moment that movement is since ·
    `left_out`: which rows the table doesn't have, in words.
    """
    print_line(out, heading(rankings.league), "bold")
    if line := what_counts(rankings, conditions):
        print_line(out, line, "bold")
    rows = rankings.rows
    print_table(
        out,
        columns(rankings.scale, rows, with_movement=rankings.movement is not None),
        rows,
        style=lambda row: "dim" if row.retired else "",
    )
    for note in (*([left_out] if left_out else ()), *notes(rankings, since)):
        print_line(out, note, "dim")


def what_counts(rankings: Rankings, conditions: Sequence[str]) -> str:
    """Return how many of the matches are counted, and which; empty if all are."""
    count = rankings.recount
    if count is None or not conditions:
        return ""
    return f"{count.matches:,} of {count.of:,} {'match' if count.of == 1 else 'matches'}: {', '.join(conditions)}"


def notes(rankings: Rankings, since: str = "") -> Iterator[str]:
    """Yield the notes below the table: what its signs mean, how old the fit is, and which ranks the fit disputes."""
    yield from _notes_on_the_table(rankings)
    yield from _notes_on_the_field(rankings.rows)
    if rankings.chosen and rankings.is_rated and is_against_shares(rankings.rows):
        yield "share % and wins are plain results; the order also counts whom each bot has met"
    if rankings.own_standings:
        yield f"who has won by the rules of the {rankings.own_standings}: arena league placing {rankings.league.name}"
    if rankings.movement is not None:
        yield f"moved: places gained (▲) or lost (▼) since {since}, before match {rankings.movement.match_no}"
    yield from _notes_on_the_fit(rankings)
    yield from _notes_on_circles(rankings)


def _notes_on_circles(rankings: Rankings) -> Iterator[str]:
    """Yield that bots beat each other in a circle, so that no order is the right one, or others than the fit says."""
    command = f"arena stats {rankings.league.name} --view circles"
    if rankings.circles:
        first = rankings.circles[0]
        steps = ", ".join(
            f"{one} beats {other}" for one, other in zip(first, (*first[1:], first[0]), strict=True)
        )
        unnamed = len(rankings.circles) - 1
        more = f" (and {counted(unnamed, 'more circle')})" if unnamed else ""
        yield f"a circle: {steps}; the order among them depends on who else plays{more}: {command}"
    elif rankings.contradictions:
        (one, other), *others = rankings.contradictions
        more = f" (and {counted(len(others), 'more pair')})" if others else ""
        yield (
            f"{one} beats {other}, which the fit places above it{more}: their order depends on who else plays: "
            f"{command}"
        )


def _notes_on_the_field(rows: Sequence[RankingRow]) -> Iterator[str]:
    """Yield who is not playing, and why, and what the words of the column `state` mean."""
    waiting: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.state in ("paused", "benched"):
            waiting.setdefault((row.state, row.state_why), []).append(row.label)
    for (state_of_all, why), labels in list(waiting.items())[:MOST_NAMED]:
        who = f"{labels[0]} is" if len(labels) == 1 else f"{counted(len(labels), 'bot')} are"
        yield f"{who} {state_of_all}: {why}"
    if unnamed := sum(map(len, list(waiting.values())[MOST_NAMED:])):
        yield f"… and {counted(unnamed, 'more bot')} paused or benched; --format json has the reasons"
    for state_of_gone in ("retired", "replaced"):
        if any(row.state == state_of_gone for row in rows):
            yield f"{state_of_gone}: {ENTRY_STATES[state_of_gone]}"
    if any(state(row) == "new" for row in rows):
        yield "new: joined later, and its place is not as sure as the others' yet"


def _notes_on_the_table(rankings: Rankings) -> Iterator[str]:
    """Yield which games are not rated, and who has no rank."""
    rows, rated = rankings.rows, rankings.rated_matches
    if left_out := rankings.league.left_out:
        yield left_out
    if rankings.rating_stopped_at is not None:
        yield (
            f"ratings stop before match {rankings.rating_stopped_at}: the rating system failed; "
            "fix it, then run `arena db rebuild`"
        )
    elif unrated := rankings.waiting_games:
        yield (
            f"{unrated} of {counted(rankings.league.games, 'game')} not rated yet: "
            "their match, or an earlier one, is unfinished"
        )
    waiting = [f"{row.label} needs {row.needs} more" for row in rows if row.needs]
    if waiting and rated:
        least = counted(rankings.least_matches, "match", "matches")
        unnamed = len(waiting) - MOST_NAMED
        more = f", and {counted(unnamed, 'more bot')}" if unnamed > 0 else ""
        yield f"–: no rank below {least}: {', '.join(waiting[:MOST_NAMED])}{more}"


def _notes_on_the_fit(rankings: Rankings) -> Iterator[str]:
    """Yield what the fit is, how old it is, and which ranks it disputes."""
    rows, rated = rankings.rows, rankings.rated_matches
    if any(row.is_undecided for row in rows):
        yield "≈: not told apart from the bot above it, at 95 %, pair by pair"
    fit = rankings.fit
    if fit is None:
        if rated and rankings.is_rated:
            yield "--fit adds strengths fitted to all matches at once, with intervals"
        return
    yield FIT_WORDS[fit.by]
    if rankings.by_fit:
        yield "the league is over and about scores, so the order is that of these strengths"
    if fit.drawn_together:
        yield (
            "strengths are drawn together as far as they are unsure, as the results decided who met whom"
            f"{DRAWN_INTERVALS[fit.by]}"
        )
    if fit.through < rated:
        yield f"the fit has the matches below number {fit.through}, of {rated}: --fit takes all"
    if fit.pairs:
        above = "above: bots it is told apart from as the stronger, pair by pair / familywise; "
        are = "is" if fit.pairs_apart == 1 else "are"
        yield (
            f"{'' if fit.by is FitBy.PLACES else above}{fit.pairs_apart:,} of "
            f"{counted(fit.pairs, 'pair')} {are} told apart, {fit.pairs_apart_familywise:,} familywise"
        )
        yield from _notes_on_undecided(rankings, fit)
    if any(map(place_range, rows)):
        yield "places: from the best to the worst that it may have by the fit; with 95 %, all of these are right"
    strengths = [row.strength for row in rows if row.strength]
    if fit.by is FitBy.PLACES and strengths and all(one.half is None for one in strengths):
        yield "no intervals: each bot has played fewer than two matches"
    disputes = [(row.label, other) for row in rows if row.claims for other in row.claims.disputes]
    for lower, upper in disputes[:MOST_NAMED]:
        yield f"the methods disagree: {upper} is ranked above {lower}, the fit says below"
    if (unnamed := len(disputes) - MOST_NAMED) > 0:
        yield f"… and {counted(unnamed, 'more pair')}; --format json has all"


def _notes_on_undecided(rankings: Rankings, fit: FitSummary) -> Iterator[str]:
    """Yield how many matches would tell neighbours apart that are not: the pair told soonest, and the closest one."""
    shown = {row.label for row in rankings.rows}
    pairs = [pair for pair in rankings.undecided if {pair.upper, pair.lower} <= shown]
    if not pairs:
        return
    soonest, closest = pairs[0], pairs[-1]
    told = f"{_matches_in_all(soonest)} in all (now {fit.through:,}) would tell "
    told += f"{soonest.upper} from {soonest.lower}"
    if closest is not soonest:
        told += f", and {_matches_in_all(closest)} the closest, {closest.upper} and {closest.lower}"
    rough = "; rough, as strengths are drawn together" if fit.drawn_together else ""
    yield f"{told}, if they are as far apart as they look{rough}"


def _matches_in_all(pair: Undecided) -> str:
    if pair.matches is None:
        return f"more than {MOST_TO_TELL:,} matches"
    return f"about {counted(rounded_to(2, pair.matches), 'match', 'matches')}"


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
        if column.key in ("start_mu", "mu", "sigma"):
            column = replace(column, decimals=scale.decimals)
        if column.key == "mu" and not scale.has_sigma:
            column = replace(column, title="rating")
        if column.key == "moments" and not scale.has_sigma:
            column = replace(column, title="rating over the league")
        fitted.append(column)
    return tuple(fitted)


class PlacingRow(ReportRow, frozen=True, kw_only=True):
    """One entry in the ranking by its league's format."""

    place: Annotated[int, Column("#", priority=1)]
    """From 1."""
    label: Annotated[str, Column("bot", priority=0)]
    points: Annotated[float, Column(decimals=2, priority=2)]
    byes: Annotated[int, Column(priority=4)]
    note: Annotated[str, Column("how", wide=True, priority=3)]
    """The reason for its place, in words."""


def placing_rows(store: "Store", league: "LeagueRecord") -> list[PlacingRow]:
    """Return the ranking by the league's format, best first; nothing if the format has no ranking."""
    from arena.league.definition.stored import format_ranking

    with busy("ranking by the format"):
        ranked = format_ranking(store, league)
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    return [row_from(placed, PlacingRow, label=labels[placed.entry]) for placed in ranked]


def print_placing(store: "Store", league: "LeagueRecord") -> None:
    """Print the ranking by the league's format as a table, if it has one."""
    if rows := placing_rows(store, league):
        print_table(console(), columns_of(PlacingRow), rows, placing_heading(league))


def placing_heading(league: "LeagueRecord") -> str:
    """Return the line above the table."""
    from arena.config.league_file import DEFAULT_SCHEDULE

    kind = league.config.get("schedule", {}).get("kind", DEFAULT_SCHEDULE)
    return f"{league.name}: by its format, {kind}"
