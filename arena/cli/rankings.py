"""`arena rankings`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.storing import DEFAULT_STORE, StoreOption, reading
from arena.cli.terminal import Column, Format, FormatOption, console, list_rows, print_line, print_table
from results.scoring import LEAST_MATCHES

if TYPE_CHECKING:
    from rich.console import Console

    from results.kept_fit import KeptFit
    from results.records import LeagueRecord
    from results.reports import Standing
    from results.store import Store

LeagueArgument = Annotated[
    str | None, typer.Argument(help="The league's name; left out: the store's only or newest league.")
]

COLUMNS = (
    Column("place", "#", right=True, priority=1),
    Column("name", "bot", priority=0),
    Column("mu", "μ", 2, priority=7),
    Column("sigma", "σ", 2, priority=7),
    Column("conservative", "μ−3σ", 2, priority=2),
    Column("fit", "fit", right=True, priority=3),
    Column("matches", "matches", right=True, priority=5),
    Column("games", "games", right=True, priority=7),
    Column("wins", "wins", 1, priority=8),
    Column("share", "share %", 1, priority=4),
    Column("faults", "faults", right=True, priority=6),
)
"""In tables."""

KEYS = tuple(
    Column(key, key)
    for key in (
        *("rank", "label", "mu", "sigma", "conservative", "matches", "games", "wins", "share", "faults"),
        *("elo", "elo_low", "elo_high", "fit_rank", "fit_through", "apart", "disputes", "needs", "retired"),
        "version",
    )
)
"""In all other formats."""

MOST_NAMED = 3
"""Bots, or pairs of bots, that are named in a note below the table; the other formats have all."""


def columns(rows: list[dict[str, Any]]) -> tuple[Column, ...]:
    """Return the columns of the rankings as a table: without the fit's where there is none, else closer together."""
    if not rows:
        return COLUMNS[:2]
    if not any(row["fit"] for row in rows):
        return tuple(column for column in COLUMNS if column.key != "fit")
    return tuple(replace(column, title=column.title.replace(" ", "\n")) for column in COLUMNS)


def ranking_rows(
    store: "Store", league: "LeagueRecord", kept: "KeptFit | None" = None, least_matches: int = LEAST_MATCHES
) -> list[dict[str, Any]]:
    """Return the rankings of a league, best first: read from derived tables only.

    `kept`: an order-free fit to be shown beside · `least_matches`: with fewer an entry has no rank.
    """
    from results.standings import ranked

    standings = ranked(store.standings(league.uuid), least_matches)
    strengths = {} if kept is None else {one.entry_no: one for one in kept.fit.strengths}
    fitted = [row for row in standings if row.matches >= least_matches and row.entry_no in strengths]
    by_fit = sorted(strengths[row.entry_no].elo for row in fitted)
    rows = []
    above: list[Standing] = []
    for row in standings:
        is_ranked = row.matches >= max(1, least_matches)
        strength = strengths.get(row.entry_no)
        surely = (strength.surely_above if strength else None) or ()
        is_fitted = is_ranked and strength is not None
        rows.append(
            {
                "rank": row.place if is_ranked else None,
                "label": row.label,
                "mu": row.mu,
                "sigma": row.sigma,
                "conservative": row.conservative,
                "matches": row.matches,
                "games": row.games,
                "wins": row.wins,
                "share": None if row.share is None else 100 * row.share,
                "faults": row.faults,
                "version": row.version,
                "elo": strength.elo if strength else None,
                "elo_low": strength.low if strength else None,
                "elo_high": strength.high if strength else None,
                "fit_rank": 1 + sum(elo > strength.elo for elo in by_fit) if strength and is_fitted else None,
                "fit_through": kept.through if kept and strength else None,
                "apart": _are_apart(strengths, above[-1], row) if is_fitted and above else None,
                "disputes": [other.label for other in above if is_ranked and other.entry_no in surely],
                "needs": 0 if is_ranked else max(1, least_matches) - row.matches,
                "retired": row.retired,
            }
        )
        above.append(row)
    return [row | _shown(row) for row in rows]


def _are_apart(strengths: dict[int, Any], upper: "Standing", lower: "Standing") -> bool | None:
    """Return whether it is sure which of two is stronger; None where no intervals were drawn."""
    first, second = strengths.get(upper.entry_no), strengths[lower.entry_no]
    if first is None or first.surely_above is None or second.surely_above is None:
        return None
    return lower.entry_no in first.surely_above or upper.entry_no in second.surely_above


def _shown(row: dict[str, Any]) -> dict[str, str]:
    """Return the cells that only tables have."""
    rank = "–" if row["rank"] is None else f"{'≈' if row['apart'] is False else ''}{row['rank']}"
    gone = " (retired)" if row["retired"] else ""
    fit = "" if row["elo"] is None else f"{round(row['elo']):+d}"
    if row["elo_low"] is not None:
        fit += f"±{(row['elo_high'] - row['elo_low']) / 2:.0f}"
    return {"place": rank, "name": row["label"] + gone, "fit": fit}


def heading(store: "Store", league: "LeagueRecord") -> str:
    """Return the line above a league's tables: name, rules, how far it is, state, isolation of its bots."""
    progress = store.progress(league.uuid)
    rules = f"{league.ruleset.game} · {league.ruleset.name}" if league.ruleset else "single games"
    sealed = "" if league.sealed else " · not sealed"
    level = lowest_sandbox(store.sandbox_levels(league.uuid))
    sandbox = f" · sandbox {level}" if level else ""
    return f"{league.name}: {rules} · {progress.games_done} games · {league.state}{sealed}{sandbox}"


def lowest_sandbox(levels: Sequence[str]) -> str | None:
    """Return the weakest of these levels of isolation, None of none; an unknown word is weaker than all."""
    from arena.sandbox.levels import Level

    strength = {level.word: level.value for level in Level}
    return min(levels, key=lambda word: (strength.get(word, -1), word), default=None)


def notes(
    rows: list[dict[str, Any]], kept: "KeptFit | None", counted: int, least_matches: int = LEAST_MATCHES
) -> Iterator[str]:
    """Return the lines below the table: what its signs mean, how old the fit is, where the methods disagree.

    `counted`: the number of matches that are in the rankings.
    """
    waiting = [f"{row['label']} needs {row['needs']} more" for row in rows if row["needs"]]
    if waiting and counted:
        unnamed = len(waiting) - MOST_NAMED
        more = f", and {unnamed} more {'bot' if unnamed == 1 else 'bots'}" if unnamed > 0 else ""
        yield f"–: no rank below {least_matches} matches: {', '.join(waiting[:MOST_NAMED])}{more}"
    if any(row["apart"] is False for row in rows):
        yield "≈: not told apart from the bot above it, at 95 %"
    if kept is None:
        if counted:
            yield "--fit adds strengths fitted to all matches at once, with intervals"
        return
    yield "fit: Bradley–Terry over all matches at once, Elo points from the mean, ± 95 %"
    if kept.through < counted:
        yield f"the fit has the matches below number {kept.through}, of {counted}: --fit takes all"
    if kept.fit.strengths and not kept.fit.draws:
        yield "no intervals: too many bots, or too few matches (--intervals draws them where it can)"
    disputes = [(row["label"], other) for row in rows for other in row["disputes"]]
    for lower, upper in disputes[:MOST_NAMED]:
        yield f"the methods disagree: {upper} is ranked above {lower}, the fit says below"
    if (unnamed := len(disputes) - MOST_NAMED) > 0:
        yield f"… and {unnamed} more {'pair' if unnamed == 1 else 'pairs'}; --format json has all"


def print_rankings(
    out: "Console",
    store: "Store",
    league: "LeagueRecord",
    kept: "KeptFit | None",
    least_matches: int = LEAST_MATCHES,
) -> None:
    """Print the rankings as a table, with its notes."""
    rows = ranking_rows(store, league, kept, least_matches)
    print_line(out, heading(store, league), "bold")
    print_table(out, columns(rows), rows)
    for note in notes(rows, kept, store.progress(league.uuid).matches_counted, least_matches):
        print_line(out, note, "dim")


def rankings(
    name: LeagueArgument = None,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            help="Fit strengths to all matches anew, which takes some seconds; they are kept and shown from then on.",
        ),
    ] = False,
    intervals: Annotated[
        bool,
        typer.Option("--intervals", help="Likewise, and draw intervals however many bots there are."),
    ] = False,
    least_matches: Annotated[
        int, typer.Option("--min-matches", min=1, help="With fewer matches a bot has no rank yet.")
    ] = LEAST_MATCHES,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show a league's rankings: ratings, matches, games, wins, share of the points, faults.

    Beside the ratings stands the order-free fit with its intervals: made once when the league is over, and before that
    whenever it is asked for.
    """
    from results.kept_fit import kept_fit, new_fit

    with reading(store) as opened:
        league = opened.league(name)
        if fit or intervals:
            kept: KeptFit | None = new_fit(opened, league.uuid, intervals=intervals)
        else:
            kept = kept_fit(opened, league.uuid)
            if form is Format.TABLE and _is_due(opened, league, kept, least_matches):
                kept = new_fit(opened, league.uuid)
        if form is Format.TABLE:
            print_rankings(console(), opened, league, kept, least_matches)
        else:
            list_rows(KEYS, ranking_rows(opened, league, kept, least_matches), form)


def _is_due(store: "Store", league: "LeagueRecord", kept: "KeptFit | None", least_matches: int) -> bool:
    """Return whether a league that is over has ranks to be held against a fit, and none that is up to date."""
    if league.state != "finished":
        return False
    if kept is not None and kept.through == store.progress(league.uuid).matches_counted:
        return False
    return any(row.matches >= least_matches for row in store.standings(league.uuid))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rankings")(rankings)
