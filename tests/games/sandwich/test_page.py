"""The page of the game holds the tables of the data file, and its example of an ask is one."""

import json
import re
from pathlib import Path

from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import FAMILIES, NAMES, PAIRS
from tests.games.sandwich.tables import game, grabs, make

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "sandwich.md").read_text(encoding="utf-8")


def rows(first: str) -> list[list[str]]:
    """Return the cells of each row of the table whose heading begins so, without the heading."""
    table = PAGE.split(f"\n{first}", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")[2:]]


def test_the_ingredients_are_those_of_the_data_file() -> None:
    found = rows("| family | its seven")
    assert [row[0] for row in found] == list(FAMILIES)
    assert [name for row in found for name in re.findall(r'`"([a-z-]+)"`', row[1])] == list(NAMES)


def test_the_pair_figures_are_those_of_the_data_file() -> None:
    found = rows("| family | meat | fish")
    assert [row[0] for row in found] == list(FAMILIES)
    figures = [[round(float(cell.replace("−", "-")) * 1_000_000) for cell in row[1:]] for row in found]
    assert figures == [list(row) for row in PAIRS]


def test_the_example_has_the_fields_of_a_view_and_events_as_they_come() -> None:
    example = json.loads(PAGE.split("```json\n", 1)[1].split("```", 1)[0])
    state = game(4)
    assert list(example["view"]) == list(GAME.view(state, 1))
    _, events = make(state, grabs({seat: [(seat + 1 + step) % 4 for step in range(4)] for seat in range(4)}))
    assert [list(event) for event in example["events"]] == [list(event) for event in events]
    view = example["view"]
    assert len(view["market"]) + sum(map(len, view["hands"])) == 4 * (view["market_turn"] + 1)
    assert view["pile"] == 9 - view["market_turn"] - 1
    assert example["events"][0]["taken"] == [hand[-1] for hand in view["hands"]]
    GAME.parse_move(state, 1, example["example"])
