"""What a game offers to bots that think ahead: its policy, candidates, stages, standings and guesser."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from arena.core.chance import Stream
from arena.core.errors import IllegalMove
from arena.core.foresight import MOST_CANDIDATES, foresight, turn_by_turn
from arena.core.game import Decision, Outcome, Seen
from arena_conformance.random_games import GameSetup, Played, all_told, as_bytes, played
from arena_conformance.test_secrets import guessable, moments

WORLDS = 2
"""States that a guesser is asked for at each moment."""


def is_legal(table: GameSetup, state: Any, seat: int, move: Any) -> str:
    """Return why a seat can't make a move now; empty if it can."""
    try:
        written = table.game.format_move(move)
        read = table.game.parse_move(state, seat, written)
    except IllegalMove as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - whatever a wrong kind of move does to a game
        return f"it isn't a move of the game: {error!r}"
    return "" if read == move else f"`parse_move` reads it as {read!r}"


def asked(original: Played, every: int = 1) -> list[tuple[int, Any, Decision[Any]]]:
    """Return decisions of a game to test, of different seats: the number of the turn, the state, and the decision."""
    found = []
    for place, number in enumerate(moments(original)[::every]):
        step = original.steps[number]
        found.append((number, step.state, step.turn[place % len(step.turn)]))
    return found


def test_the_policy_makes_legal_moves(table: GameSetup) -> None:
    policy, rng = foresight(table.game).policy, Stream(table.seed(0), "policy")
    for number, state, decision in asked(played(table)):
        where = f"seat {decision.seat} at turn {number}, a {decision.kind!r}"
        before = all_told(table.game, state, table.seats)
        move = policy(state, decision.seat, rng)
        why = is_legal(table, state, decision.seat, move)
        assert not why, f"`policy` returns an illegal move for {where}, {move!r:.200}: {why}"
        assert all_told(table.game, state, table.seats) == before, (
            f"`policy` changes the state it is given, for {where}: undo what you try, or try it on a copy"
        )


def test_candidates_are_different_legal_moves(table: GameSetup) -> None:
    candidates, rng = foresight(table.game).candidates, Stream(table.seed(0), "candidates")
    for number, state, decision in asked(played(table)):
        if decision.legal is not None:
            continue
        where = f"seat {decision.seat} at turn {number}, a {decision.kind!r}"
        before = all_told(table.game, state, table.seats)
        moves = candidates(state, decision.seat, rng)
        assert moves, f"`candidates` returns no move for {where}: return at least the policy's"
        assert len(moves) <= MOST_CANDIDATES, (
            f"`candidates` returns {len(moves)} moves for {where}: return the best dozen"
        )
        assert len(set(moves)) == len(moves), f"`candidates` returns the same move twice for {where}"
        for move in moves:
            why = is_legal(table, state, decision.seat, move)
            assert not why, f"`candidates` returns an illegal move for {where}, {move!r:.200}: {why}"
        assert all_told(table.game, state, table.seats) == before, (
            f"`candidates` changes the state it is given, for {where}: undo what you try, or try it on a copy"
        )


def test_stages_only_grow(table: GameSetup) -> None:
    stage, original = foresight(table.game).stage, played(table)
    reached = 0
    for number, state in enumerate([*(step.state for step in original.steps), original.end]):
        now = stage(state)
        assert isinstance(now, int), f"`stage` returns {now!r} at turn {number}: return a whole number"
        assert now >= reached, (
            f"`stage` shrinks from {reached} to {now} at turn {number}: count the hands or rounds scored so far"
        )
        reached = now


def test_standings_are_a_number_for_each_seat_and_the_scores_at_the_end(table: GameSetup) -> None:
    standing, original = foresight(table.game).standing, played(table)
    for number in moments(original):
        now = standing(original.steps[number].state)
        assert len(now) == table.seats, (
            f"`standing` returns {now!r} at turn {number}: return one number for each of {table.seats} seats"
        )
        assert all(isfinite(one) for one in now), (
            f"`standing` returns {now!r} at turn {number}: return finite numbers"
        )
    if not original.capped:
        assert tuple(standing(original.end)) == tuple(original.outcome.scores), (
            f"when the game is over, `standing` returns {standing(original.end)!r} and the scores are "
            f"{original.outcome.scores!r}: nothing is unfinished then, so return the scores"
        )


def test_playing_on_makes_the_moves_of_the_policy_until_the_stage_grows(table: GameSetup) -> None:
    game, original, thinking = table.game, played(table), foresight(table.game)
    slowly = turn_by_turn(game, thinking.stage)
    for number, state, _ in asked(original, every=10):
        for most in (0, 3, 50):
            one, other = (
                play_on(game.copy(state), game.sample_move, Stream(b"on", f"{table}/{number}"), most)
                for play_on in (thinking.play_on, slowly)
            )
            assert all_told(game, one, table.seats) == all_told(game, other, table.seats), (
                f"`play_on` leads elsewhere from turn {number} than `turn` and `advance` do in {most} turns: make each "
                "move of the policy, and stop where the stage grows, the game is over or the turns are made"
            )


def worlds_of(seen: Seen, parts: Sequence[int], table: GameSetup, where: str) -> Sequence[Any]:
    """Return the worlds of a guesser that hears all events up to each of these numbers in turn."""
    guesser = foresight(table.game).guesser(seen.ruleset, seen.seats, seen.seat, seen.private)
    heard = 0
    try:
        for part in (*parts, len(seen.events)):
            guesser.hear(seen.events[heard:part])
            heard = part
        return guesser.worlds(seen.view, WORLDS, Stream(b"worlds", where))
    except ValueError as error:
        raise AssertionError(
            f"the `guesser` of {where} finds no world, though it has heard what really happened: {error}"
        ) from error


def test_a_guesser_goes_on_from_what_it_has_heard(table: GameSetup) -> None:
    """It looks like the truth to its seat, and it makes no difference in how many parts it hears of it."""
    game, original = guessable(table), played(table)
    for number, state, decision in asked(original, every=5):
        seen, where = original.seen(number, decision.seat), f"seat {decision.seat} at turn {number}"
        dealt = len(original.dealt)
        parts = range(dealt, len(seen.events), max(1, (len(seen.events) - dealt) // 5))
        worlds = worlds_of(seen, parts, table, where)
        assert len(worlds) == WORLDS, f"the `guesser` of {where} returns {len(worlds)} worlds, not {WORLDS}"
        for world in worlds:
            assert as_bytes(game.view(world, decision.seat)) == as_bytes(seen.view), (
                f"a world of the `guesser` of {where} contradicts what the seat sees: take all of its view over"
            )
            assert as_bytes(game.view(world, None)) == as_bytes(game.view(state, None)), (
                f"a world of the `guesser` of {where} contradicts what all can see: take over what is public"
            )
            assert game.private(world, decision.seat) == seen.private, (
                f"a world of the `guesser` of {where} contradicts the seat's `private`: take it over"
            )
            turn = game.turn(world)
            assert not isinstance(turn, Outcome), (
                f"a world of the `guesser` of {where} is a game that is over"
            )
            assert decision in turn, (
                f"in a world of the `guesser` of {where} the seat has another decision, or other legal moves"
            )
        told = [all_told(game, world, table.seats) for world in worlds]
        at_once = [all_told(game, world, table.seats) for world in worlds_of(seen, (), table, where)]
        assert told == at_once, (
            f"the `guesser` of {where} returns other worlds if it hears the events in parts: what it keeps from one "
            "call of `hear` to the next is incomplete, or depends on more than events, view and random numbers"
        )
        rng = Stream(b"on", where)
        moves = {one.seat: game.sample_move(worlds[0], one.seat, rng) for one in original.steps[number].turn}
        game.advance(worlds[0], moves)
        assert all_told(game, worlds[1], table.seats) == told[1], (
            f"the worlds of the `guesser` of {where} share lists: give each its own, as `advance` changes them"
        )
