"""`arena status` says what goes on in a store, whatever is written there, and changes nothing."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.cells import cell_len

from arena.league.changes.entries import Add, Pause, Replace, Retire
from arena.league.inbox.files import MOST_LISTED, inbox_folder, leave, new_command
from results.base.runner_notes import RunnerNotes, Trouble
from results.store import files_beside, holding
from results.store.beside_store import FILE_NAME, write_notes
from tests.cli.hostile_store import FORGED, HOSTILE
from tests.support import forking
from tests.support.leagues import arena_here, kill_9, simple, start, wait_for_games
from tests.support.open_leagues import LADDER, ROUNDS, open_league, submitted
from tests.support.waiting import eventually

SCHEMA = Path(__file__).parents[2] / "docs" / "status.schema.json"
AT = "2026-11-22T10:00:00.000Z"


def status(folder: Path, *arguments: str) -> str:
    done = arena_here("status", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_json(folder: Path, *arguments: str) -> Any:
    found = json.loads(status(folder, "--json", *arguments))
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    return found


def look_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what the files in a folder look like from outside."""
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}


def test_a_store_without_a_runner(tmp_path: Path) -> None:
    open_league(tmp_path, ROUNDS).close()
    before = look_of(tmp_path)
    assert "no runner; start one with: arena run" in status(tmp_path)
    found = as_json(tmp_path)
    assert look_of(tmp_path) == before, "looking changes nothing"
    assert found["version"] == 1
    assert found["runner"]["state"] == "none"
    assert [(one["name"], one["state"], one["bots"]) for one in found["leagues"]] == [("main", "created", 4)]
    assert found["disk"]["store_bytes"] > 0


def test_a_store_that_cannot_be_written_to(tmp_path: Path) -> None:
    open_league(tmp_path, ROUNDS).close()
    for path in (tmp_path / "arena.sqlite", tmp_path / "arena.files", tmp_path):
        path.chmod(0o555)
    try:
        assert as_json(tmp_path)["leagues"][0]["state"] == "created"
    finally:
        tmp_path.chmod(0o755)
        (tmp_path / "arena.files").chmod(0o755)


def test_unknown_leagues_and_missing_stores_are_refused(tmp_path: Path) -> None:
    assert arena_here("status", cwd=tmp_path).returncode != 0
    assert list(tmp_path.iterdir()) == []
    open_league(tmp_path, ROUNDS).close()
    refused = arena_here("status", "nope", cwd=tmp_path)
    assert refused.returncode != 0
    assert "main" in refused.stderr, "it names those that there are"


def test_who_does_not_play_and_why(tmp_path: Path) -> None:
    with open_league(tmp_path) as store:
        Pause("main", "bot-1", "too slow\n" + FORGED).perform(store)
        Retire("main", "bot-2").perform(store)
        submitted(store, "late", simple(3))
        Add("main", "late").perform(store)
        store.leagues.add_event("main", 0, "benched", {"entry_no": 3, "why": "thought on others' time"})
    found = as_json(tmp_path, "main")
    absent = {row["bot"]: row for row in found["absent"]}
    assert absent["bot-1"]["state"] == "paused"
    assert absent["bot-1"]["by"] == "organiser"
    assert absent["bot-1"]["next"] == "arena league resume main bot-1"
    assert absent["bot-2"]["state"] == "retired"
    assert absent["bot-2"]["next"] == ""
    assert absent["bot-3"]["next"] == "arena league resume main bot-3"
    assert [(row["bot"], row["matches"], row["is_placed"]) for row in found["newcomers"]] == [
        ("late", 0, False)
    ]
    assert found["leagues"][0]["bots"] == 2
    text = status(tmp_path)
    assert "let it play again: arena league resume main bot-1" in text
    assert not [line for line in text.splitlines() if line.strip().startswith(FORGED)]
    of_league = arena_here("league", "show", "main", cwd=tmp_path).stdout
    for words in ("not playing", "bot-2", "thought on others' time", "arena league resume main bot-3"):
        assert words in of_league


def test_budgets_that_are_used_up(tmp_path: Path) -> None:
    with open_league(tmp_path, f"{LADDER}[quota]\nactive_versions = 4\nversions_per_day = 1\n") as store:
        submitted(store, "bot-0", simple(9))
        Replace("main", "bot-0").perform(store)
        why = "used 12 of 12 games"
        data = {"entry": 1, "by": "budget", "why": why, "until": "2099-01-02"}
        store.leagues.add_event("main", 0, "paused", data)
    found = as_json(tmp_path)
    (row,) = found["quotas"]
    assert (row["who"], row["is_author"], row["what"]) == ("tests", True, "versions today")
    assert (row["used"], row["allowed"]) == (1, 1)
    (absent,) = [row for row in found["absent"] if row["state"] == "paused"]
    assert (absent["by"], absent["until"], absent["next"]) == ("budget", "2099-01-02", "")
    text = status(tmp_path)
    assert "tests (author)" in text
    assert why in text


def test_a_league_without_changes_has_the_same_status_as_ever(tmp_path: Path) -> None:
    open_league(tmp_path, ROUNDS).close()
    assert "not playing" not in arena_here("league", "show", "main", cwd=tmp_path).stdout


def test_what_is_in_the_inbox(tmp_path: Path) -> None:
    with open_league(tmp_path) as store:
        leave(store.files, new_command("pause", {"league": "main", "entry": "bot-1"}))
        store.commands.add("a" * 36, "add", "eve", AT, "refused", "there is no bot nobody")
    before = look_of(tmp_path)
    found = as_json(tmp_path)["inbox"]
    assert [(row["kind"], row["by"] != "") for row in found["waiting"]] == [("pause", True)]
    assert found["files"] == 1
    assert [(row["kind"], row["by"], row["why"]) for row in found["refused"]] == [
        ("add", "eve", "there is no bot nobody")
    ]
    assert look_of(tmp_path) == before
    assert "there is no bot nobody" in status(tmp_path)


def hostile_notes(folder: Path) -> None:
    """Write notes of a dead runner in which every text is hostile."""
    troubles = (Trouble(HOSTILE, AT),) * 3
    notes = RunnerNotes(
        pid=1, does=HOSTILE, since=AT, written_at=AT, league=None, refusals=troubles, errors=troubles
    )
    assert write_notes(folder, notes)


@pytest.mark.parametrize("width", [60, 80])
def test_hostile_notes_and_commands_are_shown_as_harmless_text(
    tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_league(tmp_path).close()
    files = files_beside(tmp_path / "arena.sqlite")
    hostile_notes(files)
    folder = inbox_folder(files)
    folder.mkdir()
    (folder / "a.json").write_bytes(b"\x1b[31m")
    (folder / f"b\x1b[31m{FORGED}\n{FORGED}").write_text("{")
    (folder / os.fsdecode(b"c\xff")).write_text("{")
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to("/dev/zero")
    command = new_command("pause", {"league": HOSTILE})
    (folder / "d.json").write_text(
        json.dumps(
            {
                "id": command.id,
                "kind": "pause",
                "data": {},
                "by": HOSTILE,
                "submitted_at": "\x1b[2J" + HOSTILE[:30],
            }
        )
    )
    monkeypatch.setenv("COLUMNS", str(width))
    text = status(tmp_path)
    assert max(map(cell_len, text.splitlines())) <= width
    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert not [line for line in text.splitlines() if line.strip().startswith(FORGED)]
    found = as_json(tmp_path)
    assert found["runner"]["state"] == "killed"
    assert len(found["inbox"]["waiting"]) == 6
    assert {row["kind"] for row in found["inbox"]["waiting"]} == {"", "pause"}
    (files / FILE_NAME).write_bytes(b"\xff" * 100)
    assert as_json(tmp_path)["runner"]["state"] == "none"


def test_an_inbox_full_of_rubbish_takes_bounded_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.league.inbox.files.MOST_LISTED", 100)
    assert MOST_LISTED > 100
    open_league(tmp_path).close()
    folder = inbox_folder(files_beside(tmp_path / "arena.sqlite"))
    folder.mkdir()
    for number in range(150):
        (folder / f"{number:03}").touch()
    found = as_json(tmp_path)["inbox"]
    assert (found["files"], len(found["waiting"])) == (100, 50)


def test_a_runner_that_serves_leagues_says_why_they_wait(tmp_path: Path) -> None:
    from arena.league.running.runner_activity import Notes

    open_league(tmp_path).close()
    store = tmp_path / "arena.sqlite"
    with holding(store, "serves leagues"), Notes(files_beside(store), "serves leagues") as notes:
        assert as_json(tmp_path)["leagues"][0]["why"] == "for its turn"
        notes._written_s = -10
        notes.waits({"main": "can't be played: its game is missing"})
        (league,) = as_json(tmp_path)["leagues"]
        assert (league["state"], league["why"]) == ("waiting", "can't be played: its game is missing")
        notes._written_s = -10
        notes.waits({"main": "every place is sure"}, {"main"})
        (league,) = as_json(tmp_path)["leagues"]
        assert (league["state"], league["why"]) == ("resting", "every place is sure")
        notes.refused("no space left on the disk")
        notes._written_s = -10
        notes.write_if_due()
        found = as_json(tmp_path)
        assert found["runner"]["state"] == "running"
        assert [row["what"] for row in found["errors"]["refusals"]] == ["no space left on the disk"]
        assert "the machine refused" in status(tmp_path)


@contextmanager
def followed(folder: Path, *arguments: str) -> Iterator[Path]:
    """Follow the status into a file inside the context; it must end well with Ctrl-C."""
    place = folder / "followed"
    with place.open("wb") as out, Path(os.devnull).open("r+b") as nothing:
        following = forking.start(
            ["status", "--follow", *arguments], folder, (nothing.fileno(), out.fileno(), out.fileno())
        )
        try:
            yield place
            following.send_signal(signal.SIGINT)
            assert following.wait(30) == 0
        finally:
            following.kill()


@pytest.mark.slow
def test_a_real_runner_is_seen_at_work_and_after_kill_9(tmp_path: Path) -> None:
    open_league(tmp_path, LADDER).close()
    runner = start("run", "--workers", "2", cwd=tmp_path)
    try:
        wait_for_games(tmp_path, 20, runner)

        def plays() -> bool:
            found = as_json(tmp_path)
            return bool(found["playing"]) and found["runner"]["games"] > 0

        assert eventually(plays)
        with followed(tmp_path) as lines:
            assert eventually(lambda: "games/s" in lines.read_text())
            arena_here("league", "pause", "main", "bot-3", "--why", "night", cwd=tmp_path)
            assert eventually(lambda: "night" in lines.read_text())
        found = as_json(tmp_path)
        assert found["runner"]["pid"] == runner.pid
        assert found["runner"]["does"] == "serves leagues"
        assert found["leagues"][0]["state"] == "running"
        assert found["leagues"][0]["games_per_s"] > 0
        kill_9(runner)
        assert eventually(lambda: as_json(tmp_path)["runner"]["state"] == "killed")
        found = as_json(tmp_path)
        assert found["leagues"][0]["state"] == "interrupted"
        assert found["runner"]["next"] == "arena run"
        text = status(tmp_path)
        assert f"process {runner.pid} was killed; continue with: arena run" in " ".join(text.split())
        again = start("run", "--workers", "2", cwd=tmp_path)
        try:
            assert eventually(lambda: as_json(tmp_path)["runner"]["pid"] == again.pid)
        finally:
            again.send_signal(signal.SIGINT)
            assert again.wait(60) == 0
        assert as_json(tmp_path)["runner"]["state"] == "none"
    finally:
        runner.kill()


@pytest.mark.slow
@pytest.mark.parametrize("quiet_s", [0.2, 1.5])
def test_following_prints_json_lines_on_each_change(tmp_path: Path, quiet_s: float) -> None:
    with open_league(tmp_path) as store:
        with followed(tmp_path, "--json") as lines:
            assert eventually(lambda: lines.read_text().count("\n") == 1)
            Pause("main", "bot-1", "night").perform(store)
            assert eventually(lambda: lines.read_text().count("\n") == 2)
            time.sleep(quiet_s)
            read = [json.loads(line) for line in lines.read_text().splitlines()]
        assert [len(line["absent"]) for line in read[:2]] == [0, 1]
        for line in read:
            jsonschema.validate(line, json.loads(SCHEMA.read_text()))
