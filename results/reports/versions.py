"""Everything that the store knows of one version of a bot."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Struct, field

from results.base.clock import to_the_second
from results.records import LeagueRecord, VersionRecord
from results.reports.columns import Column, ReportRow, row_from
from results.reports.faults import detail_of
from results.reports.ranking_columns import Placing, RankingRow
from results.reports.rankings import ranking_rows
from results.store import Store

FormatPlaces = Callable[[Store, LeagueRecord], Mapping[int, Placing]]
"""Returns where the entries of a league stand by the rules of its format; empty if rankings decide."""
MOST_FAULTS = 5
"""How many of its faults a page has."""


class VersionPlace(ReportRow, frozen=True, kw_only=True):
    """A league, comparison or other set of games that a version is part of."""

    league: Annotated[str, Column(priority=0)]
    label: Annotated[str, Column("as", priority=0)]
    state: Annotated[str, Column(priority=4)]
    """What it does there, such as `plays` or `retired`; empty if the league isn't rated."""
    rank: Annotated[int | None, Column(priority=1)]
    of: Annotated[int | None, Column(priority=2)]
    """How many entries have a rank."""
    rating: Annotated[float | None, Column(decimals=2, priority=2)]
    games: Annotated[int, Column(priority=3)]


class VersionFault(ReportRow, frozen=True, kw_only=True):
    """A game that a version forfeited."""

    game: Annotated[str, Column("latest faults", priority=0)]
    """As other commands name it: `spring/12.0`."""
    verdict: Annotated[str, Column(priority=1)]
    detail: Annotated[str, Column(wide=True, priority=2)]
    """`faults.HIDDEN` while the match is unfinished, if it quotes the bot."""
    at: Annotated[str, Column(priority=4)]


class VersionPage(ReportRow, frozen=True, kw_only=True):
    """One version of a bot."""

    bot: str
    version: int
    sha256: str
    added_at: str
    files: int | None = None
    size_bytes: int | None = field(name="bytes", default=None)
    """Of its files; None if they are missing."""
    description: str
    command: tuple[str, ...]
    games: tuple[str, ...]
    manifest: Mapping[str, Any]
    """Everything in its bot.toml."""
    is_checked: bool = field(name="checked")
    """False if it was played from a folder, and never submitted."""
    deterministic: bool | None
    """Whether it made the same moves each time when it was submitted; None: not checked."""
    report: Mapping[str, Any]
    build: Mapping[str, Any]
    ancestors: tuple[str, ...]
    """The versions that it was derived from, the nearest first."""
    newer: tuple[int, ...]
    places: tuple[VersionPlace, ...]
    faults: tuple[VersionFault, ...]
    """The latest, the newest first."""


def version_page(
    store: Store,
    version: VersionRecord,
    by_format: FormatPlaces,
    size: tuple[int, int] | None = None,
    most_faults: int | None = MOST_FAULTS,
) -> VersionPage:
    """Return what the store knows of a version; `size`: files and bytes; `most_faults`: the latest, None: all."""
    of_bot = store.versions.all(author=version.author, bot=version.bot)
    by_id = {one.id: one for one in of_bot}
    ancestors: list[str] = []
    at = version.parent
    while at in by_id and len(ancestors) < len(of_bot):
        ancestors.append(by_id[at].reference)
        at = by_id[at].parent
    manifest = version.manifest
    return VersionPage(
        bot=f"{version.author}/{version.bot}",
        version=version.number,
        sha256=version.sha256,
        added_at=to_the_second(version.added_at),
        files=size[0] if size else None,
        size_bytes=size[1] if size else None,
        description=str(manifest.get("description", "")),
        command=_texts(manifest.get("command")),
        games=_texts(manifest.get("games")),
        manifest=manifest,
        is_checked=bool(version.report),
        deterministic=version.deterministic,
        report=version.report,
        build=version.build,
        ancestors=tuple(ancestors),
        newer=tuple(one.number for one in of_bot if one.number > version.number),
        places=version_places(store, [version], by_format)[version.id],
        faults=tuple(_faults(store, version, most_faults)),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def version_places(
    store: Store, versions: Collection[VersionRecord], by_format: FormatPlaces
) -> dict[int, tuple[VersionPlace, ...]]:
    """Return where versions play, by the `id` of the version; each league is read once."""
    places = places_of(store, versions, by_format)
    games = {
        league: store.games.counts(league, entries)
        for league, entries in by_league(
            (place.league, place.entry_no) for found in places.values() for place in found
        ).items()
    }
    return {
        version: tuple(
            row_from(
                place,
                VersionPlace,
                state=place.row.state if place.row else "",
                rank=place.row.rank if place.row else None,
                rating=place.row.mu if place.row else None,
                games=games[place.league].get(place.entry_no, 0),
            )
            for place in found
        )
        for version, found in places.items()
    }


def by_league(entries: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Return the numbers of entries, given with the names of their leagues, by league."""
    found = defaultdict(list)
    for league, entry_no in entries:
        found[league].append(entry_no)
    return found


def _faults(store: Store, version: VersionRecord, most: int | None) -> list[VersionFault]:
    entries = by_league(entry[:2] for entry in store.entries.of_versions([version.id])[version.id])
    found = [
        (fault.finished_at, name, fault)
        for name, numbers in entries.items()
        for fault in store.games.faults(name, entries=numbers)
    ]
    found = sorted(found, key=lambda one: one[0], reverse=True)[:most]
    unfinished = {name: store.matches.hidden(name) for name in {one[1] for one in found}}
    return [
        VersionFault(
            game=f"{name}/{fault.match_no}.{fault.rotation}",
            verdict=str(fault.verdict),
            detail=detail_of(fault, unfinished[name]),
            at=to_the_second(at),
        )
        for at, name, fault in found
    ]


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


def places_of(
    store: Store, versions: Iterable[VersionRecord], by_format: FormatPlaces
) -> dict[int, tuple[Place, ...]]:
    """Return the entries of versions, by the `id` of the version; each league is read once."""
    entries = store.entries.of_versions([version.id for version in versions])
    rows: dict[str, dict[str, RankingRow]] = {}
    ranked: dict[str, int | None] = {}
    for name in {name for of_version in entries.values() for name, _, _ in of_version}:
        league = store.leagues.get(name)
        rows[name] = (
            {row.label: row for row in ranking_rows(store, league, by_format=by_format(store, league))}
            if league.rated
            else {}
        )
        ranked[name] = sum(row.rank is not None for row in rows[name].values()) if league.rated else None
    return {
        version: tuple(
            Place(league=name, entry_no=number, label=label, row=rows[name].get(label), of=ranked[name])
            for name, number, label in of_version
        )
        for version, of_version in entries.items()
    }


def version_lines(
    store: Store, versions: Sequence[VersionRecord], by_format: FormatPlaces
) -> tuple[VersionLine, ...]:
    """Return the versions of one bot as a tree: each below the one that it was derived from, older ones first."""
    by_id = {one.id: one for one in versions}
    known = with_parents(store, versions)
    children: dict[int | None, list[VersionRecord]] = {}
    for one in versions:
        children.setdefault(one.parent if one.parent in by_id else None, []).append(one)
    places = places_of(store, versions, by_format)
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


def with_parents(store: Store, versions: Sequence[VersionRecord]) -> dict[int | None, VersionRecord]:
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
