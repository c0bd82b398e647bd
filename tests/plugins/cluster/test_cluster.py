"""A league is the same on many hosts, which are real processes with certificates of their own."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from arena_cluster import ClusterSettings
from arena_cluster.executor import ClusterExecutor
from arena_cluster.scheduler_start import LocalCluster

from arena.executors.base import Executor
from arena.executors.worker import SerialExecutor
from arena.league.running.run import LeagueRun
from arena.sandbox.survivors import with_descendants
from results.store import open_store
from tests.support.leagues import assert_nobody_left, create_here, digest, write_league
from tests.support.waiting import eventually

pytestmark = pytest.mark.slow

MARK = "mark-of-cluster-bots"


def played(folder: Path, executor: Executor) -> dict[str, str]:
    """Create a league in a new folder and play it; return its digest."""
    create_here(write_league(folder, rounds=5, pause_ms=5, mark=MARK))
    with open_store(folder / "arena.sqlite") as store:
        run = LeagueRun(store, store.leagues.get("test"), executor=executor)
        assert run.run(lambda _: None)
        assert not list(store.games.faults(run.league.uuid))
    assert_nobody_left(MARK)
    return digest(folder)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the digest of the league as this process plays it."""
    return played(tmp_path_factory.mktemp("here"), SerialExecutor())


@pytest.mark.parametrize("hosts", [1, 3])
def test_hosts_of_this_machine_play_the_same_league(
    tmp_path: Path, expected: dict[str, str], hosts: int
) -> None:
    told: list[str] = []
    executor = ClusterExecutor(ClusterSettings(on=f"local:{hosts}"), hosts, tell=told.append)
    assert played(tmp_path, executor) == expected
    assert sum("has joined" in line for line in told) >= 1


def test_hosts_of_this_machine_listen_on_it_alone() -> None:
    local = LocalCluster(2, 2)
    try:
        pids = [child.process.pid for child in (local.scheduler, *local.hosts)]
        assert eventually(lambda: len(listening(pids)) >= 6), (
            "each with a port of metrics, which answers nothing"
        )
        assert {address for address, _ in listening(pids)} == {"127.0.0.1"}
        for _, port in listening(pids):
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                raise AssertionError(answer.read())
    finally:
        local.close()


def listening(pids: Iterable[int]) -> set[tuple[str, int]]:
    """Return the addresses and ports at which processes, or those that they have started, listen."""
    held = set()
    for pid in with_descendants(pids):
        with suppress(OSError):
            held |= {str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in held:
                address, port = local.split(":")
                is_ours = address == "0100007F"
                found.add(("127.0.0.1" if is_ours else address, int(port, 16)))
    return found


def test_hosts_stay_from_one_league_to_the_next(tmp_path: Path, expected: dict[str, str]) -> None:
    told: list[str] = []
    with ClusterExecutor(ClusterSettings(on="local:1"), 1, tell=told.append) as executor:
        assert played(tmp_path / "first", executor) == expected
        assert played(tmp_path / "second", executor) == expected
    assert sum("has joined" in line for line in told) == 1, told
