"""`league create` is one step: it happens whole, or nothing of it is there, files included."""

import errno
import os
import resource
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from arena.league.create import create_at
from arena.league.definition.read import read_plan
from arena.sandbox.folder_removal import remove_tree
from arena.submissions.launch_spec import program_of
from arena.submissions.read_source import Intake, read_source
from arena.submissions.staging import staging_folder, sweep
from results.store import open_store
from tests.league.killing import forked, killed_before
from tests.support.leagues import arena_here, simple, write_bot, write_league


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_league(tmp_path, rounds=1)
    return tmp_path


def everything(folder: Path) -> dict[str, bytes | None]:
    """Return what is below a folder, with the content of files; those of SQLite's own are left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not path.name.endswith(("-wal", "-shm"))
    }


def changed(folder: Path, old: str, new: str) -> str:
    text = (folder / "league.toml").read_text()
    assert old in text
    (folder / "changed.toml").write_text(text.replace(old, new))
    return "changed.toml"


REFUSALS = {
    "version": ('path = "pick2"', 'version = "nobody"'),
    "label": ('path = "pick2"', 'path = "pick2"\nlabel = "pick0"'),
    "name": ('name = "test"', 'name = "casual"'),
    "bot": ('path = "pick2"', 'path = "none"'),
    "program": ('path = "pick2"', 'path = "needy"'),
    "game": ('path = "pick2"', 'path = "chess"'),
}


@pytest.mark.parametrize("why", REFUSALS)
@pytest.mark.parametrize("dry_run", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("with_store", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_refusal_leaves_nothing_behind(folder: Path, why: str, dry_run: bool, with_store: bool) -> None:
    for name, old, new in (
        ("chess", 'games = ["*"]', 'games = ["chess"]'),
        ("needy", '"python3"', '"no-such-program"'),
    ):
        manifest = write_bot(folder, name, "") / "bot.toml"
        manifest.write_text(manifest.read_text().replace(old, new))
    if with_store:
        assert arena_here("league", "create", "league.toml", cwd=folder).returncode == 0
        old, new = REFUSALS[why]
        (folder / "pick0" / "bot.py").write_text("changed")
        file = changed(folder, old, new)
        if why != "name":
            (folder / file).write_text((folder / file).read_text().replace('"test"', '"other"'))
    else:
        file = changed(folder, *REFUSALS[why])
    before = everything(folder)
    done = arena_here("league", "create", file, *(["--dry-run"] if dry_run else []), cwd=folder)
    assert done.returncode == (3 if why == "program" else 2), done.stderr
    assert everything(folder) == before


@pytest.mark.parametrize("with_store", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_dry_run_leaves_nothing_behind(folder: Path, with_store: bool) -> None:
    if with_store:
        write_bot(folder, "other", simple(1), game="bread-basket")
        assert arena_here("submit", "other", "--sandbox", "off", cwd=folder).returncode == 0
        (folder / "league.toml").write_text(
            (folder / "league.toml").read_text() + '[[bots]]\nversion = "tests/other"\n'
        )
    before = everything(folder)
    done = arena_here("league", "create", "league.toml", "--dry-run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "dry run" in done.stderr
    assert everything(folder) == before
    done = arena_here("league", "create", "league.toml", cwd=folder)
    assert done.returncode == 0, done.stderr
    done = arena_here("league", "create", "league.toml", "--dry-run", cwd=folder)
    assert "name: there is a league 'test' already" in " ".join(done.stderr.split())


def test_a_name_that_is_taken_is_refused_with_its_line(folder: Path) -> None:
    assert arena_here("league", "create", "league.toml", cwd=folder).returncode == 0
    done = arena_here("league", "create", "league.toml", cwd=folder)
    assert done.returncode == 2
    assert "league.toml:1: name: there is a league 'test' already" in " ".join(done.stderr.split())


def test_a_full_disk_leaves_nothing_behind_whenever_it_fills(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, before = Path.write_bytes, everything(folder)
    for room in range(6):
        left = [room]

        def write(path: Path, data: Any, left: list[int] = left) -> int:
            if not left[0]:
                real(path, data[: len(data) // 2])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            left[0] -= 1
            return real(path, data)

        with monkeypatch.context() as patched:
            patched.setattr("arena.submissions.read_source.Path.write_bytes", write)
            done = arena_here("league", "create", "league.toml", cwd=folder)
        assert done.returncode == 1, done.stderr
        assert "No space left on device" in done.stderr
        assert "nothing was left behind" in " ".join(done.stderr.split())
        assert everything(folder) == before


@pytest.mark.parametrize(
    ("with_store", "most_bytes"), [(False, 100), (False, 100_000), (True, 100), (True, 3_000), (True, 20_000)]
)
def test_no_file_may_grow_larger(folder: Path, with_store: bool, most_bytes: int) -> None:
    """SQLite, too, is refused by the system; a bound on the size of files is the nearest to a full disk."""
    first = ("league", "create", "league.toml", *(() if with_store else ("--dry-run",)))
    assert arena_here(*first, cwd=folder).returncode == 0
    file = changed(folder, '"test"', '"other"')
    (folder / "pick2" / "large").write_bytes(bytes(2_000))
    before = everything(folder)
    reading, writing = os.pipe()

    def create() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        done = arena_here("league", "create", file, cwd=folder)
        os.write(writing, f"{done.returncode}: {done.stderr}".encode())

    forked(create)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        words = " ".join(told.read().split())
    assert words.startswith("1: error: ")
    assert "nothing was left behind" in words or "arena.sqlite: the disk failed" in words
    assert everything(folder) == before


STEPS = ("open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.chmod", "sqlite3.connect")
"""Events of the interpreter by which files change, or are about to."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("with_store", "every"),
    [(False, 1), (True, 1)],
)
def test_killed_at_any_step_it_is_there_whole_or_not_at_all(
    folder: Path, with_store: bool, every: int
) -> None:
    store = folder / "arena.sqlite"
    if with_store:
        assert arena_here("match", "pick0", "pick1", "--game", "bread-basket", "--sandbox", "off", cwd=folder)
    ends: list[bool] = []
    plan = read_plan(folder / "league.toml")
    for steps in range(1, 1000, every):
        if not with_store and store.exists():
            store.unlink()
            remove_tree(folder / "arena.files")
        name = f"test-{steps}" if with_store else "test"
        (folder / "pick2" / "bot.py").write_text(f"# {steps}\n{simple(2)}")
        renamed = structs.replace(plan.file, name=name)
        planned = replace(plan, definition=replace(plan.definition, file=renamed))
        ended = killed_before(folder, steps, partial(create_at, store, planned), STEPS)
        there = store.exists() and is_whole(store, name)
        ends.append(there)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert ended == 0
    assert there
    assert ends == sorted(ends), "once it is there, it is there"
    assert ends.count(False) * every > 10
    assert not list((folder / "arena.files").glob("staging/*"))


def is_whole(store: Path, name: str) -> bool:
    """Return whether a league is there; if it is, all its bots can be started."""
    with open_store(store) as opened:
        if name not in [league.name for league in opened.leagues.all()]:
            return False
        entries = opened.entries.all(name)
        assert len(entries) == 3
        for entry in entries:
            assert entry.version
            assert (program_of(opened, entry.version).folder / "bot.py").is_file()
        return True


def test_what_a_killed_process_left_is_swept_by_the_next(folder: Path) -> None:
    create = partial(create_at, folder / "arena.sqlite", read_plan(folder / "league.toml"))
    killed_before(folder, 9, create, STEPS)
    assert list((folder / "arena.files").glob("staging/*"))
    assert not (folder / "arena.sqlite").exists()
    done = arena_here("league", "create", "league.toml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not (folder / "arena.files" / "staging").exists()


def test_what_a_living_process_has_on_its_way_is_left_alone(folder: Path) -> None:
    store = folder / "arena.sqlite"
    with staging_folder(folder / "arena.files", store) as place:
        (place / "file").touch()
        sweep(folder / "arena.files", store)
        assert (place / "file").exists()
    assert not (folder / "arena.files").exists()


def test_each_folder_is_read_once_however_many_entries_it_has(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counted(place: Path, submitter: str) -> Intake:
        read.append(place)
        return read_source(place, submitter)

    monkeypatch.setattr("arena.submissions.entering.read_source", counted)
    more = "".join(f'[[bots]]\npath = "pick0"\nargs = ["{number}"]\n' for number in range(300))
    file = folder / "league.toml"
    file.write_text(file.read_text() + more)
    created = create_at(folder / "arena.sqlite", read_plan(file))
    assert len(created.entries) == 303
    assert [place.name for place in read] == ["pick0", "pick1", "pick2"]
    assert len(list((folder / "arena.files" / "versions").iterdir())) == 3
