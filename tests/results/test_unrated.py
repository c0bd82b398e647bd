"""What is not rated: whole leagues, whose matches count and nothing else is derived, and single matches of others."""

from pathlib import Path

import pytest
from arena_lottery.pair_parts import pair_parts
from msgspec.structs import replace

from results.base.errors import LedgerConflict, UnknownLeague
from results.records import EntrySpec, RulesetRecord
from results.store import Store
from results.store.updating_derived_tables import rebuild
from results.store.verification.verify import verify
from tests.support.empty_stores import open_copied
from tests.support.ledgers import all_games, planned

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


def test_a_match_that_is_not_rated_counts_in_nothing_but_what_was_played(store: Store) -> None:
    """Whether it is appended whole or in pieces, and after `rebuild`."""
    entries = [EntrySpec(label, None) for label in "abc"]
    league = store.leagues.create(name="spring", config={}, ruleset=RULES, entries=entries)
    tables = [((0, 1), True), ((0, 2), False), ((1, 2), True), ((2, 0), False)]
    matches = [
        replace(planned(league, number, table, games=2), rated=rated)
        for number, (table, rated) in enumerate(tables)
    ]
    store.matches.plan(league.uuid, matches)
    assert [match.rated for match in store.matches.all(league.uuid)] == [rated for _, rated in tables]
    with pytest.raises(LedgerConflict, match="not rated"):
        store.matches.plan(league.uuid, [replace(matches[1], rated=True)])
    games = all_games(matches)
    store.append(games[:3])
    assert store.leagues.progress("spring").games_unrated == 0
    store.append(games[3:6])
    store.append(games[6:])
    assert store.leagues.progress("spring").games_unrated == 4
    assert {row.label: row.matches for row in store.ratings.standings("spring")} == {"a": 1, "b": 2, "c": 1}
    assert [point.match_no for point in store.ratings.history("spring", 0)] == [0]
    assert {(pair.entry_no, pair.opponent_no) for pair in store.totals.head_to_head("spring")} == {
        (0, 1), (1, 0), (1, 2), (2, 1),
    }  # fmt: skip
    assert {(part.entry_a, part.entry_b) for part in pair_parts(store, league)} == {(0, 1), (1, 2)}
    assert {seat.match_no for block in store.seats.results("spring") for seat in block} == {0, 2}
    assert [match.match_no for match in store.matches.counted("spring", 0, 4)] == [0, 2]
    assert [match.match_no for match in store.matches.all("spring", unrated=True)] == [1, 3]
    assert [result.match_no for result in store.matches.results("spring")] == [0, 1, 2, 3], "for formats"
    before = store.ratings.digest("spring"), store.leagues.progress("spring")
    assert verify(store) == []
    rebuild(store)
    assert (store.ratings.digest("spring"), store.leagues.progress("spring")) == before
