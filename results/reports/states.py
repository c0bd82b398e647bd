"""The states of leagues and entries, worked out in one place, and what they mean.

Pages, tables and the API all show these, so that none of them disagrees with another.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from results import records
from results.roster import ORGANISER, Roster

if TYPE_CHECKING:
    from results.store import Store
    from results.store.runner_file import Runner

LeagueState = Literal[
    "running", "resting", "paused", "waiting", "interrupted", "stopped", "created", "finished"
]
EntryState = Literal["active", "paused", "benched", "retired", "replaced"]

LEAGUE_STATES: Mapping[LeagueState, str] = {
    "running": "it is being played",
    "resting": "nothing is worth playing now; it goes on by itself when a bot joins",
    "paused": "its organiser has paused it; it goes on when an organiser resumes it",
    "waiting": "the runner comes back to it by itself",
    "interrupted": "its runner was killed; nothing is lost, and it goes on when the organiser starts a runner again",
    "stopped": "no runner plays it; it goes on when the organiser starts one",
    "created": "it has never been run; it begins when the organiser starts a runner",
    "finished": "all its matches are played",
}
"""What the states of leagues mean."""

KILLED = "its runner was killed"
SERVES = "serves "
"""What a runner of all leagues does begins with this."""

ENTRY_STATES: Mapping[EntryState, str] = {
    "active": "plays",
    "paused": "doesn't play for now",
    "benched": "isn't started until an organiser unbenches it",
    "retired": "plays no more, and has no place; its rating stays as it was",
    "replaced": "plays no more, as another version took over, and has no place; its rating stays as it was",
}
"""What the states of entries mean."""


class StateOfLeague(NamedTuple):
    """The state of a league."""

    state: LeagueState
    why: str = ""
    """Why it isn't played; empty if that goes without saying."""
    since: str | None = None
    """Since when it is played, waits or rests, or when its killed runner was last seen, if that is known."""


class StateOfEntry(NamedTuple):
    """The state of an entry."""

    state: EntryState
    why: str = ""
    """Why it is paused or benched."""
    by: str = ""
    """Who paused it: `organiser`, `faults` or `budget`. `organiser` if one benched it; otherwise empty."""
    heir: int | None = None
    """The number of the entry that replaced it."""

    @property
    def is_gone(self) -> bool:
        """Whether it has left for good, and so has no rank."""
        return self.state in ("retired", "replaced")


class _League(Protocol):
    @property
    def uuid(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def state(self) -> records.LeagueState: ...
    @property
    def rated(self) -> bool: ...


def state_of_league(store: "Store", league: _League, roster: Roster, runner: "Runner") -> StateOfLeague:
    """Return the state of a league with a schedule. `roster` is that of its next match.

    What the ledger says counts first, because the runner's notes may be a second old.
    """
    if league.state == "finished":
        return StateOfLeague("finished")
    if pause := roster.league_paused:
        return StateOfLeague("paused", pause.why, pause.since)
    notes = runner.notes if runner.is_running else None
    if notes and notes.league and notes.league.name == league.name:
        return StateOfLeague("running", since=notes.league.since)
    if notes:
        for one in notes.waiting:
            if one.name == league.name:
                return StateOfLeague("resting" if one.rests else "waiting", one.why, one.since)
        if notes.does.startswith(SERVES):
            return StateOfLeague("waiting", "for its turn")
    if league.state == "running":
        if runner.is_running and store.leagues.is_running(store.leagues.get(league.uuid)):
            return StateOfLeague("running")
        return StateOfLeague("interrupted", KILLED, _killed_at(league, runner))
    if league.state == "stopped" and (at := _killed_at(league, runner)):  # between two of its turns
        return StateOfLeague("interrupted", KILLED, at)
    return StateOfLeague(league.state)


def _killed_at(league: _League, runner: "Runner") -> str | None:
    """Return when the killed runner of a league was last seen; None if the last runner wasn't killed, or not its."""
    notes = runner.notes if runner.was_killed else None
    if notes is None:
        return None
    played = notes.league is not None and notes.league.name == league.name
    return notes.written_at if played or (league.rated and notes.does.startswith(SERVES)) else None


def state_of_entry(roster: Roster, entry_no: int) -> StateOfEntry:
    """Return the state of an entry: the most lasting, if several reasons keep it from playing."""
    if (heir := roster.replaced_by.get(entry_no)) is not None:
        return StateOfEntry("replaced", heir=heir)
    if entry_no in roster.retired:
        return StateOfEntry("retired")
    if entry_no in roster.benched:
        bench = roster.benched[entry_no]
        return StateOfEntry("benched", bench.why, bench.by if bench.by == ORGANISER else "")
    if pause := roster.paused.get(entry_no):
        return StateOfEntry("paused", pause.why, pause.by)
    return StateOfEntry("active")
