"""The programs of benchmarks/ are run by `make bench` or `make bench-peers`, or it says why not."""

import re

import msgspec

from benchmarks.comparison import Target, ratio_line, value_line
from benchmarks.kept_results import FIGURES, Results, Run
from benchmarks.machine import Machine
from benchmarks.run import LEFT_OUT, OWN, PEERS, updated
from tests.support.tree import ROOT


def test_every_program_is_run_or_left_out_with_a_reason() -> None:
    folder = ROOT / "benchmarks"
    programs = {
        str(path.relative_to(folder))
        for path in [*folder.glob("*.py"), *folder.glob("peers/*.py")]
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    run = {one.program for one in (*OWN, *PEERS)}
    assert programs - {"run.py"} == run | set(LEFT_OUT)
    assert run.isdisjoint(LEFT_OUT)


def test_ratios_are_those_of_each_round() -> None:
    sides = ("ours", [10.0, 30.0, 12.0]), ("theirs", [5.0, 10.0, 6.0])
    line = ratio_line("ours ÷ theirs", "", "µs", *sides, Target(at_most=2))
    assert (line.ratios, line.median, line.min, line.max, line.met) == ((2, 3, 2), 2, 2, 3, True)
    line = value_line("ours", "", "µs", *sides, Target(at_least=13))
    assert (line.ratios, line.median, line.met) == ((2, 3, 2), 12, False)


def test_an_update_replaces_what_ran_and_drops_what_is_gone() -> None:
    about = Machine(2, "a CPU", "Linux 6.1", "cpython 3.11.7", 0.5, "2026-01-31")
    runs = [Run(name, 1.0, 2.0, skipped="before") for name in ("gone", "a", "b")]
    after = updated(
        Results(1, about, False, 60, tuple(runs)), [Run("b", 0.1, 2.0), Run("c", 0.1, 2.0)], "abc"
    )
    assert [(run.name, run.skipped) for run in after.runs] == [("a", "before"), ("b", ""), ("c", "")]


def test_kept_figures_are_of_full_runs_and_name_nobody() -> None:
    for path in (*FIGURES.glob("bench*.json"), *FIGURES.glob("peers*.json")):
        text = path.read_text(encoding="utf-8")
        results = msgspec.json.decode(text, type=Results)
        assert results.quick == path.stem.endswith("-quick")
        assert not re.search(r"(?<!games)/(?!s\b)", text), "a path or an address"
