"""Entries that don't play, and entries that came later: who, since when, why, and what to do next."""

import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from results.clock import utc_text
from results.records import LeagueEvent, LeagueRecord
from results.reports.columns import ReportRow
from results.reports.field_states import FieldStates
from results.reports.states import EntryState, state_of_entry
from results.roster import ADDED, BENCHED, PAUSED, REPLACED, RETIRED, Roster, roster_at

if TYPE_CHECKING:
    from results.store import Store

SHOWN_DAYS = 7
"""How long those who left, and newcomers who have their place, are listed."""


class AbsentRow(ReportRow, frozen=True, kw_only=True):
    """An entry that doesn't play."""

    league: str
    bot: str
    """Its label."""
    state: EntryState
    by: str
    """Who paused it: `organiser`, `faults` or `budget`. `organiser` if one benched it; otherwise empty."""
    why: str
    since: str
    match_no: int
    """The first match that it didn't play."""
    until: str | None
    """The day (UTC) with which it plays again by itself, if a budget has paused it."""
    next: str
    """The command that lets it play again; empty if there is none, or if it will by itself."""


class NewcomerRow(ReportRow, frozen=True, kw_only=True):
    """An entry that joined while the league was running."""

    league: str
    bot: str
    since: str
    match_no: int
    """The first match that it could play."""
    matches: int
    """Matches so far."""
    is_placed: bool
    """Whether its place is as sure as the others'."""


def absent_rows(
    league: str, events: Sequence[LeagueEvent], roster: Roster, labels: dict[int, str], since: datetime
) -> list[AbsentRow]:
    """Return the entries of a league that don't play: paused and benched ones, and those that left after a time.

    `roster` is that of the league's next match.
    """
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
    command = {"paused": "resume", "benched": "unbench"}.get(state)
    return "" if command is None else shlex.join(["arena", "league", command, league, label])


def newcomer_rows(
    store: "Store", league: LeagueRecord, events: Sequence[LeagueEvent], since: datetime
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


def absent_of(store: "Store", league: LeagueRecord, now: datetime) -> list[AbsentRow]:
    """Return the entries of a league that don't play at its next match, and those that left lately."""
    events = store.leagues.events(league.uuid)
    roster = roster_at(events, store.leagues.progress(league.uuid).matches_planned)
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    return absent_rows(league.name, events, roster, labels, now - timedelta(days=SHOWN_DAYS))
