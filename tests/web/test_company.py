"""The page on seats and luck has coalitions once they were computed, and so have the files."""

from pathlib import Path

import numpy as np

from arena.web.downloads import download
from arena.web.links import LiveLinks
from arena.web.pages.seats import seats
from arena.web.rendering import render
from benchmarks.coalitions import league
from results.reports.coalitions import current_coalitions
from tests.results.ledgers import new_store
from tests.results.test_coalitions import QUIET, stored, with_gains


def test_coalitions_are_on_the_page_once_they_were_computed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    stored(store, with_gains(league(QUIET, np.random.default_rng(1)), {(0, 1): -400, (1, 0): 200}))
    path = ("leagues", "spring", "coalitions.csv")
    assert "With and without each other" not in render(seats(store, "spring"), LiveLinks())
    assert len(download(store, path, {}).splitlines()) == 1
    current_coalitions(store, store.leagues.get("spring"))
    text = render(seats(store, "spring"), LiveLinks())
    assert "more at tables with a than its strength explains" in text
    assert "A flag is no proof." in text
    assert "The first 20 of 30; the files have all." in text
    assert len(download(store, path, {}).splitlines()) == 31
