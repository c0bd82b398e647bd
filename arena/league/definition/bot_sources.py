"""The entries that a league file names: folders, archives and submitted versions."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from arena.config.allowed_names import ARENA, check_name, is_label
from arena.config.arguments import check_arguments
from arena.config.league_file import MOST_ENTRIES, BotTable
from arena.core.errors import UsageError
from arena.submissions.archives import is_archive
from arena.submissions.bundled import bundled_bots
from arena.submissions.intake import read_source
from arena.submissions.manifest import MANIFEST_NAME, Manifest, read_manifest
from results.base.text import folded

BUNDLED_PREFIX = "bots/"


@dataclass(frozen=True, slots=True)
class Source:
    """The source of one entry: a folder or archive, or a submitted version."""

    label: str | None
    args: tuple[str, ...]
    folder: Path | None
    version: str | None
    where: str
    """The key path in the league file, such as `bots.2`, for messages."""
    key: str
    """How the bot is named there: `path`, `version`, `track` or `glob`."""
    named: str
    """As the league file names it, for messages; of a `glob`, the path that it found."""


def sources(tables: Iterable[BotTable], base: Path) -> list[Source]:
    """Return the entries that `[[bots]]` tables name; their paths are relative to `base`. Raises UsageError."""
    found: list[Source] = []
    for number, table in enumerate(tables):
        where = f"bots.{number}"
        given = [key for key in ("path", "version", "track", "glob") if getattr(table, key) is not None]
        if len(given) != 1:
            raise UsageError(
                f"{where}: {' and '.join(given) or 'neither path, version, track nor glob'} "
                f"{'are both set' if len(given) == 2 else 'are all set' if given else 'is set'}",
                "give each [[bots]] table exactly one of path, version, track and glob",
            )
        if table.label is not None:
            check_name(f"{where}.label", table.label)
        check_arguments(f"{where}.args", table.args)
        if (submitted := table.version or table.track) is not None:
            found.append(Source(table.label, table.args, None, submitted, where, given[0], submitted))
        elif table.path is not None:
            folder = _bot_folder(table.path, base, where)
            found.append(Source(table.label, table.args, folder, None, where, "path", table.path))
        elif table.glob is not None:
            folders = _bot_folders(table.glob, base, where)
            if not folders:
                raise UsageError(
                    f"{where}.glob: no folder with a {MANIFEST_NAME} matches {table.glob!r} in {base}",
                    f"each bot needs a file {table.glob}/{MANIFEST_NAME}",
                )
            if table.label is not None and len(folders) > 1:
                raise UsageError(
                    f"{where}.label: one label for {len(folders)} bots",
                    "remove it, or list the bots one by one with path",
                )
            found += [
                Source(
                    table.label,
                    table.args,
                    folder,
                    None,
                    where,
                    "glob",
                    _found_name(folder, base, table.glob),
                )
                for folder in folders
            ]
        if len(found) > MOST_ENTRIES:
            raise UsageError(
                f"{where}: more than {MOST_ENTRIES:,} entries, the limit for a league",
                "remove some, or create two leagues",
            )
    return found


def bot_folder(path: str, base: Path) -> Path:
    """Return a bot's folder relative to `base`; if there is none, the folder of the reference bot with that path."""
    folder = base / path
    if not folder.exists() and path.startswith(BUNDLED_PREFIX):
        bundled = bundled_bots() / path.removeprefix(BUNDLED_PREFIX)
        if bundled.is_dir():
            return bundled
    return folder


def bot_folders(pattern: str, base: Path) -> list[Path]:
    """Return the bots' folders that match a pattern below `base`; if none does, the matching reference bots."""
    start, below = base, PurePath(pattern)
    if below.parts.count("**") > 1:  # each one multiplies the folders to walk
        raise ValueError("`**` appears more than once")
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
        raise UsageError(f"{where}.path: {path!r} cannot be opened: {error.strerror}") from None


def _bot_folders(pattern: str, base: Path, where: str) -> list[Path]:
    try:
        return bot_folders(pattern, base)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"{where}.glob: {pattern!r} is not a valid pattern: {why}",
            'write "bots/*", or "bots/**" to include subfolders',
        ) from None


def _found_name(folder: Path, base: Path, pattern: str) -> str:
    """Return how a `path` would name a folder that a `glob` has found."""
    if PurePath(pattern).is_absolute():
        return str(folder)
    if folder.is_relative_to(base):
        return str(folder.relative_to(base))
    return f"{BUNDLED_PREFIX}{folder.relative_to(bundled_bots())}"


def manifests_of(found: Iterable[Source]) -> dict[int, Manifest]:
    """Return the manifests of bots in folders and archives, by entry number. Raises UsageError.

    One by `ARENA` is of a reference bot: everything is read of it, and others of that author are refused.
    """
    read: dict[Path, Manifest] = {}
    manifests: dict[int, Manifest] = {}
    for entry_no, source in enumerate(found):
        if source.folder is not None:
            if source.folder not in read:
                with at_entry(source):
                    is_packed = is_archive(source.folder)
                    manifest = None if is_packed else read_manifest(source.folder)
                    if manifest is None or manifest.author == ARENA:
                        manifest = read_source(source.folder).manifest
                    read[source.folder] = manifest
            manifests[entry_no] = read[source.folder]
    return manifests


def labels_of(found: Iterable[Source], manifests: Mapping[int, Manifest]) -> dict[int, str]:
    """Return the labels that sources will have, by entry number, before they enter the store.

    Leaves out labels that only the store can decide: of submitted versions, and of bots that share a name.
    """
    labels: dict[int, str] = {}
    taken: set[str] = set()
    for entry_no, source in enumerate(found):
        label = source.label
        if label is None and entry_no in manifests:
            name = manifests[entry_no].name
            free = (one for one in (name, name_with_args(name, source.args)) if folded(one) not in taken)
            label = next(free, None)
        if label is not None:
            labels[entry_no] = label
            taken.add(folded(label))
    return labels


@contextmanager
def at_entry(source: Source) -> Iterator[None]:
    """Make a UsageError begin with the key path of an entry."""
    try:
        yield
    except UsageError as error:
        if str(error).startswith(f"{source.where}."):
            raise
        placed = UsageError(f"{source.where}: {error}", error.advice)
        placed.exit_code = error.exit_code
        raise placed from None


def name_with_args(name: str, args: tuple[str, ...]) -> str:
    """Return a bot's name with its arguments, or the name alone if that would not be a valid label."""
    with_args = " ".join([name, *args])
    return with_args if is_label(with_args) else name
