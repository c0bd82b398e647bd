"""`arena league create`."""

import shlex
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.confinement import starting
from arena.cli.base.open_store import reading, warn_of_readers
from arena.cli.base.runner import perform_or_leave, words_of
from arena.cli.display.forecast import show_forecast
from arena.cli.display.league_plan import say_plan, warn_of_search
from arena.cli.display.long_work import busy
from arena.cli.display.tables import Format
from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import answer_json, say
from arena.config.deal_suites import Suite
from arena.core.errors import UsageError
from arena.league.create import Created, create_at
from arena.league.definition.read import LeaguePlan, read_plan
from arena.league.event_files import read_events
from arena.league.forecast.game_size import game_size
from arena.league.forecast.power_analysis import forecast_league
from arena.league.inbox.dispatch import perform_or_leave_with
from arena.league.inbox.new_league import ReplayedLeague, attachment, left_league
from results.base.text import counted
from results.store import StoreHeld, holder_of


def create(
    file: Annotated[
        Path, typer.Argument(help="The league file (TOML), or events exported from a league (.jsonl).")
    ],
    store: options.Store = options.DEFAULT_STORE,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Check everything, and show what would be played and how many matches it takes to separate two bots; "
            "create nothing.",
        ),
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="NAME=VALUE", help="Set an option of the game, overriding the file."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The name of the league; default: the file's.")] = None,
    form: Annotated[
        Format, typer.Option("--format", help="Output format of the forecast of a dry run.")
    ] = Format.TABLE,
    as_command: Annotated[bool, typer.Option("--as-command", hidden=True)] = False,
) -> None:
    """Create a league from a file: store its bots and fix its rules.

    Nothing is played yet. Each bot is started once; if one doesn't start, the command names it with the reason,
    creates nothing, and exits with 3.
    """
    if form is not Format.TABLE and not dry_run:
        raise UsageError("--format is only for dry runs", "add --dry-run, or leave out --format")
    if file.suffix == ".jsonl":
        if dry_run:
            raise UsageError("--dry-run is for league files, not for events", "leave out --dry-run")
        _create_from_events(file, store, name)
        return
    with busy("reading the bots and measuring the game"):
        plan = read_plan(file, option or [], name)
        size = game_size(plan.definition)  # finds errors in the game before anything is stored
    with error_console().status("starting the bots"):
        if as_command:
            with reading(store) as opened:
                answer_json(left_league(opened, plan, say, starting(store)))
        created = None if as_command else _created(store, plan, dry_run=dry_run)
    say_plan(plan, size)
    if created is None:
        return
    league = created.league
    for entry in created.entries:
        if entry.prior:
            start = league.scale.shown(entry.prior)
            say(f"{entry.label} starts at {start}, from its last rating in an earlier league")
    if not league.sealed:
        suite = plan.file.deals if isinstance(plan.file.deals, Suite) else None
        say(
            "not sealed: anyone who knows the seed of the league knows the deals"
            if suite is None
            else f"not rated: anyone can know the {counted(len(suite.seeds), 'deal')} of the suite {suite.name}"
        )
        warn_of_search(plan, created.entries)
    if dry_run:
        _forecast(store, plan, form)
        say("dry run: nothing was created")
        return
    if league.sealed:
        say(f"sealed: the deals follow from a secret whose SHA-256 is {league.commitment}")
        warn_of_readers(store)
    say(
        f"created {league.name!r} in {store}; {_go_on(store, league.name, standing=plan.definition.standing)}"
    )


def _forecast(store: Path, plan: LeaguePlan, form: Format) -> None:
    """Print how many matches tell two bots of the league apart."""
    if plan.definition.counts_scores:
        say(
            "how many matches it takes to separate two bots is known once some are played: arena rankings --explain"
        )
        return
    is_there = store.exists() and store.stat().st_size > 0
    told = busy("estimating how many matches the league needs")
    with reading(store) if is_there else nullcontext() as opened, told:
        forecast = forecast_league(plan.definition, opened)
    show_forecast(plan.definition, forecast, form)


def _created(store: Path, plan: LeaguePlan, *, dry_run: bool) -> Created | None:
    """Create a league, now or through the runner; None if that waits for the runner."""
    try:
        return create_at(store, plan, dry_run=dry_run, say=say, starts=starting(store))
    except StoreHeld as held:
        if dry_run or not held.holder.is_runner:
            raise
    with reading(store) as opened:
        change = left_league(opened, plan, say, starting(store))
    if not perform_or_leave(store, change):
        return None
    with reading(store) as opened:
        league = opened.leagues.get(plan.file.name)
        return Created(league, tuple(opened.entries.all(league.uuid)))


def _create_from_events(file: Path, store: Path, name: str | None) -> None:
    header, events = read_events(file)
    change = partial(ReplayedLeague, str(file), name=name or header.league)
    content = attachment(header, events)
    if words_of(perform_or_leave_with(store, lambda uuid: change(events=uuid), content)):
        matches = counted(header.matches, "match", "matches")
        say(
            f"created {name or header.league!r} in {store}, which plays {matches} of {header.league} "
            f"again; {_go_on(store, name or header.league)}"
        )


def _go_on(store: Path, league: str, *, standing: bool = False) -> str:
    """Return how the league is played: by the runner of all leagues, or by a command."""
    holder = holder_of(store)
    if holder is not None and holder.does.startswith("serves "):
        return f"the runner (process {holder.pid}) plays it"
    run = "run" if standing else f"run {shlex.quote(league)}"
    return f"run it with: arena {run}{options.naming_store(store)}"
