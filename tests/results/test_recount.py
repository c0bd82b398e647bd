"""Matches that are counted again: once, as long as nothing happens in their league."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from results.reports.recounted_matches import Recount, Selection, recount
from results.store import Store
from tests.support.ledgers import all_games, new_league, new_store, plan, planned

SEATS = Selection(seats=2)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = new_store(tmp_path)
    league = new_league(store)
    store.append(all_games(plan(store, league, (0, 1), (2, 3), (1, 2), games=2)))
    return store


@pytest.fixture
def reads(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return a function that tells how often matches have been read."""
    chosen, count = store.matches.chosen, [0]

    def counted(*given: Any) -> Any:
        count[0] += 1
        return chosen(*given)

    monkeypatch.setattr(store.matches, "chosen", counted)
    return lambda: count[0]


def counted(store: Store, selection: Selection = SEATS, before: int | None = None) -> Recount:
    return recount(store, store.leagues.get("spring"), selection, before)


def test_the_same_matches_are_counted_once(store: Store, reads: Callable[[], int]) -> None:
    first = counted(store)
    assert counted(store) == first
    assert first.matches == 3
    assert reads() == 1
    counted(store, before=1)
    counted(store, Selection(against=frozenset({1})))
    assert reads() == 3
    counted(store)
    assert reads() == 3


def test_a_new_match_is_counted(store: Store, reads: Callable[[], int]) -> None:
    counted(store)
    match = planned(store.leagues.get("spring"), 3, (0, 3), games=2)
    store.matches.plan("spring", [match])
    store.append(all_games([match]))
    assert counted(store).matches == 4
    assert reads() == 2


def test_a_few_results_are_kept(store: Store, reads: Callable[[], int]) -> None:
    for entry in range(4):
        counted(store, Selection(against=frozenset({entry})))
    counted(store)
    counted(store, Selection(against=frozenset({3})))
    assert reads() == 5
    counted(store, Selection(against=frozenset({0})))
    assert reads() == 6
