"""Entries of leagues: adding, retiring, finding."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from results.base.errors import AmbiguousName, BadRating, NameRefused, UnknownEntry, UnknownVersion
from results.base.text import folded
from results.ratings.base import Rating, Scale
from results.records import EntryRecord, EntrySpec, LeagueEvent
from results.records.roster import ADDED, REPLACED, RETIRED, Roster, roster_at
from results.store.bot_versions import is_prefix, versions_by_id
from results.store.database import Row, from_text, named_rows, record, rows, to_text, value
from results.store.league_rows import (
    CASUAL,
    LeaguePart,
    add_event,
    check_name,
    events_of,
    league_row,
    progress_row,
    scale_of,
)
from results.store.schema.checked_rows import add_rows, change_rows, refuse_missing
from results.store.sqlite_file import Connection


class Entries(LeaguePart):
    """The entries of a league."""

    def add(self, league: str, specs: Sequence[EntrySpec], at_match_no: int) -> list[EntryRecord]:
        """Add entries to a league from a match on, by an event. Raises NameRefused, UnknownVersion, BadRating."""
        with self._changing(league, adds=True) as (connection, row):
            numbers = join(connection, row, specs)
            add_event(connection, row, at_match_no, ADDED, {"entries": numbers}, self._database.now())
            return entry_records(connection, row, numbers)

    def replace(self, league: str, spec: EntrySpec, at_match_no: int) -> EntryRecord:
        """Let a new entry take over; its rating comes once all earlier matches have results. Raises as `add`."""
        with self._changing(league, adds=True) as (connection, row):
            (number,) = join(connection, row, [spec])
            data = {"entry": number, "predecessor": spec.predecessor}
            add_event(connection, row, at_match_no, REPLACED, data, self._database.now())
            return entry_records(connection, row, [number])[0]

    def casual(self, spec: EntrySpec) -> EntryRecord:
        """Return the entry of the built-in league with this exact spec, which is created if missing."""
        with self._database.changing(adds=True) as connection:
            row = league_row(connection, CASUAL)
            text = (
                "SELECT entry_no FROM entry "
                "WHERE league_id = :league AND label = :label AND version_id IS :version AND args = :args"
            )
            same = {"label": spec.label, "version": spec.version_id, "args": to_text(spec.args)}
            found = value(connection, text, league=row.id, **same)
            number = join(connection, row, [spec])[0] if found is None else found
            return entry_records(connection, row, [number])[0]

    def retire(self, league: str, entry_no: int, at_match_no: int) -> LeagueEvent:
        """Stop an entry from playing from a match on, by an event. Raises UnknownEntry."""
        with self._changing(league, adds=True) as (connection, row):
            if not entry_records(connection, row, [entry_no]):
                labels = [entry.label for entry in entry_records(connection, row)]
                raise UnknownEntry("entry", str(entry_no), labels)
            return add_event(connection, row, at_match_no, RETIRED, {"entry": entry_no}, self._database.now())

    def has_prior(self, league: str, entry_no: int) -> bool:
        """Return whether an entry has an initial rating of its own."""
        with self._database.reading() as connection:
            return prior_of(_entry_row(connection, league_row(connection, league), entry_no)) is not None

    def set_prior(self, league: str, entry_no: int, prior: Rating) -> None:
        """Set the initial rating of an entry that has none and hasn't played. Raises BadRating for an invalid one."""
        with self._changing(league) as (connection, row):
            entry = _entry_row(connection, row, entry_no)
            _check_prior(entry.label, prior, scale_of(row))
            this = {"league_id": row.id, "entry_no": entry_no}
            change_rows(connection, "entry", this, {"prior_mu": prior.mu, "prior_sigma": prior.sigma})

    def roster(self, league: str) -> Roster:
        """Return who plays in a league, as of its next match."""
        with self._database.reading() as connection:
            return roster_of(connection, league_row(connection, league))

    def all(self, league: str, numbers: Iterable[int] | None = None) -> list[EntryRecord]:
        """Return the entries of a league by number, or only some. Raises StoreDamaged if one has been lost."""
        with self._reading(league) as (connection, row):
            refuse_missing(connection, row.id, row.name, ("entry",))
            return entry_records(connection, row, numbers)

    def count(self, league: str) -> int:
        """Return how many entries a league has. Raises StoreDamaged if one has been lost."""
        with self._reading(league) as (connection, row):
            refuse_missing(connection, row.id, row.name, ("entry",))
            return entry_count(connection, row)

    def labels(self, league: str, numbers: Iterable[int] | None = None) -> dict[int, str]:
        """Return the labels of a league's entries, or some, by number. Raises StoreDamaged if one has been lost."""
        with self._reading(league) as (connection, row):
            refuse_missing(connection, row.id, row.name, ("entry",))
            some = None if numbers is None else to_text(sorted(set(numbers)))
            return dict(rows(connection, _LABELS, league=row.id, some=some))

    def of_versions(self, versions: Collection[int]) -> dict[int, list[tuple[str, int, str]]]:
        """Return the entries of each version, by its `id`: the name of the league, the entry's number and label."""
        found: dict[int, list[tuple[str, int, str]]] = {version: [] for version in versions}
        with self._database.reading() as connection:
            text = (
                "SELECT version_id, league.name, entry_no, label FROM entry JOIN league ON league.id = league_id "
                "WHERE version_id IN (SELECT value FROM json_each(:versions)) ORDER BY league_id, entry_no"
            )
            for version, *entry in rows(connection, text, versions=to_text(sorted(found))):
                found[version].append(tuple(entry))
        return found

    def find(self, league: str, text: str) -> EntryRecord:
        """Return an entry by its label, version (`author/bot@3`, `bot@3`, `author/bot`, `bot`), number or hash.

        In `casual`, a person may have the label of a bot: the label then means the bot, and `label (person)` the
        person. Raises UnknownEntry with the list of labels, or AmbiguousName with the matching numbers.
        """
        return _one_named(self.all(league), text)

    def find_all(self, league: str, texts: Iterable[str]) -> list[EntryRecord]:
        """Return the entry that each text means, as `find` does, reading the league once."""
        entries = self.all(league)
        return [_one_named(entries, text) for text in texts]


def named(entries: Sequence[EntryRecord], text: str) -> list[EntryRecord]:
    """Return those of some entries that a text can mean: see `Entries.find`. Several, if it is ambiguous."""
    for at in range(3):
        found = [entry for entry in entries if text in _names(entry)[at]]
        found = [entry for entry in found if entry.version is not None] or found
        if found:
            return found
    return [
        entry
        for entry in entries
        if is_prefix(text) and entry.version and entry.version.sha256.startswith(text)
    ]


def _one_named(entries: Sequence[EntryRecord], text: str) -> EntryRecord:
    found = named(entries, text)
    if len(found) > 1:
        listed = ", ".join(f"{entry.label} ({entry.entry_no})" for entry in found)
        raise AmbiguousName(f"{text!r} matches several entries", f"use a label or its number: {listed}")
    if not found:
        raise UnknownEntry("entry", text, [entry.label for entry in entries])
    return found[0]


def join(connection: Connection, row: Row, specs: Sequence[EntrySpec]) -> list[int]:
    """Add entries to a league and return their numbers. Raises NameRefused, UnknownVersion, BadRating."""
    number = row.id
    new: list[dict[str, Any]] = []
    labels = [
        label
        for (label,) in rows(connection, "SELECT label FROM entry WHERE league_id = :league", league=number)
    ]
    taken, first = {folded(label): label for label in labels}, len(labels)
    versions = {version for (version,) in rows(connection, "SELECT id FROM version")} if specs else set()
    for entry_no, spec in enumerate(specs, first):
        check_name("entry", spec.label)
        if (there := taken.get(folded(spec.label))) is not None and row.name != CASUAL:
            also = "" if there == spec.label else f" and {there!r}, which look alike"
            raise NameRefused(
                f"two entries of league {row.name!r} are called {spec.label!r}{also}",
                "give one of them a `label`",
            )
        taken[folded(spec.label)] = spec.label
        if spec.version_id is not None and spec.version_id not in versions:
            raise UnknownVersion("version", str(spec.version_id), [])
        if spec.prior:
            _check_prior(spec.label, spec.prior, scale_of(row))
        if spec.predecessor is not None and not 0 <= spec.predecessor < entry_no:
            raise UnknownEntry("entry", str(spec.predecessor), [str(i) for i in range(entry_no)])
        new.append(
            {
                "league_id": number,
                "entry_no": entry_no,
                "label": spec.label,
                "version_id": spec.version_id,
                "args": to_text(spec.args),
                "prior_mu": spec.prior.mu if spec.prior else None,
                "prior_sigma": spec.prior.sigma if spec.prior else None,
                "predecessor": spec.predecessor,
            }
        )
    add_rows(connection, "entry", new)
    return list(range(first, first + len(specs)))


def _check_prior(label: str, prior: Rating, scale: Scale) -> None:
    """Raise BadRating unless an entry's rating can start at this value."""
    is_valid = abs(prior.mu) <= 1e6 and 0 <= prior.sigma <= 1e6 and (prior.sigma > 0) is scale.has_sigma
    if not is_valid:
        raise BadRating(
            f"entry {label!r}: prior {prior} is not a rating",
            "give mu, and a sigma above 0 if the rating system has one",
        )


_LABELS = (
    "SELECT entry_no, label FROM entry WHERE league_id = :league "
    "AND (:some IS NULL OR entry_no IN (SELECT value FROM json_each(:some))) ORDER BY entry_no"
)
_SOME = (
    "SELECT * FROM entry WHERE league_id = :league AND entry_no IN (SELECT value FROM json_each(:some)) "
    "ORDER BY entry_no"
)


def entry_records(
    connection: Connection, row: Row, numbers: Iterable[int] | None = None
) -> list[EntryRecord]:
    """Return all entries of a league by number, or only those with the given numbers."""
    if numbers is None:
        found = named_rows(
            connection, "SELECT * FROM entry WHERE league_id = :league ORDER BY entry_no", league=row.id
        )
    else:
        found = named_rows(connection, _SOME, league=row.id, some=to_text(list(numbers)))
    versions = versions_by_id(connection, [entry.version_id for entry in found])
    return [
        record(
            EntryRecord,
            entry,
            league=row.uuid,
            version=versions.get(entry.version_id),
            args=tuple(from_text(entry.args)),
            prior=prior_of(entry),
        )
        for entry in found
    ]


def entry_count(connection: Connection, row: Row) -> int:
    """Return how many entries a league has."""
    return int(value(connection, "SELECT count(*) FROM entry WHERE league_id = :league", league=row.id))


def _entry_row(connection: Connection, league: Row, number: int) -> Row:
    (row,) = named_rows(connection, _SOME, league=league.id, some=to_text([number]))
    return row


def prior_of(entry: Row) -> Rating | None:
    """Return the initial rating of an entry, if it differs from the rating system's default."""
    if entry.prior_mu is None or entry.prior_sigma is None:
        return None
    return Rating(entry.prior_mu, entry.prior_sigma)


def roster_of(connection: Connection, row: Row) -> Roster:
    """Return the roster of a league for its next match."""
    return roster_at(events_of(connection, row), progress_row(connection, row.id).matches_planned)


def _names(entry: EntryRecord) -> tuple[tuple[str, ...], ...]:
    """Return the names of an entry: its label, those of its version, its number."""
    version = entry.version
    of_version: tuple[str, ...] = (f"{entry.label} (person)",)
    if version is not None:
        bot = f"{version.author}/{version.bot}"
        of_version = (version.reference, bot, f"{version.bot}@{version.number}", version.bot)
    return (entry.label,), of_version, (str(entry.entry_no),)
