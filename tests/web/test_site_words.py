"""What hints of commands become on pages and in the API."""

import ast
import re
from pathlib import Path

import pytest

from arena.web.site_words import in_the_api, on_pages

ROOT = Path(__file__).parents[2]
LOST = re.compile(
    r"(?:^|[;:(,] |\bthat )(?:on the server's machine|on the page of the bot|on the league's page under Organise|"
    r"by POST [^ ]+ with the kind \w+) (?:[a-z]+s\b|wrote\b|and\b)(?<!\bis)(?<!\bas)(?<!\bunless)"
)
"""A place where the subject of a verb should be."""


def hints() -> list[str]:
    """Return all texts in the source that name a command in backticks; docstrings end with a full stop."""
    found = set()
    for package in ("arena", "results"):
        for path in (ROOT / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            if "`arena " not in source:
                continue
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
                elif isinstance(node, ast.JoinedStr):
                    parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
                    found.add("".join(map(str, parts)))
    return sorted(text for text in found if "`arena " in text and "\n" not in text and not text.endswith("."))


def test_no_hint_loses_its_subject() -> None:
    every = hints()
    assert len(every) > 30
    for hint in every:
        for said in (on_pages(hint), in_the_api(hint)):
            assert not LOST.search(said), (hint, said)


@pytest.mark.parametrize(
    ("before", "command", "after"),
    [
        ("", "`arena replay list waiting`", "shows those that are"),
        ("restore a backup; ", "`arena db verify --jobs 2`", "says more"),
        ("name a folder that ", "`arena db backup --all`", "wrote"),
    ],
)
def test_a_command_that_does_something_stays(before: str, command: str, after: str) -> None:
    for said in (in_the_api, on_pages):
        assert said(f"{before}{command} {after}") == f"{before}{command} on the server's machine {after}"


def test_other_commands_are_a_place() -> None:
    assert in_the_api("look with: arena db verify") == "look, on the server's machine"
