"""Finds the bots that a command names: a folder or archive, a reference bot, or a submitted bot."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePath

from msgspec import Struct

from arena import registry
from arena.core.errors import ArenaError, UsageError
from arena.league.definition.given_rules import given_seats
from arena.submissions.archives import is_archive, is_archive_name
from arena.submissions.build import Builder
from arena.submissions.entering import enter, keep_staged, known_version, look_at
from arena.submissions.launch_spec import ToStart, program_of, runtimes_beside
from arena.submissions.manifest import MANIFEST_NAME, bundled_bots, did_you_mean, plays, read_manifest
from arena.submissions.read_source import read_source
from arena.submissions.staging import staging_folder, sweep
from results.base.errors import UnknownEntry, UnknownVersion
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.store import Store

HERE = Path()
"""What the paths of a command are relative to."""
BUNDLED_PREFIX = "bots/"
"""How the paths of reference bots begin."""


class NamedBots(Struct, frozen=True):
    """The bots that the arguments of a command name."""

    versions: list[VersionRecord]
    """In order."""
    started: list[ToStart]
    """The same, ready to be started once."""

    @property
    def unchecked(self) -> list[ToStart]:
        """Those of them that never passed the check of a submission."""
        return [one for one, version in zip(self.started, self.versions, strict=True) if not version.report]


@contextmanager
def bots_named(
    store: Store, bots: Sequence[str], base: Path, builder: Builder | None = None
) -> Iterator[NamedBots]:
    """Yield the bots that arguments name (`find_bot`); those from folders stay unless the context fails."""
    sweep(store.files, store.path)
    with staging_folder(store.files, store.path) as staging, store.together():
        versions = [find_bot(store, bot, base, staging, builder) for bot in bots]
        yield NamedBots(
            versions,
            [
                ToStart(bot, program_of(store, version, staging=staging), Path(bot))
                for bot, version in zip(bots, versions, strict=True)
            ],
        )


def find_bot(
    store: Store, bot: str, base: Path, staging: Path, builder: Builder | None = None
) -> VersionRecord:
    """Return the version that a path (relative to `base`), a reference bot's path, or a submitted bot's name means.

    The bot of a folder or archive is added to the store; its files pass through `staging`, a staging folder.
    Raises UsageError if there is no bot at the path, and the errors of `Versions.find` and `Builder.built`.
    """
    if (path := bot_path(bot, base)) is not None:
        candidate = look_at(path, store, runtimes_beside(store.path), builder=builder)
        return enter(store, keep_staged(candidate, staging))
    return find_submitted(store.path, store, bot, base)


def find_submitted(path: Path, store: Store | None, bot: str, base: Path) -> VersionRecord:
    """Return the version that a submitted bot's name means. Raises the errors of `Versions.find`.

    `path` is that of the store, and `store` the store itself, if there is one. If there is no such bot, the message
    says that there is no such folder or archive (relative to `base`) either.
    """
    try:
        if store is None:
            raise UnknownVersion("bot", bot, []).in_store(str(path.absolute()))
        return store.versions.find(bot)
    except UnknownVersion as error:
        raise nothing_named(error, bot, base) from None


def find_version(store: Store, bot: str, base: Path = HERE) -> VersionRecord:
    """Return the version that the name of a submitted bot means, or the path of its folder or archive.

    A name comes before a path. The version of a path is the one with the same files. Raises UsageError if the bot at
    the path isn't in the store, or there is none, and the errors of `Versions.find`.
    """
    try:
        return store.versions.find(bot)
    except UnknownVersion as error:
        if (path := bot_path(bot, base)) is None:
            raise nothing_named(error, bot, base) from None
    intake = read_source(path)
    version = known_version(store, intake)
    if version is None and path.resolve().is_relative_to(bundled_bots()):
        raise UsageError(
            f"{bot} comes with Arena, and has not played in this store",
            f"there are no results of it yet; let it play: arena match {shlex.quote(bot)} BOT",
        )
    if version is None:
        author, name = intake.manifest.author, intake.manifest.name
        is_known = (author, name) in store.versions.bot_names()
        earlier = f"; earlier versions of {author}/{name} are" if is_known else ""
        raise UsageError(f"{bot} isn't submitted yet{earlier}", f"arena submit {shlex.quote(bot)}")
    return version


def find_entry(store: Store, league: LeagueRecord, bot: str, base: Path = HERE) -> EntryRecord:
    """Return the entry that a name, or the path of its bot, means. Raises UsageError, and as `find_version`."""
    try:
        return store.entries.find(league.uuid, bot)
    except UnknownEntry:
        if bot_path(bot, base) is None and not is_there(base / bot):
            raise
    version = find_version(store, bot, base)
    try:
        return store.entries.find(league.uuid, version.reference)
    except UnknownEntry as error:
        raise UsageError(
            f"{bot} is {version.reference}, which isn't in {league.name}", error.advice
        ) from None


def nothing_named(error: UnknownVersion, bot: str, base: Path) -> UnknownVersion:
    """Return the error about a bot that is neither submitted nor a path, with the nearest name."""
    if is_there(place := base / bot):
        read_source(place)
    if error.what == "bot":  # a version that a bot doesn't have stays as it is
        meant = error.nearest or did_you_mean(base / bot)
        error.args = (f"there is no folder, archive or submitted bot {error.name!r}{meant}",)
    return error


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


def bot_path(bot: str, base: Path) -> Path | None:
    """Return the folder or archive that a command's argument means; None if it is the name of a submitted bot."""
    try:
        path = bot_folder(bot, base)
        return path if path.is_dir() or is_archive(path) or is_no_name(bot) else None
    except OSError:  # too long for a path, say
        return None


def name_elsewhere(bot: str) -> str:
    """Return what names a bot in another store: the hash of its files if the text can only be a path, or the text."""
    path = bot_path(bot, HERE)
    return bot if path is None or not is_no_name(bot) else read_source(path).sha256


def is_there(path: Path) -> bool:
    """Return whether there is anything at a path."""
    try:
        return path.exists()
    except OSError:
        return False


def is_no_name(bot: str) -> bool:
    """Return whether a text can only be a path: an archive's, or one that doesn't have the form author/bot."""
    author, slash, name = bot.partition("/")
    return is_archive_name(bot) or (bool(slash) and (author in ("", ".", "..") or "/" in name))


def check_plays(bot: str, games: Collection[str], game: str) -> None:
    """Raise UsageError if a bot does not play a game, according to `games` in its bot.toml."""
    if not plays(games, game):
        own = [path for path, of in _reference_games().items() if plays(of, game)]
        name = bot.rpartition("/")[2].partition("@")[0]
        namesakes = [path for path in own if path.endswith(f"/{name}")]
        raise UsageError(
            f"{bot} does not play {game}" + (f", but {', '.join(games)}" if games else ""),
            f"choose a bot that plays {game}, such as {', '.join(namesakes or own)}"
            if own
            else f"choose a bot with {game} among `games` in its bot.toml",
        )


@cache
def _reference_games() -> dict[str, Sequence[str]]:
    """Return the `games` of each bot that comes with Arena by its path, such as `bots/sandwich/greedy`."""
    try:
        folders = sorted(file.parent for file in bundled_bots().glob("*/*/bot.toml"))
    except ArenaError:
        return {}
    return {f"bots/{folder.parent.name}/{folder.name}": read_manifest(folder).games for folder in folders}


def games_of(version: VersionRecord) -> Collection[str]:
    """Return the `games` of a version's bot.toml."""
    games: Collection[str] = version.manifest.get("games", ())
    return games


def plays_alone(game_name: str, ruleset_name: str | None, options: Sequence[str]) -> bool:
    """Return whether a ruleset can be played by one, and not by two. Raises UsageError."""
    allowed = given_seats(registry.game(game_name), ruleset_name, options)
    return 1 in allowed and 2 not in allowed


def common_game(bots: Iterable[Collection[str]]) -> str:
    """Return the only game that all bots play, from the `games` of each. Raises UsageError."""
    bots = list(bots)
    common = [game for game in registry.games() if all(plays(games, game) for games in bots)]
    if not common:
        raise UsageError("these bots have no game in common", "compare `games` in their bot.toml files")
    if len(common) > 1:
        raise UsageError(
            "these bots have several games in common", "choose one with --game: " + ", ".join(common)
        )
    return common[0]


def labels(versions: Sequence[VersionRecord]) -> list[str]:
    """Return the bots' names, with author and version if several bots share a name; one bot has one label."""
    by_name: dict[str, set[int]] = {}
    for version in versions:
        by_name.setdefault(version.bot, set()).add(version.id)
    return [version.bot if len(by_name[version.bot]) == 1 else version.reference for version in versions]


def distinct_labels(versions: Sequence[VersionRecord]) -> list[str]:
    """Return the bots' labels; a repeated label gets a number after it."""
    found: list[str] = []
    for label in labels(versions):
        number = sum(other == label or other.startswith(f"{label} ") for other in found)
        found.append(f"{label} {number + 1}" if number else label)
    return found


def version_before(store: Store, version: VersionRecord) -> VersionRecord:
    """Return the newest older version of the same bot, submitted ones first. Raises UsageError without one."""
    older = [
        other
        for other in store.versions.all(author=version.author, bot=version.bot)
        if other.number < version.number
    ]
    if not older:
        raise UsageError(
            f"there is no older version of {version.author}/{version.bot} to compare with",
            "if this one is submitted already, change the bot and run this again; or name both versions: "
            "arena compare OLD NEW",
        )
    return max(older, key=lambda other: (bool(other.report), other.number))
