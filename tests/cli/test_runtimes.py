"""What bots may start, as bot authors and organisers meet it: at submit, at create, at the start of a run."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.commands.run import demo_league_file
from arena.sandbox.runtimes import PATH
from arena.submissions import entering
from arena.submissions.entering import enter
from results.store import open_store
from tests.support.leagues import arena, arena_here, games_stored, simple, write_bot
from tests.support.sandbox import open_folder
from tests.support.submissions import take_in
from tests.support.tree import ROOT

HOST_PATH = "/proc/self/exe"
LEAGUE = """
name = "test"
game = "bread-basket"
seed = 7
options = { hands = 1 }
sandbox = "SANDBOX"
schedule = { kind = "round-robin", rounds = 1 }
[[bots]]
path = "plain"
[[bots]]
"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have a bot `plain`, a bot `fancy` that needs the runtime `fancypy`, and a settings file that lists nothing."""
    with open_folder() as place:
        folder = place / "leagues"
        write_bot(folder, "plain", simple(0))
        fancy = write_bot(folder, "fancy", simple(1))
        command_of(fancy, "fancypy", "bot.py")
        program = place / "fancy" / "bin" / "fancypy"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\nexec python3 "$@"\n')
        program.chmod(0o755)
        settings = place / "settings.toml"
        settings.write_text("")
        settings.chmod(0o644)
        monkeypatch.setenv("ARENA_SETTINGS", str(settings))
        yield place


def command_of(bot: Path, *command: str) -> None:
    """Have a bot started by another command."""
    text = (bot / "bot.toml").read_text()
    old = next(line for line in text.splitlines() if line.startswith("command"))
    (bot / "bot.toml").write_text(text.replace(old, f"command = {json.dumps(command)}"))


def listed(place: Path, *, is_so: bool = True) -> None:
    """List the runtime, or nothing."""
    line = f'fancypy = "{place / "fancy"}"\n' if is_so else ""
    (place / "settings.toml").write_text("[runtimes]\n" + line)


def league_file(place: Path, bot: str, sandbox: str = "auto") -> str:
    (place / "leagues" / "league.toml").write_text(LEAGUE.replace("SANDBOX", sandbox) + bot + "\n")
    return "league.toml"


def refused(place: Path, *arguments: str, code: int = 2) -> str:
    """Return what is said of a command that is refused; `code`: 3 if it is for a bot's mistake."""
    done = arena_here(*arguments, cwd=place / "leagues")
    told = " ".join(done.stderr.replace("│", " ").split())
    assert done.returncode == code, told
    assert "Traceback" not in told
    return told


@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_a_path_of_the_host_is_refused_at_submit_whatever_the_level(place: Path, sandbox: str) -> None:
    command_of(place / "leagues" / "plain", HOST_PATH, "bot.py")
    told = refused(place, "submit", "plain", "--sandbox", sandbox, code=3)
    assert "plain/bot.toml:3: command: '/proc/self/exe' is a path of this machine" in told
    assert f"[runtimes] in {place / 'settings.toml'}" in told


def test_a_path_of_the_host_is_refused_at_create(place: Path) -> None:
    command_of(place / "leagues" / "fancy", HOST_PATH, "bot.py")
    told = refused(place, "league", "create", league_file(place, 'path = "fancy"'), code=3)
    assert "[[bots]] number 2: " in told
    assert "fancy/bot.toml:3: command: '/proc/self/exe' is a path of this machine" in told


@pytest.fixture
def accepted_before(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a version in the store that an older Arena accepted, with a path of the host for its program."""
    command_of(place / "leagues" / "fancy", HOST_PATH, "bot.py")
    enter_unchecked(place, monkeypatch)
    return place


def enter_unchecked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the bot `fancy` in the store, as an Arena that did not look at its command would."""
    store = open_store(place / "leagues" / "arena.sqlite", create=True)
    with monkeypatch.context() as older:
        older.setattr(entering, "check_command", lambda *_: None)
        enter(store, take_in(place / "leagues" / "fancy", store))
    store.close()


def test_a_version_accepted_before_is_refused_with_the_reason(accepted_before: Path) -> None:
    place = accepted_before
    told = refused(place, "league", "create", league_file(place, 'version = "fancy"'))
    assert "[[bots]] number 2: tests/fancy@1: '/proc/self/exe' is a path of this machine" in told
    told = refused(place, "match", "tests/fancy", "plain", "--game", "bread-basket")
    assert "tests/fancy@1: '/proc/self/exe' is a path of this machine" in told
    assert "the organiser can list more programs under [runtimes]" in told
    assert games_stored(place / "leagues") == 0


@pytest.mark.skipif(shutil.which("python3", path=PATH) is None, reason="the runtime is the system's Python")
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_a_league_waits_for_a_runtime_that_is_no_longer_listed(place: Path, sandbox: str) -> None:
    folder = place / "leagues"
    told = refused(place, "league", "create", league_file(place, 'path = "fancy"', sandbox), code=3)
    assert "the bot needs the program 'fancypy', which is not installed here" in told
    listed(place)
    assert (
        arena_here("league", "create", league_file(place, 'path = "fancy"', sandbox), cwd=folder).returncode
        == 0
    )

    listed(place, is_so=False)
    told = refused(place, "run", "test")
    assert "entry 'fancy' (tests/fancy@1): the bot needs the program 'fancypy'" in told
    assert f"list it under [runtimes] in {place / 'settings.toml'}" in told
    assert " created " in arena_here("league", "list", cwd=folder).stdout

    listed(place)
    arena("run", "test", cwd=folder)
    assert games_stored(folder) == 2
    assert "fancy" not in arena("faults", "--format", "csv", cwd=folder).stdout


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["auto", pytest.param("off", marks=pytest.mark.slow)])
def test_packages_of_arenas_own_environment_are_not_for_bots(place: Path, sandbox: str) -> None:
    bot = place / "leagues" / "plain" / "bot.py"
    bot.write_text("import msgspec\n" + bot.read_text())
    done = arena("submit", "plain", "--sandbox", sandbox, cwd=place / "leagues", check=False)
    told = " ".join(done.stderr.split())
    assert done.returncode == 3
    assert "ModuleNotFoundError: No module named 'msgspec'" in told
    assert "put msgspec into the bot's folder" in told


def test_a_settings_file_that_is_no_good_stops_a_run_before_it_begins(place: Path) -> None:
    (place / "settings.toml").write_text('[runtimes]\nnode = "/"\n')
    told = refused(place, "submit", "plain")
    assert f"{place / 'settings.toml'}:2: runtimes.node: bots must not see all of /" in told


def test_the_demo_leaves_out_what_only_the_organisers_path_has(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = place / "nvm" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(node.parent), prepend=":")
    monkeypatch.setattr("arena.sandbox.runtimes.PATH", "/nonexistent")
    paths = [table.path for table in demo_league_file("demo", 1).bots]
    assert paths
    assert "bots/bread_basket/crumb" not in paths
    assert "bots/bread_basket/baker" not in paths
    assert "bots/bread_basket/counter" in paths, "it plays in the place of what needs a compiler"
    told = " ".join(capsys.readouterr().err.split())
    assert "left out crumb: the bot needs the program 'node'" in told
    assert "left out baker: the bot needs the program 'cc'" in told
    assert f'node = "{node}" under [runtimes] in' in told
    (place / "settings.toml").write_text(f'[runtimes]\nnode = "{node}"\n')
    assert "bots/bread_basket/crumb" in [table.path for table in demo_league_file("demo", 1).bots]


@pytest.mark.slow
def test_the_doctor_shows_what_bots_may_start(place: Path) -> None:
    def rows() -> dict[str, str]:
        told = arena_here("doctor", "--format", "json", cwd=place).stdout
        return {row["what"].strip(): f"{row['found']} {row['means']}" for row in json.loads(told)}

    assert "lists 0 programs" in rows()["settings"]
    assert "without packages" in rows()["python3"]
    listed(place)
    assert str(place / "fancy" / "bin" / "fancypy") in rows()["fancypy"]
    assert f"see {place / 'fancy'}" in rows()["fancypy"]
    (place / "settings.toml").chmod(0o666)
    assert "others may write to" in rows()["settings"]
    assert "chmod go-w" in rows()["settings"]


def test_a_bot_whose_compiler_is_missing_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.sandbox.runtimes.PATH", "/nonexistent")
    (place / "league.toml").write_text(
        'name = "all"\ngame = "bread-basket"\nseats = 2\n[[bots]]\npath = "bots/bread_basket/baker"\n'
        '[[bots]]\npath = "bots/bread_basket/greedy"\n'
    )
    for words in (("check", "bots/bread_basket/baker"), ("league", "create", "league.toml")):
        done = arena_here(*words, cwd=place)
        assert done.returncode == 3
        told = " ".join((done.stdout + done.stderr).split())
        assert "baker/bot.toml:5: build: the bot needs the program 'cc', which is not installed here" in told


@pytest.mark.slow
@pytest.mark.gate
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_bot_of_ours_that_is_built_plays_a_match_in_a_new_store(place: Path) -> None:
    done = arena_here("match", "bots/bread_basket/baker", "bots/any_game/random", cwd=place)
    assert done.returncode == 0, done.stderr
    changed = place / "changed"
    shutil.copytree(ROOT / "bots/bread_basket/baker", changed)
    (changed / "baker.c").write_text((changed / "baker.c").read_text() + "/* changed */\n")
    refused = arena_here("match", "changed", "bots/any_game/random", cwd=place)
    assert "this is none of them, or a changed copy" in refused.stderr
