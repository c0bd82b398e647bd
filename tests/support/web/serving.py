"""Real servers, started as `arena serve` in processes of their own, and their runners."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2

from arena.web.site_file.site_database import fact
from results.store import holder_of, open_store
from tests.support.leagues import ARENA
from tests.support.web.visitors import HERE, csrf_in, site_at, token_of


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start(
    folder: Path, port: int, *options: str, before: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """Start a server as a terminal does, in a process group of its own; `before`: what runs it, if not Python."""
    with (folder / "server.log").open("ab") as log:
        command = [*before, *ARENA, "serve", "--port", str(port), "--workers", "1", *options]
        return subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True)


@contextmanager
def serving(
    folder: Path, *options: str, env: Mapping[str, str] | None = None
) -> Iterator[tuple[int, list["subprocess.Popen[bytes]"]]]:
    """Serve a folder; yield the port and the list of servers, of which the last one is stopped in the end."""
    port = free_port()
    servers = [start(folder, port, *options, env=env)]
    try:
        yield port, servers
    finally:
        for server in servers:
            server.kill()
            server.wait()
        with suppress(ProcessLookupError):
            os.kill(started_runner(folder), signal.SIGKILL)
        while (pid := runner_of(folder)) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.2)


def started_runner(folder: Path) -> int:
    """Return the process that the servers have started last, which may not have the lock yet."""
    with site_at(folder).file.reading() as db:
        number, _, birth = fact(db, "runner").partition(" ")
    if number and Path(f"/proc/{number}/stat").exists() and birth in Path(f"/proc/{number}/stat").read_text():
        return int(number)
    raise ProcessLookupError


def runner_of(folder: Path) -> int | None:
    """Return the process of the runner, if one is alive."""
    holder = holder_of(folder / "arena.sqlite")
    if holder is None or not holder.is_runner or holder.pid is None:
        return None
    with suppress(OSError):
        os.kill(holder.pid, 0)
        return holder.pid
    return None


def is_up(port: int) -> bool:
    with suppress(httpx2.HTTPError):
        return httpx2.get(f"http://127.0.0.1:{port}/sign-in").status_code == 200
    return False


def signed_in(folder: Path, port: int) -> tuple[httpx2.Client, str]:
    client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30)
    token = token_of(site_at(folder), "olga", "organiser")
    fields = {"csrf": csrf_in(client.get("/sign-in").text), "token": token}
    assert client.post("/sign-in", data=fields, headers=HERE).status_code == 303
    return client, csrf_in(client.get("/account").text)


def games(folder: Path) -> int:
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        return store.leagues.progress(store.leagues.get("test").uuid).games_done
