"""docs/dependencies.md is the table of what pyproject.toml asks for, and each of these is used."""

import ast
import re
import sys
import tomllib
from functools import cache

import pytest
from packaging.requirements import Requirement

from tests.packaging.tree import PACKAGES, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
RUNTIME = {Requirement(one).name for one in PROJECT["project"]["dependencies"]}


def table_below(heading: str) -> set[str]:
    """Return the names in the first column of the table below a heading."""
    section = PAGE.partition(f"## {heading}")[2].partition("\n## ")[0]
    names = re.findall(r"^\| ([\w, -]+?) \|", section, re.MULTILINE)
    return {part for name in names[1:] for part in name.split(", ") if set(part) != {"-"}}


def test_the_table_of_what_runs_is_whole() -> None:
    assert table_below("To run Arena") == RUNTIME


def test_the_tables_of_the_tools_are_whole() -> None:
    groups = PROJECT["dependency-groups"]
    assert table_below("To test and lint it") == {
        Requirement(one).name for one in groups["dev"] if isinstance(one, str)
    }
    assert table_below("To build it") == {Requirement(one).name for one in groups["build"]}


@cache
def imported() -> frozenset[str]:
    """Return the first word of every import in the packages."""
    found: set[str] = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module.partition(".")[0])
    return frozenset(found)


@pytest.mark.parametrize("name", sorted(RUNTIME))
def test_every_dependency_does_real_work(name: str) -> None:
    assert name in imported()


def test_nothing_is_imported_that_no_dependency_brings() -> None:
    """What a dependency itself stands on may be imported where the two come as one: SQLAlchemy with sqlmodel."""
    allowed = RUNTIME | {"sqlalchemy"} | set(PACKAGES) | set(sys.stdlib_module_names)
    assert imported() - allowed == set()
