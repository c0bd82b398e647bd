"""Playing over HTTP: who may sit down, what strangers get, hostile answers, and one game to its end."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.live.site import Site
from arena.web.play_tables.setup import fields_of
from arena.web.play_tables.table import Owner
from arena.web.play_tables.tables import TableLimits
from results.store import open_store
from tests.support.ledgers import new_store
from tests.support.waiting import PATIENCE_S, eventually
from tests.support.web.visitors import HERE, begin, form_of, member


@contextmanager
def served(folder: Path, limits: TableLimits, *, asleep: bool = False) -> Iterator[tuple[Site, TestClient]]:
    """Serve an empty store; `asleep`: processes of tables only wait."""
    new_store(folder).close()
    site = Site.of(folder / "arena.sqlite", limits)
    if asleep:
        site.tables.program = ("sh", "-c", "cat >/dev/null")
    try:
        with TestClient(create_app(site), base_url="http://localhost") as client:
            yield site, client
    finally:
        site.close()


@contextmanager
def served_again(folder: Path, before: TestClient) -> Iterator[TestClient]:
    """Serve a store as a server that was started again, to the same browser."""
    site = Site.of(folder / "arena.sqlite", TableLimits(of_guests=4))
    try:
        with TestClient(create_app(site), base_url="http://localhost", cookies=before.cookies) as client:
            yield client
    finally:
        site.close()


@pytest.fixture(scope="module")
def guests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with served(tmp_path_factory.mktemp("guests"), TableLimits(of_guests=1)) as (_, client):
        yield client


def csrf_of(client: TestClient, path: str) -> dict[str, str]:
    return {"X-Arena-Form": re.findall(r'data-csrf="(\w+)"', client.get(path).text)[0]}


def news_of(client: TestClient, path: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{path}/news").json()
    return found


def play_to_the_end(client: TestClient, path: str) -> dict[str, Any]:
    headers = csrf_of(client, path)
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        news = news_of(client, path)
        question = news["question"]
        if question and not news["answered"]:
            said = {"ask": question["number"], "choice": 0}
            assert client.post(f"{path}/answer", json=said, headers=headers).status_code == 204
        if not news["live"]:
            return news
        time.sleep(0.05)
    raise AssertionError("the game has not ended")


@pytest.mark.slow
def test_a_guest_plays_a_game_that_is_stored_once_and_unrated(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(of_guests=1)) as (_, client):
        fields = {**form_of(client.get("/play?game=bread-basket").text), "seats": "2", "seat": "0"}
        fields |= {"option-hands": "1", "bot-0": "bots/any_game/random", "time": "60"}
        paths = {
            client.post("/play", data=fields, follow_redirects=False).headers["location"] for _ in range(3)
        }
        (path,) = paths
        assert "Your tables" in client.get("/play").text
        end = play_to_the_end(client, path)
        assert (end["phase"], end["failed"], end["match"]) == ("over", "", 0)
        assert end["start"]["options"]["hands"] == 1
        page = client.get(path).text
        assert "/leagues/casual/games/0.0" in page
        assert "/play?game=bread-basket&amp;ruleset=tens" in page
        with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
            (_game,) = store.games.all("casual")
            entries = {entry.label: entry.version for entry in store.entries.all("casual")}
        guest = end["names"][0]
        assert guest.startswith("guest ")
        assert entries[guest] is None
        assert entries["random"] is not None
        with served_again(tmp_path, client) as again:
            closed = again.get(path)
            assert (closed.status_code, "/leagues/casual/games/0.0" in closed.text) == (200, True)


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ("game=zzz", 404, "There is no game called zzz. Choose one of these."),
        ("game=bread-basket&seats=99", 400, "These rules are for 2 to 6 players."),
        ("game=bread-basket&time=1", 400, "Choose a time from the list."),
        ("game=bread-basket&bot-0=none/such", 400, "Choose a bot from the list."),
        ("game=bread-basket&utm_source=x", 200, "Play now"),
        ("movement=zzz", 200, "Take a seat"),
    ],
)
def test_what_an_address_asks_to_play_is_understood_or_refused(
    guests: TestClient, asked: str, status: int, words: str
) -> None:
    answer = guests.get(f"/play?{asked}")
    assert (answer.status_code, words in answer.text) == (status, True)


def test_nobody_plays_without_an_account_unless_guests_may(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits()) as (_, client):
        page = client.get("/play?game=sandwich")
        assert "sign in" in page.text.lower()
        assert "<form" not in page.text
        assert "Playing needs an account" in client.get("/play").text
        assert (
            client.post("/play", data={}, follow_redirects=False).headers["location"] == "/sign-in?next=/play"
        )
        assert client.get("/play/nothing").status_code == 404
        assert client.get("/play/nothing/watch").status_code == 404


def test_one_tap_begins_against_a_bot_of_known_strength(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(), asleep=True) as (site, stranger):
        offered = re.findall(r'href="(/play\?game=[^"]*&amp;bot=[^"]*)"', stranger.get("/play").text)
        assert len(offered) == 9
        assert "/play?game=" not in stranger.get("/").text, "there they see what is played first"
        assert 'action="/play"' not in stranger.get("/").text
        assert all(stranger.get(one.replace("&amp;", "&")).status_code == 200 for one in offered)
        ann, _ = member(site, "ann")
        page = ann.get("/").text
        assert "strength 5 of 5" in page
        form = form_of(page[page.index('action="/play"') :].partition("</form>")[0])
        (bot, *_, other) = re.findall(r'name="bot" value="([^"]+)"', page.partition("</form>")[0])
        first, again, second = (
            ann.post("/play", data={**form, "bot": one}, headers=HERE).headers["location"]
            for one in (bot, bot, other)
        )
        assert first == again != second, "a form that is sent twice begins one game"
        table = site.tables.find(first.rpartition("/")[2])
        assert table is not None
        assert set(table.setup.bots) == {bot}
        refused = ann.post("/play", data={**form, "bot": "bots/no/such"}, headers=HERE)
        assert (refused.status_code, "Choose a bot from the list." in refused.text) == (422, True)
        assert ann.post("/play", data={**form, "csrf": "", "bot": bot}, headers=HERE).status_code == 403


def test_a_mixed_table_has_another_bot_in_each_seat(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(of_guests=2), asleep=True) as (site, client):
        page = client.get("/play?game=sandwich").text
        assert re.search('name="bot" value="mixed" checked', page)
        fields = {**form_of(page), "seats": "6", "bot": "mixed"}
        bots = []
        changes: tuple[dict[str, str], ...] = ({}, {"bot-1": "bots/any_game/random"})
        for own in changes:
            given = {**fields, **own, "form_id": str(uuid4())}
            path = client.post("/play", data=given, follow_redirects=False).headers["location"]
            table = site.tables.find(path.rpartition("/")[2])
            assert table is not None
            bots.append(table.setup.bots)
            assert any(field.startswith("bot-") for field in fields_of(table.setup)) == bool(own)
        mixed, with_own = bots
        assert len(set(mixed)) == 5
        assert all(one.startswith("bots/sandwich/") for one in mixed)
        assert with_own == (mixed[0], "bots/any_game/random", *mixed[2:])


def test_tables_of_others_are_as_none_and_spectators_get_the_public_view(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(of_guests=4), asleep=True) as (site, client):
        path = begin(client)
        headers = csrf_of(client, path)
        number = path.rpartition("/")[2]
        table = site.tables.find(number)
        assert table is not None
        mine = dict(client.cookies)
        client.cookies.clear()
        for who in ("nobody", "another guest"):
            if who == "another guest":
                begin(client)
            for attempt in (
                client.get(path),
                client.get(f"{path}/news"),
                client.post(f"{path}/answer", json={"ask": 1, "choice": 0}, headers=headers),
                client.post(f"{path}/resign", json={}, headers=headers),
                client.post(f"{path}/resign", data={"csrf": headers["X-Arena-Form"]}),
            ):
                assert attempt.status_code == 404, who
        assert not table.leaving
        assert client.get(f"{path}/watch").status_code == 200
        assert set(client.get(f"{path}/watch/news").json()).isdisjoint({"start", "ask", "question", "known"})
        client.cookies.clear()
        client.cookies.update(mine)
        assert client.post(f"{path}/resign", json={}).status_code == 403, "without what the page has"
        foreign = {**headers, "Sec-Fetch-Site": "cross-site"}
        assert client.post(f"{path}/resign", json={}, headers=foreign).status_code == 403
        assert client.post(f"{path}/resign", json={}, headers=headers).status_code == 204
        assert json.loads(table.news(-1, 0) or b"")["leaving"] == "resigned"
        with served_again(tmp_path, client) as again:
            gone = again.get(path)
            assert gone.status_code == 410
            assert "server was stopped while this game was being played" in gone.text
            again.cookies.clear()
            assert again.get(path).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        "[" * 30_000,
        '{"ask":1,"typed":' + "[" * 30_000,
        '{"ask":1,"typed":"' + "x" * 30_000 + '"}',
        '{"ask":1,"filled":{"slots":' + json.dumps([["0"] * 600] * 100) + "}}",
        '{"ask":-1}',
        '{"ask":1e400}',
        '{"ask":"1"}',
        '{"ask":1,"choice":99999999999999999999999999}',
        '{"ask":1,"move":{"type":"play"}}',
        '"\\ud800"',
        "x" * 70_000,
        "\x00",
    ],
    ids=range(12),
)
def test_hostile_answers_are_refused_in_words(
    hostile: tuple[TestClient, str, dict[str, str]], body: str
) -> None:
    client, path, headers = hostile
    answer = client.post(
        f"{path}/answer", content=body, headers={**headers, "Content-Type": "application/json"}
    )
    assert answer.status_code in (413, 422), answer.text
    assert "Traceback" not in answer.text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, str, dict[str, str]]]:
    limits = TableLimits(of_guests=4)
    with served(tmp_path_factory.mktemp("hostile"), limits, asleep=True) as (_, client):
        path = begin(client)
        yield client, path, csrf_of(client, path)


def test_an_answer_out_of_turn_is_refused_and_the_page_goes_on(
    hostile: tuple[TestClient, str, dict[str, str]],
) -> None:
    client, path, headers = hostile
    late = client.post(f"{path}/answer", json={"ask": 1, "choice": 0}, headers=headers)
    assert late.status_code == 409
    assert "moved on" in late.text
    fields = {"csrf": headers["X-Arena-Form"], "ask": "1", "choice": "0"}
    assert client.post(f"{path}/answer", data=fields, follow_redirects=False).headers["location"] == path
    assert client.get(f"{path}/news?after=99999999999999999999&told=99999999999999").status_code == 200
    assert client.get(f"{path}/news?after=x").status_code == 422


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": "../../etc"}, "Choose a game"),
        ({"seats": "99"}, "for 2 to 6 players"),
        ({"seats": "٣"}, "for 2 to 6 players"),
        ({"seat": "5"}, "seats 1 to 2"),
        ({"ruleset": "<b>"}, "&lt;b&gt;"),
        ({"option-hands": "a lot"}, "a lot"),
        ({"bot-0": "../../../etc"}, "Choose a bot from the list"),
        ({"bot-0": "bots/sandwich/greedy"}, "Choose a bot from the list"),
        ({"time": "0"}, "Choose a time"),
    ],
)
def test_a_form_that_makes_no_sense_comes_back_with_what_was_typed(
    hostile: tuple[TestClient, str, dict[str, str]], wrong: dict[str, str], said: str
) -> None:
    client, _, _ = hostile
    fields = {**form_of(client.get("/play?game=bread-basket").text), "seats": "2", "time": "600", **wrong}
    answer = client.post("/play", data={**fields, "form_id": str(uuid4())}, follow_redirects=False)
    assert answer.status_code == 422
    assert said in answer.text
    if "time" not in wrong and "game" not in wrong:
        assert '<option value="600" selected>' in answer.text


def test_a_member_plays_under_the_name_of_the_account(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(), asleep=True) as (site, _):
        ann, _ = member(site, "ann")
        bob, _ = member(site, "bob")
        fields = {**form_of(ann.get("/play?game=sandwich").text), "seats": "4"}
        assert ann.post("/play", data={**fields, "csrf": ""}, headers=HERE).status_code == 403
        path = ann.post("/play", data=fields, headers=HERE).headers["location"]
        table = site.tables.find(path.rpartition("/")[2])
        assert table is not None
        assert (table.owner, table.setup.person) == (Owner("account ann", "ann"), "ann")
        assert (ann.get(path).status_code, bob.get(path).status_code) == (200, 404)
        assert "ann plays Sandwich" in bob.get("/play").text


@pytest.mark.slow
def test_a_typed_move_that_is_refused_is_in_the_form_again(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(of_guests=1)) as (_, client):
        path = begin(client, "sandwich", seats="3", ruleset="fr")
        assert eventually(lambda: news_of(client, path)["question"] is not None)
        fields = {**form_of(client.get(path).text), "typed": 'zzz "and" more'}
        assert client.post(f"{path}/answer", data=fields, follow_redirects=False).status_code == 303
        assert eventually(lambda: news_of(client, path)["refused"] != "")
        assert 'value="zzz &#34;and&#34; more"' in client.get(path).text


def test_who_finds_all_tables_taken_is_told_when_one_is_free_again(tmp_path: Path) -> None:
    with served(tmp_path, TableLimits(of_guests=1), asleep=True) as (site, client):
        path = begin(client)
        assert f'href="{path}"' in client.get("/play").text, "it leads back to one's own table"
        with TestClient(create_app(site), base_url="http://localhost") as other:
            fields = {**form_of(other.get("/play?game=bread-basket").text), "seats": "2"}
            refused = other.post("/play", data=fields)
        assert refused.status_code == 429
        assert "10 minutes after its player has closed the page" in refused.text
        assert f'href="{path}"' not in refused.text


def test_whoever_may_not_play_is_invited_and_shown_only_what_comes_with_arena(site: TestClient) -> None:
    text = site.get("/play?game=sandwich").text
    assert "/sign-in?next=/play%3Fgame%3Dsandwich" in text
    assert 'href="/join"' in text
    listed = text.partition('class="rivals"')[2].partition("</ul>")[0]
    assert "greedy" in listed
    assert "pick" not in listed, "no store is read for visitors"
    assert '<form method="post"' not in text
    assert "Sign in to bring your bot" in site.get("/submit").text
