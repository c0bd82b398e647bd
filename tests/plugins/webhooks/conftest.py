"""The site's file and stores are opened in threads of the site here too."""

import pytest

from tests.support.web.opening import fail_if_opened_in_loop


@pytest.fixture(autouse=True)
def _files_are_opened_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_if_opened_in_loop(monkeypatch)
