"""Whatever a bot sends is either a legal move, or refused with a message and without any change."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.chance import Stream
from arena.core.errors import IllegalMove
from arena.core.game import at_random
from arena_conformance.random_games import GameSetup, Step, all_told, as_bytes, moved, played, refused

SHORT = 50
"""Games with fewer turns are tested completely."""

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 15)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.text(st.characters(), min_size=50, max_size=60)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
)


def refused_or_legal(table: GameSetup, step: Step, seat: int, raw: Any) -> bool:
    """Return whether a JSON value is a legal move; fail if it is neither legal nor refused with a message."""
    game = table.game
    before = all_told(game, step.state, table.seats)
    given_raw = copy.deepcopy(raw)
    decision = next(decision for decision in step.turn if decision.seat == seat)
    try:
        move = game.parse_move(step.state, seat, raw)
    except IllegalMove as error:
        message = str(error)
        assert 10 <= len(message) <= 300, (
            f"`parse_move` refuses {raw!r} with {message!r}: name the rule in 10 to 300 characters"
        )
        assert message.isprintable(), (
            f"`parse_move` refuses {raw!r} with {message!r}: write one line, and values from outside with `shown`"
        )
        legal = False
    else:
        assert decision.legal is None or move in decision.legal, (
            f"`parse_move` takes {raw!r} for {move!r}, which `turn` doesn't list as legal: raise IllegalMove"
        )
        draw = at_random(Stream(b"illegal moves", str(table)))
        assert moved(game, step.state, {**step.moves, seat: move}, draw)[1], (
            f"the move {move!r} has no event: return at least one for everything that happens"
        )
        legal = True
    assert all_told(game, step.state, table.seats) == before, (
        f"`parse_move` or `apply` of {raw!r} changes the state: work on a copy"
    )
    assert raw == given_raw, f"`parse_move` changes what it is given: {given_raw!r} becomes {raw!r}"
    if decision.legal is not None and not legal:
        assert as_bytes(raw) not in [as_bytes(game.format_move(move)) for move in decision.legal], (
            f"`parse_move` refuses {raw!r}, which `turn` lists as legal: {message}"
        )
    return legal


@settings(max_examples=settings().max_examples // 4)
@given(data=st.data())
def test_any_json_value(table: GameSetup, data: st.DataObject) -> None:
    step = data.draw(st.sampled_from(played(table).steps))
    seat = data.draw(st.sampled_from(sorted(step.moves)))
    refused_or_legal(table, step, seat, data.draw(values))


@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_a_move_with_something_wrong(table: GameSetup, data: st.DataObject) -> None:
    """Take a move from another moment, and drop, add or change a key."""
    steps = played(table).steps
    step = data.draw(st.sampled_from(steps))
    seat = data.draw(st.sampled_from(sorted(step.moves)))
    other = data.draw(st.sampled_from(steps))
    raw = copy.deepcopy(table.game.format_move(data.draw(st.sampled_from(list(other.moves.values())))))
    key = data.draw(st.sampled_from(sorted(raw)))
    match data.draw(st.sampled_from(["keep", "drop", "add", "change", "deep"])):
        case "drop":
            del raw[key]
        case "add":
            raw[data.draw(st.sampled_from(["card", "position", "x", "", "Type"]))] = data.draw(scalars)
        case "change":
            raw[key] = data.draw(values)
        case "deep" if isinstance(raw[key], list) and raw[key]:
            raw[key][data.draw(st.integers(0, len(raw[key]) - 1))] = data.draw(values)
    refused_or_legal(table, step, seat, raw)


def test_a_legal_move_with_one_key_more_is_refused(table: GameSetup) -> None:
    for step in played(table).steps[:40]:
        for seat, move in step.moves.items():
            raw = {**table.game.format_move(move), "surplus": 1}
            with refused(f"`parse_move` accepts {raw!r}, with a key too many: use `read_shape`") as refusal:
                table.game.parse_move(step.state, seat, raw)
            assert "surplus" in str(refusal[0]), (
                f"`parse_move` refuses the key too many of {raw!r} with {str(refusal[0])!r}: name the key"
            )


def test_moves_of_other_moments_are_refused_unless_listed(table: GameSetup) -> None:
    """Every move made in a game, tried at every tenth decision and the last; in a short game, all moves at all."""
    game = table.game
    steps = played(table).steps
    short = len(steps) < SHORT
    made = {as_bytes(game.format_move(move)): move for step in steps for move in step.moves.values()}
    if short:
        listed = [move for step in steps for decision in step.turn for move in decision.legal or ()]
        made.update({as_bytes(game.format_move(move)): move for move in listed})
    for step in steps if short else steps[::-10]:
        for decision in step.turn:
            if decision.legal is None:
                continue
            for move in made.values():
                legal = move in decision.legal
                raw = game.format_move(move)
                assert refused_or_legal(table, step, decision.seat, raw) == legal, (
                    f"`parse_move` and `turn` disagree on whether {raw!r} is legal"
                )
                if not legal:
                    with refused(
                        f"`apply` makes the move {move!r}, which isn't legal now: raise IllegalMove"
                    ):
                        game.apply(step.state, {**step.moves, decision.seat: move})
