"""A league whose schedule adapts: kill -9 at any moment, any number of workers, the same league."""

import os
import shutil
from pathlib import Path

import pytest

from arena import registry
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.matches import match as match_page
from arena.web.pages.rankings import ladder
from results.reports.fits import new_fit
from results.store import open_store
from tests.league import adaptive
from tests.support.leagues import (
    arena,
    assert_nobody_left,
    create_here,
    digest,
    games_stored,
    kill_9,
    start,
    wait_for_games,
    write_league,
)
from tests.support.ledgers import plan, played

GAMES = 3
"""Of a match."""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it look as if a distribution with the adaptive schedule were installed."""
    place = tmp_path / "installed"
    about = place / "adaptive-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(adaptive.__file__, place / "adaptive.py")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: adaptive\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[arena.schedules]\nadaptive = adaptive:SCHEDULE\n")
    monkeypatch.setenv("PYTHONPATH", str(place), prepend=os.pathsep)


def create(folder: Path, matches: int, mark: str) -> None:
    folder.mkdir()
    file = write_league(folder, rounds=1, bots=5, pause_ms=2, mark=mark)
    text = file.read_text().replace("round-robin", "adaptive").replace("rounds = 1", f"matches = {matches}")
    file.write_text(text)
    arena("league", "create", file, cwd=folder)


def league(folder: Path) -> "tuple[dict[str, str], list[tuple[object, ...]]]":
    """Return the hashes of games and ratings, and every match with what its schedule had been told."""
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        matches = store.matches.all(store.leagues.get().uuid)
    return digest(folder), [(match.entries, match.round_no, match.why) for match in matches]


def run_with_kills(folder: Path, matches: int, workers: int, kills: int, mark: str) -> None:
    create(folder, matches, mark)
    for kill in range(kills):
        process = start("run", "test", "--workers", str(workers), cwd=folder)
        wait_for_games(folder, matches * GAMES * (kill + 1) // (kills + 2), process)
        assert process.poll() is None, "the league was over before it could be killed: make it longer"
        kill_9(process)
    arena("run", "test", "--workers", str(workers), cwd=folder)
    assert games_stored(folder) == matches * GAMES
    arena("db", "verify", cwd=folder)


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_a_killed_adaptive_league_goes_on_the_same(tmp_path: Path) -> None:
    run_with_kills(tmp_path / "whole", 12, workers=1, kills=0, mark=str(tmp_path))
    run_with_kills(tmp_path / "killed", 12, workers=2, kills=1, mark=str(tmp_path))
    assert league(tmp_path / "killed") == league(tmp_path / "whole")
    assert_nobody_left(str(tmp_path / "killed"))


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_many_kills_with_1_2_and_4_workers(tmp_path: Path) -> None:
    run_with_kills(tmp_path / "whole", 30, workers=1, kills=0, mark=str(tmp_path))
    for workers in (1, 2, 4):
        run_with_kills(tmp_path / str(workers), 30, workers, kills=3, mark=str(tmp_path))
        assert league(tmp_path / str(workers)) == league(tmp_path / "whole"), workers
    assert_nobody_left(str(tmp_path))


def shown(folder: Path, kind: str) -> tuple[object, str, str]:
    """Return the strengths of a league with a schedule, its rankings page, and the page of its match 9."""
    folder.mkdir()
    file = write_league(folder, rounds=1, bots=3, seats=2)
    file.write_text(file.read_text().replace('"round-robin"\nrounds = 1', f'"{kind}"'))
    create_here(file)
    with open_store(folder / "arena.sqlite") as store:
        made = store.leagues.get("test")
        for match in plan(store, made, *[(0, 1), (1, 2), (0, 2)] * 7, games=2):
            store.append([played(match, 0, [match.match_no % 3, 1]), played(match, 1, [1, 1])])
        strengths = new_fit(store, made.uuid).fit
        rankings_page, page = ladder(store, "test"), match_page(store, "test", "9")
        return strengths, render(rankings_page, LiveLinks()), render(page, LiveLinks())


@pytest.mark.usefixtures("installed")
def test_its_league_is_told_like_that_of_a_ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "installed")
    registry.schedules.cache_clear()
    try:
        adapts, climbs = (shown(tmp_path / kind, kind) for kind in ("adaptive", "ladder"))
    finally:
        registry.schedules.cache_clear()
    assert adapts[0] == climbs[0], "strengths are drawn together where results choose the matches"
    assert "shrunk towards the mean" in adapts[1]
    assert "shrunk towards the mean" in climbs[1]
    assert "Standings that the adaptive knew" in adapts[2]
    assert "The adaptive planned this match from the results of matches 0 to 4; the 4 matches" in adapts[2]
