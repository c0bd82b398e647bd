"""Versions of bots: submitted, entered into the leagues that want them, and deleted if nothing holds them."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from msgspec import Meta, Struct, structs

from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.league.changes.base import (
    EnteredBy,
    LeagueName,
    Subject,
    VersionName,
    active_by_default,
    check_arrival,
    subject,
)
from arena.league.changes.entries import Add, Replace
from arena.league.definition.entries import starts_as_checked, was_started
from arena.league.definition.stored import file_of
from arena.submissions.entering import Submission, enter_submission
from arena.submissions.launch_spec import ToStart, program_of
from arena.submissions.manifest import Manifest, bundled_bot
from arena.submissions.staging import mark_deleted
from results.base.advice import Advice, by
from results.base.errors import LedgerError, StoreFailed, UnknownLeague
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.store import Store
from results.store.league_rows import CASUAL

_MOST_NAMED = 5


class Submit(Submission, frozen=True, forbid_unknown_fields=True):
    """A submission, and the leagues that it enters."""

    kind: ClassVar[str] = "submit"
    words: ClassVar[str] = "submit a bot"
    enter: Annotated[tuple[LeagueName, ...], Meta(max_length=100)] = ()
    """Names of leagues."""
    of_account: bool = False
    """Whether an account of the site has uploaded it, and not somebody who may write to the store."""

    @classmethod
    def of(cls, submission: Submission, leagues: tuple[str, ...], *, of_account: bool = False) -> "Submit":
        """Return the change that stores a submission and enters it in these leagues."""
        return cls(**structs.asdict(submission), enter=leagues, of_account=of_account)

    def perform(self, store: Store) -> str:
        """Store the bot as a version and enter it, or change nothing. Raises as `enter_submission` and `enter`."""
        version, words = enter_submission(store, self)
        by: EnteredBy = "account" if self.of_account else "author"
        found = [enter(store, league, version, by=by) for league in self.enter]
        return "; ".join([words, *found, *enter_tracking(store, version, by=by)])


def enter(store: Store, league: str, version: VersionRecord, *, by: EnteredBy = "author") -> str:
    """Let a version play: in place of the bot's entries, or as a newcomer. Raises UsageError and LedgerErrors."""
    about = subject(store, league)
    entries = _of_bot(about, version.author, version.bot)
    old = _to_replace(entries, version)
    if not entries:
        limit = active_by_default(about, version.author, by)
        return Add(league, version.reference).enter(store, limit)
    if not old:
        return f"{version.reference} plays in {about.league.name} already"
    check_arrival(about, version.author, about.changes_at(), replaces=old[0], count=len(old))  # all, or none
    return "; ".join(Replace(league, entry.label, version.reference).perform(store) for entry in old)


def check_entering(
    store: Store,
    league: str,
    author: str,
    bot: str,
    version: VersionRecord | None,
    *,
    by: EnteredBy = "author",
) -> None:
    """Raise UsageError if a bot can't enter a league now, before `enter`; `version`: the one to submit, if known."""
    about = subject(store, league)
    at = about.changes_at()
    entries = _of_bot(about, author, bot)
    old = _to_replace(entries, version)
    if old or not entries:
        limit = active_by_default(about, author, by)
        replaced = old[0] if old else None
        check_arrival(about, author, at, replaced, max(1, len(old)), active_by_default=limit)


def check_leagues(
    store: Store | None,
    leagues: Iterable[str],
    path: Path,
    bot: Manifest,
    version: VersionRecord | None,
    *,
    by: EnteredBy = "author",
) -> None:
    """Raise UsageError or UnknownLeague if a bot can't enter these leagues; `store`: the one at `path`, if any."""
    for league in leagues:
        if store is None:
            raise UnknownLeague(league, []).in_store(str(path.absolute()))
        check_entering(store, league, bot.author, bot.name, version, by=by)


def to_start(
    store: Store, league: str, bot: str | None, args: Sequence[str] = (), entry: str = ""
) -> list[ToStart]:
    """Return the bot that is to join a league, if it has to show that it starts; see `enter_bots.to_start`.

    `bot` is as in `Add`. If it is to replace `entry`, its arguments are those of the entry, and the default is
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
    retired = about.roster_from(about.changes_at()).retired
    return [
        entry
        for entry in about.store.entries.all(about.league.uuid)
        if entry.entry_no not in retired
        and entry.version is not None
        and (entry.version.author, entry.version.bot) == (author, bot)
    ]


def _to_replace(entries: Sequence[EntryRecord], version: VersionRecord | None) -> list[EntryRecord]:
    """Return a bot's newest entry for each of its arguments that `version` (None: a new one) doesn't play with yet."""
    newest = {entry.args: entry for entry in entries}
    there = {entry.args for entry in entries if version is not None and entry.version == version}
    return [entry for args, entry in newest.items() if args not in there]


def enter_tracking(store: Store, version: VersionRecord, *, by: EnteredBy = "author") -> list[str]:
    """Enter a version in every league that tracks its bot; return what happens. Raises MachineRefuses, StoreFailed."""
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
            except ArenaError as error:
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


class DeleteVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """A version is deleted."""

    kind: ClassVar[str] = "delete-version"
    words: ClassVar[str] = "delete a version"
    version: VersionName
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """Its content hash, so that no other version is meant."""

    def perform(self, store: Store) -> str:
        """Delete the version, and its files after the transaction. Raises UsageError if there is none or it is held."""
        version = store.versions.find(self.version)
        if version.sha256 != self.sha256 or version.reference != self.version:
            raise UsageError(
                f"{self.version} isn't the version that was to be deleted",
                Advice("see what is there", by("bots", "--all")),
            )
        check_unheld(store, version)
        mark_deleted(store.files, version)
        store.versions.delete(version)
        return f"{version.reference} is deleted ({version.sha256[:12]})"


def check_unheld(store: Store, version: VersionRecord) -> None:
    """Raise UsageError, naming them, if leagues, comparisons or single matches hold a version."""
    held = list(dict.fromkeys(league for league, _, _ in store.entries.of_versions([version.id])[version.id]))
    if not held:
        return
    leagues = [league for league in held if league != CASUAL]
    more = f" and {len(held) - _MOST_NAMED} more" if len(held) > _MOST_NAMED else ""
    if CASUAL in held:
        hint = Advice(f"games in {CASUAL} are kept for good, and so are their bots")
    else:
        hint = Advice("delete what holds it first, with all its games", by("league delete", leagues[0]))
    going_on = [league for league in leagues if store.leagues.get(league).state != "finished"]
    if going_on:
        hint = Advice(hint, "; to stop it from playing on", by("league retire", going_on[0], version.bot))
    raise UsageError(f"{version.reference} is held by games in {', '.join(held[:_MOST_NAMED])}{more}", hint)
