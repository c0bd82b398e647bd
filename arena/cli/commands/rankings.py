"""`arena rankings`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.display.rating_columns import fitted_to
from arena.cli.display.tables import (
    Column,
    Format,
    FormatOption,
    console,
    counted,
    list_rows,
    print_line,
    print_table,
)
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading
from results.scoring import LEAST_MATCHES

if TYPE_CHECKING:
    from rich.console import Console

    from results.analysis.fit_cache import KeptFit
    from results.query_rows import Standing
    from results.ratings.base import Scale
    from results.records import LeagueRecord
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
        *(
            "fit_elo",
            "fit_elo_low",
            "fit_elo_high",
            "fit_share",
            "fit_rank",
            "fit_through",
            "apart",
            "disputes",
            "needs",
            "retired",
        ),
        "version",
    )
)
"""In CSV and JSON."""

MOST_NAMED = 3
"""Bots, or pairs of bots, that are named in a note below the table; the other formats have all."""


def columns(scale: "Scale", rows: list[dict[str, Any]]) -> tuple[Column, ...]:
    """Return the columns of the rankings as a table: without the fit's where there is none, else closer together."""
    if not rows:
        return COLUMNS[:2]
    all_columns = fitted_to(scale, COLUMNS)
    if not any(row["fit"] for row in rows):
        return tuple(column for column in all_columns if column.key != "fit")
    return tuple(replace(column, title=column.title.replace(" ", "\n")) for column in all_columns)


def ranking_rows(
    store: "Store", league: "LeagueRecord", kept: "KeptFit | None" = None, least_matches: int | None = None
) -> list[dict[str, Any]]:
    """Return the rankings of a league, best first: read from derived tables only.

    `kept`: an order-free fit to be shown beside · `least_matches`: with fewer an entry has no rank; None: as
    `least_of` says.
    """
    from results.analysis.fit import share_of
    from results.standings import ranked

    least_matches = least_of(league, least_matches)
    standings = ranked(store.ratings.standings(league.uuid), least_matches)
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
                "sigma": row.sigma if league.scale.has_sigma else None,
                "conservative": row.conservative,
                "matches": row.matches,
                "games": row.games,
                "wins": row.wins,
                "share": None if row.share is None else 100 * row.share,
                "faults": row.faults,
                "version": row.version,
                "fit_elo": strength.elo if strength else None,
                "fit_elo_low": strength.low if strength else None,
                "fit_elo_high": strength.high if strength else None,
                "fit_share": 100 * share_of(strength.elo) if strength else None,
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


def least_of(league: "LeagueRecord", given: int | None) -> int:
    """Return the matches that an entry needs for a rank: what was given, or else what suits the league.

    While a league runs, few matches say little. Once it is finished, everybody who played has a rank, and the
    fit's intervals tell how sure it is.
    """
    if given is not None:
        return given
    return 1 if league.state == "finished" else LEAST_MATCHES


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
    fit = "" if row["fit_elo"] is None else f"{round(row['fit_elo']):+d}"
    if row["fit_elo_low"] is not None:
        fit += f"±{(row['fit_elo_high'] - row['fit_elo_low']) / 2:.0f}"
    return {"place": rank, "name": row["label"] + gone, "fit": fit}


def heading(store: "Store", league: "LeagueRecord") -> str:
    """Return the line above a league's tables: name, rules, how far it is, state, isolation of its bots."""
    progress = store.leagues.progress(league.uuid)
    rules = f"{league.ruleset.game} · {league.ruleset.name}" if league.ruleset else "single games"
    sealed = "" if league.sealed else " · not sealed"
    level = lowest_sandbox(store.games.sandbox_levels(league.uuid))
    sandbox = f" · sandbox {level}" if level else ""
    state = f" · {word}" if (word := state_of(league)) else ""
    return f"{league.name}: {rules} · {counted(progress.games_done, 'game')}{state}{sealed}{sandbox}"


def state_of(league: "LeagueRecord") -> str | None:
    """Return the state of a league; None for `casual`, which takes single games at any time and never ends."""
    return league.state if league.ruleset else None


def lowest_sandbox(levels: Sequence[str]) -> str | None:
    """Return the weakest of these levels of isolation, None of none; an unknown word is weaker than all."""
    from results.isolation import weakest

    return weakest(levels)


def notes(
    rows: list[dict[str, Any]], kept: "KeptFit | None", rated: int, least_matches: int = LEAST_MATCHES
) -> Iterator[str]:
    """Return the lines below the table: what its signs mean, how old the fit is, where the methods disagree.

    `rated`: the number of matches that are in the rankings.
    """
    waiting = [f"{row['label']} needs {row['needs']} more" for row in rows if row["needs"]]
    if waiting and rated:
        unnamed = len(waiting) - MOST_NAMED
        more = f", and {counted(unnamed, 'more bot')}" if unnamed > 0 else ""
        yield f"–: no rank below {counted(least_matches, 'match', 'matches')}: {', '.join(waiting[:MOST_NAMED])}{more}"
    if any(row["apart"] is False for row in rows):
        yield "≈: not told apart from the bot above it, at 95 %"
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
    disputes = [(row["label"], other) for row in rows for other in row["disputes"]]
    for lower, upper in disputes[:MOST_NAMED]:
        yield f"the methods disagree: {upper} is ranked above {lower}, the fit says below"
    if (unnamed := len(disputes) - MOST_NAMED) > 0:
        yield f"… and {counted(unnamed, 'more pair')}; --format json has all"


def print_rankings(
    out: "Console",
    store: "Store",
    league: "LeagueRecord",
    kept: "KeptFit | None",
    least_matches: int | None = None,
) -> None:
    """Print the rankings as a table, with its notes."""
    rows = ranking_rows(store, league, kept, least_matches)
    print_line(out, heading(store, league), "bold")
    print_table(out, columns(league.scale, rows), rows)
    rated = store.leagues.progress(league.uuid).matches_counted
    for note in notes(rows, kept, rated, least_of(league, least_matches)):
        print_line(out, note, "dim")


def rankings(
    name: LeagueArgument = None,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            help="Refit expected shares of matches, ties as halves, to all matches; it takes some seconds, and "
            "the fit is kept and shown from then on.",
        ),
    ] = False,
    intervals: Annotated[
        bool,
        typer.Option("--intervals", help="Like --fit, with intervals for any number of bots."),
    ] = False,
    least_matches: Annotated[
        int | None,
        typer.Option(
            "--min-matches",
            min=1,
            help=f"With fewer matches a bot has no rank; default: {LEAST_MATCHES} while the league runs, 1 once it is "
            "finished.",
        ),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show a league's rankings: ratings, matches, games, wins, share of the points, faults.

    Beside the ratings stands the fit: the share of matches, ties counted as halves, that each bot is expected to take,
    with 95 % intervals. It is made when the table of a finished league is first shown, and at any other time by --fit.
    CSV and JSON have the fit that was made last.
    """
    from results.analysis.fit_cache import kept_fit, new_fit

    with reading(store) as opened:
        league = opened.leagues.get(name)
        if fit or intervals:
            kept: KeptFit | None = new_fit(opened, league.uuid, intervals=intervals)
        else:
            kept = kept_fit(opened, league.uuid)
            if form in (Format.TABLE, Format.MD) and _is_due(opened, league, kept, least_matches):
                kept = new_fit(opened, league.uuid)
        if form is Format.TABLE:
            print_rankings(console(), opened, league, kept, least_matches)
        else:
            rows = ranking_rows(opened, league, kept, least_matches)
            list_rows(columns(league.scale, rows) if form is Format.MD else KEYS, rows, form)


def _is_due(store: "Store", league: "LeagueRecord", kept: "KeptFit | None", given: int | None) -> bool:
    """Return whether a league that is over has ranks to be held against a fit, and none that is up to date."""
    if league.state != "finished":
        return False
    if kept is not None and kept.through == store.leagues.progress(league.uuid).matches_counted:
        return False
    return any(row.matches >= least_of(league, given) for row in store.ratings.standings(league.uuid))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rankings")(rankings)
