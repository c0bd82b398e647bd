"""Formats as a user runs them: from a file to the order of the format."""

import json
import re
from pathlib import Path

import pytest

from tests.support.leagues import arena, arena_here, digest, play_here, write_league
from tests.support.tree import LEAGUE_FILES


def league_of(folder: Path, schedule: str, bots: int) -> None:
    file = write_league(folder, rounds=1, bots=bots, seats=2)
    file.write_text(file.read_text().replace('kind = "round-robin"\nrounds = 1', schedule))
    arena_here("league", "create", file, cwd=folder)


def standings(folder: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(arena_here("rankings", "--format", "json", cwd=folder).stdout)
    return rows


@pytest.mark.slow
def test_a_swiss_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        league_of(folder, 'kind = "swiss"', bots=5)
        arena("run", "test", "--workers", str(workers), cwd=folder)
        assert_it_is_a_swiss(folder)
    assert digest(tmp_path / "1") == digest(tmp_path / "2")
    assert standings(tmp_path / "1") == standings(tmp_path / "2")


def test_a_swiss_has_points_and_byes(tmp_path: Path) -> None:
    league_of(tmp_path, 'kind = "swiss"', bots=5)
    assert play_here(tmp_path)
    assert_it_is_a_swiss(tmp_path)


def assert_it_is_a_swiss(folder: Path) -> None:
    rows = standings(folder)
    assert len(rows) == 5
    assert sum(row["byes"] for row in rows if isinstance(row["byes"], int)) == 3
    assert sum(row["points"] for row in rows if isinstance(row["points"], float)) == 3 * 2 + 3
    shown = arena_here("rankings", "test", cwd=folder).stdout
    assert "Buchholz" in shown
    assert f"{rows[0]['label']} " in shown.partition("#")[0], "who has won is said above the table"


@pytest.mark.slow
def test_an_elimination_ends_with_a_winner(tmp_path: Path) -> None:
    league_of(tmp_path, 'kind = "elimination"\nbest_of = 1', bots=3)
    assert {row["how"] for row in standings(tmp_path)} == {"still in"}
    assert play_here(tmp_path)
    assert (
        json.loads(arena_here("league", "list", "--format", "json", cwd=tmp_path).stdout)[0]["state"]
        == "finished"
    )
    rows = standings(tmp_path)
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert rows[0]["how"] == "winner"
    assert rows[1]["how"] == f"lost the final to {rows[0]['label']}"
    again = arena_here("run", "test", cwd=tmp_path)
    assert again.returncode == 0, "a finished league has nothing to play"


def test_an_unknown_challenger_is_named(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1, seats=2)
    file.write_text(
        file.read_text().replace('kind = "round-robin"', 'kind = "gauntlet"\nchallengers = ["pick7"]')
    )
    done = arena_here("league", "create", file, "--dry-run", cwd=tmp_path)
    assert done.returncode == 2
    line = 1 + file.read_text().splitlines().index('challengers = ["pick7"]')
    where = f"{file}:{line}: schedule.challengers: there is no bot labelled 'pick7'"
    assert where in " ".join(done.stderr.split())
    assert "pick0, pick1, pick2" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", LEAGUE_FILES, ids=lambda file: file.stem)
def test_examples_run_to_rankings(tmp_path: Path, file: Path) -> None:
    """A cup, a Swiss and a gauntlet whole; of leagues without an end of their own, so much that each bot plays."""
    copy = tmp_path / file.name
    text = file.read_text()
    bots = len(re.findall(r"(?m)^\[\[bots]]", text))
    if re.search('kind = "(ladder|round-robin)"', text):
        text = re.sub(r"(?m)^\[stop]\n(\w.*\n)*", "", text)
        text = text.replace("[schedule]", f"[stop]\nmatches = {bots}\n\n[schedule]")
    copy.write_text(text)
    arena("league", "create", copy, cwd=tmp_path)
    (league,) = json.loads(arena("league", "list", "--format", "json", cwd=tmp_path).stdout)
    arena("run", league["name"], cwd=tmp_path)
    rows = json.loads(arena("rankings", "--format", "json", cwd=tmp_path).stdout)
    assert len(rows) == bots
    assert all(row["games"] for row in rows)
    assert sum(row["faults"] for row in rows) == 0, arena("faults", cwd=tmp_path).stdout
