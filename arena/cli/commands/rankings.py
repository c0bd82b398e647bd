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
