"""The ladder of a league that is about scores: the site's bars, and what the command line gets from a server."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from arena.cli.commands.run import final_fit
from arena.cli.display.rankings import strength
from arena.web.api.public import _rankings as answer_of
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.rankings import ladder
from arena.web.pages.statistics import head_to_head
from results.records import EntrySpec, LeagueRecord
from results.reports.fits import FitBy, cached_fit, fit_by_of, new_fit
from results.reports.head_to_head import CountedBy, pair_rows
from results.reports.ranking_columns import Rankings
from results.reports.rankings import ordering_fit, ranking_rows, rankings
from results.store import Store
from tests.support.leagues import arena_here
from tests.support.ledgers import RULES, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def by_scores(store: Store, name: str, **options: Any) -> LeagueRecord:
    """Make a league by scores of three bots that has no games yet."""
    return store.leagues.create(
        name,
        config={"game": "bread-basket", "ranking": {"by": "scores"}},
        ruleset=RULES,
        entries=[EntrySpec(label, None) for label in "abc"],
        secret=bytes(32),
        keep_replays="all",
        **options,
    )


@pytest.fixture
def league(store: Store) -> LeagueRecord:
    """Return a league in which a is ahead of b by 4 to 7 points, and level with c."""
    found = by_scores(store, "spring")
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


def one_sided(store: Store) -> LeagueRecord:
    """Return a league in which a beats b by a point in each match, and b beats c by far more than a does."""
    found = by_scores(store, "autumn")
    points: dict[tuple[int, ...], tuple[int, int]] = {(0, 1): (3, 2), (0, 2): (4, 2), (1, 2): (30, 0)}
    store.append(
        [
            played(match, 0, [score + match.match_no % 2 for score in points[match.entries]])
            for match in plan(store, found, *points, *points, *points, *points, *points, *points)
        ]
    )
    return found


def order_shown(store: Store) -> list[str]:
    """Return the bots of the page Head to head, from the top."""
    return [label for _, label, _ in head_to_head(store, "autumn").values["rows"]]


def test_bars_are_in_points(store: Store, league: LeagueRecord) -> None:
    assert "μ ± 2σ" in render(ladder(store, "spring"), LiveLinks())
    new_fit(store, league.uuid, fit_by_of(league))
    text = render(ladder(store, "spring"), LiveLinks())
    assert "in points per game" in text
    assert "Elo" not in text
    assert text.count('<use href="#ladder-grid"/>') == 3


def test_head_to_head_is_in_the_order_of_the_rankings(store: Store) -> None:
    league = one_sided(store)
    store.leagues.set_state(league.uuid, "finished")
    league = store.leagues.get(league.uuid)
    by_rating = order_shown(store)
    assert by_rating == [row.label for row in ranking_rows(store, league)]
    assert ordering_fit(store, league) is not None
    by_points = order_shown(store)
    assert by_points == [row.label for row in ranking_rows(store, league)]
    assert by_points != by_rating
    pairs = [pair.bot for pair in pair_rows(store, league, CountedBy.MATCHES)]
    assert list(dict.fromkeys(pairs)) == by_points


def test_a_run_that_nobody_watches_and_the_matrix_end_in_the_order_of_the_rankings(store: Store) -> None:
    league = one_sided(store)
    assert final_fit(store, league) is None, "it goes on"
    finished = store.leagues.set_state(league.uuid, "finished")
    drawn = arena_here("matrix", "--format", "md", cwd=store.path.parent).stdout.splitlines()
    by_points = [row.label for row in ranking_rows(store, finished)]
    assert [line.split("|")[2].strip() for line in drawn[2:]] == by_points
    fit = final_fit(store, finished)
    assert fit is not None
    report = rankings(store, finished, fit)
    assert report.by_fit
    assert [row.label for row in report.rows] == by_points == order_shown(store)


@pytest.mark.parametrize("is_fitted", [False, True])
def test_rankings_of_a_server_are_those_of_this_machine(
    store: Store, league: LeagueRecord, *, is_fitted: bool
) -> None:
    if is_fitted:
        new_fit(store, league.uuid, FitBy.SCORES)
    here = rankings(store, league, cached_fit(store, league.uuid, FitBy.SCORES))
    there = msgspec.json.decode(msgspec.json.encode(answer_of(store, league, None)), type=Rankings)
    assert there == here, "with all that the notes say"
    assert there.keys == here.keys
    assert (there.rows[0].strength is not None) is is_fitted


@pytest.mark.parametrize("circle", [[], ["a"]])
def test_a_server_that_answers_with_a_circle_of_nobody_is_not_believed(
    store: Store, league: LeagueRecord, circle: list[str]
) -> None:
    answer = msgspec.to_builtins(answer_of(store, league, None))
    assert msgspec.convert(answer | {"circles": [["a", "b"]]}, Rankings).circles == (("a", "b"),)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(answer | {"circles": [circle]}, Rankings)


def test_ends_of_an_interval_that_are_far_apart_are_shown(store: Store, league: LeagueRecord) -> None:
    new_fit(store, league.uuid, FitBy.SCORES)
    row = rankings(store, league, cached_fit(store, league.uuid, FitBy.SCORES)).rows[0]
    assert row.strength is not None
    far = structs.replace(row.strength, low=-1.7e308, high=1.7e308)
    assert strength(structs.replace(row, strength=far)).startswith("+")
