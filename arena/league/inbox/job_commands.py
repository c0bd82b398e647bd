"""Puts a comparison, race or tune of submitted bots into the queue, and changes one there."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.config.league_file import Arguments
from arena.config.settings import read_settings
from arena.core.errors import UsageError
from arena.league.changes.base import LeagueName, VersionName
from arena.league.changes.entries import enter_reference
from arena.league.comparison_plans import (
    MOST_VARIANTS,
    NEW,
    OLD,
    Asked,
    ComparisonPlan,
    plan_comparison,
    plan_race,
    plan_tune,
)
from arena.league.definition.bot_arguments import version_before
from arena.league.job_queue import check_quota, enqueue, job_named, record
from arena.submissions.manifest import bundled_bot
from results.base.text import counted
from results.records import VersionRecord
from results.records.roster import Job
from results.store import Store

Priority = Annotated[int, Meta(ge=-100, le=100)]
_Text = Annotated[str, Meta(max_length=256)]


class Enqueue(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A comparison, race or tune, as the commands of these names take it."""

    kind: ClassVar[str] = "queue-add"
    words: ClassVar[str] = "queue a comparison"
    what: Literal["compare", "race", "tune"]
    bots: Annotated[tuple[VersionName, ...], Meta(min_length=1, max_length=1 + MOST_VARIANTS)]
    args: tuple[Arguments, ...] = ()
    """Of a race: the arguments of each bot."""
    parameters: tuple[_Text, ...] = ()
    """Of a tune: which to turn; default: all."""
    asked: Asked = Asked()
    priority: Priority = 0
    by: _Text = ""
    """The author who asks, whose quota and whose versions it has to be; empty for an organiser."""

    def perform(self, store: Store) -> str:
        """Check it, and put it into the queue. Raises UsageError, UnknownVersion."""
        versions = [
            store.versions.find(bot) if (own := bundled_bot(bot)) is None else enter_reference(store, own)
            for bot in self.bots
        ]
        plan = self._plan(store, versions)
        of = plan.versions[NEW if self.what == "compare" else OLD].author
        then_games = self.asked.then_games if self.what == "tune" else 0
        if self.by:
            if others := [one.reference for one in plan.versions if one.author != self.by]:
                raise UsageError(
                    f"{others[0]} isn't a bot of {self.by}", "ask for comparisons of your own versions"
                )
            check_quota(store, self.by, plan.budget_games + then_games, read_settings().queue.games_a_day)
        job = Job(
            what=self.what,
            author=of,
            by=self.by,
            difference=self.asked.difference,
            error_rate=self.asked.error_rate,
            at_least=self.asked.at_least,
            budget_games=plan.budget_games,
            then_games=then_games,
            priority=self.priority,
        )
        league = enqueue(store, plan, job)
        of_bots = ", ".join(dict.fromkeys(one.reference for one in plan.versions))
        return f"queued {league.name}: {self.what} of {of_bots}, at most {counted(plan.budget_games, 'game')}"

    def _plan(self, store: Store, versions: list[VersionRecord]) -> ComparisonPlan:
        if self.what == "tune":
            return plan_tune(versions[0], self.asked, self.parameters)
        if self.what == "race":
            return plan_race(versions, self.args or [()] * len(versions), self.asked)
        before = [version_before(store, versions[0])] if len(versions) == 1 else []
        return plan_comparison([*before, *versions], self.asked)


class ChangeJob(Struct, frozen=True, forbid_unknown_fields=True):
    """Another state or priority of a job in the queue."""

    kind: ClassVar[str] = "queue-change"
    words: ClassVar[str] = "change the queue"
    job: LeagueName
    state: Literal["waits", "paused", "removed"] | None = None
    """None: as it is."""
    priority: Priority | None = None
    """None: as it is."""

    def perform(self, store: Store) -> str:
        """Change it; a job that is being played stops with the games being played. Raises UsageError."""
        league, job = job_named(store, self.job)
        state = self.state or job.state
        priority = job.priority if self.priority is None else self.priority
        changed = replace(job, state=state, priority=priority, why="", is_new=False)
        already = " already" * (changed == replace(job, why="", is_new=False))
        if not already:
            record(store, league, changed)
        last = "" if state == "removed" else f", priority {priority}"
        return f"{league.name}: {_NOW[state]}{already}{last}"


_NOW = {
    "waits": "waiting for its turn",
    "paused": "paused",
    "removed": "removed from the queue, its games stay",
}
