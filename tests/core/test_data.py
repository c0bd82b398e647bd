"""Reading a game's data files, from a folder and from an archive."""

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.core.game_files import read_toml

FILES = {"good.toml": b'[table]\nname = "Cr\xc3\xa8me"\nfigures = [1, 0.5]\n'}


@pytest.fixture(params=["folder", "archive"])
def package(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the name of a package with data files, in a folder or in an archive."""
    name = f"pantry_in_{request.param}"
    files = {f"{name}/__init__.py": b"", **{f"{name}/{file}": held for file, held in FILES.items()}}
    where = tmp_path
    if request.param == "archive":
        where = tmp_path / "pantry.zip"
        with zipfile.ZipFile(where, "w") as archive:
            for path, held in files.items():
                archive.writestr(path, held)
    else:
        (tmp_path / name).mkdir()
        for path, held in files.items():
            (tmp_path / path).write_bytes(held)
    monkeypatch.syspath_prepend(str(where))
    yield name
    sys.modules.pop(name, None)


def test_a_file_is_read(package: str) -> None:
    assert read_toml(package, "good.toml") == {"table": {"name": "Crème", "figures": [1, 0.5]}}
