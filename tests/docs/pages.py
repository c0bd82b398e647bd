"""The project's pages, as the tests of this folder read them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {".venv", ".git", "build", "dist", "node_modules", ".pytest_cache", ".hypothesis"}
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


def pages() -> list[Path]:
    """Return every Markdown file of the project."""
    found = (path for path in ROOT.rglob("*.md") if not LEFT_OUT & set(path.relative_to(ROOT).parts[:-1]))
    return sorted(path for path in found if not any(part.startswith("arena-demo") for part in path.parts))


def examples() -> Iterator[Example]:
    """Yield every fenced block of every page."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for fence in FENCE.finditer(text):
            line = text.count("\n", 0, fence.start(4)) + 1
            yield Example(str(page.relative_to(ROOT)), line, fence[3], fence[4])
