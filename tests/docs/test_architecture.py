"""The picture of the rooms follows from the imports."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping

import pytest

from generators import architecture

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
