"""The page on speed tells what was kept, and says so where nothing was."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.comparison import Line, Target, ratio_line, value_line
from benchmarks.kept_results import Results, Run, as_text, read
from benchmarks.machine import Machine
from generators import speed

MACHINE = Machine(2, "a CPU", "Linux 6.1", "cpython 3.11.7", 0.5, "2026-01-31")
SIDES = ("ours", [10.0, 30.0, 12.0]), ("theirs", [5.0, 10.0, 6.0])
PAGES = (speed.waits, speed.machine, speed.peers, speed.own, speed.causes, speed.missed)
PICTURES = (speed.peers_picture, speed.causes_picture)


def keep(folder: Path, file: str, *runs: Run) -> None:
    results = Results(1, MACHINE, quick=False, took_s=60, runs=runs)
    (folder / file).write_text(as_text(results), encoding="utf-8")
    assert read(folder / file) == results


def run(name: str, *lines: Line, skipped: str = "") -> Run:
    return Run(name, 3.5, 1.0, lines, skipped)


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(speed, "FIGURES", tmp_path)
    return tmp_path


def test_it_says_so_if_nothing_is_kept(figures: Path) -> None:
    assert not list(figures.iterdir())
    assert {page() for page in PAGES} == {speed.NOTHING}


def test_pictures_are_drawn_with_and_without_figures(figures: Path) -> None:
    before = [picture() for picture in PICTURES]
    line = ratio_line("ask: ours ÷ <b>", "trick", "µs", *SIDES, Target(at_least=3))
    keep(figures, "peers.json", run("one", line))
    assert speed.peers_picture() != before[0]
    for text in [*before, *(picture() for picture in PICTURES)]:
        assert ElementTree.fromstring(text).tag.endswith("svg")  # noqa: S314 - our own


def test_it_tells_what_is_met_and_what_is_missed(figures: Path) -> None:
    met = ratio_line("ours ÷ theirs", "well", "µs", *SIDES, Target(at_most=2))
    missed = value_line("an ask, beyond the bare pipe", "badly", "µs", SIDES[0], target=Target(at_least=13))
    other = value_line("nobody knows", "", "µs", SIDES[0], target=Target(at_least=14))
    keep(
        figures,
        "bench.json",
        run("referee", met),
        run("league", missed, other),
        run("site_load", skipped="why"),
    )
    told = speed.missed()
    assert told.startswith("1 of 3 targets are met.")
    assert "(badly: 12.0 µs, wanted ≥ 13). The referee takes longer" in told
    assert "**nobody knows** (now: 12.0 µs, wanted ≥ 14)." in told
    assert "| **2.00×** | 2.00 to 3.00 | ≤ 2 ✓ |" in speed.own()
    assert "Not measured by `site_load`: why." in speed.own()
    assert "2 cores of a CPU" in speed.machine()
    assert "Other programs used the cores" in speed.machine()


def test_causes_are_added_up(figures: Path) -> None:
    rows = [
        value_line(name, "trick, C bots", "µs", (name, [time]))
        for name, time in (("bare", 3.0), ("rules", 2.5))
    ]
    keep(figures, "bench.json", run("referee_causes", *rows))
    assert "| **whole games** | **5.5** |" in speed.causes()
    assert "5.5 µs" in speed.causes_picture()


def test_peers_come_with_what_they_do_less_and_with_reasons(figures: Path) -> None:
    line = ratio_line(
        "games: Arena ÷ other", "trick", "games/s", *SIDES, Target(at_least=1), note="It sleeps."
    )
    keep(figures, "peers.json", run("one", line), run("two", skipped="no fastchess"))
    told = speed.peers()
    assert "- *games: Arena ÷ other*: It sleeps." in told
    assert "- no fastchess" in told
    assert "Arena ÷ other (trick)" in speed.peers_picture()


def test_what_users_wait_for_has_a_column_for_a_busy_machine(figures: Path) -> None:
    for file, factor in (("bench.json", 1), ("busy.json", 2)):
        values = [factor * value for value in SIDES[0][1]]
        line = value_line("`arena run`", "300 games", speed.SECONDS, ("took", values), note="the bots")
        keep(figures, file, run("waits", line))
        if factor == 1:
            assert "| `arena run` | 300 games | **12.0 s** | the bots |" in speed.waits()
    assert "| `arena run` | 300 games | **12.0 s** | 24.0 s | the bots |" in speed.waits()
    assert "arena run" not in speed.own(), "builders have targets"
