"""A store with a small finished league of every game, an interrupted one, and one that was never played."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.live.site import Site
from tests.support.leagues import create_here, play_here, simple, write_bot
from tests.support.web.copied_site import LEAGUES, STOPPED, write_file
from tests.support.web.opening import fail_if_opened_in_loop


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the store. Tests only read it."""
    folder = tmp_path_factory.mktemp("site")
    for number in range(3):
        write_bot(folder, f"pick{number}", simple(number))
    for name, (game, seats, options) in LEAGUES.items():
        create_here(write_file(folder, name, game, seats, options))
        if name != "unplayed":
            play_here(folder, name, most_games=3 if name == STOPPED else None)
    return folder / "arena.sqlite"


@pytest.fixture(autouse=True)
def _files_are_opened_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_if_opened_in_loop(monkeypatch)


@pytest.fixture
def site(demo_store: Path) -> Iterator[TestClient]:
    """Return a client of a server of that store, which nobody has signed in to."""
    state = Site.of(demo_store)
    with TestClient(create_app(state), base_url="http://localhost") as client:
        yield client
    state.close()
