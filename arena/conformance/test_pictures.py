"""Drawings and descriptions for people: plain text that fits the terminal."""

import pytest

from arena.conformance.tables import Table, played, several

PLAIN = "plain text without tabs, control characters or marks of the direction of writing"


def check_picture(picture: str, width: int, of: str) -> None:
    """Fail, saying what is wrong, unless a picture is lines of plain text that fit the width."""
    assert picture.strip(), f"`draw` returns nothing for {of}: draw what is in the view"
    for line in picture.split("\n"):
        assert line.isprintable(), f"`draw` for {of} has the line {line!r}: write {PLAIN}"
        assert line == line.rstrip(), (
            f"`draw` for {of} has blanks at the end of the line {line!r}: strip them"
        )
        assert len(line) <= width, (
            f"`draw` for {of} has a line of {len(line)} characters where {width} fit: wrap or shorten {line!r}"
        )


def whose(seat: int | None) -> str:
    return "the view of spectators" if seat is None else f"the view of seat {seat}"


@pytest.mark.parametrize("width", [60, 80, 132])
def test_a_drawn_view_fits_the_width(table: Table, width: int) -> None:
    for step in [step for original in several(table) for step in original.steps][::7]:
        for seat in (None, *range(table.seats)):
            check_picture(table.game.draw(table.game.view(step.state, seat), width), width, whose(seat))


def test_the_end_can_be_drawn(table: Table) -> None:
    for seat in (None, *range(table.seats)):
        picture = table.game.draw(table.game.view(played(table).end, seat), 80)
        check_picture(picture, 80, f"{whose(seat)} when the game is over")


def test_every_event_is_told_in_one_sentence(table: Table) -> None:
    for event in [event for original in several(table) for event in original.events]:
        for seat in (None, *range(table.seats)):
            told = table.game.describe(event.seen_by(seat))
            what = f"`describe` tells the event {event.kind!r} as {told!r}"
            assert told.isprintable(), f"{what}: write one line of {PLAIN}"
            assert told == told.strip() != "", f"{what}: write a sentence, without blanks around it"
            assert told[0].isupper(), f"{what}: begin the sentence with a capital letter"
            assert told[-1] in ".!", f"{what}: end the sentence with a full stop"


def test_a_forfeit_is_told_too(table: Table) -> None:
    told = table.game.describe({"kind": "forfeit", "seat": 1, "verdict": "timeout"})
    for word in ("timeout", "1"):
        assert word in told, (
            f"`describe` tells a forfeit as {told!r}, without {word!r}: tell `seat` and `verdict` of events "
            "of the kind `forfeit`, which Arena adds to every game"
        )
