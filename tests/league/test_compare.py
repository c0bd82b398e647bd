"""Comparisons: one answer for one seed, however it is come by; nothing lost; words and exit codes for people."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.league.running import (
    ARENA,
    arena,
    arena_here,
    assert_nobody_left,
    games_stored,
    kill_9,
    simple,
    start,
    wait_for_games,
    write_bot,
)

SHORT = ("--option", "hands=1", "--game", "bread-basket")


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


def without_rest(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without what was played beyond the answer, which depends on the number of workers."""
    return {key: value for key, value in row.items() if key != "games_played"}


def test_better_worse_and_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    rows = []
    for workers in ("1", "2"):
        folder = tmp_path / workers
        for name in ("bots/any_game/random", "bots/bread_basket/greedy"):
            assert not (folder / name).exists()
        folder.mkdir()
        rows.append(
            compared(
                folder,
                "bots/any_game/random",
                "bots/bread_basket/greedy",
                "--seed",
                "5",
                "--workers",
                workers,
                code=0,
            )
        )
    one, two = rows
    assert without_rest(one) == without_rest(two)
    assert one["answer"] == "better"
    assert one["low"] > 0
    assert one["games"] == 2 * one["matches"] <= one["games_played"]
    back = compared(tmp_path / "1", "bots/bread_basket/greedy", "bots/any_game/random", code=11)
    assert back["answer"] == "worse"
    assert back["high"] < 0


def test_versions_that_play_the_same_do_not_differ(tmp_path: Path) -> None:
    write_bot(tmp_path, "bot", simple(1))
    arena_here("submit", tmp_path / "bot", cwd=tmp_path)
    source = tmp_path / "bot" / "bot.py"
    source.write_text(source.read_text() + "# nothing that matters\n")
    done = arena("compare", "bot", "-x", "0.1", *SHORT, cwd=tmp_path, check=False)
    assert done.returncode == 10, done.stderr
    assert "no difference: tests/bot@2 and tests/bot@1 differ by less than 0.1" in done.stdout
    assert "+0.000, 95 % sure: -0." in done.stdout


def test_a_spent_budget_is_no_answer_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    small, whole = tmp_path / "small", tmp_path / "whole"
    for folder in (small, whole):
        folder.mkdir()
        two_habits(folder)
    question = ("pick0", "pick1", "--seed", "3", "--difference", "0.01")
    first = compared(small, *question, "--budget", "41", code=12)
    assert first["answer"] is None
    assert (first["matches"], first["games"], first["games_played"]) == (20, 40, 40)
    again = arena("compare", *question, "--budget", "41", *SHORT, cwd=small, check=False)
    assert again.returncode == 12
    assert "the budget is spent; a larger --budget goes on" in again.stdout
    more = compared(small, *question, "--budget", "80", code=12)
    assert more["comparison"] == first["comparison"]
    assert more["games"] == 80 == games_stored(small)
    assert compared(whole, *question, "--budget", "80", code=12) == more
    other = compared(small, *question[:-1], "0.02", "--budget", "40", code=12)
    assert other["comparison"] != first["comparison"], "another question is another comparison"


def test_with_a_seed_an_answer_is_shown_again_and_without_one_found_again(tmp_path: Path) -> None:
    bots = ("bots/any_game/random", "bots/bread_basket/greedy")
    first = compared(tmp_path, *bots, "--seed", "1", code=0)
    stored = games_stored(tmp_path)
    assert compared(tmp_path, *bots, "--seed", "1", code=0) == first
    assert games_stored(tmp_path) == stored
    sealed = compared(tmp_path, *bots, code=0)
    afresh = compared(tmp_path, *bots, code=0)
    assert len({first["comparison"], sealed["comparison"], afresh["comparison"]}) == 3


@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_a_comparison_that_was_cut_off_goes_on(tmp_path: Path, how: str) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        for number in range(2):
            write_bot(folder, f"pick{number}", simple(number, 2), str(tmp_path))
    question = ("pick0", "pick1", "--seed", "9", "--difference", "0.01", "--budget", "60")
    expected = compared(whole, *question, code=12)
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
        assert "not known yet whether pick1 is better than pick0" in out
        assert "arena compare tests/pick0@1 tests/pick1@1 --game bread-basket --option hands=1" in told
    assert 5 <= games_stored(cut) < 60
    assert compared(cut, *question, code=12) == expected
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


def test_only_one_process_plays_a_comparison(tmp_path: Path) -> None:
    two_habits(tmp_path, pause_ms=5)
    question = ("pick0", "pick1", "--difference", "0.01", *SHORT)
    process = start("compare", *question, cwd=tmp_path)
    while process.poll() is None and not games_can_be_counted(tmp_path):
        time.sleep(0.02)
    wait_for_games(tmp_path, 1, process)
    second = arena("compare", *question, cwd=tmp_path, check=False)
    assert second.returncode == 1
    assert "is being run by another process" in second.stderr
    kill_9(process)
    assert_nobody_left(str(tmp_path))


def test_others_sit_at_the_table_with_both(tmp_path: Path) -> None:
    bots = ("bots/any_game/random", "bots/bread_basket/greedy")
    row = compared(tmp_path, *bots, *bots, "--seed", "2", code=0)
    assert row["others"] == ["random 2", "greedy 2"]
    assert row["games"] == 4 * row["matches"], "each deal is played in all four rotations"
    games = json.loads(
        arena("replay", "list", row["comparison"], "--format", "json", "-n", "1", cwd=tmp_path).stdout
    )
    assert len(games) == 1
    assert arena("league", "audit", row["comparison"], cwd=tmp_path).returncode == 0


def test_a_comparison_is_no_league_that_is_shown_unasked(tmp_path: Path) -> None:
    compared(tmp_path, "bots/any_game/random", "bots/bread_basket/greedy", "--seed", "1", code=0)
    unnamed = arena_here("rankings", cwd=tmp_path)
    assert unnamed.returncode == 2
    assert "this store has no league yet" in unnamed.stderr
    faults = arena_here("faults", "compare-1", cwd=tmp_path)
    assert faults.returncode == 0


def test_forfeits_are_told(tmp_path: Path) -> None:
    write_bot(tmp_path, "sound", simple(0))
    write_bot(tmp_path, "broken", "import sys; sys.exit(3)\n")
    done = arena("compare", "sound", "broken", *SHORT, cwd=tmp_path, check=False)
    assert done.returncode == 11, done.stderr
    assert "broken forfeited" in done.stderr
    assert "arena faults compare-1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["pick0", "pick0"], "both are tests/pick0@1, file for file"),
        (["pick0"], "there is no older version of tests/pick0"),
        (["pick0", "pick1", "--budget", "14"], "a budget of 14 games is 7 matches; 8 are the least"),
        (["pick0", "pick1", *["pick0"] * 5], "is for 2 to 6 players, not 7"),
        (["pick0", "pick1", "--difference", "0.9"], "0.9"),
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
    assert "name others to sit with the two" in done.stderr
