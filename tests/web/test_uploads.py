"""Uploads: the queue, what is refused before and after the check, and who sees what."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.checking.step_results import Failure
from arena.client.api_types import Refusal
from arena.submissions.entering import Submission
from arena.web.app import create_app
from arena.web.live.site import Site
from arena.web.site_file import accounts, pending_commands, upload_queue
from arena.web.uploads.check import MOST_MESSAGE_BYTES, WORDS, Passed, Progress, Refused, without_folders
from arena.web.uploads.receiving import archive_name
from arena.web.uploads.worker import Worker
from results.base.children import Failed
from results.records.roster import QUEUED, jobs_of
from results.reports.queue import queue_rows
from results.store import open_store
from tests.support.ledgers import add_version
from tests.support.waiting import eventually
from tests.support.web.copied_site import copied_site
from tests.support.web.uploading import archive, bearer, limit, upload, worker
from tests.support.web.visitors import HERE, member


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path, with_files=True) as found:
        yield found


@pytest.fixture
def api(site: Site) -> TestClient:
    return TestClient(create_app(site), base_url="http://localhost")


def test_a_bot_is_uploaded_checked_and_entered_once(site: Site, api: TestClient) -> None:
    headers = bearer(site)
    sent = upload(api, headers, archive(), "?name=../../rye.zip")
    assert sent.status_code == 201
    second = sent.json()
    assert (second["archive"], second["state"], second["place"]) == ("rye.zip", "queued", 0)
    assert worker(site).work()
    assert api.get(f"/api/v1/uploads/{second['id']}", headers=headers).json()["state"] == "entering"
    with site.file.reading() as db:
        (command,) = pending_commands.waiting(db)
    assert command.data["of_account"], "as the default of active versions depends on it"
    assert site.deliveries.deliver_waiting() == 0
    accepted = api.get(f"/api/v1/uploads/{second['id']}", headers=headers).json()
    assert (accepted["state"], accepted["version"], accepted["refusal"]) == ("accepted", "ann/rye@1", None)
    assert [step["name"] for step in accepted["steps"]] == ["manifest", "start", "handshake", "bread-basket"]
    for other in (bearer(site, "eve"), {}):
        assert api.get(f"/api/v1/uploads/{second['id']}", headers=other).status_code == (
            404 if other else 401
        )
    assert api.get("/api/v1/uploads", headers=bearer(site, "eve")).json() == []
    assert site.reception.use("ann").kept_bytes > 0
    assert not list(site.reception.folder.iterdir())  # archives aren't kept


@pytest.mark.slow
def test_uploads_wait_for_their_turn_and_a_league_that_is_missing_refuses(
    site: Site, api: TestClient
) -> None:
    headers = bearer(site)
    first = upload(api, headers, archive(), "?league=nothing").json()
    second = upload(api, headers, archive()).json()
    assert (first["place"], second["place"]) == (0, 1)
    at_work = worker(site)
    while at_work.work():
        pass
    refused = api.get(f"/api/v1/uploads/{first['id']}", headers=headers).json()
    assert (refused["state"], refused["refusal"]["step"]) == ("refused", "leagues")
    assert refused["refusal"]["failure"]["cause"] == "there is no league 'nothing'"


def browser(site: Site, name: str = "ann") -> tuple[TestClient, str]:
    return member(site, name)


def test_the_form_keeps_the_leagues_after_a_problem(site: Site) -> None:
    client, csrf = browser(site)
    assert 'value="48"' not in client.get("/submit").text
    assert "up to 48 MiB" in client.get("/submit").text
    assert "tick the league to replace it" in client.get("/submit").text
    fields = {"csrf": csrf, "league": "unplayed"}
    without = client.post("/submit", data=fields, files={"archive": ("", b"")}, headers=HERE)
    assert without.status_code == 400
    assert "no file was chosen" in without.text
    forged = client.post(
        "/submit", data={"csrf": "0" * 64}, files={"archive": ("rye.zip", archive())}, headers=HERE
    )
    assert forged.status_code == 403
    sent = client.post("/submit", data=fields, files={"archive": ("rye.zip", archive())}, headers=HERE)
    assert sent.status_code == 303
    page = client.get(sent.headers["location"])
    assert page.status_code == 200
    assert "It is next." in page.text
    stranger, _ = browser(site, "eve")
    assert stranger.get(sent.headers["location"]).status_code == 404
    with site.file.reading() as db:
        states = [one.state for one in upload_queue.newest(db, 9, "ann")]
    assert states == ["queued", "broken", "broken"]
    script = client.post(
        "/submit", data=fields, files={"archive": ("", b"")}, headers={**HERE, "accept": "application/json"}
    )
    assert script.json()["message"] == "no file was chosen"


def test_limits_are_kept_before_anything_is_read(site: Site, api: TestClient) -> None:
    headers = bearer(site)
    limit(site, in_progress=1, body_bytes=1_000)
    assert upload(api, headers, b"x" * 1_001).status_code == 413
    assert upload(api, headers, b"").status_code == 400

    def endless() -> Iterator[bytes]:  # no length is announced
        for _ in range(100):
            yield b"x" * 100

    streamed = api.post("/api/v1/uploads", content=endless(), headers=headers)
    assert streamed.status_code == 413
    assert upload(api, headers, b"x").status_code == 201
    again = upload(api, headers, b"x")
    assert (again.status_code, again.json()["hint"]) == (429, "wait until one is over")
    assert upload(api, bearer(site, "bob"), b"x").status_code == 201
    limit(site, per_day=2)
    assert "which is the limit" in upload(api, headers, b"x").json()["message"]
    limit(site, queue=2)
    assert upload(api, bearer(site, "eve"), b"x").status_code == 503
    limit(site, kept_bytes=0)
    assert upload(api, bearer(site, "eve"), b"x").status_code == 413
    limit(site, free_bytes=2**60)
    assert upload(api, bearer(site, "eve"), b"x").status_code == 507
    site.takes_uploads = False
    assert upload(api, headers, b"x").json()["message"] == "this server accepts no uploads"


@pytest.mark.slow
def test_nothing_is_received_while_nothing_can_be_checked(site: Site, api: TestClient) -> None:
    headers = bearer(site)
    number = upload(api, headers, b"x").json()["id"]
    client, csrf = member(site, "olga", "organiser")
    site.upload_trouble = lambda: "this server can't confine bots now"
    refused = upload(api, headers, b"x")
    assert (refused.status_code, refused.json()["message"]) == (503, "this server can't confine bots now")
    form = {"csrf": csrf}
    assert client.post("/submit", data=form, files={"archive": b"x"}, headers=HERE).status_code == 503
    for path in ("/submit", f"/uploads/{number}", "/organiser"):
        assert "can&#39;t confine bots now" in client.get(path).text


def test_errors_of_the_server_are_told_once_and_it_tries_again_ever_more_rarely(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    waited: list[float] = []
    at_work = Worker(site.reception, "off", said.append)

    class Over:
        def is_set(self) -> bool:
            return len(waited) > 3

        def wait(self, seconds: float) -> bool:
            waited.append(seconds)
            return False

    monkeypatch.setattr(at_work, "_over", Over())
    site.file.path.write_bytes(b"not a file of SQLite" * 100)
    at_work._go_on()
    assert at_work.trouble == "the server can't check uploads now"
    assert waited == [1.0, 2.0, 4.0, 8.0]
    assert len(said) == 1
    assert "move it away" in said[0]


def test_uploads_wait_until_bots_may_be_started(site: Site, api: TestClient) -> None:
    upload(api, bearer(site), archive())
    asked: list[bool] = []

    def may_start() -> bool:
        asked.append(True)
        return False

    waiting = Worker(site.reception, "require", lambda _: None, may_start)
    waiting.begin()
    assert eventually(lambda: len(asked) > 1)
    waiting.close()
    with site.file.reading() as db:
        row = upload_queue.next_queued(db)
    assert row is not None
    assert (row.state, row.attempts) == ("queued", 0)


def test_names_of_archives_lose_their_folders() -> None:
    assert archive_name(WORDS) != WORDS
    given = ["../../x", "a\\b\\c.zip", ".hidden.zip", "", "..", "ü<b>.zip", "x" * 300 + ".zip", "/"]
    assert [archive_name(one) for one in given] == [
        "x",
        "c.zip",
        "hidden.zip",
        "bot.zip",
        "bot.zip",
        "b-.zip",
        "x" * 76 + ".zip",
        "bot.zip",
    ]


def test_an_account_closed_meanwhile_enters_nothing(site: Site, api: TestClient) -> None:
    sent = upload(api, bearer(site), archive()).json()
    at_work = worker(site)
    with site.file.writing() as db:
        accounts.close_account(db, "ann", site.file.now())
        row = upload_queue.next_queued(db)
    assert row is not None
    at_work._pass(row, Passed(Submission("0" * 64, {}, True), 10))
    with site.file.reading() as db:
        found = upload_queue.find(db, sent["id"])
        assert found is not None
        assert found.state == "refused"
        assert pending_commands.waiting(db) == []


def test_texts_of_strangers_stay_text(site: Site) -> None:
    client, _ = browser(site)
    failure = Failure("<b>x</b>", "\u202e<i>", sent="<u>", came=("</pre><script>",), log=("\x1b[2J",))
    with site.file.writing() as db:
        upload_queue.begin_receiving(db, "an-upload-of-ann", "ann", "x.zip", (), 1, site.file.now())
        upload_queue.refuse(db, "an-upload-of-ann", Refusal("<h1>", failure), site.file.now())
        upload_queue.progressed(db, "an-upload-of-ann", build_log="<img src=x onerror=alert(1)>")
    page = client.get("/uploads/an-upload-of-ann").text
    for text in ("<b>x", "<i>", "<u>", "<script>", "<img", "\u202e", "\x1b"):
        assert text not in page
    assert "&lt;img src=x" in page
    assert json.dumps("<b>") not in client.get("/uploads").text


@pytest.mark.slow
def test_the_owner_sees_more_of_a_version(site: Site) -> None:
    owner, csrf = browser(site, "tests")
    path = "/bots/tests/pick0/1"
    page = owner.get(path).text
    assert "Only tests and organisers see this" in page
    stranger, other = browser(site, "eve")
    assert "Only tests" not in stranger.get(path).text
    assert owner.get(f"{path}/files.zip").headers["content-disposition"].startswith("attachment")
    assert stranger.get(f"{path}/files.zip").status_code == 403
    game = owner.get("/leagues/bread/games/0.0/own")
    assert game.status_code == 200
    assert stranger.get("/leagues/bread/games/0.0/own").status_code == 404
    retire = {
        "csrf": other,
        "form_id": "3b241101-e2bb-4255-8caf-4136c566a962",
        "league": "unplayed",
        "label": "pick0",
    }
    assert stranger.post(f"{path}/retire", data=retire, headers=HERE).status_code == 403
    assert (
        owner.post(f"{path}/retire", data={**retire, "csrf": csrf, "label": "x"}, headers=HERE).status_code
        == 409
    )
    done = owner.post(f"{path}/retire", data={**retire, "csrf": csrf}, headers=HERE)
    assert done.status_code == 303
    assert "/account/commands/3b241101" in done.headers["location"]


def test_an_author_asks_for_comparisons_of_versions_of_one_bot_and_nothing_else(site: Site) -> None:
    with open_store(site.stores.path) as store:
        reports = {"bread-basket": {"decisions": 1}}
        for number in range(2, 4):
            manifest = {"name": "pick0", "games": ["bread-basket"], "command": ["python3", "bot.py"]}
            add_version(store, "tests", "pick0", f"{number}d" * 32, manifest, reports)
        leagues = [league.name for league in store.leagues.all()]
    owner, csrf = browser(site, "tests")
    stranger, other = browser(site, "eve")
    path = "/bots/tests/pick0/3"

    def asked(who: TestClient, token: str, number: int, **more: str) -> Any:
        form_id = f"3b241101-e2bb-4255-8caf-{number:012}"
        data = {"csrf": token, "form_id": form_id, "against": "2", "game": "bread-basket", **more}
        return who.post(f"{path}/compare", data=data, headers=HERE)

    page = owner.get(path).text
    assert re.search(r'<option value="2">@2</option></select>', page), "the first was never submitted"
    assert "/compare" not in stranger.get(path).text
    assert asked(stranger, other, 1).status_code == 403
    for wrong in ({"against": "3"}, {"against": "1"}, {"against": "x"}, {"game": "sandwich"}, {"game": ""}):
        assert asked(owner, csrf, 2, **wrong).status_code == 409, wrong
    done = owner.get(asked(owner, csrf, 3).headers["location"]).text
    assert "Done: queued compare-1" in done, done
    again = owner.get(asked(owner, csrf, 4).headers["location"]).text
    assert "Refused: compare-1 is in the queue already" in again
    with open_store(site.stores.path) as store:
        (row,) = queue_rows(store)
        assert (row.job, row.by, row.author, row.state, row.budget_games) == (
            *("compare-1", "tests", "tests", "waits"),
            1000,
        )
        assert {league.name for league in store.leagues.all()} == {*leagues, "compare-1"}
        record = jobs_of(store.leagues.events_of_kind(QUEUED))
        assert [job.by for job in record.values()] == ["tests"]
    shown = stranger.get("/queue").text
    assert "compare-1" in shown
    assert "of at most 1,000 games" in shown
    assert 'href="/leagues/compare-1"' in stranger.get("/authors/tests").text
    assert "compare-1" not in stranger.get("/").text, "the leagues are no place for it"


def test_an_owner_is_asked_before_a_version_is_retired_or_replaced(site: Site) -> None:
    with open_store(site.stores.path) as store:
        add_version(store, "tests", "pick0", "cd" * 32, {"name": "pick0"}, {"bread-basket": {}})
    owner, _ = browser(site, "tests")
    for number, action, asked in (
        (1, "retire", "pick0 no longer plays in unplayed"),
        (2, "replace", "version 2 plays in unplayed instead of pick0"),
    ):
        page = owner.get(f"/bots/tests/pick0/{number}").text
        forms = re.findall(
            rf'<form[^>]* action="/bots/tests/pick0/{number}/{action}">.*?</form>', page, re.DOTALL
        )
        assert forms
        for form in forms:
            assert form.count("<button") == 1
            assert re.search(
                r"<details[^>]*><summary.*?</summary><p>.*?This can.{1,5}t be undone\.</p><button", form
            )
        assert any(asked in form for form in forms)


def test_a_report_names_no_folders_of_the_server_and_has_a_longest_message() -> None:
    places = ('/srv/a"ü', "/srv", "/")
    clean = without_folders(Refused("reading", Failure('/srv/a"ü/x and /srv/y', "see /etc")), places)
    assert clean == Refused("reading", Failure("…/x and …/y", "see /etc"))
    long = "/w" * (MOST_MESSAGE_BYTES // 2)
    assert without_folders(Progress(said=long), ("/w",)) is None
    assert isinstance(without_folders(Refused("reading", Failure(long)), ("/w",)), Failed)
    sent = without_folders(Progress(said=long[: MOST_MESSAGE_BYTES // 2 - 100]), ("/w",))
    assert len(msgspec.json.encode(sent)) <= MOST_MESSAGE_BYTES


BIG_BYTES = 242_975_040


def test_a_body_that_is_too_large_is_refused_in_the_words_of_the_terminal(
    site: Site, api: TestClient
) -> None:
    headers = {**bearer(site), "Content-Length": str(BIG_BYTES)}
    refused = api.post("/api/v1/uploads?name=big.zip", content=b"x", headers=headers)
    assert refused.status_code == 413
    assert refused.json()["message"] == "the archive is too large: it has more than 48 MiB"
    hint = refused.json()["hint"]
    assert hint.startswith("a bot may have 1,000 files and 32 MiB; leave out what it does not need to play")
    assert "[submissions] folder_mib" in hint
    assert "`shows` of [runtimes]" in hint
    page, _ = member(site, "ben")
    refused = page.post("/submit", content=b"x", headers={**HERE, "Content-Length": str(BIG_BYTES)})
    assert refused.status_code == 413
    assert "a bot may have 1,000 files and 32 MiB" in refused.text


@pytest.mark.slow
def test_a_big_bot_is_taken_where_the_settings_allow_it(
    demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[submissions]\nfolder_mib = 256\n")
    monkeypatch.setenv("ARENA_SETTINGS", str(settings))
    with copied_site(demo_store, tmp_path, with_files=True) as site:
        api = TestClient(create_app(site), base_url="http://localhost")
        body = archive(**{"net.bin": "\0" * BIG_BYTES})
        sent = upload(api, bearer(site), body, "?name=big.zip")
        assert sent.status_code == 201, sent.text
        assert worker(site).work()
        headers = bearer(site)
        assert api.get(f"/api/v1/uploads/{sent.json()['id']}", headers=headers).json()["state"] == "entering"
        assert site.deliveries.deliver_waiting() == 0
        owner, _ = member(site, "ann")
        given_back = owner.get("/bots/ann/rye/1/files.zip")
        assert int(given_back.headers["content-length"]) == len(given_back.content) > BIG_BYTES
