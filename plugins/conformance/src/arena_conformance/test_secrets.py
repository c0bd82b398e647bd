"""What seats know: guesses look like the truth, and views and moves tell no more than the events."""

import copy
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar, cast

import pytest
from hypothesis import settings

from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove
from arena.core.game import AnyGame, Draw, Event, Outcome, Pick, Recorder, Roll, at_random, play_chance
from arena.core.game_defaults import can_guess
from arena_conformance.random_games import (
    MOST_MOVES,
    GameSetup,
    Played,
    all_told,
    as_bytes,
    decision_json,
    moved,
    played,
    several,
)

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
        or _other_values(original.requests.get(name), drawn)
    }
    if not can_change:
        return None
    name = sorted(can_change)[rng.randrange(len(can_change))]
    drawn = list(can_change[name])
    here = rng.randrange(len(drawn))
    if isinstance(drawn[here], float):
        drawn[here] += 0.5
    elif others := _other_values(original.requests.get(name), drawn):
        drawn[here] = next((value for value in others if value != drawn[here]), others[0])
    else:
        unlike = [there for there, item in enumerate(drawn) if repr(item) != repr(drawn[here])]
        there = unlike[rng.randrange(len(unlike))]
        drawn[here], drawn[there] = drawn[there], drawn[here]
    return {name: drawn}


def _other_values(asked: Draw | None, drawn: Sequence[Any]) -> list[Any]:
    """Return what a roll or a pick could have given in place of some of what it gave."""
    if isinstance(asked, Pick):
        return [item for item in asked.items if repr(item) != repr(drawn[0])]
    if not isinstance(asked, Roll) or not drawn or asked.low == asked.high:
        return []
    return [asked.low, asked.high] if set(drawn) != {asked.low} else [asked.high]


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

    def pick(self, stream: str, items: Sequence[T], weights: Sequence[int | Fraction]) -> T:
        drawn = super().pick(stream, items, weights)
        (instead,) = self._instead.get(stream, (drawn,))
        return cast("T", instead)

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


def test_views_and_moves_tell_no_more_than_the_events(table: GameSetup) -> None:
    rng = Stream(table.seed(0), "changes")
    games = several(table)
    for number in range(CHANGES):
        original = games[number % len(games)]
        instead = changed(original, rng)
        if instead is not None:  # otherwise chance decides nothing, so there is nothing hidden to change
            compare(original, instead)


MOMENTS = 30
"""Number of moments in a game at which each seat to move guesses."""


def moments(original: Played) -> list[int]:
    """Return the numbers of the steps to test, spread over the game and including the first and the last."""
    count = len(original.steps)
    return sorted({*range(0, count, max(1, count // MOMENTS)), count - 1})


def guessable(table: GameSetup) -> AnyGame:
    """Return the game of a table; skip the test if the game has no guess."""
    if not can_guess(table.game):
        pytest.skip("this game has no guess: bots can't think ahead in it")
    return table.game


def test_a_guess_looks_to_the_seat_like_the_truth(table: GameSetup) -> None:
    game = guessable(table)
    rng = Stream(table.seed(0), "guess")
    for original, step_no in [(one, step_no) for one in several(table) for step_no in moments(one)]:
        step = original.steps[step_no]
        for decision in step.turn:
            seen = original.seen(step_no, decision.seat)
            told = copy.deepcopy((seen.view, seen.events, seen.private))
            state = game.guess(seen, rng)
            where = f"seat {decision.seat} at turn {step_no}"
            assert (seen.view, seen.events, seen.private) == told, (
                f"`guess` changes what it is given, for {where}: copy lists of `seen` before you change them"
            )
            assert as_bytes(game.view(state, decision.seat)) == as_bytes(seen.view), (
                f"in the guess of {where} the seat's own view differs from the one it has: take all of it over"
            )
            assert as_bytes(game.view(state, None)) == as_bytes(game.view(step.state, None)), (
                f"in the guess of {where} the view of spectators differs from the true one: take over what all can see"
            )
            assert game.private(state, decision.seat) == seen.private, (
                f"in the guess of {where} the seat's `private` differs from the one it has: take it over"
            )
            assert game.scores(state) == game.scores(step.state), (
                f"in the guess of {where} the scores differ from the true ones: they have to be in the view"
            )
            turn = game.turn(state)
            assert not isinstance(turn, Outcome), f"the guess of {where} is a game that is over"
            assert [one.seat for one in turn] == [one.seat for one in step.turn], (
                f"in the guess of {where} other seats have to decide than in the true game"
            )
            own = [decision_json(game, one) for one in turn if one.seat == decision.seat]
            assert own == [decision_json(game, decision)], (
                f"in the guess of {where} the seat has another decision, or other legal moves, than in the true game"
            )


def test_a_guess_takes_the_seats_own_move_and_can_be_played_to_the_end(table: GameSetup) -> None:
    game = guessable(table)
    rng = Stream(table.seed(0), "guess and play")
    for step_no in moments(played(table))[::5]:
        step = played(table).steps[step_no]
        seat = step.turn[0].seat
        state = game.guess(played(table).seen(step_no, seat), rng)
        turn = game.turn(state)
        own = step.moves[seat]
        for _ in range(game.info.longest_decisions or MOST_MOVES):
            if isinstance(turn, Outcome):
                break
            moves = {one.seat: game.sample_move(state, one.seat, rng) for one in turn}
            if own is not None:
                moves[seat], own = own, None
            state, _ = moved(game, state, moves, at_random(rng))
            turn = game.turn(state)
        assert isinstance(turn, Outcome) or game.info.longest_decisions is not None, (
            f"a game that goes on from the guess of seat {seat} at turn {step_no} never ends: guess what can occur"
        )


def told(table: GameSetup, state: Any) -> list[bytes]:
    """Return everything revealed about a state and its successors, playing to the end in place."""
    game = table.game
    rng = Stream(b"guess", "moves")
    heard = [all_told(game, state, table.seats)]
    draw = at_random(Stream(b"guess", "later"))
    most = min(MOST_MOVES, game.info.longest_decisions or MOST_MOVES)
    while not isinstance(turn := game.turn(state), Outcome) and len(heard) < most:
        game.advance(state, {one.seat: game.sample_move(state, one.seat, rng) for one in turn})
        state, _ = play_chance(game, state, draw)
        heard.append(all_told(game, state, table.seats))
    return heard


def test_a_guess_follows_from_its_numbers(table: GameSetup) -> None:
    """The same random numbers give the same guess, others a different one, unless the seat knows everything."""
    game = guessable(table)
    step = played(table).steps[0]
    seen = played(table).seen(0, step.turn[0].seat)
    first, again, *others = (told(table, game.guess(seen, Stream(b"guess", name))) for name in "aabcdefgh")
    assert first == again, (
        "`guess` gives two different states for the same random numbers: use no others than `rng`, and no sets in an "
        "order of their own"
    )
    assert any(other != first for other in others) or first == told(table, game.copy(step.state)), (
        "`guess` gives the same state for all random numbers, though not everything is known: choose what is hidden "
        "with `rng`"
    )
