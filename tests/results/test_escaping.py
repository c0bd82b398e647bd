"""What authors write is safe where it is shown, and shown as far as it can be."""

import csv
import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.markdown import Markdown

from results.base.text import csv_text, json_text, markdown_text, one_line, paragraph
from results.reports.columns import csv_lines, markdown_lines

STEERING = ["\x1b[31m", "\x07", "\x9b", "\u202e", "\u202a", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c"]
UNSEEN = [
    "\u200b",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u3164",
    "\u2800",
    "\ufe0f",
    "\U000e0041",
    "\ud800",
]


def is_calm(text: str, allowed: str = "") -> bool:
    """Return whether no character steers, hides or turns; `allowed` aside."""
    return all(c in allowed or (c.isprintable() and unicodedata.category(c) != "Cf") for c in text)


@pytest.mark.parametrize("bad", [*STEERING, *UNSEEN], ids=ascii)
def test_what_steers_or_hides_shows_as_replaced_and_is_escaped_in_json(bad: str) -> None:
    text = f"a{bad}z"
    for shown in (one_line(text), csv_text(text), markdown_text(text)):
        assert bad[0] not in shown
        assert shown.startswith("a\N{REPLACEMENT CHARACTER}")
    assert bad[0] not in json_text(text)
    assert json.loads(json_text(text)) == text


def test_letters_of_all_people_stay_as_they_are() -> None:
    for text in ("Käse", "寿司", "пирог", "شاورما", "नमस्ते", "🥪", "a\u0301\u0323", "1 × 2 − 3"):
        assert one_line(text) == csv_text(text) == markdown_text(text) == text
        assert json_text(text) == f'"{text}"'
    assert one_line("one\u00a0two\tthree") == "one two three"


def test_line_breaks_make_no_line_of_their_own() -> None:
    assert one_line("a\nb\r\nc\rd\u2028e\x85f") == "a⏎b⏎c⏎d⏎e⏎f"
    assert paragraph("warning\nerror: all is lost") == "warning\n  error: all is lost"
    assert markdown_text("a\n| b |") == "a⏎\\| b \\|"
    assert csv_text("a\r\nb\rc") == "a\nb\nc", "a cell may have lines"


def test_marks_do_not_grow_over_other_lines() -> None:
    assert len(one_line("a" + "\u0300" * 200)) == 6


@pytest.mark.parametrize(
    "formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "＋1", "－1", "＠1"]
)
def test_no_cell_of_a_csv_is_a_formula(formula: str) -> None:
    (cell,) = next(csv.reader(io.StringIO("".join(csv_lines([{"label": formula}])).partition("\n")[2])))
    assert cell.startswith("'")


def test_numbers_are_no_formulas() -> None:
    assert (
        "".join(csv_lines([{"mu": -1.5, "score": -3, "label": "a-b=c"}])) == "mu,score,label\n-1.5,-3,a-b=c\n"
    )


HOSTILE = (
    "a|b", "`code`", "**bold**", "_em_", "<script>alert(1)</script>", "[x](http://e.org)", "![i](http://e.org/i.png)",
    "<http://e.org>", "&lt;b&gt;", "\\", "\\|", "~~gone~~", "a\n\n# heading", "$x$",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_what_was_written_and_does_nothing(text: str) -> None:
    tokens = Markdown(
        "".join(markdown_lines(["label"], [False], [[text]]))
    ).parsed  # CommonMark with tables, by markdown-it
    (cell,) = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
    parts = cell.children or []
    assert {part.type for part in parts} == {"text"}
    assert "".join(part.content for part in parts) == text.replace("\n", "⏎")


def test_github_finds_no_link_of_its_own() -> None:
    for text in ("https://e.org", "HTTP://e.org", "www.e.org", "ftp://e.org", "mailto:a", "@someone"):
        written = markdown_text(text)
        assert not any(mark in written.lower() for mark in ("://", "www.", "mailto:", "@")), written


@given(st.text())
def test_any_text_is_calm_everywhere(text: str) -> None:
    assert is_calm(one_line(text))
    assert is_calm(paragraph(text), "\n")
    assert is_calm(csv_text(text), "\n\t")
    assert is_calm(markdown_text(text))
    assert is_calm(json_text([text]))
    assert json.loads(json_text([text])) == [text]
    (cell,) = next(csv.reader(io.StringIO("".join(csv_lines([{"x": text}])).partition("\n")[2]))) or [""]
    assert not cell.strip().startswith(("=", "+", "-", "@"))
