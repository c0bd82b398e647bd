"""All leagues of a store are served in turns; those that have nothing to play wait without stopping the others."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.executors.worker import SerialExecutor
from arena.league import service as served
from arena.league.changes.entries import Pause, Resume
from arena.league.changes.whole_league import Season
from arena.league.running.run import LeagueRun
from arena.league.service import AGAIN_S, Service
from results.records import LeagueRecord
from results.store import Store, open_store
from tests.support.leagues import arena_here, in_this_process
from tests.support.open_leagues import LADDER, ROUNDS, open_league, planned

EVENT = (
    "INSERT INTO league_event (league_id, event_no, at_match_no, kind, data, at) "
    "SELECT id, 0, 0, 'retired', '{}', '2026-01-31T12:00:00.000Z' FROM league WHERE name = 'one'"
)
MOST_GAMES = 20
"""In one turn."""


class Serving:
    """A service on a clock of its own, which plays a few games in each turn, even if no other league waits for it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.now_s = 0.0
        self.told: list[str] = []
        self.played: list[str] = []
        self.broken: set[str] = set()
        self.service = Service(store, self._run_of, lambda: None, self.told.append, lambda: self.now_s)

    def _run_of(self, league: LeagueRecord) -> LeagueRun:
        if league.name in self.broken:
            raise UsageError("its game is not installed", "install it")
        return LeagueRun(self.store, league, executor=SerialExecutor())

    def turn(self) -> bool:
        """Play one turn; return whether a league had something to play."""
        run = self.service.next_run()
        if run is None:
            return False
        begun_s = self.service.clock()
        self.played.append(run.league.name)

        def shown(_: object) -> None:
            self.now_s += served.TURN_S
            if self.service.turn_is_over(begun_s) or run.progress.games == MOST_GAMES:
                run.stop.after_game = True

        with in_this_process():
            complete = run.run(shown)
        self.service.ended(run, complete=complete)
        return True


def two_leagues(tmp_path: Path, tables: str = LADDER) -> Serving:
    store = open_league(tmp_path, tables, name="one")
    store.close()
    return Serving(open_league(tmp_path, tables, name="two"))


def test_leagues_take_turns_and_each_goes_on_where_it_stopped(tmp_path: Path) -> None:
    serving = two_leagues(tmp_path)
    for _ in range(4):
        assert serving.turn()
    assert serving.played == ["one", "two", "one", "two"]
    assert planned(serving.store, "one") > 0
    assert planned(serving.store, "two") > 0


def test_a_single_league_is_not_interrupted(tmp_path: Path) -> None:
    serving = Serving(open_league(tmp_path, ROUNDS.replace("3", "1"), bots=3, name="one"))
    assert serving.turn()
    assert serving.store.leagues.get("one").state == "finished"
    assert serving.told == ["one is over"]
    assert not serving.turn()


def test_a_league_that_waits_is_passed_over_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "AGAIN_S", 1e9)
    monkeypatch.setattr(
        served, "seconds_left", lambda _: 86_400.0
    )  # shortly before midnight, it rests for less
    serving = two_leagues(tmp_path)
    Pause("one", why="night").perform(serving.store)
    assert serving.turn()
    assert serving.turn()
    assert serving.played == ["one", "two"]
    assert serving.told == ["one is waiting: paused: night"]
    assert serving.service.waits == {"one": "paused: night"}
    assert serving.turn()
    assert serving.played[-1] == "two"
    Resume("one").perform(serving.store)
    assert serving.turn()
    assert serving.played[-1] == "one"


def test_a_league_that_cannot_be_played_does_not_stop_the_others(tmp_path: Path) -> None:
    serving = two_leagues(tmp_path)
    serving.broken.add("one")
    assert serving.turn()
    assert serving.played == ["two"]
    assert serving.told == ["one is waiting: can't be played: its game is not installed (install it)"]
    serving.broken.clear()
    serving.now_s += AGAIN_S
    assert serving.turn()
    assert serving.played == ["two", "one"], "tried again after a while"


def in_its_final(tmp_path: Path) -> Serving:
    serving = Serving(open_league(tmp_path, LADDER, name="main"))
    Season("main", matches=2).perform(serving.store)
    return serving


DAMAGE = {
    "a file that is no JSON": "UPDATE league SET config = '{rubbish' WHERE name = 'one'",
    "a file that is no table": "UPDATE league SET config = '[]' WHERE name = 'one'",
    "a missing game": "UPDATE league SET config = replace(config, 'bread-basket', 'whist') WHERE name = 'one'",
    "a missing schedule": "UPDATE league SET config = replace(config, '\"ladder\"', '\"lad\"') WHERE name = 'one'",
    "a missing rating system": "UPDATE league SET rating = 'glicko' WHERE name = 'one'",
    "an event without an entry": EVENT.format("{}"),
    "an event that is no table": EVENT.format("[]"),
    "an event that is no JSON": EVENT.format("{"),
    "a missing entry": (
        "DELETE FROM entry WHERE entry_no = 1 AND league_id = (SELECT id FROM league WHERE name = 'one')"
    ),
}


@pytest.mark.slow  # the quick one is above
def test_a_damaged_league_does_not_stop_the_others(tmp_path: Path) -> None:
    two_leagues(tmp_path).store.close()
    for what, damage in DAMAGE.items():
        store = tmp_path / what / "arena.sqlite"
        shutil.copytree(tmp_path / "arena.files", store.with_suffix(".files"))
        shutil.copy(tmp_path / "arena.sqlite", store)
        with closing(sqlite3.connect(store)) as connection:
            connection.execute(damage)
            connection.commit()
        with open_store(store) as opened:
            serving = Serving(opened)
            assert serving.turn(), what
            assert serving.turn(), what
            assert serving.played == ["two", "two"], what
            assert len(serving.told) == 1, what
            assert "can't be played" in serving.told[0]
        shown = arena_here("status", cwd=store.parent)
        assert shown.returncode in (0, 1), what
        assert shown.returncode == 0 or "hint: " in shown.stderr, what


@pytest.mark.slow
def test_the_next_season_gets_another_name_if_its_own_was_taken_during_the_final(tmp_path: Path) -> None:
    serving = in_its_final(tmp_path)
    open_league(tmp_path, ROUNDS, bots=2, name="main-2").close()
    while serving.turn():
        if "main-3 begins" in serving.told:
            break
    assert "main is over" in serving.told
    assert serving.told.count("main-3 begins") == 1


def test_a_season_begins_although_the_runner_ended_right_after_the_one_before(tmp_path: Path) -> None:
    serving = in_its_final(tmp_path)
    LeagueRun(serving.store, serving.store.leagues.get("main"), executor=SerialExecutor()).run(lambda _: None)
    assert serving.store.leagues.get("main").state == "finished"
    assert [league.name for league in serving.store.leagues.all()] == ["main"]
    assert serving.turn()
    assert serving.told[0] == "main-2 begins"
    assert serving.played == ["main-2"]


def test_a_next_season_that_cannot_begin_is_tried_again_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = in_its_final(tmp_path)

    def fails(*_: object) -> None:
        raise UsageError("no bot plays in main any more")

    with monkeypatch.context() as broken:
        broken.setattr(served, "next_season", fails)
        while serving.turn():
            pass
        serving.now_s += AGAIN_S
        assert not serving.turn()
    assert serving.told == [
        "main is over",
        "main is waiting: its next season can't begin: no bot plays in main any more",
    ]
    serving.now_s += AGAIN_S
    assert serving.turn()
    assert serving.played[-1] == "main-2"


def test_waiting_reads_the_leagues_only_after_a_change_or_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = Serving(open_league(tmp_path, LADDER, name="one"))
    Pause("one").perform(serving.store)
    while serving.turn():
        pass
    with monkeypatch.context() as unread:
        unread.setattr(type(serving.store.leagues), "all", lambda _: pytest.fail("read"))
        assert not serving.turn()
    serving.now_s += served.REST_S
    assert serving.turn(), "tried again after a while"
    while serving.turn():
        pass
    Resume("one").perform(serving.store)
    assert serving.turn()
    assert planned(serving.store, "one") > 0
