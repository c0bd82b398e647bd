"""Rankings as a table with notes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console

from arena.cli.display.league_heading import heading
from arena.cli.display.rating_columns import fitted_to
from arena.cli.display.tables import Column, print_table
from arena.cli.messages import counted, print_line
from results.ratings.base import Scale
from results.reports.rankings import RankingRow, Rankings

MOST_NAMED = 3
"""Bots, or pairs of bots, named in a note below the table; the other formats have all of them."""


def rank(row: RankingRow) -> str:
    """Return the rank, marked if the entry is not distinguishable from the one above."""
    return "–" if row.rank is None else f"{'≈' if row.apart is False else ''}{row.rank}"


def name(row: RankingRow) -> str:
    """Return the label, marked if the entry is retired."""
    return row.label + (" (retired)" if row.retired else "")


def strength(row: RankingRow) -> str:
    """Return the fitted strength, with half the width of its interval; empty if there is none."""
    if row.fit_elo is None:
        return ""
    text = f"{round(row.fit_elo):+d}"
    if row.fit_elo_low is not None and row.fit_elo_high is not None:
        text += f"±{(row.fit_elo_high - row.fit_elo_low) / 2:.0f}"
    return text


COLUMNS = (
    Column("rank", "#", right=True, priority=1, drawn=rank),
    Column("label", "bot", priority=0, drawn=name),
    Column("mu", "μ", 2, priority=7),
    Column("sigma", "σ", 2, priority=7),
    Column("conservative", "μ−3σ", 2, priority=2),
    Column("fit_elo", "fit", right=True, priority=3, drawn=strength),
    Column("matches", "matches", right=True, priority=5),
    Column("games", "games", right=True, priority=7),
    Column("wins", "wins", 1, priority=8),
    Column("share_percent", "share %", 1, priority=4),
    Column("faults", "faults", right=True, priority=6),
)


def columns(scale: Scale, rows: Sequence[RankingRow]) -> tuple[Column, ...]:
    """Return the columns of the table: without the fit if there is none, otherwise with narrower titles."""
    if not rows:
        return COLUMNS[:2]
    all_columns = fitted_to(scale, COLUMNS)
    if all(row.fit_elo is None for row in rows):
        return tuple(column for column in all_columns if column.key != "fit_elo")
    return tuple(replace(column, title=column.title.replace(" ", "\n")) for column in all_columns)


def print_rankings(out: Console, rankings: Rankings) -> None:
    """Print the rankings as a table, with its notes."""
    print_line(out, heading(rankings.league), "bold")
    print_table(out, columns(rankings.scale, rankings.rows), rankings.rows)
    for note in notes(rankings):
        print_line(out, note, "dim")


def notes(rankings: Rankings) -> Iterator[str]:
    """Yield the notes below the table: what its signs mean, how old the fit is, and which ranks the fit disputes."""
    rows, rated = rankings.rows, rankings.rated_matches
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
    if any(row.apart is False for row in rows):
        yield "≈: not told apart from the bot above it, at 95 %"
    kept = rankings.fit
    if kept is None:
        if rated:
            yield "--fit adds strengths fitted to all matches at once, with intervals"
        return
    yield (
        "fit: expected share of matches, ties as halves, in Elo points: +100 is 64 % against a bot at the mean; "
        "± 95 %, from all matches at once (Bradley–Terry)"
    )
    if kept.through < rated:
        yield f"the fit has the matches below number {kept.through}, of {rated}: --fit takes all"
    if kept.fit.strengths and not kept.fit.draws:
        yield "no intervals: too many bots, or too few matches (--intervals draws them where it can)"
    disputes = [(row.label, other) for row in rows for other in row.disputes]
    for lower, upper in disputes[:MOST_NAMED]:
        yield f"the methods disagree: {upper} is ranked above {lower}, the fit says below"
    if (unnamed := len(disputes) - MOST_NAMED) > 0:
        yield f"… and {counted(unnamed, 'more pair')}; --format json has all"
