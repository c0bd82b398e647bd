"""A league keeps the rotations it was created with, whatever becomes of its game's default."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from arena.core.rotation import Rotations, seatings
from arena.league.changes.whole_league import Extend
from arena.league.definition.stored import StoredDefinition
from results.store import Store
from tests.support.open_leagues import LADDER, ROUNDS, digests, open_league, planned, play


def test_a_new_league_records_its_rotations(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, seats="4")
    assert store.leagues.get("main").config["rotations"] == "balanced"
    open_league(tmp_path, LADDER, name="ladder")
    assert store.leagues.get("ladder").config["rotations"] == "off"


@pytest.mark.parametrize(("schedule", "rotations"), [(ROUNDS, "cyclic"), (LADDER, "off")])
def test_a_league_that_recorded_none_has_the_default_of_its_time(
    schedule: str, rotations: Rotations, tmp_path: Path
) -> None:
    store = forgetful(open_league(tmp_path, schedule, seats="4"))
    assert StoredDefinition(store, store.leagues.get("main")).first.rotations == rotations


@pytest.mark.slow
def test_such_a_league_plays_on_as_it_began_also_when_it_is_extended(tmp_path: Path) -> None:
    store = forgetful(open_league(tmp_path, f"{ROUNDS}[stop]\nmatches = 1\n", seats="4"))
    play(store)
    Extend("main", matches=3).perform(store)
    play(store)
    matches = store.matches.all("main", state="done")
    assert [seats_of(store, match.match_no) for match in matches] == [
        list(seatings(match.entries, "cyclic")) for match in matches
    ]
    assert len(matches) == 3


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


def forgetful(store: Store) -> Store:
    """Return the store after its league has lost the record of its rotations, which older ones never had."""
    with closing(sqlite3.connect(store.path)) as connection, connection:
        ((text,),) = connection.execute("SELECT config FROM league")
        config = {key: value for key, value in json.loads(text).items() if key != "rotations"}
        connection.execute("UPDATE league SET config = ?", (json.dumps(config),))
    return store


def seats_of(store: Store, match_no: int) -> Sequence[tuple[int, ...]]:
    """Return the entry at each seat of a match, by rotation."""
    games = [game for game in store.games.all("main") if game.match_no == match_no]
    return [tuple(seat.entry_no for seat in game.seats) for game in games]
