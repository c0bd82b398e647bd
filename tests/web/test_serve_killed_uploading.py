"""Every process of a server is killed while a bot is uploaded and checked: it is entered once, and nobody is left."""

import os
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from arena.client.api_types import ENDED
from arena.web.site_file import upload_queue
from results.store import open_store
from tests.support.leagues import running_with, simple
from tests.support.waiting import eventually
from tests.support.web.serving import is_up, runner_of, serving, start
from tests.support.web.uploading import archive, checks_of, manifest
from tests.support.web.visitors import site_at, token_of

pytestmark = pytest.mark.slow
ORDERS = (
    ("server",),
    ("job",),
    ("runner",),
    ("job", "runner", "server"),
    ("server", "runner"),
)


def process_of(server: int, role: str, folder: Path) -> int | None:
    if role == "server":
        return server
    if role == "runner":
        return runner_of(folder)
    return next(iter(checks_of(server)), None)


@pytest.mark.gate
def test_kills_of_every_process_enter_each_bot_once_and_leave_nobody(tmp_path: Path) -> None:
    mark = f"mark{uuid4().hex}"
    with serving(tmp_path) as (port, servers):
        assert eventually(lambda: is_up(port))
        site = site_at(tmp_path)
        headers = {"Authorization": f"Bearer {token_of(site, 'ann')}"}
        where = f"http://127.0.0.1:{port}/api/v1/uploads"

        def row(number: str) -> upload_queue.UploadRow:
            with site.file.reading() as db:
                found = upload_queue.find(db, number)
            assert found is not None
            return found

        def is_checked(number: str) -> bool:
            return row(number).state in ("building", "checking")

        def has_ended(number: str) -> bool:
            return row(number).state in ENDED

        for bot, order in enumerate(ORDERS):
            body = archive(manifest(mark, f"# {bot}\n"), simple(bot, 5))
            answer = httpx2.post(where, content=body, headers=headers, timeout=60)
            assert answer.is_success, answer.text
            number = answer.json()["id"]
            assert eventually(partial(is_checked, number))
            for role in order:
                pid = process_of(servers[-1].pid, role, tmp_path)
                if pid is not None:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            if "server" in order:
                servers[-1].wait()
                assert eventually(lambda: not running_with(mark)), "the bots end with the server"
                servers.append(start(tmp_path, port))
                assert eventually(lambda: is_up(port))
            assert eventually(partial(has_ended, number))
            assert row(number).state == "accepted", row(number)
        servers[-1].send_signal(signal.SIGTERM)
        assert servers[-1].wait(60) == 0
        assert eventually(lambda: not running_with(mark))
        assert eventually(lambda: not running_with(str(tmp_path)))
        with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
            numbers = [one.number for one in store.versions.all(author="ann")]
        assert numbers == list(range(1, len(ORDERS) + 1))
        assert list(site.reception.folder.iterdir()) == []
        site.close()
