"""A fit is kept beside the store, shown as long as it fits the ledger, and never in the way."""

import re
from pathlib import Path

import pytest
from msgspec import structs

from results.records import LeagueRecord
from results.reports.fits import FitBy, cached_fit, fit_by_of, new_fit
from results.store import Store, open_store
from results.store.updating_derived_tables import rebuild
from tests.support.ledgers import new_league, new_store, plan, planned, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def some_league(store: Store, matches: int = 8) -> LeagueRecord:
    """Make a league in which a beats b, b beats c, always; match 3 is void, and the last is not played yet."""
    league = new_league(store, 3)
    tables = [((0, 1), (1, 2))[number % 2] for number in range(matches)]
    games = plan(store, league, *tables)
    store.append([played(match, 0, (5, 1)) for match in games[:-1] if match.match_no != 3])
    store.append([], void_matches=[(league.uuid, 3)])
    return league


@pytest.mark.slow
def test_a_new_fit_is_kept_until_the_league_goes_on(store: Store) -> None:
    league = some_league(store)
    assert cached_fit(store, league.uuid) is None
    made = new_fit(store, league.uuid)
    assert made.through == store.leagues.progress(league.uuid).matches_counted == 7
    assert made.by is FitBy.PLACES
    assert [one.entry_no for one in sorted(made.fit.strengths, key=lambda one: -one.value)] == [0, 1, 2]
    assert cached_fit(store, league.uuid) == made
    store.append([played(planned(league, 7, (1, 2)), 0, (5, 1))])
    old = cached_fit(store, league.uuid)
    assert old == made, "still there to be shown"
    assert old.through < store.leagues.progress(league.uuid).matches_counted
    assert new_fit(store, league.uuid).through == 8


def test_the_kept_fit_survives_a_rebuild_and_a_second_opening(store: Store) -> None:
    league = some_league(store)
    made = new_fit(store, league.uuid)
    rebuild(store)
    with open_store(store.path, readonly=True) as again:
        assert cached_fit(again, league.uuid) == made


def test_a_fit_of_another_ledger_is_not_looked_at(store: Store) -> None:
    league = some_league(store)
    new_fit(store, league.uuid)
    path = store.files / "fits" / f"{league.uuid}.json"
    older = re.sub(rb'"form":\d+', b'"form":2', path.read_bytes())
    for damaged in (b"", b"{}", path.read_bytes()[:-9], older):
        whole = path.read_bytes()
        path.write_bytes(damaged)
        assert cached_fit(store, league.uuid) is None
        path.write_bytes(whole)
    ratings = store.ratings.digest(league.uuid).encode()
    path.write_bytes(path.read_bytes().replace(ratings, b"0" * 64))
    assert cached_fit(store, league.uuid) is None, "as many matches, but others"
    path.write_bytes(path.read_bytes().replace(b'"through":7', b'"through":9'))
    assert cached_fit(store, league.uuid) is None, "of more matches than there are"


def test_where_nothing_can_be_kept_the_fit_is_there_all_the_same(store: Store) -> None:
    league = some_league(store)
    store.files.mkdir(exist_ok=True)
    (store.files / "fits").write_text("a file in the way")
    assert len(new_fit(store, league.uuid).fit.strengths) == 3
    assert cached_fit(store, league.uuid) is None
    assert (store.files / "fits").read_text() == "a file in the way"


def test_a_league_without_matches(store: Store) -> None:
    league = new_league(store)
    assert new_fit(store, league.uuid).fit.strengths == ()
    assert cached_fit(store, league.uuid) is not None


def test_a_fit_by_scores_is_kept_beside_the_one_by_places(store: Store) -> None:
    league = some_league(store)
    by_places = new_fit(store, league.uuid)
    made = new_fit(store, league.uuid, FitBy.SCORES)
    assert made.by is FitBy.SCORES
    assert [one.value for one in made.fit.strengths] == [4.0, 0.0, -4.0]
    assert cached_fit(store, league.uuid, FitBy.SCORES) == made
    assert cached_fit(store, league.uuid) == by_places
    assert cached_fit(store, league.uuid, FitBy.SHARES) is None


def test_a_league_that_says_nothing_is_by_places(store: Store) -> None:
    league = some_league(store)
    assert fit_by_of(league) is FitBy.PLACES
    by_scores = structs.replace(league, config={**league.config, "ranking": {"by": "scores"}})
    assert fit_by_of(by_scores) is FitBy.SCORES
