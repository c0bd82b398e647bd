"""`arena league create`."""

import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.change_now_or_queue import perform_or_leave, words_of
from arena.cli.base.confinement import starting
from arena.cli.base.open_store import reading, warn_of_readers
from arena.cli.display.long_work import busy
from arena.cli.display.matches_needed import say_league_forecast
from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import answer_json, hint, say, warn
from arena.config.deal_suites import Suite
from arena.config.toml import line_of, placed
from arena.core.errors import UsageError
from arena.league.create import Created, create_at
from arena.league.definition.checked_definition import Definition, how_long
from arena.league.definition.entries import Source
from arena.league.definition.league_secret import search_warning
from arena.league.definition.read import LeaguePlan, read_plan
from arena.league.export_and_import import read_events
from arena.league.forecast.power_analysis import forecast_league
from arena.league.forecast.trial_games import tied_games
from arena.league.inbox.dispatch import perform_or_leave_with
from arena.league.inbox.new_league import ReplayedLeague, attachment, left_league
from arena.submissions.manifest import bundled_bots
from results.base.text import counted
from results.records import EntryRecord
from results.store import StoreHeld, holder_of


def create(
    file: Annotated[Path, typer.Argument()],
    store: options.Store = options.DEFAULT_STORE,
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE")] = None,
    name: str | None = None,
    as_command: Annotated[bool, typer.Option("--as-command", hidden=True)] = False,
) -> None:
    """Create a league from a file: store its bots and fix its rules.

    Nothing is played yet. Each bot is started once; if one doesn't start, the command names it with the reason,
    creates nothing, and exits with 3.

    Options:
        file: The league file (TOML), or events exported from a league (.jsonl).
        dry_run: Check everything, and show what would be played and how many matches it takes to separate two bots;
            create nothing.
        option: Set an option of the game, overriding the file.
        name: The name of the league; default: the file's.
    """
    if file.suffix == ".jsonl":
        if dry_run:
            raise UsageError("--dry-run is for league files, not for events", "leave out --dry-run")
        _create_from_events(file, store, name)
        return
    with busy("reading the bots and trying the game"):
        plan = read_plan(file, option or [], name)
        tied = tied_games(plan.definition)  # finds errors in the game before anything is stored
    with error_console().status("starting the bots"):
        if as_command:
            with reading(store) as opened:
                answer_json(left_league(opened, plan, say, starting(store)))
        created = None if as_command else _created(store, plan, dry_run=dry_run)
    say_plan(plan, tied)
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
        _warn_of_search(plan, created.entries)
    if dry_run:
        _forecast(store, plan)
        say("dry run: nothing was created")
        return
    if league.sealed:
        say(f"sealed: the deals follow from a secret whose SHA-256 is {league.commitment}")
        warn_of_readers(store)
    say(
        f"created {league.name!r} in {store}; {_go_on(store, league.name, standing=plan.definition.standing)}"
    )


def _forecast(store: Path, plan: LeaguePlan) -> None:
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
    say_league_forecast(plan.definition, forecast)


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


MOST_WARNINGS = 5
MOST_BOTS_NAMED = 3
"""Bots named in one warning."""


def _warn_of_search(plan: LeaguePlan, entries: Sequence[EntryRecord]) -> None:
    """Warn of a seed short enough for bots to search, unless all bots are the organiser's own."""
    seed = plan.file.seed
    if seed is not None and not _has_own_bots_only(plan, entries) and (searched := search_warning(seed)):
        warn(searched)
        hint("remove `seed` unless you trust all bots")


def _has_own_bots_only(plan: LeaguePlan, entries: Sequence[EntryRecord]) -> bool:
    """Return whether one author wrote all bots but those of Arena, in a league that nobody joins while it goes on."""
    arenas, authors = bundled_bots(), set()
    for source, entry in zip(plan.sources, entries, strict=True):
        if entry.version is None:
            return False
        if source.folder is None or not source.folder.resolve().is_relative_to(arenas):
            authors.add(entry.version.author)
    return len(authors) <= 1 and not plan.definition.endless


def _warn_of_duplicates(plan: LeaguePlan) -> None:
    """Warn of bots that several `[[bots]]` tables list, such as overlapping globs. A label shows that it is wanted."""
    first: dict[tuple[object, tuple[str, ...]], Source] = {}
    again: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for source in plan.sources:
        bot = source.version if source.folder is None else source.folder.resolve()
        before = first.setdefault((bot, source.args), source)
        if before is not source and source.label is None:
            again.setdefault((before.keys, source.keys), []).append(source.named)
    for (before_at, now_at), bots in list(again.items())[:MOST_WARNINGS]:
        line, line_before = (line_of(plan.text, keys) for keys in (now_at, before_at))
        more = len(bots) - MOST_BOTS_NAMED
        named = ", ".join(bots[:MOST_BOTS_NAMED]) + (f" and {more} more" if more > 0 else "")
        warn(
            f"{plan.name}:{line}: {named} {'is' if len(bots) == 1 else 'are'} already listed on line {line_before} "
            f"and will {'play' if len(bots) == 1 else 'each play'} as two entries"
        )
    if len(again) > MOST_WARNINGS:
        warn(f"{plan.name}: {len(again) - MOST_WARNINGS} more warnings like these")
    if again:
        hint("list each bot once, or give the second entry a `label` if you want both")


def say_plan(plan: LeaguePlan, tied: int) -> None:
    """Print what a league will play; warn of bots listed twice, and of a game whose `tied` trial games all tied."""
    _warn_of_duplicates(plan)
    definition = plan.definition
    for remark in definition.remarks():  # settings of the schedule that do something else in this field
        warn(placed(plan.name, plan.text, remark.keys, remark.words))
    say(
        f"{plan.file.name}: {definition.game.info.name} · {definition.ruleset.name} · "
        f"{definition.in_words(len(plan.sources))} · {definition.schedule.name} · {_dealt(definition)}: "
        f"{how_long(definition)}"
    )
    if definition.awaits_entries:
        say(f"it waits until there are enough bots for {definition.field.table(min(definition.field.seats))}")
    _say_authors(plan)
    if tied and not definition.counts_scores:
        warn(
            f"all seats of {definition.game.info.title} had the same score in each of {tied} games between "
            "random players; if they always do, every game is a tie, and rankings mean nothing"
        )
        hint("if they share one score by the rules, the game says so: shared_score = True in its GameInfo")


def _dealt(definition: Definition) -> str:
    """Return how a league deals, in a few words."""
    rotations = f"rotations {definition.rotations}"
    if not definition.counts_scores:
        return rotations
    return "the same deals for all" + (f" · {rotations}" if max(definition.field.seats) > 1 else "")


def _say_authors(plan: LeaguePlan) -> None:
    """Say whose bots are kept apart, as that makes fewer matches, and what it means for the end of the league."""
    definition = plan.definition
    of_author: dict[str, list[int]] = {}
    for number, author in definition.field.authors.items():
        of_author.setdefault(author, []).append(number)
    several = [(author, numbers) for author, numbers in sorted(of_author.items()) if len(numbers) > 1]
    if not several:
        return
    named = []
    for author, numbers in several[:MOST_BOTS_NAMED]:
        bots = [definition.field.labels.get(number, plan.sources[number].named) for number in numbers]
        more = f" and {len(bots) - MOST_BOTS_NAMED} more" if len(bots) > MOST_BOTS_NAMED else ""
        named.append(f"{', '.join(bots[:MOST_BOTS_NAMED])}{more} by {author}")
    if len(several) > MOST_BOTS_NAMED:
        named.append(f"those of {counted(len(several) - MOST_BOTS_NAMED, 'other author')}")
    said = f"bots of one author are kept apart, or their matches aren't rated: {'; '.join(named)}"
    if plan.file.stop.until != "settled":
        say(said)
        rates = "" if isinstance(plan.file.deals, Suite) else " and rates their matches"
        hint(f"same_author = true lets them meet{rates}")
        return
    say(
        f"{said}. If two of them are neighbours in the rankings, their order never settles, and the league plays until "
        "another limit ends it"
    )
    hint("set same_author = true if you trust the authors, or add bots by others with strengths between them")
