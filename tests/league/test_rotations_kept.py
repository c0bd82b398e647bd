"""A league keeps the rotations it was created with, whatever becomes of its game's default."""

from pathlib import Path

import pytest

from tests.support.open_leagues import LADDER, ROUNDS, digests, open_league, planned, play


def test_a_new_league_records_its_rotations(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, seats="4")
    assert store.leagues.get("main").config["rotations"] == "balanced"
    open_league(tmp_path, LADDER, name="ladder")
    assert store.leagues.get("ladder").config["rotations"] == "off"


@pytest.mark.slow
def test_a_balanced_league_that_stops_and_goes_on_has_the_same_games(tmp_path: Path) -> None:
    tables = f"{LADDER}[stop]\nmatches = 40\n"
    seats = '4\nrotations = "balanced"'
    whole, stopped = (open_league(tmp_path / name, tables, 6, seats=seats) for name in ("whole", "stopped"))
    play(whole)
    play(stopped, until=20)
    assert planned(stopped) < 40
    play(stopped)
    assert digests(stopped, "main") == digests(whole, "main")
