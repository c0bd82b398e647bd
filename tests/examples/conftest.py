"""The package is built and installed once."""

from pathlib import Path

import pytest

from tests.support.outside import install


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that Goofspiel is installed in, to go on PYTHONPATH."""
    return install(tmp_path_factory.mktemp("goofspiel"))
