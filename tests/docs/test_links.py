"""Every link of every page leads somewhere."""

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.support.tree import FENCE, ROOT, pages, tracked

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links(page: Path) -> list[str]:
    """Return the targets of a page's links and pictures, those in fenced examples left out."""
    return LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as the usual viewers of Markdown make them."""
    found: dict[str, int] = {}
    for heading in re.findall(
        r"^#{1,6} +(.+?) *#*$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE
    ):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
        if found[anchor]:
            found[f"{anchor}-{found[anchor]}"] = 0
    return set(found)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_resolve(page: Path) -> None:
    broken = []
    for target in links(page):
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = unquote(target).partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.is_relative_to(ROOT) or not place.exists():
            broken.append(f"{target}: there is no {path}")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            broken.append(f"{target}: {place.name} has no heading #{anchor}")
    assert not broken


def test_a_page_is_reached_from_another_or_is_a_beginning() -> None:
    """A page that no other page links to is not found by anybody."""
    linked = set()
    for page in pages():
        for target in links(page):
            linked.add((page.parent / target.partition("#")[0]).resolve())
    beginnings = {ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")}
    docs = {page for page in pages() if page.is_relative_to(ROOT / "docs")}
    assert sorted(str(page.relative_to(ROOT)) for page in docs - linked - beginnings) == []


def test_links_are_found_in_prose_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a [`b`](c.md#d) and ![e](f.png)\n```\n[a](x.md)\n```\n")
    assert links(page) == ["c.md#d", "f.png"]


def test_anchors_are_those_of_the_viewers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# The `arena league` page\n## [A b](x.md): c, d\n### Twice\n### Twice\n```\n# no\n```\n")
    assert anchors(page) == {"the-arena-league-page", "a-b-c-d", "twice", "twice-1"}


def test_pages_are_those_that_git_tracks(tmp_path: Path) -> None:
    (tmp_path / ".venv-other").mkdir()
    for name in ("page.md", "gone.md", "new.md", ".venv-other/page.md"):
        (tmp_path / name).write_text("[a](no.md)\n")
    with pytest.raises(subprocess.CalledProcessError):
        tracked(tmp_path)
    for command in (["init", "-q"], ["add", "page.md", "gone.md"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    (tmp_path / "gone.md").unlink()
    assert tracked(tmp_path) == (tmp_path / "page.md",)
