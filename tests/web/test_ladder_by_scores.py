"""The ladder of a league that is about scores: the site's bars, and what the command line gets from a server."""

from pathlib import Path

import pytest

from arena.cli.servers import as_report
from arena.web.api.public import _rankings as answer_of
from arena.web.links import LiveLinks
from arena.web.pages.ladder import ladder
from arena.web.rendering import render
from results.records import EntrySpec, LeagueRecord
from results.reports.fit_cache import FitBy, fit_by_of, kept_fit, new_fit
from results.reports.rankings import rankings
from results.store import Store
from tests.results.ledgers import RULES, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def league(store: Store) -> LeagueRecord:
    """Return a league in which a is ahead of b by 4 to 7 points, and level with c."""
    found = store.leagues.create(
        "spring",
        config={"game": "bread-basket", "ranking": {"by": "scores"}},
        ruleset=RULES,
        entries=[EntrySpec(label, None) for label in "abc"],
        secret=bytes(32),
        keep_replays="all",
    )
    matches = plan(store, found, *[(0, 1), (0, 2), (1, 2)] * 10)
    worth = (5, 0, 5)
    store.append(
        [
            played(
                match,
                0,
                [worth[entry] + match.match_no % (2 + seat) for seat, entry in enumerate(match.entries)],
            )
            for match in matches
        ]
    )
    return found


def test_bars_are_in_points(store: Store, league: LeagueRecord) -> None:
    assert "μ ± 2σ" in render(ladder(store, "spring"), LiveLinks())
    new_fit(store, league.uuid, fit_by_of(store, league))
    text = render(ladder(store, "spring"), LiveLinks())
    assert "in points per game" in text
    assert "Elo" not in text
    assert text.count('<use href="#ladder-grid"/>') == 3


@pytest.mark.parametrize("is_fitted", [False, True])
def test_rankings_of_a_server_are_those_of_this_machine(
    store: Store, league: LeagueRecord, *, is_fitted: bool
) -> None:
    if is_fitted:
        new_fit(store, league.uuid, FitBy.SCORES)
    here = rankings(store, league, kept_fit(store, league.uuid, FitBy.SCORES))
    there = as_report(answer_of(store, league, None))
    assert there.rows == here.rows
    assert there.keys == here.keys
    assert (there.rows[0].fit_value is not None) is is_fitted
