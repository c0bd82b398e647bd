"""The entries of a league file: folders and submitted versions, labelled."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

from arena.config.arguments import check_arguments
from arena.config.league_file import MOST_ENTRIES, BotTable
from arena.config.names import check_name, is_label
from arena.config.naming import keyed
from arena.core.errors import UsageError
from arena.submissions.bundled import bundled_bots
from arena.submissions.manifest import MANIFEST_NAME, read_manifest
from arena.submissions.versions import enter, program_of, refuse_unknown_program, runtimes_of, take_in
from results.records import EntrySpec, VersionRecord
from results.store import Store

BUNDLED_PREFIX = "bots/"


@dataclass(frozen=True, slots=True)
class Source:
    """Where one entry comes from: a folder, or a version that was submitted before."""

    label: str | None
    args: tuple[str, ...]
    folder: Path | None
    version: str | None
    where: str
    """The place in the league file, for messages."""


def sources(tables: Iterable[BotTable], base: Path) -> list[Source]:
    """Return the entries that `[[bots]]` tables name, paths taken from `base`. Raises UsageError."""
    found: list[Source] = []
    for number, table in enumerate(tables):
        where = f"bots.{number}"
        given = [key for key in ("path", "version", "glob") if getattr(table, key) is not None]
        if len(given) != 1:
            raise UsageError(
                f"{where}: {' and '.join(given) or 'neither path, version nor glob'} given",
                "each [[bots]] has exactly one of path, version and glob",
            )
        if table.label is not None:
            check_name(f"{where}.label", table.label)
        check_arguments(f"{where}.args", table.args)
        if table.version is not None:
            found.append(Source(table.label, table.args, None, table.version, where))
        elif table.path is not None:
            found.append(Source(table.label, table.args, _bot_folder(table.path, base, where), None, where))
        elif table.glob is not None:
            folders = _bot_folders(table.glob, base, where)
            if not folders:
                raise UsageError(
                    f"{where}.glob: no folder with a {MANIFEST_NAME} matches {table.glob!r} in {base}",
                    f"{table.glob}/{MANIFEST_NAME} is what is looked for",
                )
            if table.label is not None and len(folders) > 1:
                raise UsageError(
                    f"{where}.label: one label for {len(folders)} bots", "leave it out, or name them singly"
                )
            found += [Source(table.label, table.args, folder, None, where) for folder in folders]
        if len(found) > MOST_ENTRIES:
            raise UsageError(
                f"{where}: more than {MOST_ENTRIES:,} entries, the most that a league may have",
                "leave some out, or make two leagues",
            )
    return found


def bot_folder(path: str, base: Path) -> Path:
    """Return a bot's folder: below `base`, or that of a reference bot where `base` has none of that path."""
    folder = base / path
    if not folder.exists() and path.startswith(BUNDLED_PREFIX):
        bundled = bundled_bots() / path.removeprefix(BUNDLED_PREFIX)
        if bundled.is_dir():
            return bundled
    return folder


def bot_folders(pattern: str, base: Path) -> list[Path]:
    """Return the bots' folders that match a pattern below `base`, or reference bots where none does there."""
    start, below = base, PurePath(pattern)
    if below.is_absolute():
        start, below = Path(below.anchor), below.relative_to(below.anchor)
    found = sorted(path.parent for path in start.glob(str(below / MANIFEST_NAME)))
    if not found and pattern.startswith(BUNDLED_PREFIX):
        bundled = pattern.removeprefix(BUNDLED_PREFIX)
        found = sorted(path.parent for path in bundled_bots().glob(f"{bundled}/{MANIFEST_NAME}"))
    return found


def _bot_folder(path: str, base: Path, where: str) -> Path:
    try:
        return bot_folder(path, base)
    except OSError as error:
        raise UsageError(f"{where}.path: {path!r} cannot be looked for: {error.strerror}") from None


def _bot_folders(pattern: str, base: Path, where: str) -> list[Path]:
    try:
        return bot_folders(pattern, base)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"{where}.glob: {pattern!r} is no pattern of folders: {why}",
            'such as "bots/*", or "bots/**" for folders within folders',
        ) from None


def author_of(source: Source) -> str | None:
    """Return who wrote the bot of a source, None for a version, which only a store knows. Raises UsageError."""
    if source.folder is None:
        return None
    try:
        return read_manifest(source.folder).author
    except UsageError as error:
        raise UsageError(f"{source.where}: {error}", error.hint) from None


def labels_of(found: Iterable[Source]) -> dict[int, str]:
    """Return the labels that sources will have, by entry number, before they are taken in.

    Left out are those that only the store can tell: of submitted versions, and of bots that share a name.
    Raises UsageError for a bot that cannot be read.
    """
    labels: dict[int, str] = {}
    for entry_no, source in enumerate(found):
        label = source.label
        if label is None and source.folder is not None:
            name = read_manifest(source.folder).name
            with_args = " ".join([name, *source.args])
            taken = labels.values()
            label = next((free for free in (name, with_args) if free not in taken and is_label(free)), None)
        if label is not None:
            labels[entry_no] = label
    return labels


def enter_all(found: Iterable[Source], store: Store, game: str) -> list[EntrySpec]:
    """Take every source into the store; return the entries, each with a label of its own.

    Raises UsageError for a bot that cannot be read or does not play the game.
    """
    specs: list[EntrySpec] = []
    for source in found:
        version = _version(source, store)
        games = version.manifest["games"]
        if game not in games and "*" not in games:
            raise UsageError(
                f"{source.where}: {version.reference} does not play {game}",
                f"its bot.toml says games = {list(games)}",
            )
        label = source.label or _free_label(version, source.args, {spec.label for spec in specs})
        if any(spec.label == label for spec in specs):
            where = f"{source.where}.label" if source.label else source.where
            raise UsageError(f"{where}: two entries are labelled {label!r}", "give one another label")
        specs.append(EntrySpec(label, version.id, source.args))
    return specs


def _version(source: Source, store: Store) -> VersionRecord:
    if source.version is not None:
        with keyed(f"{source.where}.version"):
            version = store.find_version(source.version)
        who = f"{source.where}: {version.reference}"
        refuse_unknown_program(program_of(store, version), runtimes_of(store), who)
        return version
    if source.folder is None:
        raise AssertionError("a source without folder and version")
    try:
        return enter(store, take_in(source.folder, store))
    except UsageError as error:
        raise UsageError(f"{source.where}: {error}", error.hint) from None


def _free_label(version: VersionRecord, args: tuple[str, ...], taken: set[str]) -> str:
    """Return the bot's name, with arguments, author, version or a number where that is taken already.

    Arguments that could not stand in a label, as they are too long or hold control characters, are left out.
    """
    with_args = " ".join([version.bot, *args])
    if not is_label(with_args):
        with_args = version.bot
    for label in (version.bot, with_args, f"{version.author}/{version.bot}", version.reference):
        if label not in taken:
            return label
    number = 2
    while f"{with_args} {number}" in taken:
        number += 1
    return f"{with_args} {number}"
