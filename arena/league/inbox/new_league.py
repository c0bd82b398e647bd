"""Creates a league from a league file that has been read, or from a file of events, when a runner holds the store."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta, Struct

from arena.config.league_file import MOST_ENTRIES, Arguments, LeagueFile
from arena.config.mistakes import at_key, convert, in_file
from arena.config.names import LABEL_CHARS, check_name
from arena.core.errors import UsageError
from arena.league.changes.whole_league import seal
from arena.league.create import Starts, builder_for, create_with, started_bots, untried
from arena.league.definition.entries import Bot, Source
from arena.league.definition.read import LeaguePlan, plan_of
from arena.league.export_and_import import EventLine, Header, create_from_events, decode_events
from arena.league.inbox.files import UUID, NoCommand, attached
from arena.submissions.build import Say, silently
from arena.submissions.entering import Candidate, kept_version
from arena.submissions.read_source import BuildRecord
from arena.submissions.staging import keep_all, staging_folder
from results.base.text import counted
from results.records import VersionRecord
from results.store import Store


class NewEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the league, whose files are kept next to the store."""

    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    keys: Annotated[tuple[Annotated[str, Meta(max_length=100)], ...], Meta(max_length=4)]
    """The path of its table in the league file, for messages."""
    label: Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS)] | None = None
    args: Arguments = ()
    build: BuildRecord | None = None
    """How its files were built; None if they weren't."""


class NewLeague(Struct, frozen=True, forbid_unknown_fields=True):
    """A league file and its bots."""

    kind: ClassVar[str] = "create"
    words: ClassVar[str] = "create a league"
    file: dict[str, Any]
    """The league file with all defaults."""
    entries: Annotated[tuple[NewEntry, ...], Meta(max_length=MOST_ENTRIES)]
    draws: Annotated[float, Meta(ge=0, le=1)] | None = None
    """The measured draw probability; None if the file sets it, or if the rating system needs none."""

    def perform(self, store: Store) -> str:
        """Create the league; return in words what happens. Raises UsageError and the errors of the ledger."""
        with in_file("the league file"):
            file = convert(self.file, LeagueFile)
        found = [
            Source(entry.label, entry.args, None, entry.sha256, entry.keys, "version", entry.sha256)
            for entry in self.entries
        ]
        known: dict[str, VersionRecord] = {}
        for entry in self.entries:
            if entry.sha256 not in known:
                known[entry.sha256] = kept_version(store, entry.sha256, entry.build)
        planned = plan_of(file, found, f"league {file.name}", draws=self.draws)
        league = create_with(store, planned, [known[entry.sha256] for entry in self.entries])
        return f"created {league.name}{seal(league)}"


def left_league(
    store: Store, planned: LeaguePlan, say: Say = silently, starts: Starts = untried
) -> NewLeague:
    """Keep the files of a plan's bots next to the store; return the command that creates the league.

    `say` is told which bots are being built; `starts` starts them before their files are kept. `store` may be open for
    reading only. Raises UsageError or LedgerError for what can be known before, and as `Builder.built`.
    """
    file, measured = planned.file, planned.rating.measured
    with in_file(planned.name, planned.text), staging_folder(store.files, store.path) as staging:
        with at_key("name"):
            store.leagues.check_new_name(file.name)
        bots = started_bots(store, planned, staging, builder_for(store, planned, say), starts)
        keep_all(staging, store.files)
    return NewLeague(
        msgspec.to_builtins(file),
        tuple(
            NewEntry(bot.sha256, source.keys, source.label, source.args, _build(bot))
            for source, bot in zip(planned.sources, bots, strict=True)
        ),
        planned.rater.options[measured] if measured else None,
    )


def _build(bot: Bot) -> BuildRecord | None:
    """Return how a bot that is new to the store was built; None if it wasn't."""
    built = bot.intake.built if isinstance(bot, Candidate) else None
    return None if built is None else built.record


class ReplayedLeague(Struct, frozen=True, forbid_unknown_fields=True):
    """A league that plays the matches of an event file again; the file is attached to the command."""

    kind: ClassVar[str] = "create-from-events"
    words: ClassVar[str] = "create a league from events"
    file: Annotated[str, Meta(max_length=4_096)]
    """The path of the file, for messages."""
    events: Annotated[str, Meta(pattern=UUID)]
    """The id of the command that the file is attached to."""
    name: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """The league's name, if it isn't the one in the file."""

    def perform(self, store: Store) -> str:
        """Create the league; return in words what happens. Raises UsageError and the errors of the ledger."""
        if self.name is not None:
            check_name(("name",), self.name)
        try:
            content = attached(store.files, self.events)
        except (NoCommand, FileNotFoundError) as error:
            raise UsageError(f"the events can't be read: {error}", "create the league again") from None
        header, events = decode_events(content.splitlines(), Path(self.file))
        league = create_from_events(store, header, events, self.name)
        matches = counted(header.matches, "match", "matches")
        return f"created {league.name}, which plays {matches} of {header.league} again"


def attachment(header: Header, events: Sequence[EventLine]) -> bytes:
    """Return the content of an event file, to be attached to a command."""
    return b"\n".join(map(msgspec.json.encode, [header, *events]))
