"""Changes of who plays: bots join, are replaced, leave, pause and are benched."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.config.league_file import Arguments
from arena.config.names import LABEL_CHARS, check_arguments, check_name
from arena.core.errors import UsageError
from arena.league.changes.base import (
    EntryName,
    LeagueChange,
    Reason,
    Subject,
    VersionName,
    check_arrival,
    subject,
)
from arena.league.definition.bot_arguments import check_plays, games_of
from arena.league.definition.entries import free_label, name_with_args
from arena.league.definition.stop_and_quota import why_no_arrivals
from arena.sandbox.bot_program import refuse_unknown_program
from arena.submissions.entering import enter, keep_staged, look_at
from arena.submissions.launch_spec import program_of, runtimes_beside
from arena.submissions.manifest import bundled_bot, read_manifest
from results.base.advice import Advice, Key, by
from results.base.text import folded
from results.records import EntryRecord, EntrySpec, VersionRecord
from results.records.roster import (
    BENCHED,
    BENCHED_BY_ORGANISER,
    ORGANISER,
    PAUSED,
    RESUMED,
    UNBENCHED,
    Roster,
)
from results.store import Store


class Add(LeagueChange, frozen=True):
    """A submitted bot joins a league."""

    words: ClassVar[str] = "add a bot"
    has_form: ClassVar[bool] = True
    bot: Annotated[
        EntryName,
        Meta(
            description="A submitted bot: author/name for its newest version, or author/name@2. Or one that comes "
            "with Arena, such as bots/any_game/random."
        ),
    ]
    label: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=LABEL_CHARS,
                title="Name in this league",
                description="Empty: the bot's own.",
            ),
        ]
        | None
    ) = None
    args: Arguments = ()

    def perform(self, store: Store) -> str:
        """Let the bot join; return in words what happens. Raises UsageError, UnknownVersion, AmbiguousName."""
        return self.enter(store, None)

    def enter(self, store: Store, active_by_default: int | None) -> str:
        """Like `perform`; for `active_by_default`, see `check_arrival`."""
        about = subject(store, self.league)
        at = about.changes_at()
        _check_arrivals(about)
        check_arguments(("args",), self.args)
        version = _joining(about, self.bot, self.args, at, active_by_default=active_by_default)
        if self.label is not None:
            check_name(("label",), self.label)
        entries = store.entries.all(about.league.uuid)
        taken, others = _labels(entries), [entry.version for entry in entries if entry.version]
        label = self.label or free_label(version, self.args, taken, others)
        (entry,) = store.entries.add(about.league.uuid, [EntrySpec(label, version.id, self.args)], at)
        return f"{entry.label} ({version.reference}) joins {about.league.name} at match {at}"


class Replace(LeagueChange, frozen=True):
    """A new version takes over from an entry: its arguments, its ancestry, its rating with a wider σ."""

    words: ClassVar[str] = "replace a bot"
    entry: EntryName
    bot: VersionName | None = None
    """The new version; by default the newest of the entry's bot."""

    def perform(self, store: Store) -> str:
        """Replace the entry; return what happens. Raises UsageError and as `Subject.entry`."""
        about = subject(store, self.league)
        at = about.changes_at()
        old = about.staying(self.entry, at)
        roster, name = about.roster_from(at), about.league.name
        pause = roster.paused.get(old.entry_no)
        if pause is not None and pause.by == ORGANISER:
            raise UsageError(
                f"{old.label} is paused in {name} by the organiser: {pause.why}",
                Advice("it can be replaced once it is resumed", by("league resume", name, old.label)),
            )
        if self.bot is None and old.version is None:
            raise UsageError(f"{old.label} is not a submitted bot", "name the version that replaces it")
        newest = f"{old.version.author}/{old.version.bot}" if old.version else ""
        if benched := old.entry_no in roster.benched and roster.benched[old.entry_no].by_organiser:
            raise UsageError(
                f"{old.label} in {name} is {benched}",
                Advice("it can be replaced once it plays again", by("league resume", name, old.label)),
            )
        _check_arrivals(about)
        version = _joining(about, self.bot or newest, old.args, at, replaces=old)
        label = _next_label(old, version, store.entries.all(about.league.uuid))
        spec = EntrySpec(label, version.id, old.args, predecessor=old.entry_no)
        new = store.entries.replace(about.league.uuid, spec, at)
        return f"{new.label} ({version.reference}) replaces {old.label} in {name} at match {at}"


class Retire(LeagueChange, frozen=True):
    """An entry leaves a league for good; its games and its rating stay."""

    words: ClassVar[str] = "retire a bot"
    has_form: ClassVar[bool] = True
    entry: EntryName

    def perform(self, store: Store) -> str:
        """Retire the entry; return in words what happens. Raises UsageError, UnknownEntry, AmbiguousName."""
        about = subject(store, self.league)
        at = about.changes_at()
        old = about.staying(self.entry, at)
        about.check_field(at, leaves=[old.entry_no])
        store.entries.retire(about.league.uuid, old.entry_no, at)
        return f"{old.label} retires from {about.league.name} at match {at}"


class Pause(LeagueChange, frozen=True):
    """An entry pauses, or without one the whole league.

    A paused entry keeps its place in the rankings and its rating. If its budget of the day has paused it already, it
    doesn't come back on the next day. A paused league plays its planned matches to their end and then waits.
    """

    words: ClassVar[str] = "pause a bot"
    words_of_league: ClassVar[str] = "pause a league"
    has_form: ClassVar[bool] = True
    entry: EntryName | None = None
    why: Reason = ""

    def perform(self, store: Store) -> str:
        """Pause the entry or the league; return in words what happens. Raises UsageError, UnknownEntry."""
        about = subject(store, self.league)
        data = {"by": ORGANISER, "why": self.why or "no reason given"}
        if self.entry is None:
            about.check_goes_on()
            if about.roster.league_paused is not None:
                raise UsageError(f"{about.league.name} is paused already")
            store.leagues.add_event(about.league.uuid, about.planned, PAUSED, data)
            return f"{about.league.name} pauses at match {about.planned}"
        at = about.changes_at()
        found = about.staying(self.entry, at)
        roster = about.roster_from(at)
        if found.entry_no in roster.paused and not roster.is_out_for_the_day(found.entry_no):
            raise UsageError(f"{found.label} is paused already")
        about.check_field(at, leaves=[found.entry_no])
        store.leagues.add_event(about.league.uuid, at, PAUSED, {"entry": found.entry_no, **data})
        return f"{found.label} pauses in {about.league.name} at match {at}"


class Resume(LeagueChange, frozen=True):
    """The pause of an entry ends, or without one that of the league.

    An entry whose budget of the day is used up then plays until the day is over, whatever it uses. The faults of a
    benched one are forgiven.
    """

    words: ClassVar[str] = "resume a bot"
    words_of_league: ClassVar[str] = "resume a league"
    has_form: ClassVar[bool] = True
    entry: EntryName | None = None

    def perform(self, store: Store) -> str:
        """End the pause; return in words what happens. Raises UsageError, UnknownEntry."""
        about = subject(store, self.league)
        if self.entry is None:
            about.check_goes_on()
            if about.roster.league_paused is None:
                raise UsageError(f"{about.league.name} is not paused")
            store.leagues.add_event(about.league.uuid, about.planned, RESUMED)
            return f"{about.league.name} resumes at match {about.planned}"
        if (benched := about.entry(self.entry)).entry_no in about.roster.benched:
            about.check_goes_on()
            store.leagues.add_event(about.league.uuid, about.planned, UNBENCHED, {"entry": benched.entry_no})
            return (
                f"{benched.label} is no longer benched in {about.league.name} from match {about.planned} on"
            )
        at = about.changes_at()
        found = about.staying(self.entry, at)
        roster = about.roster_from(at)
        if found.entry_no not in roster.paused:
            raise UsageError(f"{found.label} is not paused")
        store.leagues.add_event(about.league.uuid, at, RESUMED, {"entry": found.entry_no})
        said = f"{found.label} resumes in {about.league.name} at match {at}"
        return (
            f"{said}; its budget doesn't apply until 00:00 UTC"
            if roster.is_out_for_the_day(found.entry_no)
            else said
        )


class Bench(LeagueChange, frozen=True):
    """An entry isn't started any more, from the next match that isn't planned.

    On a ladder it gets no more matches. In a round robin or a gauntlet it stays in the schedule and forfeits what is
    planned for it.
    """

    words: ClassVar[str] = "bench a bot"
    has_form: ClassVar[bool] = True
    entry: EntryName
    why: Reason = ""

    def perform(self, store: Store) -> str:
        """Bench the entry; return in words what happens. Raises UsageError, UnknownEntry."""
        about = subject(store, self.league)
        about.check_changeable()
        found = about.staying(self.entry, about.planned)
        if found.entry_no in about.roster.benched:
            raise UsageError(f"{found.label} is benched already")
        data = {"entry_no": found.entry_no, "by": ORGANISER, "why": self.why or BENCHED_BY_ORGANISER}
        store.leagues.add_event(about.league.uuid, about.planned, BENCHED, data)
        meanwhile = "gets no matches" if about.definition.endless else "forfeits its matches"
        return (
            f"{found.label} is benched in {about.league.name}: it {meanwhile} from match {about.planned} on"
        )


def _check_arrivals(about: Subject) -> None:
    """Raise UsageError if the league's end rule allows no entries that join after its start."""
    if why := why_no_arrivals(about.definition.file):
        name = about.league.name
        raise UsageError(
            f"no bot can join {name}: {why}",
            'set arrivals, such as 0.5, in the [stop] table of a new league, or leave out until = "settled"',
        )


def _joining(
    about: Subject,
    bot: str,
    args: tuple[str, ...],
    at: int,
    *,
    replaces: EntryRecord | None = None,
    active_by_default: int | None = None,
) -> VersionRecord:
    """Return the version that joins a league from match `at` on, if it can; see `check_arrival`. Raises UsageError."""
    store, own = about.store, bundled_bot(bot)
    if own is not None:  # refused before a version is made of it
        check_plays(bot, read_manifest(own).games, about.definition.game.info.name)
    version = store.versions.find(bot) if own is None else enter_reference(store, own)
    if replaces is not None and replaces.version is not None and version.id == replaces.version.id:
        raise UsageError(
            f"{replaces.label} plays {version.reference} already, the newest version",
            Advice("submit a new version first", by("submit", "FOLDER")),
        )
    _refuse_same(about, version, args, about.roster_from(at))
    _check_playable(about, version)
    check_arrival(about, version.author, at, replaces, active_by_default=active_by_default)
    about.check_field(at, joins=[version], leaves=[] if replaces is None else [replaces.entry_no])
    return version


def _refuse_same(about: Subject, version: VersionRecord, args: tuple[str, ...], roster: Roster) -> None:
    """Raise UsageError if a version is in a league already with these arguments, with how it plays again."""
    league = about.league.name
    same = [
        entry
        for entry in about.store.entries.all(about.league.uuid)
        if entry.version and entry.version.id == version.id and entry.args == args
    ]
    if not same or same[-1].entry_no in roster.retired:
        return
    label = same[-1].label
    for out, said in ((roster.benched, "benched"), (roster.paused, "paused")):
        if same[-1].entry_no in out:
            hint = Advice("let it play again", by("league resume", league, label))
            raise UsageError(f"{version.reference} is in {league} already, as {label!r}, and {said}", hint)
    hint = Advice("it can play a second time only with other arguments (", Key("arg"), ")")
    raise UsageError(f"{version.reference} plays in {league} already, as {label!r}", hint)


def enter_reference(store: Store, folder: Path) -> VersionRecord:
    """Enter a bot that comes with Arena into the store, unless it is there; return its version."""
    candidate = look_at(folder, store, runtimes_beside(store.path))
    return enter(store, keep_staged(candidate, store.files))


def _check_playable(about: Subject, version: VersionRecord) -> None:
    """Raise UsageError unless a version, checked or of Arena's own, can play in a league here."""
    game = about.definition.game.info.name
    check_plays(version.reference, games_of(version), game)
    if game not in version.report and not version.bundled:
        raise UsageError(
            f"{version.reference} has not been checked in {game}, so it can't join {about.league.name}",
            Advice(
                *("submit it, which checks it first", by("submit", "FOLDER")),
                "; or name its folder, and it is submitted now",
            ),
        )
    refuse_unknown_program(
        program_of(about.store, version), runtimes_beside(about.store.path), version.reference
    )


def _next_label(old: EntryRecord, version: VersionRecord, entries: Sequence[EntryRecord]) -> str:
    """Return a label for the version that replaces an entry: the old label with the number of the version."""
    name, at, number = old.label.rpartition("@")
    base = name if at and number.isdigit() else old.label
    numbered, taken = f"{base}@{version.number}", _labels(entries)
    named = (numbered, name_with_args(numbered, old.args), version.reference)
    more = (f"{numbered} {number}" for number in range(2, len(taken) + 3))
    return next(label for label in (*named, *more) if folded(label) not in taken)


def _labels(entries: Sequence[EntryRecord]) -> set[str]:
    """Return the labels that are taken, folded."""
    return {folded(entry.label) for entry in entries}
