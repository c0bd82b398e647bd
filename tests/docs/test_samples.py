"""What the pages say that commands print is what they print; `pytest tests/docs/test_samples.py --update` mends it."""

import difflib
from pathlib import Path

import pytest

from tests.docs.samples import NOT_RUN, PLACES, renewed, renewed_page, samples, unknown
from tests.support.tree import ROOT, pages

GENERATED = (ROOT / "docs/cli.md", ROOT / "plugins/cluster/README.md")
PAGES = [page for page in pages() if page not in GENERATED and samples(page.read_text(encoding="utf-8"))]


def assert_as_printed(path: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    """Raise AssertionError, with the difference, if a page shows what commands no longer print."""
    page = path.read_text(encoding="utf-8")
    now = renewed_page(page, folder)
    if request.config.getoption("--update"):
        path.write_text(now, encoding="utf-8")
        return
    different = difflib.unified_diff(page.splitlines(), now.splitlines(), "the page", "printed", lineterm="")
    assert now == page, "\n".join(different)


def test_a_page_shows_what_a_command_prints(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    assert_as_printed(ROOT / "docs/ratings.md", tmp_path, request)


@pytest.mark.slow
@pytest.mark.gate
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_show_what_commands_print(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    assert_as_printed(path, tmp_path, request)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_where_each_sample_is_from_is_said_and_its_words_are_those_of_the_code(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    for sample in samples(page):
        assert sample.where in (*PLACES, NOT_RUN), f"<!-- sample: … --> is missing above\n{sample.text}"
        if sample.where == NOT_RUN:
            assert unknown(page, sample) == [], (
                f"no text of the code has these words; shown is\n{sample.text}"
            )


@pytest.mark.parametrize(
    ("shown", "now"),
    [
        ("a\nb 7 ms\n", "a\nb 7 ms\n"),
        ("a\n…\nd\n", "a\n…\nd\n"),
        ("a\nb …\n", "a\nb …\n"),
        ("x\nb …\n", "a\nb …\n"),
        ("a\n…\nx\n", "a\nb 8 ms\nc\nd\n"),
    ],
)
def test_what_is_still_true_stays_and_the_rest_is_what_is_printed(shown: str, now: str) -> None:
    printed = "a\nb 8 ms\n" if now.endswith(("ms\n", "…\n")) else "a\nb 8 ms\nc\nd\n"
    assert renewed(shown, printed) == now
