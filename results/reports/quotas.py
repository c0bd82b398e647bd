"""Budgets of a league with `[quota]`: what each bot and each author has used today, and may use."""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from results.base.clock import day_after, utc_day
from results.records import LeagueRecord
from results.records.query_rows import DayUse, total_use
from results.records.roster import ACTIVE_VERSIONS, arrivals, roster_at
from results.reports.columns import ReportRow

if TYPE_CHECKING:
    from results.store import Store


class EntryQuotaRow(ReportRow, frozen=True, kw_only=True):
    """The budget of an entry that has not retired."""

    entry_no: int
    label: str
    author: str | None
    """None for a player that isn't a submitted bot."""
    cpu_used_s: float
    cpu_allowed_s: float | None
    """None: as much as it wants, here and below."""
    games_used: int
    games_allowed: int | None
    paused_until: str | None
    """The day (UTC) with which it plays again, if its budget or that of its author has paused it."""
    resets_at: str
    """When the next day begins, in the format of `clock.utc_text`, here and below."""


class AuthorQuotaRow(ReportRow, frozen=True, kw_only=True):
    """The budget of an author, for all entries together, those that have retired included."""

    author: str
    cpu_used_s: float
    cpu_allowed_s: float | None
    games_used: int
    games_allowed: int | None
    versions_entered: int
    """Entries that have joined today, or replaced others."""
    versions_allowed: int | None
    active_versions: int
    """Entries that have not retired."""
    active_allowed: int | None
    """By the league's file; otherwise what the author may reach by entering bots, among others."""
    resets_at: str


class LeagueQuotas(Struct, frozen=True):
    """The budgets of a league; both empty if it has no `[quota]`."""

    entries: tuple[EntryQuotaRow, ...] = ()
    """By number."""
    authors: tuple[AuthorQuotaRow, ...] = ()
    """By name."""


def league_quotas(store: "Store", league: LeagueRecord, author: str | None = None) -> LeagueQuotas:
    """Return what the bots of one author, or of all, have used today and may use, with the authors themselves."""
    config: object = league.config  # the store may be damaged
    allowed: Any = config.get("quota") if isinstance(config, dict) else None
    if not isinstance(allowed, dict) or all(limit is None for limit in allowed.values()):
        return LeagueQuotas()
    today = utc_day(store.now())
    resets_at = f"{day_after(today)}T00:00:00.000Z"
    events = store.leagues.events(league.uuid)
    roster = roster_at(events, max([0, *(event.at_match_no for event in events)]))
    fresh = arrivals(event for event in events if utc_day(event.at) == today)
    use = store.games.use_of_day(league.uuid, today, store.games.first_of_day(league.uuid, today))
    by_author: dict[str, list[int]] = defaultdict(list)
    rows = []
    for entry in (entries := store.entries.all(league.uuid)):
        by = entry.version.author if entry.version else None
        if author is not None and by != author:
            continue
        if by is not None:
            by_author[by].append(entry.entry_no)
        if entry.entry_no in roster.retired:
            continue
        used = use.get(entry.entry_no, DayUse())
        out = roster.is_out_for_the_day(entry.entry_no)
        rows.append(
            EntryQuotaRow(
                entry_no=entry.entry_no,
                label=entry.label,
                author=by,
                cpu_used_s=used.cpu_ns / 1e9,
                cpu_allowed_s=allowed.get("cpu_s_per_day"),
                games_used=used.games,
                games_allowed=allowed.get("games_per_day"),
                paused_until=roster.paused[entry.entry_no].until if out else None,
                resets_at=resets_at,
            )
        )
    wrote = {entry.author for entry in entries if entry.author}
    authors = []
    for name, numbers in sorted(by_author.items()):
        used = total_use(use[number] for number in numbers if number in use)
        authors.append(
            AuthorQuotaRow(
                author=name,
                cpu_used_s=used.cpu_ns / 1e9,
                cpu_allowed_s=allowed.get("author_cpu_s_per_day"),
                games_used=used.games,
                games_allowed=allowed.get("author_games_per_day"),
                versions_entered=sum(number in fresh for number in numbers),
                versions_allowed=allowed.get("versions_per_day"),
                active_versions=sum(number not in roster.retired for number in numbers),
                active_allowed=allowed.get("active_versions")
                or (ACTIVE_VERSIONS if len(wrote) > 1 else None),
                resets_at=resets_at,
            )
        )
    return LeagueQuotas(tuple(rows), tuple(authors))
