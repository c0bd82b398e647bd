"""Matches are written down before they are played, once, in order, without gaps."""

from pathlib import Path

import msgspec
import pytest

from results.base.errors import LedgerConflict, RecordRefused, UnknownGame
from results.records import EntrySpec, MatchRecord, RulesetRecord
from results.store import Store
from tests.support.ledgers import RULES, new_league, new_store, plan, planned, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def test_matches_are_kept_as_planned(store: Store) -> None:
    league = new_league(store)
    rules = RulesetRecord("bread-basket", 1, "none", '{"chefs":"none","hands":2}')
    matches = [
        MatchRecord(league.uuid, 0, 0, (2, 0, 1), 3, "first round"),
        MatchRecord(league.uuid, 1, 0, (3, 1), 2, "", "planned", rules),
    ]
    store.matches.plan(league.uuid, matches)
    assert store.matches.all(league.uuid) == store.matches.open(league.uuid) == matches
    assert store.matches.get(league.uuid, 1) == matches[1]
    progress = store.leagues.progress(league.uuid)
    assert (progress.matches_planned, progress.games_planned, progress.games_done) == (2, 5, 0)
    with pytest.raises(UnknownGame, match="no match 2"):
        store.matches.get(league.uuid, 2)


def test_planning_the_same_again_is_nothing_and_goes_on(store: Store) -> None:
    league = new_league(store)
    plan(store, league, (0, 1), (2, 3))
    store.append([played(store.matches.get(league.uuid, 0))])
    again = [planned(league, number, entries) for number, entries in enumerate([(0, 1), (2, 3), (0, 2)])]
    store.matches.plan(league.uuid, again)
    assert [match.state for match in store.matches.all(league.uuid)] == ["done", "planned", "planned"]
    assert store.leagues.progress(league.uuid).matches_planned == 3


@pytest.mark.parametrize("change", [{"entries": (1, 0)}, {"games": 2}, {"round_no": 1}])
def test_another_match_of_the_same_number_is_refused(store: Store, change: dict[str, object]) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1))
    other = msgspec.structs.replace(match, **change)
    with pytest.raises(LedgerConflict, match="planned as another"):
        store.matches.plan(league.uuid, [other, planned(league, 1)])
    assert store.matches.all(league.uuid) == [match]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"entries": ()}, "1 to 16"),
        ({"entries": tuple(range(17))}, "1 to 16"),
        ({"entries": (0, 4)}, "not all among the 4"),
        ({"entries": (-1, 0)}, "not all among the 4"),
        ({"entries": (0, 1, 0)}, "twice"),
        ({"games": 0}, "0 games"),
        ({"state": "done"}, "not planned"),
        ({"league": "another"}, "of league another"),
        ({"match_no": 1}, "match 0 is next"),
        ({"match_no": -1}, "begin at 0"),
    ],
)
def test_a_match_that_can_not_be_played_is_refused(
    store: Store, change: dict[str, object], word: str
) -> None:
    league = new_league(store)
    match = msgspec.structs.replace(planned(league, 0), **change)
    with pytest.raises(RecordRefused, match=word):
        store.matches.plan(league.uuid, [match])
    assert store.matches.all(league.uuid) == []


def test_single_matches_get_the_next_number(store: Store) -> None:
    league = store.leagues.casual()
    for label in ("x", "y"):
        store.entries.casual(EntrySpec(label, None))
    first = store.matches.plan_next(league.uuid, (0, 1), 1, why="for fun", ruleset=RULES)
    second = store.matches.plan_next("casual", (0, 0), 2, ruleset=RULES)
    assert (first.match_no, second.match_no) == (0, 1)
    assert store.matches.all("casual") == [first, second]
    with pytest.raises(RecordRefused, match="no ruleset"):
        store.matches.plan_next("casual", (0, 1), 1)


def test_what_is_left_to_play(store: Store) -> None:
    league = new_league(store)
    matches = plan(store, league, (0, 1), (2, 3), (0, 2), games=2)
    store.append([played(matches[0], 0), played(matches[0], 1), played(matches[2], 1)])
    assert [match.match_no for match in store.matches.open(league.uuid)] == [1, 2]
    assert store.games.keys(league.uuid) == {(0, 0), (0, 1), (2, 1)}
    assert store.games.keys(league.uuid, 1, 1) == set()
    assert store.games.keys(league.uuid, 1) == {(2, 1)}
    assert [match.match_no for match in store.matches.all(league.uuid, state="done")] == [0]
    assert [match.match_no for match in store.matches.all(league.uuid, first=1, last=1)] == [1]
