"""Comparisons: unrated leagues that end when a sequential test has its answer, of two versions or of many; and tunes.

In a **comparison**, OLD and NEW sit at one table, with others if you name some. In a **race**, several variants play
against a base, all on common deals: at tables of two one by one, at larger ones together with it. Variants that the
results rule out leave at the end of a round. A **tune** (`arena.league.tune`) ends with its budget, and a comparison
on fresh deals answers whether it found anything.

Every match plays its deal in all rotations, so each version holds every seat once. The test counts deals: a result is
the difference of two mean shares. In a game for one player, each version plays the deals alone, and the one with the
higher score has won a deal. It takes results in match order, without gaps, so the answer depends neither on the
number of workers nor on interruptions.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.executors.base import Executor
from arena.league.comparison_plans import NEW, OLD, Asked, ComparisonPlan, plan_comparison
from arena.league.comparison_rules import BATCH_MATCHES, Answered, RaceAnswer, Racing
from arena.league.definition.league_secret import secret_of
from arena.league.definition.stored import StoredDefinition, config_of, file_of, finished
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import Notes, RunProgress
from arena.league.tune import Tuning
from results.analysis.race import Race
from results.analysis.sequential_test import Answer, Doubt, SequentialTest
from results.base.isolation_levels import Wanted
from results.ratings.mean_score import MEAN_SCORE
from results.ratings.trueskill import RATING as TRUESKILL
from results.records import EntrySpec, LeagueRecord, RulesetRecord
from results.records.roster import COMPARISON, JUDGED, TUNE, Outcome, outcome_of
from results.store import Store

DECIMALS = 6
"""Of a stored outcome."""


def rule_of(plan: ComparisonPlan, store: Store, league: LeagueRecord) -> Answered | Racing | Tuning:
    """Return the rule that ends the league of a plan, without results."""
    if plan.parameters:
        alike = partial(_plays_alike, store, league)
        return Tuning(plan.parameters, plan.versions[0], plan.seats, plan.budget_games, alike)
    if plan.is_race:
        return Racing(plan.question, plan.variants, plan.seats, plan.budget_games)
    return Answered(plan.question, plan.matches * (2 if plan.alone else 1), alone=plan.alone)


def _plays_alike(store: Store, league: LeagueRecord, match_no: int) -> bool:
    """Return whether all games of a match had the same moves at each seat."""
    moves = [
        store.replays.get(league.uuid, match_no, game.rotation).decoded(f"{league.name}/{match_no}")["moves"]
        for game in store.games.all(league.uuid, match_no=match_no)
    ]
    return all(one == moves[0] for one in moves)


def begin(store: Store, plan: ComparisonPlan) -> LeagueRecord:
    """Return the league of a comparison, an existing one to continue or a new one.

    A comparison continues if it asks the same question about the same versions and has no answer yet. One with a
    seed or a suite is also reused when it has its answer, because the same games would only be played again. A tune is
    over once its end has been compared: see `answered`.
    """
    found = _same(store, plan)
    is_fixed = plan.file.seed is not None or plan.suite is not None
    if found is not None and (is_fixed or not answered(store, found, plan)):
        return found
    file = replace(plan.file, name=_free_name(store, plan.file.name), rotations=plan.definition.rotations)
    rules = plan.definition.ruleset
    league = store.leagues.create(
        name=file.name,
        config=config_of(file, plan.definition.partners),
        ruleset=RulesetRecord(rules.game, rules.version, rules.name, rules.key),
        entries=[
            EntrySpec(str(bot.label), version.id, bot.args)
            for bot, version in zip(file.bots, plan.versions, strict=True)
        ],
        secret=secret_of(file),
        rating=MEAN_SCORE.name if plan.alone else TRUESKILL.name,
        rated=False,
        traits=plan.definition.schedule.traits,
    )
    store.leagues.add_event(league.uuid, 0, _kind(plan), _data(plan))
    return league


def _kind(plan: ComparisonPlan) -> str:
    return TUNE if plan.parameters else COMPARISON


def _data(plan: ComparisonPlan) -> dict[str, Any]:
    if plan.parameters:
        return {"parameters": msgspec.to_builtins(plan.parameters)}
    question = plan.question
    return {
        "difference": question.difference,
        "error_rate": question.error_rate,
        "at_least": question.least_matches,
    }


def _free_name(store: Store, kind: str) -> str:
    taken = {league.name for league in store.leagues.all()}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)


def _same(store: Store, plan: ComparisonPlan) -> LeagueRecord | None:
    """Return the newest comparison of these versions with the same question, whatever its name and budget."""
    ids = [version.id for version in plan.versions]
    wanted = replace(plan.file, rotations=plan.definition.rotations)
    for league in reversed(store.leagues.all()):
        if league.rated or league.ruleset is None or league.revealed:
            continue
        asked = [event.data for event in store.leagues.events(league.uuid) if event.kind == _kind(plan)]
        if asked != [_data(plan)]:
            continue
        entries = [entry.version.id if entry.version else None for entry in store.entries.all(league.uuid)]
        if plan.parameters:  # those of its first step; more have joined
            del entries[len(ids) :]
        if entries == ids and replace(file_of(league), name=wanted.name) == wanted:
            return league
    return None


def answered(store: Store, league: LeagueRecord, plan: ComparisonPlan) -> bool:
    """Return whether a comparison has its answer; a tune has it once what it ended with was compared."""
    rule = rule_of(plan, store, league)
    for match in finished(store, league.uuid, 0, store.leagues.progress(league.uuid).matches_counted):
        rule.take(match)
        if rule.why:
            break
    if not isinstance(rule, Tuning):
        return rule.answer is not None
    if rule.unread:
        return True
    is_over = store.leagues.get(league.uuid).state == "finished"
    if not is_over or (then := comparison_after(plan, rule)) is None:
        return is_over
    compared = _same(store, then)
    return compared is not None and answered(store, compared, then)


def comparison_after(plan: ComparisonPlan, rule: Tuning, budget_games: int = 10**9) -> ComparisonPlan | None:
    """Return the comparison of what a tune ended with and of the bot as it is, on fresh deals; None if they are one.

    At larger tables, the bot as it is has the other seats.
    The values are chosen before its deals are, so its error rate holds as if there had been no tune.
    """
    given = [rule.arguments(rule.start), rule.arguments(rule.tuner.best)]
    if given[OLD] == given[NEW]:
        return None
    file, version = plan.file, plan.versions[OLD]
    seats = plan.seats
    asked = Asked(
        difference=plan.question.difference,
        error_rate=plan.question.error_rate,
        budget_games=budget_games,
        game=file.game,
        ruleset=file.ruleset,
        options=tuple(f"{name}={value}" for name, value in file.options.items()),
        # with the same seed, the deals would be the same
        seed=None if file.seed is None else f"{file.seed} compared",
    )
    return plan_comparison([version] * seats, asked, [(), given[NEW], *[()] * (seats - 2)])


MOST_ROUNDS = 1_000_000
"""Of a race: the budget ends it."""


class ComparisonRun:
    """One run of a comparison, from its current state to its answer, the end of its budget, or a stop."""

    def __init__(
        self,
        store: Store,
        league: LeagueRecord,
        plan: ComparisonPlan,
        *,
        workers: int | None = None,
        executor: Executor | str | None = None,
        sandbox: Wanted | None = None,
        notes: Notes | None = None,
    ) -> None:
        """Read the results so far. `executor` replaces worker processes. `notes` are those of a runner of leagues."""
        self.plan = plan
        self.league = league
        self.interrupted = False
        """Whether the run was stopped from outside, before it had an answer or spent its budget."""
        self._store = store
        self.rule = rule_of(plan, store, league)
        definition = StoredDefinition(store, league).first
        # The budget belongs to this run, not to the league, so that a larger one continues the comparison.
        rounds = MOST_ROUNDS if plan.in_rounds else plan.matches
        if plan.suite is not None:
            rounds = min(rounds, len(plan.suite.seeds))
        settings = replace(definition.schedule_settings, rounds=rounds)
        self.league_run = LeagueRun(
            store,
            league,
            workers=workers,
            executor=executor,
            definition=replace(definition, schedule_settings=settings),
            rule=self.rule,
            sandbox=sandbox,
            most_batch_matches=self.rule.batch_matches if isinstance(self.rule, Racing) else BATCH_MATCHES,
            notes=notes,
        )

    @property
    def test(self) -> SequentialTest:
        """The test of a comparison, with the results of all matches judged so far; in a race, that of the leader."""
        rule = self.rule
        if isinstance(rule, Tuning):
            raise TypeError("a tune tests nothing")
        return rule.test if isinstance(rule, Answered) else rule.race.tests[rule.race.leader]

    @property
    def race(self) -> Race:
        """The race, if it is one."""
        if not isinstance(self.rule, Racing):
            raise TypeError("this is no race")
        return self.rule.race

    @property
    def tuning(self) -> Tuning:
        """The rule of a tune, if it is one."""
        if not isinstance(self.rule, Tuning):
            raise TypeError("this is no tune")
        return self.rule

    @property
    def answer(self) -> Answer | RaceAnswer | None:
        """The answer, or None as long as there is none."""
        return self.rule.answer

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """The signs that the answer isn't what it seems. That it rests on few matches is none before there is one."""
        if self.plan.parameters:
            return ()
        found = [one for one in self.test.doubts() if one is not Doubt.EARLY or self.answer is not None]
        if self.answer is Answer.NO_DIFFERENCE and not self.test.is_settled:
            found.append(Doubt.EARLY)
        return tuple(found)

    @property
    def progress(self) -> RunProgress:
        """How many games were played, and how fast; some may not be in the test yet."""
        progress = self.league_run.progress
        return replace(progress, total_games=self.plan.budget_games) if self.plan.in_rounds else progress

    @property
    def games(self) -> int:
        """The number of games in the test."""
        return (self.rule.judged if self.plan.in_rounds else self.test.matches) * self.plan.games_a_match

    def forfeits(self, entry_no: int) -> int:
        """Return how many of the judged games an entry forfeited, or one of its fixed team."""
        teams = self.plan.definition.partners.teams
        entries = next((team for team in teams if entry_no in team), (entry_no,))
        faults = self._store.games.faults(self.league.uuid, entries=entries)
        return sum(fault.match_no < self.rule.judged for fault in faults)

    def run(self, shown: Callable[["ComparisonRun"], None]) -> Answer | RaceAnswer | None:
        """Play until there is an answer, no budget, or `stop`; `shown` is called after chunks. Raises StoreBusy."""
        if not self.rule.why:
            complete = self.league_run.run(lambda _: shown(self))
            self.interrupted = not complete and self.league_run.paused is None
            if complete and isinstance(self.rule, Racing):
                self.rule.close()
        self._record()
        return self.answer

    def _record(self) -> None:
        """Store what was found, for those who look at the league later; nothing if they would see the same.

        A tune proves nothing: its outcome is that of the comparison after it.
        """
        if self.plan.parameters:
            return
        names, test = [str(bot.label) for bot in self.plan.file.bots], self.test
        low, high = test.interval()
        new = (self.race.best or self.race.leader) if self.plan.is_race else NEW
        outcome = Outcome(
            old=names[OLD],
            new=names[new],
            answer=self.answer,
            difference=self.plan.question.difference,
            error_rate=self.plan.question.error_rate,
            estimate=None if test.estimate is None else round(test.estimate, DECIMALS),
            low=round(low, DECIMALS),
            high=round(high, DECIMALS),
            matches=test.matches,
        )
        events = self._store.leagues.events(self.league.uuid)
        if test.matches and outcome_of(events) != outcome:
            data = msgspec.to_builtins(outcome)
            self._store.leagues.add_event(self.league.uuid, self.rule.judged, JUDGED, data)
