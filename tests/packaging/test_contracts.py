"""Every import contract catches what it is there for: a copy of the tree with violations planted in it breaks them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.tree import PACKAGES, ROOT, copy_of

pytestmark = [pytest.mark.slow, pytest.mark.gate, pytest.mark.xdist_group("contracts")]

CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
}


class Plant(NamedTuple):
    """A line planted in a module, new or at the end of one that exists, and the contract that it breaks."""

    contract: str
    module: str
    line: str


PLANTS = (
    Plant("packages", "protocol/verdicts.py", "import results.records"),
    Plant("packages", "results/records/__init__.py", "import arena.core.ticket"),
    Plant("packages", "protocol/codec.py", "import arena.core.game"),
    Plant("rooms", "arena/core/ruleset.py", "import arena.players.base"),
    Plant("rooms", "arena/players/base.py", "import arena.referee.referee"),
    Plant("rooms", "arena/executors/base.py", "import arena.schedules.base"),
    Plant("rooms", "arena/referee/clock.py", "import arena.executors.base"),
    Plant("rooms", "arena/registry.py", "import arena.config.league_file"),
    Plant("rooms", "arena/submissions/manifest.py", "import arena.league"),
    Plant("rooms", "arena/league/planted.py", "import arena.cli"),
    Plant("rooms", "arena/sandbox/planted.py", "import arena.games.bread_basket"),
    Plant("rooms", "arena/attic/__init__.py", ""),  # a room that nobody placed
    Plant("league-rooms", "arena/league/definition/planted.py", "import arena.league.end_rules"),
    Plant("league-rooms", "arena/league/definition/planted.py", "import arena.league.running.run"),
    Plant("league-rooms", "arena/league/end_rules.py", "import arena.league.running.run"),
    Plant("league-rooms", "arena/league/running/planted.py", "import arena.league.create"),
    Plant("league-rooms", "arena/league/compare.py", "import arena.league.create"),
    Plant("league-rooms", "arena/league/single_match.py", "import arena.league.inbox.files"),
    Plant("league-rooms", "arena/league/attic.py", ""),  # a module that nobody placed
    Plant("ledger-rooms", "results/analysis/betting_test.py", "import results.store"),
    Plant("ledger-rooms", "results/records/__init__.py", "import results.analysis.betting_test"),
    Plant("ledger-rooms", "results/attic.py", ""),
    Plant("games-apart", "arena/games/planted.py", "import arena.games.bread_basket"),
    Plant("games-know-core", "arena/games/planted.py", "import protocol.verdicts"),
    Plant("games-know-core", "arena/games/bread_basket/planted.py", "import msgspec"),
    Plant("games-unnamed", "arena/league/planted.py", "import arena.games.bread_basket"),
    Plant("games-unnamed", "arena/cli/planted.py", "from arena.games.bread_basket import GAME"),
    Plant("schedules-unnamed", "arena/league/planted.py", "from arena.schedules.ladder import Ladder"),
    Plant("schedules-apart", "arena/schedules/planted.py", "import arena.schedules.round_robin"),
    Plant("executors-apart", "arena/executors/planted.py", "import arena.executors.processes"),
    Plant("ratings-apart", "results/ratings/planted.py", "import results.ratings.trueskill"),
    Plant("pure", "arena/core/planted.py", "import os"),
    Plant("pure", "arena/core/chance.py", "import random"),
    Plant("pure", "arena/games/bread_basket/planted.py", "from time import monotonic"),
    Plant("pure", "arena/games/planted.py", "def later() -> None:\n    import subprocess"),
    Plant("pure", "arena/schedules/planted.py", "from pathlib import Path"),
    Plant("pure", "results/ratings/planted.py", "import threading"),
    Plant("sql", "results/planted.py", "import sqlmodel"),
    Plant("sql", "arena/league/planted.py", "import sqlite3"),
    Plant("sql", "arena/cli/planted.py", "from sqlalchemy import select"),
    Plant("workers-light", "arena/league/running/local_games.py", "import results.store"),
    Plant("terminal", "arena/league/planted.py", "import rich"),
    Plant("terminal", "results/planted.py", "from typer import echo"),
    Plant("test-libraries", "arena/league/planted.py", "import pytest"),
    Plant("command-line", "arena/cli/display/planted.py", "import arena.cli.commands.bots"),
    Plant("command-line", "arena/cli/terminal/messages.py", "import arena.cli.display.tables"),
    Plant("command-line", "arena/cli/planted.py", ""),  # a module that nobody placed
    Plant("commands-apart", "arena/cli/commands/stats.py", "import arena.cli.commands.rankings"),
    Plant(
        "commands-apart", "arena/cli/commands/planted.py", "import arena.cli.commands.league.show_commands"
    ),
    Plant(
        "league-commands-apart",
        "arena/cli/commands/league/show_commands.py",
        "import arena.cli.commands.league.create",
    ),
    Plant("reading-commands", "arena/cli/commands/rankings.py", "import arena.executors.worker"),
    Plant(
        "reading-commands", "arena/cli/commands/league/show_commands.py", "import arena.league.running.run"
    ),
    Plant("reading-commands", "arena/cli/display/tables.py", "import arena.sandbox.probe"),
    Plant(
        "reading-commands",
        "arena/league/definition/stored.py",
        "def later() -> None:\n    import arena.players.pool",
    ),
    Plant("reports-unread", "results/store/planted.py", "import results.reports.columns"),
    Plant("reports-unread", "arena/league/planted.py", "from results.reports.rankings import rankings"),
    Plant("ledger-words", "results/planted.py", "import protocol.messages"),
    Plant("web-rooms", "arena/web/html/links.py", "import arena.web.app"),
    Plant(
        "league-commands-apart",
        "arena/cli/commands/league/change_commands.py",
        "import arena.cli.commands.league.create",
    ),
    Plant("server", "arena/cli/planted.py", "import fastapi"),
    Plant("plug-ins", "arena/league/planted.py", "import distributed"),
    Plant("plug-ins", "arena/cli/planted.py", "from arena_cluster import EXECUTOR"),
    Plant("site-file-rooms", "arena/web/site_file/site_database.py", "import arena.web.site_file.accounts"),
    Plant("kit-alone", "protocol/kit.py", "import protocol.messages"),
    Plant("kit-alone", "protocol/kit.py", "import msgspec"),
)


def broken(tree: Path) -> dict[str, str]:
    """Return what is reported of each contract that a tree breaks, by its name."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        cwd=tree,
        env={"COLUMNS": "500", "PATH": "", "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    verdicts = dict(re.findall(r"^(.*) (KEPT|BROKEN)\b", said, re.MULTILINE))
    assert verdicts.keys() == set(CONTRACTS.values()), said + done.stderr
    _, *parts = re.split(r"^(.+)\n-+\n", said, flags=re.MULTILINE)
    reports = dict(zip(parts[::2], parts[1::2], strict=True))
    return {name: reports[name] for name, verdict in verdicts.items() if verdict == "BROKEN"}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what is reported of a tree in which all plants are."""
    tree = copy_of((*PACKAGES, "pyproject.toml"), tmp_path_factory.mktemp("planted"))
    for plant in PLANTS:
        place = tree / plant.module
        place.parent.mkdir(exist_ok=True)
        before = place.read_text(encoding="utf-8") if place.exists() else '"""Planted."""\n'
        place.write_text(f"{before}\n{plant.line}\n", encoding="utf-8")
    return broken(tree)


def test_the_tree_keeps_every_contract(tmp_path: Path) -> None:
    assert broken(copy_of((*PACKAGES, "pyproject.toml"), tmp_path / "tree")) == {}


@pytest.mark.parametrize(
    "plant", PLANTS, ids=lambda plant: f"{plant.contract}:{plant.module}:{plant.line[:40]}"
)
def test_a_planted_import_breaks_its_contract(planted: dict[str, str], plant: Plant) -> None:
    importer = plant.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    imported = re.search(r"(?:import|from) ([\w.]+)", plant.line)
    told = f"{importer} -> {imported[1]} (" if imported else f"- {importer}\n"
    assert told in planted[CONTRACTS[plant.contract]]


def test_every_contract_has_a_plant() -> None:
    assert {plant.contract for plant in PLANTS} == set(CONTRACTS)
