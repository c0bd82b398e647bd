"""Commands that change leagues, with and without a process that runs them."""

import io
import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.league.changes.entries import Bench, Pause
from results.store import open_store
from results.store.verification.verify import verify
from tests.support.leagues import arena, arena_here, kill_9, simple, start, wait_for_games, write_bot
from tests.support.open_leagues import LADDER, open_league
from tests.support.waiting import eventually

ENOUGH = '[schedule]\nkind = "ladder"\nlag = 8\nenough = 8\n'
HERE = ("--executor", "serial", "--sandbox", "off")
"""How a league is played without other processes than its bots."""


def said(folder: Path, *command: str, code: int = 0) -> str:
    done = arena_here(*command, cwd=folder)
    assert done.returncode == code, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def submit(folder: Path, name: str, pick: int, *more: str) -> str:
    bot = folder / "new" / name
    if bot.exists():
        (bot / "bot.py").write_text(simple(pick))
    else:
        write_bot(bot.parent, name, simple(pick), game="bread-basket")
    return said(folder, "submit", str(bot), "--sandbox", "off", *more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    open_league(tmp_path, ENOUGH).close()
    return tmp_path


@pytest.mark.slow
def test_a_submission_says_which_leagues_it_enters(folder: Path) -> None:
    assert "late (tests/late@1) joins main at match 0" in submit(folder, "late", 9, "--enter", "main")
    assert "late@2 (tests/late@2) replaces late in main at match 0" in submit(
        folder, "late", 8, "--enter", "main"
    )
    assert "plays in main already" in submit(folder, "late", 8, "--enter", "main")
    events = json.loads(said(folder, "league", "events", "main", "--format", "json"))
    assert [event["kind"] for event in events] == ["added", "replaced"]


def test_each_command_says_what_happens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(folder, "league", "retire", "main", "bot-3") == "bot-3 retires from main at match 0\n"
    assert said(folder, "league", "pause", "main", "bot-2", "--why", "it loops") == (
        "bot-2 pauses in main at match 0\n"
    )
    assert said(folder, "league", "resume", "main", "bot-2") == "bot-2 resumes in main at match 0\n"
    assert "bot-2 is not paused" in said(folder, "league", "resume", "main", "bot-2", code=2)
    assert said(folder, "league", "bench", "main", "bot-2", "--why", "it spies") == (
        "bot-2 is benched in main: it gets no matches from match 0 on\n"
    )
    assert "it spies, by organiser" in said(folder, "league", "events", "main")
    assert "from match 0 on" in said(folder, "league", "resume", "main", "bot-2")
    assert said(folder, "league", "rename", "main", "spring") == "main is now called spring\n"
    assert "a copy of spring" in said(folder, "league", "clone", "spring", "summer", "--seed", "3")
    assert "then spring-2 begins" in said(folder, "league", "season", "spring", "--matches", "3")
    events = json.loads(said(folder, "league", "events", "spring", "--format", "json"))
    assert [event["kind"] for event in events] == [
        *("retired", "paused", "resumed", "benched", "unbenched", "renamed", "final")
    ]
    assert "unbenched" not in said(folder, "league", "events", "spring"), "it has the name of its command"
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert "add --yes" in said(folder, "league", "delete", "summer", code=2)
    assert said(folder, "league", "delete", "summer", "--yes") == "summer is deleted, with 0 games\n"
    assert "there is no league 'summer'" in said(folder, "league", "pause", "summer", code=2)


@pytest.mark.parametrize(
    "change",
    [
        ("pause", "main"),
        ("resume", "main"),
        ("pause", "main", "bot-0"),
        ("resume", "main", "bot-1"),
        ("bench", "main", "bot-0"),
        ("resume", "main", "bot-2"),
        ("retire", "main", "bot-0"),
        ("replace", "main", "bot-0", "bot-1"),
        ("add", "main", "bot-1"),
        ("season", "main"),
        ("rank", "main", "--by", "places"),
        ("rename", "main", "main"),
        ("extend", "main"),
    ],
    ids=" ".join,
)
def test_nothing_is_said_to_be_done_in_a_finished_league_that_is_not(
    tmp_path: Path, change: tuple[str, ...]
) -> None:
    with open_league(tmp_path) as store:
        Pause("main", "bot-1").perform(store)
        Bench("main", "bot-2").perform(store)
        Pause("main").perform(store)
        store.leagues.set_state("main", "finished")
        before = store.leagues.events("main")
    refused = said(tmp_path, "league", *change, code=2)
    assert "error: " in refused
    if change[0] not in ("rank", "rename", "extend"):
        assert "main is finished" in refused
        assert "arena league extend main" in refused
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert store.leagues.events("main") == before


def test_events_show_their_reasons_in_a_narrow_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = " ".join(["it thinks for an hour about every card"] * 5)
    said(folder, "league", "pause", "main", "bot-2", "--why", why)
    monkeypatch.setenv("COLUMNS", "60")
    shown = said(folder, "league", "events", "main")
    assert "what happened" in shown
    assert why in " ".join(shown.replace("paused", "").split())


def test_a_league_is_extended_by_what_is_given(tmp_path: Path) -> None:
    open_league(tmp_path, '[schedule]\nkind = "round-robin"\nrounds = 2\n[stop]\nmatches = 5\n').close()
    assert said(tmp_path, "league", "extend", "main", "--matches", "7") == "main is extended: matches = 12\n"
    assert said(tmp_path, "league", "extend", "main", "--rounds", "1") == "main is extended: rounds = 3\n"
    assert "nothing to extend" in said(tmp_path, "league", "extend", "main", code=2)
    assert "no budget of minutes" in said(tmp_path, "league", "extend", "main", "--minutes", "0.5", code=2)
    assert "--games" in said(tmp_path, "league", "extend", "main", "--games", "0", code=2)


@pytest.mark.slow
def test_a_bot_that_a_league_tracks_enters_by_itself(tmp_path: Path) -> None:
    write_bot(tmp_path / "new", "late", simple(9), game="bread-basket")
    (tmp_path / "arena.sqlite").unlink(missing_ok=True)
    said(tmp_path, "submit", "new/late", "--sandbox", "off")
    open_league(tmp_path, LADDER + '[[bots]]\ntrack = "tests/late"\n').close()
    assert "late@2 (tests/late@2) replaces late in main at match 0" in submit(tmp_path, "late", 8)
    assert "replaces" not in submit(tmp_path, "late", 8), "nothing new"
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert [entry.label for entry in store.entries.all("main")][-1] == "late@2"


@pytest.mark.slow
def test_a_final_ends_the_season_and_the_next_is_there(folder: Path) -> None:
    said(folder, "league", "season", "main", "--matches", "4")
    done = said(folder, "run", "main", *HERE)
    assert "main-2 begins" in done
    assert "run it with: arena run main-2" in done
    rows = json.loads(said(folder, "league", "list", "--format", "json"))
    assert {row["name"]: row["state"] for row in rows}["main"] == "finished"


def test_a_paused_league_says_so_and_ends(folder: Path) -> None:
    said(folder, "league", "pause", "main", "--why", "night")
    done = said(folder, "run", "main", *HERE)
    assert "main is paused: night; go on with: arena league resume main" in done


def test_a_league_that_waits_says_so_and_ends(tmp_path: Path) -> None:
    open_league(tmp_path, bots=1).close()
    done = said(tmp_path, "run", "main", *HERE)
    assert "main is waiting: 1 bot can play, and a table needs 2" in done
    assert "`arena run` waits for that, then continues by itself; or later: arena run main" in done


@pytest.mark.slow
def test_a_league_that_rests_says_so_and_ends(folder: Path) -> None:
    done = said(folder, "run", "main", *HERE)
    assert "main is waiting: every bot has played 8 matches" in done
    assert "`arena run` waits for that" in done
    games = said(folder, "league", "list", "--format", "json")
    assert said(folder, "run", "main", *HERE), "nothing more is played"
    assert said(folder, "league", "list", "--format", "json") == games


@pytest.mark.slow
def test_events_are_played_again_from_a_file(folder: Path) -> None:
    submit(folder, "late", 9, "--enter", "main")
    said(folder, "league", "pause", "main", "--why", "enough")
    assert "wrote 2 events of main" in said(folder, "league", "events", "main", "--export", "main.jsonl")
    assert "already exists" in said(folder, "league", "events", "main", "--export", "main.jsonl", code=2)
    assert "there is a league 'main'" in said(folder, "league", "create", "main.jsonl", code=2)
    assert "plays 0 matches of main again" in said(
        folder, "league", "create", "main.jsonl", "--name", "again"
    )
    assert said(folder, "run", "again", *HERE)


@pytest.mark.slow
def test_changes_made_at_the_same_time_happen_once_each(tmp_path: Path) -> None:
    open_league(tmp_path).close()

    def change(words: tuple[str, ...]) -> int:
        return arena("league", *words, cwd=tmp_path, check=False).returncode

    retirements = [("retire", "main", "bot-0")] * 3
    pauses = [("pause", "main", f"bot-{number}") for number in (1, 2)]
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(change, [*retirements, *pauses]))
    assert (sorted(codes[:3]), codes[3:]) == ([0, 2, 2], [0, 0])
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        events = store.leagues.events("main")
        assert [event.event_no for event in events] == [0, 1, 2]
        assert sorted(event.kind for event in events) == ["paused", "paused", "retired"]
        assert verify(store) == []


@pytest.mark.slow
def test_a_running_league_is_paused_and_goes_on(tmp_path: Path) -> None:
    open_league(tmp_path).close()
    runner = start("run", *HERE, cwd=tmp_path)
    try:
        wait_for_games(tmp_path, 1, runner)
        assert "the runner (process" in said(tmp_path, "league", "pause", "main", "--why", "night")
        with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
            assert eventually(lambda: store.leagues.get("main").state == "stopped")
            before = store.leagues.progress("main").games_done
        assert "done by the runner" in said(tmp_path, "league", "resume", "main")
        wait_for_games(tmp_path, before + 1, runner)
        assert runner.poll() is None
    finally:
        kill_9(runner)


@pytest.mark.slow
def test_changes_reach_a_running_league_and_wake_one_that_rests(folder: Path) -> None:
    runner = start("run", "--workers", "1", cwd=folder)
    wait_for_games(folder, 16, runner)
    assert "done by the runner" in submit(folder, "late", 9, "--enter", "main")
    until, left = time.monotonic() + 90, 0
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        while store.leagues.get("main").state == "running" or not store.totals.by_entry("main")[-1].matches:
            assert time.monotonic() < until
            assert runner.poll() is None, "it waits for changes"
            time.sleep(0.1)
        before = store.leagues.progress("main").games_done
        assert "done by the runner" in submit(folder, "later", 7, "--enter", "main")
        while store.leagues.progress("main").games_done < before + 10:
            assert time.monotonic() < until
            time.sleep(0.1)
    kill_9(runner)
    again = start("run", "--workers", "1", cwd=folder)
    while "done by the runner" not in submit(folder, "last", left, "--enter", "main"):
        left += 1  # an unchanged bot would not be a change
        assert time.monotonic() < until
    again.send_signal(signal.SIGINT)
    assert again.wait(30) in (0, 4)
    assert said(folder, "db", "verify")
