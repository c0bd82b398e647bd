"""The limits of `[quota]` on how many versions an author may enter in a day, and have in the league."""

from collections.abc import Iterator
from typing import Literal

from arena.config.allowed_names import ARENA
from arena.core.errors import UsageError
from arena.league.changes.change import Subject
from arena.league.definition.define import authors_of
from results.base.advice import Advice, by
from results.base.clock import day_after, utc_day
from results.records import EntryRecord
from results.records.roster import ACTIVE_VERSIONS, arrivals

EnteredBy = Literal["organiser", "author", "account"]
"""Who enters a version: by `league add`, by submitting it to a store, or by uploading it to the site."""


def check_arrival(
    about: Subject,
    author: str,
    at: int,
    replaces: EntryRecord | None = None,
    count: int = 1,
    active_by_default: int | None = None,
) -> None:
    """Raise UsageError if an author has no room for another version in a league from match `at` on.

    It names all limits that are reached. `replaces`: the entry that leaves for the version. `count`: how many entries
    get it together. `active_by_default`: the limit of active versions if the league's file sets none.
    """
    quota = about.definition.file.quota
    most_active = quota.active_versions or active_by_default
    if quota.versions_per_day is None and most_active is None:
        return
    authors = {
        entry.entry_no: entry.version.author
        for entry in about.store.entries.all(about.league.uuid)
        if entry.version is not None
    }
    reached: list[tuple[str, Advice]] = []
    if quota.versions_per_day is not None:
        reached += _of_day(about, author, authors, quota.versions_per_day, count)
    stays = replaces is not None and authors.get(replaces.entry_no) == author
    if most_active is not None and not stays:  # replacing an own entry doesn't make them more
        reached += _active(about, author, authors, most_active, at)
    if reached:
        hints = [part for _, hint in reached for part in ("; and ", hint)]
        raise UsageError("; and ".join(what for what, _ in reached), Advice(*hints[1:]))


def active_by_default(about: Subject, author: str, by: EnteredBy) -> int | None:
    """Return how many active versions an author may have once one is entered so, if the league's file sets no limit.

    None: any number. An organiser decides freely, and so does an author as long as all bots but the reference bots are
    the author's own. On a site, others will come.
    """
    entries = about.store.entries.all(about.league.uuid)
    others = authors_of({entry.entry_no: entry.version for entry in entries}).values()
    is_alone = by == "author" and all(other == author for other in others)
    return None if by == "organiser" or is_alone or author == ARENA else ACTIVE_VERSIONS


def _of_day(
    about: Subject, author: str, authors: dict[int, str], limit: int, more: int
) -> Iterator[tuple[str, Advice]]:
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
            Advice(f"wait until {day_after(today)}, 00:00 UTC"),
        )


def _active(
    about: Subject, author: str, authors: dict[int, str], limit: int, at: int
) -> Iterator[tuple[str, Advice]]:
    """Yield what is wrong and a hint if the author has as many entries as allowed."""
    retired = about.roster_from(at).retired
    active = [entry for entry, by in authors.items() if by == author and entry not in retired]
    if len(active) >= limit:
        labels = {entry.entry_no: entry.label for entry in about.store.entries.all(about.league.uuid)}
        named = ", ".join(labels[entry] for entry in active[:5]) + (", …" if len(active) > 5 else "")
        is_default = about.definition.file.quota.active_versions is None
        default = f", {limit} by default for bots that authors enter" if is_default else ""
        league, first = about.league.name, labels[active[0]]
        more = ("; or an organiser adds it", by("league add", league, "BOT")) if is_default else ()
        yield (
            f"{author} has {len(active)} of {limit} bots in {about.league.name}: {named} "
            f"(quota.active_versions{default} counts all that have not retired, paused ones too)",
            Advice(
                *("retire one first", by("league retire", league, first)),
                *("; or let the new version replace one", by("league replace", league, first)),
                *more,
            ),
        )
