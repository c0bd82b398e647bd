"""The entries that a league file names: finds their bots, reads each folder once, and gives each entry a label."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path, PurePath

from msgspec import Struct
from msgspec.structs import replace

from arena.config.league_file import MOST_ENTRIES, BotTable, LeagueFile, LimitsTable
from arena.config.mistakes import at_key
from arena.config.names import ARENA, check_arguments, check_name, is_label
from arena.core.errors import BadValue
from arena.league.definition import bot_arguments
from arena.sandbox.bot_program import refuse_unknown_program
from arena.sandbox.runtimes import Runtimes
from arena.submissions.archives import is_archive
from arena.submissions.build import Builder
from arena.submissions.entering import Candidate, enter_many, keep_staged, look_at
from arena.submissions.launch_spec import ToStart, program_of, runtimes_beside
from arena.submissions.manifest import MANIFEST_NAME, Manifest, bundled_bots, read_manifest
from arena.submissions.read_source import read_source
from protocol.messages import STARTUP_MS
from results.base.errors import LedgerError
from results.base.text import folded
from results.records import EntrySpec, VersionRecord
from results.store import Store


class Source(Struct, frozen=True):
    """The source of one entry: a folder or archive, or a submitted version."""

    label: str | None
    args: tuple[str, ...]
    folder: Path | None
    version: str | None
    keys: tuple[str, ...]
    """The path of its table in the league file, such as `("bots", "2")`, for messages."""
    key: str
    """How the bot is named there: `path`, `version`, `track` or `glob`."""
    named: str
    """As the league file names it, for messages; of a `glob`, the path that it found."""
    team: str | None = None


def sources(tables: Iterable[BotTable], base: Path) -> list[Source]:
    """Return the entries that `[[bots]]` tables name; their paths are relative to `base`. Raises BadValue."""
    found: list[Source] = []
    for number, table in enumerate(tables):
        keys = ("bots", str(number))
        given = [key for key in ("path", "version", "track", "glob") if getattr(table, key) is not None]
        if len(given) != 1:
            raise BadValue(
                keys,
                f"{' and '.join(given) or 'neither path, version, track nor glob'} "
                f"{'are both set' if len(given) == 2 else 'are all set' if given else 'is set'}",
                "give each [[bots]] table exactly one of path, version, track and glob",
            )
        if table.label is not None:
            check_name((*keys, "label"), table.label)
        if table.team is not None:
            check_name((*keys, "team"), table.team)
            if table.label is not None:
                raise BadValue(
                    (*keys, "label"), "a bot of a team is called after its team", "remove label, or team"
                )
        check_arguments((*keys, "args"), table.args)
        submitted = table.version or table.track
        bots: list[tuple[Path | None, str]] = [(None, submitted)] if submitted else []
        if table.path is not None:
            try:
                bots = [(bot_arguments.bot_folder(table.path, base), table.path)]
            except OSError as error:
                said = f"{table.path!r} cannot be opened: {error.strerror}"
                raise BadValue((*keys, "path"), said) from None
        elif table.glob is not None:
            folders = _bot_folders(table.glob, base, (*keys, "glob"))
            if table.label is not None and len(folders) > 1:
                said = f"one label for {len(folders)} bots"
                raise BadValue((*keys, "label"), said, "remove it, or list the bots one by one with path")
            bots = [(folder, _found_name(folder, base, table.glob)) for folder in folders]
        found += [
            Source(table.label, table.args, folder, submitted, keys, given[0], named, table.team)
            for folder, named in bots
        ]
        if len(found) > MOST_ENTRIES:
            said = f"more than {MOST_ENTRIES:,} entries, the limit for a league"
            raise BadValue(keys, said, "remove some, or create two leagues")
    return found


def in_teams(found: Sequence[Source], file: LeagueFile) -> tuple[list[Source], tuple[tuple[int, ...], ...]]:
    """Return the sources, those of fixed teams labelled after them, and the entries of each team. Raises BadValue."""
    teams: dict[str, list[int]] = {}
    labelled = []
    for entry_no, source in enumerate(found):
        if file.teams != "fixed":
            if source.team is not None:
                raise BadValue(
                    (*source.keys, "team"),
                    'team has no effect without teams = "fixed"',
                    'add teams = "fixed" above the first table, or remove team',
                )
        elif source.team is None:
            raise BadValue(
                source.keys,
                f"{source.named} is in no team, and the teams of this league are fixed",
                'add team = "…" to its table, the same for partners; to fill a side with one bot, name it in several',
            )
        elif source.key == "track":
            raise BadValue(
                (*source.keys, "track"),
                "no new version can replace a bot of a fixed team",
                "use version instead",
            )
        else:
            team = teams.setdefault(source.team, [])
            team.append(entry_no)
            source = replace(source, label=f"{source.team} {len(team)}" if len(team) > 1 else source.team)
        labelled.append(source)
    return labelled, tuple(map(tuple, teams.values()))


def _bot_folders(pattern: str, base: Path, keys: tuple[str, ...]) -> list[Path]:
    try:
        found = bot_arguments.bot_folders(pattern, base)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        hint = 'write "bots/*", or "bots/**" to include subfolders'
        raise BadValue(keys, f"{pattern!r} is not a valid pattern: {why}", hint) from None
    if not found:
        said = f"no folder with a {MANIFEST_NAME} matches {pattern!r} in {base}"
        raise BadValue(keys, said, f"each bot needs a file {pattern}/{MANIFEST_NAME}")
    return found


def _found_name(folder: Path, base: Path, pattern: str) -> str:
    """Return how a `path` would name a folder that a `glob` has found."""
    if PurePath(pattern).is_absolute():
        return str(folder)
    if folder.is_relative_to(base):
        return str(folder.relative_to(base))
    return f"{bot_arguments.BUNDLED_PREFIX}{folder.relative_to(bundled_bots())}"


def manifests_of(found: Iterable[Source]) -> dict[int, Manifest]:
    """Return the manifests of bots in folders and archives, by entry number. Raises UsageError.

    One by `ARENA` is of a reference bot: everything is read of it, and others of that author are refused.
    """
    read: dict[Path, Manifest] = {}
    manifests: dict[int, Manifest] = {}
    for entry_no, source in enumerate(found):
        if source.folder is not None:
            if source.folder not in read:
                with at_key(*source.keys):
                    is_packed = is_archive(source.folder)
                    manifest = None if is_packed else read_manifest(source.folder)
                    if manifest is None or manifest.author == ARENA:
                        manifest = read_source(source.folder).manifest
                    read[source.folder] = manifest
            manifests[entry_no] = read[source.folder]
    return manifests


def labels_of(found: Iterable[Source], manifests: Mapping[int, Manifest]) -> dict[int, str]:
    """Return the labels that sources will have, by entry number, except those that only the store can decide."""
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


def name_with_args(name: str, args: tuple[str, ...]) -> str:
    """Return a bot's name with its arguments, or the name alone if that would not be a valid label."""
    with_args = " ".join([name, *args])
    return with_args if is_label(with_args) else name


Bot = VersionRecord | Candidate
"""The source of an entry: a version in the store, or the bot read from a folder."""


def look_at_all(
    found: Sequence[Source], store: Store, game: str, staging: Path, builder: Builder | None = None
) -> list[Bot]:
    """Return the bot of each source; keep new files in `staging`. Raises UsageError, and as `Builder.built`."""
    runtimes, names = runtimes_beside(store.path), store.versions.bot_names()
    versions = store.versions.find_all(source.version for source in found if source.version is not None)
    seen: dict[Path | str, Bot] = {}
    bots: list[Bot] = []
    for source in found:
        key = source.version if source.folder is None else source.folder
        if key is None:
            raise AssertionError("a source without folder and version")
        if key not in seen:
            with at_key(*source.keys):
                seen[key] = (
                    _submitted(versions[str(source.version)], source, store, runtimes)
                    if source.folder is None
                    else keep_staged(look_at(source.folder, store, runtimes, names, builder), staging)
                )
                bot = seen[key]
                if isinstance(bot, VersionRecord):
                    bot_arguments.check_plays(bot.reference, bot_arguments.games_of(bot), game)
                else:
                    named = f"{bot.manifest.author}/{bot.manifest.name}"
                    bot_arguments.check_plays(named, bot.manifest.games, game)
        bots.append(seen[key])
    return bots


def _submitted(found: VersionRecord | LedgerError, source: Source, store: Store, runtimes: Runtimes) -> Bot:
    if isinstance(found, LedgerError):
        raise BadValue((*source.keys, source.key), str(found), found.advice)
    refuse_unknown_program(program_of(store, found), runtimes, found.reference)
    return found


def to_start(found: Sequence[Source], bots: Sequence[Bot], store: Store, file: LeagueFile) -> list[ToStart]:
    """Return the bots that have to show that they start, each with its arguments once. Raises UsageError."""
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
        starts.setdefault((bot.sha256, source.args), ToStart(source.named, program, place, source.keys))
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
    """Enter the bots of sources; return the entries, and the versions by `id`. Raises UsageError for equal labels."""
    versions: dict[int, VersionRecord] = {}
    arrived = {id(bot): bot for bot in bots if isinstance(bot, Candidate)}
    entered = dict(zip(arrived, enter_many(store, list(arrived.values())), strict=True))
    specs: list[EntrySpec] = []
    taken: set[str] = set()
    for source, bot in zip(found, bots, strict=True):
        version = bot if isinstance(bot, VersionRecord) else entered[id(bot)]
        label = source.label or free_label(version, source.args, taken, versions.values())
        versions[version.id] = version
        if folded(label) in taken:
            keys = (*source.keys, "label") if source.label else source.keys
            raise BadValue(keys, f"two entries have the label {label!r}", "change one of them")
        taken.add(folded(label))
        specs.append(EntrySpec(label, version.id, source.args))
    return specs, versions


def free_label(
    version: VersionRecord, args: tuple[str, ...], taken: Collection[str], others: Iterable[VersionRecord]
) -> str:
    """Return the bot's name, with arguments, version, author or a number if the name is taken, by its folded form."""
    with_args = name_with_args(version.bot, args)
    for label in (version.bot, with_args, *_told_apart(version, others), version.reference):
        if folded(label) not in taken:
            return label
    return next(label for number in count(2) if folded(label := f"{with_args} {number}") not in taken)


def _told_apart(version: VersionRecord, others: Iterable[VersionRecord]) -> tuple[str, ...]:
    """Return labels for a version whose bot's name is taken: by number among versions of its bot, else by author."""
    by_author = f"{version.author}/{version.bot}"
    if any(
        (other.author, other.bot) == (version.author, version.bot) and other.id != version.id
        for other in others
    ):
        return f"{version.bot}@{version.number}", by_author
    return (by_author,)
