"""No test imports another: helpers of one folder lie in it, and those of several in `tests/support`."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
IMPORT = re.compile(r"^[ \t]*(?:from (tests[\w.]*) import \(?\s*(\w+)|import (tests[\w.]+))", re.MULTILINE)


def wrong_imports(source: str, folder: str) -> Iterator[str]:
    """Yield what a module in a folder, such as `tests.web`, imports and may not."""
    for module, name, whole in IMPORT.findall(source):
        imported = whole or f"{module}.{name}"
        is_test = any(part.startswith("test_") or part == "conftest" for part in imported.split("."))
        if is_test or not imported.startswith(("tests.support.", f"{folder}.")):
            yield imported


def test_tests_import_helpers_alone() -> None:
    found = {
        f"{path.relative_to(TESTS)}: {imported}"
        for path in TESTS.rglob("*.py")
        for folder in [".".join(("tests", *path.parent.relative_to(TESTS).parts))]
        for imported in wrong_imports(path.read_text(encoding="utf-8"), folder)
    }
    assert not found, sorted(found)


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [
        ("from tests.web.test_play import begin", True),
        ("from tests.web import test_play", True),
        ("    from tests.web.conftest import demo_store", True),
        ("from tests.cli.terminals import Terminal", True),
        ("import tests.cli.terminals", True),
        ("from tests.web.person import (\n    Person,\n)", False),
        ("from tests.support.waiting import eventually", False),
    ],
)
def test_the_rule_sees(line: str, is_wrong: bool) -> None:
    assert bool(list(wrong_imports(line, "tests.web"))) is is_wrong
