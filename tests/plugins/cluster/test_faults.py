"""Whatever is killed in a cluster: nothing is lost, nothing is played twice, no bot is blamed, no process is left.

The processes are real, and the table is that of one machine, bit for bit.
"""

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from arena_cluster import host_trust as known_hosts

from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import RunProgress
from results.store import open_store
from tests.plugins.cluster.leagues import MARK, ROUNDS, games_in, played, played_on
from tests.plugins.cluster.real import RealCluster, RealHost
from tests.support.leagues import ARENA, assert_nobody_left, create_here, write_bot, write_league
from tests.support.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hosts")]  # they count all bots of this mark


MOST_RUNS = 12


class Once:
    """Does something once, when some games have been played. For `shown`."""

    def __init__(self, games: int, do: Callable[[], object]) -> None:
        self._games = games
        self._do = do
        self.is_done = False

    def __call__(self, progress: RunProgress) -> None:
        if not self.is_done and progress.games >= self._games:
            self.is_done = True
            self._do()


def send(pid: int | None, number: int) -> None:
    assert pid is not None
    os.kill(pid, number)


def kill(pid: int | None) -> None:
    send(pid, signal.SIGKILL)


VICTIMS: dict[str, Callable[[RealHost], int | None]] = {
    "agent": RealHost.agent,
    "worker": RealHost.worker,
    "supervisor": lambda host: host.process.pid,
}


@pytest.mark.gate
@pytest.mark.parametrize("victim", VICTIMS)
def test_kill_on_a_host(tmp_path: Path, cluster: RealCluster, expected: dict[str, str], victim: str) -> None:
    hosts = [cluster.host(name, "--slots", "1") for name in ("a", "b")]
    workers = {host.name: host.worker() for host in hosts}
    struck: list[RealHost] = []

    def strike() -> None:
        """Hit a host that plays: on a busy machine, one of them may not have begun."""
        struck.append(next(host for host in hosts if host.agent()))
        kill(VICTIMS[victim](struck[0]))

    found, run = played(tmp_path / "store", cluster.executor(), shown=Once(2, strike))
    (host,) = struck
    assert found == expected
    assert run.progress.failed_attempts <= 1, "one slot plays one game"
    if victim == "worker":
        assert eventually(lambda: host.has_joined(2)), "the supervisor starts another worker"
    if victim == "supervisor":
        assert eventually(lambda: not Path(f"/proc/{workers[host.name]}").exists())
        assert any(f"host {host.name} is lost" in line for line in cluster.told)


def test_kill_of_the_only_host(tmp_path: Path, cluster: RealCluster, expected: dict[str, str]) -> None:
    host = cluster.host("a", "--slots", "2")
    killing = Once(2, lambda: kill(host.worker()))
    found, run = played(tmp_path / "store", cluster.executor(), shown=killing)
    assert killing.is_done
    assert found == expected
    assert run.progress.failed_attempts <= 2


def test_hosts_come_and_go(tmp_path: Path, cluster: RealCluster, expected: dict[str, str]) -> None:
    first = cluster.host("a", "--slots", "1")

    def change() -> None:
        cluster.host("b", "--slots", "1")
        first.process.terminate()

    changing = Once(2, change)
    found, run = played(tmp_path / "store", cluster.executor(), shown=changing)
    assert changing.is_done
    assert found == expected
    assert run.progress.failed_attempts == 0, "who leaves finishes its games"
    assert first.process.wait(60) == 0
    assert "host a leaves" in cluster.told
    assert not any("is lost" in line for line in cluster.told), cluster.told


def test_a_host_leaves_when_its_time_is_over(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str]
) -> None:
    first = cluster.host("a", "--slots", "1", "--leave-after-s", "20")
    cluster.host("b", "--slots", "1")
    found, run = played(tmp_path / "store", cluster.executor())
    assert found == expected
    assert run.progress.failed_attempts == 0
    assert first.process.wait(60) == 0


@pytest.mark.gate
def test_the_scheduler_is_killed_and_restarted(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str]
) -> None:
    hosts = [cluster.host(name, "--slots", "1") for name in ("a", "b")]

    def restart() -> None:
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        assert_nobody_left(MARK)
        cluster.start_scheduler()

    restarting = Once(2, restart)
    found, run = played(tmp_path / "store", cluster.executor(), shown=restarting)
    assert restarting.is_done
    assert found == expected
    assert run.progress.failed_attempts == 0, "it is no fault of a host or a game"
    assert any(host.has_joined(2) for host in hosts)


def test_an_agent_that_hangs_is_replaced(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str]
) -> None:
    host = cluster.host("a", "--slots", "1", "--hang-s", "15")  # an agent needs seconds to start
    hanging = Once(2, lambda: send(host.agent(), signal.SIGSTOP))
    found, run = played(tmp_path / "store", cluster.executor(), shown=hanging)
    assert hanging.is_done
    assert found == expected
    assert run.progress.failed_attempts <= 1


def test_a_host_that_hangs_is_lost_and_may_come_back(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_hosts, "SILENT_S", 4.0)
    hosts = [cluster.host(name, "--slots", "1") for name in ("a", "b")]
    worker = hosts[0].worker()
    assert worker is not None
    hanging = Once(2, lambda: os.kill(worker, signal.SIGSTOP))
    try:
        found, run = played(tmp_path / "store", cluster.executor(), shown=hanging, leaves_nobody=False)
    finally:
        os.kill(worker, signal.SIGCONT)
    assert hanging.is_done
    assert found == expected
    assert run.progress.failed_attempts <= 1
    assert any("host a is lost: it has been silent" in line for line in cluster.told), cluster.told
    assert_nobody_left(MARK)


@pytest.mark.gate
def test_the_runner_is_killed_and_the_next_one_goes_on(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str]
) -> None:
    hosts = [cluster.host(name, "--slots", "1") for name in ("a", "b")]
    store = tmp_path / "store"
    create_here(write_league(store, rounds=ROUNDS, pause_ms=10, mark=MARK))
    command = [
        *ARENA,
        "run",
        "test",
        "--on",
        cluster.address,
        "--certificates",
        str(cluster.certificates),
    ]
    runner = subprocess.Popen(command, cwd=store, stderr=subprocess.DEVNULL, start_new_session=True)
    assert eventually(lambda: games_in(store) >= 2)
    runner.kill()
    runner.wait()
    assert_nobody_left(MARK)
    assert eventually(lambda: not any(host.agent() for host in hosts)), "hosts end what nobody wants"
    found, _ = played_on(store, cluster.executor())
    assert found == expected
    assert [host.said.count("joined tls://") for host in hosts] == [1, 1], "hosts stay"


POISON = """
import json, os, signal, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        pid = os.getppid()
        while pid > 1:  # up to the worker of its own host
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"arena_cluster.dask_worker" in file.read():
                    os.kill(pid, signal.SIGKILL)
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
"""


def test_a_bot_that_takes_down_its_host_costs_its_own_matches_alone(
    tmp_path: Path, cluster: RealCluster
) -> None:
    hosts = [cluster.host(name, "--slots", "1") for name in ("a", "b")]
    file = write_league(tmp_path / "store", rounds=1, bots=3, seats=2, mark=MARK)
    write_bot(tmp_path / "store", "poison", POISON, MARK)
    text = file.read_text().replace('rotations = "cyclic"', 'rotations = "off"')
    file.write_text(text + '[[bots]]\npath = "poison"\n')
    create_here(file)
    with open_store(tmp_path / "store" / "arena.sqlite") as store:
        league = store.leagues.get("test")
        for _ in range(MOST_RUNS):  # a run pauses if hosts do nothing but die
            if LeagueRun(store, league, executor=cluster.executor(), sandbox="off").run(lambda _: None):
                break
        assert not list(store.games.faults(league.uuid)), "no bot is blamed for what a host did"
        poison = next(one.entry_no for one in store.entries.all(league.uuid) if one.label == "poison")
        states = {match.match_no: match.state for match in store.matches.all(league.uuid)}
        playing = {match.match_no: match.entries for match in store.matches.all(league.uuid)}
    assert Counter(states.values()) == {"done": 3, "void": 3}
    assert all((poison in playing[match_no]) == (state == "void") for match_no, state in states.items())
    assert_nobody_left(MARK)
    assert eventually(lambda: all(host.worker() for host in hosts)), "hosts come back"
