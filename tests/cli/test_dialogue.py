"""What a person at the table is told, without a terminal."""

from unittest.mock import Mock

import pytest

from arena.cli.terminal.player_dialogue import Dialogue
from arena.core.move_words import Asked, Choice, Group, PlainWording


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("You can only", "your only move: D draw a card"),
        ("Or take back", "your only move: take back: D draw a card"),
    ],
)
def test_the_only_move_is_told_once(title: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules = Mock()
    rules.wording.choices.return_value = [Group(title, (Choice("D", "draw a card", {}),))]
    dialogue = Dialogue(rules, ["ann", "bob"], 0, Mock(gone=""))
    dialogue._start = Mock()
    dialogue.has_no_choice(Mock(events=[], legal=[{}]))
    assert capsys.readouterr().out == f"{told}\n"


def test_partners_are_named_and_one_player_has_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    rules = Mock()
    rules.info.title = "Whist"
    Dialogue(rules, list("abcd"), 1, Mock(), (0, 1, 0, 1)).begins(Mock(ruleset="english", seats=4))
    told = capsys.readouterr().out
    assert "At the table, clockwise: a, b (you), c, d.\nYou play together with d.\n" in told
    Dialogue(rules, ["a"], 0, Mock()).begins(Mock(ruleset="classic", seats=1))
    told = capsys.readouterr().out
    assert "1 player" in told
    assert "At the table" not in told


@pytest.mark.parametrize(("typed", "played"), [("1", "left"), ("left", "left"), ("UP", "up"), ("l", None)])
def test_a_move_is_named_by_its_key_or_its_words(typed: str, played: str | None) -> None:
    moves = [{"type": "left"}, {"type": "up"}]
    groups = PlainWording().choices(Asked("slide", {}, {}, moves))
    assert [(group.title, [one.text for one in group.choices]) for group in groups] == [
        ("moves", ["left", "up"])
    ]
    found = Dialogue(Mock(), ["a"], 0, Mock())._move(typed, Mock(), groups)
    assert found == (played and {"type": played})
