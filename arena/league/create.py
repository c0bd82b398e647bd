"""Makes a league of a league file: everything checked, every bot taken in, then one row in the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import structs

from arena import registry
from arena.config.bounded_toml import read_text
from arena.config.league_file import LeagueFile
from arena.config.names import check_name
from arena.config.naming import keyed, naming
from arena.config.reading import LEAGUE_FILE_BOUNDS, parse_toml
from arena.league.entries import Source, author_of, enter_all, labels_of, sources
from arena.league.priors import with_predecessors, with_priors
from arena.league.rating_options import check_system, rating_options
from arena.league.seeds import NEWEST_DERIVATION, secret_of_seed
from arena.league.setting import Lineup, Setting, parse_options, settle
from results.records import EntrySpec, LeagueRecord, RulesetRecord
from results.store import Store


@dataclass(frozen=True, slots=True)
class LeaguePlan:
    """A league file that has been read and holds together."""

    file: LeagueFile
    sources: tuple[Source, ...]
    setting: Setting
    name: str
    """Of the file, for messages."""
    text: str
    """Of the file; empty where there is none."""
    rating_options: dict[str, float]
    """The parameters of the rating system, the draw probability among them."""


def read_plan(path: Path, given_options: Sequence[str] = ()) -> LeaguePlan:
    """Return what a league file plans, with options of the game (NAME=VALUE) set over its own.

    Raises UsageError, naming file, key and line; the store is not touched.
    """
    name, text = str(path), read_text(path, LEAGUE_FILE_BOUNDS)
    file = parse_toml(text, LeagueFile, name)
    if given_options:
        with naming(name, text), keyed("game"):
            game = registry.game(file.game)
        given = parse_options(game, given_options)
        file = structs.replace(file, options={**file.options, **given})
    return plan(file, path.parent, name, text)


def plan(file: LeagueFile, base: Path, name: str, text: str = "") -> LeaguePlan:
    """Return what a league file plans; its paths are taken from `base`. Raises UsageError."""
    with naming(name, text):
        check_name("name", file.name)
        with keyed("rating.system"):
            check_system(file.rating)
        found = tuple(sources(file.bots, base))
        settle(file, len(found), name, text)  # what is wrong without looking at the bots is said first
        authors = {n: author for n, source in enumerate(found) if (author := author_of(source)) is not None}
        lineup = Lineup(authors, labels_of(found))
        setting = settle(file, len(found), name, text, lineup)
        with keyed("rating"):
            options = rating_options(file, setting)
    return LeaguePlan(file, found, setting, name, text, options)


def create(store: Store, planned: LeaguePlan) -> LeagueRecord:
    """Take the bots in and enter the league. Raises UsageError or LedgerError; a name can be had once."""
    with naming(planned.name, planned.text):
        return _create(store, planned)


def _create(store: Store, planned: LeaguePlan) -> LeagueRecord:
    file, setting = planned.file, planned.setting
    specs = enter_all(planned.sources, store, setting.game.info.name)
    lineup = Lineup(_authors(store, specs), {number: spec.label for number, spec in enumerate(specs)})
    settle(file, len(specs), planned.name, planned.text, lineup)
    rules = RulesetRecord(
        setting.ruleset.game, setting.ruleset.version, setting.ruleset.name, setting.ruleset.key
    )
    rating, options = file.rating, planned.rating_options
    specs = with_predecessors(specs, {version.id: version for version in store.versions()})
    if rating.inherit:
        specs = with_priors(store, specs, rules, rating.system, options, rating.widen)
    with keyed("name"):
        return store.create_league(
            name=file.name,
            config=msgspec.to_builtins(file),
            ruleset=rules,
            entries=specs,
            secret=None if file.seed is None else secret_of_seed(file.seed),
            seed_derivation=None if file.seed is None else NEWEST_DERIVATION,
            rating=rating.system,
            rating_options=options,
            keep_replays=file.keep_replays,
        )


def _authors(store: Store, specs: Sequence[EntrySpec]) -> dict[int, str]:
    """Return who wrote each entry's bot, by entry number."""
    by_id = {version.id: version.author for version in store.versions()}
    return {
        entry_no: by_id[spec.version_id] for entry_no, spec in enumerate(specs) if spec.version_id is not None
    }
