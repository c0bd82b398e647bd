"""`arena db segments`, `ship` and `fetch`: replays that are elsewhere are named, and come back."""

import json
import re
from pathlib import Path

import pytest

from results.records import EntrySpec
from results.store import open_store
from results.store.segments import moving_replays
from tests.support.leagues import arena_here, create_here, play_here, write_league
from tests.support.ledgers import RULES, new_store, plan, played


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league whose first replays are in a segment, and an empty folder `cold`."""
    folder: Path = tmp_path_factory.mktemp("segments")
    create_here(write_league(folder, rounds=1))
    assert play_here(folder)
    with open_store(folder / "arena.sqlite") as store:
        store.segments.roll(games=2)
    (folder / "cold").mkdir()
    return folder


@pytest.mark.slow
def test_a_segment_goes_and_comes_back(folder: Path) -> None:
    def arena(*words: str) -> tuple[int, str, str]:
        done = arena_here(*words, cwd=folder)
        return done.returncode, done.stdout, done.stderr

    games = len(json.loads(arena("replay", "list", "--limit", "100", "--format", "json")[1]))
    code, out, _ = arena("db", "segments", "--format", "json")
    (row,) = json.loads(out)
    assert (code, row["number"], row["games"], row["is_here"], row["shipped_to"]) == (0, 1, 2, True, "")
    code, out, _ = arena("db", "ship", "cold", "--remove")
    assert code == 0
    assert out.startswith("cold: 1 segment copied (")
    assert out.endswith("1 segment removed\n")
    code, _, err = arena("replay", "show", "0.0")
    assert code == 2
    assert f"is in segment 1 ({row['file']}), which isn't here" in err
    assert "bring it back: arena db fetch 1" in err
    code, out, err = arena("db", "verify")
    assert code == 0
    assert "not checked: segment 1 with 2 replays isn't here; it was shipped to" in err
    assert "not everything was checked" in out
    code, out, err = arena("replay", "verify")
    assert (code, out) == (0, f"test: {games - 2} of {games} replays verify\n")
    assert "not verified: 2 replays in segments that aren't here" in err
    assert arena("db", "rebuild")[0] == 0
    code, _, err = arena("db", "backup", "backup.sqlite")
    assert "the backup lacks 1 segment of replays" in err.replace("\n", " ")
    code, out, _ = arena("db", "fetch")
    assert (code, out) == (0, "arena.files/replays: 1 segment fetched\n")
    assert arena("replay", "show", "0.0")[0] == 0
    code, out, _ = arena("db", "verify")
    assert (code, "everything matches" in out) == (0, True)
    (folder / "arena.files" / "replays" / row["file"]).write_bytes(b"")
    code, _, err = arena("db", "verify")
    assert code == 1
    assert "arena db fetch NUMBER --from FOLDER" in err.replace("\n", " ")
    assert arena("db", "fetch", "1", "--from", "nowhere")[0] == 2
    assert arena("db", "fetch", "1")[0] == 0
    assert arena("db", "verify")[0] == 0


def test_a_store_without_segments_says_when_there_will_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cold").mkdir()
    with new_store(tmp_path) as store:
        league = store.leagues.create(
            "test", config={}, ruleset=RULES, entries=[EntrySpec("a", None), EntrySpec("b", None)]
        )
        (match,) = plan(store, league, (0, 1))
        game = played(match, 0, (5, 1))
        store.append([game])
        monkeypatch.setattr(moving_replays, "SEGMENT_BYTES", 26_400 * (len(game.body) + len(game.timing)))
        assert store.segments.due_at() == 26_400
        monkeypatch.setattr(moving_replays, "SEGMENT_GAMES", 1234)
        assert store.segments.due_at() == 1234, "whichever comes first"
    when = r"about 1 replay in the store itself; the next segment is written .* at about [\d,]+0 replays"
    listed = arena_here("db", "segments", cwd=tmp_path)
    assert listed.stderr.startswith("there are no segments yet\n")
    assert re.search(when, listed.stderr)
    shipped = arena_here("db", "ship", "cold", cwd=tmp_path)
    assert shipped.stdout == "there is nothing to ship yet, because there are no segments\n"
    assert re.search(when, shipped.stderr)


def test_mistakes_are_named(folder: Path) -> None:
    for words in (("db", "ship", "nowhere"), ("db", "fetch", "9"), ("db", "ship", "arena.files/replays")):
        done = arena_here(*words, cwd=folder)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert "hint:" in done.stderr
