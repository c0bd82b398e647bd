"""A guess is a full state that a seat can't distinguish from the true one."""

import copy
from typing import Any

import pytest

from arena.conformance.tables import (
    MOST_MOVES,
    Played,
    Table,
    all_told,
    as_bytes,
    decision_json,
    moved,
    played,
    several,
)
from arena.core.chance import Stream
from arena.core.defaults import can_guess
from arena.core.game import AnyGame, Outcome, at_random, play_chance

MOMENTS = 30
"""Number of moments in a game at which each seat to move guesses."""


def moments(original: Played) -> list[int]:
    """Return the numbers of the steps to test, spread over the game and including the first and the last."""
    count = len(original.steps)
    return sorted({*range(0, count, max(1, count // MOMENTS)), count - 1})


def guessable(table: Table) -> AnyGame:
    """Return the game of a table; skip the test if the game has no guess."""
    if not can_guess(table.game):
        pytest.skip("this game has no guess: bots can't think ahead in it")
    return table.game


def test_a_guess_looks_to_the_seat_like_the_truth(table: Table) -> None:
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


def test_a_guess_takes_the_seats_own_move_and_can_be_played_to_the_end(table: Table) -> None:
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


def told(table: Table, state: Any) -> list[bytes]:
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


def test_a_guess_follows_from_its_numbers(table: Table) -> None:
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
