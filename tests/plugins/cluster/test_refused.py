"""Hosts that would not play as the runner's machine does are refused, with the reason on both sides."""

from pathlib import Path

import pytest

from arena.executors.base import WorkersFail
from tests.plugins.cluster.leagues import played
from tests.plugins.cluster.real import RealCluster
from tests.support.far import BWRAP
from tests.support.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hosts")]  # they count all bots of this mark


def test_a_host_with_another_version_is_refused_and_ends(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str]
) -> None:

    old = cluster.host("b", "--slots", "1")
    executor = cluster.executor()
    mine = executor.hosts.mine
    executor.hosts.mine = (mine[0], "0.0.9+000000000000", mine[2])

    def shown(_: object) -> None:
        if executor.hosts.mine != mine and old.process.poll() is not None:
            executor.hosts.mine = mine
            cluster.host("a", "--slots", "1")

    assert played(tmp_path / "store", executor, shown=shown)[0] == expected
    assert old.process.returncode == 1
    reason = f"it has Arena {mine[1]}, the runner has 0.0.9+000000000000: install the same version of Arena"
    assert reason in old.said
    assert any(line.startswith(f"host b is refused: {reason}") for line in cluster.told)


@pytest.mark.skipif(not BWRAP, reason="no bwrap, which is what the host is to lack")
def test_a_host_with_a_weaker_sandbox_plays_nothing(tmp_path: Path, cluster: RealCluster) -> None:
    assert BWRAP is not None
    without = ["--dev-bind", "/", "/", "--cap-add", "ALL", "--die-with-parent", "--ro-bind", "/dev/null"]
    host = cluster.host("weak", "--slots", "1", around=[BWRAP, *without, str(Path(BWRAP).resolve()), "--"])
    with pytest.raises(
        WorkersFail, match="no host can play this: weak: sandbox: level 'confined' is required"
    ):
        played(tmp_path / "store", cluster.executor())
    assert eventually(lambda: "plays nothing now: sandbox" in host.said)


def test_a_host_that_cannot_play_a_bot_leaves_it_to_others(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.league.running import portable_work

    whole = portable_work.work_entries

    def built_elsewhere(*arguments: object) -> object:
        from dataclasses import replace

        return {no: replace(entry, machine="pdp11") for no, entry in whole(*arguments).items()}  # type: ignore[arg-type]

    monkeypatch.setattr(portable_work, "work_entries", built_elsewhere)
    cluster.host("a", "--slots", "1")
    with pytest.raises(WorkersFail, match="was built for pdp11, and this machine is"):
        played(tmp_path / "store", cluster.executor())
    monkeypatch.undo()
    assert played(tmp_path / "other", cluster.executor())[0] == expected
