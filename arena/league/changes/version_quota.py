"""The limits of `[quota]` on how many versions an author may enter in a day, and have in the league."""

from arena.core.errors import UsageError
from arena.league.changes.subject import Subject
from results.clock import day_after, utc_day
from results.records import EntryRecord, VersionRecord
from results.roster import arrivals


def check_arrival(
    about: Subject, version: VersionRecord, at: int, replaces: EntryRecord | None = None, count: int = 1
) -> None:
    """Raise UsageError if the author of a version has no room for it in a league from match `at` on.

    `replaces`: the entry that leaves for it. `count`: how many entries get this version together.
    """
    quota = about.definition.file.quota
    if quota.versions_per_day is None and quota.active_versions is None:
        return
    authors = {
        entry.entry_no: entry.version.author
        for entry in about.store.entries.all(about.league.uuid)
        if entry.version is not None
    }
    if quota.versions_per_day is not None:
        _check_day(about, version.author, authors, quota.versions_per_day, count)
    stays = replaces is not None and authors.get(replaces.entry_no) == version.author
    if quota.active_versions is not None and not stays:  # replacing an own entry doesn't make them more
        _check_active(about, version.author, authors, quota.active_versions, at)


def _check_day(about: Subject, author: str, authors: dict[int, str], limit: int, more: int) -> None:
    today = utc_day(about.store.now())
    events = about.store.leagues.events(about.league.uuid)
    joined = arrivals(event for event in events if utc_day(event.at) == today)
    count = sum(authors.get(entry) == author for entry in joined)
    if count + more > limit:
        raise UsageError(
            f"{author} has entered {count} of {limit} versions in {about.league.name} on {today}"
            f"{f', and this would be {more} more' if more > 1 else ''} "
            "(quota.versions_per_day counts bots that joined and new versions of earlier ones)",
            f"wait until {day_after(today)}, 00:00 UTC",
        )


def _check_active(about: Subject, author: str, authors: dict[int, str], limit: int, at: int) -> None:
    retired = about.roster_from(at).retired
    active = [entry for entry, by in authors.items() if by == author and entry not in retired]
    if len(active) >= limit:
        labels = {entry.entry_no: entry.label for entry in about.store.entries.all(about.league.uuid)}
        named = ", ".join(labels[entry] for entry in active[:5]) + (", …" if len(active) > 5 else "")
        raise UsageError(
            f"{author} has {len(active)} of {limit} bots in {about.league.name}: {named} "
            "(quota.active_versions counts all that have not retired, paused ones too)",
            f"retire one first: arena league retire {about.league.name} {labels[active[0]]}; or let the new version "
            f"replace one: arena league replace {about.league.name} {labels[active[0]]}",
        )
