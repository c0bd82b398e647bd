"""Drawings and descriptions for people: plain text that fits the terminal."""

import pytest

from arena.conformance.tables import Table, played


def is_plain(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("width", [60, 80, 132])
def test_a_drawn_view_fits_the_width(table: Table, width: int) -> None:
    for step in played(table).steps[::7]:
        for seat in (None, *range(table.seats)):
            picture = table.game.draw(table.game.view(step.state, seat), width)
            assert picture.strip()
            assert is_plain(picture)
            assert max(len(line) for line in picture.split("\n")) <= width
            assert all(line == line.rstrip() for line in picture.split("\n"))


def test_the_end_can_be_drawn(table: Table) -> None:
    for seat in (None, *range(table.seats)):
        assert table.game.draw(table.game.view(played(table).end, seat), 80).strip()


def test_every_event_is_told_in_one_sentence(table: Table) -> None:
    game = played(table)
    for event in [*game.dealt, *(event for step in game.steps for event in step.events)]:
        for seat in (None, *range(table.seats)):
            told = table.game.describe(event.seen_by(seat))
            assert told == told.strip()
            assert is_plain(told)
            assert "\n" not in told
            assert told[0].isupper()
            assert told[-1] in ".!"


def test_a_forfeit_is_told_too(table: Table) -> None:
    told = table.game.describe({"kind": "forfeit", "seat": 1, "verdict": "timeout"})
    assert "timeout" in told
    assert "1" in told
