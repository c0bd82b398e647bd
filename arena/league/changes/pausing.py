"""Pauses, of single entries and of whole leagues, and the bench."""

from arena.core.errors import UsageError
from arena.league.changes.subject import subject
from results.roster import BENCHED, BENCHED_BY_ORGANISER, ORGANISER, PAUSED, RESUMED, UNBENCHED
from results.store import Store


def pause(store: Store, league: str, entry: str | None = None, why: str = "") -> str:
    """Pause an entry, or without one the whole league; return in words what happens. Raises UsageError, UnknownEntry.

    A paused entry keeps its place in the rankings and its rating. If its budget of the day has paused it already, it
    doesn't come back on the next day. A paused league plays its planned matches to their end and then waits.
    """
    about = subject(store, league)
    data = {"by": ORGANISER, "why": why or "paused by the organiser"}
    if entry is None:
        about.check_goes_on()
        if about.roster.league_paused is not None:
            raise UsageError(f"{about.league.name} is paused already")
        store.leagues.add_event(about.league.uuid, about.planned, PAUSED, data)
        return f"{about.league.name} pauses at match {about.planned}"
    at = about.changes_at()
    found = about.staying(entry, at)
    roster = about.roster_from(at)
    if found.entry_no in roster.paused and not roster.is_out_for_the_day(found.entry_no):
        raise UsageError(f"{found.label} is paused already")
    about.check_field(at, leaves=[found.entry_no])
    store.leagues.add_event(about.league.uuid, at, PAUSED, {"entry": found.entry_no, **data})
    return f"{found.label} pauses in {about.league.name} at match {at}"


def resume(store: Store, league: str, entry: str | None = None) -> str:
    """End the pause of an entry, or without one that of the league; return in words what happens.

    An entry whose budget of the day is used up then plays until the day is over, whatever it uses. Raises UsageError,
    UnknownEntry.
    """
    about = subject(store, league)
    if entry is None:
        about.check_goes_on()
        if about.roster.league_paused is None:
            raise UsageError(f"{about.league.name} is not paused")
        store.leagues.add_event(about.league.uuid, about.planned, RESUMED)
        return f"{about.league.name} resumes at match {about.planned}"
    at = about.changes_at()
    found = about.staying(entry, at)
    roster = about.roster_from(at)
    if found.entry_no not in roster.paused:
        raise UsageError(f"{found.label} is not paused")
    store.leagues.add_event(about.league.uuid, at, RESUMED, {"entry": found.entry_no})
    said = f"{found.label} resumes in {about.league.name} at match {at}"
    return (
        f"{said}; its budget doesn't hold before 00:00 UTC"
        if roster.is_out_for_the_day(found.entry_no)
        else said
    )


def bench(store: Store, league: str, entry: str, why: str = "") -> str:
    """Don't start an entry any more, from the next match that isn't planned; return in words what happens.

    On a ladder it gets no more matches. In a round robin or a gauntlet it stays in the schedule and forfeits what is
    planned for it. Raises UsageError, UnknownEntry.
    """
    about = subject(store, league)
    about.check_changeable()
    found = about.staying(entry, about.planned)
    if found.entry_no in about.roster.benched:
        raise UsageError(f"{found.label} is benched already")
    data = {"entry_no": found.entry_no, "by": ORGANISER, "why": why or BENCHED_BY_ORGANISER}
    store.leagues.add_event(about.league.uuid, about.planned, BENCHED, data)
    meanwhile = "gets no matches" if about.definition.endless else "forfeits its matches"
    return f"{found.label} is benched in {about.league.name}: it {meanwhile} from match {about.planned} on"


def unbench(store: Store, league: str, entry: str) -> str:
    """Let a benched entry play again; its faults so far are forgiven. Return in words what happens.

    Raises UsageError, UnknownEntry.
    """
    about = subject(store, league)
    about.check_goes_on()
    found = about.entry(entry)
    if found.entry_no not in about.roster.benched:
        raise UsageError(f"{found.label} is not benched")
    store.leagues.add_event(about.league.uuid, about.planned, UNBENCHED, {"entry": found.entry_no})
    return f"{found.label} is no longer benched in {about.league.name} from match {about.planned} on"
