"""A league that is not rated: its matches count, nothing else is derived, and nobody gets it unasked."""

from pathlib import Path

import pytest

from results.errors import UnknownLeague
from results.records import RulesetRecord
from results.store import Store
from tests.empty_stores import open_copied

RULES = RulesetRecord("game", 1, "rules", "{}")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_copied(tmp_path / "arena.sqlite", create=True)


def make(store: Store, name: str, *, rated: bool) -> str:
    return store.leagues.create(name=name, config={}, ruleset=RULES, entries=[], rated=rated).uuid


def test_the_newest_league_is_one_that_is_rated(store: Store) -> None:
    make(store, "apart", rated=False)
    with pytest.raises(UnknownLeague):
        store.leagues.get()
    make(store, "season", rated=True)
    make(store, "apart too", rated=False)
    assert store.leagues.get().name == "season"
    assert store.leagues.get("apart too").name == "apart too"


def test_nothing_is_derived_of_it(store: Store) -> None:
    league = store.leagues.get(make(store, "apart", rated=False))
    assert not league.rated
    assert store.ratings.standings(league.uuid) == []
    assert store.ratings.after(league.uuid, -1) == {}
