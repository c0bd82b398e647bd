"""Everything that the store knows of one version of a bot."""

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any

from msgspec import field

from results.clock import to_the_second
from results.query_rows import Forfeit
from results.records import VersionRecord
from results.reports.faults import detail_of
from results.reports.rankings import ranking_rows
from results.reports.rows import ReportRow

if TYPE_CHECKING:
    from results.store import Store

MOST_FAULTS = 5
"""How many of its faults a page has."""
_EVERY_MATCH = 2**62


class VersionPlace(ReportRow, frozen=True, kw_only=True):
    """A league, comparison or other set of games that a version is part of."""

    league: str
    label: str
    """Its name there."""
    state: str
    """What it does there, such as `plays` or `retired`; empty if the league isn't rated."""
    rank: int | None
    of: int | None
    """How many entries have a rank."""
    rating: float | None
    """The value that rankings are ordered by."""
    games: int
    """Games that it has played there."""


class VersionFault(ReportRow, frozen=True, kw_only=True):
    """A game that a version forfeited."""

    game: str
    """As other commands name it: `spring/12.0`."""
    verdict: str
    detail: str
    """`faults.HIDDEN` while the match is unfinished, if it quotes the bot."""
    at: str
    """UTC, to the second."""


class VersionPage(ReportRow, frozen=True, kw_only=True):
    """One version of a bot."""

    bot: str
    version: int
    sha256: str
    hash_scheme: int
    added_at: str
    """UTC, to the second."""
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
    """What the check found, by game."""
    build: Mapping[str, Any]
    """How it was built; empty if it wasn't."""
    ancestors: tuple[str, ...]
    """The versions that it was derived from, the nearest first."""
    newer: tuple[int, ...]
    """The numbers of the bot's newer versions."""
    places: tuple[VersionPlace, ...]
    faults: tuple[VersionFault, ...]
    """The latest, the newest first."""


def version_page(store: "Store", version: VersionRecord, size: tuple[int, int] | None = None) -> VersionPage:
    """Return what the store knows of a version; `size`: the number of its files and their bytes, if they are there."""
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
        hash_scheme=version.hash_scheme,
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
        places=tuple(_places(store, version)),
        faults=tuple(_faults(store, version)),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _places(store: "Store", version: VersionRecord) -> list[VersionPlace]:
    found = []
    for name, entry_no, label in store.entries.of_version(version.id):
        league = store.leagues.get(name)
        rank, ranks, rating, state = None, None, None, ""
        if league.rated:
            rows = ranking_rows(store, league)
            ranks = sum(row.rank is not None for row in rows)
            row = next((row for row in rows if row.label == label), None)
            if row is not None:
                rank, rating, state = row.rank, row.conservative, row.state
        found.append(
            VersionPlace(
                league=name,
                label=label,
                state=state,
                rank=rank,
                of=ranks,
                rating=rating,
                games=store.games.count_of(league.uuid, entry_no, 0, _EVERY_MATCH),
            )
        )
    return found


def _faults(store: "Store", version: VersionRecord) -> list[VersionFault]:
    found: list[tuple[str, str, Forfeit]] = []
    unfinished: dict[str, Set[int]] = {}
    for name, entry_no, _ in store.entries.of_version(version.id):
        of_entry = store.games.faults(name, entry_no=entry_no)
        found += [(fault.finished_at, name, fault) for fault in of_entry]
        unfinished[name] = {match.match_no for match in store.matches.open(name)} if of_entry else set()
    found.sort(key=lambda one: one[0], reverse=True)
    return [
        VersionFault(
            game=f"{name}/{fault.match_no}.{fault.rotation}",
            verdict=str(fault.verdict),
            detail=detail_of(fault, unfinished[name]),
            at=to_the_second(at),
        )
        for at, name, fault in found[:MOST_FAULTS]
    ]
