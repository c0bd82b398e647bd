"""Results of hosts are checked: one that errs is set aside, and what it sent wrongly is played again elsewhere."""

import subprocess
from pathlib import Path

import pytest
from arena_cluster import ClusterSettings
from arena_cluster.executor import ClusterExecutor
from msgspec import structs

from arena.league.running.portable_work import LeagueWork
from arena.sandbox.survivors import children, with_descendants
from results.records import GameRecord
from tests.plugins.cluster.leagues import MARK, games_in, played
from tests.support.leagues import ARENA, assert_nobody_left, create_here, write_league
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("hosts"),  # they count all bots of this mark
]


def test_a_host_that_sends_a_wrong_result_is_set_aside(
    tmp_path: Path, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    unpacked = LeagueWork.unpack_results
    wrong: list[str] = []

    def falsified(work: LeagueWork, packed: bytes) -> list[object]:
        """Return a result whose winner has one point more, for the first host that sends one."""
        (result,) = unpacked(work, packed)
        assert isinstance(result, GameRecord)
        if not wrong:
            wrong.append(result.worker)
            richer = structs.replace(result.seats[0], score=result.seats[0].score + 1)
            result = structs.replace(result, seats=(richer, *result.seats[1:]))
        return [result]

    monkeypatch.setattr(LeagueWork, "unpack_results", falsified)
    executor = ClusterExecutor(ClusterSettings(on="local:2"), 2, tell=told.append)
    found, run = played(tmp_path, executor)
    assert found == expected
    assert run.progress.failed_attempts >= 1
    name = wrong[0].partition("/")[0]
    said = "it sent a wrong result: its scores are not those of its replay"
    assert f"host {name} is set aside: {said}" in told
    assert [(host.name, host.set_aside) for host in executor.hosts.present.values() if host.set_aside] == [
        (name, said)
    ]


def test_games_of_deterministic_bots_are_played_again_on_another_host(
    tmp_path: Path, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LeagueWork, "is_repeatable", lambda _work, _ticket: True)
    compared: list[bool] = []
    differ = LeagueWork.differ

    def seen(work: LeagueWork, result: object, other: object) -> bool:
        compared.append(differ(work, result, other))
        return compared[-1]

    monkeypatch.setattr(LeagueWork, "differ", seen)
    executor = ClusterExecutor(ClusterSettings(on="local:2", recheck=1.0), 2)
    assert played(tmp_path, executor)[0] == expected
    assert compared
    assert not any(compared), "the same game on every host"


def test_hosts_of_this_machine_end_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    create_here(write_league(tmp_path, rounds=50, pause_ms=10, mark=MARK))
    command = [*ARENA, "run", "test", "--on", "local:2"]
    with (tmp_path / "said").open("wb") as said:
        runner = subprocess.Popen(command, cwd=tmp_path, stdout=said, stderr=said, start_new_session=True)
    try:
        assert eventually(lambda: games_in(tmp_path) >= 2)
        below = with_descendants(children(runner.pid))
        assert len(below) > 6, "a scheduler, and for each host its supervisor, worker, agent and bots"
    finally:
        runner.kill()
        runner.wait()
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
    assert_nobody_left(MARK)
