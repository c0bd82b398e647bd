"""Real bots that do one thing wrong each: the verdict, its figure and limit, and what it costs whom."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from arena.core import replay
from arena.players.pool import PoolLimits
from arena.sandbox.bot_program import Program
from arena.sandbox.survivors import find_marked
from protocol.messages import DEFAULT_LIMITS, Clock, Limits
from tests.support.bots.programs import program, python_bot
from tests.support.games import BIDS
from tests.support.sandbox import (
    CONFINED,
    ORDINARY_USER,
    PROCESS,
    WITHOUT_GROUP,
    columns,
    confinement_of,
    in_column,
    open_folder,
)
from tests.support.tables import PATIENT, Recorder, bench, body_of
from tests.support.waiting import eventually, unhurried

FAULTS = tomllib.loads((Path(__file__).parent / "faults.toml").read_text())["fault"]
CLOCKS = {
    "patient": PATIENT,
    "hasty": Clock(ready_ms=30_000, move_ms=150, bank_ms=100, margin_ms=50),
    "never ready": Clock(ready_ms=600, move_ms=30_000, bank_ms=0, margin_ms=20),
}
LIMITS = {
    "default": DEFAULT_LIMITS,
    "few bytes": Limits(line_bytes=65_536, depth=16, output_bytes=1_048_576, note_chars=500),
    "long lines": Limits(line_bytes=1_000_000, depth=16, output_bytes=1_048_576, note_chars=500),
}
HASTY_LIMIT = (
    r"time: 550 ms limit \(150 ms for the move, 100 ms in the bank, both 2 times as 2 were asked at once, "
    r"50 ms margin\)"
)
QUICK = {"exits at once", "silent", "exits", "against the rules", "not JSON", "floods of second answers"}
"""One for each verdict."""
QUICK_IN_A_SANDBOX = {"exits at once", "exits", "not JSON"}
LAST = {
    "no hello",
    "locks itself out before hello",
    "never ready",
    "ready before the start",
    "reads on without a move",
    "closes its output later",
    "closes its output and reads no more",
}
"""Faults that last longer than their like, outside of a sandbox too."""
WAITS = {"hasty", "never ready"}
"""The clocks that a test waits for; of the faults that last until then, the quick suite tries those in QUICK."""


def made(fault: dict[str, Any], folder: Path) -> Program:
    if "command" in fault:
        return program(folder, fault.get("files", {}), fault["command"], mode=fault.get("mode", 0o755))
    return python_bot(folder, fault["bot"])


def is_quick(fault: dict[str, Any], column: str) -> bool:
    """Return whether the quick suite tries a fault of a bot that is kept so."""
    if column == PROCESS:
        return fault["name"] in QUICK or (fault.get("clock") not in WAITS and fault["name"] not in LAST)
    return (fault["name"] in QUICK_IN_A_SANDBOX and column != ORDINARY_USER) or fault["name"] == "exits"


def case(fault: dict[str, Any], column: str) -> Any:
    """Return a fault as a parameter, marked if it isn't for the quick suite."""
    marks = [] if is_quick(fault, column) else [pytest.mark.slow]
    return pytest.param(fault, id=fault["name"], marks=marks)


@pytest.mark.parametrize("fault", [case(fault, PROCESS) for fault in FAULTS])
def test_one_fault_ends_the_bots_part_and_costs_nobody_else(fault: dict[str, Any], tmp_path: Path) -> None:
    find_one_fault(fault, tmp_path, PROCESS)


@pytest.mark.parametrize(
    ("fault", "column"),
    [
        pytest.param(
            fault,
            *column.values,
            id=f"{fault['name']}-{column.values[0]}",
            marks=[*column.marks, *case(fault, str(column.values[0])).marks],
        )
        for column in columns(CONFINED, WITHOUT_GROUP, ORDINARY_USER, slow=(WITHOUT_GROUP,))
        for fault in FAULTS
    ],
)
def test_in_a_sandbox_too(fault: dict[str, Any], column: str) -> None:
    with open_folder() as place:
        if column == ORDINARY_USER:
            place.chmod(0o777)
        in_column(column, lambda: find_one_fault(fault | fault.get("confined", {}), place, column))


def find_one_fault(fault: dict[str, Any], place: Path, column: str) -> None:
    """Play a game with a bot that does one thing wrong, and see that this comes of it."""
    opponent = Recorder()
    pool_limits = PoolLimits(fault.get("startup_ms", 30_000))
    with bench(place / "place", made(fault, place / "bot"), pool_limits, confinement_of(column)) as table:
        record = table.game(
            [opponent],
            CLOCKS[fault.get("clock", "patient")],
            LIMITS[fault.get("limits", "default")],
            padding=fault.get("padding", 0),
        )
        left = {entry.name for entry in table.place.iterdir()} - {"overlays"}
        assert not left, "process and folders are gone before the next game"
        assert eventually(lambda: not find_marked(table.token))

    guilty, other = record.seats
    assert guilty.verdict == fault["verdict"], guilty.detail
    assert re.fullmatch(fault["detail"].replace("LIMIT", HASTY_LIMIT), unhurried(guilty.detail)), (
        guilty.detail
    )
    assert (guilty.rank, other.rank) == (2, 1)
    assert other.verdict is None
    assert other.detail == ""
    replay.check(BIDS, body_of(record))

    told = {"kind": "forfeit", "seat": 0, "verdict": fault["verdict"]}
    assert opponent.events[-1] == told
    assert opponent.events.count(told) == 1
    assert opponent.ended is not None
    assert opponent.ended.verdicts == [fault["verdict"], None]
    assert opponent.ended.ranks == [2, 1]
    assert not opponent.stopped


def test_every_verdict_on_a_bot_has_its_faults() -> None:
    verdicts = {"startup", "timeout", "crash", "illegal", "malformed", "output"}
    assert {fault["verdict"] for fault in FAULTS} == verdicts
    assert {fault["verdict"] for fault in FAULTS if fault["name"] in QUICK} == verdicts
