"""The JSON API: the same rows as the commands, problems as JSON, and logs for their owners alone."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.web.api.access import Rates
from arena.web.app import create_app
from arena.web.live.site import Site
from results.reports.columns import json_lines
from results.reports.ranking_columns import Rankings
from results.store import open_store
from tests.support.leagues import arena_here
from tests.support.ledgers import add_version
from tests.support.web.copied_site import STOPPED, copied_site
from tests.support.web.uploading import bearer

V1 = "/api/v1"


@pytest.fixture
def state(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    """Yield a site of the store whose accounts are in a file of this test."""
    found = Site.of(demo_store)
    found.file.path = tmp_path / "arena.site.sqlite"
    yield found
    found.close()


@pytest.fixture
def api(state: Site) -> TestClient:
    return TestClient(create_app(state), base_url="http://localhost")


def test_rankings_are_the_rows_of_the_command(api: TestClient, demo_store: Path) -> None:
    for league in ("bread", STOPPED):
        printed = arena_here(
            "rankings", league, "--format", "json", "--store", demo_store, cwd=demo_store.parent
        )
        found = api.get(
            f"{V1}/leagues/{league.replace('?', '%3F').replace('#', '%23').replace('%%', '%25%')}/rankings"
        )
        if league == "bread":
            answer = msgspec.json.decode(found.content, type=Rankings)
            assert json.loads("".join(json_lines(answer.rows, answer.keys))) == json.loads(printed.stdout)
    assert {one["name"] for one in api.get(f"{V1}/leagues").json()} >= {"bread", STOPPED, "unplayed"}


def test_an_answer_is_sent_again_only_after_a_change(api: TestClient) -> None:
    first = api.get(f"{V1}/leagues")
    assert first.status_code == 200
    tag = first.headers["etag"]
    assert api.get(f"{V1}/leagues", headers={"If-None-Match": tag}).status_code == 304
    assert api.get(f"{V1}/leagues", headers={"If-None-Match": '"other"'}).status_code == 200


def test_games_of_unfinished_matches_stay_hidden(api: TestClient, state: Site) -> None:
    league = next(one for one in api.get(f"{V1}/leagues").json() if one["name"] == STOPPED)
    assert league["games"] == 3
    with state.stores.borrowed() as store:
        games = store.games.all(store.leagues.get(STOPPED).uuid)
        hidden = [game for game in games if game.state == "planned"]
        assert hidden
    name = f"{hidden[0].match_no}.{hidden[0].rotation}"
    path = f"{V1}/leagues/{STOPPED.replace('%', '%25').replace('?', '%3F').replace('#', '%23')}/games"
    listed = api.get(path).json()
    assert {one["game"]: one["is_visible"] for one in listed}[name] is False
    headers = bearer(state, "tests")
    for what in ("replay", "log", "why"):
        answer = api.get(f"{path}/{name}/{what}", headers=headers)
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            f"game {STOPPED}/{name} can't be seen yet: match {hidden[0].match_no} is still being played, "
            "on the same deal",
        )


def test_a_kept_answer_is_given_to_the_same_question_alone(api: TestClient) -> None:
    path = f"{V1}/leagues/bread/games"
    for limits in ((1, 2), (2, 1)):
        answer = api.get(path, params=[("limit", limit) for limit in limits])
        assert len(answer.json()) == limits[-1]
    assert api.get(f"{V1}/leagues/bread?").status_code == 200
    assert api.get(f"{V1}/leagues/bread%3F").status_code == 404


def test_logs_are_for_their_author(api: TestClient, state: Site) -> None:
    path = f"{V1}/leagues/bread/games/0.0"
    assert api.get(f"{path}/log").status_code == 401
    stranger = api.get(f"{path}/log", headers=bearer(state, "eve"))
    assert (stranger.status_code, stranger.json()["message"]) == (403, "only its author sees this")
    for headers in (bearer(state, "tests"), bearer(state, "olga", "organiser")):
        log = api.get(f"{path}/log", headers=headers)
        assert [seat["seat"] for seat in log.json()["seats"]] == [0, 1, 2]
        assert api.get(f"{path}/why?seat=0", headers=headers).json()[0]["game"] == "bread/0.0"
    assert api.get(f"{path}/log?bot=nobody", headers=headers).status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/leagues/nothing", 404, "there is no league 'nothing'"),
        ("/leagues/bread/games/77.0", 404, "game bread/77.0 is not in the ledger"),
        ("/leagues/bread/games/x", 422, "game: "),
        ("/leagues/bread/games?limit=0", 422, "limit: "),
        ("/leagues/bread/games?bots=x", 422, "bots: this address has no such parameter. It may have before"),
        ("/leagues?x=", 422, "x: this address has no such parameter. It may have none"),
        ("/versions/tests/pick0/99", 404, "there is no version 'tests/pick0@99'"),
        ("/uploads", 401, "Send a token"),
        ("/nothing", 404, "Not Found"),
    ],
)
def test_problems_are_json_without_places_of_the_machine(
    api: TestClient, demo_store: Path, path: str, status: int, words: str
) -> None:
    answer = api.get(V1 + path)
    assert answer.status_code == status
    assert answer.json()["message"].startswith(words)
    assert str(demo_store.parent) not in answer.text


def test_a_token_that_is_not_valid_is_never_taken_for_nobody(api: TestClient) -> None:
    assert api.get(f"{V1}/whoami").json() == {"account": None, "role": None}
    assert api.get(f"{V1}/whoami", headers={"Authorization": "Bearer arena_wrong"}).status_code == 401


def test_authors_change_their_own_entries_and_organisers_all(demo_store: Path, tmp_path: Path) -> None:
    with copied_site(demo_store, tmp_path) as site:
        api = TestClient(create_app(site), base_url="http://localhost")

        def asks(name: str, kind: str, role: str = "author", **data: str) -> tuple[int, str]:
            wish = {"kind": kind, "data": {"league": "unplayed", **data}}
            answer = api.post(f"{V1}/commands", json=wish, headers=bearer(site, name, role))
            return answer.status_code, answer.json().get("message", "")

        wish = {"kind": "retire", "data": {"league": "unplayed", "entry": "pick0"}}
        assert api.post(f"{V1}/commands", json=wish).status_code == 401
        for entry in ("pick0", "0", "tests/pick0@1"):
            for kind in ("retire", "replace"):
                assert asks("eve", kind, entry=entry) == (403, "pick0 is not your bot")
        assert asks("eve", "pause", entry="pick0") == (403, "only organisers may do this")
        assert asks("tests", "pause", entry="pick0") == (403, "only organisers may do this")
        assert asks("eve", "retire", entry="nobody")[0] == 404
        with open_store(site.stores.path) as store:
            add_version(store, "eve", "rye", "ab" * 32, {"name": "rye"}, {})
        assert asks("tests", "replace", entry="pick0", bot="eve/rye") == (403, "eve/rye@1 is not your bot")
        assert asks("tests", "retire", entry="pick0") == (202, "")
        entries = api.get(f"{V1}/leagues/unplayed/entries").json()
        assert [one["label"] for one in entries if one["retired"]] == ["pick0"]
        for name, role, known in (("tests", "author", 1), ("eve", "author", 0), ("olga", "organiser", 1)):
            found = api.get(f"{V1}/commands", headers=bearer(site, name, role)).json()
            assert [one["kind"] for one in found] == ["retire"] * known
        assert asks("o", "x", "organiser") == (422, "there is no change 'x'")


def test_the_document_describes_every_route(api: TestClient) -> None:
    document = api.get("/api/openapi.json").json()
    assert len(document["paths"]) == 18
    for path in document["paths"].values():
        for route in path.values():
            assert route["description"]
            assert set(route["responses"]) >= {"401", "422", "429", "503"}


def test_too_many_requests_wait() -> None:
    now = [0.0]
    rates = Rates(60, 2, lambda: now[0])
    assert [rates.wait_s("a"), rates.wait_s("a"), rates.wait_s("b")] == [0, 0, 0]
    assert rates.wait_s("a") == 1
    now[0] = 1.0
    assert rates.wait_s("a") == 0
