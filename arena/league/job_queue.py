"""The queue: comparisons, races and tunes that a runner plays while no league has anything to play, and a tenth of the
time otherwise.

A job is an unrated league like that of `arena compare`, with an event that says how far it may go, whose it is and how
urgent. So whatever interrupts a job, it goes on from its last finished game, and its league shows what it found.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from arena.core.errors import ArenaError, UsageError
from arena.league.compare import ComparisonRun, begin, comparison_after
from arena.league.comparison_plans import ComparisonPlan
from arena.league.definition.stored import StoredDefinition, versions_of
from arena.league.service import LOOK_S
from arena.league.tune import refuse_unread
from arena.submissions.manifest import Parameter
from results.analysis.sequential_test import Question
from results.base.clock import utc_day
from results.base.errors import StoreDamaged, UnknownLeague
from results.records import LeagueRecord
from results.records.roster import COMPARISON, OPEN_STATES, QUEUED, TUNE, Job, jobs_of
from results.store import Store

TURN_S = 120.0
"""How long a job plays before the next one's turn, if several wait."""
LEAGUES_S, AMONG_LEAGUES_S = 270.0, 30.0
"""After how long without the queue, if leagues always have something to play, it has a turn, and how long that is."""
AGAIN_S = 60.0
"""How long to leave a job alone that this machine can't play, before the next attempt."""
MOST_JOBS_A_DAY = 20
"""How many jobs an author may ask for in a day (UTC), however small."""
MOST_WAITING = 100
"""How many jobs of authors may be in the queue at a time."""


def enqueue(store: Store, plan: ComparisonPlan, job: Job) -> LeagueRecord:
    """Put a plan into the queue; return its league, maybe one to continue. Raises UsageError if it waits."""
    league = begin(store, plan)
    known = job_at(store, league)
    if known is not None and known.state in OPEN_STATES:
        raise UsageError(
            f"{league.name} is in the queue already",
            f"change it: arena queue change {league.name} --priority 1",
        )
    record(store, league, replace(job, is_new=True))
    return league


def job_at(store: Store, league: LeagueRecord) -> Job | None:
    """Return the job that a league is in the queue; None if it never was in it."""
    return jobs_of(store.leagues.events(league.uuid)).get(league.uuid)


def record(store: Store, league: LeagueRecord, job: Job) -> None:
    """Make this the job that a league is from now on."""
    planned = store.leagues.progress(league.uuid).matches_planned
    store.leagues.add_event(league.uuid, planned, QUEUED, msgspec.to_builtins(job))


def job_named(store: Store, name: str) -> tuple[LeagueRecord, Job]:
    """Return a job that isn't over, by the name of its league. Raises UsageError."""
    try:
        league = store.leagues.get(name)
        job = job_at(store, league)
    except UnknownLeague:
        job = None
    if job is not None and job.state == "done":
        raise UsageError(f"{name} is over", f"what it found: arena rankings {name}")
    if job is None or job.state not in OPEN_STATES:
        raise UsageError(f"no job {name} is in the queue", "arena queue lists what is")
    return league, job


def check_quota(store: Store, author: str, games: int, games_a_day: int) -> None:
    """Raise UsageError if an author has asked for too much today, a job of that many games included.

    What was asked for counts, played or not: a job that is removed gives nothing back.
    """
    today, events = utc_day(store.now()), store.leagues.events_of_kind(QUEUED)
    if sum(bool(job.by) and job.state in OPEN_STATES for job in jobs_of(events).values()) >= MOST_WAITING:
        raise UsageError(f"{MOST_WAITING} comparisons of authors wait already", "ask again later")
    asked = [
        event.data
        for event in events
        if utc_day(event.at) == today and event.data["by"] == author and event.data["is_new"]
    ]
    left = games_a_day - sum(data["budget_games"] + data["then_games"] for data in asked)
    if len(asked) >= MOST_JOBS_A_DAY:
        raise UsageError(
            f"{author} has asked for {len(asked)} comparisons today", "ask again after 00:00 UTC"
        )
    if games > left:
        raise UsageError(
            f"{author} may ask for {max(0, left):,} more games today, not {games:,}",
            "ask for fewer games, or again after 00:00 UTC",
        )


def plan_of(store: Store, league: LeagueRecord, job: Job) -> ComparisonPlan:
    """Return the plan of a job, from what its league has stored. Raises UsageError if its rules changed."""
    definition = StoredDefinition(store, league).first
    asked = next(e.data for e in store.leagues.events(league.uuid) if e.kind in (COMPARISON, TUNE))
    parameters = msgspec.convert(asked.get("parameters", {}), dict[str, Parameter])
    entries = store.entries.all(league.uuid)
    versions = versions_of(entries[: definition.field.seats[0]] if parameters else entries)
    return ComparisonPlan(
        definition,
        tuple(versions.values()),
        Question(job.difference, job.error_rate, job.at_least),
        job.budget_games,
        job.what == "race",
        parameters,
    )


@dataclass(slots=True)
class JobTurns:
    """Chooses which job plays next: the most urgent one of the author who has waited longest, the oldest first.

    `run_of` prepares the run of a plan. `tell` gets a line for people when a job is over or can't be played.
    """

    store: Store
    run_of: Callable[[LeagueRecord, ComparisonPlan], ComparisonRun]
    tell: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _turns: dict[str, int] = field(default_factory=dict, init=False)
    """By author: the number of the latest turn."""
    _again_s: dict[str, float] = field(default_factory=dict, init=False)
    """By uuid: when to try a job again that this machine couldn't play."""
    _idle_since: int = field(default=-1, init=False)
    """What `Store.writes` was when no job waited."""
    _looked_s: float = field(default=0.0, init=False)
    """When it was looked at last whether a job gives way."""
    _rests_since_s: float | None = field(default=None, init=False)
    """When the queue was looked at or played last."""

    def is_due(self) -> bool:
        """Return whether the queue has a turn although leagues may play: a job has waited for so long."""
        now_s = self.clock()
        if self._rests_since_s is None:
            self._rests_since_s = now_s
        if now_s < self._rests_since_s + LEAGUES_S:
            return False
        if not self._readable():
            self._rests_since_s = now_s
        return self._rests_since_s < now_s

    def next_run(self) -> ComparisonRun | None:
        """Return the run of the job whose turn it is; None if none waits. A job that can't be played is paused."""
        self._rests_since_s = self.clock()
        if self.store.writes == self._idle_since and not self._again_s:
            return None
        while waiting := self._readable():
            league, job = min(waiting, key=lambda one: (-one[1].priority, self._turns.get(one[1].author, -1)))
            self._turns[job.author] = max(self._turns.values(), default=0) + 1
            try:
                return self.run_of(league, plan_of(self.store, league, job))
            except ArenaError as error:
                self.failed(league, error)
        self._idle_since = self.store.writes
        return None

    def turn_is_over(self, run: ComparisonRun, begun_s: float) -> bool:
        """Return whether a job that has played since then should let another one play."""
        if self.clock() < begun_s + TURN_S:
            return False
        return any(league.uuid != run.league.uuid for league, _ in self._waiting())

    def gives_way(self, run: ComparisonRun, begun_s: float, leagues_wait: Callable[[], bool]) -> bool:
        """Return whether a job that has played since then should stop for now; looks once a second.

        Its turn is over, nobody wants it any more, or leagues wait, after `AMONG_LEAGUES_S`.
        """
        now_s = self.clock()
        if now_s < max(begun_s, self._looked_s) + LOOK_S:
            return False
        self._looked_s = now_s
        is_due = now_s >= begun_s + AMONG_LEAGUES_S and leagues_wait()
        return is_due or self.turn_is_over(run, begun_s) or not self.still_waits(run)

    def still_waits(self, run: ComparisonRun) -> bool:
        """Return whether a job that plays is still to be played: nobody has paused or removed it."""
        job = job_at(self.store, run.league)
        return job is not None and job.state == "waits"

    def ended(self, run: ComparisonRun) -> None:
        """Take note of how a run ended: with an answer or its budget, it is done; a tune's end is compared."""
        self._rests_since_s = self.clock()
        if run.league_run.paused is not None:
            self._again_s[run.league.uuid] = self.clock() + AGAIN_S
            self.tell(
                f"{run.league.name} is waiting: this machine can't play now: {run.league_run.paused.what}"
            )
            return
        job = job_at(self.store, run.league)
        if run.interrupted or job is None or job.state != "waits":
            return
        unread = run.tuning.unread if run.plan.parameters else ()
        if unread:
            error = refuse_unread(run.plan.versions[0].reference, unread, run.plan.seats)
            record(self.store, run.league, replace(job, state="done", why=str(error), is_new=False))
            self.tell(f"{run.league.name} failed: {error}; {error.hint}")
            return
        with self.store.together():
            record(self.store, run.league, replace(job, state="done", is_new=False))
            then = comparison_after(run.plan, run.tuning, job.then_games) if run.plan.parameters else None
            follows = ""
            if then is not None and job.then_games:
                following = begin(self.store, then)
                record(
                    self.store,
                    following,
                    replace(job, is_new=False, what="compare", budget_games=then.budget_games, then_games=0),
                )
                follows = f"; {following.name} compares what it found"
        said = (
            ""
            if run.plan.parameters
            else f": {run.answer or 'undecided, as its budget is spent'}; see: arena rankings {run.league.name}"
        )
        self.tell(f"{run.league.name} is over{said}{follows}")

    def failed(self, league: LeagueRecord, error: ArenaError) -> None:
        """Pause a job that can't be played, and say why."""
        job = job_at(self.store, league)
        if job is not None:
            record(self.store, league, replace(job, state="paused", why=str(error), is_new=False))
        self.tell(f"{league.name} is paused: {error}")

    def _readable(self) -> list[tuple[LeagueRecord, Job]]:
        try:
            return self._waiting()
        except StoreDamaged as error:  # leagues are played on
            self.tell(f"the queue can't be played: {error}")
            return []

    def _waiting(self) -> list[tuple[LeagueRecord, Job]]:
        self._again_s = {uuid: at_s for uuid, at_s in self._again_s.items() if at_s > self.clock()}
        return [
            (self.store.leagues.get(uuid), job)
            for uuid, job in jobs_of(self.store.leagues.events_of_kind(QUEUED)).items()
            if job.state == "waits" and uuid not in self._again_s
        ]
