"""The examples on the page of the game are true."""

import json
import re
from pathlib import Path

import pytest
from arena_conformance.random_games import decision_json

from arena.games.bread_basket import GAME
from arena.games.bread_basket.state import CARDS
from tests.games.bread_basket.tables import cards, decision, line, make, table, taken

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "bread-basket.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n### Tricks\n")[1].split("\n## ")[0]
TRICKS = re.findall(r"(?m)^\| ((?:[O\dC]+ )+)\| ([O\dC]+) \| (.+) \|$", SECTION)


def test_the_ask_is_what_a_seat_would_be_sent() -> None:
    (block,) = re.findall(r"(?s)```json\n(.+?)```", PAGE)
    ask = json.loads(block)
    view = ask["view"]
    state = table("", "9 5 C 9", line="5 4 3", stock="1 " * 24, to_move=1, scores=[31, 17], later=["1"])
    state.held[0] = cards("1 " * 7)
    state.decks = ((), ())
    state.hand_no = 1
    state.aside = 1
    assert GAME.view(state, 1) == view
    asked = decision_json(GAME, decision(state))
    assert (asked["seat"], asked["kind"], asked["legal"]) == (view["seat"], ask["kind"], ask["legal"])


def test_the_table_of_tricks_was_found() -> None:
    assert len(TRICKS) == 5


@pytest.mark.parametrize(("before", "card", "told"), TRICKS)
def test_the_tricks_are_taken_as_told(before: str, card: str, told: str) -> None:
    state, events = make(table(f"{card} 1", "1", line=before), card)
    if told.startswith("nothing"):
        assert taken(events) == []
        return
    ((trick, in_it, points),) = taken(events)
    assert told.startswith(f"{trick} {in_it.replace(' ', '-')}: ")
    assert told.replace("−", "-").endswith(f"{points} point" + "s" * (points != -1))
    assert line(state) == ""


def test_the_trick_of_the_second_card_is_taken_as_told() -> None:
    assert "a 5 played next takes 5-1-2-5 and leaves 2 4" in PAGE
    state, events = make(table("2 5 1", "1", line="2 4 5 1"), "2", "5")
    assert taken(events) == [("sandwich", "5 1 2 5", 5)]
    assert line(state) == "2 4"


def test_every_card_is_in_the_table_of_cards() -> None:
    section = PAGE.split("## Deck and notation")[1].split("\n## ")[0]
    for name in CARDS:
        assert f'`"{name}"`' in section or name in "2345678"
