"""Requirements for every game, checked on random games of every table."""

import json
import re
from collections.abc import Hashable
from typing import Any

from arena.core.chance import Chance, Stream
from arena.core.game import Event, Pick, Recorder, Roll, at_random, play_chance, ranks_of, sides_of
from arena_conformance.random_games import (
    GameSetup,
    Played,
    again,
    all_told,
    as_bytes,
    moved,
    play,
    played,
    refused,
    several,
    turn_json,
)

CHECK = "raise IllegalMove for them, as `BaseGame.check` does"
LARGEST_INTEGER = 2**53 - 1
OTHER_SEEDS = 20
"""Among this many seeds, at least one must give a different deal."""
WORD = re.compile("[a-z0-9]+([_-][a-z0-9]+)*")
STREAM = re.compile("[a-z0-9]+([_/-][a-z0-9]+)*")


def test_decisions_are_in_seat_order_with_every_move_once(table: GameSetup) -> None:
    for step in [step for original in several(table) for step in original.steps]:
        seats = [decision.seat for decision in step.turn]
        assert seats == [seat for seat in range(table.seats) if seat in seats], (
            f"`turn` returns decisions of the seats {seats}: return at most one for each seat from 0 to "
            f"{table.seats - 1}, in seat order"
        )
        for decision in step.turn:
            if decision.legal is None:
                continue
            mutable = [move for move in decision.legal if not isinstance(move, Hashable)]
            assert not mutable, (
                f"the move {mutable[0]!r} isn't hashable: make moves numbers, text, tuples or frozen dataclasses"
            )
            written = [as_bytes(table.game.format_move(move)) for move in decision.legal]
            assert len(set(written)) == len(set(decision.legal)) == len(written), (
                f"`legal` of a {decision.kind!r} has moves that are equal, or have the same JSON: list each once"
            )


def test_kinds_types_and_streams_are_words(table: GameSetup) -> None:
    """They stand in bots, in replays and on pages."""
    found: set[tuple[str, Any]] = set()
    for original in several(table):
        found |= {("kind of an event", event.kind) for event in original.events}
        found |= {("name of a stream", name) for name in original.chance}
        for step in original.steps:
            found |= {("kind of a decision", one.kind) for one in step.turn}
            moves = step.moves.values()
            found |= {("`type` of a move", table.game.format_move(move)["type"]) for move in moves}
    for what, word in sorted(found, key=repr):
        pattern = STREAM if what == "name of a stream" else WORD
        is_word = isinstance(word, str) and pattern.fullmatch(word)
        assert is_word, (
            f"the {what} is {word!r}: use lower-case words and numbers joined by - or _, such as play_card"
        )


def test_the_same_state_always_has_the_same_turn(table: GameSetup) -> None:
    for step in played(table).steps:
        assert table.game.turn(step.state) == step.turn, (
            "`turn` returns something else the second time: it may depend on nothing but the state, and change nothing"
        )


def test_sampled_moves_are_legal(table: GameSetup) -> None:
    rng = Stream(b"sample", str(table))
    for step in played(table).steps:
        for decision in step.turn:
            move = table.game.sample_move(step.state, decision.seat, rng)
            written = table.game.format_move(move)
            assert table.game.parse_move(step.state, decision.seat, written) == move, (
                f"`format_move` writes {move!r} as {written!r}, which `parse_move` reads as another move"
            )
            assert decision.legal is None or move in decision.legal, (
                f"`sample_move` returns {move!r}, which `turn` doesn't list as legal"
            )


def test_moves_come_back_from_json(table: GameSetup) -> None:
    for step in played(table).steps:
        for decision in step.turn:
            for move in decision.legal if decision.legal is not None else (step.moves[decision.seat],):
                written = table.game.format_move(move)
                parsed = table.game.parse_move(step.state, decision.seat, json.loads(as_bytes(written)))
                assert (parsed, hash(parsed)) == (move, hash(move)), (
                    f"`format_move` writes {move!r} as {written!r}, from which `parse_move` reads {parsed!r}"
                )
                assert table.game.format_move(parsed) == written, (
                    f"`format_move` writes {written!r} otherwise once it is parsed: give equal moves one form"
                )


def test_every_listed_move_applies(table: GameSetup) -> None:
    for step in played(table).steps[:: max(1, len(played(table).steps) // 20)]:
        for decision in step.turn:
            for move in decision.legal or ():
                after, told = moved(
                    table.game,
                    step.state,
                    {**step.moves, decision.seat: move},
                    at_random(Stream(b"every move", str(table))),
                )
                assert told, (
                    f"the move {move!r} has no event: return at least one for everything that happens"
                )
                all_told(table.game, after, table.seats)  # raises nothing


def test_apply_leaves_its_state_as_it_was(table: GameSetup) -> None:
    """All states of the game exist before this second pass, and must still give the same results."""
    game = table.game
    steps = played(table).steps
    for step, following in zip(steps, [*(step.state for step in steps[1:]), played(table).end], strict=True):
        before = all_told(game, step.state, table.seats)
        after, events = moved(game, step.state, step.moves, again(step.drawn))
        assert all_told(game, step.state, table.seats) == before, (
            "`apply` or `drawn` changes the state it is given: change a copy, of nested lists too, and return that"
        )
        more = [event.kind for event in step.events[len(events) :]]
        assert (events, more) in ((step.events, []), (step.events[:-1], ["cap"])), (
            "`apply` returns other events when it makes the same moves again: it may depend only on state and moves"
        )
        assert all_told(game, after, table.seats) == all_told(game, following, table.seats), (
            "`apply` returns another state when it makes the same moves again, or a later call has changed the first"
        )


def test_advance_does_the_same_in_place(table: GameSetup) -> None:
    game = table.game
    state = game.copy(played(table).start)
    steps = played(table).steps
    for step, following in zip(steps, [*(step.state for step in steps[1:]), played(table).end], strict=True):
        game.advance(state, step.moves)
        state, _ = play_chance(game, state, again(step.drawn))
        assert all_told(game, state, table.seats) == all_told(game, following, table.seats), (
            f"`advance` and `apply` disagree on the moves {step.moves!r}: let one function do the work of both"
        )


def test_make_legal_does_the_same_in_place(table: GameSetup) -> None:
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
    assert all_told(game, state, table.seats) == all_told(game, original.end, table.seats), (
        "`make_legal` and `apply` end in different states: let one function do the work of both"
    )
    happened = [event for step in original.steps for event in step.events]
    assert told == (happened[:-1] if original.capped else happened), (
        "`make_legal` and `apply` return different events, or a later call has changed them: put copies into events"
    )
    for step, views in zip(original.steps, shown, strict=True):
        assert views == [game.view(step.state, seat) for seat in (None, *range(table.seats))], (
            "`make_legal` changes a view that was taken before: put copies of lists into views"
        )


def test_a_copy_goes_its_own_way(table: GameSetup) -> None:
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
        assert all_told(game, state, table.seats) == all_told(game, played(table).end, table.seats), (
            f"a copy of the state at turn {start} plays on to another end: copy every field that the rules use"
        )
        assert all_told(game, original, table.seats) == before, (
            f"advancing a copy changes the state at turn {start} it was made of: copy every list, nested ones too"
        )


def test_the_result_agrees_with_the_scores(table: GameSetup) -> None:
    for game in (*several(table), played(table, 1)):
        outcome = game.outcome
        whole = [type(score) is int for score in outcome.scores]
        assert whole == [True] * table.seats, (
            f"the scores of the outcome are {outcome.scores!r}: give each of the {table.seats} seats a whole number, "
            "with `decimals` in GameInfo in units of the last one"
        )
        assert outcome.scores == table.game.scores(game.end), (
            "the outcome and `scores` of the last state disagree: let both come from one function"
        )
        assert outcome.ranks == ranks_of(outcome.scores), (
            f"the outcome has the ranks {outcome.ranks} for the scores {outcome.scores}, of which the highest is best: "
            "leave the ranks out, Outcome(scores) has them right"
        )


def test_partners_always_have_equal_scores(table: GameSetup) -> None:
    game = table.game
    sides = sides_of(game, table.rules, table.seats)
    if not sides:
        return  # every seat plays for itself
    assert game.info.forfeit_loses in ("seat", "side"), (
        f'forfeit_loses is {game.info.forfeit_loses!r}: what a forfeit loses is "seat" or "side"'
    )
    for one in (played(table), played(table, 1)):
        for state in (*(step.state for step in one.steps), one.end):
            scores = game.scores(state)
            assert all(
                score == scores[sides.index(side)] for side, score in zip(sides, scores, strict=True)
            ), (
                f"the scores are {scores} with the sides {sides}: give partners the score of their side, also "
                "before the end, as a forfeit can end the game"
            )


def test_the_same_seed_gives_the_same_game(table: GameSetup) -> None:
    first = played(table)
    once_more = play(table)
    for of in ("chance", "events", "outcome"):
        assert getattr(once_more, of) == getattr(first, of), (
            f"the same seed gives two games with different {of}: take all random numbers from `chance`, `due` and "
            "`rng`, and use no clock, no hash and no order of a set"
        )
    if can_differ(first):
        assert any(played(table, number).chance != first.chance for number in range(1, OTHER_SEEDS)), (
            f"{OTHER_SEEDS} seeds give the same draws: draw from `chance`, not from numbers of your own"
        )


def test_scores_of_tables_are_as_the_game_says(table: GameSetup) -> None:
    info = table.game.info
    for original in several(table):
        if not info.counts_tables(table.seats):
            return
        found = original.outcome.scores
        assert min(found) >= info.lowest_score, (
            f"a game ends with the scores {list(found)}, and a forfeit would count {info.lowest_score}: set "
            "`lowest_score` in GameInfo to the lowest score that a game can have"
        )
        for state in (*(step.state for step in original.steps), original.end):
            scores = table.game.scores(state)
            assert len(set(scores)) == 1, (
                f"`scores` returns {list(scores)}, and the game says that all share one: remove `shared_score`, or "
                "return the same score for each seat"
            )


def can_differ(game: Played) -> bool:
    """Return whether chance decides anything in a game: whether some draw could have another result."""
    return any(len({repr(item) for item in drawn}) > 1 for drawn in game.chance.values()) or any(
        len(asked.items) > 1
        if isinstance(asked, Pick)
        else isinstance(asked, Roll) and asked.count and asked.low < asked.high
        for asked in game.requests.values()
    )


def test_a_recorded_deal_replays_to_the_same_game(table: GameSetup) -> None:
    game = table.game
    original = played(table)
    record = json.loads(as_bytes(original.chance))
    chance = Chance(record=record)
    draw = Recorder(chance)
    state, dealt = game.deal(table.seats, table.rules, chance)
    state, later = play_chance(game, state, draw)
    assert (*dealt, *later) == original.dealt, (
        "a deal from the recorded draws has other events: let everything that chance decides come from `chance`"
    )
    for step in original.steps:
        moves = {
            seat: game.parse_move(state, seat, game.format_move(move)) for seat, move in step.moves.items()
        }
        state, events = moved(game, state, moves, draw)
        assert events == step.events[: len(events)], (
            "a replay of the recorded draws and moves has other events: they may depend on nothing else"
        )
    assert chance.record == record, (
        "a replay makes other draws than the game: they may depend on nothing but moves"
    )
    assert original.capped or game.turn(state) == original.outcome, (
        "a replay of the recorded draws and moves ends otherwise: the state may depend on nothing else"
    )


def test_what_is_told_is_json_as_it_will_be_read(table: GameSetup) -> None:
    for original in several(table):
        _check_told(original)


def _check_told(original: Played) -> None:
    """Fail unless everything told in a game is JSON."""
    table, game = original.table, original.table.game
    for event in original.events:
        assert not any("kind" in data for data in (event.data, *event.private.values())), (
            f"the event {event.kind!r} has a field `kind`, where its own kind stands: name the field otherwise"
        )
        assert set(event.private) <= set(range(table.seats)), (
            f"the event {event.kind!r} is private to the seats {sorted(event.private)}, of 0 to {table.seats - 1}"
        )
        for seat in (None, *range(table.seats)):
            _check_json(event.seen_by(seat), f"the event {event.kind!r}")
    for step in original.steps:
        for seat in (None, *range(table.seats)):
            _check_json(game.view(step.state, seat), "a view")
        _check_json(turn_json(game, step.state), "a turn")
    for seat in range(table.seats):
        _check_json(game.private(original.start, seat), "`private`")


def _check_json(value: object, where: str) -> None:
    """Fail unless a value survives JSON unchanged and its integers are exact in every language."""
    if isinstance(value, dict):
        for key, part in value.items():
            assert isinstance(key, str), f"{where} has the key {key!r}: keys are text in JSON"
            _check_json(part, where)
    elif isinstance(value, list | tuple):
        for part in value:
            _check_json(part, where)
    elif isinstance(value, int):
        assert abs(value) <= LARGEST_INTEGER, (
            f"{where} has the number {value}: beyond 2**53 it isn't exact in every language, write it as text"
        )
    else:
        is_json = value is None or (isinstance(value, str | float) and json.loads(as_bytes(value)) == value)
        assert is_json, (
            f"{where} has {value!r}, which isn't JSON: use text, numbers, true, false, None, lists and dicts"
        )


def test_a_seats_lines_are_short_enough(table: GameSetup) -> None:
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
            assert len(sent) + 500 < game.info.line_bytes, (
                f"a line to seat {decision.seat} has {len(sent)} bytes: show less, or raise `line_bytes` in GameInfo"
            )
            waiting[decision.seat] = []
        for events_waiting in waiting:
            events_waiting += step.events


def test_moves_of_the_wrong_seats_are_refused(table: GameSetup) -> None:
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
            with refused(
                f"`apply` accepts moves of the seats {sorted(moves)} where {sorted(seats)} decide: {CHECK}"
            ):
                game.apply(step.state, moves)
        for seat in set(range(table.seats)) - seats:
            with refused(
                f"`parse_move` reads a move of seat {seat}, which has nothing to decide: raise IllegalMove"
            ):
                game.parse_move(step.state, seat, game.format_move(some_move))
        assert all_told(game, step.state, table.seats) == before, (
            "`apply` changes the state before it refuses a move: check first"
        )


def test_after_the_end_nobody_moves(table: GameSetup) -> None:
    game = table.game
    last = played(table).steps[-1]
    end = played(table).end
    if played(table).capped:
        return
    for moves in (last.moves, {}):
        with refused(f"`apply` accepts moves when the game is over: {CHECK}"):
            game.apply(end, moves)
    for seat, move in last.moves.items():
        with refused("`parse_move` reads a move when the game is over: raise IllegalMove"):
            game.parse_move(end, seat, game.format_move(move))


def test_draws_after_the_deal_change_nothing_that_was_there(table: GameSetup) -> None:
    """Repeated calls return the same due draw, and the state before the draw doesn't change."""
    game: Any = table.game
    if not hasattr(game, "due"):
        return
    for step in played(table).steps:
        state, _ = game.apply(step.state, step.moves)
        for values in step.drawn:
            wanted = game.due(state)
            views = [as_bytes(game.view(state, seat)) for seat in (None, *range(table.seats))]
            after, events = game.drawn(state, values)
            assert events, f"the draw {wanted} has no event: return at least one for every draw"
            assert game.due(state) == wanted is not None, (
                "after `drawn`, `due` asks for another draw of the same state: `drawn` changes the state it is given "
                "(change a copy, and return that), or `due` depends on more than the state"
            )
            assert [as_bytes(game.view(state, seat)) for seat in (None, *range(table.seats))] == views, (
                "`drawn` changes the state it is given: change a copy, and return that"
            )
            assert game.drawn(state, values)[1] == events, (
                "`drawn` returns other events the second time: it may depend only on the state and the draw"
            )
            state = after
