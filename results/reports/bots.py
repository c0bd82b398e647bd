"""Bots and authors as a whole: their versions, where these play, and their faults."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from results.records import VersionRecord
from results.reports.ranking_table import RankingRow
from results.reports.rankings import ranking_rows

if TYPE_CHECKING:
    from results.store import Store


class Place(Struct, frozen=True, kw_only=True):
    """What an entry does in a league."""

    league: str
    entry_no: int
    label: str
    row: RankingRow | None
    """Its line of the rankings; None in a league without ratings."""
    of: int | None
    """How many entries have a rank there; None in a league without ratings."""


class VersionLine(Struct, frozen=True, kw_only=True):
    """A version in the list of a bot's versions."""

    version: VersionRecord
    depth: int
    """How many of its ancestors have several children; a line of versions in a row isn't indented."""
    parent: VersionRecord | None
    """The version that it was derived from, also of another bot."""
    places: tuple[Place, ...]


class Change(Struct, frozen=True, kw_only=True):
    """A key of the manifest that differs from the parent's."""

    key: str
    before: Any
    after: Any
    """None: the key is missing."""


def places_of(store: "Store", versions: Iterable[VersionRecord]) -> dict[int, tuple[Place, ...]]:
    """Return the entries of versions, by the `id` of the version; each league is read once."""
    entries = store.entries.of_versions([version.id for version in versions])
    rows: dict[str, dict[str, RankingRow]] = {}
    ranked: dict[str, int | None] = {}
    for name in {name for of_version in entries.values() for name, _, _ in of_version}:
        league = store.leagues.get(name)
        rows[name] = {row.label: row for row in ranking_rows(store, league)} if league.rated else {}
        ranked[name] = sum(row.rank is not None for row in rows[name].values()) if league.rated else None
    return {
        version: tuple(
            Place(league=name, entry_no=number, label=label, row=rows[name].get(label), of=ranked[name])
            for name, number, label in of_version
        )
        for version, of_version in entries.items()
    }


def version_lines(store: "Store", versions: Sequence[VersionRecord]) -> tuple[VersionLine, ...]:
    """Return the versions of one bot as a tree: each below the one that it was derived from, older ones first."""
    by_id = {one.id: one for one in versions}
    known = with_parents(store, versions)
    children: dict[int | None, list[VersionRecord]] = {}
    for one in versions:
        children.setdefault(one.parent if one.parent in by_id else None, []).append(one)
    places = places_of(store, versions)
    lines: list[VersionLine] = []
    waiting = [(one, 0) for one in reversed(children.get(None, []))]
    while waiting:
        one, depth = waiting.pop()
        lines.append(
            VersionLine(version=one, depth=depth, parent=known.get(one.parent), places=places[one.id])
        )
        of_one = children.get(one.id, [])
        waiting += [(child, depth + (len(of_one) > 1)) for child in reversed(of_one)]
    return tuple(lines)


def with_parents(store: "Store", versions: Sequence[VersionRecord]) -> dict[int | None, VersionRecord]:
    """Return versions by `id`, with those that they were derived from, also of other bots."""
    found: dict[int | None, VersionRecord] = {one.id: one for one in versions}
    others = {one.parent for one in versions if one.parent is not None} - found.keys()
    return found | {one.id: one for one in store.versions.all() if one.id in others} if others else found


def changes(before: VersionRecord, after: VersionRecord) -> tuple[Change, ...]:
    """Return the keys of the manifest that differ, by name."""
    old, new = before.manifest, after.manifest
    return tuple(
        Change(key=key, before=old.get(key), after=new.get(key))
        for key in sorted({*old, *new})
        if old.get(key) != new.get(key)
    )
