"""Makes a league of a league file: everything checked, every bot taken in, then one row in the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import structs

from arena import registry
from arena.config.league_file import LeagueFile
from arena.config.reading import read_toml
from arena.league.entries import Source, author_of, enter_all, labels_of, sources
from arena.league.priors import with_predecessors, with_priors
from arena.league.rating_options import rating_options
from arena.league.seeds import NEWEST_DERIVATION, secret_of_seed
from arena.league.setting import Lineup, Setting, naming, parse_options, settle
from results.records import EntrySpec, LeagueRecord, RulesetRecord
from results.store import Store


@dataclass(frozen=True, slots=True)
class LeaguePlan:
    """A league file that has been read and holds together."""

    file: LeagueFile
    sources: tuple[Source, ...]
    setting: Setting


def read_plan(path: Path, given_options: Sequence[str] = ()) -> LeaguePlan:
    """Return what a league file plans, with options of the game (NAME=VALUE) set over its own.

    Raises UsageError, naming file, key and line; the store is not touched.
    """
    file = read_toml(path, LeagueFile)
    if given_options:
        given = parse_options(registry.game(file.game), given_options)
        file = structs.replace(file, options={**file.options, **given})
    return plan(file, path.parent, str(path), path.read_text(encoding="utf-8"))


def plan(file: LeagueFile, base: Path, name: str, text: str = "") -> LeaguePlan:
    """Return what a league file plans; its paths are taken from `base`. Raises UsageError."""
    with naming(name):
        found = tuple(sources(file.bots, base))
        settle(file, len(found), name, text)  # what is wrong without looking at the bots is said first
        authors = {n: author for n, source in enumerate(found) if (author := author_of(source)) is not None}
        lineup = Lineup(authors, labels_of(found))
    return LeaguePlan(file, found, settle(file, len(found), name, text, lineup))


def create(store: Store, planned: LeaguePlan) -> LeagueRecord:
    """Take the bots in and enter the league. Raises UsageError or LedgerError; a name can be had once."""
    file, setting = planned.file, planned.setting
    specs = enter_all(planned.sources, store, setting.game.info.name)
    lineup = Lineup(_authors(store, specs), {number: spec.label for number, spec in enumerate(specs)})
    settle(file, len(specs), file.name, lineup=lineup)
    rules = RulesetRecord(
        setting.ruleset.game, setting.ruleset.version, setting.ruleset.name, setting.ruleset.key
    )
    rating, options = file.rating, rating_options(file, setting)
    specs = with_predecessors(specs, {version.id: version for version in store.versions()})
    if rating.inherit:
        specs = with_priors(store, specs, rules, rating.system, options, rating.widen)
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
