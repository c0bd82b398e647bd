"""Executors are found by name, take their options from the settings file, and harm nobody who asks for another one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import registry
from arena.core.errors import BadFile, UnknownName, UsageError
from arena.executors.processes import ProcessExecutor
from arena.executors.worker import SerialExecutor
from arena.league.running.named_executor import executor_named, unused_settings
from arena.league.running.run import LeagueRun
from results.store import open_store
from tests.support.leagues import arena_here, create_here, digest, play_here, write_league
from tests.support.tree import examples

OUTSIDE = """
from arena.executors.base import ExecutorKind
from arena.executors.worker import SerialExecutor
from msgspec import Struct

class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    address: str = "nowhere"

class Outside(SerialExecutor):
    def __init__(self, settings, workers):
        print(f"{workers} workers at {settings.address}")

EXECUTOR = ExecutorKind("outside", Settings, Outside)
"""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the place of the settings file."""
    file = tmp_path / "settings.toml"
    file.write_text("")
    monkeypatch.setenv("ARENA_SETTINGS", str(file))
    return file


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make it look as if a package with an executor were installed; return the folder with its module."""
    place = tmp_path / "site"
    place.mkdir()
    (place / "far.py").write_text(OUTSIDE)
    info = place / "far-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: far\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.executors]\noutside = far:EXECUTOR\n")
    monkeypatch.syspath_prepend(place)
    registry.executors.cache_clear()
    yield place
    registry.executors.cache_clear()
    sys.modules.pop("far", None)


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return a folder with a store and a league in it."""
    place = tmp_path / "league"
    create_here(write_league(place, rounds=1))
    return place


def test_two_come_with_arena() -> None:
    assert {"processes", "serial"} <= set(registry.executors())
    assert isinstance(executor_named("serial", 3), SerialExecutor)


@pytest.mark.parametrize("pin", [True, False])
def test_options_come_from_the_settings_file(settings: Path, pin: bool) -> None:
    settings.write_text(f"[executors.processes]\npin = {str(pin).lower()}\n")
    made = executor_named("processes", 3)
    assert isinstance(made, ProcessExecutor)
    assert (made.workers, made.pin) == (3, pin)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "\n[executors.processes]\npins = true",
            "settings.toml:3: unknown key 'pins'; did you mean 'pin'?",
        ),
        ("[executors.processes]\npin = 3", "settings.toml:2: executors.processes.pin"),
        ("[executors.serial]\npin = true", "settings.toml:2: unknown key 'pin'"),
        ("[executors]\nprocesses = 3", "settings.toml:2: executors.processes: expected a table"),
    ],
)
def test_wrong_options_are_refused_with_their_line(settings: Path, text: str, said: str) -> None:
    settings.write_text(text)
    with pytest.raises(BadFile) as caught:
        executor_named("serial" if "serial" in text else "processes", 1)
    assert said in str(caught.value)


def test_options_of_others_are_nobodys_business(settings: Path) -> None:
    settings.write_text('[executors.dask]\naddress = "tls://elsewhere"\n')
    assert executor_named("processes", 1)
    (line,) = unused_settings()
    assert line.startswith(f"{settings}:1: [executors.dask] is not used: no executor 'dask' is installed")


@pytest.mark.usefixtures("installed")
def test_options_of_installed_executors_are_not_warned_about(settings: Path) -> None:
    settings.write_text("[executors.outside]\n[executors.serial]\n")
    assert unused_settings() == []


def test_an_unknown_name_is_answered_with_the_list(league: Path) -> None:
    done = arena_here("run", "test", "--executor", "proceses", cwd=league)
    assert done.returncode == 2
    words = " ".join(done.stderr.split())
    assert "there is no executor 'proceses'; did you mean 'processes'?" in words
    assert "processes, serial" in words
    with pytest.raises(UnknownName):
        executor_named("", 1)


@pytest.mark.slow
def test_a_league_is_the_same_by_whichever_executor(league: Path, tmp_path: Path, installed: Path) -> None:
    assert installed
    other = tmp_path / "other"
    create_here(write_league(other, rounds=1))
    assert play_here(other)
    done = arena_here(
        "run", "test", "--executor", "outside", "--workers", "3", "--sandbox", "off", cwd=league
    )
    assert done.returncode == 0, done.stderr
    assert "3 workers at nowhere" in done.stdout
    assert digest(league) == digest(other)


def test_a_broken_package_stops_only_who_asks_for_it(league: Path, installed: Path) -> None:
    (installed / "far.py").write_text("import no_such_module\n")
    done = arena_here("run", "test", "--executor", "outside", cwd=league)
    assert done.returncode == 1
    words = " ".join(done.stderr.split())
    assert "far:EXECUTOR (entry point outside of far), an executor, failed to load" in words
    assert "Traceback" not in done.stderr
    assert executor_named("processes", 1)


def test_what_is_no_executor_is_refused(installed: Path) -> None:
    (installed / "far.py").write_text("EXECUTOR = 3\n")
    with pytest.raises(registry.BrokenPlugin, match="is no executor: it lacks make, name, settings"):
        executor_named("outside", 1)


LOGGED = """
from arena.executors.base import ExecutorKind, NoSettings
from arena.executors.worker import SerialExecutor

class Logged(SerialExecutor):
    def run(self, work, source, stop, held=()):
        for chunk in super().run(work, source, stop, held):
            yield chunk

def make(settings, workers):
    return Logged()

EXECUTOR = ExecutorKind("outside", NoSettings, make)
"""


@pytest.mark.parametrize(
    ("right", "wrong", "said", "games"),
    [
        ("return Logged()", "return Logged(8)", "TypeError: Logged() takes no arguments", 0),
        ("return Logged()", "return object()", "object has no `plays_here` that is True or False", 0),
        ("yield chunk", "yield chunk; int('x')", "ValueError: invalid literal", 1),
        (
            "yield chunk",
            "yield chunk; yield chunk[0]",
            "`run` yielded a GameRecord, not a list of results",
            1,
        ),
        (
            "yield chunk",
            "yield chunk; yield [3]",
            "`run` yielded a list with something of the type int, not a result",
            1,
        ),
    ],
    ids=["make", "plays_here", "raises", "no list", "no result"],
)
def test_what_an_executor_does_wrong_is_blamed_on_it(
    league: Path, installed: Path, right: str, wrong: str, said: str, games: int
) -> None:
    (installed / "far.py").write_text(LOGGED.replace(right, wrong))
    with open_store(league / "arena.sqlite") as store:
        with pytest.raises(registry.PluginFailed) as caught:
            LeagueRun(store, store.leagues.get(None), executor="outside", sandbox="off").run(lambda _: None)
        assert str(caught.value).startswith(f"the executor 'outside' of far failed: {said}")
        if "Error" in said:
            assert "far.py:" in str(caught.value)
        assert len(list(store.games.all(store.leagues.get(None).uuid))) == games


@pytest.mark.parametrize(
    "error", ["MemoryError()", "OSError(28, 'No space left on device')", "UsageError('no')"]
)
def test_an_executor_is_not_blamed_for_the_machine_or_the_user(installed: Path, error: str) -> None:
    imported = "from arena.core.errors import UsageError"
    (installed / "far.py").write_text(imported + LOGGED.replace("return Logged()", f"raise {error}"))
    with pytest.raises((MemoryError, OSError, UsageError)) as caught:
        executor_named("outside", 1)
    assert not isinstance(caught.value, registry.PluginFailed)


def test_the_example_of_the_page_plays_the_same_league(
    league: Path, tmp_path: Path, installed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (text,) = [
        one.text for one in examples() if one.page == "docs/adding-an-executor.md" and '"logged"' in one.text
    ]
    (installed / "far.py").write_text(text)
    (installed / "far-1.0.dist-info" / "entry_points.txt").write_text(
        "[arena.executors]\nlogged = far:EXECUTOR\n"
    )
    with open_store(league / "arena.sqlite") as store:
        assert LeagueRun(store, store.leagues.get(None), executor="logged", sandbox="off").run(lambda _: None)
    assert "match 0, rotation 0" in caplog.messages
    other = tmp_path / "other"
    create_here(write_league(other, rounds=1))
    assert play_here(other)
    assert digest(league) == digest(other)
