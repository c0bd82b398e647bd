"""Races in a store: losers leave at the end of a round, the same whenever it is interrupted, and mistakes are said."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.executors.worker import SerialExecutor
from arena.league.compare import ComparisonRun, begin
from arena.league.comparison_plans import MOST_VARIANTS, OLD, Asked, ComparisonPlan, plan_race
from arena.league.comparison_rules import BATCH_MATCHES, RaceAnswer, Racing
from arena.league.definition.bot_arguments import bots_named
from arena.schedules.base import Pairing
from results.analysis.sequential_test import Question
from results.records.roster import RETIRED, outcome_of
from results.store import Store
from tests.support.empty_stores import open_copied
from tests.support.leagues import arena_here, in_this_process, simple, write_bot

VARIANTS = 4
NAMES = [f"pick{number}" for number in range(1 + VARIANTS)]
SHORT = ("--option", "hands=1", "--game", "bread-basket", "--workers", "1", "--sandbox", "off")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    for number, name in enumerate(NAMES):
        write_bot(tmp_path, name, simple(number), str(tmp_path))
    with closing(open_copied(tmp_path / "arena.sqlite", create=True)) as opened:
        yield opened


def planned(store: Store, *bots: str, args: int = 0, **asked: object) -> ComparisonPlan:
    """Return the plan of a race; `args`: how many variants of the first bot come last."""
    with bots_named(store, [*bots, *bots[:1] * args], store.path.parent) as named:
        pass
    given = [*[()] * len(bots), *[(f"--depth={number}",) for number in range(args)]]
    wanted = {"budget_games": 3000, "game": "bread-basket", "options": ("hands=1",), "seed": "5", **asked}
    return plan_race(named.versions, given, Asked(difference=0.15, **wanted))  # type: ignore[arg-type]


def raced(store: Store, plan: ComparisonPlan, most_games: int | None = None) -> ComparisonRun:
    run = ComparisonRun(store, begin(store, plan), plan, executor=SerialExecutor())

    def shown(run: ComparisonRun) -> None:
        if most_games is not None and run.progress.games >= most_games:
            run.league_run.stop.after_game = True

    with in_this_process():
        run.run(shown)
    return run


def told(run: ComparisonRun) -> tuple[object, ...]:
    race = run.race
    return run.answer, race.best, race.dropped, {one: test.interval() for one, test in race.tests.items()}


def test_losers_leave_at_the_end_of_a_round_and_all_share_its_deals(store: Store) -> None:
    run = raced(store, planned(store, *NAMES))
    assert run.answer in (RaceAnswer.BEST, RaceAnswer.NONE_BETTER)
    matches = store.matches.all(run.league.uuid)
    retired = {e.data["entry"]: e.at_match_no for e in store.leagues.events("race-1") if e.kind == RETIRED}
    assert set(retired) <= set(run.race.dropped)
    assert retired, "somebody left before the end"
    for entry, at in retired.items():
        assert not any(entry in match.entries for match in matches if match.match_no >= at)
    for number in range(matches[-1].round_no):
        tables = [match for match in matches if match.round_no == number]
        assert all(OLD in match.entries for match in tables)
        assert len({match.deal for match in tables}) == 1
    assert not store.leagues.get("race-1").rated


@pytest.mark.parametrize("seats", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_an_interrupted_race_ends_as_if_it_had_not_been(store: Store, tmp_path: Path, seats: int) -> None:
    plan = planned(store, *NAMES, seats=seats)
    broken = raced(store, plan, most_games=30)
    assert broken.interrupted
    broken = raced(store, plan, most_games=60)
    resumed = raced(store, plan)
    assert resumed.league.uuid == broken.league.uuid
    for number, name in enumerate(NAMES):
        write_bot(tmp_path / "other", name, simple(number), str(tmp_path))
    with closing(open_copied(tmp_path / "other" / "arena.sqlite", create=True)) as other:
        at_once = raced(other, planned(other, *NAMES, seats=seats))
        assert told(resumed) == told(at_once)
        outcomes = [outcome_of(kept.leagues.events("race-1")) for kept in (store, other)]
        assert outcomes[0] == outcomes[1] is not None
        judged = resumed.rule.judged
        both = [kept.games.all("race-1") for kept in (store, other)]
        assert len({tuple(g.fingerprint for g in games if g.match_no < judged) for games in both}) == 1


def test_tables_of_four_seat_three_variants_and_stay_full(store: Store) -> None:
    run = raced(store, planned(store, *NAMES, seats=4, budget_games=120))
    matches = store.matches.all(run.league.uuid)
    assert all(len(match.entries) == 4 and OLD in match.entries for match in matches)
    first = [match.entries for match in matches[:8]]
    assert all(sum(entry in entries for entries in first) == 6 for entry in range(1, 5)), "they take turns"


def test_a_race_plans_whole_rounds_as_many_as_a_batch_and_its_budget_allow() -> None:
    def planned_at_once(variants: int, running: int, budget_games: int | None = None) -> int:
        """Return how many of 256 tables of two are planned, two games each, after 1,000 games."""
        rule = Racing(Question(0.1, 0.05), variants, 2, budget_games)
        tables = [Pairing(number // running, (OLD, 1 + number % running)) for number in range(256)]
        return len(rule.within(tables, 500, 1_000, lambda _: 2))

    assert planned_at_once(1, 1) == BATCH_MATCHES, "as in a comparison"
    assert planned_at_once(8, 8) == 64
    assert planned_at_once(8, 5) == 60
    assert planned_at_once(8, 1) == 64
    assert planned_at_once(8, 5, 1_060) == 30
    assert planned_at_once(8, 5, 1_009) == 0
    assert Racing(Question(0.1, 0.05), 8, 2).sees(100) == 36, "so many are played while others are planned"


def test_a_larger_budget_continues_and_a_small_one_is_never_exceeded(store: Store) -> None:
    first = raced(store, planned(store, *NAMES, budget_games=70))
    assert first.answer is None
    assert not first.interrupted
    assert 60 < first.progress.games_before + first.progress.games <= 70
    then = raced(store, planned(store, *NAMES))
    assert then.league.uuid == first.league.uuid
    assert then.answer is not None


def test_mistakes_are_said_in_a_sentence(store: Store) -> None:
    for bots, asked, said in (
        (("pick0", "pick1", "pick1"), {}, "have the same files and arguments"),
        (("pick0",), {}, "a race has 1 to 32 variants besides the base, not 0"),
        (("pick0",), {"args": 64}, f"a race has 1 to {MOST_VARIANTS} variants besides the base, not 64"),
        (("pick0", "pick1"), {"seats": 4}, "takes the base and 3 variants, and there are 1"),
        (tuple(NAMES), {"seats": 9}, "takes the base and 8 variants"),
        (tuple(NAMES), {"budget_games": 40}, "a budget of 40 games is 5 deals; at least 8 are needed"),
    ):
        with pytest.raises(UsageError, match=said):
            planned(store, *bots, **asked)


def test_variants_by_arguments_are_entries_with_arguments(store: Store) -> None:
    plan = planned(store, "pick0", args=3, budget_games=60)
    league = begin(store, plan)
    entries = store.entries.all(league.uuid)
    assert [entry.args for entry in entries] == [(), ("--depth=0",), ("--depth=1",), ("--depth=2",)]
    assert [entry.label for entry in entries][1] == "pick0 --depth=0"


def test_the_command_says_who_is_best(store: Store) -> None:
    folder = store.path.parent
    store.close()
    done = arena_here("race", *NAMES[:3], *SHORT, "-x", "0.4", "--seed", "5", "--budget", "900", cwd=folder)
    assert done.returncode in (0, 10), done.stderr
    assert "\nbest: " in done.stdout or "\nnone better: " in done.stdout
    again = arena_here(
        "race",
        *NAMES[:3],
        *SHORT,
        "-x",
        "0.4",
        "--seed",
        "5",
        "--format",
        "json",
        "--budget",
        "900",
        cwd=folder,
    )
    assert '"race": "race-1"' in again.stdout
    assert again.returncode == done.returncode


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (("pick0",), "a race needs variants", 2),
        (("pick0", "--arg", "depth"), "is not of the form NAME=VALUE,VALUE", 2),
        (("pick0", "--arg", "depth=1,,2"), "is not of the form NAME=VALUE,VALUE", 2),
        (("pick0", "--arg", "depth=" + ",".join(map(str, range(64)))), "not 64", 2),
        (("pick0", "crashes"), "error: crashes does not start", 3),
    ],
)
def test_the_command_refuses(tmp_path: Path, words: tuple[str, ...], said: str, code: int) -> None:
    write_bot(tmp_path, "pick0", simple(0))
    write_bot(tmp_path, "crashes", "import sys\nsys.exit(3)\n")
    done = arena_here("race", *words, *SHORT, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "arena.sqlite").exists()
