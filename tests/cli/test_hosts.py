"""The table of hosts: what narrow terminals leave out is on the page, and in JSON."""

import re
from pathlib import Path

import msgspec

from arena.cli.commands.hosts import COLUMNS, HostRow
from arena.cli.display.tables import fitted_table

PAGE = Path(__file__).parents[2] / "docs" / "many-machines.md"
ROW = HostRow(
    name="vm-3",
    state="plays",
    slots=1,
    playing=1,
    games=17,
    faults=0,
    faults_percent=0.0,
    speed=5084.0,
    level="confined",
    machine="x86_64",
    versions=4,
    why="",
)


def test_the_page_explains_every_column() -> None:
    explained = set[str]()
    for names in re.findall(r"^\| ([^|]+) \| ", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        explained.update(name.strip() for name in names.split(","))
    assert {column.title for column in COLUMNS} - explained <= {"host"}


def test_at_80_columns_only_the_processor_is_left_out() -> None:
    assert [column.title for column in fitted_table(COLUMNS, [ROW], 80)[1]] == ["processor"]
    assert not fitted_table(COLUMNS, [ROW], 90)[1]
    assert msgspec.to_builtins(ROW)["machine"] == "x86_64"
