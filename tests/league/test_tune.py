"""Tunes in a store: who plays next follows from the results, whatever interrupts them; the end is compared afresh."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from unittest.mock import patch

import pytest

from arena.cli.base.comparison import say_continuing
from arena.core.errors import UsageError
from arena.executors.worker import SerialExecutor
from arena.league.compare import ComparisonRun, answered, begin, comparison_after
from arena.league.comparison_plans import Asked, ComparisonPlan, plan_tune
from arena.league.definition.bot_arguments import bots_named
from arena.league.tune import STEP_DEALS
from results.analysis.tuning import AHEAD_STEPS
from results.store import Store, open_store
from tests.support.empty_stores import open_copied
from tests.support.leagues import (
    arena,
    arena_here,
    games_stored,
    in_this_process,
    kill_9,
    simple,
    start,
    wait_for_games,
    write_bot,
)
from tests.support.waiting import eventually

PICK = "pick = { value = 1, low = 0, high = 9, integer = true }\n"
SIZE = "size = { value = 0.5, low = 0, high = 1 }\n"
SHORT = ("--option", "hands=1", "--game", "bread-basket", "--workers", "1", "--sandbox", "off")


def write_tunable(folder: Path, parameters: str = PICK, source: str = simple(1)) -> None:
    place = write_bot(folder, "tunable", source)
    with (place / "bot.toml").open("a") as file:
        file.write(f"\n[parameters]\n{parameters}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    write_tunable(tmp_path)
    with closing(open_copied(tmp_path / "arena.sqlite", create=True)) as opened:
        yield opened


def planned(store: Store, **asked: object) -> ComparisonPlan:
    with bots_named(store, ["tunable"], store.path.parent) as named:
        pass
    only = asked.pop("only", ())
    wanted = {"budget_games": 96, "game": "bread-basket", "options": ("hands=1",), "seed": "5", **asked}
    return plan_tune(named.versions[0], Asked(difference=0.5, **wanted), only)  # type: ignore[arg-type]


def played(store: Store, plan: ComparisonPlan, most_games: int | None = None) -> ComparisonRun:
    run = ComparisonRun(store, begin(store, plan), plan, executor=SerialExecutor())

    def shown(run: ComparisonRun) -> None:
        if most_games is not None and run.progress.games >= most_games:
            run.league_run.stop.after_game = True

    with in_this_process():
        run.run(shown)
    return run


@pytest.mark.parametrize(
    ("seats", "budget"),
    [(2, 56), pytest.param(3, 144, marks=pytest.mark.slow), pytest.param(4, 112, marks=pytest.mark.slow)],
)
def test_each_step_seats_its_own_entries_and_an_interrupted_tune_ends_the_same(
    store: Store, tmp_path: Path, seats: int, budget: int
) -> None:
    plan = planned(store, seats=seats, budget_games=budget)
    broken = played(store, plan, most_games=9 * seats)
    assert broken.interrupted
    resumed = played(store, plan)
    assert resumed.league.uuid == broken.league.uuid
    matches = store.matches.all(resumed.league.uuid)
    games = matches[0].games
    assert len(matches) == budget // games // STEP_DEALS * STEP_DEALS, "the budget isn't exceeded"
    for match in matches:
        first = match.match_no // STEP_DEALS * seats
        assert sorted(match.entries) == list(range(first, first + seats))
    entries = store.entries.all(resumed.league.uuid)
    assert entries[0].args == ("--pick=0",)
    assert entries[1].args == ("--pick=9",)
    assert len({entry.args for entry in entries}) > 2, "it moves"

    write_tunable(tmp_path / "other")
    with closing(open_copied(tmp_path / "other" / "arena.sqlite", create=True)) as other:
        at_once = played(other, planned(other, seats=seats, budget_games=budget))
        assert at_once.tuning.tuner.best == resumed.tuning.tuner.best
        assert [e.args for e in other.entries.all("tune-1")] == [entry.args for entry in entries]
        assert [m.entries for m in other.matches.all("tune-1")] == [m.entries for m in matches]
        both = [[game.fingerprint for game in kept.games.all("tune-1")] for kept in (store, other)]
        assert sorted(both[0]) == sorted(both[1])


def test_a_larger_budget_continues(store: Store) -> None:
    first = played(store, planned(store, budget_games=64))
    assert first.progress.games_before + first.progress.games == 64
    then = played(store, planned(store, budget_games=96))
    assert then.league.uuid == first.league.uuid
    assert then.games == 96


def test_what_it_ends_with_is_compared_on_deals_of_another_league(store: Store) -> None:
    plan = planned(store)
    run = played(store, plan)
    assert not answered(store, run.league, plan)
    then = comparison_after(plan, run.tuning, 2000)
    assert then is not None
    assert [bot.args for bot in then.file.bots] == [(), run.tuning.arguments(run.tuning.tuner.best)]
    compare = played(store, then)
    assert compare.answer is not None
    assert compare.league.name == "compare-1"
    assert store.leagues.secret(compare.league.uuid) != store.leagues.secret(run.league.uuid)
    assert answered(store, run.league, plan)


def test_without_a_seed_the_same_command_begins_another_tune_once_there_is_an_answer(store: Store) -> None:
    plan = planned(store, seed=None, budget_games=48)
    run = played(store, plan)
    then = comparison_after(plan, run.tuning, 10_000)
    if then is not None:
        assert begin(store, plan).uuid == run.league.uuid, "until it is compared, the tune goes on"
        assert played(store, then).answer is not None
    assert begin(store, plan).uuid != run.league.uuid


def test_a_parameter_that_changes_no_move_ends_it_after_the_first_pairs(tmp_path: Path) -> None:
    write_tunable(tmp_path, PICK + SIZE)
    with closing(open_copied(tmp_path / "arena.sqlite", create=True)) as store:
        run = played(store, planned(store))
        assert run.tuning.unread == ["size"]
        assert run.rule.judged <= (2 + AHEAD_STEPS) * STEP_DEALS
        read = played(store, planned(store, only=["pick"]))
        assert not read.tuning.unread
        assert read.tuning.tuner.steps > 2 + AHEAD_STEPS


def test_mistakes_are_said_in_a_sentence(store: Store) -> None:
    for asked, said in (
        ({"only": ["pikc"]}, "there is no parameter 'pikc'; did you mean 'pick'"),
        ({"budget_games": 10}, "a budget of 10 games is too small to tune 1 parameter"),
        ({"seats": 9}, "is for 2 to 6 players, not 9"),
    ):
        with pytest.raises(UsageError, match=said):
            planned(store, **asked)
    write_bot(store.path.parent, "plain", simple(0))
    with (
        bots_named(store, ["plain"], store.path.parent) as named,
        pytest.raises(UsageError, match=r"has no \[parameters\] in its bot.toml"),
    ):
        plan_tune(named.versions[0], Asked())


def test_the_command_tunes_draws_and_compares(tmp_path: Path) -> None:
    write_tunable(tmp_path)
    words = ("--seed", "5", "--budget", "48", "--plot", "l.svg", "-x", "0.5")
    with in_this_process(), patch("arena.league.running.run.executor_named", lambda *_: SerialExecutor()):
        done = arena_here("tune", "tunable", *SHORT, *words, cwd=tmp_path)
    assert done.returncode in (0, 10, 11), done.stderr
    assert "░" in done.stdout
    assert (tmp_path / "l.svg").read_text().startswith("<svg")
    lines = done.stdout.strip().splitlines()
    assert any(line.startswith(("better: ", "no difference: ", "worse: ")) for line in lines)
    assert not [line for line in lines if "│" in line and len(line) > 80]
    with in_this_process(), patch("arena.league.running.run.executor_named", lambda *_: SerialExecutor()):
        again = arena_here("tune", "tunable", *SHORT, *words, "--format", "json", cwd=tmp_path)
    (row,) = json.loads(again.stdout)
    assert f"{row['answer']}: " in done.stdout, "with a seed, the same answer again, without another game"
    assert again.returncode == done.returncode


def test_a_continued_tune_says_how_many_games_were_played_and_count(store: Store) -> None:
    plan = planned(store)
    broken = played(store, plan, most_games=34)
    run = ComparisonRun(store, broken.league, plan, executor=SerialExecutor())
    before = run.progress.games_before
    assert before == len(store.games.all(run.league.uuid)) > run.games
    with patch("arena.cli.base.comparison.say") as say:
        say_continuing(run)
    say.assert_called_once_with(f"continuing after {before} games, of which {run.games} count so far")


def test_a_comparison_at_the_end_that_is_undecided_names_its_own_budget(tmp_path: Path) -> None:
    write_tunable(tmp_path)
    words = ("--seed", "5", "--budget", "48", "--compare-budget", "16", "-x", "0.001")
    with in_this_process(), patch("arena.league.running.run.executor_named", lambda *_: SerialExecutor()):
        done = arena_here("tune", "tunable", *SHORT, *words, cwd=tmp_path)
    assert done.returncode == 12, done.stdout + done.stderr
    assert "in at most 16 games more" in " ".join(done.stderr.split())
    assert "a larger --compare-budget continues" in " ".join(done.stdout.split())
    with open_store(tmp_path / "arena.sqlite") as store:
        assert len(store.games.all("compare-1")) == 16


def test_its_league_says_what_it_is(store: Store) -> None:
    played(store, planned(store, budget_games=48))
    folder = store.path.parent
    store.close()
    assert "pick from 0 to 9" in arena_here("league", "events", "tune-1", cwd=folder).stdout
    assert (
        "tune-1 isn't rated, so it has no head to head" in arena_here("matrix", "tune-1", cwd=folder).stderr
    )
    assert "not counted for leagues that are not rated" in arena_here("stats", "tune-1", cwd=folder).stdout
    why = arena_here("why", "tune-1", cwd=folder)
    assert why.returncode == 2
    assert "tune-1 is a tune" in why.stderr


@pytest.mark.parametrize(
    ("parameters", "words", "said", "code"),
    [
        (SIZE.replace("low = 0, high = 1", "low = 1, high = 0"), (), "low is 1 and high is 0", 3),
        (SIZE, ("--plot", "plots/l.svg"), "--plot: there is no folder plots", 2),
        (SIZE, ("--plot", "l.gif"), "l.gif ends in neither .svg nor .png", 2),
        (SIZE, ("--parameter", "sise"), "there is no parameter 'sise'", 2),
        (SIZE, ("--compare-budget", "15"), "pass --compare-budget 16 or more", 2),
    ],
)
def test_the_command_refuses(
    tmp_path: Path, parameters: str, words: tuple[str, ...], said: str, code: int
) -> None:
    write_tunable(tmp_path, parameters)
    done = arena_here("tune", "tunable", *words, *SHORT, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "arena.sqlite").exists()


def has_games(folder: Path) -> bool:
    """Return whether there is a store with games."""
    with suppress(sqlite3.OperationalError):  # the file or its tables aren't there yet
        return games_stored(folder) > 0
    return False


def reading(body: str) -> str:
    """Return a bot that reads --pick, with a statement after it."""
    return (
        simple(0)
        .replace("PICK", "pick")
        .replace("legal[0 % len(legal)]", "legal[pick % len(legal)]")
        .replace(
            "import json, sys, time\n",
            f"import json, sys, time\npick = int(sys.argv[-1].removeprefix('--pick='))\n{body}\n",
        )
    )


@pytest.mark.slow
def test_a_killed_tune_ends_in_equal_bytes(tmp_path: Path) -> None:
    args = ("tune", "tunable", *SHORT, "-x", "0.5", "--seed", "5", "--budget", "64", "--format", "json")
    found = []
    for name in ("at-once", "killed"):
        folder = tmp_path / name
        write_tunable(folder, PICK, reading(""))
        for games in (10, 40) if name == "killed" else ():
            process = start(*args, cwd=folder)
            eventually(lambda: has_games(folder), 60)  # noqa: B023 - called at once
            wait_for_games(folder, games, process)
            assert process.poll() is None
            kill_9(process)
        done = arena(*args, cwd=folder, check=False)
        with closing(open_store(folder / "arena.sqlite")) as store:
            tune = store.leagues.get("tune-1").uuid
            games_of = [game.fingerprint for game in store.games.all(tune)]
            args_of = [entry.args for entry in store.entries.all(tune)]
        # How many games were over before the answer was seen depends on the workers.
        found.append((re.sub(r'"games_played": \d+', "", done.stdout), games_of, args_of))
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_variant_that_crashes_forfeits_and_is_named(tmp_path: Path) -> None:
    write_tunable(tmp_path, PICK, reading("if pick > 6: sys.exit(3)"))
    done = arena("tune", "tunable", *SHORT, "-x", "0.5", "--budget", "60", cwd=tmp_path, check=False)
    assert done.returncode in (0, 10, 11), done.stderr
    assert "variants forfeited" in done.stderr
    assert "arena faults tune-1" in done.stderr
