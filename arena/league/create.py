"""Creates a league from a league file: checks everything, enters every bot, then writes the ledger."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import structs

from arena import registry
from arena.config.allowed_names import ARENA, check_name
from arena.config.league_file import LeagueFile
from arena.config.reading import LEAGUE_FILE_BOUNDS, keyed, naming, parse_toml
from arena.config.toml import read_text
from arena.league.definition.bot_sources import Source, labels_of, manifests_of, sources
from arena.league.definition.define import (
    Definition,
    Lineup,
    authors_of,
    define,
    parse_options,
)
from arena.league.definition.enter_bots import Bot, enter_all, look_at_all, to_start
from arena.league.definition.key_places import pointing_to_places
from arena.league.definition.priors import with_predecessors, with_priors
from arena.league.definition.rating import RatingPlan, rating_plan, with_draws
from arena.league.definition.seeds import secret_of_seed
from arena.league.running.league_isolation import confine
from arena.submissions.build import Builder, Say, silently
from arena.submissions.programs import ToStart
from arena.submissions.staging import staging, sweep
from results.ratings.rater import Rater
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


@dataclass(frozen=True, slots=True)
class LeaguePlan:
    """A league file that has been read and checked."""

    definition: Definition
    sources: tuple[Source, ...]
    name: str
    """Name of the file, for messages."""
    text: str
    """Text of the file; empty if there is none."""
    rating: RatingPlan
    """As in the file."""
    rater: Rater
    """The same, with the measured draw probability."""

    @property
    def file(self) -> LeagueFile:
        """The file, with the options that override its own."""
        return self.definition.file


def read_plan(path: Path, given_options: Sequence[str] = (), league: str | None = None) -> LeaguePlan:
    """Return the plan of a league file; `given_options` (NAME=VALUE) override its game options, `league` its name.

    Raises UsageError, naming file, key and line. The store is not touched.
    """
    name, text = str(path), read_text(path, LEAGUE_FILE_BOUNDS)
    with pointing_to_places(text):
        file = parse_toml(text, LeagueFile, name)
    if given_options:
        with naming(name, text), keyed("game"):
            game = registry.game(file.game)
        given = parse_options(game, given_options)
        file = structs.replace(file, options={**file.options, **given})
    if league is not None:
        file = structs.replace(file, name=league)
    return plan(file, path.parent, name, text)


def plan(file: LeagueFile, base: Path, name: str, text: str = "") -> LeaguePlan:
    """Return the plan of a league file; its paths are relative to `base`. Raises UsageError."""
    with naming(name, text), pointing_to_places(text):
        found = sources(file.bots, base)
    return plan_of(file, found, name, text)


def plan_of(
    file: LeagueFile, found: Sequence[Source], name: str, text: str = "", draws: float | None = None
) -> LeaguePlan:
    """Return the plan of a league file whose bots have been found; `draws`: its draw probability, if measured before.

    Raises UsageError.
    """
    with naming(name, text), pointing_to_places(text):
        check_name("name", file.name)
        rating = rating_plan(file, name, text)
        scale = rating.rater.scale
        definition = define(file, len(found), name, text, Lineup(scale=scale))
        manifests = manifests_of(found)
        authors = {
            number: manifest.author for number, manifest in manifests.items() if manifest.author != ARENA
        }
        definition = definition.with_lineup(Lineup(authors, labels_of(found, manifests), scale=scale))
        with keyed("rating"):
            rater = with_draws(rating, definition, draws)
    return LeaguePlan(definition, tuple(found), name, text, rating, rater)


@dataclass(frozen=True, slots=True)
class Created:
    """A league that was created, or would have been without `dry_run`."""

    league: LeagueRecord
    entries: tuple[EntryRecord, ...]


Starts = Callable[[Sequence[ToStart], LeagueFile], None]
"""Starts bots once as a league with this file would. Raises UsageError if one doesn't start."""


def untried(_bots: Sequence[ToStart], _file: LeagueFile) -> None:
    """Start no bot: a `Starts`."""


def create(store: Store, planned: LeaguePlan) -> LeagueRecord:
    """Enter the bots and create the league. Raises UsageError or LedgerError; then nothing has changed."""
    with staging(store.files, store.path) as arriving:
        return _create(store, planned, arriving).league


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
        with staging(files, path) as arriving, _opened(path, arriving) as store:
            return _create(store, planned, arriving, say, starts)


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
    arriving: Path,
    say: Say = silently,
    starts: Starts = untried,
    *,
    keep: bool = True,
) -> Created:
    """Create a league in one transaction; roll it back unless `keep`."""
    created = None
    with naming(planned.name, planned.text), suppress(_Undo):
        with keyed("name"):
            store.leagues.check_new_name(planned.file.name)
        bots = started_bots(store, planned, arriving, builder_for(store, planned, say, keeps=keep), starts)
        with store.together():
            created = _enter(store, planned, bots)
            if not keep:
                raise _Undo
    if created is None:
        raise AssertionError("the transaction created no league")
    return created


def started_bots(
    store: Store, planned: LeaguePlan, arriving: Path, builder: Builder, starts: Starts
) -> list[Bot]:
    """Return the bot of each of a plan's sources, read, built and started once; new files are in `arriving`.

    Raises UsageError, and as `Builder.built`.
    """
    game = planned.definition.game.info.name
    bots = look_at_all(planned.sources, store, game, arriving, builder)
    if to_try := to_start(planned.sources, bots, store, planned.file):
        starts(to_try, planned.file)
    return bots


def builder_for(store: Store, planned: LeaguePlan, say: Say, *, keeps: bool = True) -> Builder:
    """Return what builds the bots of a league, confined as the league file says.

    It tells `say` what it builds; `keeps`: the results, for later.
    """
    wanted = planned.file.sandbox
    return Builder(store.files, lambda: confine(store.path, wanted)[0], say, keeps)


def create_with(store: Store, planned: LeaguePlan, bots: Sequence[Bot]) -> LeagueRecord:
    """Create a league of bots that have been read, one for each of the plan's sources.

    Raises UsageError or LedgerError; then nothing has changed.
    """
    with naming(planned.name, planned.text), store.together():
        return _enter(store, planned, bots).league


def _enter(store: Store, planned: LeaguePlan, bots: Sequence[Bot]) -> Created:
    """Write a league, its entries and their new versions to the ledger."""
    file, chosen = planned.file, planned.definition.ruleset
    secret = None if file.seed is None else secret_of_seed(file.seed)
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
    planned.definition.with_lineup(Lineup(authors, labels, scale=rater.scale))
    rules = RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key)
    specs = with_predecessors(specs, versions)
    config = {
        **msgspec.to_builtins(file),
        "rating": rating.as_stored(),
        "rotations": planned.definition.rotations,  # so that a game may change its default
    }
    if rating.table.inherit:
        specs = with_priors(store, specs, versions, rules, rater, config)
    with keyed("name"):
        league = store.leagues.create(
            name=file.name,
            config=config,
            ruleset=rules,
            entries=specs,
            secret=secret,
            rating=rater.system.name,
            rating_options=rater.options,
            keep_replays=file.keep_replays,
            traits=planned.definition.schedule.traits,
        )
    return Created(league, tuple(store.entries.all(league.uuid)))
