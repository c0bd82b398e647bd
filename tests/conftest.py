"""What all tests share: no deadline on properties, and what is not tested."""

import gc
import os
import signal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import HealthCheck, settings

from tests.compiled_statements import share_compiled_statements

if TYPE_CHECKING:
    from arena.conformance.tables import Table

KIT = Path(__file__).parents[1] / "arena" / "conformance"

settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("arena"), max_examples=20)
settings.load_profile("arena")
os.environ["ARENA_SETTINGS"] = ""  # what whoever runs the tests lists for bots is not tested

share_compiled_statements()

# Whoever starts the tests may ignore these, as `nohup` and background jobs do, and Arena honours that.
for number, action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, action)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of each property where the slow tests are left out."""
    if config.getoption("-m") == "not slow":
        settings.load_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests half an hour, on a busy machine too, unless they say otherwise.

    Of the kit's tests, those of the largest table are slow where the ruleset is not its game's default.
    """
    for item in items:
        table = _table_of_the_kit(item)
        if table is not None and _is_large(table):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1800))


def pytest_collection_finish() -> None:
    """Leave the collected tests out of garbage collection: they stay to the end, and going through them takes time."""
    gc.collect()
    gc.freeze()


def _table_of_the_kit(item: pytest.Item) -> "Table | None":
    """Return the table that a test of the conformance kit is about."""
    if item.path.parent != KIT or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return None
    return cast("Table | None", item.callspec.params.get("table"))


@cache
def _is_large(table: "Table") -> bool:
    """Return whether a ruleset besides the default one is played at more than its fewest seats."""
    default = next(iter(table.game.info.rulesets))
    return table.ruleset_name != default and table.seats > min(table.game.seats(table.rules))
