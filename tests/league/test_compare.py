"""Comparisons: one answer for one seed, however it is come by; nothing lost; words and exit codes for people."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from arena.cli.display.live_comparison import live_comparison, plain
from arena.executors.worker import SerialExecutor
from arena.league.compare import ComparisonRun, begin
from arena.league.comparison_plans import NEW, OLD, Asked, plan_comparison
from arena.league.comparison_rules import Answered
from arena.league.definition.bot_arguments import bots_named
from arena.league.tune import lead
from arena.schedules.base import Finished
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.rankings import ladder
from results.analysis.sequential_test import Answer, Doubt, Question
from results.base.scoring import UNIT
from results.records.roster import COMPARISON, JUDGED, Outcome, outcome_of
from results.reports.comparison_rows import outcome_in_words
from results.store import Store
from tests.support.empty_stores import open_copied
from tests.support.leagues import (
    ARENA,
    arena,
    arena_here,
    assert_nobody_left,
    games_stored,
    in_this_process,
    kill_9,
    simple,
    start,
    wait_for_games,
    write_bot,
)

SHORT = ("--option", "hands=1", "--game", "bread-basket")
PLAIN = ("--workers", "1", "--sandbox", "off")
"""What begins soonest."""


def two_habits(folder: Path, pause_ms: float = 0) -> None:
    """Write two bots that play differently, and about equally well."""
    for number in range(2):
        write_bot(folder, f"pick{number}", simple(number, pause_ms), str(folder))


def compared(folder: Path, *arguments: str, code: int) -> dict[str, Any]:
    """Compare; return the row of the answer."""
    done = arena("compare", *arguments, *SHORT, "--format", "json", cwd=folder, check=False)
    assert done.returncode == code, done.stderr
    (row,) = json.loads(done.stdout)
    assert isinstance(row, dict)
    return row


def here(store: Store, *bots: str, budget: int, difference: float, seed: str | None = None) -> ComparisonRun:
    """Compare within this process, bots from beside the store; return the run."""
    with bots_named(store, bots, store.path.parent) as named:
        pass
    plan = plan_comparison(
        named.versions,
        Asked(
            difference=difference,
            budget_games=budget,
            game="bread-basket",
            options=("hands=1",),
            seed=seed,
        ),
    )
    run = ComparisonRun(store, begin(store, plan), plan, executor=SerialExecutor())
    with in_this_process():
        run.run(lambda _: None)
    return run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    two_habits(tmp_path)
    with closing(open_copied(tmp_path / "arena.sqlite", create=True)) as opened:
        yield opened


RANDOM, GREEDY = "bots/any_game/random", "bots/bread_basket/greedy"


@pytest.mark.slow
def test_better_worse_and_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    rows = []
    for workers in ("1", "2"):
        folder = tmp_path / workers
        folder.mkdir()
        rows.append(compared(folder, RANDOM, GREEDY, "--seed", "5", "--workers", workers, code=0))
    one, two = rows
    beyond = {"games_played"}  # what was under way when the answer was there depends on the workers
    assert {key: one[key] for key in one.keys() - beyond} == {key: two[key] for key in two.keys() - beyond}
    assert one["answer"] == "better"
    assert one["low"] > 0
    assert one["games"] == 2 * one["matches"] <= one["games_played"]


def test_bots_that_play_the_same_do_not_differ(store: Store, tmp_path: Path) -> None:
    write_bot(tmp_path, "copy", simple(0))
    run = here(store, "pick0", "copy", budget=64, difference=0.5)
    assert run.answer is Answer.NO_DIFFERENCE
    assert Doubt.EARLY in run.doubts
    assert run.test.estimate == 0


@pytest.mark.slow
def test_versions_that_play_the_same_do_not_differ(tmp_path: Path) -> None:
    write_bot(tmp_path, "bot", simple(1), game="bread-basket")
    arena_here("submit", tmp_path / "bot", "--sandbox", "off", cwd=tmp_path)
    source = tmp_path / "bot" / "bot.py"
    source.write_text(source.read_text() + "# nothing that matters\n")
    done = arena("compare", "bot", "-x", "0.5", *SHORT, *PLAIN, cwd=tmp_path, check=False)
    assert done.returncode == 10, done.stderr
    assert "no difference: tests/bot@2 and tests/bot@1 differ by less than 0.5" in done.stdout
    assert "+0.000, 95 % interval -0." in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("small", "large"), [(8, 10), (20, 40)])
def test_a_spent_budget_is_no_answer_and_a_larger_one_goes_on(
    store: Store, tmp_path: Path, small: int, large: int
) -> None:
    bots = ("pick0", "pick1")
    first = here(store, *bots, budget=2 * small + 1, difference=0.01, seed="3")
    assert first.answer is None
    assert not first.interrupted
    assert (first.test.matches, first.games) == (small, 2 * small)
    again = here(store, *bots, budget=2 * small + 1, difference=0.01, seed="3")
    assert (again.league.uuid, again.progress.games) == (first.league.uuid, 0)
    more = here(store, *bots, budget=2 * large, difference=0.01, seed="3")
    assert more.league.uuid == first.league.uuid
    assert (more.progress.games_before, more.games) == (2 * small, 2 * large)
    assert store.leagues.progress(more.league.uuid).games_done == 2 * large
    less = here(store, *bots, budget=2 * small + 1, difference=0.01, seed="3")
    assert less.test.interval() == first.test.interval(), "with a smaller budget it is what it was"
    other = here(store, *bots, budget=16, difference=0.02, seed="3")
    assert other.league.uuid != first.league.uuid, "another question is another comparison"
    with closing(open_copied(tmp_path / "other.sqlite", create=True)) as whole:
        assert (
            here(whole, *bots, budget=2 * large, difference=0.01, seed="3").test.interval()
            == more.test.interval()
        )


@pytest.mark.slow
def test_a_smaller_budget_ends_a_run_before_all_that_was_planned_is_played(store: Store) -> None:
    with bots_named(store, ("pick0", "pick1"), store.path.parent) as named:
        pass
    plans = [
        plan_comparison(
            named.versions,
            Asked(difference=0.01, budget_games=games, options=("hands=1",), game="bread-basket"),
        )
        for games in (32, 16)
    ]
    league = begin(store, plans[0])
    large = ComparisonRun(store, league, plans[0], executor=SerialExecutor())

    def stop(run: ComparisonRun) -> None:
        run.league_run.stop.after_game = True

    with in_this_process():
        large.run(stop)
    assert large.interrupted
    assert store.leagues.progress(league.uuid).matches_planned == 4, "then starts are looked at"
    small = ComparisonRun(store, league, plans[1], executor=SerialExecutor())
    with in_this_process():
        small.run(lambda _: None)
    assert (small.answer, small.interrupted, small.test.matches) == (None, False, 8)
    assert store.leagues.progress(league.uuid).games_done < 32
    kinds = {event.kind for event in store.leagues.events(league.uuid)}
    assert kinds == {COMPARISON, JUDGED}, "the end of a run is not the league's"


@pytest.mark.slow
def test_with_a_seed_an_answer_is_shown_again_and_without_one_found_again(store: Store) -> None:
    first = here(store, RANDOM, GREEDY, budget=200, difference=0.5, seed="3")
    assert first.answer is Answer.BETTER
    again = here(store, RANDOM, GREEDY, budget=200, difference=0.5, seed="3")
    assert (again.league, again.progress.games) == (store.leagues.get(first.league.uuid), 0)
    assert again.test.interval() == first.test.interval()
    sealed = here(store, RANDOM, GREEDY, budget=200, difference=0.5)
    afresh = here(store, RANDOM, GREEDY, budget=200, difference=0.5)
    assert len({run.league.name for run in (first, sealed, afresh)}) == 3
    assert {league.state for league in store.leagues.all()} == {"finished"}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_a_comparison_that_was_cut_off_goes_on(tmp_path: Path, how: str) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        for number in range(2):
            write_bot(folder, f"pick{number}", simple(number, 2), str(tmp_path))
    with closing(open_copied(whole / "arena.sqlite", create=True)) as opened:
        expected = here(opened, "pick0", "pick1", budget=40, difference=0.01, seed="9").test.interval()
    question = ("pick0", "pick1", "--seed", "9", "--difference", "0.01", "--budget", "40")
    process = subprocess.Popen(
        [*ARENA, "compare", *question, *SHORT, "-w", "2"],
        cwd=cut,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_store(cut, process)
    wait_for_games(cut, 5, process)
    if how == "killed":
        process.kill()
        process.communicate(timeout=60)
    else:
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=60)
        assert process.returncode == 4, told
        assert "undecided so far whether pick1 is better than pick0" in out
        assert "arena compare tests/pick0@1 tests/pick1@1 --game bread-basket --option hands=1" in told
    assert 5 <= games_stored(cut) < 40
    row = compared(cut, *question, code=12)
    assert (row["comparison"], row["games"], row["games_played"]) == ("compare-1", 40, 40)
    assert (row["low"], row["high"]) == expected
    assert_nobody_left(str(tmp_path))
    assert arena("db", "verify", cwd=cut).returncode == 0


def wait_for_store(folder: Path, process: "subprocess.Popen[str]") -> None:
    while process.poll() is None and not games_can_be_counted(folder):
        time.sleep(0.02)


def games_can_be_counted(folder: Path) -> bool:
    try:
        games_stored(folder)
    except Exception:  # noqa: BLE001 - there is no store yet, or no table in it
        return False
    return True


@pytest.mark.slow
def test_only_one_process_plays_a_comparison(tmp_path: Path) -> None:
    two_habits(tmp_path, pause_ms=5)
    question = ("pick0", "pick1", "--difference", "0.01", *SHORT)
    process = start("compare", *question, cwd=tmp_path)
    while process.poll() is None and not games_can_be_counted(tmp_path):
        time.sleep(0.02)
    wait_for_games(tmp_path, 1, process)
    second = arena("compare", *question, cwd=tmp_path, check=False)
    assert second.returncode == 1
    assert f"arena.sqlite is in use: process {process.pid} runs compare-1" in second.stderr
    kill_9(process)
    assert_nobody_left(str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "budget", "answer"),
    [
        (("pick0", "pick1"), 32, None),
        ((RANDOM, GREEDY), 400, Answer.BETTER),
    ],
)
def test_others_sit_at_the_table_with_both(
    store: Store, tmp_path: Path, bots: tuple[str, str], budget: int, answer: Answer | None
) -> None:
    run = here(store, *bots, *bots, budget=budget, difference=0.3, seed="3")
    names = [bot.rpartition("/")[2] for bot in bots]
    assert [entry.label for entry in store.entries.all(run.league.uuid)] == [
        *names,
        *(f"{name} 2" for name in names),
    ]
    assert run.answer is answer
    assert run.games == 4 * run.test.matches, "each deal is played in all four rotations"
    assert arena_here("league", "verify-deals", run.league.name, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_the_other_way_round_it_is_worse(store: Store) -> None:
    run = here(store, GREEDY, RANDOM, budget=200, difference=0.3)
    assert run.answer is Answer.WORSE
    assert run.test.interval()[1] < 0


def test_the_result_of_a_match_is_the_difference_of_mean_shares() -> None:
    # Base order: an other, NEW, OLD; over three games NEW has shares 1, 1/2, 1, OLD 0, 1/2, 1/2.
    assert lead((2, NEW, OLD), (UNIT, UNIT * 5 // 2, UNIT), 3, NEW, OLD) == pytest.approx(0.5)


def test_a_budget_is_of_matches_judged_void_ones_among_them() -> None:
    rule = Answered(Question(0.05, 0.05), most_matches=3)
    for match_no, shares in enumerate((None, (0, 2 * UNIT))):
        rule.take(Finished(match_no, 0, (OLD, NEW), shares, 2))
    assert (rule.why, rule.judged, rule.test.matches) == ("", 2, 1)
    rule.take(Finished(2, 0, (NEW, OLD), (0, 2 * UNIT), 2))
    assert rule.why == "the budget is spent"
    assert rule.test.estimate == 0


def test_a_comparison_is_no_league_that_is_shown_unasked(store: Store, tmp_path: Path) -> None:
    run = here(store, "pick0", "pick1", budget=16, difference=0.1)
    unnamed = arena_here("rankings", cwd=tmp_path)
    assert unnamed.returncode == 2
    assert "this store has no rated league, but compare-1" in unnamed.stderr
    assert arena_here("faults", run.league.name, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_why_shows_where_the_new_version_does_worse_with_the_same_cards(store: Store, tmp_path: Path) -> None:
    run = here(store, "pick0", "pick1", "pick0", budget=48, difference=0.1)
    assert run.league.name == "compare-1"
    text = arena_here("why", "compare-1", cwd=tmp_path).stdout
    assert "NEW is pick1, OLD is pick0" in text
    for part in ("against pick0 2", "in seat 0", "in seat 1", "in seat 2"):
        assert part in text
    assert "in hand" not in text, "it is the only one"
    assert max(map(len, text.splitlines())) <= 80
    lost = re.search(r"^next: arena why (compare-1/\d+\.\d) --seat (\d) --analyse$", text, re.MULTILINE)
    assert lost
    rows = json.loads(arena_here("why", "compare-1", "--format", "json", cwd=tmp_path).stdout)
    assert {"by", "value", "deals", "new", "old", "difference", "low", "high"} == set(rows[0])
    few = ("why", "compare-1", "--analyse", "--worlds", "8", "--games", "2", "--jobs", "1")
    priced = json.loads(arena_here(*few, "--json", cwd=tmp_path).stdout)
    first, second = ([name.split(" --seat ") for name in priced[side]] for side in ("new", "old"))
    assert first[0] == list(lost.groups())
    assert [seat for _, seat in first] == [seat for _, seat in second], "both had the same cards"
    assert [game.partition(".")[0] for game, _ in first] == [game.partition(".")[0] for game, _ in second]
    text = arena_here(*few, cwd=tmp_path).stdout
    assert "pick1 in 2 games of compare-1 that it lost gives away" in " ".join(text.split())
    assert "the old version with the same cards gives away" in text
    assert max(map(len, text.splitlines())) <= 80
    alone = arena_here("why", "compare-1", "--bot", "pick0", cwd=tmp_path).stdout
    assert "NEW" not in alone
    assert "pick0 has a share of" in alone


def test_the_display_fits_80_columns_and_names_every_claim(store: Store) -> None:
    run = here(store, RANDOM, GREEDY, budget=20, difference=0.05, seed="3")
    out = Console(width=80, file=StringIO(), force_terminal=False)
    live = live_comparison(run)
    live.say("stopping at once")
    for _ in range(2):
        out.print(live.frame(run))
    file = out.file
    assert isinstance(file, StringIO)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    for claim in Answer:
        assert any(line.startswith(claim.value) and "% of the way" in line for line in lines)
    assert any("│" in line and "●" in line and "┊" in line for line in lines), "the axis"
    assert "stopping at once" in lines
    line = plain(run)
    assert line.startswith(f"{run.games} games · the budget ends in about ")
    assert re.search(r" · new − old [+−]\d\.\d\d \([+−]\d\.\d\d to [+−]\d\.\d\d\)$", line)
    assert len(line) <= 80


@pytest.mark.slow
def test_forfeits_are_told(tmp_path: Path) -> None:
    write_bot(tmp_path, "sound", simple(0))
    write_bot(tmp_path, "broken", simple(0).replace("time.sleep(0.0)", "sys.exit(3)"))
    done = arena("compare", "sound", "broken", "-x", "0.5", *SHORT, *PLAIN, cwd=tmp_path, check=False)
    assert done.returncode == 11, done.stderr
    assert "broken forfeited" in done.stderr
    assert "arena faults compare-1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["pick0", "pick0"], "both are the same version, tests/pick0@1"),
        (["pick0"], "there is no older version of tests/pick0"),
        (["pick0", "pick1", "--budget", "14"], "a budget of 14 games is 7 matches; at least 8 are needed"),
        (["pick0", "pick1", *["pick0"] * 5], "is for 2 to 6 players, not 7"),
        (["pick0", "pick1", "--difference", "0.9"], "--difference"),
        (["pick0", "nobody"], "nobody"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, arguments: list[str], told: str) -> None:
    two_habits(tmp_path)
    done = arena_here("compare", *arguments, *SHORT, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_game_for_more_asks_for_others(tmp_path: Path) -> None:
    done = arena_here("compare", "bots/sandwich/greedy", "bots/sandwich/learner", cwd=tmp_path)
    assert done.returncode == 2
    assert "name more bots to fill the table" in done.stderr


def test_whoever_looks_at_the_league_later_sees_the_answer(store: Store) -> None:
    for budget, rows in ((16, 1), (40, 2), (40, 2)):
        run = here(store, "pick0", "pick1", budget=budget, difference=0.01, seed="9")
        judged = [event for event in store.leagues.events("compare-1") if event.kind == JUDGED]
        assert len(judged) == rows, "nothing is stored twice"
        low, high = run.test.interval()
        outcome = outcome_of(judged)
        assert outcome is not None
        assert (outcome.matches, outcome.low, outcome.high) == (budget // 2, round(low, 6), round(high, 6))
    page = render(ladder(store, "compare-1"), LiveLinks())
    assert "Undecided so far whether pick1 is better than pick0." in page
    assert "20 matches" in page
    said = arena_here("rankings", "compare-1", cwd=store.path.parent).stdout
    assert "Undecided so far whether pick1 is better than pick0." in " ".join(said.split())


@pytest.mark.parametrize(
    ("answer", "estimate", "words"),
    [
        ("better", 0.1, "b is better than a. The mean share of b is 0.100 above that of a"),
        ("worse", -0.1, "b is worse than a. The mean share of b is 0.100 below that of a"),
        ("no difference", 0.0, "b and a differ by less than 0.05 in mean share."),
        ("best", 0.1, "b is the best: better than a, and no other is better than it by 0.05."),
        ("none better", 0.0, "No variant is better than a by 0.05; b came closest."),
        (None, None, "Undecided so far whether b is better than a."),
    ],
)
def test_an_outcome_in_words(answer: str | None, estimate: float | None, words: str) -> None:
    about = Outcome(
        old="a",
        new="b",
        answer=answer,
        difference=0.05,
        error_rate=0.05,
        estimate=estimate,
        low=-0.031,
        high=0.072,
        matches=400,
    )
    assert outcome_in_words(about).startswith(words)
    assert ("95 % interval −0.031 to +0.072, 400 matches" in outcome_in_words(about)) == (
        estimate is not None
    )
