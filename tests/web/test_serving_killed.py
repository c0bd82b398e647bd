"""Server and runner are killed at any moment: commands take effect exactly once, and the league goes on."""

import os
import random
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx2
import pytest

from arena.league.inbox.files import new_id
from arena.web.site_file import pending_commands
from results.records.roster import EXTENDED
from results.store import open_store
from tests.support.leagues import ARENA, arena, arena_here, write_league
from tests.support.waiting import eventually
from tests.support.web.serving import games, is_up, runner_of, serving, signed_in, start, started_runner
from tests.support.web.visitors import HERE, site_at

KILLS = 30
SENDS_S = 0.5
"""How long before a kill commands begin to be sent, one after the other."""


def extensions(folder: Path) -> int:
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        league = store.leagues.get("test")
        return sum(event.kind == EXTENDED for event in store.leagues.events(league.uuid))


@pytest.mark.slow
def test_thirty_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=100_000, pause_ms=5), cwd=tmp_path)
    chance = random.Random(7)
    with serving(tmp_path) as (port, servers):
        assert eventually(lambda: is_up(port))
        client, csrf = signed_in(tmp_path, port)
        sent: list[str] = []
        unanswered: list[str] = []
        played = games(tmp_path)

        def send(uuid: str) -> None:
            fields = {"csrf": csrf, "form_id": uuid, "rounds": "1"}
            try:
                answer = client.post("/organiser/leagues/test/extend", data=fields, headers=HERE)
            except httpx2.HTTPError:  # it may have been taken or not: it is sent again, with its id
                unanswered.append(uuid)
            else:
                assert answer.status_code == 303, answer.text

        for kill in range(KILLS):
            moment = time.monotonic() + chance.uniform(0.0, 3.0)
            time.sleep(max(0.0, moment - time.monotonic() - SENDS_S))
            killer = subprocess.Popen(["sleep", f"{max(0.0, moment - time.monotonic()):.2f}"])
            while killer.poll() is None:
                sent.append(new_id())
                send(sent[-1])
                if chance.random() < 0.3:
                    send(sent[-1])  # a double click
            if kill % 2:
                runner = runner_of(tmp_path)
                if runner is not None:
                    os.kill(runner, signal.SIGKILL)
            else:
                servers[-1].kill()
                servers[-1].wait()
                send(sent[-1])  # nobody answers
                servers.append(start(tmp_path, port))
                assert eventually(lambda: is_up(port))
            again, unanswered[:] = list(unanswered), []
            for uuid in again:
                send(uuid)
        assert not unanswered
        site = site_at(tmp_path)

        def all_answered() -> bool:
            with site.file.reading() as db:
                return not pending_commands.waiting(db)

        assert eventually(all_answered)
        with site.file.reading() as db:
            found = [pending_commands.find(db, uuid) for uuid in sent]
        assert [one.state if one else "lost" for one in found] == ["done"] * len(sent)
        assert len(sent) >= KILLS, "one at each kill at least"
        assert extensions(tmp_path) == len(sent)
        before = games(tmp_path)
        assert before > played
        assert eventually(lambda: games(tmp_path) > before)
        servers[-1].send_signal(signal.SIGINT)
        assert servers[-1].wait(60) == 0
        assert runner_of(tmp_path) is None
    checked = arena("db", "verify", cwd=tmp_path)
    assert "verified" in checked.stdout


@pytest.mark.gate
@pytest.mark.slow
def test_the_runner_outlives_its_server_and_the_next_one_stops_it(tmp_path: Path) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=100_000, pause_ms=5), cwd=tmp_path)
    with serving(tmp_path) as (port, servers):
        assert eventually(lambda: runner_of(tmp_path) is not None)
        runner = runner_of(tmp_path)
        os.killpg(servers[0].pid, signal.SIGKILL)
        servers[0].wait()
        played = games(tmp_path)
        assert eventually(lambda: games(tmp_path) > played), "the league goes on without a server"
        servers.append(start(tmp_path, port))
        log = tmp_path / "server.log"
        assert eventually(
            lambda: f"using the runner of an earlier server: process {runner}" in log.read_text()
        )
        assert runner_of(tmp_path) == runner
        os.killpg(servers[1].pid, signal.SIGINT)
        assert servers[1].wait(60) == 0
        assert runner_of(tmp_path) is None
        assert "stopped; continue with" in (tmp_path / "arena.files" / "runner.log").read_text()


@pytest.mark.slow
def test_a_runner_of_somebody_else_is_used_left_alone_and_replaced(tmp_path: Path) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=100_000, pause_ms=5), cwd=tmp_path)
    theirs = subprocess.Popen(
        [*ARENA, "run"], cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert eventually(lambda: runner_of(tmp_path) == theirs.pid)
        with serving(tmp_path) as (port, servers):
            log = tmp_path / "server.log"
            assert eventually(lambda: "that is there already" in log.read_text())
            servers[0].send_signal(signal.SIGTERM)
            assert servers[0].wait(60) == 0
            assert runner_of(tmp_path) == theirs.pid, "it isn't the server's to stop"
            servers.append(start(tmp_path, port))
            assert eventually(lambda: log.read_text().count("that is there already") == 2)
            theirs.send_signal(signal.SIGTERM)
            theirs.wait()
            assert eventually(lambda: runner_of(tmp_path) not in (None, theirs.pid))
            servers[1].send_signal(signal.SIGINT)
            assert servers[1].wait(60) == 0
            assert runner_of(tmp_path) is None
    finally:
        theirs.kill()
        theirs.wait()


@pytest.mark.slow
def test_pages_are_served_without_a_runner(tmp_path: Path) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=1), cwd=tmp_path)
    with serving(tmp_path, "--no-run") as (port, servers):
        assert eventually(lambda: is_up(port))
        client, csrf = signed_in(tmp_path, port)
        fields = {"csrf": csrf, "form_id": new_id(), "why": "rain"}
        answer = client.post("/organiser/leagues/test/pause", data=fields, headers=HERE)
        assert "Done: " in client.get(answer.headers["location"]).text
        assert runner_of(tmp_path) is None
        with socket.create_connection(("127.0.0.1", port)) as slow:  # the head of a request never ends
            slow.settimeout(40)
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ")
            assert slow.recv(1000) == b""
        with socket.create_connection(("127.0.0.1", port)) as large:
            large.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 100_000)
            assert re.match(rb"HTTP/1\.1 4\d\d |$", large.recv(100))
        for raw in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n",
            b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: a\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", port)) as odd:
                odd.sendall(raw)
                assert re.match(rb"HTTP/1\.1 4\d\d ", odd.recv(100)), raw
        servers[0].send_signal(signal.SIGINT)
        assert servers[0].wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--no-run", "--no-uploads"), ()], ids=["pages alone", "with a runner"])
def test_no_backup_is_restored_under_a_server(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert arena_here("league", "create", write_league(tmp_path, rounds=1), cwd=tmp_path).returncode == 0
    assert arena_here("db", "backup", "--all", "kept", cwd=tmp_path).returncode == 0
    with serving(tmp_path, *options) as (port, servers):
        assert eventually(lambda: is_up(port))
        if not options:  # the runner's lock is free until the next one starts
            assert eventually(lambda: runner_of(tmp_path) is not None)
            os.kill(started_runner(tmp_path), signal.SIGKILL)
        done = arena_here("db", "restore", "kept", cwd=tmp_path)
        assert (done.returncode, f"process {servers[0].pid} serves it" in done.stderr) == (1, True), (
            done.stderr
        )
        assert not list(tmp_path.glob("*.before-restore-*"))
    assert arena_here("db", "restore", "kept", cwd=tmp_path).returncode == 0
