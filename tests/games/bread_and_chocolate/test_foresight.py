"""What the rules offer to bots that think ahead: a sensible move, discards to compare, and hands that are cut short."""

from random import Random
from typing import Any

import pytest

from arena.core.foresight import foresight
from arena.core.ruleset import ruleset
from arena.engine import Position
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.rules import CARDS, State, rules_of

THINKING: Any = foresight(GAME)


def state_of(
    up: str, *held: str, owed: int = 0, rules: str = "pagat", stock: str = "Kd Ks Qd Qs 5d 6d", **options: int
) -> State:
    """Return a moment of the last hand, seat 0 to move."""

    def cards(text: str) -> list[int]:
        return [CARDS[name] for name in text.split()]

    played = rules_of(GAME.resolve(ruleset(GAME.info, rules, options), 2))
    hands = [cards(hand) for hand in held]
    return State(played, ((),), 0, cards(stock), cards(up), cards("2h"), hands, 0, 0, owed, False, 0, [0, 0])


def chosen(state: State, seed: int = 1) -> Any:
    return GAME.format_move(THINKING.policy(state, 0, Random(seed)))


@pytest.mark.parametrize(
    ("state", "move"),
    [
        pytest.param(state_of("3h", "2c 4c Kc", "9c"), {"type": "play", "card": "2c"}, id="sheds most"),
        pytest.param(state_of("3h", "4c Kc", "9c"), {"type": "play", "card": "4c"}, id="all there is"),
        pytest.param(state_of("3h", "9c Kc", "9d"), {"type": "draw"}, id="stuck"),
        pytest.param(
            state_of("3h", "5d 7h 3s", "9d", owed=2), {"type": "discard", "cards": ["7h", "5d"]}, id="numbers"
        ),
        pytest.param(
            state_of("3h", "5d 7h", "9d", owed=2), {"type": "discard", "cards": ["5d", "7h"]}, id="forced"
        ),
        pytest.param(
            state_of("8h", "9d 7c 9s", "4c", rules="shram"),
            {"type": "play", "card": "9s"},
            id="dearest free card",
        ),
    ],
)
def test_the_policy_leaves_the_smallest_hand(state: State, move: Any) -> None:
    assert [chosen(state, seed) for seed in range(5)] == [move] * 5


def test_equally_good_cards_are_all_played() -> None:
    state = state_of("Jd", "Qs Qh Th", "2c")
    assert {chosen(state, seed)["card"] for seed in range(40)} == {"Qs", "Qh"} | (
        {"Th"} if chosen(state_of("Jd", "Th", "2c"))["type"] == "play" else set()
    )


def test_candidates_are_different_discards_the_policys_first() -> None:
    state = state_of("4d", "Kd 2c Td 9s Ah Jc 5d 5h", "Ks", owed=3)
    found = THINKING.candidates(state, 0, Random(1))
    assert found[0] == THINKING.policy(state, 0, Random(1))
    assert 4 <= len({frozenset(move[1:]) for move in found}) == len(found) <= 8
    for move in found:
        assert GAME.parse_move(state, 0, GAME.format_move(move)) == move


def test_an_unfinished_hand_costs_its_cards() -> None:
    assert THINKING.standing(state_of("Jd", "Qs Qh Th", "2c")) == (-3, -1)
    assert THINKING.standing(state_of("Jd", "Qs 2h", "2c", rules="shram")) == (-14, -2)
    over = state_of("Jd", "Qs Qh Th", "2c")
    over.to_move = -1
    assert (THINKING.standing(over), THINKING.stage(over)) == ((0, 0), 1)


def test_the_card_that_goes_out_is_worth_most() -> None:
    """Laying the 2c on the 3h discards both others and wins, by ten and the two cards of the other."""
    position = Position(GAME, state_of("3h", "2c 4c Kc", "9c Tc"), 2, Random(1))
    out, other = position.values([{"type": "play", "card": card} for card in ("2c", "4c")], times=5)
    assert out == 12 > other


def test_the_order_that_goes_out_is_worth_most() -> None:
    """On Jd: Js, then Qs, then Kd is out by the fifth turn; Qs first leaves a card, though it sheds as much now.

    The other lays nothing meanwhile, and the fifth turn is the last.
    """
    stock = "2d 3d 4d 5d 6d 7d 2s 3s 4s"
    state = state_of("Jd", "Js Qs Kd", "2c 3c 5c 6c", stock=stock, turn_limit=5)
    position = Position(GAME, state, 2, Random(1))
    jack, queen = position.values([{"type": "play", "card": card} for card in ("Js", "Qs")], times=5)
    assert jack > queen
