"""Why a scheduler can't be reached is said at once, and what to do; Ctrl-C then ends the waiting at once."""

import asyncio
import re
import signal
import socket
import ssl
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from arena_cluster import ClusterSettings
from arena_cluster import executor as cluster_executor
from arena_cluster.executor import ClusterExecutor, _Run
from arena_cluster.host_trust import Hosts
from arena_cluster.identity import Identity, new_identity, write_identity
from arena_cluster.link import Connected, Disconnected, Link, why_unreachable
from arena_cluster.ticket_shares import Lanes

from arena.cli.base.runner_store import Interrupts
from arena.cli.terminal.messages import INTERRUPTED
from arena.executors.base import HasHosts, Stop, WorkersRefused
from arena.executors.worker import SerialExecutor
from tests.support.leagues import ARENA, arena_here, write_league
from tests.support.toys import Do, Source, Toy
from tests.support.waiting import eventually


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def server_side(identity: Identity) -> ssl.SSLContext:
    context: ssl.SSLContext = identity.security().get_listen_args("scheduler")["ssl_context"]
    return context


def trouble_with(greets: bytes, theirs: Identity | None, mine: Identity) -> str:
    """Return what is wrong with a server that says something and has certificates, or none."""

    async def found() -> str:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if greets:
                writer.write(greets)
            await reader.read()
            writer.close()

        context = None if theirs is None else server_side(theirs)
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
        async with server:
            port = server.sockets[0].getsockname()[1]
            return await why_unreachable(f"tls://127.0.0.1:{port}", mine)

    return asyncio.run(found())


def test_a_scheduler_that_is_there_is_no_trouble() -> None:
    mine = new_identity()
    assert not trouble_with(b"", mine, mine)


def test_each_trouble_says_what_to_do() -> None:
    mine, other = new_identity(), new_identity()
    assert trouble_with(b"", other, mine) == (
        "its certificates are those of another cluster; give scheduler, runner and hosts the same folder of "
        "certificates, and start them again"
    )
    assert "doesn't speak TLS; start the scheduler with --protocol tls" in trouble_with(
        b"hello there", None, mine
    )


def test_nothing_that_listens_and_a_name_that_nobody_has() -> None:
    mine = new_identity()

    def why(url: str) -> str:
        return asyncio.run(why_unreachable(url, mine))

    nothing = "nothing listens there; start the scheduler, or check the address"
    assert why(f"tls://127.0.0.1:{free_port()}") == nothing
    assert why(f"tls://localhost:{free_port()}") == nothing, (
        "whether one address of a name is refused or several"
    )
    assert "name nobody.invalid" in why("tls://nobody.invalid:8786")


class Portable(Toy):
    """Work that can be sent, and never is."""

    def pack(self) -> bytes:
        return b""

    def differ(self, result: Any, other: Any) -> bool:
        return bool(result != other)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("made") / "certificates"
    write_identity(new_identity(), folder)
    return str(folder)


def waiting(told: list[str], certificates: str, **settings: Any) -> ClusterExecutor:
    on = f"tls://127.0.0.1:{free_port()}"
    return ClusterExecutor(ClusterSettings(on=on, certificates=certificates, **settings), 1, tell=told.append)


def test_a_runner_says_what_it_waits_for_and_leaves_at_once(certificates: str) -> None:
    told, stop = list[str](), Stop()
    executor = waiting(told, certificates)
    heard = list[str]()
    with Interrupts(stop, heard.append):
        for chunk in executor.run(Portable(), Source([Do(0)]), stop):  # type: ignore[arg-type]  # nothing is sent
            assert not chunk
            assert not stop.is_playing
            if told:
                signal.raise_signal(signal.SIGINT)
    assert heard == ["stopping; no game is being played"]
    (line,) = told
    assert re.match(r"waiting for hosts, for up to 600 s: the scheduler at tls://127\.0\.0\.1:", line)
    assert line.endswith(
        " can't be reached: nothing listens there; start the scheduler, or check the address"
    )
    assert executor.hosts_in_play() == []


def test_what_is_missing_is_said_once_and_whole() -> None:
    address, told = "tls://10.0.0.1:8786", list[str]()
    executor: Any = SimpleNamespace(local=None, hosts=Hosts(0.0), tell=told.append)
    link: Any = SimpleNamespace(address=address)
    settings = ClusterSettings(on=address, certificates="my folder")
    run = _Run(executor, link, settings, Portable(), Lanes(Source([Do(0)])), Stop())  # type: ignore[arg-type]
    run._take(Connected())
    joining = f"arena host --join {address} --certificates 'my folder'"
    assert run._missing == f"none has joined; start some: {joining}"
    run._take(Disconnected("", was_connected=True))
    run._take(Disconnected("it has not answered for 10 s", was_connected=True))
    assert told == [
        f"the scheduler at {address} was lost; connecting again",
        f"the scheduler at {address} was lost: it has not answered for 10 s; connecting again",
    ]


def test_patience_ends(certificates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_executor, "TOLD_AFTER_S", 0.0)
    with pytest.raises(WorkersRefused, match="nothing listens there") as caught:
        list(waiting([], certificates, patience_s=1.0).run(Portable(), Source([Do(0)]), Stop()))  # type: ignore[arg-type]
    assert "patience_s in [executors.cluster]" in caught.value.hint


def test_while_games_are_played_ctrl_c_lets_them_finish() -> None:
    heard = list[str]()
    with Interrupts(Stop(), heard.append):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    assert heard == ["finishing the games being played; press Ctrl-C again to stop now", "stopping at once"]


def test_only_executors_with_hosts_have_some(certificates: str) -> None:
    assert isinstance(waiting([], certificates), HasHosts)
    assert not isinstance(SerialExecutor(), HasHosts)


@pytest.mark.slow
def test_ctrl_c_names_the_command_that_goes_on(tmp_path: Path, certificates: str) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=1), cwd=tmp_path)
    on = f"tls://127.0.0.1:{free_port()}"
    command = ["run", "test", "--on", on, "--certificates", certificates]
    with (tmp_path / "told").open("wb") as told:
        run = subprocess.Popen(
            [*ARENA, *command], cwd=tmp_path, stdout=told, stderr=told, start_new_session=True
        )
    try:
        assert eventually(lambda: "nothing listens there" in (tmp_path / "told").read_text())
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == INTERRUPTED
    finally:
        run.kill()
    *_, stopping, last = (tmp_path / "told").read_text().splitlines()
    assert stopping == "stopping; no game is being played"
    go_on = ["arena", "run", "test", *command[2:]]
    assert last == f"stopped before any host had played a game; continue with: {' '.join(go_on)}"


def test_what_is_sent_while_there_is_no_scheduler_blames_no_host() -> None:
    """The loss of the scheduler is told once, of all hosts together."""
    link = Link(f"tls://127.0.0.1:{free_port()}", new_identity())
    link.begin()
    try:
        assert isinstance(link.inbox.get(timeout=30), Disconnected)
        link.session("a", "tls://127.0.0.1:1", "token", b"")
        link.unit("a", "tls://127.0.0.1:1", "token", 1, b"")
        assert isinstance(link.inbox.get(timeout=30), Disconnected), "neither a session nor a unit has ended"
    finally:
        link.close()
