"""Changes of the field: bots join, a new version takes over from an older one, bots leave."""

from collections.abc import Sequence
from pathlib import Path

from arena.config.allowed_names import check_name
from arena.config.arguments import check_arguments
from arena.core.errors import UsageError
from arena.league.changes.subject import Subject, subject
from arena.league.changes.version_quota import check_arrival
from arena.league.definition.bot_sources import name_with_args
from arena.league.definition.enter_bots import told_apart
from arena.league.definition.named_bots import check_plays, games_of
from arena.league.definition.stop import why_no_arrivals
from arena.sandbox.program import refuse_unknown_program
from arena.submissions.bundled import bundled_bot
from arena.submissions.manifest import read_manifest
from arena.submissions.programs import program_of, runtimes_of
from arena.submissions.versions import enter, keep_arriving, look_at
from results.advice import Advice, Key, by
from results.escaping import folded
from results.records import EntryRecord, EntrySpec, VersionRecord
from results.roster import ORGANISER, Roster
from results.store import Store


def add(
    store: Store,
    league: str,
    bot: str,
    *,
    label: str | None = None,
    args: Sequence[str] = (),
    active_by_default: int | None = None,
) -> str:
    """Let a submitted bot join a league; return in words what happens.

    `bot` names a version, or a bot whose newest version is meant; or a bot that comes with Arena by its path, such as
    `bots/any_game/random`. For `active_by_default`, see `check_arrival`. Raises UsageError, UnknownVersion,
    AmbiguousName.
    """
    about = subject(store, league)
    at = about.changes_at()
    _check_arrivals(about)
    own = bundled_bot(bot)
    if own is not None:  # refused before a version is made of it
        check_plays(bot, read_manifest(own).games, about.definition.game.info.name)
    version = store.versions.find(bot) if own is None else _entered(store, own)
    check_arguments("args", tuple(args))
    roster = about.roster_from(at)
    entries = store.entries.all(about.league.uuid)
    if (same := _same(entries, version, tuple(args))) is not None and same.entry_no not in roster.retired:
        raise _in_already(about.league.name, version, same, roster)
    _check_playable(about, version)
    check_arrival(about, version.author, at, active_by_default=active_by_default)
    about.check_field(at, joins=[version])
    if label is not None:
        check_name("label", label)
    spec = EntrySpec(label or _free_label(version, tuple(args), entries), version.id, tuple(args))
    (entry,) = store.entries.add(about.league.uuid, [spec], at)
    return f"{entry.label} ({version.reference}) joins {about.league.name} at match {at}"


def replace(store: Store, league: str, entry: str, bot: str | None = None) -> str:
    """Let a new version take over from an entry: its arguments, its ancestry, its rating with a wider σ.

    `bot` names the new version; by default the newest of the entry's bot. Returns in words what happens. Raises
    UsageError, UnknownEntry, UnknownVersion, AmbiguousName.
    """
    about = subject(store, league)
    at = about.changes_at()
    old = about.staying(entry, at)
    roster = about.roster_from(at)
    pause = roster.paused.get(old.entry_no)
    if pause is not None and pause.by == ORGANISER:
        raise UsageError(
            f"{old.label} is paused in {about.league.name} by the organiser: {pause.why}",
            Advice(
                "it can be replaced once it is resumed", by("league resume", about.league.name, old.label)
            ),
        )
    if bot is None and old.version is None:
        raise UsageError(f"{old.label} is not a submitted bot", "name the version that replaces it")
    found = bot if bot is not None or old.version is None else f"{old.version.author}/{old.version.bot}"
    if told := old.entry_no in roster.benched and roster.benched[old.entry_no].by_organiser:
        raise UsageError(
            f"{old.label} in {about.league.name} is {told}",
            Advice(
                "it can be replaced once it is unbenched", by("league unbench", about.league.name, old.label)
            ),
        )
    _check_arrivals(about)
    own = bundled_bot(str(found))
    version = store.versions.find(str(found)) if own is None else _entered(store, own)
    if old.version is not None and version.id == old.version.id:
        raise UsageError(
            f"{old.label} plays {version.reference} already, the newest version",
            Advice("submit a new version first", by("submit", "FOLDER")),
        )
    entries = store.entries.all(about.league.uuid)
    same = _same(entries, version, old.args)
    if same is not None and same.entry_no not in roster.retired:
        raise _in_already(about.league.name, version, same, roster)
    _check_playable(about, version)
    check_arrival(about, version.author, at, replaces=old)
    about.check_field(at, joins=[version], leaves=[old.entry_no])
    spec = EntrySpec(
        _next_label(old, version, entries),
        version.id,
        old.args,
        predecessor=old.entry_no,
    )
    new = store.entries.replace(about.league.uuid, spec, at)
    return f"{new.label} ({version.reference}) replaces {old.label} in {about.league.name} at match {at}"


def retire(store: Store, league: str, entry: str) -> str:
    """Take an entry out of a league for good; its games and its rating stay. Return in words what happens.

    Raises UsageError, UnknownEntry, AmbiguousName.
    """
    about = subject(store, league)
    at = about.changes_at()
    old = about.staying(entry, at)
    about.check_field(at, leaves=[old.entry_no])
    store.entries.retire(about.league.uuid, old.entry_no, at)
    return f"{old.label} retires from {about.league.name} at match {at}"


def _check_arrivals(about: Subject) -> None:
    """Raise UsageError if the league's end rule allows no entries that join after its start."""
    if why := why_no_arrivals(about.definition.file):
        name = about.league.name
        raise UsageError(
            f"no bot can join {name}: {why}",
            'set arrivals, such as 0.5, in the [stop] table of a new league, or leave out until = "settled"',
        )


def _in_already(league: str, version: VersionRecord, same: EntryRecord, roster: Roster) -> UsageError:
    """Return the refusal of a bot that is in a league already, with how it plays again if it doesn't."""
    if same.entry_no in roster.benched:
        return UsageError(
            f"{version.reference} is in {league} already, as {same.label!r}, and benched",
            Advice("let it play again", by("league unbench", league, same.label)),
        )
    if same.entry_no in roster.paused:
        return UsageError(
            f"{version.reference} is in {league} already, as {same.label!r}, and paused",
            Advice("let it play again", by("league resume", league, same.label)),
        )
    return UsageError(
        f"{version.reference} plays in {league} already, as {same.label!r}",
        Advice("it can play a second time only with other arguments (", Key("arg"), ")"),
    )


def _entered(store: Store, folder: Path) -> VersionRecord:
    """Enter a bot that comes with Arena into the store, unless it is there; return its version."""
    candidate = look_at(folder, store, runtimes_of(store))
    return enter(store, keep_arriving(candidate, store.files))


def _check_playable(about: Subject, version: VersionRecord) -> None:
    """Raise UsageError unless a version can play in a league on this machine.

    It has been checked, or it came with Arena.
    """
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
    refuse_unknown_program(program_of(about.store, version), runtimes_of(about.store), version.reference)


def _same(
    entries: Sequence[EntryRecord], version: VersionRecord, args: tuple[str, ...]
) -> EntryRecord | None:
    """Return the newest entry of a version with the same arguments."""
    same = [
        entry for entry in entries if entry.version and entry.version.id == version.id and entry.args == args
    ]
    return same[-1] if same else None


def _free_label(version: VersionRecord, args: tuple[str, ...], entries: Sequence[EntryRecord]) -> str:
    """Return a label that no entry has: the bot's name, with arguments, version, author or a number if need be."""
    with_args = name_with_args(version.bot, args)
    others = [entry.version for entry in entries if entry.version]
    candidates = (version.bot, with_args, *told_apart(version, others), version.reference)
    return _first_free(candidates, with_args, entries)


def _next_label(old: EntryRecord, version: VersionRecord, entries: Sequence[EntryRecord]) -> str:
    """Return a label for the version that replaces an entry: the old label with the number of the version."""
    name, at, number = old.label.rpartition("@")
    base = name if at and number.isdigit() else old.label
    numbered = f"{base}@{version.number}"
    return _first_free((numbered, name_with_args(numbered, old.args), version.reference), numbered, entries)


def _first_free(candidates: Sequence[str], base: str, entries: Sequence[EntryRecord]) -> str:
    taken = {folded(entry.label) for entry in entries}
    numbered = (f"{base} {number}" for number in range(2, len(taken) + 3))
    return next(label for label in (*candidates, *numbered) if folded(label) not in taken)
