"""Bots that a command names, ready to play without being in the store, and the table of a single match."""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.league.definition.bot_arguments import bot_path, find_submitted, games_of, labels
from arena.sandbox.bot_program import Program
from arena.submissions.bot_languages import Language, language_of
from arena.submissions.build import Builder
from arena.submissions.entering import Candidate, keep_source, kept_files, known_version, read_bot, staged
from arena.submissions.folder import File, keep
from arena.submissions.kept_version_files import VERSIONS
from arena.submissions.launch_spec import manifest_in, program_of, runtimes_beside
from arena.submissions.read_source import BuildRecord, Built, Intake
from results.records import VersionRecord
from results.store import Store, files_beside


class StagedBot(Struct, frozen=True):
    """A bot that can play: a version in the store, or one that may be entered later."""

    version: VersionRecord
    """The version; if it isn't in the store, as it would be there, with a negative `id`."""
    program: Program
    files: tuple[File, ...] = ()
    """Its files, by which it can be entered; empty if the store is certain to keep them."""
    built: Built | None = None
    named: str = ""
    """How the command names it; empty if it doesn't."""

    @property
    def build(self) -> BuildRecord | None:
        """How its files were built, if they were."""
        return None if self.built is None else self.built.record

    @property
    def language(self) -> Language | None:
        """What it is written in, as far as its files show it."""
        manifest, folder = self.version.manifest, self.program.folder
        names = [file.path for file in (*self.files, *(self.built.source if self.built else ()))]
        if not names and folder.is_dir():
            names = [path.name for path in folder.iterdir()]
        return language_of(manifest.get("command", ()), names, manifest.get("build", ()))

    @property
    def kit(self) -> bool:
        """Whether it uses the Python kit."""
        return bool(self.version.manifest.get("kit"))


class ReadBot(Struct, frozen=True):
    """A bot that a command names: read and checked, but not built yet."""

    source: StagedBot | Intake
    """A version of the store, or a folder or archive."""
    named: str

    @property
    def games(self) -> Collection[str]:
        """The `games` of its bot.toml."""
        if isinstance(self.source, Intake):
            return self.source.manifest.games
        return games_of(self.source.version)


def read_bots(path: Path, store: Store | None, bots: Sequence[str], base: Path) -> list[ReadBot]:
    """Return the bots that the arguments of a command name, as `bot_arguments.find_bot` does; writes nothing.

    `path` is that of the store, and `store` the store itself, if there is one. Raises UsageError if there is no bot at
    a path or the files of a version are missing, and the errors of `Versions.find`.
    """
    found = []
    for bot in bots:
        if (place := bot_path(bot, base)) is not None:
            found.append(ReadBot(read_bot(place, runtimes_beside(path)), bot))
        else:
            version = find_submitted(path, store, bot, base)
            if store is not None:  # as there is a version
                kept = StagedBot(version, program_of(store, version), *kept_files(store, version), bot)
                found.append(ReadBot(kept, bot))
    return found


def staged_bots(
    path: Path, store: Store | None, bots: Sequence[ReadBot], staging: Path, builder: Builder | None = None
) -> list[StagedBot]:
    """Return bots ready to play, in order, through a `staging` folder; changes no store. Raises as `Builder.built`."""
    new: dict[str, StagedBot] = {}
    found = []
    for bot in bots:
        if isinstance(bot.source, StagedBot):
            found.append(bot.source)
            continue
        intake = bot.source
        known = known_version(store, intake) if store is not None else None
        candidate = staged(intake, files_beside(path) / VERSIONS, known, staging, builder)
        intake, known = candidate.intake, candidate.known
        ready = new.get(intake.sha256) if known is None else None
        if ready is None:
            version = known or _as_it_would_be(store, candidate, list(new.values()))
            manifest, folder = manifest_in(version), candidate.folder
            program = Program(folder, manifest.command_with(), engine=manifest.engine, reuse=manifest.reuse)
            ready = StagedBot(version, program, intake.files, intake.built, bot.named)
            if known is None:
                new[intake.sha256] = ready
        found.append(ready)
    return found


def keep_files(path: Path, bots: Sequence[StagedBot]) -> None:
    """Keep the files of bots next to the store, also of versions in it, which may be deleted meanwhile."""
    for bot in bots:
        if bot.files:
            keep(bot.files, files_beside(path) / VERSIONS / bot.version.sha256)
            keep_source(bot.built, files_beside(path))


def _as_it_would_be(store: Store | None, candidate: Candidate, new: Sequence[StagedBot]) -> VersionRecord:
    author, bot = candidate.manifest.author, candidate.manifest.name
    there = store.versions.all(author=author, bot=bot) if store is not None else []
    same_bot = [
        other.version.number for other in new if (other.version.author, other.version.bot) == (author, bot)
    ]
    return VersionRecord(
        id=-1 - len(new),
        author=author,
        bot=bot,
        number=max([*(version.number for version in there), *same_bot, 0]) + 1,
        sha256=candidate.sha256,
        parent=None,
        manifest=candidate.manifest.as_stored(),
        report={},
        deterministic=None,
        added_at="",
    )


class TablePlayer(Struct, frozen=True):
    """A bot or a person in a single match, at one seat or at several."""

    label: str
    bot: StagedBot | None = None
    """None for a person."""
    args: tuple[str, ...] = ()
    """Arguments for the bot's command, beyond those in its bot.toml."""


class Table(Struct, frozen=True):
    """The players of a single match, and their seats."""

    players: tuple[TablePlayer, ...]
    """Each once, in the order in which they sit down."""
    seats: tuple[int, ...]
    """The index of the player at each seat of the first game."""

    def seated(self) -> list[str]:
        """Return the label of the player at each seat."""
        return [self.players[index].label for index in self.seats]

    def with_person(self, name: str, seat: int) -> "Table":
        """Return the table with a person at a seat, from 0; who sat there or after moves up by one."""
        seats = (*self.seats[:seat], len(self.players), *self.seats[seat:])
        return replace(self, players=(*self.players, TablePlayer(name)), seats=seats)


def table_of(bots: Sequence[StagedBot]) -> Table:
    """Return the table with a bot for each seat, in order. The same version at two seats is one player."""
    versions = [bot.version for bot in bots]
    label_of = dict(zip((version.id for version in versions), labels(versions), strict=True))
    bot_of = {bot.version.id: bot for bot in bots}
    index_of = {number: index for index, number in enumerate(label_of)}
    return Table(
        tuple(TablePlayer(label, bot_of[number]) for number, label in label_of.items()),
        tuple(index_of[version.id] for version in versions),
    )
