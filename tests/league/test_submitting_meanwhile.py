"""While a league runs, bots and single matches are entered by its runner, and nothing else writes to the store."""

import json
import re
from pathlib import Path

import pytest

from arena.league.inbox.dispatch import perform_or_leave
from results.store import open_store
from tests.support.holders import held_elsewhere
from tests.support.leagues import (
    arena,
    arena_here,
    create_here,
    kill_9,
    simple,
    start,
    wait_for_games,
    write_bot,
    write_league,
)

MATCH = ("match", "new", "pick0", "other", "--game", "bread-basket", "-o", "hands=1", "-s", "3", "--sandbox", "off",
    "--format", "json", "--rotate")  # fmt: skip
REFUSED = (
    ("run", "test", "--sandbox", "off"),
    ("db", "rebuild"),
    ("db", "restore", "backup.sqlite"),
    ("db", "prune", "none"),
)


def other_league(file: Path) -> str:
    """Return a league file like this one, with another name."""
    return file.read_text().replace('"test"', '"other"')


@pytest.mark.slow
def test_the_runner_enters_a_bot(tmp_path: Path) -> None:
    create_here(write_league(tmp_path, rounds=1000, bots=2, seats=2, pause_ms=2))
    write_bot(tmp_path, "new", simple(1), game="bread-basket")
    running = start("run", "test", "--executor", "serial", "--sandbox", "off", cwd=tmp_path)
    try:
        wait_for_games(tmp_path, 1, running)
        done = arena_here("submit", "new", "--sandbox", "off", cwd=tmp_path)
        assert f"runner (process {running.pid}, runs league test)" in " ".join(done.stderr.split())
        assert arena_here("db", "rebuild", cwd=tmp_path).returncode == 1
    finally:
        kill_9(running)
    again = arena_here("submit", "new", "--sandbox", "off", cwd=tmp_path)
    assert again.stdout.startswith("unchanged: it is tests/new@1")


@pytest.mark.slow
def test_the_runner_enters_bots_and_matches_and_all_else_is_refused(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1000, pause_ms=8)
    create_here(file)
    (tmp_path / "other.toml").write_text(other_league(file))
    write_bot(tmp_path, "new", simple(1), game="bread-basket")
    write_bot(tmp_path, "other", simple(2))
    assert arena_here("db", "backup", "backup.sqlite", cwd=tmp_path).returncode == 0
    running = start("run", "test", "--workers", "1", "--sandbox", "off", cwd=tmp_path)
    try:
        wait_for_games(tmp_path, 1, running)
        done = arena("submit", "new", "--sandbox", "off", cwd=tmp_path)
        said = " ".join(done.stderr.split())
        assert re.search(rf"(done by|left for) the runner \(process {running.pid}, runs league test\)", said)
        alone = arena(*MATCH, "--store", "alone.sqlite", cwd=tmp_path)
        through = arena(*MATCH, cwd=tmp_path)
        assert "the runner (process" in " ".join(through.stderr.split())
        assert [row["score"] for row in json.loads(through.stdout)] == [
            row["score"] for row in json.loads(alone.stdout)
        ]
        for command in REFUSED:
            refused = arena_here(*command, cwd=tmp_path)
            said = " ".join(refused.stderr.split())
            assert f"arena.sqlite is in use: process {running.pid} runs league test" in said, command
            assert (refused.returncode, "hint: wait until it is done" in said) == (1, True)
        dry_run = arena_here("league", "create", "other.toml", "--dry-run", cwd=tmp_path)
        assert (dry_run.returncode, "nothing was created" in dry_run.stderr) == (0, True)
        created = arena_here("league", "create", "other.toml", cwd=tmp_path)
        assert (created.returncode, "the runner (process" in " ".join(created.stderr.split())) == (0, True)
    finally:
        kill_9(running)
    assert arena("submit", "new", "--sandbox", "off", cwd=tmp_path).stdout.startswith(
        "unchanged: it is tests/new@1"
    )
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert [version.reference for version in store.versions.all(bot="new")] == ["tests/new@1"]
        assert store.versions.find("tests/new").report.keys() == {"bread-basket"}
        taken = [(record.kind, record.outcome) for record in store.commands.newest(9)]
        assert taken == [("create", "done"), ("match", "done"), ("submit", "done")]
        assert len(store.entries.all("other")) == 3
        match = store.matches.get("casual", 0)
        assert [store.entries.all("casual")[number].label for number in match.entries] == [
            "new",
            "pick0",
            "other",
        ]
        played = store.games.fingerprint("casual")
    with open_store(tmp_path / "alone.sqlite", readonly=True) as store:
        assert store.games.fingerprint("casual") == played
    assert not [path for path in (tmp_path / "arena.files/inbox").rglob("*") if path.is_file()]
    assert arena_here("db", "verify", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_what_a_busy_runner_has_not_taken_up_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perform_or_leave, "__kwdefaults__", {"create": False, "wait_s": 0.1})
    create_here(write_league(tmp_path, rounds=1))
    write_bot(tmp_path, "new", simple(1), game="bread-basket")
    with held_elsewhere(tmp_path / "arena.sqlite", "serves leagues") as runner:
        who = f"process {runner.pid}, serves leagues"
        left = f"left for the runner ({who}): takes effect with its next block of matches"
        for command in (("submit", "new", "--sandbox", "off"), MATCH[:2] + MATCH[2:3] * 2 + MATCH[4:]):
            done = arena_here(*command, cwd=tmp_path)
            assert (done.returncode, left in " ".join(done.stderr.split())) == (0, True), done.stderr
        assert {row["game"] for row in json.loads(done.stdout)} == {f"?.{rotation}" for rotation in range(6)}
    assert arena_here("bots", "--format", "json", cwd=tmp_path).stdout.count('"bot"') == 3
    assert arena_here("run", "test", "--executor", "serial", "--sandbox", "off", cwd=tmp_path).returncode == 0
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert [record.words for record in reversed(store.commands.newest(9))][1] == "casual/0"
        assert store.versions.find("tests/new").report
        assert store.matches.get("casual", 0).state == "done"
    assert not [path for path in (tmp_path / "arena.files/inbox").rglob("*") if path.is_file()]
