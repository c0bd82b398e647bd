"""Uploads by attackers, and kills at any moment: nothing is doubled, nothing is left, the server goes on."""

import io
import lzma
import os
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.client.api_types import ENDED
from arena.web.app import create_app
from arena.web.http.server import Server, listen
from arena.web.live.site import Site
from arena.web.site_file import accounts, upload_queue
from arena.web.uploads.receiving import Reception
from results.store import open_store
from tests.support.leagues import running_with, simple
from tests.support.waiting import eventually
from tests.support.web.copied_site import copied_site
from tests.support.web.uploading import archive, bearer, checks_of, limit, manifest, upload, worker
from tests.support.web.visitors import HERE, member

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("uploads-attacked")]
LIMIT_S = 60.0


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path, with_files=True) as found:
        yield found


@pytest.fixture
def api(site: Site) -> TestClient:
    return TestClient(create_app(site), base_url="http://localhost")


@pytest.fixture
def mark() -> Iterator[str]:
    """Return a word that commands of a test's bots have; at the end, no process has it any more."""
    word = f"mark{uuid4().hex}"
    yield word
    assert eventually(lambda: not running_with(word)), f"processes with {word} end"


def state_of(site: Site, number: str) -> upload_queue.UploadRow:
    with site.file.reading() as db:
        found = upload_queue.find(db, number)
    assert found is not None
    return found


def ended(site: Site, number: str) -> upload_queue.UploadRow:
    """Wait until an upload has ended, and deliver commands meanwhile."""

    def has_ended() -> bool:
        site.deliveries.deliver_waiting()
        return state_of(site, number).state in ENDED

    assert eventually(has_ended), "the upload ends"
    return state_of(site, number)


@pytest.mark.parametrize("state", ["reading", "checking", "entering"])
def test_a_kill_at_any_moment_doubles_nothing(site: Site, api: TestClient, mark: str, state: str) -> None:
    sent = upload(api, bearer(site), archive(manifest(mark), simple(0, 20)), "?league=unplayed").json()
    keeper = worker(site)
    keeper.begin()
    try:
        assert eventually(lambda: state_of(site, sent["id"]).state == state), state
        for pid in checks_of(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        row = ended(site, sent["id"])
        assert eventually(lambda: not (site.reception.folder / sent["id"]).exists()), "its archive is removed"
    finally:
        keeper.close()
    assert (row.state, row.attempts <= 2) == ("accepted", True)
    with open_store(site.reception.store, readonly=True) as store:
        assert [one.number for one in store.versions.all(author="ann")] == [1]
        entered = [one.label for one in store.entries.all(store.leagues.get("unplayed").uuid)]
        assert entered.count("rye") == 1


def test_an_upload_that_kills_its_checker_each_time_ends(site: Site, api: TestClient) -> None:
    sent = upload(api, bearer(site), archive()).json()
    with site.file.writing() as db:
        for _ in range(3):
            upload_queue.begin(db, sent["id"])
            upload_queue.put_back(db)
    worker(site).work()
    row = state_of(site, sent["id"])
    assert row.refusal is not None
    assert (row.state, row.refusal.step) == ("refused", "server")


def test_a_bot_that_hangs_and_one_that_eats_memory_end(site: Site, api: TestClient, mark: str) -> None:
    limit(site, in_progress=9)
    hanging = "import time\ntime.sleep(1e9)\n"
    hungry = "x = []\nwhile True: x.append(bytearray(1 << 20))\n"
    forking = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n"
    numbers = [
        upload(api, bearer(site), archive(manifest(mark), program)).json()["id"]
        for program in (hanging, hungry, forking)
    ]
    at_work = worker(site, check_s=3)
    while at_work.work():
        pass
    rows = [state_of(site, number) for number in numbers]
    assert [row.state for row in rows] == ["refused"] * 3
    assert rows[0].refusal is not None
    assert rows[0].refusal.step == "time"
    assert "took longer than" in rows[0].refusal.failure.cause


def test_a_build_that_hangs_or_prints_without_end_ends(site: Site, api: TestClient, mark: str) -> None:
    limit(site, in_progress=9)
    commands = [["sh", "-c", f"sleep 1000; echo {mark}"], ["sh", "-c", f"yes {mark}"]]
    numbers = [
        upload(
            api, bearer(site), archive(manifest(more=f"build = {msgspec.json.encode(one).decode()}\n"))
        ).json()["id"]
        for one in commands
    ]
    at_work = worker(site, check_s=4)
    while at_work.work():
        pass
    for number in numbers:
        row = state_of(site, number)
        assert row.state == "refused"
        assert len(row.build_log) < 50_000


def test_an_account_revoked_during_the_check_ends_it(site: Site, api: TestClient, mark: str) -> None:
    sent = upload(api, bearer(site), archive(manifest(mark), "import time\ntime.sleep(1e9)\n")).json()
    keeper = worker(site)
    keeper.begin()
    try:
        assert eventually(lambda: running_with(mark)), "the bot runs"
        with site.file.writing() as db:
            accounts.close_account(db, "ann", site.file.now())
        row = ended(site, sent["id"])
    finally:
        keeper.close()
    assert row.refusal is not None
    assert (row.state, row.refusal.step) == ("refused", "account")


def test_bombs_are_refused_while_they_are_read(site: Site, api: TestClient) -> None:
    limit(site, in_progress=99)
    zeros, packed = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("rye/bot.toml", manifest())
        bomb.writestr("rye/zeros", b"\0" * (40 << 20))
    with tarfile.open(fileobj=packed, mode="w") as tar:
        info = tarfile.TarInfo("rye/zeros")
        info.size = 300 << 20
        tar.addfile(info, io.BytesIO(b"\0" * info.size))
    outside = io.BytesIO()
    with zipfile.ZipFile(outside, "w") as bad:
        bad.writestr("../../evil/bot.toml", manifest())
    bodies = [zeros.getvalue(), lzma.compress(packed.getvalue(), preset=0), outside.getvalue(), b"\0" * 1000]
    bodies += [os.urandom(5000), archive(manifest(more='author = "bob"\n'))]
    numbers = [upload(api, bearer(site), body).json()["id"] for body in bodies]
    at_work = worker(site)
    while at_work.work():
        pass
    rows = [state_of(site, number) for number in numbers]
    assert [(row.state, row.refusal and row.refusal.step) for row in rows] == [("refused", "reading")] * 6
    words = str(rows[-1].refusal)
    assert "'bob'" in words
    assert "'ann'" in words
    for row in rows:
        assert str(site.reception.store.parent) not in str(row.refusal)


def test_parallel_uploads_get_no_more_places_than_there_are(site: Site, api: TestClient) -> None:
    headers = bearer(site)
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: upload(api, headers, b"x" * 1000).status_code, range(24)))
    assert (answers.count(201), answers.count(429)) == (2, 22)
    with site.file.reading() as db:
        assert len(upload_queue.newest(db, 99)) == 2


def test_forms_with_too_many_parts_are_refused(site: Site) -> None:
    client, csrf = member(site, "ann")
    many = [("league", (None, str(number))) for number in range(10_000)]
    answer = client.post("/submit", files=[("csrf", (None, csrf)), *many], headers=HERE)
    assert answer.status_code == 400
    files = [("archive", (f"{number}.zip", b"x")) for number in range(50)]
    assert client.post("/submit", data={"csrf": csrf}, files=files, headers=HERE).status_code == 400
    large = client.post(
        "/submit", data={"csrf": csrf, "league": "x" * 100_000}, files=files[:1], headers=HERE
    )
    assert large.status_code == 400
    with site.file.reading() as db:
        assert {row.state for row in upload_queue.newest(db, 9)} == {"broken"}


@pytest.fixture
def address(site: Site) -> Iterator[tuple[str, int]]:
    """Yield the address of a real server whose uploads may take two seconds to arrive."""
    limit(site, receive_s=2, in_progress=1)
    listener = listen("127.0.0.1", 0)
    started = threading.Event()
    server = Server(create_app(site), listener, started.set)
    thread = threading.Thread(target=server.answer)
    thread.start()
    started.wait(LIMIT_S)
    yield listener.getsockname()[:2]
    server.ask_to_stop()
    thread.join()


def test_a_body_that_drips_is_cut_off_and_frees_its_place(site: Site, address: tuple[str, int]) -> None:
    head = (
        "POST /api/v1/uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n"
        f"Authorization: {bearer(site)['Authorization']}\r\n\r\n"
    )
    with socket.create_connection(address, timeout=LIMIT_S) as drip:
        drip.sendall(head.encode())
        answer = b""
        drip.settimeout(0.1)
        for _ in range(200):
            try:
                drip.sendall(b"x")
                answer = drip.recv(1000)
                break
            except TimeoutError:
                continue
            except OSError:
                break
    assert answer.startswith(b"HTTP/1.1 408")
    with site.file.reading() as db:
        (row,) = upload_queue.newest(db, 9)
    assert (row.state, row.size_bytes) == ("broken", 0)
    with socket.create_connection(address, timeout=LIMIT_S) as gone:  # and one whose client leaves
        gone.sendall(head.encode() + b"x" * 1000)
        assert eventually(lambda: site.reception.use("ann").in_progress == 1), "it is received"
    assert eventually(lambda: site.reception.use("ann").in_progress == 0), "its place is free"
    assert eventually(lambda: not list(site.reception.folder.iterdir())), "nothing of it is left"


def test_an_upload_of_a_killed_server_frees_its_place(site: Site) -> None:
    limit(site, in_progress=1, receive_s=0)
    old = Reception(site.reception.store, site.file, site.reception.limits)
    bearer(site)  # the account exists
    old.begin("ann", "x.zip", (), 10)
    with site.file.writing() as db:
        db.execute("UPDATE uploads SET created_at = '2020-01-01T00:00:00.000Z'")
    assert old.begin("ann", "x.zip", (), 10)


def test_a_check_ends_with_its_server(site: Site, mark: str, api: TestClient) -> None:
    upload(api, bearer(site), archive(manifest(mark), "import time\ntime.sleep(1e9)\n"))
    code = (
        "import time\nfrom pathlib import Path\nfrom arena.web.live.site import Site\n"
        "from arena.web.uploads.worker import Worker\n"
        f"site = Site.of(Path({str(site.reception.store)!r}))\n"
        "Worker(site.reception, 'auto', print).begin()\ntime.sleep(1e9)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", code], cwd=Path.cwd())
    try:
        assert eventually(lambda: running_with(mark)), "the bot runs"
    finally:
        server.kill()
        server.wait()
    assert eventually(lambda: not running_with(str(site.reception.store))), "the check ends"
