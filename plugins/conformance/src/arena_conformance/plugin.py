"""The pytest plug-in of the kit: selects games, schedules and tables, and stops tests that hang.

Every test of the kit that takes a `table`, a `game`, a `paged` game, a
`schedule` or a `rating` system runs for each selected one, or for all installed ones.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from types import FrameType

    from arena.core.game import AnyGame

pytest.register_assert_rewrite("arena_conformance.random_games", "arena_conformance.simulated_leagues")

_HYPOTHESIS_OWN = ("default", "ci")
"""The profiles that Hypothesis itself loads."""
FOLDER = Path(__file__).parent
LONGEST_TEST_S = 120
"""A test that computes for longer is hanging, most likely on a rule that never ends."""
MOST_WAITING = 10
"""A test is stopped after this many times as long, however little of it was its own: a busy machine isn't its fault."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the kit's options."""
    group = parser.getgroup("arena", "Arena's conformance kit")
    group.addoption("--game", action="append", default=[], metavar="NAME", help="only this game")
    group.addoption("--schedule", action="append", default=[], metavar="NAME", help="only this schedule")
    group.addoption("--rating", action="append", default=[], metavar="NAME", help="only this rating system")
    group.addoption(
        "--playthroughs", metavar="FOLDER", help="folder with the playthroughs of other packages' games"
    )
    group.addoption("--update", action="store_true", help="rewrite golden files instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and let Hypothesis measure nothing by the clock: a busy machine fails no plug-in.

    A profile that a conftest or `--hypothesis-profile` has loaded is kept.
    """
    config.addinivalue_line("markers", "slow: takes long")
    if settings.get_current_profile_name() in _HYPOTHESIS_OWN:
        settings.register_profile(
            "patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
        )
        settings.load_profile("patient")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test of the kit with the tables, games or schedules it takes."""
    if metafunc.definition.path.parent != FOLDER:
        return
    names = set(metafunc.fixturenames)
    with limited(LONGEST_TEST_S, "asked which tables there are"):
        if {"table", "path"} <= names:
            from arena_conformance.random_games import kept

            folder = metafunc.config.getoption("--playthroughs")
            found = kept(_games(metafunc.config), None if folder is None else Path(folder))
            none = pytest.mark.skip(
                reason="no playthroughs are stored: --playthroughs FOLDER --update writes them"
            )
            metafunc.parametrize(
                ("table", "path"),
                [pytest.param(table, path, id=str(table)) for table, path in found]
                or [pytest.param(None, None, id="none", marks=none)],
            )
        elif "table" in names:
            from arena_conformance.random_games import changed_tables, named_tables, quick

            games = _games(metafunc.config)
            # Without the slow tests most tables are left out, and are not even collected.
            only_quick = metafunc.config.getoption("markexpr") == "not slow"
            tables = (
                filter(quick, named_tables(games))
                if only_quick
                else (*named_tables(games), *changed_tables(games))
            )
            metafunc.parametrize(
                "table",
                [
                    pytest.param(
                        table,
                        id=str(table),
                        marks=[
                            *_one_process(metafunc.config, str(table)),
                            *([] if quick(table) else [pytest.mark.slow]),
                        ],
                    )
                    for table in tables
                ],
            )
        elif "game" in names:
            metafunc.parametrize("game", _games(metafunc.config), ids=lambda game: game.info.name)
        elif "paged" in names:
            from arena_conformance.test_info import has_page

            lacking = pytest.mark.skip(
                reason="this game has no page of rules to test: rules.md next to its module"
            )
            paged = [
                pytest.param(game, id=game.info.name, marks=[] if has_page(game) else [lacking])
                for game in _games(metafunc.config)
            ]
            metafunc.parametrize("paged", paged)
        elif "schedule" in names:
            from arena import registry

            chosen = metafunc.config.getoption("--schedule") or list(registry.schedules())
            metafunc.parametrize("schedule", [registry.schedule(name) for name in chosen], ids=chosen)
        elif "rating" in names:
            from results.ratings import rating_system, rating_systems

            chosen = metafunc.config.getoption("--rating") or list(rating_systems())
            metafunc.parametrize("rating", [rating_system(name) for name in chosen], ids=chosen)


def _one_process(config: pytest.Config, table: str) -> list[pytest.MarkDecorator]:
    """Return the mark that runs all tests of a table in one process, since they share its games."""
    return [pytest.mark.xdist_group(table)] if config.pluginmanager.hasplugin("xdist") else []


def _games(config: pytest.Config) -> "list[AnyGame]":
    from arena import registry

    chosen = config.getoption("--game")
    return [registry.game(name) for name in chosen] if chosen else list(registry.games().values())


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite golden files."""
    return bool(request.config.getoption("--update"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Abort a test of the kit that hangs, unless pytest-timeout does; explain refused moves."""
    if item.path.parent != FOLDER:
        yield
        return
    with (
        _explained(),
        nullcontext()
        if item.config.pluginmanager.hasplugin("timeout")
        else limited(LONGEST_TEST_S, "played"),
    ):
        yield


@contextmanager
def _explained() -> Iterator[None]:
    """Say what it means that a move is refused where none should be."""
    from arena.core.errors import IllegalMove

    try:
        yield
    except IllegalMove as error:
        error.add_note(
            "This move was legal when the game was first played: `apply`, `parse_move` and `turn` disagree about it, "
            "or a state has been changed in place since."
        )
        raise


@contextmanager
def limited(seconds: float, while_it_was: str) -> Iterator[None]:
    """Fail with an explanation if the block takes too long. Does nothing without timers or outside the main thread."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    began, computed = time.monotonic(), time.process_time()

    def stop(_number: int, _frame: "FrameType | None") -> Any:
        left = min(
            seconds - (time.process_time() - computed), MOST_WAITING * seconds - (time.monotonic() - began)
        )
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, max(left, seconds / 100))
            return
        pytest.fail(
            f"no end after {seconds:.0f} s while it was {while_it_was}: the last lines above show where it hangs"
        )

    if signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, None):
        yield  # something else limits the time
        return
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
