"""What `BaseGame` says of a game's events and views, whatever texts are in them."""
# ruff: noqa: ARG002 - the same game at any moment

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.core.chance import Rng, Stream
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision, Outcome
from arena.core.game_defaults import BaseGame
from arena.core.move_parsing import read_shape, shown
from arena.core.move_words import Asked, PlainWording
from arena.core.ruleset import players

GAME: BaseGame[Any, Any] = BaseGame()
State = Any
COLOURS = "RGBY"
TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(
    ["a\nb", "a\u2028b", "a\x85b", "\x1b[2J", "\u202eabc", "\u2066", " ", "", "a\u3000", "\ud800", "x" * 5000]
)
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)


@given(TEXTS, OBJECTS)
@example("said", {"seen": "a\nb"})
@example("2nd", {"cards": ["a", "b\rc"]})
def test_every_event_is_one_plain_sentence(kind: str, data: dict[str, Any]) -> None:
    told = GAME.describe({**data, "kind": kind})
    assert told.isprintable()
    assert told == told.strip()
    assert (told[0].isupper(), told[-1]) == (True, ".")
    assert len(told) < 3000, "long words are cut"


@given(OBJECTS, st.sampled_from([40, 60, 80]))
@example({"board": "x.o\n.x."}, 60)
def test_every_view_is_drawn_in_plain_lines_of_the_width(view: dict[str, Any], width: int) -> None:
    for line in GAME.draw(view, width).split("\n"):
        assert line.isprintable()
        assert len(line) <= width
        assert line == line.rstrip()


@given(
    OBJECTS, OBJECTS, st.lists(st.fixed_dictionaries({"type": TEXTS}, optional={"card": VALUES}), min_size=1)
)
def test_moves_and_secrets_are_one_plain_line_each(
    private: dict[str, Any], view: dict[str, Any], legal: list[Any]
) -> None:
    wording = PlainWording()
    groups = wording.choices(Asked("play", view, {}, legal))
    told = [group.title for group in groups] + [one.text for group in groups for one in group.choices]
    for line in [*told, *wording.known(private), wording.secret(view, {})]:
        assert line.isprintable()


@pytest.mark.parametrize(
    ("turn", "seat", "error", "said"),
    [
        (Outcome((0, 1)), 0, IllegalMove, "seat 0 has nothing to decide now"),
        ((Decision(1, "act", ("a",)),), 0, IllegalMove, "seat 0 has nothing to decide now"),
        ((Decision(0, "act", None),), 0, NotImplementedError, "Small lists no moves, so it needs a "),
    ],
)
def test_members_that_need_listed_moves_say_what_is_missing(
    turn: Any, seat: int, error: type[Exception], said: str
) -> None:
    small: Any = type("Small", (BaseGame,), {"turn": lambda _, __: turn})()
    with pytest.raises(error, match=said):
        small.sample_move(0, seat, None)
    with pytest.raises(error, match=said):
        small.parse_move(0, seat, {})


class Codes(BaseGame[Any, str]):
    """The part of Mastermind that docs/adding-a-game.md shows."""

    def turn(self, state: State) -> tuple[Decision[str], ...]:
        return (Decision(0, "guess", None),)

    def format_move(self, move: str) -> JSON:
        return {"type": "guess", "code": move}

    def parse_move(self, state: State, seat: int, raw: JSON) -> str:
        _, fields = read_shape(raw, {"guess": ("code",)})  # the type, and the other keys
        code = fields["code"]
        if not isinstance(code, str) or len(code) != 4 or set(code) - set(COLOURS):
            raise IllegalMove(f"a code is four letters of {COLOURS}, not {shown(code)}")
        return code

    def sample_move(self, state: State, seat: int, rng: Rng) -> str:
        return "".join(COLOURS[rng.randrange(len(COLOURS))] for _ in range(4))


def test_a_composed_move_is_checked_as_what_a_bot_would_send() -> None:
    game = Codes()
    game.check(None, {0: game.sample_move(None, 0, Stream(b"", "codes"))})
    with pytest.raises(IllegalMove, match="a code is four letters of RGBY, not "):
        game.check(None, {0: "RGX"})


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"kind": "took", "seat": 0, "count": 2}, "Seat 0 took: 2."),
        ({"kind": "hand-over", "cards": ["7h", "Ks"], "left": []}, "Hand over: cards 7h Ks, left –."),
        ({"kind": "said", "seen": "a\nb"}, 'Said: seen "a\\nb".'),
        (
            {"kind": "said", "seen": ["a", "b\u2028"], "ok": [True]},
            'Said: seen ["a", "b\\u2028"], ok [true].',
        ),
        ({"kind": "1st"}, "Event 1st."),
    ],
)
def test_sentences(event: dict[str, Any], told: str) -> None:
    assert GAME.describe(event) == told


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        (range(4, 5), "4 players"),
        (range(1, 2), "1 player"),
        (range(2, 4), "2 or 3 players"),
        (range(2, 7), "2 to 6 players"),
        (range(2, 7, 2), "2, 4 or 6 players"),
        (range(0), "no number of players"),
    ],
)
def test_numbers_of_players_in_words(seats: range, words: str) -> None:
    assert players(seats) == words
