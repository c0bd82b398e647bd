"""Bots and authors as a whole: their versions, where these play, and their faults."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from results.records import LeagueRecord, VersionRecord
from results.reports.ranking_table import RankingRow
from results.reports.rankings import ranking_rows

if TYPE_CHECKING:
    from results.store import Store


class Place(Struct, frozen=True, kw_only=True):
    """What an entry does in a league."""

    league: str
    label: str
    row: RankingRow | None
    """Its line of the rankings; None in a league without ratings."""
    of: int
    """How many entries have a rank there."""


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
    rankings: dict[str, tuple[LeagueRecord, dict[str, RankingRow]]] = {}
    found: dict[int, tuple[Place, ...]] = {}
    for version in versions:
        places = []
        for name, _, label in store.entries.of_version(version.id):
            if name not in rankings:
                league = store.leagues.get(name)
                rows = ranking_rows(store, league) if league.rated else ()
                rankings[name] = league, {row.label: row for row in rows}
            rows_of = rankings[name][1]
            ranked = sum(row.rank is not None for row in rows_of.values())
            places.append(Place(league=name, label=label, row=rows_of.get(label), of=ranked))
        found[version.id] = tuple(places)
    return found


def version_lines(store: "Store", versions: Sequence[VersionRecord]) -> tuple[VersionLine, ...]:
    """Return the versions of one bot as a tree: each below the one that it was derived from, older ones first."""
    by_id = {one.id: one for one in versions}
    children: dict[int | None, list[VersionRecord]] = {}
    for one in versions:
        children.setdefault(one.parent if one.parent in by_id else None, []).append(one)
    places = places_of(store, versions)
    lines: list[VersionLine] = []
    waiting = [(one, 0) for one in reversed(children.get(None, []))]
    while waiting:
        one, depth = waiting.pop()
        lines.append(
            VersionLine(version=one, depth=depth, parent=parent_of(store, one, by_id), places=places[one.id])
        )
        of_one = children.get(one.id, [])
        waiting += [(child, depth + (len(of_one) > 1)) for child in reversed(of_one)]
    return tuple(lines)


def parent_of(
    store: "Store", version: VersionRecord, known: dict[int, VersionRecord]
) -> VersionRecord | None:
    """Return the version that another was derived from, looked up among the known ones first."""
    if version.parent is None:
        return None
    return known.get(version.parent) or next(
        (one for one in store.versions.all() if one.id == version.parent), None
    )


def changes(before: VersionRecord, after: VersionRecord) -> tuple[Change, ...]:
    """Return the keys of the manifest that differ, by name."""
    old, new = before.manifest, after.manifest
    return tuple(
        Change(key=key, before=old.get(key), after=new.get(key))
        for key in sorted({*old, *new})
        if old.get(key) != new.get(key)
    )
