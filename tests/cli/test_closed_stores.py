"""Whichever command makes a store, and whatever the umask: it is for its owner alone, with all that belongs to it."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.cli.base.runner_store import running
from arena.cli.commands.doctor import FoundRow, _print, _store_rows
from arena.cli.display.tables import Format
from arena.league.inbox.files import leave, new_command
from arena.submissions.folder import File, keep
from arena.submissions.staging import staging_folder
from results.store import Readers, exposed, files_beside, open_store, opening, share
from results.store.beside_store import write_notes
from results.store.store_lock import lock_file
from tests.support.leagues import arena, arena_here, simple, write_bot, write_league
from tests.support.ledgers import new_league, notes
from tests.support.waiting import eventually
from tests.support.web.serving import free_port, is_up, start

CREATING = {
    "league create": [["league", "create", "league.toml"]],
    "submit": [["submit", "pick0"]],
    "run": [["league", "create", "league.toml"], ["run", "test", "--workers", "1"], ["rankings"]],
    "match": [["match", "pick0", "pick1", "--game", "bread-basket", "--sandbox", "off"]],
    "compare": [
        [
            *["compare", "pick0", "pick1", "--game", "bread-basket", "--option", "hands=1"],
            *["--sandbox", "off", "--budget", "16", "--workers", "1"],
        ]
    ],
    "demo": [["demo", "--rounds", "1", "--workers", "1"]],
    "accounts": [["submit", "pick0"], ["accounts", "invite", "maria"]],
    "db restore": [["db", "restore", "kept.sqlite"], ["db", "rebuild"]],
    "db restore --all": [["db", "restore", "kept"], ["league", "create", "events.jsonl", "--name", "again"]],
    "db backup": [
        ["db", "restore", "kept"],
        ["db", "backup", "copy.sqlite"],
        ["db", "backup", "--all", "copies"],
    ],
}
"""What makes a store, or adds to one that a command before it has made."""
QUICK = {("league create", 0)}


@contextmanager
def under(umask: int) -> Iterator[None]:
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with bots and a league file."""
    folder: Path = tmp_path_factory.mktemp("bots")
    write_league(folder, rounds=1, bots=2, seats=2)
    shutil.rmtree(folder / "pick0")
    bot = write_bot(folder, "pick0", simple(0), game="bread-basket")
    with (bot / "bot.toml").open("a") as file:
        file.write('build = ["/bin/sh", "-c", "echo built"]\n')
    return folder


@pytest.fixture(scope="module")
def backups(bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with backups and events of a league too, which everybody can read."""
    folder: Path = tmp_path_factory.mktemp("backups") / "made"
    shutil.copytree(bots, folder)
    for command in (
        ["league", "create", "league.toml"],
        ["run", "test", "--workers", "1"],
        ["league", "events", "test", "--export", "events.jsonl"],
        ["db", "backup", "kept.sqlite"],
        ["db", "backup", "--all", "kept"],
    ):
        arena(*command, cwd=folder)
    shutil.rmtree(folder / "arena.files")
    (folder / "arena.sqlite").unlink()
    for path in folder.rglob("*"):
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    return folder


@pytest.mark.parametrize(
    ("kind", "umask"),
    [
        pytest.param(kind, umask, marks=() if (kind, umask) in QUICK else pytest.mark.slow)
        for kind in CREATING
        for umask in (0o000, 0o022, 0o077)
    ],
)
def test_what_commands_make_is_for_its_owner_alone(
    bots: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    umask: int,
) -> None:
    made = request.getfixturevalue("backups") if kind.startswith("db ") else bots
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    given = {path.relative_to(made) for path in made.rglob("*")}
    monkeypatch.setattr(opening, "open_store", open_store)  # no copy of one that the tests have made
    with under(umask):
        for command in CREATING[kind]:
            done = arena_here(*command, cwd=tmp_path)
            assert done.returncode in (0, 12), done.stderr
    new = [path for path in tmp_path.rglob("*") if path.relative_to(tmp_path) not in given]
    assert {".sqlite", ".files", ".lock"} <= {path.suffix for path in new}
    assert [path for path in new if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_what_is_made_later_can_be_read_by_those_who_may_read_the_store(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "arena.sqlite"
    files = files_beside(path)
    with under(umask):
        with open_store(path, create=True) as store, store.holding():
            keep([File("bot.py", True, b"1")], files / "versions" / "one")
            subprocess.run(["chmod", "-R", "g+rX", path, files], check=True)
        with open_store(path) as store, store.holding("runs leagues"):
            new_league(store)
            beside = {
                stat.S_IMODE(path.with_name(path.name + end).stat().st_mode) for end in ("-wal", "-shm")
            }
            keep([File("bot.py", True, b"1"), File("data/book", False, b"2")], files / "versions" / "two")
            write_notes(files, notes())
            leave(files, new_command("note", {}))
            with staging_folder(files, path):
                closed = [*files.glob("staging/*"), lock_file(path)]
                assert {stat.S_IMODE(one.stat().st_mode) & 0o077 for one in closed} == {0}
    assert beside == {0o640}, "SQLite's files follow the store's mode"
    modes = {one: stat.S_IMODE(one.stat().st_mode) for one in files.rglob("*") if one != lock_file(path)}
    assert {mode for one, mode in modes.items() if one.is_dir()} == {0o750}
    assert {mode for one, mode in modes.items() if one.is_file()} == {0o640, 0o550, 0o440}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder that everybody can enter: not in pytest's own, which every run of pytest closes again."""
    with TemporaryDirectory(prefix="arena-open-") as made:
        path = Path(made)
        path.chmod(0o755)
        if not all(parent.stat().st_mode & 0o001 for parent in path.parents):
            pytest.skip("others can't enter the folder for temporary files")
        yield path


def test_what_others_can_read_is_named_and_a_copy_is_no_more_open_than_the_store(folder: Path) -> None:
    path = folder / "arena.sqlite"
    open_store(path, create=True).close()
    files_beside(path).mkdir(exist_ok=True)
    path.chmod(0o644)
    files_beside(path).chmod(0o755)
    assert exposed(path) == [path, files_beside(path)]
    share(path, Readers.NOBODY)
    assert exposed(path) == []
    with under(0):
        with open_store(path, readonly=True) as store:
            store.backup(folder / "kept.sqlite")
        path.chmod(0o640)
        assert arena_here("db", "restore", "kept.sqlite", cwd=folder).returncode == 0
    assert (folder / "kept.sqlite").stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o644)
    folder.chmod(0o700)
    assert exposed(path) == []


def test_sharing_a_store_opens_all_of_it_but_what_could_be_held_or_stolen(folder: Path, bots: Path) -> None:
    shutil.copytree(bots, folder, dirs_exist_ok=True)
    folder.chmod(0o755)
    path, beside = folder / "arena.sqlite", files_beside(folder / "arena.sqlite")
    assert arena_here("submit", "pick0", cwd=folder).returncode == 0
    assert arena_here("accounts", "invite", "maria", cwd=folder).returncode == 0
    (beside / "runner.log").touch(mode=0o600)
    (beside / "uploads").mkdir(mode=0o700, exist_ok=True)
    closed = [folder / "arena.site.sqlite", beside / "runner.log", beside / "uploads", beside / "locks"]
    closed += (beside / "locks").iterdir()
    others = [path, beside, *beside.rglob("*")]
    others = [place for place in others if place not in closed and "staging" not in place.parts]
    assert any("versions" in place.parts for place in others)

    def modes(places: list[Path]) -> set[int]:
        return {place.stat().st_mode & 0o077 for place in places}

    for readers, expected in (("group", {0o040, 0o050}), ("everyone", {0o044, 0o055}), ("nobody", {0})):
        shared = arena_here("db", "share", readers, cwd=folder)
        assert shared.returncode == 0, shared.stderr
        assert "can read it" in shared.stdout
        assert modes(others) == expected
        assert modes(closed) == {0}
        assert (exposed(path) != []) == (readers == "everyone")
        if os.geteuid() == 0:  # another account then really reads it, and really doesn't
            read = subprocess.run(["cat", path], capture_output=True, check=False, user=65534, group=65534)
            assert (read.returncode == 0) == (readers == "everyone")
    folder.chmod(0o700)
    told = arena_here("db", "share", "everyone", cwd=folder)
    assert f"chmod go+x {folder}" in " ".join(told.stderr.split())


def test_commands_warn_of_a_store_that_others_can_read(
    folder: Path, bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(bots, folder, dirs_exist_ok=True)
    folder.chmod(0o755)
    league = (folder / "league.toml").read_text().replace("seed = 7\n", "").replace("pick0", "pick1")
    (folder / "sealed.toml").write_text(league)
    path = folder / "arena.sqlite"

    def said() -> list[str]:
        created = arena_here("league", "create", "sealed.toml", "--name", f"n{next(number)}", cwd=folder)
        assert created.returncode == 0, created.stderr
        with running(path, "runs a league"):
            pass
        _print([FoundRow(what=a, found=b, means=c) for a, b, c in _store_rows(path)], Format.CSV)
        told = capsys.readouterr()
        return [" ".join(text.split()) for text in (created.stderr, told.err, told.out)]

    number = count()
    assert [text for text in said() if "can read" in text or "chmod" in text] == []
    path.chmod(0o644)
    told = said()
    assert all("stop that with: arena db share nobody" in text for text in told), told


@pytest.mark.slow
def test_a_server_warns_and_makes_everything_for_its_owner_alone(folder: Path) -> None:
    port = free_port()
    with under(0):
        server = start(folder, port)
    try:
        assert eventually(lambda: is_up(port))
        assert eventually(lambda: (folder / "arena.files" / "runner.log").exists())
        made = [path for path in folder.rglob("*") if path.name != "server.log"]
        assert len(made) > 4
        assert [path for path in made if path.stat().st_mode & 0o077] == []
        (folder / "arena.sqlite").chmod(0o644)
    finally:
        server.terminate()
        server.wait()
    assert "every account" not in (folder / "server.log").read_text()
    server = start(folder, port, "--no-run")
    try:
        assert eventually(lambda: is_up(port))
        found = re.search(r"stop that with: arena (db share nobody.*)", (folder / "server.log").read_text())
        assert found
        assert arena_here(*found[1].split(), cwd=folder).returncode == 0
        assert exposed(folder / "arena.sqlite") == []
    finally:
        server.terminate()
        server.wait()
