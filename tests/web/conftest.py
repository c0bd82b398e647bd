"""A store with a small finished league of every game, an interrupted one, and one that was never played."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.live.site import Site, Stores
from arena.web.site_file.file import SiteFile
from tests.support.leagues import create_here, play_here, simple, write_bot
from tests.support.web.copied_site import LEAGUES, STOPPED, write_file


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
    """Fail if the event loop, for which everybody waits, opens the site's file or a store.

    Nor may the threads that the framework has for everything, and stores aren't opened in those of the site's file.
    """

    def checked(open_it: Callable[..., Any], *others: str) -> Callable[..., Any]:
        def opened(*args: Any, **kwargs: Any) -> Any:
            name = threading.current_thread().name
            assert not name.startswith(("AnyIO worker", *others)), f"{open_it.__qualname__} in {name}"
            if threading.current_thread() is threading.main_thread():
                return open_it(
                    *args, **kwargs
                )  # servers of tests run in other threads; this loop is Playwright's
            with suppress(RuntimeError):
                raise AssertionError(f"{open_it.__qualname__} in the event loop {asyncio.get_running_loop()}")
            return open_it(*args, **kwargs)

        return opened

    monkeypatch.setattr(SiteFile, "_transaction", checked(SiteFile._transaction))
    monkeypatch.setattr(Stores, "borrowed", checked(Stores.borrowed, "site-file"))


@pytest.fixture
def site(demo_store: Path) -> Iterator[TestClient]:
    """Return a client of a server of that store, which nobody has signed in to."""
    state = Site.of(demo_store)
    with TestClient(create_app(state), base_url="http://localhost") as client:
        yield client
    state.close()
