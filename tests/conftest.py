"""What all tests share: no deadline on properties, and the switch that rewrites golden files."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("arena")
os.environ["ARENA_SETTINGS"] = ""  # what whoever runs the tests lists for bots is not tested


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files anew instead of comparing")
    parser.addoption("--playthroughs", metavar="FOLDER", help="kept playthroughs of games from elsewhere")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update"))
