"""Rows as CSV, JSON and Markdown."""

import csv
import io
import json
from collections.abc import Callable, Iterator

import pytest

from protocol.verdicts import Verdict
from results.records import LogRecord, SeatRecord
from results.records.query_rows import HeadToHead
from results.reports.columns import Column, csv_lines, json_lines, markdown_lines

PAIRS = [HeadToHead(0, 1, 4, 3, 1, 2, 1, 0), HeadToHead(1, 0, 4, 0, 1, 2, 1, 0)]
MIXED: list[dict[str, object]] = [
    {"label": 'say "hi", | all', "share": 0.123456789012345, "faults": 0, "verdict": None, "retired": False},
    {"label": "two\nlines", "share": None, "faults": 12, "verdict": Verdict.CRASH, "retired": True},
]


def test_csv() -> None:
    assert "".join(csv_lines(PAIRS, ["entry_no", "games"])) == "entry_no,games\n0,4\n1,4\n"
    rows = list(csv.DictReader(io.StringIO("".join(csv_lines(MIXED)))))
    assert rows == [
        {
            "label": 'say "hi", | all',
            "share": "0.123456789012345",
            "faults": "0",
            "verdict": "",
            "retired": "false",
        },
        {"label": "two\nlines", "share": "", "faults": "12", "verdict": "crash", "retired": "true"},
    ]


def test_json_keeps_every_digit_and_nests() -> None:
    assert json.loads("".join(json_lines(MIXED))) == [dict(row) for row in MIXED]
    seat = SeatRecord(0, 1, 5, 1, Verdict.TIMEOUT, "1200 ms of 1000 ms", 3, 9, 1, 1, 1)
    rows = [
        {"seats": (seat,), "log": LogRecord(0, b"caf\xc3\xa9 \xff", b"", 0), "faults": {Verdict.CRASH: 2}}
    ]
    (row,) = json.loads("".join(json_lines(rows)))
    assert row["seats"][0]["verdict"] == "timeout"
    assert row["log"]["head"] == "café \ufffd"
    assert row["faults"] == {"crash": 2}
    assert list(csv.reader(io.StringIO("".join(csv_lines(rows, ["faults"]))))) == [
        ["faults"],
        ['{"crash": 2}'],
    ]


def test_markdown_lines_numbers_up_on_the_right_and_escapes() -> None:
    share = Column("share", 3, drawn=lambda row: row["share"])
    rows = [(str(row["label"]), share.text(row)) for row in MIXED]
    assert "".join(markdown_lines(["label", share.title], [False, share.to_the_right], rows)) == (
        '| label | share |\n| --- | ---: |\n| say "hi", \\| all | 0.123 |\n| two⏎lines | – |\n'
    )


def test_nothing_to_show() -> None:
    assert "".join(csv_lines([], ["a", "b"])) == "a,b\n"
    assert "".join(json_lines([])) == "[]\n"
    assert "".join(markdown_lines(["a"], [False], [])) == "| a |\n| --- |\n"


@pytest.mark.parametrize("write", [csv_lines, json_lines])
def test_a_column_that_is_not_there_is_an_error(write: Callable[..., Iterator[str]]) -> None:
    with pytest.raises(KeyError, match="mu"):
        list(write(PAIRS, ["mu"]))


def test_numbers_that_json_does_not_have_are_an_error() -> None:
    with pytest.raises(ValueError, match="JSON"):
        "".join(json_lines([{"mu": float("nan")}]))
