"""Enters the bots of a league file: reads each folder once, gives each entry a label of its own."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from arena.config.league_file import LeagueFile, LimitsTable
from arena.core.errors import UsageError
from arena.league.definition.bot_sources import Source, at_entry, name_with_args
from arena.league.definition.named_bots import check_plays, games_of
from arena.sandbox.program import refuse_unknown_program
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build import Builder
from arena.submissions.programs import ToStart, program_of, runtimes_of
from arena.submissions.versions import Candidate, enter_many, keep_arriving, look_at
from protocol.limits import STARTUP_MS
from results.base.errors import LedgerError
from results.base.text import folded
from results.records import EntrySpec, VersionRecord
from results.store import Store

Bot = VersionRecord | Candidate
"""The source of an entry: a version in the store, or the bot read from a folder."""


def look_at_all(
    found: Sequence[Source],
    store: Store,
    game: str,
    arriving: Path,
    builder: Builder | None = None,
) -> list[Bot]:
    """Return the bot of each source, reading every folder once; keep new files in `arriving`.

    Raises UsageError if a bot cannot be read, does not play the game, or cannot be started here, and as
    `Builder.built`.
    """
    runtimes, names = runtimes_of(store), store.versions.bot_names()
    versions = store.versions.find_all(source.version for source in found if source.version is not None)
    seen: dict[Path | str, Bot] = {}
    bots: list[Bot] = []
    for source in found:
        key = source.version if source.folder is None else source.folder
        if key is None:
            raise AssertionError("a source without folder and version")
        if key not in seen:
            with at_entry(source):
                seen[key] = (
                    _submitted(versions[str(source.version)], source, store, runtimes)
                    if source.folder is None
                    else _candidate(source.folder, store, runtimes, names, arriving, builder)
                )
                _check_plays(seen[key], game)
        bots.append(seen[key])
    return bots


def _submitted(found: VersionRecord | LedgerError, source: Source, store: Store, runtimes: Runtimes) -> Bot:
    if isinstance(found, LedgerError):
        raise UsageError(f"{source.where}.{source.key}: {found}", found.advice)
    refuse_unknown_program(program_of(store, found), runtimes, found.reference)
    return found


def _candidate(
    folder: Path,
    store: Store,
    runtimes: Runtimes,
    names: Collection[tuple[str, str]],
    arriving: Path,
    builder: Builder | None,
) -> Bot:
    return keep_arriving(look_at(folder, store, runtimes, names, builder), arriving)


def _check_plays(bot: Bot, game: str) -> None:
    """Raise UsageError if a bot does not play the game."""
    if isinstance(bot, VersionRecord):
        check_plays(bot.reference, games_of(bot), game)
    else:
        check_plays(f"{bot.manifest.author}/{bot.manifest.name}", bot.manifest.games, game)


def to_start(found: Sequence[Source], bots: Sequence[Bot], store: Store, file: LeagueFile) -> list[ToStart]:
    """Return the bots of sources that have to show that they start, each with its arguments once.

    Raises UsageError if the files of a version are missing.
    """
    starts: dict[tuple[str, tuple[str, ...]], ToStart] = {}
    for source, bot in zip(found, bots, strict=True):
        known = bot if isinstance(bot, VersionRecord) else bot.known
        if known is not None and was_started(known, source.args, file):
            continue
        if isinstance(bot, VersionRecord):
            program = program_of(store, bot, source.args)
        else:
            program = replace(bot.program, command=(*bot.program.command, *source.args))
        place = source.folder or Path(source.named)
        starts.setdefault((bot.sha256, source.args), ToStart(source.named, program, place, source.where))
    return list(starts.values())


def was_started(version: VersionRecord, args: Sequence[str], file: LeagueFile) -> bool:
    """Return whether the check of a submission has started a version as a league with this file does."""
    return starts_as_checked(file, args) and file.game in version.report


def starts_as_checked(file: LeagueFile, args: Sequence[str]) -> bool:
    """Return whether a league with this file starts a bot as the check of a submission does."""
    return not args and file.limits == LimitsTable() and file.clock.startup_ms >= STARTUP_MS


def enter_all(
    found: Sequence[Source], bots: Sequence[Bot], store: Store
) -> tuple[list[EntrySpec], dict[int, VersionRecord]]:
    """Enter the bots of sources into the store; return the entries, and the versions by their `id`.

    Raises UsageError if two entries are given the same label.
    """
    versions: dict[int, VersionRecord] = {}
    arrived = {id(bot): bot for bot in bots if isinstance(bot, Candidate)}
    entered = dict(zip(arrived, enter_many(store, list(arrived.values())), strict=True))
    specs: list[EntrySpec] = []
    taken: set[str] = set()
    for source, bot in zip(found, bots, strict=True):
        version = bot if isinstance(bot, VersionRecord) else entered[id(bot)]
        label = source.label or _free_label(version, source.args, taken, versions.values())
        versions[version.id] = version
        if folded(label) in taken:
            where = f"{source.where}.label" if source.label else source.where
            raise UsageError(f"{where}: two entries have the label {label!r}", "change one of them")
        taken.add(folded(label))
        specs.append(EntrySpec(label, version.id, source.args))
    return specs, versions


def _free_label(
    version: VersionRecord, args: tuple[str, ...], taken: Collection[str], others: Iterable[VersionRecord]
) -> str:
    """Return the bot's name, with arguments, version, author or a number if the name is taken, by its folded form."""
    with_args = name_with_args(version.bot, args)
    for label in (version.bot, with_args, *told_apart(version, others), version.reference):
        if folded(label) not in taken:
            return label
    return next(label for number in count(2) if folded(label := f"{with_args} {number}") not in taken)


def told_apart(version: VersionRecord, others: Iterable[VersionRecord]) -> tuple[str, ...]:
    """Return labels for a version whose bot's name is taken: by number among versions of its bot, else by author."""
    by_author = f"{version.author}/{version.bot}"
    if any(
        (other.author, other.bot) == (version.author, version.bot) and other.id != version.id
        for other in others
    ):
        return f"{version.bot}@{version.number}", by_author
    return (by_author,)
