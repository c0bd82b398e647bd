"""`arena rankings`."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.consoles import console
from arena.cli.display.rankings import columns, print_rankings
from arena.cli.display.tables import Format, list_rows
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, FormatOption, LeagueArgument, StoreOption
from results.scoring import LEAST_MATCHES

if TYPE_CHECKING:
    from results.reports.fit_cache import KeptFit


def rankings(
    name: LeagueArgument = None,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            help="Refit strengths to all matches; takes some seconds. The fit is stored and shown from then on.",
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
            help=f"Matches that a bot needs for a rank; default: {LEAST_MATCHES} while the league runs, 1 once it is "
            "finished.",
        ),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show a league's rankings: ratings, matches, games, wins, share, faults.

    The share is the average share of opponents at the table that a bot finished above, with ties counted as half.

    The column `fit` is computed from all matches at once: the expected share of matches, ties as halves, as Elo
    points with 95 % intervals. Arena computes it when it first shows the table of a finished league, and whenever
    you pass --fit. CSV and JSON have the latest fit.
    """
    from results.reports.fit_cache import kept_fit, new_fit
    from results.reports.rankings import RankingRow, is_fit_due, ranking_rows
    from results.reports.rankings import rankings as rankings_of

    with reading(store) as opened:
        league = opened.leagues.get(name)
        if fit or intervals:
            kept: KeptFit | None = new_fit(opened, league.uuid, intervals=intervals)
        else:
            kept = kept_fit(opened, league.uuid)
            if form in (Format.TABLE, Format.MD) and is_fit_due(opened, league, kept, least_matches):
                kept = new_fit(opened, league.uuid)
        if form is Format.TABLE:
            print_rankings(console(), rankings_of(opened, league, kept, least_matches))
        else:
            rows = ranking_rows(opened, league, kept, least_matches)
            list_rows(RankingRow, columns(league.scale, rows), rows, form)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rankings")(rankings)
