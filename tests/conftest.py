"""What all tests share: no deadline on properties, and what is not tested."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("arena"), max_examples=20)
settings.load_profile("arena")
os.environ["ARENA_SETTINGS"] = ""  # what whoever runs the tests lists for bots is not tested

# Whoever starts the tests may ignore these, as `nohup` and background jobs do, and Arena honours that.
for number, action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, action)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of each property where the slow tests are left out."""
    if config.getoption("-m") == "not slow":
        settings.load_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests half an hour, on a busy machine too, unless they say otherwise."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1800))
