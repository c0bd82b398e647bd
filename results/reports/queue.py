"""The queue: which comparisons, races and tunes a runner plays beside leagues."""

from typing import Annotated

from results.base.clock import pace
from results.base.text import counted
from results.records import LeagueRecord
from results.records.roster import OPEN_STATES, QUEUED, Job, jobs_of, outcome_of
from results.reports.columns import Column, ReportRow
from results.reports.league_states import is_played
from results.store import Store
from results.store.beside_store import Runner, runner_of

MOST_DONE = 10
"""How many jobs that are over are listed: the newest."""
_PACE_GAMES = 50
"""The pace is that of so many games."""


class QueueRow(ReportRow, frozen=True, kw_only=True):
    """A job of the queue."""

    job: Annotated[str, Column(priority=0)]
    """The name of its league."""
    what: Annotated[str, Column(priority=3)]
    bots: Annotated[str, Column(wide=True, priority=2)]
    author: Annotated[str, Column(priority=6)]
    """Of the bot that it is about."""
    by: str
    """The author who asked for it; empty for an organiser."""
    priority: Annotated[int, Column("prio", priority=3)]
    state: Annotated[str, Column(priority=1)]
    """`plays`, `waits`, `paused`, `failed`, or what it found."""
    games: Annotated[int, Column(decimals=0, priority=2)]
    budget_games: Annotated[int, Column("of", decimals=0, priority=2)]
    most_minutes: Annotated[float | None, Column("min left", decimals=0, priority=4)]
    """For how long the queue may play at most before it is over; None if there is no telling."""
    why: str | None = None
    """Why it has failed, or is paused, if the runner paused it."""


def queue_rows(store: Store, author: str = "") -> list[QueueRow]:
    """Return the jobs, of one author or all, that aren't over, in the order of play, then the newest that are over."""
    jobs = jobs_of(store.leagues.events_of_kind(QUEUED)).items()
    every = [one for one in jobs if author in ("", one[1].author)]
    waiting = sorted((one for one in every if one[1].state in OPEN_STATES), key=lambda one: -one[1].priority)
    over = [one for one in every if one[1].state == "done"][-MOST_DONE:]
    open_ = [(store.leagues.get(uuid), job) for uuid, job in waiting]
    done = [(store.leagues.get(uuid), job) for uuid, job in reversed(over)]
    paces = {league.uuid: _game_s(store, league.uuid) for league, _ in open_ + done}
    known = [pace for pace in paces.values() if pace is not None]
    usual = sum(known) / len(known) if known else None
    played = {league.uuid: store.leagues.progress(league.uuid).games_done for league, _ in (*open_, *done)}
    left_s: dict[str, float | None] = {}
    runner = runner_of(store.path)
    for league, job in open_:
        game_s = paces[league.uuid] or usual
        left = max(0, job.budget_games - played[league.uuid]) + job.then_games
        left_s[league.uuid] = None if game_s is None else game_s * left
    return [
        QueueRow(
            job=league.name,
            what=job.what,
            bots=_bots(store, league, job),
            author=job.author,
            by=job.by,
            priority=job.priority,
            state=_state(store, league, job, runner),
            games=played[league.uuid],
            budget_games=job.budget_games,
            most_minutes=_minutes([(one, left_s[of.uuid]) for of, one in open_], job),
            why=job.why or None,
        )
        for league, job in open_ + done
    ]


def _minutes(left_s: list[tuple[Job, float | None]], job: Job) -> float | None:
    """Return how long a job takes at most with all that may play before it ends, as authors take turns."""
    before = [left for other, left in left_s if other.state == "waits" and other.priority >= job.priority]
    if job.state != "waits" or any(left is None for left in before):
        return None
    return sum(left or 0.0 for left in before) / 60


def _state(store: Store, league: LeagueRecord, job: Job, runner: Runner) -> str:
    if job.state == "done" and job.why:
        return "failed"
    if job.state == "done":
        outcome = outcome_of(store.leagues.events(league.uuid))
        return "tuned" if job.what == "tune" else (outcome and outcome.answer) or "undecided"
    return "plays" if job.state == "waits" and is_played(league, runner) else job.state


def _bots(store: Store, league: LeagueRecord, job: Job) -> str:
    entries = store.entries.all(league.uuid)
    if job.what == "tune":
        version = entries[0].version if entries else None
        return version.reference if version else ""
    old, *others = [entry.label for entry in entries]
    return f"{others[0]} v {old}" if job.what == "compare" else f"{old}, {counted(len(others), 'variant')}"


def _game_s(store: Store, league: str) -> float | None:
    """Return how long a game takes, by when the latest ones were over; None if there are too few."""
    games = store.games.all(league, newest_first=True, limit=_PACE_GAMES)
    found = pace(game.finished_at for game in games)
    return None if found is None else 1 / found
