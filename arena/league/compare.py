"""Comparisons of two versions: each is an unrated league that ends when a sequential test has its answer.

Both versions sit at one table, with others if you name some. Every match plays its deal in all rotations, so each
version holds every seat once. The test counts matches: the result of one is the difference of the two mean shares.
It takes results in match order, without gaps, so the answer depends neither on the number of workers nor on
interruptions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec
from msgspec import structs

from arena import registry
from arena.config.league_file import BotTable, LeagueFile
from arena.core.errors import UsageError
from arena.core.ruleset import players, ruleset
from arena.executors.base import Executor
from arena.league.definition.bot_arguments import check_plays, common_game, distinct_labels, games_of
from arena.league.definition.resolve import Definition, parse_options, resolve
from arena.league.definition.seeds import secret_of_seed
from arena.league.definition.stored import definition_of, file_of, finished
from arena.league.end_rules import EndRule
from arena.league.running.notes import RunProgress
from arena.league.running.run import LeagueRun
from arena.schedules.base import Finished
from results.analysis.sequential_test import LEAST_MATCHES, Answer, Question, SequentialTest
from results.base.isolation_levels import Wanted
from results.base.scoring import UNIT
from results.base.text import counted
from results.records import EntrySpec, LeagueRecord, RulesetRecord, VersionRecord
from results.store import Store

OLD, NEW = 0, 1
"""Entry numbers of the two versions to compare; the others at the table follow."""


class Answered(EndRule):
    """Ends a run once a question about OLD and NEW has its answer, or after a number of matches without one."""

    ends_run = True

    def __init__(self, question: Question, most_matches: int | None = None) -> None:
        """Begin; judge `most_matches` at most, including void ones."""
        self.test = SequentialTest(question)
        self.answer: Answer | None = None
        self.judged = 0
        """Number of matches judged, including void ones: those with lower numbers than this."""
        self._most_matches = most_matches

    def take(self, match: Finished) -> None:
        """Judge the next match."""
        self.judged += 1
        if match.shares is not None:
            self.test.add(difference(match.entries, match.shares, match.games))
            self.answer = self.test.answer()
        if self.answer is not None:
            self.why = f"the answer is {self.answer}"
        elif self.judged == self._most_matches:
            self.why = "the budget is spent"


def difference(entries: Sequence[int], shares: Sequence[int], games: int) -> float:
    """Return NEW's mean share of a match's games minus OLD's, −1 to 1; `shares` are sums in 1 / `scoring.UNIT`."""
    by_entry = dict(zip(entries, shares, strict=True))
    return (by_entry[NEW] - by_entry[OLD]) / (UNIT * games)


COMPARISON = "comparison"
"""Kind of the league event that marks a league as a comparison; its data is the question."""
NAME = "compare"
BATCH_MATCHES = 16
"""Largest batch of matches: what is still being played when the answer comes is wasted."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """A checked plan: which versions to compare, and how."""

    definition: Definition
    """The league's definition; it gets its name when the comparison begins."""
    versions: tuple[VersionRecord, ...]
    """OLD, NEW, and the others at the table."""
    question: Question
    matches: int
    """Play no more than this many."""

    @property
    def file(self) -> LeagueFile:
        """The league file."""
        return self.definition.file

    @property
    def games_a_match(self) -> int:
        """How many games a match has."""
        return self.definition.games_of(len(self.versions))


def plan_comparison(
    versions: Sequence[VersionRecord],
    question: Question,
    *,
    budget_games: int,
    game_name: str | None = None,
    ruleset_name: str | None = None,
    options: Sequence[str] = (),
    seed: str | None = None,
) -> ComparisonPlan:
    """Return the plan for a comparison of versions (OLD, NEW, others) in one ruleset. Raises UsageError."""
    old, new = versions[OLD], versions[NEW]
    if old.sha256 == new.sha256:
        raise UsageError(
            f"both are the same version, {old.reference}",
            "change the new one first, or name another version; `arena bots` lists them",
        )
    game = registry.game(game_name or common_game(map(games_of, versions)))
    name = game.info.name
    for version in versions:
        check_plays(version.reference, games_of(version), name)
    given = parse_options(game, options)
    rules = ruleset(game.info, ruleset_name, given)
    allowed = game.seats(rules)
    if len(versions) not in allowed:
        raise UsageError(
            f"{name} ({rules.name}) is for {players(allowed)}, not {len(versions)}",
            "name more bots to fill the table: arena compare OLD NEW OTHER..."
            if allowed and len(versions) < allowed[0]
            else "name fewer bots",
        )
    file = LeagueFile(
        name=NAME,
        game=name,
        bots=tuple(
            BotTable(version=version.reference, label=label)
            for version, label in zip(versions, distinct_labels(versions), strict=True)
        ),
        ruleset=ruleset_name,
        options=given,
        seats=len(versions),
        schedule={"kind": "round-robin", "rounds": 1},
        same_author=True,
        seed=seed,
    )
    definition = resolve(file, len(versions))
    matches = budget_games // definition.games_of(len(versions))
    if matches < LEAST_MATCHES:
        raise UsageError(
            f"a budget of {counted(budget_games, 'game')} is {counted(matches, 'match', 'matches')}; "
            f"at least {LEAST_MATCHES} are needed for an answer",
            f"a match has {counted(definition.games_of(len(versions)), 'game')} here: pass --budget "
            f"{LEAST_MATCHES * definition.games_of(len(versions))} or more",
        )
    return ComparisonPlan(definition, tuple(versions), question, matches)


def begin(store: Store, plan: ComparisonPlan) -> LeagueRecord:
    """Return the league of a comparison, an existing one to continue or a new one.

    A comparison continues if it asks the same question about the same versions and has no answer yet. One with a
    seed is also reused when it has its answer, because the same games would only be played again.
    """
    found = _same(store, plan)
    if found is not None and (plan.file.seed is not None or _answer_of(store, found, plan.question) is None):
        return found
    file = structs.replace(plan.file, name=_free_name(store), rotations=plan.definition.rotations)
    rules = plan.definition.ruleset
    league = store.leagues.create(
        name=file.name,
        config=msgspec.to_builtins(file),
        ruleset=RulesetRecord(rules.game, rules.version, rules.name, rules.key),
        entries=[
            EntrySpec(str(bot.label), version.id)
            for bot, version in zip(file.bots, plan.versions, strict=True)
        ],
        secret=None if file.seed is None else secret_of_seed(file.seed),
        rated=False,
        traits=plan.definition.schedule.traits,
    )
    store.leagues.add_event(league.uuid, 0, COMPARISON, _data(plan.question))
    return league


def _data(question: Question) -> dict[str, float]:
    return {"difference": question.difference, "error_rate": question.error_rate}


def _free_name(store: Store) -> str:
    taken = {league.name for league in store.leagues.all()}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{NAME}-{number}") not in taken)


def _same(store: Store, plan: ComparisonPlan) -> LeagueRecord | None:
    """Return the newest comparison of these versions with the same question, whatever its name and budget."""
    ids = [version.id for version in plan.versions]
    wanted = structs.replace(plan.file, rotations=plan.definition.rotations)
    for league in reversed(store.leagues.all()):
        if league.rated or league.ruleset is None or league.revealed:
            continue
        asked = [event.data for event in store.leagues.events(league.uuid) if event.kind == COMPARISON]
        if asked != [_data(plan.question)]:
            continue
        entries = [entry.version.id if entry.version else None for entry in store.entries.all(league.uuid)]
        if entries == ids and structs.replace(file_of(league), name=wanted.name) == wanted:
            return league
    return None


def _answer_of(store: Store, league: LeagueRecord, question: Question) -> Answer | None:
    rule = Answered(question)
    for match in finished(store, league.uuid, 0, store.leagues.progress(league.uuid).matches_counted):
        rule.take(match)
        if rule.why:
            break
    return rule.answer


class ComparisonRun:
    """One run of a comparison, from its current state to its answer, the end of its budget, or a stop."""

    def __init__(
        self,
        store: Store,
        league: LeagueRecord,
        plan: ComparisonPlan,
        *,
        workers: int | None = None,
        executor: Executor | None = None,
        sandbox: Wanted | None = None,
        take_up: Callable[[], None] = lambda: None,
    ) -> None:
        """Read the results so far. `executor` replaces worker processes, `take_up` is as in `LeagueRun`."""
        self.plan = plan
        self.league = league
        self.interrupted = False
        """Whether the run was stopped from outside, before it had an answer or spent its budget."""
        self._store = store
        self._rule = Answered(plan.question, plan.matches)
        definition = definition_of(store, league)
        # The budget belongs to this run, not to the league, so that a larger one continues the comparison.
        settings = structs.replace(definition.schedule_settings, rounds=plan.matches)
        self.league_run = LeagueRun(
            store,
            league,
            workers=workers,
            executor=executor,
            definition=replace(definition, schedule_settings=settings),
            rule=self._rule,
            sandbox=sandbox,
            most_batch_matches=BATCH_MATCHES,
            take_up=take_up,
        )

    @property
    def test(self) -> SequentialTest:
        """The test, with the results of all matches judged so far."""
        return self._rule.test

    @property
    def answer(self) -> Answer | None:
        """The answer, or None as long as there is none."""
        return self._rule.answer

    @property
    def progress(self) -> RunProgress:
        """How many games were played, and how fast; some may not be in the test yet."""
        return self.league_run.progress

    @property
    def games(self) -> int:
        """The number of games in the test."""
        return self.test.matches * self.plan.games_a_match

    def forfeits(self, entry_no: int) -> int:
        """Return how many of the judged games an entry (OLD, NEW) forfeited."""
        faults = self._store.games.faults(self.league.uuid, entries=[entry_no])
        return sum(fault.match_no < self._rule.judged for fault in faults)

    def run(self, shown: Callable[["ComparisonRun"], None]) -> Answer | None:
        """Play until there is an answer, no budget, or `stop`; `shown` is called after chunks. Raises StoreBusy."""
        if not self._rule.why:
            complete = self.league_run.run(lambda _: shown(self))
            self.interrupted = not complete and self.league_run.paused is None
        return self.answer
