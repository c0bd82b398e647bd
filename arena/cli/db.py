"""`arena db verify|rebuild|backup|digest|prune`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.exits import OURS
from arena.cli.rankings import LeagueArgument
from arena.cli.storing import DEFAULT_STORE, StoreOption, reading, writing
from arena.cli.terminal import answer, error_console, say, say_error
from results.escaping import json_text

if TYPE_CHECKING:
    from arena.core.replay import Body

app = typer.Typer(help="Look after the results store.", no_args_is_help=True)


def check_body(body: "Body") -> str | None:
    """Return what is wrong with a replay body by the rules, or None."""
    from arena import registry
    from arena.core.errors import ArenaError
    from arena.core.replay import check

    try:
        check(registry.game(str(body.get("game"))), body)
    except ArenaError as error:
        return str(error)
    return None


@app.command()
def verify(store: StoreOption = DEFAULT_STORE) -> None:
    """Compute everything again from the ledger and compare: ratings, totals, fingerprints, replays by the rules."""
    with reading(store) as opened, error_console().status("verifying"):
        findings = opened.verify(check_body=check_body)
    for finding in findings:
        say_error(str(finding))
    if findings:
        say(
            f"{len(findings)} findings; derived tables can be made anew with: arena db rebuild --store {store}"
        )
        raise typer.Exit(OURS)
    answer(f"{store}: all is as the ledger says")


@app.command()
def rebuild(store: StoreOption = DEFAULT_STORE) -> None:
    """Drop ratings and totals, and compute them again from the ledger."""
    with writing(store, create=False) as opened, error_console().status("computing"):
        opened.rebuild()
    answer(f"{store}: ratings and totals made anew")


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Copy the store to a file, whole and consistent, even while a league runs."""
    with reading(store) as opened, error_console().status("copying"):
        opened.backup(target)
    answer(f"{target}: {target.stat().st_size / 1_000_000:.1f} MB")


@app.command()
def digest(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Print two hashes of a league: of all its games, and of its ratings to the last bit."""
    with reading(store) as opened:
        league = opened.league(name)
        hashes = {
            "league": league.name,
            "games": opened.fingerprint_of_league(league.uuid),
            "ratings": opened.ratings_digest(league.uuid),
        }
    typer.echo(json_text(hashes, indent=2))


@app.command()
def prune(
    keep: Annotated[str, typer.Argument(help="Which replays stay: all, faults, 'last N' or none.")],
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Drop replays of a league to save room; its games, logs, ratings and totals stay."""
    with writing(store, create=False) as opened:
        league = opened.league(name)
        dropped = opened.prune(league.uuid, keep)
    answer(f"{league.name}: {dropped} replays dropped")
