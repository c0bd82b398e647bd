"""docs/dependencies.md is the table of what pyproject.toml asks for, and each of these is used."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.tree import PACKAGES, ROOT

pytestmark = pytest.mark.xdist_group("dependencies")  # most look at the same imports
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
RUNTIME = {Requirement(one).name for one in PROJECT["project"]["dependencies"]}
DEV = {Requirement(one).name for one in PROJECT["dependency-groups"]["dev"] if isinstance(one, str)}
BUILD = {Requirement(one).name for one in PROJECT["dependency-groups"]["build"]}
PEERS = {Requirement(one).name for one in PROJECT["dependency-groups"]["peers"]}
PICTURES = {Requirement(one).name for one in PROJECT["dependency-groups"]["pictures"]}
SIMULATION = {Requirement(one).name for one in PROJECT["dependency-groups"]["simulation"]}
IMPORTED_AS = {
    "kaggle-environments": "kaggle_environments",
    "open_spiel": "pyspiel",
    "markdown-it-py": "markdown_it",
    "axe-playwright-python": "axe_playwright_python",
    "python-multipart": "python_multipart",
    "pytest-xdist": "xdist",
    "resvg-py": "resvg_py",
    "pillow": "PIL",
}
TOP_NAMES = {IMPORTED_AS.get(name, name).partition(".")[0] for name in RUNTIME}
"""The first words of the names that the dependencies are imported by."""
KNOWN = (
    TOP_NAMES
    | {"sqlalchemy", "compression", "h11", "starlette", "markupsafe"}
    | set(PACKAGES)
    | set(sys.stdlib_module_names)
)
"""What the packages may import. sqlmodel comes with SQLAlchemy, fastapi with Starlette, uvicorn with
h11, Jinja2 with MarkupSafe. Python 3.14 brings `compression`."""


def needed_by(plug_in: str) -> set[str]:
    """Return what a package in `plugins` needs besides Arena."""
    text = (ROOT / "plugins" / plug_in / "pyproject.toml").read_text(encoding="utf-8")
    return {Requirement(one).name for one in tomllib.loads(text)["project"]["dependencies"]} - {
        "arena-league"
    }


KIT, CLUSTER, WEBHOOKS = map(needed_by, ("conformance", "cluster", "webhooks"))
PNG = {Requirement(one).name for one in PROJECT["project"]["optional-dependencies"]["png"]}
"""What draws PNG files."""
BROUGHT = {"grimp", "anyio"}
"""What may be imported besides: import-linter reads imports with the first, Starlette runs threads with the second."""
IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
"""How an import begins. The linter refuses several on a line."""
AROUND = ("tests", "benchmarks", "docs")
"""Folders of code that is not shipped."""


def table_below(heading: str) -> set[str]:
    """Return the names in the first column of the table below a heading."""
    section = PAGE.partition(f"## {heading}")[2].partition("\n## ")[0]
    names = re.findall(r"^\| ([\w., -]+?) \|", section, re.MULTILINE)
    return {part for name in names[1:] for part in name.split(", ") if set(part) != {"-"}}


def test_the_table_of_what_runs_is_whole() -> None:
    assert table_below("To run Arena") == RUNTIME


def test_the_tables_of_the_tools_are_whole() -> None:
    assert table_below("To test and lint it") == DEV
    assert table_below("To build it") == BUILD
    assert table_below("To run the conformance kit") == KIT
    assert table_below("To play on many machines") == CLUSTER
    assert table_below("To draw PNG files") == PNG
    assert table_below("To send messages to channels") == WEBHOOKS
    assert table_below("To compare it with others") == PEERS
    assert table_below("To draw pictures of the pages") == PICTURES


@cache
def imported(*folders: str) -> frozenset[str]:
    """Return the first word of every import in the Python files of some folders, without templates of bots.

    Words that look like imports are taken from the text, which is quick; then a file with such a line is parsed.
    """
    files: dict[str, list[Path]] = {}
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        if not path.is_relative_to(ROOT / "arena/templates/python"):
            for name in set(IMPORT.findall(path.read_text(encoding="utf-8"))):
                files.setdefault(name, []).append(path)
    return frozenset(
        name for name, paths in files.items() if any(name in imported_by(path) for path in paths)
    )


@cache
def imported_by(path: Path) -> frozenset[str]:
    """Return the first word of every import in a file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


@pytest.mark.parametrize("name", sorted(TOP_NAMES))
def test_every_dependency_does_real_work(name: str) -> None:
    assert name in imported(*PACKAGES)


def test_nothing_is_imported_that_no_dependency_brings() -> None:
    extras = {IMPORTED_AS.get(name, name) for name in PNG}
    assert imported(*PACKAGES) - KNOWN == extras
    assert imported("plugins/conformance/src") - KNOWN - {"arena_conformance"} == KIT
    assert imported("plugins/cluster/src") - KNOWN - {"arena_cluster"} == CLUSTER | {"dask"}
    assert imported("plugins/webhooks/src") - KNOWN - {"arena_webhooks"} == WEBHOOKS


def test_the_tests_import_nothing_that_no_dependency_brings() -> None:
    """Beside their own modules, and the kit by the name that bots know it by."""
    places = [path for folder in AROUND for path in (ROOT / folder).rglob("*")]
    own = {path.stem for path in places if path.is_dir() or path.suffix == ".py"}
    own |= {path.name for path in (ROOT / "plugins").glob("*/src/*")}
    tools = {IMPORTED_AS.get(name, name) for name in DEV}
    peers = imported("benchmarks/peers/inside") & {IMPORTED_AS.get(name, name) for name in PEERS}
    pictures = (imported("docs") & {IMPORTED_AS.get(name, name) for name in PICTURES}) | (
        imported("benchmarks") & SIMULATION
    )
    assert (
        imported(*AROUND) - KNOWN - tools - peers - pictures - BROUGHT - own - {*AROUND, "arena_kit"} == set()
    )
