"""What a person at the table is told, without a terminal."""

from unittest.mock import Mock

import pytest

from arena.cli.terminal.dialogue import Dialogue
from arena.core.move_words import Choice, Group


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
