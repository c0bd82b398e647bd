"""Generated requests never make the API fail, and its answers are what its document says."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient

from arena.web.api import app as api_app
from arena.web.app import create_app
from arena.web.live.site import Site
from tests.support.web.copied_site import copied_site
from tests.support.web.visitors import token_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("api-schema")]
EXAMPLES = 15


@pytest.fixture(autouse=True)
def unlimited() -> Iterator[None]:
    with (
        patch.object(api_app, "PER_MINUTE", 1e9),
        patch.object(api_app, "BURST", 10**9),
        patch.object(api_app, "PER_MINUTE_SIGNED_IN", 1e9),
        patch.object(api_app, "BURST_SIGNED_IN", 10**9),
    ):
        yield


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path, with_files=True) as found:
        yield found


def attack(site: Site, headers: dict[str, str]) -> int:
    """Send generated requests to every route; return how many were answered."""
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(site))
    answered = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        def send(case: Any) -> None:
            nonlocal answered
            answer = case.call(headers=headers)
            answered += 1
            checks = [status_code_conformance, response_schema_conformance]
            if answer.status_code != 503:  # this one says that the store is missing
                checks.append(not_a_server_error)
            case.validate_response(answer, checks=checks)

        given(case=operation.as_strategy())(send)()
    return answered


def test_without_a_token(site: Site) -> None:
    assert attack(site, {}) > 100


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_with_a_token(site: Site, role: str) -> None:
    headers = {"Authorization": f"Bearer {token_of(site, 'tests', role)}"}  # type: ignore[arg-type]
    assert attack(site, headers) > 100


def test_without_a_store(tmp_path: Path) -> None:
    site = Site.of(tmp_path / "arena.sqlite")
    headers = {"Authorization": f"Bearer {token_of(site, 'tests', 'organiser')}"}
    assert attack(site, headers) > 100
    site.close()


def test_with_a_store_that_is_locked(site: Site) -> None:
    """Somebody holds an exclusive lock in SQLite; the API says so, and goes on afterwards."""
    client = TestClient(create_app(site), base_url="http://localhost")
    with patch("results.store.sqlite_file.BUSY_TIMEOUT_MS", 100):
        with closing(sqlite3.connect(site.stores.path, isolation_level=None)) as holder:
            holder.execute("PRAGMA locking_mode = EXCLUSIVE")
            holder.execute("BEGIN EXCLUSIVE")
            for path in ("leagues", "leagues/bread/rankings", "versions"):
                answer = client.get(f"/api/v1/{path}")
                assert (answer.status_code, answer.json()["hint"]) == (503, "try again later")
            holder.execute("ROLLBACK")
        assert client.get("/api/v1/leagues").status_code == 200
