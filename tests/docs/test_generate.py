"""What is generated follows from the code, and a page out of date is noticed."""

from pathlib import Path

import pytest

import generate
from generate import BadTarget, Target
from generators.markdown import cell, code, table

WHOLE = Target("docs/whole.md", "tests.docs.sources:text")
PART = Target("docs/part.md", "tests.docs.sources:text", "words")
MISSING = Target("docs/missing.md", "tests.docs.no_such_module:text")


def stale(root: Path, target: Target) -> dict[Path, tuple[str, str]]:
    return generate.stale(root, [target])


def test_the_pages_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr()


def test_a_whole_file_is_written_and_then_at_rest(tmp_path: Path) -> None:
    path = tmp_path / WHOLE.path
    assert stale(tmp_path, WHOLE) == {path: ("", "generated\ntext\n")}
    path.parent.mkdir()
    path.write_text("generated\ntext\n")
    assert stale(tmp_path, WHOLE) == {}


def test_a_part_is_written_between_its_markers_only(tmp_path: Path) -> None:
    path = tmp_path / PART.path
    path.parent.mkdir()
    path.write_text("before\n<!-- generated: words -->\nold\n<!-- end: words -->\nafter\n")
    (_, wanted) = stale(tmp_path, PART)[path]
    assert wanted == "before\n<!-- generated: words -->\n\ngenerated\ntext\n\n<!-- end: words -->\nafter\n"
    path.write_text(wanted)
    assert stale(tmp_path, PART) == {}


def test_a_page_may_have_several_parts(tmp_path: Path) -> None:
    path = tmp_path / PART.path
    path.parent.mkdir()
    path.write_text(
        "<!-- generated: words -->\n<!-- end: words -->\n<!-- generated: more -->\n<!-- end: more -->\n"
    )
    parts = [PART, Target(PART.path, PART.source, "more")]
    ((_, wanted),) = generate.stale(tmp_path, parts).values()
    assert wanted.count("generated\ntext") == 2
    path.write_text(wanted)
    assert generate.stale(tmp_path, parts) == {}


@pytest.mark.parametrize(
    "content",
    [
        None,
        "no markers\n",
        "<!-- generated: words -->\n",
        "<!-- end: words -->\n",
        "<!-- generated: words -->\n<!-- generated: words -->\n<!-- end: words -->\n",
    ],
)
def test_a_part_without_its_markers_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "docs").mkdir()
        (tmp_path / PART.path).write_text(content)
    with pytest.raises(BadTarget, match=r"docs/part\.md: needs one line"):
        stale(tmp_path, PART)


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTarget, match="no_such_module"):
        stale(tmp_path, MISSING)


def test_check_tells_what_is_out_of_date_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate, "TARGETS", (WHOLE,))
    assert generate.main(["--check"], tmp_path) == 1
    assert "docs/whole.md is out of date; `make docs` writes it again" in capsys.readouterr().out
    assert not (tmp_path / WHOLE.path).exists()
    assert generate.main([], tmp_path) == 0
    assert (tmp_path / WHOLE.path).read_text() == "generated\ntext\n"
    assert generate.main(["--check"], tmp_path) == 0


def test_a_target_that_fails_is_told_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate, "TARGETS", (MISSING,))
    assert generate.main([], tmp_path) == 1
    assert capsys.readouterr().err.startswith("docs/generate.py: docs/missing.md: no text from")


def test_cells_of_a_table_stay_on_their_line() -> None:
    assert cell("a | b\n  c") == "a \\| b c"
    assert code("") == ""
    assert table(("A", "B"), [("1", "2|3")]) == ["| A | B |", "| --- | --- |", "| 1 | 2\\|3 |", ""]
    assert table(("A",), []) == []
