"""A seat's view and moves follow from what it was told, and from nothing else.

One draw of chance is changed and the same moves are made again. As long as a seat is told the same (at the
start and by events), it must be shown the same: every byte of its view and of its legal moves. What events
may tell is each game's own affair; its own tests hold it to that.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove
from arena.core.game import Event, Outcome
from tests.conformance.tables import Played, Table, as_bytes, decision_json, each_table, played

CHANGES = 30
"""Changed deals tried at each table."""


def changed(record: Mapping[str, Sequence[Any]], rng: Stream) -> dict[str, list[Any]]:
    """Return the deal with two unlike things of one draw exchanged, or one number of it moved."""
    copy = {name: list(drawn) for name, drawn in record.items()}
    names = sorted(copy)
    while True:
        drawn = copy[names[rng.randrange(len(names))]]
        here, there = rng.randrange(len(drawn)), rng.randrange(len(drawn))
        if isinstance(drawn[here], float):
            drawn[here] += 0.5
            return copy
        if drawn[here] != drawn[there]:
            drawn[here], drawn[there] = drawn[there], drawn[here]
            return copy


def told_the_same(
    seats: Sequence[int | None], one: Sequence[Event], other: Sequence[Event]
) -> list[int | None]:
    """Return those of the seats that see the same in two lists of events."""
    return [
        seat
        for seat in seats
        if as_bytes([event.seen_by(seat) for event in one])
        == as_bytes([event.seen_by(seat) for event in other])
    ]


def compare(table: Table, original: Played, rng: Stream) -> int:
    """Play the same moves on a changed deal; return how many views of different states were compared."""
    game = table.game
    state, dealt = game.deal(table.seats, table.rules, Chance(record=changed(original.chance, rng)))
    alike = told_the_same((None, *range(table.seats)), original.dealt, dealt)
    alike = [
        seat
        for seat in alike
        if seat is None or game.private(state, seat) == game.private(original.start, seat)
    ]
    compared = 0
    for step in original.steps:
        for seat in alike:
            assert as_bytes(game.view(state, seat)) == as_bytes(game.view(step.state, seat))
            compared += 1
        turn = game.turn(state)
        assert not isinstance(turn, Outcome) or not alike
        if isinstance(turn, Outcome) or not alike:
            break
        asked, asked_before = ({one.seat: one for one in decisions} for decisions in (turn, step.turn))
        for seat in alike:
            if seat is not None:
                assert (seat in asked) == (seat in asked_before)
                if seat in asked:
                    now, then = (decision_json(game, one[seat]) for one in (asked, asked_before))
                    assert as_bytes(now) == as_bytes(then)
        try:
            state, events = game.apply(state, step.moves)
        except IllegalMove:
            break
        alike = told_the_same(alike, step.events, events)
    return compared


@each_table
def test_views_and_moves_tell_no_more_than_the_events(table: Table) -> None:
    rng = Stream(table.seed(0), "changes")
    compared = sum(compare(table, played(table), rng) for _ in range(CHANGES))
    assert compared > CHANGES
