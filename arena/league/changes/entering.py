"""New versions of bots enter leagues: those that the author names, and those that track the bot."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.league.changes.field import add, replace
from arena.league.changes.subject import Subject, subject
from arena.league.changes.version_quota import EnteredBy, active_by_default, check_arrival
from arena.league.definition.enter_bots import starts_as_checked, was_started
from arena.league.definition.stored import file_of
from arena.submissions.bundled import bundled_bot
from arena.submissions.programs import ToStart, program_of
from results.errors import LedgerError, StoreFailed
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.store import Store


def enter(store: Store, league: str, version: VersionRecord, *, by: EnteredBy = "author") -> str:
    """Let a version play in a league: in place of the bot's entries there, or as a newcomer. Return what happens.

    Raises UsageError and the errors of the ledger.
    """
    about = subject(store, league)
    entries = _of_bot(about, version.author, version.bot)
    old = _to_replace(entries, version)
    if not entries:
        limit = active_by_default(about, version.author, by)
        return add(store, league, version.reference, active_by_default=limit)
    if not old:
        return f"{version.reference} plays in {about.league.name} already"
    check_arrival(
        about, version.author, about.changes_at(), replaces=old[0], count=len(old)
    )  # all of them, or none
    return "; ".join(replace(store, league, entry.label, version.reference) for entry in old)


def check_entering(
    store: Store,
    league: str,
    author: str,
    bot: str,
    version: VersionRecord | None,
    *,
    by: EnteredBy = "author",
) -> None:
    """Raise UsageError if a bot can't enter a league now; `version` is the one to be submitted, if it is known.

    `enter` checks this again, and more.
    """
    about = subject(store, league)
    at = about.changes_at()
    entries = _of_bot(about, author, bot)
    old = _to_replace(entries, version)
    if old or not entries:
        limit = active_by_default(about, author, by)
        replaced = old[0] if old else None
        check_arrival(about, author, at, replaced, max(1, len(old)), active_by_default=limit)


def to_start(
    store: Store, league: str, bot: str | None, args: Sequence[str] = (), entry: str = ""
) -> list[ToStart]:
    """Return the bot that is to join a league, if it has to show that it starts; see `enter_bots.to_start`.

    `bot` is as in `field.add`. If it is to replace `entry`, its arguments are those of the entry, and the default is
    the entry's bot. Returns nothing for names that mean nothing: the change says what is wrong with them.
    """
    with suppress(LedgerError, UsageError):
        file = file_of(found := store.leagues.get(league))
        if entry:
            old = store.entries.find(found.uuid, entry)
            args = old.args
            bot = bot or (f"{old.version.author}/{old.version.bot}" if old.version else "")
        if bot and bundled_bot(bot) is not None:
            return []  # one of Arena's own
        version = store.versions.find(str(bot))
        if not was_started(version, args, file):
            return [
                ToStart(version.reference, program_of(store, version, tuple(args)), Path(version.reference))
            ]
    return []


class OtherStart(NamedTuple):
    """A league that starts a bot otherwise than the check of a submission does."""

    league: str
    file: LeagueFile
    args: tuple[str, ...]
    """Of the bot's entry there."""
    is_named: bool
    """Whether the author names it; otherwise it tracks the bot."""


def other_starts(store: Store, leagues: Sequence[str], author: str, bot: str) -> list[OtherStart]:
    """Return the leagues that a bot enters by a submission, if its check doesn't start it as they do."""
    named = [store.leagues.get(league) for league in leagues]
    tracking = [
        league
        for league in store.leagues.all()
        if tracks(league, author, bot) and league.state != "finished" and league not in named
    ]
    found = []
    for league in (*named, *tracking):
        with suppress(UsageError):  # such as one that is over: `enter` says so
            file = file_of(league)
            entries = _of_bot(subject(store, league.name), author, bot)
            found += [
                OtherStart(league.name, file, args, league in named)
                for args in sorted({entry.args for entry in entries} or {()})
                if not starts_as_checked(file, args)
            ]
    return found


def _of_bot(about: Subject, author: str, bot: str) -> list[EntryRecord]:
    """Return the entries of a bot that haven't been retired."""
    retired = about.roster_from(about.changes_at()).retired
    return [
        entry
        for entry in about.store.entries.all(about.league.uuid)
        if entry.entry_no not in retired
        and entry.version is not None
        and (entry.version.author, entry.version.bot) == (author, bot)
    ]


def _to_replace(entries: Sequence[EntryRecord], version: VersionRecord | None) -> list[EntryRecord]:
    """Return the entries of a bot that a version takes over from: of those with the same arguments, the newest.

    None of those with arguments that the version plays with already. `version`: None if it is yet to be made.
    """
    newest = {entry.args: entry for entry in entries}
    there = {entry.args for entry in entries if version is not None and entry.version == version}
    return [entry for args, entry in newest.items() if args not in there]


def enter_tracking(store: Store, version: VersionRecord, *, by: EnteredBy = "author") -> list[str]:
    """Let a version play in every league that tracks its bot; return what happens in each, or why nothing does.

    Raises MachineRefuses and StoreFailed, such as for a full disk.
    """
    words = []
    for league in store.leagues.all():
        if tracks(league, version.author, version.bot) and league.state != "finished" and not league.revealed:
            try:
                there = _of_bot(subject(store, league.name), version.author, version.bot)
                if any(entry.version == version for entry in there):
                    continue
                with store.together():  # all of the bot's entries there, or none
                    words.append(enter(store, league.name, version, by=by))
            except (MachineRefuses, StoreFailed):  # says nothing of the league; nothing is entered then
                raise
            except (ArenaError, LedgerError) as error:
                words.append(f"not entered in {league.name}: {error}")
    return words


def tracks(league: LeagueRecord, author: str, bot: str) -> bool:
    """Return whether a league's file says that new versions of a bot enter by themselves."""
    bot = f"{author}/{bot}"
    tables = league.config.get("bots")
    return isinstance(tables, list) and any(
        isinstance(table, dict) and table.get("track") == bot
        for table in tables  # the store may be damaged
    )
