"""One league on machines with accounts and networks of their own, where everything that can die does, in turn.

It comes to the table of one machine without hosts, bit for bit; nothing is lost, nothing is played twice, no bot is
blamed, and no process of any account is left.
"""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.submissions.manifest import bundled_bots
from tests.plugins.cluster.machines import Machine, Network, why_none
from tests.plugins.cluster.real import RealCluster, RealHost
from tests.support.leagues import games_stored, simple, write_bot
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("hosts"),
    pytest.mark.timeout(5_400),
]

ROUNDS = 13
"""Of 30 games."""
PAUSE_MS = 100
"""Two of the bots think for so long, so that the league lasts until all has happened, however fast the machine is."""
BETWEEN = 6
"""So many games are entered after each event, before the next one."""
PATIENCE_S = 150.0
"""A host whose link was cut notices after a minute, and tries to join for half a minute more."""
ENOUGH_S = 2_400.0
"""How long a run may take on a busy machine."""
BRIEF_S = 12.0
"""A host is stopped for so long: bots would be late, but it is not lost yet."""
ARENA = (sys.executable, "-m", "arena")
LEAGUE = """
name = "test"
game = "bread-basket"
seats = 3
rotations = "cyclic"
seed = 7
same_author = true
sandbox = "require"
[schedule]
kind = "round-robin"
rounds = {rounds}
"""


@pytest.fixture
def network() -> Iterator[Network]:
    """Yield a network without machines."""
    if why := why_none():
        pytest.skip(why)
    with Network() as made:
        yield made


class Runner:
    """The machine with the store, and the process that runs the league there."""

    def __init__(self, machine: Machine, cluster: RealCluster) -> None:
        self.machine = machine
        self.log = cluster.folder / "runner.log"
        self._certificates = cluster.certificates_on(machine)
        self._address = cluster.address
        self.start()

    def start(self) -> None:
        self._begins = self.log.stat().st_size if self.log.exists() else 0
        on = ("--on", self._address, "--certificates", str(self._certificates))
        self.process = self.machine.start(
            *(*ARENA, "run", "test", "--store", "cluster/arena.sqlite", *on), log=self.log
        )

    @property
    def said(self) -> str:
        """What it has said since it was started."""
        return self.log.read_bytes()[self._begins :].decode()

    @property
    def games(self) -> int:
        return games_stored(self.machine.home / "cluster")

    def goes_on(self, games: int = BETWEEN) -> None:
        """Wait until it has entered more games."""
        before = self.games
        assert eventually(lambda: self.games >= before + games, PATIENCE_S), self.said
        assert self.process.poll() is None, f"the league is over too early: {self.said}"


def write_league(folder: Path) -> None:
    """Write a league of reference bots, one of them not in Python where there is a Node, and of two with pauses."""
    names = ["greedy", "counter", *(["crumb"] if shutil.which("node") else [])]
    lines = [LEAGUE.format(rounds=ROUNDS)]
    for name in names:
        theirs = bundled_bots() / "bread_basket" / name
        shutil.copytree(theirs, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        lines += ["[[bots]]", f'path = "{name}"']
    for number in range(2):
        write_bot(folder, f"pick{number}", simple(number, pause_ms=PAUSE_MS))
        lines += ["[[bots]]", f'path = "pick{number}"']
    (folder / "league.toml").write_text("\n".join(lines) + "\n")


def test_one_league_outlives_everything(tmp_path: Path, network: Network) -> None:
    ground, scheduler, runners = (network.add(name) for name in ("ground", "scheduler", "runner"))
    write_league(tmp_path / "league")
    for machine, name in ((ground, "alone"), (runners, "cluster")):
        place = machine.give(tmp_path / "league", name)
        machine.run(
            *ARENA, "league", "create", str(place / "league.toml"), "--store", str(place / "arena.sqlite")
        )
    alone = ground.start(
        *(*ARENA, "run", "test", "--store", "alone/arena.sqlite", "--workers", "4"),
        log=tmp_path / "alone.log",
    )
    (tmp_path / "cluster").mkdir()
    with RealCluster(tmp_path / "cluster", on=scheduler) as cluster:
        machines = {name: network.add(name) for name in "abcd"}
        a, b, c = (join(cluster, machines[name]) for name in "abc")
        with pytest.raises(AssertionError, match="Permission denied"):
            machines["a"].run("cat", str(machines["b"].home / "certificates" / "key.pem"))
        runner = Runner(runners, cluster)
        events = Events(cluster, runner)
        runner.goes_on()
        events.agent_is_killed(a)
        events.worker_is_killed(b)
        c = events.supervisor_is_killed(c, machines["c"])
        d = events.joins(machines["d"])
        events.scheduler_is_killed([a, b, c, d])
        events.leaves(d, machines["d"])
        events.runner_is_killed([a, b, c])
        events.is_stopped_briefly(b, machines["b"])
        events.is_stopped(a, machines["a"])
        events.is_cut_off(b, machines["b"])
        events.runner_is_cut_off()
        assert runner.process.wait(ENOUGH_S) == 0, runner.said
        for host in (a, b, c):
            assert not host.agent(), "nothing plays after the end"
            host.process.send_signal(signal.SIGINT)
            assert host.process.wait(60) == 0, host.said
    for log in (tmp_path / "cluster").glob("[!s]*.log"):  # that of Dask's scheduler is its own
        assert "Traceback" not in log.read_text(), log
    for machine in network.machines.values():
        assert machine is ground or not machine.processes(), machine.name
    assert alone.wait(ENOUGH_S) == 0
    found = {name: result_of(machine, name) for machine, name in ((runners, "cluster"), (ground, "alone"))}
    print(json.dumps(found, indent=1))  # noqa: T201
    assert found["cluster"]["digest"] == found["alone"]["digest"]
    assert found["cluster"]["faults"] == found["alone"]["faults"] == "[]"
    assert not ground.processes()


def result_of(machine: Machine, name: str) -> dict[str, str]:
    """Return what is in a store, once everything in it was checked."""
    store = ("--store", f"{name}/arena.sqlite")
    machine.run(*ARENA, "db", "verify", *store)
    machine.run(*ARENA, "league", "verify-deals", "test", *store)
    return {
        "digest": machine.run(*ARENA, "db", "digest", "test", *store),
        "faults": machine.run(*ARENA, "faults", "test", "--format", "json", *store).strip(),
    }


def join(cluster: RealCluster, machine: Machine) -> RealHost:
    """Start a host on a machine, and wait until it has joined."""
    host = cluster.host(machine.name, "--slots", "1", on=machine)
    assert host.has_joined(), host.said
    return host


class Events:
    """What happens to a cluster that plays. Each ends once the league goes on, with the victim where it may."""

    def __init__(self, cluster: RealCluster, runner: Runner) -> None:
        self._cluster = cluster
        self._runner = runner
        self._began_s = time.monotonic()

    def agent_is_killed(self, host: RealHost) -> None:
        self._tell("kill -9 of an agent")
        before = host.agent()
        kill(before)
        assert eventually(lambda: host.agent() not in (None, before)), host.said
        self._runner.goes_on()

    def worker_is_killed(self, host: RealHost) -> None:
        self._tell("kill -9 of a worker")
        kill(host.worker())
        self._plays_again(host, joined=2)

    def supervisor_is_killed(self, host: RealHost, machine: Machine) -> RealHost:
        self._tell("kill -9 of `arena host`")
        kill(host.process.pid)
        assert host.process.wait() == -signal.SIGKILL
        assert eventually(lambda: not machine.processes()), "everything of the host ends with it"
        self._cluster.hosts.remove(host)
        self._runner.goes_on()
        return self.joins(machine)

    def joins(self, machine: Machine) -> RealHost:
        self._tell("a host joins")
        host = join(self._cluster, machine)
        self._plays_again(host, joined=1)
        return host

    def leaves(self, host: RealHost, machine: Machine) -> None:
        self._tell("a host leaves by Ctrl-C")
        host.process.send_signal(signal.SIGINT)
        assert host.process.wait(60) == 0, host.said
        assert not machine.processes()
        self._cluster.hosts.remove(host)
        self._runner.goes_on()

    def scheduler_is_killed(self, hosts: list[RealHost]) -> None:
        self._tell("kill -9 of the scheduler")
        joined = [host.said.count("joined tls://") for host in hosts]
        self._cluster.scheduler.kill()
        self._cluster.scheduler.wait()
        assert eventually(lambda: not any(host.agent() for host in hosts)), "hosts end what they play"
        self._cluster.start_scheduler()
        for host, before in zip(hosts, joined, strict=True):
            self._plays_again(host, joined=before + 1)

    def runner_is_killed(self, hosts: list[RealHost]) -> None:
        self._tell("kill -9 of the runner")
        kill(self._runner.process.pid)
        self._runner.process.wait()
        assert eventually(lambda: not any(host.agent() for host in hosts)), "hosts end what nobody wants"
        assert not self._runner.machine.processes()
        self._runner.start()
        self._runner.goes_on()

    def is_stopped_briefly(self, host: RealHost, machine: Machine) -> None:
        self._tell(f"SIGSTOP of a host for {BRIEF_S:.0f} s")
        machine.signal(signal.SIGSTOP)
        time.sleep(BRIEF_S)
        machine.signal(signal.SIGCONT)
        assert "is lost" not in self._runner.said
        assert host.process.poll() is None
        self._runner.goes_on()

    def is_stopped(self, host: RealHost, machine: Machine) -> None:
        self._tell("SIGSTOP of a host until it is lost")
        machine.signal(signal.SIGSTOP)
        assert eventually(lambda: f"host {host.name} is lost" in self._runner.said), self._runner.said
        self._runner.goes_on()
        machine.signal(signal.SIGCONT)
        self._plays_again(host)

    def is_cut_off(self, host: RealHost, machine: Machine) -> None:
        self._tell("the link of a host is cut")
        machine.cut()
        assert eventually(lambda: f"host {host.name} is lost" in self._runner.said), self._runner.said
        self._runner.goes_on()
        machine.mend()
        self._plays_again(host)

    def runner_is_cut_off(self) -> None:
        self._tell("the link of the runner is cut")
        self._runner.machine.cut()
        assert eventually(lambda: "connecting again" in self._runner.said), self._runner.said
        self._runner.machine.mend()
        self._runner.goes_on()
        self._tell("end of the events")

    def _plays_again(self, host: RealHost, joined: int = 0) -> None:
        assert eventually(lambda: host.has_joined(joined), PATIENCE_S), host.said
        assert eventually(lambda: host.agent(), PATIENCE_S), (host.said, self._runner.said)
        self._runner.goes_on()

    def _tell(self, event: str) -> None:
        took_s = time.monotonic() - self._began_s
        print(f"{took_s:5.0f} s, {self._runner.games:4} games: {event}", flush=True)  # noqa: T201


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
