"""The picture of the rooms follows from the imports."""

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Set

import pytest

from generators import architecture
from tests.support.tree import ROOT

DIAMOND = {
    "arena.cli": frozenset({"arena.league", "results.store", "arena.core"}),
    "arena.league": frozenset({"results.store", "arena.core"}),
    "results.store": frozenset({"arena.core"}),
    "arena.core": frozenset[str](),
}


def test_arrows_that_a_longer_way_implies_are_left_out() -> None:
    assert architecture.reduced(DIAMOND) == {
        "arena.cli": frozenset({"arena.league"}),
        "arena.league": frozenset({"results.store"}),
        "results.store": frozenset({"arena.core"}),
        "arena.core": frozenset(),
    }


def test_a_room_stands_right_above_the_highest_that_it_imports() -> None:
    arrows = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": frozenset[str](), "d": frozenset({"c"})}
    assert architecture.floors_of(arrows) == [["a"], ["b", "d"], ["c"]]


def test_rooms_that_import_each_other_are_refused() -> None:
    circle: Mapping[str, frozenset[str]] = {"a": frozenset({"b"}), "b": frozenset({"a"})}
    with pytest.raises(ValueError, match="a → b → a"):
        architecture.reduced(circle)


def test_every_room_is_drawn_once_with_an_arrow_for_each_import_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrows = {
        "arena.cli": frozenset({"arena.league", "arena.core"}),
        "arena.league": frozenset({"results.store"}),
        "results.store": frozenset({"protocol"}),
        "protocol": frozenset[str](),
        "arena.core": frozenset[str](),
    }
    monkeypatch.setattr(architecture, "imports", lambda: arrows)
    monkeypatch.setattr(architecture, "purpose", lambda room: f"the job of {room} < others")
    drawn = ET.fromstring(architecture.render())  # noqa: S314 - our own
    svg = "{http://www.w3.org/2000/svg}"
    assert sorted(text.text or "" for text in drawn.iter(f"{svg}text")) == [
        "cli", "core", "league", "protocol", "results/store",
    ]  # fmt: skip
    assert sum("marker-end" in path.attrib for path in drawn.iter(f"{svg}path")) == 4


def test_the_rooms_of_the_picture_are_those_of_the_tree() -> None:
    rooms = set(architecture.imports())
    assert {"arena.cli", "arena.core", "results.store", "protocol"} <= rooms
    assert all(architecture.purpose(room) for room in rooms)


PLACES = re.compile(
    r"`((?:arena|results|protocol|tests|benchmarks|docs|kits)[./][\w./]*[\w/]|[\w/]+/[\w/]+\.(?:py|md|toml)|\w+\.py)`"
)


def named_places(page: str) -> set[str]:
    """Return the folders, files, modules and names in modules that a page of the documentation names."""
    return set(PLACES.findall((ROOT / "docs" / page).read_text(encoding="utf-8")))


def is_there(place: str, files: Set[str]) -> bool:
    """Whether a tracked file, a folder of some, a module or a name in a module is called so."""
    if "/" in place or place.endswith(".py"):
        return any(
            f"/{file}".endswith((f"/{place}", f"/{place}.py"))
            or f"/{file}".startswith(f"/{place.rstrip('/')}/")
            for file in files
        )
    parts = place.split(".")
    for cut in range(len(parts), 0, -1):
        path, rest = "/".join(parts[:cut]), parts[cut:]
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if file in files:
                return not rest or rest[0] in (ROOT / file).read_text(encoding="utf-8")
    return False


@pytest.mark.parametrize("page", ["architecture.md", "first-hour.md"])
def test_what_the_page_names_is_there(page: str) -> None:
    files = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split())
    assert not is_there("arena.league.not_there", files)
    assert not is_there("arena/league/not_there.py", files)
    assert [place for place in sorted(named_places(page)) if not is_there(place, files)] == []
