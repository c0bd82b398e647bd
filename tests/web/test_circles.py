"""The ladder says that bots beat each other in a circle."""

from pathlib import Path

from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.rankings import ladder
from tests.support.ledgers import new_league, new_store, plan, played


def test_the_ladder_tells_a_circle(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store, 3)
    planned = plan(store, league, *[(0, 1), (1, 2), (2, 0)] * 14)
    store.append([played(match, 0, (5, 1)) for match in planned[:9]])
    assert "A circle" not in render(ladder(store, league.name), LiveLinks())
    store.append([played(match, 0, (5, 1)) for match in planned[9:]])
    text = render(ladder(store, league.name), LiveLinks())
    assert "A circle: a beats b, b beats c, c beats a. Their order depends on who else plays." in text
