"""What goes on in a store is found out without reading whole leagues."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from protocol.verdicts import Verdict
from results.records import AttemptRecord, LeagueRecord
from results.store import Store
from results.store.beside_store import disk_use
from tests.support.ledgers import new_league, new_store, plan, played, queries_of

MATCHES = 64


def at(minute: int) -> str:
    return f"2026-01-31T{10 + minute // 60:02}:{minute % 60:02}:00.000Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def league(store: Store) -> LeagueRecord:
    """Return a league with a match each minute; every fourth has a crash, and the last four aren't played yet."""
    made = new_league(store, keep_replays="none")
    matches = plan(store, made, *[(0, 1)] * MATCHES)
    store.append(
        [
            structs.replace(
                played(match, faults={0: Verdict.CRASH} if match.match_no % 4 == 0 else None),
                finished_at=at(match.match_no),
            )
            for match in matches[:-4]
        ]
    )
    return made


def test_faults_are_those_since_a_time(store: Store, league: LeagueRecord) -> None:
    assert store.activity.faults(league.uuid, at(0)) == {"crash": 15}
    assert store.activity.faults(league.uuid, at(40)) == {"crash": 5}
    assert store.activity.faults(league.uuid, at(41)) == {"crash": 4}
    assert store.activity.faults(league.uuid, at(600)) == {}


def test_failed_attempts_are_those_since_a_time_with_their_void_matches(
    store: Store, league: LeagueRecord
) -> None:
    def failed(match_no: int, minute: int, attempt: int = 1) -> AttemptRecord:
        return AttemptRecord(
            league.uuid, match_no, 0, attempt, Verdict.HOST, f"detail {minute}", "w1", at(minute)
        )

    store.append([], [failed(2, 2), failed(61, 50), failed(61, 55, 2), failed(62, 58)], [(league.uuid, 61)])
    (found,) = store.activity.failed_attempts(league.uuid, at(30))
    assert (found.verdict, found.attempts, found.matches, found.void) == ("host", 3, 2, 1)
    assert (found.newest_at, found.newest_detail) == (at(58), "detail 58")
    (found,) = store.activity.failed_attempts(league.uuid, at(0))
    assert found.attempts == 4
    assert store.activity.failed_attempts(league.uuid, at(600)) == []


def test_leagues_have_their_progress_and_the_number_of_their_events(
    store: Store, league: LeagueRecord
) -> None:
    store.leagues.add_event(league.uuid, 7, "paused", {"by": "organiser", "why": "x"})
    new_league(store, name="autumn")
    first, second = store.activity.now().leagues
    assert (first.name, first.matches_planned, first.matches_done, first.games_done) == ("spring", 64, 60, 60)
    assert (first.next_match_no, first.events, first.last_event_match_no) == (60, 1, 7)
    assert (second.name, second.events, second.last_event_match_no) == ("autumn", 0, -1)
    assert store.activity.games() == 60


def test_no_query_scans_the_games_of_a_league(store: Store, league: LeagueRecord) -> None:
    asked = queries_of(store)
    store.activity.now()
    store.activity.faults(league.uuid, at(40))
    store.activity.failed_attempts(league.uuid, at(40))
    assert len(asked) > 6
    assert len([statement for statement in asked if "finished_at" in statement]) < 20
    for statement in tuple(asked):
        with store.reading() as connection:
            plan_of = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        for row in plan_of:
            for table in ("match", "game", "seat", "attempt"):
                assert f"SCAN {table}" not in row[3], statement
                if row[3].startswith(f"SEARCH {table} "):
                    assert "match_no" in row[3], (row[3], statement)


def test_disk_use_counts_files_and_follows_no_link(tmp_path: Path) -> None:
    store = tmp_path / "arena.sqlite"
    store.write_bytes(b"x" * 100)
    store.with_name("arena.sqlite-wal").write_bytes(b"x" * 10)
    folder = tmp_path / "arena.files" / "versions" / "a"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_bytes(b"x" * 7)
    (folder / "up").symlink_to(tmp_path)
    found = disk_use(store)
    assert (found.store_bytes, found.wal_bytes) == (100, 10)
    assert 7 <= found.files_bytes < 200
    assert found.files_complete
    assert found.free_bytes


def test_disk_use_looks_at_a_limited_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.store.beside_store.MOST_FILES", 3)
    files = tmp_path / "arena.files"
    files.mkdir()
    for number in range(5):
        (files / str(number)).write_bytes(b"x")
    found = disk_use(tmp_path / "arena.sqlite")
    assert (found.files_bytes, found.files_complete) == (3, False)
