"""The table and the events as people read them."""

import pytest

from arena.games.bread_and_chocolate import GAME
from tests.games.bread_and_chocolate.tables import make, table


def test_a_seat_sees_the_piles_and_its_hand() -> None:
    state = table("7c Td As 2h", "Kd", up="8h 8s", spread=True, turns=11, scores=[31, -107])
    assert GAME.draw(GAME.view(state, 0), 80) == "\n".join(
        [
            "Hand 1 of 1, turn 12",
            "",
            "> seat 0   4 cards     31 points  you",
            "  seat 1    1 card   -107 points  dealer",
            "",
            "Up   [8s]  on 1 card   a spread of 8 lasts",
            "Down [**]  1 card      Stock [**]  6 cards",
            "",
            "Hand  7c Td As 2h",
        ]
    )


def test_a_spectator_sees_who_has_to_discard() -> None:
    state, _ = make(table("2c 3c 4c 5c", "Kd", up="3h"), "2c")
    assert GAME.draw(GAME.view(state, None), 80) == "\n".join(
        [
            "Hand 1 of 1, turn 1",
            "",
            "> seat 0   3 cards      0 points  discards 2",
            "  seat 1    1 card      0 points  dealer",
            "",
            "Up   [2c]  on 1 card",
            "Down [**]  1 card      Stock [**]  6 cards",
        ]
    )


def test_a_long_hand_goes_on_below_and_the_opening_is_told() -> None:
    state = table("2c 3c 4c 5c 6c 7c 8c", "Kd", opening=2, up="Td", spread=False)
    picture = GAME.draw(GAME.view(state, 0), 20).split("\n")
    assert picture[2] == "> seat 0   7 cards      0 points  you, opens"
    assert picture[-2:] == ["Hand  2c 3c 4c 5c 6c", "      7c 8c"]


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            {"kind": "dealt", "hand_no": 1, "dealer": 0, "held": [6, 6], "up": "Td", "stock": 38},
            "Seat 0 deals hand 2, 6 cards each; Td is turned up.",
        ),
        (
            {
                "kind": "dealt",
                "hand_no": 0,
                "dealer": 1,
                "held": [2, 2],
                "up": "5c",
                "stock": 3,
                "hand": ["9c", "As"],
            },
            "Seat 1 deals hand 1, 2 cards each; you get 9c As; 5c is turned up.",
        ),
        (
            {"kind": "spread", "seat": 1, "cards": ["9d", "Tc"], "stock": 3},
            "Seat 1 spreads and turns up 9d Tc.",
        ),
        (
            {"kind": "flipped", "seat": 0, "up": "2d", "down": "8h"},
            "Seat 0 flips: 2d comes up, 8h goes down.",
        ),
        ({"kind": "passed", "seat": 0}, "Seat 0 passes."),
        (
            {"kind": "played", "seat": 0, "card": "9s", "effect": "draw", "number": 9},
            "Seat 0 lays 9s and must draw 9 cards.",
        ),
        (
            {"kind": "played", "seat": 0, "card": "As", "effect": "discard", "number": 1},
            "Seat 0 lays As and must discard 1 card.",
        ),
        (
            {"kind": "played", "seat": 0, "card": "8s", "effect": "spread", "number": 0},
            "Seat 0 lays 8s, the same rank: a spread.",
        ),
        ({"kind": "played", "seat": 0, "card": "Js", "effect": "none", "number": 0}, "Seat 0 lays Js."),
        ({"kind": "stuck", "seat": 2}, "Seat 2 has no legal play and must draw."),
        ({"kind": "drew", "seat": 2, "count": 1, "stock": 3}, "Seat 2 draws 1 card, 3 left in the stock."),
        (
            {"kind": "drew", "seat": 2, "count": 2, "stock": 3, "cards": ["As", "Td"]},
            "Seat 2 draws 2 cards (As Td), 3 left in the stock.",
        ),
        ({"kind": "discarded", "seat": 1, "count": 3, "down_count": 4}, "Seat 1 discards 3 cards."),
        (
            {"kind": "discarded", "seat": 1, "count": 1, "down_count": 4, "cards": ["As"]},
            "Seat 1 discards 1 card (As).",
        ),
        (
            {"kind": "reset", "up": "8c", "up_count": 1, "down_count": 1, "stock": 5},
            "The piles are turned over: 8c is up, with 1 card in its pile, 5 in the stock, 1 down.",
        ),
        (
            {"kind": "refilled", "up": "8c", "stock": 5},
            "The up pile below 8c is turned over: 5 in the stock.",
        ),
        (
            {"kind": "hand_ended", "hand_no": 0, "winner": 1, "points": [-4, 10], "scores": [6, 10]},
            "Hand 1 ends as seat 1 goes out: seat 0 -4 (now 6), seat 1 +10 (now 10).",
        ),
        (
            {"kind": "hand_ended", "hand_no": 0, "winner": None, "points": [-4, -1], "scores": [6, 10]},
            "Hand 1 ends at the turn limit: seat 0 -4 (now 6), seat 1 -1 (now 10).",
        ),
        ({"kind": "forfeit", "seat": 1, "verdict": "crash"}, "Seat 1 forfeits: crash."),
        ({"kind": "unheard_of", "seat": 1, "x": [2]}, "Unheard of: seat 1, x [2]."),
    ],
)
def test_events_in_words(event: dict[str, object], told: str) -> None:
    assert GAME.describe(event) == told
