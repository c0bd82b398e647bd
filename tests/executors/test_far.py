"""A league is the same on machines that share nothing with the runner, and get bot versions by their hash."""

from pathlib import Path

import pytest

from arena.executors.base import Executor, WorkersFail
from arena.executors.processes import ProcessExecutor
from arena.executors.worker import SerialExecutor
from arena.league.running.run import LeagueRun
from results.base.isolation_levels import Wanted
from results.store import open_store
from tests.support.far import BWRAP, FarExecutor
from tests.support.leagues import assert_nobody_left, create_here, digest, write_league

ROUNDS = 3
MARK = "mark-of-far-bots"


def played(folder: Path, executor: Executor, sandbox: Wanted = "auto") -> tuple[dict[str, str], LeagueRun]:
    """Create the league in a new folder and play it; return its digest and the run."""
    create_here(write_league(folder, rounds=ROUNDS, pause_ms=5, mark=MARK))
    with open_store(folder / "arena.sqlite") as store:
        run = LeagueRun(store, store.leagues.get("test"), executor=executor, sandbox=sandbox)
        assert run.run(lambda _: None)
        faults = store.games.faults(run.league.uuid)
        assert not list(faults), "no bot is to blame for a machine"
    assert_nobody_left(MARK)
    return digest(folder), run


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the digest of the league as this process plays it."""
    return played(tmp_path_factory.mktemp("here"), SerialExecutor(), "off")[0]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_of_this_machine_play_it_too(tmp_path: Path, expected: dict[str, str], workers: int) -> None:
    assert played(tmp_path, ProcessExecutor(workers))[0] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machines", "hides", "sandbox"),
    [
        (1, False, "off"),
        pytest.param(
            *(2, True, "auto"),
            marks=pytest.mark.skipif(not BWRAP, reason="no bwrap to hide the store with"),
        ),
        (2, False, "auto"),
    ],
)
def test_far_machines_play_the_same_league(
    tmp_path: Path, expected: dict[str, str], machines: int, hides: bool, sandbox: Wanted
) -> None:
    executor = FarExecutor(machines, tmp_path / "far", tmp_path / "store", hides=hides)
    found, run = played(tmp_path / "store", executor, sandbox)
    assert found == expected
    assert run.probe is None, "what this machine gives is nobody's business"
    versions = {path.name for path in (tmp_path / "store" / "arena.files" / "versions").iterdir()}
    assert executor.fetched == dict.fromkeys(versions, machines), "each machine asks once for each version"
    with open_store(tmp_path / "store" / "arena.sqlite") as store:
        assert set(store.games.sandbox_levels(run.league.uuid)) == executor.levels
    assert executor.said == [""] * machines


@pytest.mark.slow
def test_machines_that_are_lost_in_the_middle_change_nothing(
    tmp_path: Path, expected: dict[str, str]
) -> None:
    executor = FarExecutor(2, tmp_path / "far", tmp_path / "store", lost_at=(2, 5))
    found, run = played(tmp_path / "store", executor)
    assert found == expected
    assert run.progress.failed_attempts == 2


@pytest.mark.slow
@pytest.mark.skipif(not BWRAP, reason="no bwrap, which is what the machine is to lack")
def test_a_machine_that_cannot_confine_bots_as_wanted_refuses(tmp_path: Path) -> None:
    assert BWRAP is not None
    executor = FarExecutor(1, tmp_path / "far", tmp_path / "store", hidden=[Path(BWRAP).resolve()])
    with pytest.raises(WorkersFail, match="a machine refuses: sandbox: level 'confined' is required"):
        played(tmp_path / "store", executor, "require")
