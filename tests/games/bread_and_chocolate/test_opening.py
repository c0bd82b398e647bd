"""The opening: spread, flip, pass, and who plays first after them (sources 001, 003, 004, settled)."""

import pytest

from arena.core.errors import IllegalMove
from tests.games.bread_and_chocolate.tables import decision, kinds, legal, make, piles, table

TWO = ("Ah 2h 3h 4h 5h 6h", "As 2s 3s 4s 5s 6s")


@pytest.mark.parametrize("rules", ["pagat", "gamerules"])
class TestOfTwo:
    def test_on_a_red_card_there_are_three_moves(self, rules: str) -> None:
        state = table(*TWO, rules=rules, up="8h", opening=2)
        assert decision(state).kind == "opening"
        assert legal(state) == ["spread", "flip", "pass"]

    def test_a_black_card_allows_no_spread(self, rules: str) -> None:
        state = table(*TWO, rules=rules, up="8c", opening=2)
        assert legal(state) == ["flip", "pass"]
        with pytest.raises(IllegalMove, match="only on a red card, and 8c is black"):
            make(state, "spread")

    def test_a_spread_turns_cards_up_to_the_first_black_one(self, rules: str) -> None:
        state = table(*TWO, rules=rules, up="8h", stock="9d 9h Td Tc Js Jd", opening=2)
        state, events = make(state, "spread")
        assert piles(state) == ("8h 9d 9h Td Tc", "2h", "Js Jd")
        assert events == [{"kind": "spread", "seat": 0, "cards": ["9d", "9h", "Td", "Tc"], "stock": 2}]

    def test_a_spread_is_over_with_the_next_card_if_that_is_black(self, rules: str) -> None:
        state, _ = make(table(*TWO, rules=rules, up="8h", stock="Js Jd", opening=2), "spread")
        assert piles(state) == ("8h Js", "2h", "Jd")

    def test_a_flip_exchanges_the_up_and_the_down_card(self, rules: str) -> None:
        state, events = make(table(*TWO, rules=rules, up="8h", down="2d", opening=2), "flip")
        assert piles(state)[:2] == ("2d", "8h")
        assert events == [{"kind": "flipped", "seat": 0, "up": "2d", "down": "8h"}]

    @pytest.mark.parametrize("act", ["spread", "flip"])
    def test_after_a_spread_or_flip_the_other_plays_first(self, rules: str, act: str) -> None:
        state, _ = make(table(*TWO, rules=rules, opening=2), act)
        assert (decision(state).seat, decision(state).kind) == (1, "play")

    def test_after_a_pass_the_other_has_the_same_choice(self, rules: str) -> None:
        state, events = make(table(*TWO, rules=rules, up="8h", opening=2), "pass")
        assert events == [{"kind": "passed", "seat": 0}]
        assert (decision(state).seat, decision(state).kind) == (1, "opening")
        assert legal(state) == ["spread", "flip", "pass"]

    @pytest.mark.parametrize("act", ["spread", "flip", "pass"])
    def test_when_the_second_has_acted_the_first_plays_first(self, rules: str, act: str) -> None:
        state, _ = make(table(*TWO, rules=rules, opening=2), "pass", act)
        assert (decision(state).seat, decision(state).kind) == (0, "play")

    def test_a_spread_of_the_opening_is_none_of_equal_ranks(self, rules: str) -> None:
        """The red 8 may not be laid on a black one that the opening turned up."""
        state = table(TWO[0], "8d Ks", rules=rules, up="9h", stock="8s Kd Kh", opening=2)
        state, _ = make(state, "spread")
        assert not state.spread
        assert legal(state) == ["draw"]

    def test_an_opening_move_is_no_turn(self, rules: str) -> None:
        state, _ = make(table(*TWO, rules=rules, opening=2), "pass", "flip")
        assert state.turns == 0

    def test_nobody_plays_before_the_opening_is_over(self, rules: str) -> None:
        state = table("7s 2c 3c 4c 5c 6c", "As", rules=rules, opening=2)
        for move in ("7s", "draw", "- 2c"):
            with pytest.raises(IllegalMove, match="in the opening"):
                make(state, move)

    def test_nobody_opens_later(self, rules: str) -> None:
        state = table(*TWO, rules=rules)
        for move in ("spread", "flip", "pass"):
            with pytest.raises(IllegalMove, match="the opening is over"):
                make(state, move)


class TestOfShram:
    HANDS = ("Ah 2h 3h 4h 5h 6h", "As 2s 3s 4s 5s 6s", "Ac 2c 3c 4c 5c 6c")

    def test_all_three_moves_are_always_there(self) -> None:
        for up in ("8h", "8c"):
            state = table(*self.HANDS, rules="shram", up=up, opening=3)
            assert legal(state) == ["spread", "flip", "pass"]

    def test_each_acts_once_whatever_the_others_did_and_then_the_first_plays(self) -> None:
        state = table(*self.HANDS, rules="shram", to_move=1, opening=3, stock="9s 9d 9c Td Tc Jd")
        seats = []
        for move in ("spread", "flip", "spread"):
            seats.append((decision(state).seat, decision(state).kind))
            state, _ = make(state, move)
        assert seats == [(1, "opening"), (2, "opening"), (0, "opening")]
        assert (decision(state).seat, decision(state).kind) == (1, "play")
        assert state.turns == 0

    def test_a_spread_ends_when_the_colour_changes_either_way(self) -> None:
        state = table(*self.HANDS, rules="shram", up="8h", stock="9h 9s Tc Jd Qd Qs Kc", opening=3)
        state, events = make(state, "spread", "spread", "spread")
        assert [event["cards"] for event in events] == [["9h", "9s"], ["Tc", "Jd"], ["Qd", "Qs"]]
        assert piles(state) == ("8h 9h 9s Tc Jd Qd Qs", "2h", "Kc")

    def test_a_flip_exchanges_the_tops_of_both_piles(self) -> None:
        state = table(*self.HANDS, rules="shram", up="8h 9h Js", down="2d", opening=3)
        state, events = make(state, "flip")
        assert piles(state)[:2] == ("8h 9h 2d", "Js")
        assert events == [{"kind": "flipped", "seat": 0, "up": "2d", "down": "Js"}]

    def test_a_spread_stops_where_the_stock_ends_which_is_then_refilled(self) -> None:
        state = table(*self.HANDS, rules="shram", up="8h 9c Td", down="2d", stock="Jh Qd", opening=3)
        state, events = make(state, "spread")
        assert kinds(events) == ["spread", "refilled"]
        assert events[0] == {"kind": "spread", "seat": 0, "cards": ["Jh", "Qd"], "stock": 0}
        assert events[1] == {"kind": "refilled", "up": "Qd", "stock": 4}
        assert piles(state) == ("Qd", "2d", "8h 9c Td Jh")
