"""The page on seats and luck has coalitions and bots of one author once they were computed, and so have the files."""

from pathlib import Path

import numpy as np
from arena_fair_play.reports import current_coalitions

from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.statistics import seats
from arena.web.public.url_map import content_of
from benchmarks.coalitions import league
from tests.plugins.fair_play.leagues import QUIET, stored, with_gains
from tests.support.ledgers import league_with_puppets, new_store


def test_coalitions_are_on_the_page_once_they_were_computed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    stored(store, with_gains(league(QUIET, np.random.default_rng(1)), {(0, 1): -400, (1, 0): 200}))
    file = ("leagues", "spring", "coalitions.csv")
    assert "With and without each other" not in render(seats(store, "spring"), LiveLinks())
    assert len(content_of(store, file, LiveLinks(), "").splitlines()) == 1
    current_coalitions(store, store.leagues.get("spring"))
    text = render(seats(store, "spring"), LiveLinks())
    assert "more at tables with a than its strength explains" in text
    assert "A flag is no proof: in 1 of 20 leagues" in text
    assert "The first 20 of 30; the files have all." in text
    assert len(content_of(store, file, LiveLinks(), "").splitlines()) == 31


def test_bots_of_one_author_are_on_the_page_once_they_were_computed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league_with_puppets(store)
    file = ("leagues", "spring", "authors.csv")
    heading = "Against bots of the same author"
    assert heading not in render(seats(store, "spring"), LiveLinks())
    assert len(content_of(store, file, LiveLinks(), "").splitlines()) == 1
    current_coalitions(store, store.leagues.get("spring"))
    text = render(seats(store, "spring"), LiveLinks())
    assert heading in text
    assert "a took 100.0 % of the share with its author" in text
    assert len(content_of(store, file, LiveLinks(), "").splitlines()) == 3
