"""What the tests of hosts share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.executors.worker import SerialExecutor
from tests.plugins.cluster.leagues import played
from tests.plugins.cluster.real import RealCluster


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the digest of the league as one process plays it."""
    return played(tmp_path_factory.mktemp("here"), SerialExecutor())[0]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RealCluster]:
    """Yield a cluster without hosts."""
    (tmp_path / "cluster").mkdir()
    with RealCluster(tmp_path / "cluster") as started:
        yield started
