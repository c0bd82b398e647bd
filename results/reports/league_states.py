"""The states of leagues and entries, worked out in one place, what they mean, and who doesn't play or is new.

Pages, tables and the API all show these, so that none of them disagrees with another.
"""

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Literal, NamedTuple

from results.base.clock import utc_text
from results.records import LeagueEvent, LeagueRecord
from results.records.query_rows import Standing, newcomers
from results.records.roster import (
    ADDED,
    BENCHED,
    ORGANISER,
    PAUSED,
    REPLACED,
    RETIRED,
    Roster,
    arrivals,
    roster_at,
)
from results.reports.columns import Column, ReportRow
from results.store import Store
from results.store.beside_store import Runner
from results.store.status_queries import LeagueActivity

LeagueState = Literal[
    "running", "resting", "paused", "waiting", "interrupted", "stopped", "created", "finished"
]
EntryState = Literal["active", "paused", "benched", "retired", "replaced"]
COMING_BACK: Collection[EntryState] = ("paused", "benched")
"""States of entries that may play again."""

LEAGUE_STATES: Mapping[LeagueState, str] = {
    "running": "it is being played",
    "resting": "more matches would hardly change it; it continues by itself when a bot joins",
    "paused": "its organiser has paused it; it continues once an organiser resumes it",
    "waiting": "it continues by itself",
    "interrupted": "nothing is lost, and it continues once the organiser starts it again",
    "stopped": "it isn't being played now, and continues once the organiser starts it again",
    "created": "nothing has been played yet; it begins once the organiser starts it",
    "finished": "all its matches are played",
}
"""What the states of leagues mean."""
STATES_ON_PAGES: Mapping[str, str] = {"waiting": "in turn"}
"""What pages call a state if not by its name, which looks like trouble to those who don't run the league."""

KILLED, RESTORED = "its runner was killed", "no runner plays it, as after a restored backup"
SERVES, RUNS_LEAGUE = "serves ", "runs league "
"""How what runners do begins: of all leagues, of one league."""


def goes_on(did: str) -> str:
    """Return the command that goes on with what a runner did; empty for a comparison, whose bots aren't noted."""
    return "arena run" if did.startswith((SERVES, RUNS_LEAGUE)) else ""


ENTRY_STATES: Mapping[EntryState, str] = {
    "active": "plays",
    "paused": "doesn't play for now",
    "benched": "isn't started until an organiser resumes it",
    "retired": "no longer plays, and has no place; its rating stays",
    "replaced": "replaced by another version: it no longer plays, and has no place; its rating stays",
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
    """Why it is paused or benched; by `FieldStates`, also the label of the entry that replaced it."""
    by: str = ""
    """Who paused it: `organiser`, `faults` or `budget`. `organiser` if one benched it; otherwise empty."""
    heir: int | None = None
    """The number of the entry that replaced it."""
    is_new: bool = False
    """It joined while the league ran, and its place is less sure than the others': `standings.newcomers`. This and the
    next are known to `FieldStates` only."""
    joined_match: int | None = None
    """The first match that it could play; None: it was there from the start."""

    @property
    def is_gone(self) -> bool:
        """Whether it has left for good, and so has no rank."""
        return self.state in ("retired", "replaced")


def state_of_league(league: LeagueRecord | LeagueActivity, roster: Roster, runner: Runner) -> StateOfLeague:
    """Return the state of a league by its ledger, then by the runner's notes, which may be a second old."""
    if league.state == "finished":
        return StateOfLeague("finished")
    if pause := roster.league_paused:
        return StateOfLeague("paused", pause.why, pause.since)
    notes = runner.notes if runner.is_running else None
    if notes and notes.league and notes.plays(league.uuid):
        return StateOfLeague("running", since=notes.league.since)
    if notes:
        for one in notes.waiting:
            if one.name == league.name:
                return StateOfLeague("resting" if one.rests else "waiting", one.why, one.since)
        if notes.does.startswith(SERVES):
            return StateOfLeague("waiting", "for its turn")
    if league.state == "running":
        if is_played(league, runner):
            return StateOfLeague("running")
        at = _killed_at(league, runner)
        return StateOfLeague("interrupted", KILLED if at else RESTORED, at)
    if league.state == "stopped" and (at := _killed_at(league, runner)):  # between two of its turns
        return StateOfLeague("interrupted", KILLED, at)
    return StateOfLeague(league.state)


def is_played(league: LeagueRecord | LeagueActivity, runner: Runner) -> bool:
    """Return whether a runner plays a league: the ledger says so, and its notes name no other."""
    notes = runner.notes
    plays = league.state == "running" and runner.is_running
    return plays and (notes is None or notes.league is None or notes.plays(league.uuid))


def _killed_at(league: LeagueRecord | LeagueActivity, runner: Runner) -> str | None:
    """Return when the killed runner of a league was last seen; None if the last runner wasn't killed, or not its."""
    notes = runner.notes if runner.was_killed else None
    if notes is None:
        return None
    return (
        notes.written_at
        if notes.plays(league.uuid) or (league.rated and notes.does.startswith(SERVES))
        else None
    )


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
    return _ACTIVE


_ACTIVE = StateOfEntry("active")


class FieldStates:
    """The entries of a league at its next match."""

    def __init__(self, store: Store, league: LeagueRecord, standings: Sequence[Standing]) -> None:
        """Read the league's events. `standings`, of all matches, show who is new."""
        self._events = store.leagues.events(league.uuid)
        self._labels = store.entries.labels(league.uuid)
        self._joined = arrivals(self._events)
        self._now = roster_at(self._events, store.leagues.progress(league.uuid).matches_planned)
        playing = [row for row in standings if self._now.plays(row.entry_no)]
        self._new = newcomers(playing, self._joined, league.scale) if self._joined else frozenset()

    @property
    def moves(self) -> bool:
        """Whether the field has ever changed, or will."""
        return self._now.has_changed or bool(self._now.awaited)

    @property
    def heirs(self) -> list[tuple[int, int]]:
        """Return the entries that took over, each with its predecessor, in the order in which they did."""
        return [
            (event.data["entry"], event.data["predecessor"])
            for event in self._events
            if event.kind == REPLACED
        ]

    def is_shown(self, entry_no: int) -> bool:
        """Return whether an entry is part of the league already."""
        return entry_no not in self._now.awaited

    def of(self, entry_no: int) -> StateOfEntry:
        """Return the state of an entry."""
        found = state_of_entry(self._now, entry_no)
        if found is _ACTIVE and entry_no not in self._joined:
            return found
        why = found.why if found.heir is None else self._labels.get(found.heir, f"#{found.heir}")
        joined = self._joined.get(entry_no)
        return found._replace(why=why, is_new=entry_no in self._new, joined_match=joined)

    def ranked_before(self, match_no: int, rows: Iterable[Standing]) -> list[Standing]:
        """Return the standings of the entries that could have a rank at an earlier match."""
        roster = roster_at(self._events, match_no)
        gone = roster.awaited | roster.retired.keys()
        return [row for row in rows if row.entry_no not in gone]


SHOWN_DAYS = 7
"""How long those who left, and newcomers who have their place, are listed."""


class AbsentRow(ReportRow, frozen=True, kw_only=True):
    """An entry that doesn't play."""

    league: Annotated[str, Column(priority=3)]
    bot: Annotated[str, Column(priority=0)]
    state: Annotated[EntryState, Column(priority=2)]
    by: str
    """Who paused it: `organiser`, `faults` or `budget`. `organiser` if one benched it; otherwise empty."""
    why: Annotated[str, Column(wide=True, priority=1, drawn=lambda row: row.why or "–")]
    since: Annotated[str, Column(priority=4)]
    match_no: Annotated[int, Column("from match", priority=6)]
    """The first match that it didn't play."""
    until: str | None
    """The day (UTC) with which it plays again by itself, if a budget has paused it."""
    next: str
    """The command that lets it play again; empty if there is none, or if it will by itself."""


class NewcomerRow(ReportRow, frozen=True, kw_only=True):
    """An entry that joined while the league was running."""

    league: Annotated[str, Column(priority=1)]
    bot: Annotated[str, Column(priority=0)]
    since: Annotated[str, Column("joined", priority=4)]
    match_no: Annotated[int, Column("from match", priority=5)]
    matches: Annotated[int, Column(priority=2)]
    is_placed: Annotated[bool, Column("placed", priority=3)]
    """Whether its place is as sure as the others'."""


def absent_rows(
    league: str, events: Sequence[LeagueEvent], roster: Roster, labels: dict[int, str], since: datetime
) -> list[AbsentRow]:
    """Return the paused and benched entries, and those that left after a time; `roster`: that of the next match."""
    latest = _latest(events, roster.match_no)
    rows = []
    for entry_no, label in sorted(labels.items()):
        found = state_of_entry(roster, entry_no)
        event = latest.get((found.state, entry_no))  # kinds of events are named like the states they lead to
        if event is None or (found.is_gone and event.at < utc_text(since)):
            continue
        until = roster.paused[entry_no].until if found.state == "paused" else None
        rows.append(
            AbsentRow(
                league=league,
                bot=label,
                state=found.state,
                by=found.by,
                why=found.why if found.heir is None else f"by {labels.get(found.heir, f'#{found.heir}')}",
                since=event.at,
                match_no=event.at_match_no,
                until=until,
                next="" if until else _next(found.state, league, label),
            )
        )
    return rows


def _latest(events: Iterable[LeagueEvent], match_no: int) -> dict[tuple[str, int], LeagueEvent]:
    """Return the latest event of each kind that concerns each entry, of those that hold at a match."""
    found = {}
    for event in events:
        key = {BENCHED: "entry_no", PAUSED: "entry", RETIRED: "entry", REPLACED: "predecessor"}.get(
            event.kind
        )
        if key is not None and event.at_match_no <= match_no and key in event.data:
            found[event.kind, event.data[key]] = event
    return found


def _next(state: EntryState, league: str, label: str) -> str:
    stopped = state in ("paused", "benched")
    return shlex.join(["arena", "league", "resume", league, label]) if stopped else ""


def newcomer_rows(
    store: Store, league: LeagueRecord, events: Sequence[LeagueEvent], since: datetime
) -> list[NewcomerRow]:
    """Return the entries that joined a league late and play: those without a sure place, and those since a time."""
    arrived = {
        entry_no: event
        for event in events
        if event.kind in (ADDED, REPLACED)
        for entry_no in (event.data["entries"] if event.kind == ADDED else [event.data["entry"]])
    }
    if not arrived:
        return []
    standings = store.ratings.standings(league.uuid)
    states = FieldStates(store, league, standings)
    rows = []
    for row in sorted(standings, key=lambda standing: standing.entry_no):
        event, state = arrived.get(row.entry_no), states.of(row.entry_no)
        if event is None or state.state != "active":
            continue
        if state.is_new or event.at >= utc_text(since):
            rows.append(
                NewcomerRow(
                    league=league.name,
                    bot=row.label,
                    since=event.at,
                    match_no=event.at_match_no,
                    matches=row.matches,
                    is_placed=not state.is_new,
                )
            )
    return rows


def absent_of(store: Store, league: LeagueRecord, now: datetime) -> list[AbsentRow]:
    """Return the entries of a league that don't play at its next match, and those that left lately."""
    events = store.leagues.events(league.uuid)
    roster = roster_at(events, store.leagues.progress(league.uuid).matches_planned)
    labels = store.entries.labels(league.uuid)
    return absent_rows(league.name, events, roster, labels, now - timedelta(days=SHOWN_DAYS))
