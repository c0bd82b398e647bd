"""The project's tree: its pages, and copies to plant things in."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("arena", "protocol", "results")
SHIPPED = (*PACKAGES, "bots")
LEAGUE_FILES = sorted((ROOT / "examples" / "leagues").glob("*.toml"))
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


def copy_of(names: tuple[str, ...], target: Path) -> Path:
    """Copy files and folders of the project to a folder; return the folder."""
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / name, target / name)
    return target


def files_below(folder: Path) -> set[str]:
    """Return the files of a folder that are no leavings of the interpreter, relative to its parent."""
    return {
        path.relative_to(folder.parent).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


NO_PAGES = {".venv", ".venv-peers", ".git", "build", "dist", "node_modules", ".pytest_cache", ".hypothesis"}
FENCE = re.compile(r"^( *)(```+)(\w*)[^\n]*\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """One fenced block of a page."""

    page: str
    line: int
    """Of the first line of its text."""
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def pages() -> tuple[Path, ...]:
    """Return every Markdown file of the project: those that git tracks, or, without git, those below its folder."""
    with suppress(OSError, subprocess.CalledProcessError):
        return tracked(ROOT)
    found = []
    for place, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NO_PAGES and not name.startswith("arena-demo")]
        found += [Path(place, name) for name in files if name.endswith(".md")]
    return tuple(sorted(found))


def tracked(root: Path) -> tuple[Path, ...]:
    """Return the Markdown files that git tracks. Raises OSError or CalledProcessError if it tracks nothing here."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--error-unmatch", "--", "*.md"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.split(b"\0")[:-1]
    return tuple(path for name in sorted(names) if (path := root / os.fsdecode(name)).exists())


def examples() -> Iterator[Example]:
    """Yield every fenced block of every page."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for fence in FENCE.finditer(text):
            line = text.count("\n", 0, fence.start(4)) + 1
            yield Example(str(page.relative_to(ROOT)), line, fence[3], fence[4])
