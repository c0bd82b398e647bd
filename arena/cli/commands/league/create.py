"""`arena league create`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.consoles import error_console
from arena.cli.display.league_plan import say_plan, warn_of_search
from arena.cli.messages import say
from arena.cli.open_store import writing
from arena.cli.options import DEFAULT_STORE, StoreOption, naming_store


def create(
    file: Annotated[
        Path, typer.Argument(help="The league file (TOML), or events exported from a league (.jsonl).")
    ],
    store: StoreOption = DEFAULT_STORE,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check everything and show what would be played; create nothing."),
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="NAME=VALUE", help="Set an option of the game, overriding the file."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The name of the league; default: the file's.")
    ] = None,
) -> None:
    """Create a league: store its bots and fix its rules. Nothing is played yet."""
    if file.suffix == ".jsonl":
        _create_from_events(file, store, name)
        return
    from arena.league.create import create_at, read_plan
    from arena.league.footprint import footprint

    with error_console().status("reading the bots"):
        plan = read_plan(file, option or [], name)
        size = footprint(
            plan.definition
        )  # plays the game, so it finds errors in the game before anything is stored
        created = create_at(store, plan, dry_run=dry_run)
    league = created.league
    say_plan(plan, size)
    for entry in created.entries:
        if entry.prior:
            start = league.scale.shown(entry.prior)
            say(f"{entry.label} starts at {start}, from its last rating in an earlier league")
    if not league.sealed:
        say("not sealed: anyone who knows the league's seed knows the deals")
        warn_of_search(plan)
    if dry_run:
        say("dry run: nothing was created")
        return
    if league.sealed:
        say(f"sealed: the deals follow from a secret whose SHA-256 is {league.commitment}")
    run = "run" if plan.definition.standing else f"league run {shlex.quote(league.name)}"
    say(f"created {league.name!r} in {store}; run it with: arena {run}{naming_store(store)}")


def _create_from_events(file: Path, store: Path, name: str | None) -> None:
    from arena.league.event_file import create_from_events, read_events

    header, events = read_events(file)
    with writing(store, create=False) as opened:
        league = create_from_events(opened, header, events, name)
    go_on = f"arena league run {shlex.quote(league.name)}{naming_store(store)}"
    say(
        f"created {league.name!r} in {store}, which plays {header.matches} matches of {header.league} again; {go_on}"
    )
