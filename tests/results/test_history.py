"""The course of ratings: the last of every span, whatever the length of the league."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from results.records import LeagueRecord
from results.reports.columns import csv_lines
from results.store import Store
from tests.support.ledgers import all_games, new_league, new_store, plan, played


@pytest.mark.parametrize("spans", [1, 3, 7, 20, 100])
def test_of_every_span_the_last_rating_is_returned(tmp_path: Path, spans: int) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    matches = plan(store, league, *[((0, 1), (1, 2), (0, 2))[number % 3] for number in range(20)])
    store.append(all_games(matches[:17]))  # three are still to be played
    points = list(store.ratings.history(league.uuid))
    expected = {(point.entry_no, point.match_no * spans // 20): point for point in points}
    course = store.ratings.course(league.uuid, spans)
    assert course == sorted(expected.values(), key=lambda point: (point.entry_no, point.match_no))
    assert store.ratings.course(league.uuid, spans, 2) == [point for point in course if point.entry_no == 2]
    assert store.ratings.course(league.uuid, spans, 3) == []


def test_a_league_without_matches_has_no_course(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    assert store.ratings.course(new_league(store).uuid, 10) == []


def test_no_span_at_all_is_refused(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with pytest.raises(ValueError, match="0 spans"):
        store.ratings.course(new_league(store).uuid, 0)


def peak_of_reading(store: Store, league: LeagueRecord, matches: int) -> int:
    """Return the most bytes held while the ratings after so many matches, made up in place, are written as CSV.

    Cycles of references would stay until the collector runs, and when it runs depends on all objects of the process:
    so it doesn't run here, and none may be left behind.
    """
    with store.changing() as connection:
        connection.execute("DELETE FROM rating_point")
        connection.execute(
            "INSERT INTO rating_point (league_id, match_no, entry_no, mu, sigma) "
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) "
            "SELECT (SELECT id FROM league WHERE uuid = ?), i, 0, 25.0 + i, 8.0 FROM n",
            (matches, league.uuid),
        )
        connection.execute("UPDATE progress SET next_match_no = ?", (matches,))
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        lines = sum(1 for _ in csv_lines(one._asdict() for one in store.ratings.history(league.uuid)))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()
        assert lines == matches + 1


@pytest.mark.slow
def test_a_long_history_needs_no_more_room_than_a_short_one(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    peak_of_reading(store, league, 100)
    assert peak_of_reading(store, league, 20_000) < 1.5 * peak_of_reading(store, league, 2_000)


@pytest.mark.slow
def test_a_history_is_read_block_by_block_without_a_gap(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    matches = plan(store, league, *[(0, 1), (1, 2)] * 300)
    store.append([played(match) for match in matches])
    points = list(store.ratings.history(league.uuid))
    assert [(point.match_no, point.entry_no) for point in points] == [
        (match.match_no, entry) for match in matches for entry in match.entries
    ]
    of_b = [point for point in points if point.entry_no == 1]
    assert list(store.ratings.history(league.uuid, 1)) == of_b
