"""A seat's view and moves depend only on what it has been told.

The test changes one draw of chance and repeats the same moves. As long as a seat is told the same (at the
start and by events), every byte of its view and its legal moves must stay the same. What events may reveal
depends on the game, so each game's own tests check it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hypothesis import settings

from arena.conformance.tables import Played, Table, as_bytes, decision_json, moved, several
from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove
from arena.core.game import Draw, Event, Outcome, Recorder, Roll, play_chance

T = TypeVar("T")

CHANGES = min(30, settings().max_examples // 2)
"""Number of changed deals to try at each table; fewer if Hypothesis is set to try few examples."""


def changed(original: Played, rng: Stream) -> dict[str, list[Any]] | None:
    """Return one draw with another result: two different items swapped, or one number changed. None: nothing can."""
    can_change = {
        name: drawn
        for name, drawn in original.chance.items()
        if isinstance(next(iter(drawn), None), float)
        or len({repr(item) for item in drawn}) > 1
        or _other_numbers(original.requests.get(name), drawn)
    }
    if not can_change:
        return None
    name = sorted(can_change)[rng.randrange(len(can_change))]
    drawn = list(can_change[name])
    here = rng.randrange(len(drawn))
    if isinstance(drawn[here], float):
        drawn[here] += 0.5
    elif others := _other_numbers(original.requests.get(name), drawn):
        drawn[here] = (others - {drawn[here]} or others).pop()
    else:
        unlike = [there for there, item in enumerate(drawn) if repr(item) != repr(drawn[here])]
        there = unlike[rng.randrange(len(unlike))]
        drawn[here], drawn[there] = drawn[there], drawn[here]
    return {name: drawn}


def _other_numbers(asked: Draw | None, drawn: Sequence[Any]) -> set[int]:
    """Return whole numbers that a roll could have given in place of some of those it gave."""
    if not isinstance(asked, Roll) or not drawn or asked.low == asked.high:
        return set()
    return {asked.low, asked.high} if set(drawn) != {asked.low} else {asked.high}


class Otherwise(Chance):
    """Draws from a seed, except for the given draws, which get other results."""

    def __init__(self, seed: bytes, instead: Mapping[str, Sequence[Any]]) -> None:
        super().__init__(seed)
        self._instead = instead

    def permutation(self, stream: str, items: Sequence[T]) -> tuple[T, ...]:
        drawn = super().permutation(stream, items)
        return tuple(self._instead.get(stream, drawn))

    def integers(self, stream: str, count: int, low: int, high: int) -> tuple[int, ...]:
        drawn = super().integers(stream, count, low, high)
        return tuple(self._instead.get(stream, drawn))

    def normals(self, stream: str, count: int, sigma: float, decimals: int) -> tuple[float, ...]:
        drawn = super().normals(stream, count, sigma, decimals)
        return tuple(self._instead.get(stream, drawn))


def told_the_same(
    seats: Sequence[int | None], one: Sequence[Event], other: Sequence[Event]
) -> list[int | None]:
    """Return which of the seats see the same in two lists of events."""
    return [
        seat
        for seat in seats
        if as_bytes([event.seen_by(seat) for event in one])
        == as_bytes([event.seen_by(seat) for event in other])
    ]


def compare(original: Played, instead: Mapping[str, Sequence[Any]]) -> None:
    """Repeat the moves with one draw changed; fail if a seat that has been told the same sees a difference."""
    table, game = original.table, original.table.game
    chance = Otherwise(table.seed(original.number), instead)
    draw = Recorder(chance)
    state, dealt = game.deal(table.seats, table.rules, chance)
    state, later = play_chance(game, state, draw)
    dealt = (*dealt, *later)
    alike = told_the_same((None, *range(table.seats)), original.dealt, dealt)
    alike = [
        seat
        for seat in alike
        if seat is None or game.private(state, seat) == game.private(original.start, seat)
    ]
    for number, step in enumerate(original.steps):
        for seat in alike:
            assert as_bytes(game.view(state, seat)) == as_bytes(game.view(step.state, seat)), _betrayed(
                seat, number, instead, "its views differ"
            )
        turn = game.turn(state)
        if not alike:
            return
        assert not isinstance(turn, Outcome), _betrayed(alike[0], number, instead, "only one of them is over")
        asked, asked_before = ({one.seat: one for one in decisions} for decisions in (turn, step.turn))
        for seat in alike:
            if seat is not None:
                now, then = (
                    decision_json(game, one[seat]) if seat in one else None for one in (asked, asked_before)
                )
                assert as_bytes(now) == as_bytes(then), _betrayed(
                    seat, number, instead, "its decisions differ"
                )
        try:
            state, events = moved(game, state, step.moves, draw)
        except IllegalMove:
            return
        alike = told_the_same(alike, step.events[: len(events)], events)


def _betrayed(seat: int | None, turn_no: int, instead: Mapping[str, Sequence[Any]], what: str) -> str:
    who = "a spectator" if seat is None else f"seat {seat}"
    return (
        f"{who} has been told the same in two games until turn {turn_no}, and there {what}: let views and moves depend "
        "only on what events and `private` have told that seat. The games differ in one draw; in the second it is "
        f"{instead!r:.200}"
    )


def test_views_and_moves_tell_no_more_than_the_events(table: Table) -> None:
    rng = Stream(table.seed(0), "changes")
    games = several(table)
    for number in range(CHANGES):
        original = games[number % len(games)]
        instead = changed(original, rng)
        if instead is not None:  # otherwise chance decides nothing, so there is nothing hidden to change
            compare(original, instead)
