"""The table of hosts: what narrow terminals leave out is on the page, and in JSON; without hosts, a line says why."""

import os
import re
from pathlib import Path

import msgspec
import pytest
from arena_cluster.command import HostRow

from arena.cli.display.tables import Format, fitted_table, list_rows
from arena.league.running.runner_activity import Notes
from results.reports.columns import columns_of
from results.store import files_beside, holding
from results.store.beside_store import write_notes
from tests.support.leagues import arena_here
from tests.support.ledgers import new_league, new_store

PAGE = Path(__file__).parents[3] / "docs" / "many-machines.md"
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
    assert {column.title for column in columns_of(HostRow)} - explained <= {"host"}


def test_the_processor_is_left_out_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(columns: int) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        list_rows(HostRow, [ROW], Format.TABLE)
        return capsys.readouterr().out

    assert "too narrow" not in said(80)
    assert "too narrow for: versions (" in said(70)


def test_a_runner_without_hosts_is_named(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        new_league(store)
    path = tmp_path / "arena.sqlite"
    nobody = "no runner is playing on hosts: start one with arena run --on HOSTS\n"
    assert arena_here("host", "list", cwd=tmp_path).stdout == nobody
    with holding(path, "runs a league"), Notes(files_beside(path), "runs a league") as notes:
        assert arena_here("host", "list", cwd=tmp_path).stdout == nobody
        notes.hosts = list
        write_notes(files_beside(path), notes.notes())
        idle = f"process {os.getpid()} (runs a league) has no hosts now"
        assert arena_here("host", "list", cwd=tmp_path).stdout == f"{idle}\n"
        with notes.playing("of-main", "main", dict):
            write_notes(files_beside(path), notes.notes())
            waits = "it is waiting for its scheduler, or for hosts to join"
            assert arena_here("host", "list", cwd=tmp_path).stdout == f"{idle}; {waits}\n"


def test_at_80_columns_only_the_processor_is_left_out() -> None:
    assert [column.title for column in fitted_table(columns_of(HostRow), [ROW], 80)[1]] == ["processor"]
    assert not fitted_table(columns_of(HostRow), [ROW], 90)[1]
    assert msgspec.to_builtins(ROW)["machine"] == "x86_64"
