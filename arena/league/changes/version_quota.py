"""The limits of `[quota]` on how many versions an author may enter in a day, and have in the league."""

from collections.abc import Iterator

from arena.core.errors import UsageError
from arena.league.changes.subject import Subject
from results.clock import day_after, utc_day
from results.records import EntryRecord
from results.roster import arrivals


def check_arrival(
    about: Subject, author: str, at: int, replaces: EntryRecord | None = None, count: int = 1
) -> None:
    """Raise UsageError if an author has no room for another version in a league from match `at` on.

    It names all limits that are reached. `replaces`: the entry that leaves for the version. `count`: how many entries
    get it together.
    """
    quota = about.definition.file.quota
    if quota.versions_per_day is None and quota.active_versions is None:
        return
    authors = {
        entry.entry_no: entry.version.author
        for entry in about.store.entries.all(about.league.uuid)
        if entry.version is not None
    }
    reached: list[tuple[str, str]] = []
    if quota.versions_per_day is not None:
        reached += _of_day(about, author, authors, quota.versions_per_day, count)
    stays = replaces is not None and authors.get(replaces.entry_no) == author
    if quota.active_versions is not None and not stays:  # replacing an own entry doesn't make them more
        reached += _active(about, author, authors, quota.active_versions, at)
    if reached:
        raise UsageError(
            "; and ".join(what for what, _ in reached), "; and ".join(hint for _, hint in reached)
        )


def _of_day(
    about: Subject, author: str, authors: dict[int, str], limit: int, more: int
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong and a hint if the limit of the day is reached."""
    today = utc_day(about.store.now())
    events = about.store.leagues.events(about.league.uuid)
    joined = arrivals(event for event in events if utc_day(event.at) == today)
    count = sum(authors.get(entry) == author for entry in joined)
    if count + more > limit:
        yield (
            f"{author} has entered {count} of {limit} versions in {about.league.name} on {today}"
            f"{f', and this would be {more} more' if more > 1 else ''} "
            "(quota.versions_per_day counts bots that joined and new versions of earlier ones)",
            f"wait until {day_after(today)}, 00:00 UTC",
        )


def _active(
    about: Subject, author: str, authors: dict[int, str], limit: int, at: int
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong and a hint if the author has as many entries as allowed."""
    retired = about.roster_from(at).retired
    active = [entry for entry, by in authors.items() if by == author and entry not in retired]
    if len(active) >= limit:
        labels = {entry.entry_no: entry.label for entry in about.store.entries.all(about.league.uuid)}
        named = ", ".join(labels[entry] for entry in active[:5]) + (", …" if len(active) > 5 else "")
        yield (
            f"{author} has {len(active)} of {limit} bots in {about.league.name}: {named} "
            "(quota.active_versions counts all that have not retired, paused ones too)",
            f"retire one first: arena league retire {about.league.name} {labels[active[0]]}; or let the new version "
            f"replace one: arena league replace {about.league.name} {labels[active[0]]}",
        )
