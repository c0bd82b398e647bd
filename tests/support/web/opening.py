"""Where the site opens its files: never in the event loop, for which everybody waits."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from arena.web.live.site import Stores
from arena.web.site_file.site_database import SiteFile


def fail_if_opened_in_loop(monkeypatch: pytest.MonkeyPatch) -> None:
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
