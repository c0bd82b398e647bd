"""Comparisons: unrated leagues that end when a sequential test has its answer, of two versions or of many.

In a **comparison**, OLD and NEW sit at one table, with others if you name some. In a **race**, several variants play
against a base, all on common deals: at tables of two one by one, at larger ones together with it. Variants that the
results rule out leave at the end of a round.

Every match plays its deal in all rotations, so each version holds every seat once. The test counts deals: a result is
the difference of two mean shares. It takes results in match order, without gaps, so the answer depends neither on the
number of workers nor on interruptions.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from math import fsum

import msgspec
from msgspec import Struct, structs
from msgspec.structs import replace

from arena import registry
from arena.config.league_file import BotTable, LeagueFile
from arena.core.errors import UsageError
from arena.core.ruleset import players, ruleset
from arena.executors.base import Executor
from arena.league.definition.bot_arguments import check_plays, common_game, distinct_labels, games_of
from arena.league.definition.resolve import Definition, parse_options, resolve
from arena.league.definition.seeds import secret_of_seed
from arena.league.definition.stored import StoredDefinition, file_of, finished
from arena.league.end_rules import EndRule
from arena.league.running.notes import RunProgress
from arena.league.running.run import LeagueRun
from arena.schedules.base import Finished, Pairing
from results.analysis.race import Race
from results.analysis.sequential_test import LEAST_MATCHES, Answer, Question, SequentialTest
from results.base.isolation_levels import Wanted
from results.base.scoring import UNIT
from results.base.text import counted
from results.records import EntrySpec, LeagueRecord, RulesetRecord, VersionRecord
from results.records.roster import COMPARISON, JUDGED, Outcome, outcome_of
from results.store import Store

OLD, NEW = 0, 1
"""Entry numbers of the two versions to compare; the others at the table follow. In a race, BASE is OLD."""


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


def difference(entries: Sequence[int], shares: Sequence[int], games: int, new: int = NEW) -> float:
    """Return NEW's mean share of a match's games minus OLD's, −1 to 1; `shares` are sums in 1 / `scoring.UNIT`."""
    by_entry = dict(zip(entries, shares, strict=True))
    return (by_entry[new] - by_entry[OLD]) / (UNIT * games)


class RaceAnswer(StrEnum):
    """The possible answers of a race."""

    BEST = "best"
    NONE_BETTER = "none better"


AHEAD_ROUNDS = 3
"""Rounds of all variants that are planned ahead of the results by which variants leave."""


class Racing(EndRule):
    """Lets variants leave that the results rule out, and ends a run once the race is over."""

    ends_run = True

    def __init__(
        self, question: Question, variants: int, seats: int, budget_games: int | None = None
    ) -> None:
        """Begin; plan rounds as long as they are within the budget."""
        self.race = Race(variants, question)
        self.answer: RaceAnswer | None = None
        self.judged = 0
        """Number of matches judged, including void ones: those with lower numbers than this."""
        self._seats = seats
        self._ahead = AHEAD_ROUNDS * max(1, variants // (seats - 1))
        self._budget_games = budget_games
        self._round_no = 0
        self._on_deal: dict[int, list[float]] = {}
        """By variant: its results on the deal of the latest round."""
        self._left: list[tuple[int, int]] = []
        """Variants that are out, each after how many matches."""

    def sees(self, planned: int) -> int:
        """Return how many results decide who has left before match `planned`."""
        return max(0, planned - self._ahead)

    def take(self, match: Finished) -> None:
        """Judge the next match; a round counts once it is over."""
        if match.round_no != self._round_no:
            self._end_round()
            self._round_no = match.round_no
        self.judged += 1
        for entry in match.entries:
            if entry != OLD and match.shares is not None:
                result = difference(match.entries, match.shares, match.games, entry)
                self._on_deal.setdefault(entry, []).append(result)

    def leaving(self, planned: int) -> list[int]:
        """Return the variants that are out by then; as many stay as fill a table."""
        most = len(self.race.tests) - (self._seats - 1)
        return [entry for after, entry in self._left if after <= self.sees(planned)][:most]

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the next round, as who plays in the one after it isn't known yet; none beyond the budget."""
        del matches
        first = [one for one in pairings if one.round_no == pairings[0].round_no]
        more = sum(games_of(len(one.entries)) for one in first)
        return first if self._budget_games is None or games + more <= self._budget_games else ()

    def _end_round(self) -> None:
        known = len(self.race.dropped)
        self.race.add({entry: fsum(results) / len(results) for entry, results in self._on_deal.items()})
        self._on_deal.clear()
        # It is the next match that shows that the round is over.
        self._left += [(self.judged + 1, entry) for entry in [*self.race.dropped][known:]]
        if self.race.is_over:
            self.answer = RaceAnswer.BEST if self.race.best else RaceAnswer.NONE_BETTER
            self.why = f"the answer is {self.answer}"


NAME, RACE_NAME = "compare", "race"
MOST_VARIANTS = 32
"""Of a race: each of them makes the proof of a winner longer."""
DECIMALS = 6
"""Of a stored outcome."""
BATCH_MATCHES = 16
"""Largest batch of matches: what is still being played when the answer comes is wasted."""


class ComparisonPlan(Struct, frozen=True):
    """A checked plan: which versions to compare, and how."""

    definition: Definition
    """The league's definition; it gets its name when the comparison begins."""
    versions: tuple[VersionRecord, ...]
    """OLD, NEW, and the others at the table; or the base and the variants of a race."""
    question: Question
    budget_games: int
    """Play no more than this many."""
    is_race: bool = False

    @property
    def file(self) -> LeagueFile:
        """The league file."""
        return self.definition.file

    @property
    def games_a_match(self) -> int:
        """How many games a match has."""
        return self.definition.games_of(self.definition.field.seats[0])

    @property
    def matches(self) -> int:
        """How many matches the budget allows."""
        return self.budget_games // self.games_a_match

    @property
    def variants(self) -> int:
        """How many variants a race has."""
        return len(self.versions) - 1

    def rule(self) -> Answered | Racing:
        """Return the rule that ends the league, without results."""
        if self.is_race:
            return Racing(self.question, self.variants, self.definition.field.seats[0], self.budget_games)
        return Answered(self.question, self.matches)


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
    file = LeagueFile(
        name=NAME,
        game=game_name or common_game(map(games_of, versions)),
        bots=tuple(
            BotTable(version=version.reference, label=label)
            for version, label in zip(versions, distinct_labels(versions), strict=True)
        ),
        ruleset=ruleset_name,
        seats=len(versions),
        schedule={"kind": "round-robin", "rounds": 1},
        same_author=True,
        seed=seed,
    )
    return _planned(versions, file, question, budget_games, options)


def plan_race(
    versions: Sequence[VersionRecord],
    args: Sequence[tuple[str, ...]],
    question: Question,
    *,
    budget_games: int,
    seats: int = 2,
    game_name: str | None = None,
    ruleset_name: str | None = None,
    options: Sequence[str] = (),
    seed: str | None = None,
) -> ComparisonPlan:
    """Return the plan for a race of variants against a base, which comes first, each with its arguments.

    Raises UsageError.
    """
    if not 2 <= len(versions) <= 1 + MOST_VARIANTS:
        raise UsageError(
            f"a race has 1 to {MOST_VARIANTS} variants besides the base, not {len(versions) - 1}",
            "name fewer of them; the best of each race can meet in another one",
        )
    names = [
        label if not given else " ".join((version.bot, *given))
        for label, version, given in zip(distinct_labels(versions), versions, args, strict=True)
    ]
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    for version, given, name in zip(versions, args, names, strict=True):
        other = first.setdefault((version.sha256, given), name)
        if other is not name:
            raise UsageError(
                f"{other} and {name} have the same files and arguments ({version.reference})",
                "name each variant once",
            )
    if seats > len(versions):
        raise UsageError(
            f"a table of {seats} takes the base and {seats - 1} variants, and there are {len(versions) - 1}",
            "name more variants, or pass a smaller --seats",
        )
    file = LeagueFile(
        name=RACE_NAME,
        game=game_name or common_game(map(games_of, versions)),
        bots=tuple(
            BotTable(version=version.reference, label=name, args=given)
            for version, given, name in zip(versions, args, names, strict=True)
        ),
        ruleset=ruleset_name,
        seats=seats,
        schedule={"kind": "gauntlet", "challengers": 1, "tables": max(1, (len(versions) - 1) // (seats - 1))},
        same_author=True,
        deals="common",
        seed=seed,
    )
    return _planned(versions, file, question, budget_games, options, is_race=True)


def _planned(
    versions: Sequence[VersionRecord],
    file: LeagueFile,
    question: Question,
    budget_games: int,
    options: Sequence[str],
    *,
    is_race: bool = False,
) -> ComparisonPlan:
    """Return a plan for a file without options, checked against the game and the budget. Raises UsageError."""
    game = registry.game(file.game)
    for version in versions:
        check_plays(version.reference, games_of(version), game.info.name)
    given = parse_options(game, options)
    rules = ruleset(game.info, file.ruleset, given)
    allowed, seats = game.seats(rules), file.seats
    if seats not in allowed:
        if is_race:
            remedy = "pass another --seats"
        elif allowed and len(versions) < allowed[0]:
            remedy = "name more bots to fill the table: arena compare OLD NEW OTHER..."
        else:
            remedy = "name fewer bots"
        raise UsageError(f"{game.info.name} ({rules.name}) is for {players(allowed)}, not {seats}", remedy)
    file = structs.replace(file, game=game.info.name, options=given)
    plan = ComparisonPlan(resolve(file, len(versions)), tuple(versions), question, budget_games, is_race)
    a_round = plan.definition.matches_by_size[plan.definition.field.seats[0]] or 1
    least = LEAST_MATCHES * plan.games_a_match * a_round
    if budget_games < least:
        what = counted(plan.matches // a_round, "deal" if is_race else "match", "" if is_race else "matches")
        raise UsageError(
            f"a budget of {counted(budget_games, 'game')} is {what}; "
            f"at least {LEAST_MATCHES} are needed for an answer",
            f"a {'deal' if is_race else 'match'} has {counted(plan.games_a_match * a_round, 'game')} here: pass "
            f"--budget {least} or more",
        )
    return plan


def begin(store: Store, plan: ComparisonPlan) -> LeagueRecord:
    """Return the league of a comparison, an existing one to continue or a new one.

    A comparison continues if it asks the same question about the same versions and has no answer yet. One with a
    seed is also reused when it has its answer, because the same games would only be played again.
    """
    found = _same(store, plan)
    if found is not None and (plan.file.seed is not None or _answer_of(store, found, plan) is None):
        return found
    file = structs.replace(
        plan.file, name=_free_name(store, plan.file.name), rotations=plan.definition.rotations
    )
    rules = plan.definition.ruleset
    league = store.leagues.create(
        name=file.name,
        config=msgspec.to_builtins(file),
        ruleset=RulesetRecord(rules.game, rules.version, rules.name, rules.key),
        entries=[
            EntrySpec(str(bot.label), version.id, bot.args)
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


def _free_name(store: Store, kind: str) -> str:
    taken = {league.name for league in store.leagues.all()}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)


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


def _answer_of(store: Store, league: LeagueRecord, plan: ComparisonPlan) -> Answer | RaceAnswer | None:
    rule = plan.rule()
    for match in finished(store, league.uuid, 0, store.leagues.progress(league.uuid).matches_counted):
        rule.take(match)
        if rule.why:
            break
    return rule.answer


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
        self.rule = plan.rule()
        definition = StoredDefinition(store, league).first
        # The budget belongs to this run, not to the league, so that a larger one continues the comparison.
        rounds = MOST_ROUNDS if plan.is_race else plan.matches
        settings = structs.replace(definition.schedule_settings, rounds=rounds)
        self.league_run = LeagueRun(
            store,
            league,
            workers=workers,
            executor=executor,
            definition=replace(definition, schedule_settings=settings),
            rule=self.rule,
            sandbox=sandbox,
            most_batch_matches=BATCH_MATCHES,
            take_up=take_up,
        )

    @property
    def test(self) -> SequentialTest:
        """The test of a comparison, with the results of all matches judged so far; in a race, that of the leader."""
        rule = self.rule
        return rule.test if isinstance(rule, Answered) else rule.race.tests[rule.race.leader]

    @property
    def race(self) -> Race:
        """The race, if it is one."""
        if isinstance(self.rule, Answered):
            raise TypeError("a comparison of two is no race")
        return self.rule.race

    @property
    def answer(self) -> Answer | RaceAnswer | None:
        """The answer, or None as long as there is none."""
        return self.rule.answer

    @property
    def progress(self) -> RunProgress:
        """How many games were played, and how fast; some may not be in the test yet."""
        progress = self.league_run.progress
        return replace(progress, total_games=self.plan.budget_games) if self.plan.is_race else progress

    @property
    def games(self) -> int:
        """The number of games in the test."""
        return (self.rule.judged if self.plan.is_race else self.test.matches) * self.plan.games_a_match

    def forfeits(self, entry_no: int) -> int:
        """Return how many of the judged games an entry forfeited."""
        faults = self._store.games.faults(self.league.uuid, entries=[entry_no])
        return sum(fault.match_no < self.rule.judged for fault in faults)

    def run(self, shown: Callable[["ComparisonRun"], None]) -> Answer | RaceAnswer | None:
        """Play until there is an answer, no budget, or `stop`; `shown` is called after chunks. Raises StoreBusy."""
        if not self.rule.why:
            complete = self.league_run.run(lambda _: shown(self))
            self.interrupted = not complete and self.league_run.paused is None
        self._record()
        return self.answer

    def _record(self) -> None:
        """Store what was found, for those who look at the league later; nothing if they would see the same."""
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
        if outcome_of(events) != outcome:
            data = msgspec.to_builtins(outcome)
            self._store.leagues.add_event(self.league.uuid, self.rule.judged, JUDGED, data)
