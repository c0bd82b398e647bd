"""The table and the events as people read them."""

import pytest

from arena.games.bread_basket import GAME
from tests.games.bread_basket.tables import make, table


def test_a_seat_sees_the_table_and_its_hand() -> None:
    state = table("9 5 C", "3 2 1 1", line="5 10 3", stock="1 2 3", scores=[31, -7], later=["1"])
    state.aside = 1
    assert GAME.draw(GAME.view(state, 0), 80) == "\n".join(
        [
            "Hand 1 of 2, stock 3, Chefs aside 1",
            "",
            "> seat 0   3 cards    31 points  you",
            "  seat 1   4 cards    -7 points  dealer",
            "",
            "Line     5  10   3",
            "  at     0   1   2",
            "",
            "Hand     9   5   C",
        ]
    )


def test_a_spectator_sees_no_hand() -> None:
    state, _ = make(table("9 5 C", "3", line=""), "9")
    assert GAME.draw(GAME.view(state, None), 80) == "\n".join(
        [
            "Hand 1 of 1, stock 0",
            "",
            "> seat 0   2 cards     0 points  has played 9",
            "  seat 1   1 card      0 points  dealer",
            "",
            "Line     9",
            "  at     0",
        ]
    )


def test_an_empty_line_and_an_empty_hand() -> None:
    picture = GAME.draw(GAME.view(table("", "3", to_move=1), 0), 80)
    assert "Line   (empty)" in picture
    assert "Hand   (no cards)" in picture


def test_a_long_line_goes_on_below() -> None:
    state = table("9", "3", line=" ".join("1234567891"), scores=[0, 0])
    assert GAME.draw(GAME.view(state, None), 30).split("\n")[5:] == [
        "Line     1   2   3   4   5   6",
        "  at     0   1   2   3   4   5",
        "         7   8   9   1",
        "  at     6   7   8   9",
    ]


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            {"kind": "dealt", "hand_no": 1, "dealer": 0, "held": [12, 12], "card": "5", "stock": 30},
            "Seat 0 deals hand 2, 12 cards each; the line starts with 5.",
        ),
        (
            {
                "kind": "dealt",
                "hand_no": 0,
                "dealer": 1,
                "held": [2, 2],
                "card": "5",
                "stock": 3,
                "hand": ["9", "O"],
            },
            "Seat 1 deals hand 1, 2 cards each; you get 9 O; the line starts with 5.",
        ),
        ({"kind": "played", "seat": 2, "card": "10"}, "Seat 2 plays 10."),
        ({"kind": "stopped", "seat": 2}, "Seat 2 stops."),
        (
            {"kind": "fetched", "seat": 2, "position": 3, "card": "7"},
            "Seat 2 lays a Chef aside and takes the 7 from position 3 of the line.",
        ),
        (
            {
                "kind": "taken",
                "seat": 0,
                "trick": "soup",
                "position": 0,
                "cards": ["1", "9", "2", "1"],
                "points": 4,
            },
            "Seat 0 takes the soup 1-9-2-1 for 4 points.",
        ),
        (
            {
                "kind": "taken",
                "seat": 0,
                "trick": "sandwich",
                "position": 0,
                "cards": list("6O31"),
                "points": 1,
            },
            "Seat 0 takes the sandwich 6-O-3-1 for 1 point.",
        ),
        (
            {"kind": "refilled", "card": "7", "stock": 12},
            "The line is empty; 7 is turned up from the stock, 12 left.",
        ),
        (
            {"kind": "hand_ended", "hand_no": 0, "points": [9, -1], "scores": [9, -1]},
            "Hand 1 ends: seat 0 +9 (now 9), seat 1 -1 (now -1).",
        ),
        ({"kind": "forfeit", "seat": 1, "verdict": "crash"}, "Seat 1 forfeits: crash."),
        ({"kind": "unheard_of", "seat": 1, "x": [2]}, "Unheard of: seat 1, x [2]."),
    ],
)
def test_events_in_words(event: dict[str, object], told: str) -> None:
    assert GAME.describe(event) == told
