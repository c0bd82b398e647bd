"""Planning: a schedule sees exactly the results that it asks for, whatever was interrupted; a rule may end it early."""

import os
import signal
import time
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from arena.cli.base.runner_store import Interrupts
from arena.config.league_file import BotTable, LeagueFile
from arena.executors.base import Stop
from arena.league.definition.checked_definition import Definition, resolve
from arena.league.definition.stored import StoredDefinition, finished
from arena.league.end_rules import LAG, EndRule, Judge
from arena.league.running.match_planner import Planner
from arena.league.running.schedule_input import RunningSummary
from arena.registry import PluginFailed
from arena.schedules.base import Field, Finished, Pairing, Summary
from results.records import GameRecord, LeagueRecord, MatchRecord
from results.store import Store
from tests.league.adaptive import Adaptive, AdaptiveSettings, Results
from tests.support.ledgers import SECRET, all_games, new_league, new_store

ENTRIES = 5
MATCHES = 30


def definition_of(schedule: Adaptive, seats: int = 3, matches: int = MATCHES) -> Definition:
    file = LeagueFile("made up", "bread-basket", (BotTable(path="x"),), seats=seats)
    made = resolve(file, ENTRIES)
    field = replace(made.field, authors={0: "ann", 1: "ann", 2: "bob"})
    return replace(made, field=field, schedule=schedule, schedule_settings=AdaptiveSettings(matches))


class Runner:
    """Plays a league without bots: games are made up from their keys and appended in any order."""

    def __init__(self, folder: Path, schedule: Adaptive | None = None, rule: EndRule | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.store: Store = new_store(folder)
        self.league: LeagueRecord = new_league(self.store, ENTRIES)
        self.definition = definition_of(schedule or Adaptive())
        self.begin(rule)

    def begin(self, rule: EndRule | None = None) -> None:
        """Start a run, as after a kill."""
        self.judge = Judge(self.store, self.league.uuid, [rule] if rule else [])
        stored = StoredDefinition(self.store, self.league, self.definition)
        self.planner = Planner(self.store, self.league, stored, SECRET, self.judge)

    def open_games(self) -> list[GameRecord]:
        done = self.store.games.keys(self.league.uuid)
        games = all_games(self.store.matches.open(self.league.uuid))
        return [game for game in games if (game.match_no, game.rotation) not in done]

    def run(self, rng: Random, killed: float = 0.0) -> None:
        """Play to the end, appending a random few of the open games at a time; now and then begin anew."""
        while True:
            while self.planner.next_matches():
                pass
            games = self.open_games()
            if not games:
                break
            self.store.append(rng.sample(games, rng.randint(1, min(len(games), 6))))
            if rng.random() < killed:
                self.begin()
        assert self.planner.is_complete()

    def matches(self) -> list[MatchRecord]:
        return [replace_league(match) for match in self.store.matches.all(self.league.uuid)]


def replace_league(match: MatchRecord) -> MatchRecord:
    """Leagues have names of their own in every store."""
    return MatchRecord("", *[getattr(match, name) for name in match.__struct_fields__[1:]])


@pytest.mark.parametrize("seeds", [(1,), pytest.param((2, 3), marks=pytest.mark.slow)])
def test_the_order_of_results_and_interruptions_change_nothing(
    tmp_path: Path, seeds: tuple[int, ...]
) -> None:
    first = Runner(tmp_path / "first")
    first.run(Random(0))
    assert len(first.matches()) == MATCHES
    of_one_author = [{0, 1} <= set(match.entries) for match in first.matches()]
    assert any(of_one_author)
    assert [not match.rated for match in first.matches()] == of_one_author, "the schedule knows no authors"
    for seed in seeds:
        other = Runner(tmp_path / str(seed))
        other.run(Random(seed), killed=0.3)
        assert other.matches() == first.matches()
        assert other.store.ratings.digest(other.league.uuid) == first.store.ratings.digest(first.league.uuid)


class Watching(Adaptive):
    """Keeps the summaries that it was given."""

    def __init__(self) -> None:
        self.given: list[Summary] = []

    def next_matches(
        self, field: Field, settings: AdaptiveSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        self.given.append(
            replace(
                summary,
                matches=dict(summary.matches),
                pairs=dict(summary.pairs),
                unseen=dict(summary.unseen),
                ratings=dict(summary.ratings),
                tally=list(summary.tally),
            )
        )
        return super().next_matches(field, settings, summary)


@pytest.mark.slow
def test_a_summary_holds_what_was_planned_and_the_results_asked_for(tmp_path: Path) -> None:
    watching = Watching()
    runner = Runner(tmp_path, watching)
    runner.run(Random(5), killed=0.2)
    matches = runner.store.matches.all(runner.league.uuid)
    results = list(finished(runner.store, runner.league.uuid, 0, MATCHES))
    for given in watching.given:
        if given.planned == MATCHES:
            continue
        assert given.seen == watching.sees(runner.definition.field, AdaptiveSettings(), given.planned)
        before = matches[: given.planned]
        for entry in range(ENTRIES):
            assert given.matches.get(entry, 0) == sum(entry in match.entries for match in before)
            unseen = sum(entry in match.entries for match in before[given.seen :])
            assert given.unseen.get(entry, 0) == unseen
        for pair in combinations(range(ENTRIES), 2):
            assert given.pairs.get(pair, 0) == sum(set(pair) <= set(match.entries) for match in before)
        assert given.tally == results[: given.seen]
        assert given.ratings == runner.store.ratings.after(runner.league.uuid, given.seen - 1)


def test_void_matches_are_seen_and_counted(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    while runner.planner.next_matches():
        pass
    matches = runner.store.matches.open(runner.league.uuid)
    runner.store.append(
        all_games(matches[:1] + matches[2:-1]),
        [],
        [(runner.league.uuid, n) for n in (1, matches[-1].match_no)],
    )
    results = list(finished(runner.store, runner.league.uuid, 0, len(matches)))
    assert [result.shares is None for result in results] == [
        n in (1, len(matches) - 1) for n in range(len(matches))
    ]
    assert [result.entries for result in results] == [match.entries for match in matches]
    begun_anew = RunningSummary(
        runner.store, runner.league, tally=None, games_of=runner.definition.games_of
    ).seeing(len(matches))
    for entry in range(ENTRIES):
        assert begun_anew.matches[entry] == sum(entry in match.entries for match in matches)
        for size in {len(match.entries) for match in matches}:
            assert begun_anew.seated[entry, size] == sum(
                entry in match.entries for match in matches if len(match.entries) == size
            )
    for pair in combinations(range(ENTRIES), 2):
        assert begun_anew.pairs.get(pair, 0) == sum(set(pair) <= set(match.entries) for match in matches)


def test_nothing_is_planned_before_the_results_are_in(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    while runner.planner.next_matches():
        pass
    planned = runner.planner.planned
    needed = Adaptive().sees(runner.definition.field, AdaptiveSettings(), planned)
    assert 0 < needed < planned < MATCHES
    games = runner.open_games()
    last_needed = next(game for game in games if game.match_no == needed - 1)
    runner.store.append([game for game in games if game is not last_needed])
    assert runner.planner.next_matches() == []
    assert not runner.planner.is_complete()
    runner.store.append([last_needed])
    assert runner.planner.next_matches()


class Talking(Adaptive):
    """Says something of the first entry of each table."""

    def next_matches(
        self, field: Field, settings: AdaptiveSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        pairings = super().next_matches(field, settings, summary)
        return pairings and tuple(
            replace(pairing, why=f"#{pairing.entries[0]} beats #17") for pairing in pairings
        )


def test_labels_stand_for_the_numbers_of_entries(tmp_path: Path) -> None:
    runner = Runner(tmp_path, Talking())
    runner.planner.next_matches()
    told = [match.why for match in runner.matches()]
    assert all(why in {f"{label} beats #17" for label in "abcde"} for why in told)


class Greedy(Adaptive):
    """Wants to see matches that are not played."""

    def sees(self, field: Field, settings: AdaptiveSettings, planned: int) -> int:  # noqa: ARG002
        return planned + 1


def test_a_schedule_that_would_wait_for_ever_is_a_fault_that_is_told(tmp_path: Path) -> None:
    with pytest.raises(PluginFailed, match="`sees` returned 1 for 0 planned matches: it must be 0 to 0"):
        Runner(tmp_path, Greedy()).planner.next_matches()


class Enough(EndRule):
    """Ends a league at the first multiple of `step` matches that is `needed` at least."""

    def __init__(self, step: int, needed: int) -> None:
        self.step, self.needed = step, needed
        self.taken: list[Finished] = []

    def sees(self, planned: int) -> int:
        return max(0, planned - LAG) // self.step * self.step

    def take(self, match: Finished) -> None:
        assert match.match_no == len(self.taken)
        self.taken.append(match)
        if len(self.taken) % self.step == 0 and len(self.taken) >= self.needed:
            self.why = f"{len(self.taken)} are enough"


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_a_rule_ends_a_league_at_a_fixed_match(tmp_path: Path, killed: bool) -> None:
    runner = Runner(tmp_path, rule=Enough(step=7, needed=20))
    runner.definition = definition_of(Adaptive(), matches=1000)
    runner.begin(Enough(step=7, needed=20))
    rng = Random(3)
    while True:
        while runner.planner.next_matches():
            pass
        if not (games := runner.open_games()):
            break
        runner.store.append(rng.sample(games, min(len(games), 9)))
        if killed:
            runner.begin(Enough(step=7, needed=20))
    assert runner.planner.is_complete()
    ended_by = runner.judge.ended_by
    assert ended_by is not None
    assert ended_by.why == "21 are enough"
    block = 3
    assert runner.planner.planned == -(-(21 + LAG) // block) * block, (
        "the first block that the decision binds is not"
    )


class FirstTwo(EndRule):
    """Ends a run with its second match."""

    ends_run = True

    def __init__(self) -> None:
        self.taken: list[int] = []

    def take(self, match: Finished) -> None:
        self.taken.append(match.match_no)
        self.why = "two are in" if len(self.taken) == 2 else ""


def test_a_rule_that_ends_a_run_takes_in_the_complete_prefix_and_nothing_waits_for_it(tmp_path: Path) -> None:
    rule = FirstTwo()
    runner = Runner(tmp_path, rule=rule)
    assert runner.planner.next_matches()
    games = runner.open_games()
    runner.store.append([game for game in games if game.match_no > 0])
    runner.judge.look()
    assert rule.taken == [], "the first match is not over"
    runner.store.append([game for game in games if game.match_no == 0])
    assert rule.taken == []
    runner.judge.look()
    assert rule.taken == [0, 1], "once it is over it takes in no more"
    assert runner.judge.ended_by is rule
    assert runner.planner.is_complete()


class Pondering(Adaptive):
    """Makes its matches for ever, until somebody presses Ctrl-C."""

    def next_matches(self, field: Field, settings: AdaptiveSettings, summary: Summary) -> tuple[Pairing, ...]:  # noqa: ARG002
        os.kill(os.getpid(), signal.SIGINT)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            pass
        raise AssertionError("nobody broke it off")


def test_ctrl_c_breaks_off_planning_that_takes_long(tmp_path: Path) -> None:
    runner, stop, told = Runner(tmp_path / "store", Pondering()), Stop(), list[str]()
    stored = StoredDefinition(runner.store, runner.league, runner.definition)
    planner = Planner(runner.store, runner.league, stored, SECRET, stop=stop)
    with Interrupts(stop, told.append):
        assert planner.next_matches() == []
        assert stop.after_game
        assert not planner.is_complete()
        assert stop.at_once
    assert len(told) == 2
    assert runner.matches() == []


class Faulty(Adaptive):
    """Makes one mistake."""

    def __init__(self, **members: object) -> None:
        vars(self).update(members)


class NoTally(Results):
    def add(self, match: Finished) -> None:
        raise ZeroDivisionError(f"match {match.match_no}")


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"next_matches": lambda *_: ()}, r"`next_matches` returned \(\) at match 0: it must"),
        ({"next_matches": lambda *_: (3,)}, "returned 3 as match 0, not a Pairing"),
        ({"next_matches": lambda *_: (Pairing(0, (0, 1, 1)),)}, r"match 0 has an entry twice: \[0, 1, 1\]"),
        ({"next_matches": lambda *_: (Pairing(0, (0, 1, 9)),)}, r"that the league doesn't have: \[9\]"),
        ({"next_matches": lambda *_: (Pairing(0, (0, 1)),)}, r"has 2 entries; its table sizes are \[3\]"),
        ({"sees": lambda *_: _[-1] + 1}, "`sees` returned 1 for 0 planned matches"),
        ({"sees": lambda *_: 1 // 0}, r"ZeroDivisionError: .*test_planning\.py:"),
        ({"tally": lambda *_: NoTally()}, r"ZeroDivisionError: match 0 \(.*, in add\)"),
        ({"tally": lambda *_: 1 // 0}, r"ZeroDivisionError: .*test_planning\.py:"),
    ],
)
def test_what_a_schedule_does_wrong_is_blamed_on_it(
    tmp_path: Path, members: dict[str, object], said: str
) -> None:
    with pytest.raises(PluginFailed, match=f"the schedule 'adaptive' of tests.league.* failed: .*{said}"):
        Runner(tmp_path, Faulty(**members)).run(Random(0))


@pytest.mark.slow
def test_more_matches_than_the_total_are_noticed_once(tmp_path: Path) -> None:
    runner = Runner(tmp_path, Faulty(total=lambda *_: 2))
    runner.run(Random(0))
    assert len(runner.matches()) == MATCHES
    (line,) = runner.planner.notices
    assert "the schedule 'adaptive' said that it has 2 matches in total" in line
