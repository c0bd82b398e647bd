"""While a runner holds the store, leagues are created by it, and a comparison is told where it can play."""

import shlex
from pathlib import Path

import pytest

from arena.league.inbox.files import leave, new_command
from arena.league.inbox.take_up import Inbox
from results.store import open_store
from tests.support.holders import held_elsewhere
from tests.support.leagues import arena_here, create_here, simple, write_bot, write_league


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a league, the file of another with a new bot, and its store."""
    monkeypatch.setattr(
        "arena.league.inbox.dispatch.perform_or_leave.__kwdefaults__", {"create": False, "wait_s": 0.0}
    )
    file = write_league(tmp_path, rounds=1)
    create_here(file)
    write_bot(tmp_path, "new", simple(1), game="bread-basket")
    text = file.read_text().replace('"test"', '"other"').replace("seed = 7", "")
    (tmp_path / "other.toml").write_text(text + '[[bots]]\npath = "new"\nargs = ["fast"]\nlabel = "quick"\n')
    return tmp_path


def test_a_league_is_left_for_the_runner_which_creates_it_once(folder: Path) -> None:
    store = folder / "arena.sqlite"
    direct = arena_here("league", "create", "other.toml", "--store", "direct.sqlite", cwd=folder)
    assert direct.returncode == 0, direct.stderr
    with held_elsewhere(store, "serves leagues") as runner:
        again = arena_here("league", "create", "league.toml", cwd=folder)
        assert "league.toml:1: name: there is a league 'test' already" in " ".join(again.stderr.split()), (
            again.stderr
        )
        assert again.returncode == 2
        left = arena_here("league", "create", "other.toml", cwd=folder)
        assert left.returncode == 0, left.stderr
        assert f"left for the runner (process {runner.pid}, serves leagues)" in " ".join(left.stderr.split())
    (waiting,) = (folder / "arena.files/inbox").glob("*.json")
    command = waiting.read_bytes()
    (folder / "new" / "bot.py").write_text("changed since")
    with open_store(store) as opened:
        (record,) = Inbox(opened).take_up()
        waiting.write_bytes(command)
        assert Inbox(opened).take_up() == []
        league = opened.leagues.get("other")
        assert (record.outcome, record.words) == (
            "done",
            f"created other, sealed: its secret has the SHA-256 {league.commitment}",
        )
        with open_store(folder / "direct.sqlite", readonly=True) as alone:
            there = alone.leagues.get("other")
            assert (league.config, league.ruleset, league.rating_options) == (
                there.config,
                there.ruleset,
                there.rating_options,
            )
            assert [
                (entry.label, entry.args, entry.version and entry.version.sha256)
                for entry in opened.entries.all("other")
            ] == [
                (entry.label, entry.args, entry.version and entry.version.sha256)
                for entry in alone.entries.all("other")
            ]


@pytest.mark.slow  # the quick one is above
def test_a_league_to_play_events_again_is_left_for_the_runner(folder: Path) -> None:
    store = folder / "arena.sqlite"
    assert arena_here("league", "events", "test", "--export", "events.jsonl", cwd=folder).returncode == 0
    with held_elsewhere(store, "serves leagues"):
        left = arena_here("league", "create", "events.jsonl", "--name", "again", cwd=folder)
        assert left.returncode == 0, left.stderr
    assert list((folder / "arena.files/inbox/attached").iterdir())
    with open_store(store) as opened:
        (record,) = Inbox(opened).take_up()
        assert record.words == "created again, which plays 0 matches of test again"
        assert len(opened.entries.all("again")) == 3
    assert not list((folder / "arena.files/inbox/attached").iterdir())


NEW = {"path": "new"}
WRONG: tuple[tuple[dict[str, object], str], ...] = (
    ({"file": {"name": "x", "game": "chess", "bots": [NEW]}, "entries": []}, "chess"),
    ({"file": {"name": "x", "game": "bread-basket"}, "entries": []}, "bots"),
    (
        {
            "file": {"name": "x", "game": "bread-basket", "bots": [NEW]},
            "entries": [{"sha256": "0" * 64, "keys": ["bots", "0"]}],
        },
        "the files of a bot are missing",
    ),
)


@pytest.mark.slow  # the command line makes only right commands
def test_a_wrong_command_creates_nothing(folder: Path) -> None:
    with open_store(folder / "arena.sqlite") as opened:
        for data, why in WRONG:
            leave(opened.files, new_command("create", data))
            (record,) = Inbox(opened).take_up()
            assert (record.outcome, why in record.words) == ("refused", True), record.words
        assert [league.name for league in opened.leagues.all()] == ["test"]


def test_a_comparison_is_told_the_command_that_queues_it(folder: Path) -> None:
    asked = ("compare", "pick0", "pick1", "--game", "bread-basket", "--option", "hands=1", "--budget", "64")
    with held_elsewhere(folder / "arena.sqlite", "serves leagues"):
        refused = arena_here(*asked, "--sandbox", "off", cwd=folder)
        said = " ".join(refused.stderr.split())
        assert (refused.returncode, "arena.sqlite is in use: process" in said) == (1, True), said
        words = shlex.split(said.partition("while no league is: ")[2])
        assert words == ["arena", "queue", "add", *asked]
        left = arena_here("queue", "add", "compare", "tests/pick0", "tests/pick1", *asked[3:], cwd=folder)
        assert left.returncode == 0, left.stderr
    with open_store(folder / "arena.sqlite") as opened:
        (record,) = Inbox(opened).take_up()
        assert record.words == "queued compare-1: compare of tests/pick0@1, tests/pick1@1, at most 64 games"
