"""`arena league rank`."""

from typing import Annotated

import typer

from arena.cli.changing import make_change
from arena.cli.options import DEFAULT_STORE, ChangedLeague, StoreOption
from arena.config.league_file import RankedBy


def rank(
    league: ChangedLeague,
    by: Annotated[
        RankedBy,
        typer.Option(
            "--by",
            help="`places`: by who finished above whom; `scores`: in points per game.",
            show_default=False,
        ),
    ],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Show strengths by places or by scores beside the ratings, as `[ranking] by` does in a league file.

    Ratings stay as they are, by places. Once the league is over, the ranks are by points if the strengths are.
    """
    from arena.league.changes.commands import Rank

    make_change(store, Rank(league, by))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rank")(rank)
