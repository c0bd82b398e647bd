"""Built bots in commands: submitted once for each source, in leagues, and while a runner holds the store."""

from pathlib import Path

import pytest

from arena.league.inbox.take_up import Inbox
from arena.submissions.read_source import read_source
from results.store import Store, holding, open_store
from tests.support.leagues import arena, arena_here, simple
from tests.support.submissions import folder_of

LEAGUE = """\
name = "test"
game = "bread-basket"
options = { hands = 1 }
seed = 7
workers = 1
sandbox = "off"
[rating]
draw_probability = 0.1
[[bots]]
path = "mine"
[[bots]]
path = "mine"
label = "again"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Have a folder with a bot whose build counts how often it ran."""
    folder = folder_of(tmp_path / "mine", "mv bot.txt bot.py; date +%N > built; echo made")
    (folder / "bot.txt").write_text(simple(0))
    toml = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(toml.replace('["sh", "bot.sh"]', '["python3", "bot.py"]'))
    return tmp_path


def store_of(place: Path) -> Store:
    return open_store(place / "arena.sqlite", readonly=True)


def sources(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "arena.files" / "sources").iterdir())


@pytest.mark.slow
def test_the_same_source_is_submitted_once_and_kept(place: Path) -> None:
    first = arena_here("submit", "mine", "--sandbox", "off", cwd=place)
    assert first.returncode == 0, first.stderr
    assert "building mine: sh build.sh\n" in first.stderr
    assert "the build runs as an ordinary process, with your permissions" in first.stderr
    again = arena_here("submit", "mine", "--sandbox", "off", cwd=place)
    assert "building" not in again.stderr
    assert "unchanged: it is me/mine@1" in again.stdout
    with store_of(place) as store:
        (version,) = store.versions.all()
    source = read_source(place / "mine").sha256
    assert (version.build["source"], version.build["words"]) == (source, "made\n")
    assert sources(place) == [source]
    assert arena_here("db", "verify", cwd=place).returncode == 0
    (place / "arena.files" / "sources" / source / "build.sh").unlink()
    damaged = arena_here("db", "verify", cwd=place)
    assert "the source of version me/mine@1: the files in" in damaged.stderr.replace("\n  ", " ")
    arena_here("submit", "mine", "--sandbox", "off", cwd=place)
    assert arena_here("db", "verify", cwd=place).returncode == 0


def test_a_failed_build_submits_nothing(place: Path) -> None:
    (place / "mine" / "build.sh").write_text("printf '\\033[2Jno\\n'; exit 9\n")
    done = arena_here("submit", "mine", "--sandbox", "off", cwd=place)
    assert done.returncode == 3
    assert "mine/bot.toml:4: the build exited with code 9; the end of its output:" in done.stderr
    assert "\033" not in done.stderr
    assert "\ufffd[2Jno" in done.stderr
    assert not (place / "arena.sqlite").exists()


@pytest.mark.slow
def test_a_league_builds_a_folder_once_and_plays_it(place: Path) -> None:
    (place / "league.toml").write_text(LEAGUE)
    dry = arena_here("league", "create", "league.toml", "--dry-run", cwd=place)
    assert dry.returncode == 0, dry.stderr
    assert not (place / "arena.files").exists()
    done = arena_here("league", "create", "league.toml", cwd=place)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("building mine") == 1
    assert sources(place) == [read_source(place / "mine").sha256]
    assert arena_here("run", "test", cwd=place).returncode == 0
    assert arena_here("match", "mine", "me/mine", "--sandbox", "off", cwd=place).returncode == 0
    with store_of(place) as store:
        assert len(store.versions.all()) == 1


@pytest.mark.slow
def test_while_a_runner_holds_the_store_the_submitter_builds(place: Path) -> None:
    with open_store(place / "arena.sqlite", create=True) as store, holding(store.path, "serves leagues"):
        done = arena("submit", "mine", "--sandbox", "off", cwd=place)
        assert "building mine" in done.stderr
        assert "left for the runner" in done.stderr
        assert store.versions.all() == []
        (place / "mine" / "build.sh").write_text("echo the runner builds nothing; exit 1\n")
        Inbox(store).take_up()
        (version,) = store.versions.all()
    assert version.build["words"] == "made\n"
    assert sources(place) == [version.build["source"]]
    assert arena_here("db", "verify", cwd=place).returncode == 0


@pytest.mark.slow
def test_a_required_sandbox_is_required_of_builds(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.sandbox.bubblewrap._find", _missing)
    from arena.sandbox.probe import probe

    getattr(probe, "cache_clear", lambda: None)()
    done = arena_here("submit", "mine", "--sandbox", "require", cwd=place)
    assert done.returncode == 2
    assert "level 'confined' is required" in done.stderr
    assert "building" not in done.stderr


def _missing(name: str, package: str) -> str:
    from arena.core.errors import UsageError

    raise UsageError(f"the program {name} is missing", f"install the package {package}")
