"""Who can read a store and what belongs to it."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.web.exposure import exposed
from results.store import files_beside, open_store
from tests.league.running import arena_here
from tests.waiting import eventually
from tests.web.test_serving_killed import free_port, is_up, start


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
    subprocess.run(["chmod", "go=", path, files_beside(path)], check=True)
    assert exposed(path) == []
    before = os.umask(0)
    try:
        with open_store(path, readonly=True) as store:
            store.backup(folder / "kept.sqlite")
        path.chmod(0o640)
        assert arena_here("db", "restore", "kept.sqlite", cwd=folder).returncode == 0
    finally:
        os.umask(before)
    assert (folder / "kept.sqlite").stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o644)
    folder.chmod(0o700)
    assert exposed(path) == []


@pytest.mark.slow
def test_a_server_warns_and_makes_everything_for_its_owner_alone(folder: Path) -> None:
    port = free_port()
    before = os.umask(0o022)
    try:
        server = start(folder, port)
    finally:
        os.umask(before)
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
    assert "other accounts" not in (folder / "server.log").read_text()
    server = start(folder, port, "--no-run")
    try:
        assert eventually(lambda: is_up(port))
        found = re.search(r"stop that with: (chmod go= .*)", (folder / "server.log").read_text())
        assert found
        subprocess.run(shlex.split(found[1]), check=True)
        assert exposed(folder / "arena.sqlite") == []
    finally:
        server.terminate()
        server.wait()
