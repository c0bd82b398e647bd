"""The course of ratings: the last of every span, whatever the length of the league."""

from pathlib import Path

import pytest

from tests.results.ledgers import all_games, new_league, new_store, plan


@pytest.mark.parametrize("spans", [1, 3, 7, 20, 100])
def test_of_every_span_the_last_rating_is_returned(tmp_path: Path, spans: int) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    matches = plan(store, league, *[((0, 1), (1, 2), (0, 2))[number % 3] for number in range(20)])
    store.append(all_games(matches[:17]))  # three are still to be played
    points = store.rating_history(league.uuid)
    expected = {(point.entry_no, point.match_no * spans // 20): point for point in points}
    course = store.rating_course(league.uuid, spans)
    assert course == sorted(expected.values(), key=lambda point: (point.entry_no, point.match_no))
    assert store.rating_course(league.uuid, spans, 2) == [point for point in course if point.entry_no == 2]
    assert store.rating_course(league.uuid, spans, 3) == []


def test_a_league_without_matches_has_no_course(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    assert store.rating_course(new_league(store).uuid, 10) == []


def test_no_span_at_all_is_refused(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    with pytest.raises(ValueError, match="0 spans"):
        store.rating_course(new_league(store).uuid, 0)
