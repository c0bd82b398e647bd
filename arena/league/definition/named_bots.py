"""Bots as a command line names them: by folder, as a reference bot, or as submitted."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena import registry
from arena.core.errors import UsageError
from arena.league.definition.bot_sources import bot_folder
from arena.submissions.manifest import plays
from arena.submissions.staging import staging, sweep
from arena.submissions.versions import enter, read_bot, runtimes_of, take_in_for_now
from results.records import VersionRecord
from results.store import Store


@contextmanager
def bots_named(store: Store, bots: Iterable[str], base: Path) -> Iterator[list[VersionRecord]]:
    """Return the versions meant by the words of a command line, as `find_bot`, for as long as it is settled.

    Bots of folders stay in the store only if the context ends without an error.
    """
    sweep(store.files, store.path)
    with staging(store.files, store.path) as arriving, store.together():
        yield [find_bot(store, bot, base, arriving) for bot in bots]


def find_bot(store: Store, bot: str, base: Path, arriving: Path) -> VersionRecord:
    """Return the version meant by a folder (below `base`), a reference bot's path, or a submitted bot's name.

    A folder is taken into the store, its files by way of `arriving`, a folder of `staging`. Raises UsageError for one
    that holds no bot, and as `Versions.find`.
    """
    folder = bot_folder(bot, base)
    if folder.is_dir() or ("/" in bot and not _could_be_submitted(bot)):
        return enter(store, take_in_for_now(read_bot(folder, runtimes_of(store)), store, arriving))
    return store.versions.find(bot)


def _could_be_submitted(bot: str) -> bool:
    """Whether a name with a slash has the form author/bot."""
    author, _, name = bot.partition("/")
    return bool(author) and author not in (".", "..") and "/" not in name


def check_plays(bot: str, games: Collection[str], game: str) -> None:
    """Raise UsageError for a bot that does not play a game, by the `games` of its bot.toml."""
    if not plays(games, game):
        raise UsageError(f"{bot} does not play {game}", f"its bot.toml says games = {list(games)}")


def games_of(version: VersionRecord) -> Collection[str]:
    """Return the `games` of a version's bot.toml."""
    games: Collection[str] = version.manifest.get("games", ())
    return games


def common_game(versions: Iterable[VersionRecord]) -> str:
    """Return the name of the one game that all of these bots play. Raises UsageError for none or several."""
    versions = list(versions)
    common = [
        game for game in registry.games() if all(plays(games_of(version), game) for version in versions)
    ]
    if not common:
        raise UsageError("no game is played by all of these bots", "see `games` in each bot.toml")
    if len(common) > 1:
        raise UsageError("these bots play several games together", "choose with --game: " + ", ".join(common))
    return common[0]


def labels(versions: Sequence[VersionRecord]) -> list[str]:
    """Return the bots' names, with author and version where several bots share one; the same bot has one label."""
    by_name: dict[str, set[int]] = {}
    for version in versions:
        by_name.setdefault(version.bot, set()).add(version.id)
    return [version.bot if len(by_name[version.bot]) == 1 else version.reference for version in versions]


def distinct_labels(versions: Sequence[VersionRecord]) -> list[str]:
    """Return the bots' labels with a number behind that of a bot which is there already."""
    found: list[str] = []
    for label in labels(versions):
        number = sum(other == label or other.startswith(f"{label} ") for other in found)
        found.append(f"{label} {number + 1}" if number else label)
    return found


def version_before(store: Store, version: VersionRecord) -> VersionRecord:
    """Return the version of the same bot to compare one with: the newest older one, submitted ones first.

    Raises UsageError where the store has no other version of it.
    """
    older = [
        other
        for other in store.versions.all(author=version.author, bot=version.bot)
        if other.number < version.number
    ]
    if not older:
        raise UsageError(
            f"there is no older version of {version.author}/{version.bot} to compare with",
            "submit it before you change it, or name both: arena compare OLD NEW",
        )
    return max(older, key=lambda other: (bool(other.report), other.number))
