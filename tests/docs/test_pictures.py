"""The README's picture shows what the command prints, and the demo plays the games whose results pages show."""

import lzma
import re
import shutil
import sqlite3
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.leagues import arena_here

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
ONLY_IF_TIED = {"≈", "statistically", "tied", "with", "the", "bot", "above"}


def last_screen() -> list[str]:
    """Return the lines of the picture's last frame."""
    tree = ET.parse(ROOT / "docs/images/league.svg")  # noqa: S314 - our own
    rows = {
        row.attrib["id"]: " ".join(text.text or "" for text in row)
        for row in tree.iterfind(f"{SVG}defs/{SVG}g")
    }
    *_, last = tree.iterfind(f"{SVG}g")
    return [rows[use.attrib["href"].removeprefix("#")] for use in last]


def results(store: Path) -> list[tuple[int, ...]]:
    """Return who came to what in each game of the first matches of the demo."""
    with closing(sqlite3.connect(store)) as connection:
        asked = (
            "SELECT match_no, rotation, seat, entry_no, score FROM seat WHERE match_no < 30 ORDER BY 1, 2, 3"
        )
        return connection.execute(asked).fetchall()


def words(lines: list[str]) -> set[str]:
    return set(re.findall(r"[^\W\d_]+|≈", " ".join(lines)))


@pytest.mark.slow
@pytest.mark.gate
@pytest.mark.skipif(shutil.which("cc") is None, reason="without cc, another bot plays in the place of baker")
def test_the_demo_prints_what_the_picture_shows(tmp_path: Path) -> None:
    printed = arena_here("demo", "--rounds", "30", cwd=tmp_path)
    table = arena_here(
        "rankings", "--fit", "--store", "arena-demo/arena.sqlite", cwd=tmp_path
    )  # as a terminal has it
    shown = words(last_screen())
    said = words((printed.stdout + printed.stderr + table.stdout).splitlines())
    assert shown - said <= ONLY_IF_TIED, "record it again: python docs/pictures/readme.py"
    heading = next(line for line in table.stdout.splitlines() if line.lstrip().startswith("#"))
    assert words([heading]) <= shown, "record it again: python docs/pictures/readme.py"
    (tmp_path / "packed.sqlite").write_bytes(
        lzma.decompress((ROOT / "tests/docs/demo.sqlite.xz").read_bytes())
    )
    assert results(tmp_path / "arena-demo/arena.sqlite") == results(tmp_path / "packed.sqlite")
