"""The examples on the page of the game are true."""

import json
import re
from pathlib import Path

import pytest
from arena_conformance.random_games import decision_json

from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.rules import CARDS
from tests.games.bread_and_chocolate.tables import decision, legal, make, piles, table

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "bread-and-chocolate.md").read_text(encoding="utf-8")
RUNNING_LOW = re.findall(
    r"(?m)^\| `(\w+)` \| up (.+), down (.+), stock (.+) \| (\w\w), owes (\d+) "
    r"\| .+: up (.+), down (.+), stock (.+) \|$",
    PAGE,
)
OTHERS = "Ac 2c 3c 4c 5c Jc Qc"


def test_the_ask_is_what_a_seat_would_be_sent() -> None:
    (block,) = re.findall(r"(?s)```json\n(.+?)```", PAGE)
    ask = json.loads(block)
    view = ask["view"]
    state = table(" ".join(view["hand"]), "", up="8h " * 6, down="2c " * 4, stock="3c " * 28, turns=12)
    state.held[1] = [CARDS["Kc"]] * 5
    state.decks = ((),) * 10
    assert GAME.view(state, 0) == view
    asked = decision_json(GAME, decision(state))
    assert (asked["seat"], asked["kind"], asked["legal"]) == (view["seat"], ask["kind"], ask["legal"])


def test_the_table_of_piles_was_found() -> None:
    assert [row[0] for row in RUNNING_LOW] == ["pagat", "gamerules", "shram"]


@pytest.mark.parametrize(
    ("rules", "up", "down", "stock", "card", "owed", "up2", "down2", "stock2"), RUNNING_LOW
)
def test_the_piles_are_turned_over_as_told(
    rules: str,
    up: str,
    down: str,
    stock: str,
    card: str,
    owed: str,
    up2: str,
    down2: str,
    stock2: str,
) -> None:
    state, events = make(table(f"{card} Kc", "9c", rules=rules, up=up, down=down, stock=stock), card)
    assert events[0]["number"] == int(owed)
    assert piles(state) == (up2, down2, stock2)


@pytest.mark.parametrize(
    ("top", "hand", "fits"),
    [
        ("Kd", "As 5c", ["As"]),
        ("As", "Kd 2c 5c", ["2c", "Kd"]),
        ("8h", f"7c {OTHERS[:14]}", ["draw"]),
        ("8h", f"7c {OTHERS}", ["7c"]),
        ("8h", "8s 8d", ["8s"]),
    ],
)
def test_what_fits_is_as_told(top: str, hand: str, fits: list[str]) -> None:
    assert f"\n| {top} | " in PAGE
    for rules in ("pagat", "gamerules"):
        assert legal(table(hand, "9c", rules=rules, up=top)) == fits
