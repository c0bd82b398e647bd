"""What all tests share: no deadline on properties, and what is not tested."""

import gc
import os
import signal
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import HealthCheck, settings

from tests.support.empty_stores import copy_empty_stores
from tests.support.known_secrets import know_secrets

if TYPE_CHECKING:
    from arena_conformance.random_games import GameSetup

DEAR = {
    "test_a_guess_looks_to_the_seat_like_the_truth",
    "test_a_guess_follows_from_its_numbers",
    "test_any_json_value",
    "test_moves_of_other_moments_are_refused_unless_listed",
    "test_views_and_moves_tell_no_more_than_the_events",
}
"""Tests of the kit that take long: the quick suite has them for the smallest table of each game's default ruleset."""
KIT = Path(__file__).parents[1] / "plugins" / "conformance" / "src" / "arena_conformance"

settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("arena"), max_examples=12)
settings.load_profile("arena")
os.environ["ARENA_SETTINGS"] = ""  # what whoever runs the tests lists for bots is not tested

copy_empty_stores()
know_secrets()

# Whoever starts the tests may ignore these, as `nohup` and background jobs do, and Arena honours that.
for number, action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, action)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of each property where the slow tests are left out."""
    if config.getoption("-m") == "not slow":
        settings.load_profile("quick")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Deal out the quick tests file by file; slow tests one by one, so that no worker ends long after the others."""
    if config.getoption("-m") != "not slow" or config.getoption("dist") != "loadgroup":
        return None
    from tests.support.by_file import ByFile

    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests half an hour, on a busy machine too, unless they say otherwise.

    Of the kit's tests, those of the largest table are slow where the ruleset is not its game's default, and those in
    DEAR for all tables but the smallest of the default.
    """
    for item in items:
        table = _table_of_the_kit(item)
        if table is not None and (_is_large(table) or (_is_dear(item) and not _is_smallest(table))):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1800))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage meanwhile: hardly anything that is made then is dropped."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave the collected tests out of garbage collection, and collect less often: both take a while."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


def _table_of_the_kit(item: pytest.Item) -> "GameSetup | None":
    """Return the table that a test of the conformance kit is about."""
    if item.path.parent != KIT or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return None
    return cast("GameSetup | None", item.callspec.params.get("table"))


def _is_dear(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and item.originalname in DEAR


@cache
def _is_large(table: "GameSetup") -> bool:
    """Return whether a ruleset besides the default one is played at more than its fewest seats."""
    return not _is_default(table) and not _has_fewest_seats(table)


@cache
def _is_smallest(table: "GameSetup") -> bool:
    """Return whether the default ruleset is played at its fewest seats."""
    return _is_default(table) and _has_fewest_seats(table)


def _is_default(table: "GameSetup") -> bool:
    return table.ruleset_name == next(iter(table.game.info.rulesets))


def _has_fewest_seats(table: "GameSetup") -> bool:
    return table.seats == min(table.game.seats(table.rules))
