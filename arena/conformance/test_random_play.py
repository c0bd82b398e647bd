"""Requirements for every game, checked on random games of every table."""

import json
from typing import Any

import pytest

from arena.conformance.tables import Played, Table, again, all_told, as_bytes, moved, play, played, turn_json
from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove
from arena.core.game import Event, Outcome, ranks_of
from arena.core.game_length import capped
from arena.core.late_chance import Recorder, Roll, at_random, play_chance

LARGEST_INTEGER = 2**53 - 1
OTHER_SEEDS = 20
"""Among this many seeds, at least one must give a different deal."""


def test_decisions_are_in_seat_order_with_every_move_once(table: Table) -> None:
    for step in played(table).steps:
        seats = [decision.seat for decision in step.turn]
        assert seats == sorted(set(seats)) != []
        assert set(seats) <= set(range(table.seats))
        for decision in step.turn:
            assert decision.kind
            if decision.legal is not None:
                written = [as_bytes(table.game.format_move(move)) for move in decision.legal]
                assert len(set(written)) == len(written) > 0
                assert len(set(decision.legal)) == len(written)
                assert decision.forced == (len(written) == 1)


def test_the_same_state_always_has_the_same_turn(table: Table) -> None:
    for step in played(table).steps:
        assert table.game.turn(step.state) == step.turn


def test_sampled_moves_are_legal(table: Table) -> None:
    rng = Stream(b"sample", str(table))
    for step in played(table).steps:
        for decision in step.turn:
            move = table.game.sample_move(step.state, decision.seat, rng)
            written = table.game.format_move(move)
            assert table.game.parse_move(step.state, decision.seat, written) == move
            if decision.legal is not None:
                assert move in decision.legal


def test_moves_come_back_from_json(table: Table) -> None:
    for step in played(table).steps:
        for decision in step.turn:
            for move in decision.legal if decision.legal is not None else (step.moves[decision.seat],):
                written = table.game.format_move(move)
                assert isinstance(written, dict)
                assert isinstance(written["type"], str)
                sent = json.loads(as_bytes(written))
                parsed = table.game.parse_move(step.state, decision.seat, sent)
                assert parsed == move
                assert hash(parsed) == hash(move)
                assert table.game.format_move(parsed) == written


def test_every_listed_move_applies(table: Table) -> None:
    for step in played(table).steps[:: max(1, len(played(table).steps) // 20)]:
        for decision in step.turn:
            for move in decision.legal or ():
                after, told = moved(
                    table.game,
                    step.state,
                    {**step.moves, decision.seat: move},
                    at_random(Stream(b"every move", str(table))),
                )
                assert told, "everything that happens needs at least one event"
                assert all_told(table.game, after, table.seats)


def test_apply_leaves_its_state_as_it_was(table: Table) -> None:
    """All states of the game exist before this second pass, and must still give the same results."""
    game = table.game
    steps = played(table).steps
    for step, following in zip(steps, [*(step.state for step in steps[1:]), played(table).end], strict=True):
        before = all_told(game, step.state, table.seats)
        after, events = moved(game, step.state, step.moves, again(step.drawn))
        assert all_told(game, step.state, table.seats) == before
        assert events == step.events[: len(events)]
        assert [event.kind for event in step.events[len(events) :]] in ([], ["cap"])
        assert all_told(game, after, table.seats) == all_told(game, following, table.seats)


def test_advance_does_the_same_in_place(table: Table) -> None:
    game = table.game
    state = game.copy(played(table).start)
    for step in played(table).steps:
        assert all_told(game, state, table.seats) == all_told(game, step.state, table.seats)
        game.advance(state, step.moves)
        state, _ = play_chance(game, state, again(step.drawn))
    assert all_told(game, state, table.seats) == all_told(game, played(table).end, table.seats)


def test_make_legal_does_the_same_in_place(table: Table) -> None:
    """`make_legal` of `MakesLegal` ends where `apply` does, and what was told and shown before stays as it is."""
    game: Any = table.game
    if not hasattr(game, "make_legal"):
        return
    original = played(table)
    state = game.copy(original.start)
    told: list[Event] = []
    shown = []
    for step in original.steps:
        shown.append([game.view(state, seat) for seat in (None, *range(table.seats))])
        told += game.make_legal(state, step.moves)
        state, events = play_chance(game, state, again(step.drawn))
        told += events
    assert all_told(game, state, table.seats) == all_told(game, original.end, table.seats)
    happened = [event for step in original.steps for event in step.events]
    assert told == (happened[:-1] if original.capped else happened)
    for step, views in zip(original.steps, shown, strict=True):
        assert views == [game.view(step.state, seat) for seat in (None, *range(table.seats))]


def test_a_copy_goes_its_own_way(table: Table) -> None:
    """A copy from any moment plays on to the same end without changing the original."""
    game = table.game
    steps = played(table).steps
    for start in range(0, len(steps), max(1, len(steps) // 5)):
        original = steps[start].state
        before = all_told(game, original, table.seats)
        state = game.copy(original)
        for step in steps[start:]:
            game.advance(state, step.moves)
            state, _ = play_chance(game, state, again(step.drawn))
        assert all_told(game, state, table.seats) == all_told(game, played(table).end, table.seats)
        assert all_told(game, original, table.seats) == before


def test_the_result_agrees_with_the_scores(table: Table) -> None:
    for number in range(2):
        game = played(table, number)
        outcome = game.outcome
        assert len(outcome.scores) == table.seats
        assert all(type(score) is int for score in outcome.scores)
        assert outcome.scores == table.game.scores(game.end)
        assert outcome.ranks == ranks_of(outcome.scores)


def test_the_same_seed_gives_the_same_game(table: Table) -> None:
    first = played(table)
    once_more = play(table)
    assert once_more.dealt == first.dealt
    assert [step.events for step in once_more.steps] == [step.events for step in first.steps]
    assert once_more.outcome == first.outcome
    assert once_more.chance == first.chance
    if can_differ(first):
        assert any(played(table, number).chance != first.chance for number in range(1, OTHER_SEEDS))


def can_differ(game: Played) -> bool:
    """Return whether chance decides anything in a game: whether some draw could have another result."""
    return any(len({repr(item) for item in drawn}) > 1 for drawn in game.chance.values()) or any(
        isinstance(asked, Roll) and asked.count and asked.low < asked.high for asked in game.requests.values()
    )


def test_a_recorded_deal_replays_to_the_same_game(table: Table) -> None:
    game = table.game
    original = played(table)
    record = json.loads(as_bytes(original.chance))
    chance = Chance(record=record)
    draw = Recorder(chance)
    state, dealt = game.deal(table.seats, table.rules, chance)
    state, later = play_chance(game, state, draw)
    assert (*dealt, *later) == original.dealt
    for step in original.steps:
        moves = {
            seat: game.parse_move(state, seat, game.format_move(move)) for seat, move in step.moves.items()
        }
        state, events = moved(game, state, moves, draw)
        assert events == step.events[: len(events)]
    assert chance.record == record
    assert original.capped or game.turn(state) == original.outcome


def test_what_is_told_is_json_as_it_will_be_read(table: Table) -> None:
    game = table.game
    original = played(table)
    for event in [*original.dealt, *(event for step in original.steps for event in step.events)]:
        assert event.kind
        assert "kind" not in event.data
        assert set(event.private) <= set(range(table.seats))
        for seat in (None, *range(table.seats)):
            _check_json(event.seen_by(seat))
    for step in original.steps:
        for seat in (None, *range(table.seats)):
            _check_json(game.view(step.state, seat))
        _check_json(turn_json(game, step.state))
    for seat in range(table.seats):
        _check_json(game.private(original.start, seat))


def _check_json(value: object) -> None:
    """Fail unless a value survives JSON unchanged and its integers are exact in every language."""
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value)
        for part in value.values():
            _check_json(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _check_json(part)
    elif isinstance(value, int):
        assert abs(value) <= LARGEST_INTEGER
    else:
        assert value is None or isinstance(value, str | float)
        assert json.loads(as_bytes(value)) == value


def test_a_seats_lines_are_short_enough(table: Table) -> None:
    """A seat's line holds its view, its moves, and the events since it was last asked."""
    game = table.game
    waiting: list[list[Event]] = [list(played(table).dealt) for _ in range(table.seats)]
    for step in played(table).steps:
        for decision in step.turn:
            if decision.forced:
                continue
            events = [event.seen_by(decision.seat) for event in waiting[decision.seat]]
            example = game.format_move(step.moves[decision.seat])
            legal = [game.format_move(move) for move in decision.legal or ()]
            sent = as_bytes([game.view(step.state, decision.seat), events, example, legal])
            assert len(sent) + 500 < game.info.line_bytes
            waiting[decision.seat] = []
        for events_waiting in waiting:
            events_waiting += step.events


def test_moves_of_the_wrong_seats_are_refused(table: Table) -> None:
    game = table.game
    steps = played(table).steps
    for step in steps[:: max(1, len(steps) // 20)]:
        seats = set(step.moves)
        some_move = next(iter(step.moves.values()))
        wrong = [{}, {seat: step.moves[seat] for seat in list(seats)[1:]}]
        wrong += [{**step.moves, other: some_move} for other in range(table.seats) if other not in seats]
        wrong += [{**step.moves, table.seats: some_move}, {**step.moves, -1: some_move}]
        before = all_told(game, step.state, table.seats)
        for moves in wrong:
            with pytest.raises(IllegalMove):
                game.apply(step.state, moves)
        for seat in set(range(table.seats)) - seats:
            with pytest.raises(IllegalMove):
                game.parse_move(step.state, seat, game.format_move(some_move))
        assert all_told(game, step.state, table.seats) == before


def test_after_the_end_nobody_moves(table: Table) -> None:
    game = table.game
    last = played(table).steps[-1]
    end = played(table).end
    if played(table).capped:
        made = sum(len(step.moves) for step in played(table).steps)
        assert capped(game.info, made) is not None
        return
    assert isinstance(game.turn(end), Outcome)
    with pytest.raises(IllegalMove):
        game.apply(end, last.moves)
    with pytest.raises(IllegalMove):
        game.apply(end, {})
    for seat, move in last.moves.items():
        with pytest.raises(IllegalMove):
            game.parse_move(end, seat, game.format_move(move))


def test_draws_after_the_deal_change_nothing_that_was_there(table: Table) -> None:
    """Repeated calls return the same due draw, and the state before the draw doesn't change."""
    game: Any = table.game
    if not hasattr(game, "due"):
        return
    for step in played(table).steps:
        state, _ = game.apply(step.state, step.moves)
        for values in step.drawn:
            wanted = game.due(state)
            assert wanted is not None
            assert game.due(state) == wanted
            views = [as_bytes(game.view(state, seat)) for seat in (None, *range(table.seats))]
            after, events = game.drawn(state, values)
            assert events, "every draw needs at least one event"
            assert game.due(state) == wanted
            assert [as_bytes(game.view(state, seat)) for seat in (None, *range(table.seats))] == views
            assert game.drawn(state, values)[1] == events
            state = after
        assert game.due(state) is None
