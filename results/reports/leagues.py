"""Leagues as a whole: what they play, their progress, state and events."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct

from results.base.isolation_levels import weakest
from results.base.text import counted
from results.records import LeagueEvent, LeagueRecord
from results.records.roster import (
    ENDED,
    EXTENDED,
    JUDGED,
    RESUMED,
    SETTLED,
    TUNE,
    UNBENCHED,
    Outcome,
    Roster,
    outcome_of,
)
from results.reports.columns import Column, ReportRow, row_from
from results.reports.comparison_rows import outcome_in_words
from results.reports.league_states import LeagueState, state_of_league
from results.store import Store, runner_of


class LeagueSummary(Struct, frozen=True, kw_only=True):
    """The heading of every report of a league."""

    name: str
    game: str | None
    """None for `casual`, where every match has its own."""
    ruleset: str | None
    games: int
    games_unrated: int = 0
    """Games of finished matches that aren't rated, as bots of one author met in them."""
    state: LeagueState | None
    """None for `casual`, which takes single games at any time and never ends."""
    is_settled: bool
    """Whether it is finished because its order is certain."""
    is_sealed: bool
    """Whether the deals are derived from a secret that nobody could know or choose."""
    weakest_isolation: str | None
    """The weakest level at which a game was played, as stored in the ledger; None before the first game."""
    aim: str = ""
    """What its ladder finds out first, as in the league file; empty without one."""
    outcome: Outcome | None = None
    """Of a comparison or a race, once a run of it is over."""
    counts_scores: bool = False
    """`LeagueRecord.counts_scores`."""

    @property
    def left_out(self) -> str:
        """Which finished games count in no table of the league, in a line for people; empty if all do."""
        are = "is" if self.games_unrated == 1 else "are"
        games = counted(self.games_unrated, "game")
        return f"{games} between bots of one author {are} not rated" if self.games_unrated else ""


class LeagueRow(ReportRow, frozen=True, kw_only=True):
    """The progress of a league."""

    name: Annotated[str, Column("league", priority=0)]
    game: Annotated[str | None, Column(priority=6)]
    ruleset: Annotated[str | None, Column(priority=7)]
    entries: Annotated[int, Column(priority=3)]
    matches: Annotated[int, Column(decimals=0, priority=4)]
    games: Annotated[int, Column(decimals=0, priority=2)]
    games_unrated: int = 0
    """Of these, those that aren't rated, as bots of one author met in them; once their match is finished."""
    faults: Annotated[int, Column(priority=5)]
    """Games in which a bot was forfeited, summed over the bots."""
    state: Annotated[LeagueState | None, Column(priority=1)]


def league_summary(store: Store, league: LeagueRecord) -> LeagueSummary:
    """Return the heading of a league's reports."""
    rules, progress = league.ruleset, store.leagues.progress(league.uuid)
    events = store.leagues.events(league.uuid)
    return LeagueSummary(
        name=league.name,
        game=rules.game if rules else None,
        ruleset=rules.name if rules else None,
        games=progress.games_done,
        games_unrated=progress.games_unrated,
        state=_state_of(store, league),
        is_settled=any(event.kind == ENDED and event.data.get("by") == SETTLED for event in events),
        is_sealed=league.sealed,
        weakest_isolation=weakest(store.games.sandbox_levels(league.uuid)),
        aim=_aim(league, events),
        outcome=outcome_of(events),
        counts_scores=league.counts_scores,
    )


def _aim(league: LeagueRecord, events: Sequence[LeagueEvent]) -> str:
    schedule: object = league.config.get("schedule") if isinstance(league.config, dict) else None
    aim = schedule.get("aim", "") if isinstance(schedule, dict) else ""
    for event in events:
        if event.kind == EXTENDED:
            aim = event.data.get("set", {}).get("schedule.aim", aim)
    return str(aim)


def league_row(store: Store, league: LeagueRecord, roster: Roster | None = None) -> LeagueRow:
    """Return the progress of a league; `roster`: of its next match, if it is known."""
    rules, progress = league.ruleset, store.leagues.progress(league.uuid)
    return LeagueRow(
        name=league.name,
        game=rules.game if rules else None,
        ruleset=rules.name if rules else None,
        entries=store.entries.count(league.uuid),
        matches=progress.matches_done,
        games=progress.games_done,
        games_unrated=progress.games_unrated,
        faults=store.ratings.faults(league.uuid),
        state=_state_of(store, league, roster),
    )


def _state_of(store: Store, league: LeagueRecord, roster: Roster | None = None) -> LeagueState | None:
    if not league.ruleset:
        return None
    roster = roster or store.entries.roster(league.uuid)
    return state_of_league(league, roster, runner_of(store.path)).state


class EventRow(ReportRow, frozen=True, kw_only=True):
    """One event."""

    event_no: Annotated[int, Column("no.", priority=4)]
    at_match_no: Annotated[int, Column("from match", priority=2)]
    """The first match that it applies to."""
    kind: Annotated[
        str, Column("event", priority=0, drawn=lambda row: RESUMED if row.kind == UNBENCHED else row.kind)
    ]
    words: Annotated[str, Column("what happened", wide=True, priority=1)]
    at: Annotated[str, Column("recorded", priority=3)]
    """In the format of `clock.utc_text`."""


def event_rows(store: Store, league: LeagueRecord) -> list[EventRow]:
    """Return the events of a league, in order."""
    labels = store.entries.labels(league.uuid)
    leagues = {other.uuid: other.name for other in store.leagues.all()}
    return [
        row_from(event, EventRow, words=_words(event, labels, leagues))
        for event in store.leagues.events(league.uuid)
    ]


def _words(event: LeagueEvent, labels: dict[int, str], leagues: dict[str, str]) -> str:
    """Return in words what happened: names of entries, then what else the event tells."""
    if event.kind == JUDGED:
        outcome = outcome_of([event])
        return outcome_in_words(outcome) if outcome else ""
    if event.kind == TUNE:
        ends = (
            f"{name} from {one['low']:g} to {one['high']:g}" for name, one in event.data["parameters"].items()
        )
        return ", ".join(ends)
    data = dict(event.data)
    numbers = data.pop("entries", [])
    numbers += [data.pop(key) for key in ("entry", "entry_no") if key in data]
    words = ", ".join(labels.get(number, f"#{number}") for number in numbers)
    if (before := data.pop("predecessor", None)) is not None:
        words += f", after {labels.get(before, f'#{before}')}"
    by = data.pop("by", None)
    data.pop("until", None)  # the reason says it
    if "league" in data:
        data["league"] = leagues.get(data["league"], data["league"])
    parts = [str(data.pop("why", ""))] if "why" in data else []
    for key, value in data.items():
        parts.append(", ".join(f"{k} = {v}" for k, v in value.items()) if key == "set" else f"{key} {value}")
    if by is not None:
        parts.append(f"by {by}")
    return ": ".join(part for part in (words, ", ".join(filter(None, parts))) if part)
