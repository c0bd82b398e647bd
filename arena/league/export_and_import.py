"""Files of a league's events: everything that its table follows from, and leagues created from such a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct, structs

from arena.config.league_file import MOST_MATCHES, LeagueFile, StopTable
from arena.config.names import check_arguments, check_name
from arena.core.errors import BadValue, UsageError
from arena.league.definition.checked_definition import schedule_named, schedule_of
from arena.league.definition.stored import StoredDefinition
from results.base.advice import Advice, by, run
from results.base.errors import UnknownVersion
from results.ratings.base import Rating
from results.records import EntryRecord, EntrySpec, LeagueRecord, RulesetRecord, VersionRecord, roster
from results.store import Store

T = TypeVar("T")

FORMAT = 1
"""The number of the file's format."""
MOST_BYTES = 256 << 20
"""The largest file that is read."""
MOST_LINE_BYTES = 16 << 20
MOST_EVENTS = 100_000
MOST_ENTRIES = 1_000_000


class EventVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """The version of a bot, by its content."""

    author: str
    bot: str
    number: int
    sha256: str


class EventEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry, in the order of their numbers."""

    label: str
    version: EventVersion
    args: tuple[str, ...] = ()
    prior: Rating | None = None
    """Its initial rating, unless it is the default or follows from the results."""
    predecessor: int | None = None


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of the file."""

    arena_events: int
    """`FORMAT`."""
    league: str
    uuid: str
    config: dict[str, Any]
    """The league file with all defaults."""
    ruleset: RulesetRecord
    rating: str
    rating_options: dict[str, Any]
    keep_replays: str
    commitment: str
    secret: str | None
    """32 bytes in hexadecimal; null if it isn't public."""
    matches: Annotated[int, Meta(ge=0, le=MOST_MATCHES)]
    entries: tuple[EventEntry, ...]


class EventLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A line for each event."""

    at_match_no: Annotated[int, Meta(ge=0, le=MOST_MATCHES)]
    kind: str
    data: dict[str, Any]
    at: str


def exported(store: Store, league: LeagueRecord) -> Iterator[bytes]:
    """Yield the lines of a league's event file. Raises UsageError if the league has none."""
    if not league.rated or league.ruleset is None:
        raise UsageError(f"{league.name} isn't rated: its events can't be exported")
    # The league may be played meanwhile. Events are always of matches that aren't planned yet, so those read after the
    # number of matches have all that decided them; entries that joined after the events were read are left out.
    matches = store.leagues.progress(league.uuid).matches_planned
    events = store.leagues.events(league.uuid)
    entries = store.entries.all(league.uuid)
    newer = roster.arrivals(store.leagues.events(league.uuid)).keys() - roster.arrivals(events).keys()
    heirs = {event.data["entry"] for event in events if event.kind == roster.REPLACED}
    public = league.revealed or not league.sealed
    header = Header(
        FORMAT,
        league.name,
        league.uuid,
        league.config,
        league.ruleset,
        league.rating,
        league.rating_options,
        league.keep_replays,
        league.commitment,
        store.leagues.secret(league.uuid).hex() if public else None,
        matches,
        tuple(_entry(entry, entry.entry_no in heirs) for entry in entries if entry.entry_no not in newer),
    )
    yield msgspec.json.encode(header) + b"\n"
    for event in events:
        line = EventLine(event.at_match_no, event.kind, event.data, event.at)
        yield msgspec.json.encode(line) + b"\n"


def _entry(entry: EntryRecord, is_heir: bool) -> EventEntry:
    version = entry.version
    if version is None:
        raise UsageError(
            f"{entry.label} is not a submitted bot", "only leagues of submitted bots can be played again"
        )
    named = EventVersion(version.author, version.bot, version.number, version.sha256)
    return EventEntry(entry.label, named, entry.args, None if is_heir else entry.prior, entry.predecessor)


def read_events(path: Path) -> tuple[Header, list[EventLine]]:
    """Return the content of an event file. Raises UsageError, naming file and line."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: more than {MOST_BYTES >> 20} MiB, too large for a file of events")
        with path.open("rb") as file:
            lines: list[bytes] = []
            while line := file.readline(MOST_LINE_BYTES + 1):
                if len(line) > MOST_LINE_BYTES:
                    raise UsageError(
                        f"{path}: line {len(lines) + 1} is longer than {MOST_LINE_BYTES >> 20} MiB"
                    )
                lines.append(line)
                if len(lines) > MOST_EVENTS + 1:
                    raise UsageError(f"{path}: more than {MOST_EVENTS:,} events")
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", "check the path") from None
    return decode_events(lines, path)


def decode_events(lines: Sequence[bytes], path: Path) -> tuple[Header, list[EventLine]]:
    """Return the content of the event file at `path` from its lines. Raises UsageError, naming file and line."""
    if len(lines) > MOST_EVENTS + 1:
        raise UsageError(f"{path}: more than {MOST_EVENTS:,} events")
    if not lines:
        raise UsageError(
            f"{path} is empty", Advice("export the events again", by("league events", "NAME --export FILE"))
        )
    header = _decoded(lines[0], Header, path, 1)
    if header.arena_events != FORMAT:
        raise UsageError(
            f"{path}: format {header.arena_events}; this version of Arena reads format {FORMAT}",
            "read it with the version that wrote it",
        )
    events = [_decoded(line, EventLine, path, number) for number, line in enumerate(lines[1:], 2)]
    return header, events


def _decoded(line: bytes, kind: type[T], path: Path, number: int) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"{path}, line {number}: {error}",
            Advice("write a file of events", by("league events", "NAME --export FILE")),
        ) from None


def create_from_events(
    store: Store, header: Header, events: Sequence[EventLine], name: str | None = None
) -> LeagueRecord:
    """Create a league that replays an event file, of bots in the store. Raises UsageError or LedgerError."""
    name = name or header.league
    check_name(("name",), name)
    if header.secret is None:
        raise UsageError(
            f"the file doesn't have the secret of {header.league}, from which its deals are derived",
            Advice(
                "once the league is over, ",
                run("league reveal", header.league),
                ", then export its events again",
            ),
        )
    specs = [_spec(store, entry) for entry in header.entries]
    _check(header, events)
    config = {**header.config, "name": name, "stop": {}}
    with store.together():
        league = store.leagues.create(
            name=name,
            config=config,
            ruleset=header.ruleset,
            entries=specs,
            secret=_secret(header.secret),
            rating=header.rating,
            rating_options=header.rating_options,
            keep_replays=header.keep_replays,
            traits=schedule_named(config.get("schedule")).traits,
        )
        if league.commitment != header.commitment:
            raise UsageError("the secret in the file does not match the league's commitment")
        replays = {"league": header.uuid, "matches": header.matches}
        store.leagues.add_event(league.uuid, 0, roster.REPLAYS, replays)
        for event in events:
            if event.kind in roster.FIELD_CHANGES and (
                event.kind not in (roster.PAUSED, roster.RESUMED) or "entry" in event.data
            ):
                store.leagues.add_event(league.uuid, event.at_match_no, event.kind, event.data)
            elif event.kind == roster.EXTENDED:
                kept = {key: value for key, value in event.data["set"].items() if key.startswith("schedule.")}
                store.leagues.add_event(league.uuid, event.at_match_no, roster.EXTENDED, {"set": kept})
        definition = StoredDefinition(store, league).at(0)  # refuses a league file that can't be used
        _check_extensions(definition.file, events)
        rules = definition.ruleset
        if header.ruleset != RulesetRecord(rules.game, rules.version, rules.name, rules.key):
            raise UsageError(
                f"the rules {header.ruleset.name!r} in the file aren't those of its league file: {rules.name!r}",
                "export the events again",
            )
    return league


def _check(header: Header, events: Sequence[EventLine]) -> None:
    """Raise UsageError unless the events fit the entries."""
    count = len(header.entries)
    joined: set[int] = set()
    for number, event in enumerate(events, 2):
        try:
            named = check_data(event.kind, event.data)
        except ValueError as error:
            raise UsageError(
                f"line {number}: the data of {event.kind!r} can't be used: {error}", "export the events again"
            ) from None
        if not all(entry < count for entry in named):
            raise UsageError(f"line {number}: an entry of {named} isn't among the {count} of the league")
        new = {roster.ADDED: named, roster.REPLACED: named[:1]}.get(event.kind, [])
        if not joined.isdisjoint(new) or len(set(new)) < len(new):
            raise UsageError(f"line {number}: an entry of {new} joins twice", "export the events again")
        joined.update(new)
        if event.kind == roster.REPLACED and named[1] >= named[0]:
            raise UsageError(
                f"line {number}: entry {named[0]} can't replace {named[1]}, which has joined later",
                "export the events again",
            )
    if sorted(joined) != list(range(count - len(joined), count)):
        raise UsageError("the entries that join later aren't the last ones", "export the events again")


def _check_extensions(file: LeagueFile, events: Sequence[EventLine]) -> None:
    """Raise UsageError unless the league file can have each of the keys that events extend, with its value."""
    for number, event in enumerate(events, 2):
        if event.kind != roster.EXTENDED:
            continue
        try:
            for name, value in event.data["set"].items():
                table, _, key = name.partition(".")
                if table == "schedule":
                    file = structs.replace(file, schedule={**file.schedule, key: value})
                elif table != "stop" or key not in StopTable.__struct_fields__:
                    raise UsageError(f"a league can't be extended by {name}")
            schedule_of(file)
        except UsageError as error:
            raise UsageError(f"line {number}: {error}", error.hint or "export the events again") from None


def _spec(store: Store, entry: EventEntry) -> EntrySpec:
    if entry.label.startswith("-"):  # other labels that a league file can't have are made for newcomers
        raise BadValue(("label",), f"{entry.label!r} begins with '-', like an option")
    check_arguments(("args",), entry.args)
    wanted = entry.version
    found: list[VersionRecord] = [
        version
        for version in store.versions.all(author=wanted.author, bot=wanted.bot)
        if version.sha256 == wanted.sha256
    ]
    if not found:
        raise UnknownVersion(
            "version",
            f"{wanted.author}/{wanted.bot}@{wanted.number} ({wanted.sha256[:12]})",
            [version.reference for version in store.versions.all(author=wanted.author, bot=wanted.bot)],
        ).in_store(str(store.path.absolute()))
    return EntrySpec(entry.label, found[0].id, entry.args, entry.prior, entry.predecessor)


def _secret(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError("the secret in the file isn't hexadecimal", "export the events again") from None


Entry = Annotated[int, Meta(ge=0, lt=MOST_ENTRIES)]
Words = Annotated[str, Meta(max_length=1_000)]


class _Added(Struct, frozen=True):
    entries: Annotated[tuple[Entry, ...], Meta(min_length=1)]


class _Replaced(Struct, frozen=True):
    entry: Entry
    predecessor: Entry


class _OfEntry(Struct, frozen=True):
    entry: Entry


class _Paused(Struct, frozen=True):
    entry: Entry | None = None
    by: roster.PausedBy = "organiser"
    why: Words = ""
    until: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d\Z")] | None = None


class _Resumed(Struct, frozen=True):
    entry: Entry | None = None
    by: Annotated[str, Meta(max_length=100)] = ""


class _Benched(Struct, frozen=True):
    entry_no: Entry
    why: Words
    by: roster.BenchedBy = "faults"


class _Extended(Struct, frozen=True):
    set: dict[
        Annotated[str, Meta(pattern=r"^[a-z_]{1,40}\.[a-z_]{1,40}\Z")],
        int | float | Annotated[str, Meta(max_length=200)],
    ]


class _Final(Struct, frozen=True):
    matches: Annotated[int, Meta(ge=1, le=1_000_000)]
    next: Annotated[str, Meta(min_length=1, max_length=64)]


_DATA: dict[str, type[Struct]] = {
    roster.ADDED: _Added,
    roster.REPLACED: _Replaced,
    roster.RETIRED: _OfEntry,
    roster.PAUSED: _Paused,
    roster.RESUMED: _Resumed,
    roster.BENCHED: _Benched,
    roster.UNBENCHED: _OfEntry,
    roster.EXTENDED: _Extended,
    roster.FINAL: _Final,
}


def check_data(kind: str, data: dict[str, Any]) -> list[int]:
    """Return the numbers of entries that an event names, if it changes anything. Raises ValueError for bad data."""
    if kind not in _DATA:
        return []
    # Null is no entry, and isn't written; `"entry" in data` has to mean one.
    checked = msgspec.structs.asdict(msgspec.convert(data, _DATA[kind]))
    if "entry" in data and data["entry"] is None:
        raise ValueError("entry: null")
    named = [checked[key] for key in ("entry", "entry_no", "predecessor") if checked.get(key) is not None]
    return named + list(checked.get("entries", ()))
