"""A league is the same on many hosts, which are real processes with certificates of their own."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from arena.executors.base import Executor
from arena.executors.cluster import ClusterSettings
from arena.executors.cluster.executor import ClusterExecutor
from arena.executors.serial import SerialExecutor
from arena.league.running.run import LeagueRun
from results.store import open_store
from tests.league.running import assert_nobody_left, create_here, digest, write_league

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("distributed") is None, reason="the extra `cluster` is not installed"),
]

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


def test_hosts_stay_from_one_league_to_the_next(tmp_path: Path, expected: dict[str, str]) -> None:
    told: list[str] = []
    with ClusterExecutor(ClusterSettings(on="local:1"), 1, tell=told.append) as executor:
        assert played(tmp_path / "first", executor) == expected
        assert played(tmp_path / "second", executor) == expected
    assert sum("has joined" in line for line in told) == 1, told
