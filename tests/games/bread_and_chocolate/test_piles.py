"""When the stock runs low: resets in `pagat` and `gamerules`, refills in `shram` (sources 001, 003, 004, settled)."""

import pytest

from tests.games.bread_and_chocolate.tables import decision, hand, kinds, make, only, piles, table


class TestPagat:
    def test_a_draw_of_more_than_there_is_leaves_one_card_and_resets(self) -> None:
        """A stock of 3, 5d laid on 4c: two are drawn, the third is the new down pile."""
        state = table("5d Kc", "9c", up="3h 4c", down="2h Jc Qc", stock="Ts Th 6c")
        state, events = make(state, "5d", seen_by=0)
        assert hand(state, 0) == "Kc Ts Th"
        assert piles(state) == ("Qc Jc 2h", "6c", "3h 4c 5d")
        assert events[1:] == [
            {"kind": "drew", "seat": 0, "count": 2, "stock": 1, "cards": ["Ts", "Th"]},
            {"kind": "reset", "up": "2h", "up_count": 3, "down_count": 1, "stock": 3},
        ]
        assert decision(state).seat == 1

    def test_the_oldest_card_of_the_up_pile_is_drawn_first_after_a_reset(self) -> None:
        state = table("5d Kc", "9c", up="3h 4c", down="2h", stock="Ts Th 6c")
        state, _ = make(state, "5d", "draw", "draw")
        assert hand(state, 1) == "9c 3h"
        assert hand(state, 0) == "Kc Ts Th 4c"

    def test_a_draw_of_as_many_as_there_are_leaves_one_too(self) -> None:
        state, events = make(table("2d Kc", "9c", up="Ac", down="Jh", stock="Ts Th"), "2d")
        assert hand(state, 0) == "Kc Ts"
        assert piles(state) == ("Jh", "Th", "Ac 2d")
        assert kinds(events) == ["played", "drew", "reset"]

    def test_a_draw_of_all_but_one_resets_nothing(self) -> None:
        state, events = make(table("2d Kc", "9c", up="Ac", stock="Ts Th Tc"), "2d")
        assert piles(state) == ("Ac 2d", "2h", "Tc")
        assert kinds(events) == ["played", "drew"]

    def test_a_draw_from_a_single_card_finds_nothing_and_resets(self) -> None:
        state, events = make(table("Kc 5c", "9c", up="7d 8h", down="2h", stock="Ts"), "draw")
        assert hand(state, 0) == "Kc 5c"
        assert piles(state) == ("2h", "Ts", "7d 8h")
        assert kinds(events) == ["stuck", "reset"]
        assert (decision(state).seat, state.turns) == (1, 1)

    def test_a_card_without_a_number_resets_nothing(self) -> None:
        state, events = make(table("Js 5c", "9c", up="Th", stock="Ts"), "Js")
        assert kinds(events) == ["played"]
        assert piles(state) == ("Th Js", "2h", "Ts")


class TestGamerules:
    def test_a_draw_goes_on_through_resets(self) -> None:
        """8s owes eight: Ts Th 5c, reset, 6d 6s 7d 7s, reset; one card is left in the stock, so seven it is."""
        state = table("8s Kc", "9c", rules="gamerules", up="6d 6s 7d 7s", down="8c", stock="Ts Th 5c 4d")
        state, events = make(state, "8s", seen_by=0)
        assert hand(state, 0) == "Kc Ts Th 5c 6d 6s 7d 7s"
        assert piles(state) == ("4d", "8s", "8c")
        assert events[1:] == [
            {"kind": "drew", "seat": 0, "count": 3, "stock": 1, "cards": ["Ts", "Th", "5c"]},
            {"kind": "reset", "up": "8c", "up_count": 1, "down_count": 1, "stock": 5},
            {"kind": "drew", "seat": 0, "count": 4, "stock": 1, "cards": ["6d", "6s", "7d", "7s"]},
            {"kind": "reset", "up": "4d", "up_count": 1, "down_count": 1, "stock": 1},
        ]

    def test_the_reset_comes_as_soon_as_one_card_is_left(self) -> None:
        """Though nothing more is to be drawn."""
        state = table("2d Kc", "9c", rules="gamerules", up="5c Ac", down="Jh", stock="Ts Th Tc")
        state, events = make(state, "2d")
        assert kinds(events) == ["played", "drew", "reset"]
        assert piles(state) == ("Jh", "Tc", "5c Ac 2d")

    def test_a_draw_that_begins_with_one_card_resets_first(self) -> None:
        state = table("Kc 5c", "9c", rules="gamerules", up="6h 7d 8h", down="2h", stock="Ts")
        state, events = make(state, "draw")
        assert kinds(events) == ["stuck", "reset", "drew"]
        assert hand(state, 0) == "Kc 5c 6h"
        assert piles(state) == ("2h", "Ts", "7d 8h")

    def test_a_reset_that_leaves_one_card_ends_the_draw(self) -> None:
        state = table("Kc 5c", "9c", rules="gamerules", up="8h", down="2h", stock="Ts")
        state, events = make(state, "draw")
        assert kinds(events) == ["stuck", "reset"]
        assert hand(state, 0) == "Kc 5c"
        assert piles(state) == ("2h", "Ts", "8h")

    def test_a_card_without_a_number_resets_nothing(self) -> None:
        state, events = make(table("Js 5c", "9c", rules="gamerules", up="Th", stock="Ts"), "Js")
        assert kinds(events) == ["played"]
        assert piles(state) == ("Th Js", "2h", "Ts")


class TestShram:
    def test_the_last_card_drawn_brings_the_up_pile_but_its_top(self) -> None:
        state = table("Kc 5c", "9c", rules="shram", up="6h 7d 8h", down="2h", stock="Ts")
        state, events = make(state, "draw")
        assert hand(state, 0) == "Kc 5c Ts"
        assert piles(state) == ("8h", "2h", "6h 7d")
        assert events[1:] == [
            {"kind": "drew", "seat": 0, "count": 1, "stock": 0},
            {"kind": "refilled", "up": "8h", "stock": 2},
        ]

    def test_a_draw_goes_on_after_a_refill(self) -> None:
        """4h on 3d owes four: the two of the stock, then 6h and 7d, which bring nothing but the top again."""
        state = table("4h Kc", "9c", rules="shram", up="6h 7d 3d", down="2h", stock="Ts Th")
        state, events = make(state, "4h")
        assert hand(state, 0) == "Kc Ts Th 6h 7d"
        assert piles(state) == ("4h", "2h", "3d")
        assert kinds(events) == ["played", "drew", "refilled", "drew"]

    def test_a_refill_that_gives_nothing_ends_the_draw(self) -> None:
        state = table("4h Kc", "9c", rules="shram", up="3d", down="2h", stock="Ts Th")
        state, events = make(state, "4h")
        assert hand(state, 0) == "Kc Ts Th 3d"
        assert piles(state) == ("4h", "2h", "")
        assert [event.get("count") for event in events] == [None, 2, None, 1]

    def test_an_empty_stock_is_refilled_when_a_draw_begins(self) -> None:
        state = table("9c 5c", "Kc 5d", rules="shram", up="8h", down="2h", stock="")
        state, events = make(state, "9c", "draw")
        assert kinds(events) == ["played", "stuck", "refilled", "drew"]
        assert hand(state, 1) == "Kc 5d 8h"
        assert piles(state) == ("9c", "2h", "")

    def test_a_forced_draw_may_find_nothing(self) -> None:
        state, events = make(table("Kc 5c", "9c", rules="shram", up="8h", stock=""), "draw")
        assert kinds(events) == ["stuck"]
        assert hand(state, 0) == "Kc 5c"
        assert (decision(state).seat, state.turns) == (1, 1)


@pytest.mark.parametrize(("rules", "stock", "draws"), [("pagat", "Ts", 3), ("gamerules", "Kc Kh", 2)])
def test_a_pile_turned_over_twice_is_drawn_from_its_newest_card(rules: str, stock: str, draws: int) -> None:
    """Down pile 9h 3c 4c: turned over, 9h is in play on 3c and 4c; turned over again, 4c is drawn first."""
    state = table("Ac Kd", "Qd Jc", rules=rules, up="6h 8h", down="9h 3c 4c", stock=stock)
    state, events = make(state, "draw")
    assert only(events, "reset")["up"] == "9h"
    assert piles(state)[0] == "4c 3c 9h"
    state, events = make(state, *["draw"] * (draws - 1))
    assert kinds(events)[-1] == "reset"
    assert piles(state)[2] == "4c 3c 9h"
