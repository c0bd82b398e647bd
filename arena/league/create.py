"""Creates a league from a league file: checks everything, enters every bot, then writes the ledger."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from arena.config.deal_suites import Suite
from arena.config.league_file import LeagueFile
from arena.config.mistakes import at_key, in_file
from arena.league.definition.checked_definition import Lineup, authors_of
from arena.league.definition.entries import Bot, enter_all, look_at_all, to_start
from arena.league.definition.league_secret import secret_of
from arena.league.definition.rating import with_predecessors, with_priors
from arena.league.definition.read import LeaguePlan
from arena.league.definition.stored import config_of
from arena.league.running.league_isolation import confine
from arena.submissions.build import Builder, Say, silently
from arena.submissions.launch_spec import ToStart
from arena.submissions.staging import staging_folder, sweep
from results.records import EntryRecord, LeagueRecord, RulesetRecord
from results.store import (
    Store,
    StoreHeld,
    check_place,
    files_beside,
    holding,
    new_store,
    open_store,
    refuse_read_only,
)


class Created(Struct, frozen=True):
    """A league that was created, or would have been without `dry_run`."""

    league: LeagueRecord
    entries: tuple[EntryRecord, ...]


Starts = Callable[[Sequence[ToStart], LeagueFile], None]
"""Starts bots once as a league with this file would. Raises UsageError if one doesn't start."""


def untried(_bots: Sequence[ToStart], _file: LeagueFile) -> None:
    """Start no bot: a `Starts`."""


def create(store: Store, planned: LeaguePlan) -> LeagueRecord:
    """Enter the bots and create the league. Raises UsageError or LedgerError; then nothing has changed."""
    with staging_folder(store.files, store.path) as staging:
        return _create(store, planned, staging).league


def create_at(
    path: Path, planned: LeaguePlan, *, dry_run: bool = False, say: Say = silently, starts: Starts = untried
) -> Created:
    """Create a league in the store at `path`; create the store if there is none.

    A `dry_run` does all of it and then undoes it. `say` is told which bots are being built. `starts` starts the bots
    before anything is written. Raises UsageError,
    ArenaError, such as StoreHeld while another process writes to the store; then nothing has changed. A
    process killed here leaves at most a folder beside the store, which the next call removes.
    """
    check_place(path, create=True)
    if dry_run:
        with TemporaryDirectory(prefix="arena-dry-run-") as scratch, _tried(path, Path(scratch)) as store:
            return _create(store, planned, Path(scratch), say, starts, keep=False)
    refuse_read_only(path)
    files = files_beside(path)
    with holding(path):
        sweep(files, path)
        with staging_folder(files, path) as staging, _opened(path, staging) as store:
            return _create(store, planned, staging, say, starts)


@contextmanager
def _tried(path: Path, scratch: Path) -> Iterator[Store]:
    """Open the store for changes that are undone; a copy of it while another process writes to it."""
    if not path.exists():
        with _opened(path, scratch, keep=False) as store:
            yield store
        return
    with ExitStack() as held:
        try:
            held.enter_context(holding(path))
        except StoreHeld:
            with open_store(path, readonly=True) as of_others:
                of_others.backup(scratch / "copy.sqlite")
            store = open_store(scratch / "copy.sqlite", known_as=path)
        else:
            open_store(path, readonly=True).close()  # refuses a store that needs an upgrade first
            store = open_store(path, create=True)
        yield held.enter_context(store)


@contextmanager
def _opened(path: Path, growing: Path, *, keep: bool = True) -> Iterator[Store]:
    """Open the store, or create one in the folder `growing`; if `keep`, it moves to `path` at the end."""
    if path.exists():
        with open_store(path, create=True) as store:
            yield store
    else:
        with new_store(path, growing / "new.sqlite", keep=keep) as store:
            yield store


class _Undo(Exception):
    """Rolls a transaction back."""


def _create(
    store: Store,
    planned: LeaguePlan,
    staging: Path,
    say: Say = silently,
    starts: Starts = untried,
    *,
    keep: bool = True,
) -> Created:
    """Create a league in one transaction; roll it back unless `keep`."""
    created = None
    with in_file(planned.name, planned.text), suppress(_Undo):
        with at_key("name"):
            store.leagues.check_new_name(planned.file.name)
        bots = started_bots(store, planned, staging, builder_for(store, planned, say), starts)
        with store.together():
            created = _enter(store, planned, bots)
            if not keep:
                raise _Undo
    if created is None:
        raise AssertionError("the transaction created no league")
    return created


def started_bots(
    store: Store, planned: LeaguePlan, staging: Path, builder: Builder, starts: Starts
) -> list[Bot]:
    """Return the bot of each of a plan's sources, read, built and started once; as `Builder.built`."""
    game = planned.definition.game.info.name
    bots = look_at_all(planned.sources, store, game, staging, builder)
    if to_try := to_start(planned.sources, bots, store, planned.file):
        starts(to_try, planned.file)
    return bots


def builder_for(store: Store, planned: LeaguePlan, say: Say) -> Builder:
    """Return what builds a league's bots, confined as its file says, and tells `say`."""
    wanted = planned.file.sandbox
    return Builder(store.files, lambda: confine(store.path, wanted)[0], say)


def create_with(store: Store, planned: LeaguePlan, bots: Sequence[Bot]) -> LeagueRecord:
    """Create a league of bots that have been read. Raises UsageError or LedgerError, and changes nothing."""
    with in_file(planned.name, planned.text), store.together():
        return _enter(store, planned, bots).league


def _enter(store: Store, planned: LeaguePlan, bots: Sequence[Bot]) -> Created:
    file, chosen = planned.file, planned.definition.ruleset
    specs, versions = enter_all(planned.sources, bots, store)
    authors = authors_of(
        {
            entry_no: versions[spec.version_id]
            for entry_no, spec in enumerate(specs)
            if spec.version_id is not None
        }
    )
    rating, rater = planned.rating, planned.rater
    labels = {entry_no: spec.label for entry_no, spec in enumerate(specs)}
    teams = planned.definition.partners.teams
    planned.definition.with_lineup(Lineup(authors, labels, scale=rater.scale, teams=teams))
    rules = RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key)
    specs = with_predecessors(specs, versions)
    config = {
        **config_of(file, planned.definition.partners),
        "rating": rating.as_stored(),
        "rotations": planned.definition.rotations,  # so that a game may change its default
    }
    if rating.table.inherit:
        specs = with_priors(store, specs, versions, rules, rater, config)
    with at_key("name"):
        league = store.leagues.create(
            name=file.name,
            config=config,
            ruleset=rules,
            entries=specs,
            secret=secret_of(file),
            rated=not isinstance(file.deals, Suite),
            rating=rater.system.name,
            rating_options=rater.options,
            keep_replays=file.keep_replays,
            traits=planned.definition.schedule.traits,
        )
    return Created(league, tuple(store.entries.all(league.uuid)))
