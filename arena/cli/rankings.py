"""`arena rankings`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.storing import DEFAULT_STORE, StoreOption, reading
from arena.cli.terminal import Column, Format, FormatOption, list_rows

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store

LeagueArgument = Annotated[
    str | None, typer.Argument(help="The league's name; left out: the store's only or newest league.")
]

COLUMNS = (
    Column("rank", "#", right=True),
    Column("label", "bot", wide=True),
    Column("mu", "μ", 2),
    Column("sigma", "σ", 2),
    Column("conservative", "μ−3σ", 2),
    Column("matches", "matches", right=True),
    Column("games", "games", right=True),
    Column("wins", "wins", 1),
    Column("share", "share %", 1),
    Column("faults", "faults", right=True),
)


def columns(rows: list[dict[str, Any]]) -> tuple[Column, ...]:
    """Return the columns of the rankings."""
    return COLUMNS if rows else COLUMNS[:2]


def ranking_rows(store: "Store", league: "LeagueRecord") -> list[dict[str, Any]]:
    """Return the rankings of a league, best first: read from derived tables only."""
    return [
        {
            "rank": row.place if row.matches else None,
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
        }
        for row in store.standings(league.uuid)
    ]


def heading(store: "Store", league: "LeagueRecord") -> str:
    """Return the line above a league's tables: its name, rules, state and how far it is."""
    progress = store.progress(league.uuid)
    rules = f"{league.ruleset.game} · {league.ruleset.name}" if league.ruleset else "single games"
    sealed = "" if league.sealed else " · not sealed"
    return f"{league.name}: {rules} · {progress.games_done} games · {league.state}{sealed}"


def rankings(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show a league's rankings: ratings, matches, games, wins, share of the points, faults."""
    with reading(store) as opened:
        league = opened.league(name)
        rows = ranking_rows(opened, league)
        list_rows(columns(rows), rows, form, heading(opened, league))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rankings")(rankings)
