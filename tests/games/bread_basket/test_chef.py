"""The Chef (source 000): as a plain 10, and by its ability."""

import pytest

from arena.core.chance import Chance, Stream
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import Outcome, Seen
from arena.core.ruleset import ruleset
from arena.games.bread_basket import GAME
from tests.games.bread_basket.tables import decision, hand, kinds, legal, line, make, table, taken


def test_the_ability_takes_a_card_into_the_hand_and_ends_the_turn() -> None:
    state = table("C 3", "2 2", line="5 7 9")
    assert legal(state) == ["3", "C", "@0", "@1", "@2"]
    state, events = make(state, "@1")
    assert events == [{"kind": "fetched", "seat": 0, "position": 1, "card": "7"}]
    assert hand(state, 0) == "3 7"
    assert line(state) == "5 9"
    assert state.aside == 1
    assert state.to_move == 1


def test_a_chef_used_for_its_ability_is_out_for_good() -> None:
    state, _ = make(table("C C 3", "2 2 1", line="5 7 9"), "@1", "2", "stop", "@0")
    assert state.aside == 2
    assert "C" not in (line(state) + hand(state, 0) + hand(state, 1)).split()


def test_the_ability_on_the_last_card_keeps_its_player_in_the_hand() -> None:
    state = table("C", "2", line="5 7 9")
    assert legal(state) == ["C", "@0", "@1", "@2"]
    state, _ = make(state, "@2")
    assert hand(state, 0) == "9"
    state, _ = make(state, "2")
    assert state.to_move == 0


def test_a_chef_may_fetch_a_chef_from_the_line() -> None:
    state, _ = make(table("C 4", "2 2", line="5 C 9"), "@1")
    assert hand(state, 0) == "4 C"
    assert state.aside == 1


def test_the_last_card_of_the_line_leaves_room_for_one_of_the_stock() -> None:
    state, events = make(table("C 4", "2 2", line="5", stock="8 1"), "@0")
    assert kinds(events) == ["fetched", "refilled"]
    assert line(state) == "8"
    assert hand(state, 0) == "4 5"


def test_the_last_card_of_the_line_leaves_nothing_without_a_stock() -> None:
    state, events = make(table("C 4", "C 2", line="5"), "@0")
    assert kinds(events) == ["fetched"]
    assert line(state) == ""
    assert legal(state) == ["2", "C"]


def test_a_chef_played_is_a_plain_10() -> None:
    state, events = make(table("C 4", "2 2", line="3 C 8 1"), "C")
    assert taken(events) == [("sandwich", "C 8 1 C", 11)]
    assert state.aside == 0
    assert line(state) == "3"
    state, events = make(state, "4")
    assert state.to_move == 1


def test_a_10_and_a_chef_match() -> None:
    _, events = make(table("10 4", "2 2", line="C 8 1"), "10")
    assert taken(events) == [("sandwich", "C 8 1 10", 11)]


def test_a_chef_inside_a_soup_scores_1() -> None:
    _, events = make(table("4 4", "2 2", line="4 C 9"), "4")
    assert taken(events) == [("soup", "4 C 9 4", 4)]


@pytest.mark.parametrize(
    ("before", "position", "tricks", "after"),
    [
        # of two tricks around the gap the longer, not the inner one
        ("9 5 3 C 4 5 9", 3, [("sandwich", "9 5 3 4 5 9", 19)], ""),
        # closing the line makes another
        ("5 2 9 3 C 4 9 1 5", 4, [("sandwich", "9 3 4 9", 9), ("sandwich", "5 2 1 5", 5)], ""),
        # then of two equally long ones the one nearest the front
        ("5 3 9 1 C 2 9 4 5 3", 4, [("sandwich", "9 1 2 9", 5), ("sandwich", "5 3 4 5", 9)], "3"),
        # a soup by the same means
        ("1 3 4 2 5 3 1", 3, [("soup", "1 3 4 5 3 1", 6)], ""),
        # a longer one behind a shorter one
        ("7 9 2 8 7 9", 2, [("soup", "7 9 8 7", 4)], "9"),
        ("2 7 9 8 1 2 9 7", 4, [("soup", "2 7 9 8 2", 5)], "9 7"),
        # three in a row
        (
            "3 6 5 1 8 2 C 7 8 4 5 7 3",
            6,
            [("sandwich", "8 2 7 8", 11), ("sandwich", "5 1 4 5", 7), ("soup", "3 6 7 3", 4)],
            "",
        ),
        # the card that was in the way of a soup; and cards that stay too few
        ("2 4 5 1 2", 3, [("soup", "2 4 5 2", 4)], ""),
        ("9 3 C 9 1", 2, [], "9 3 9 1"),
        # at the front and at the end of the line
        ("C 5 4", 0, [], "5 4"),
        ("4 5 C", 2, [], "4 5"),
        # a trick that costs points is taken all the same
        ("2 9 O C O 9 3", 3, [("sandwich", "9 O O 9", -8)], "2 3"),
    ],
)
def test_tricks_that_the_ability_makes(
    before: str, position: int, tricks: list[tuple[str, str, int]], after: str
) -> None:
    state, events = make(table("C 4", "2 2", line=before), f"@{position}")
    assert taken(events) == tricks
    assert line(state) == after
    assert state.scores == [sum(points for _, _, points in tricks), 0]
    assert state.to_move == 1


def test_the_place_of_each_trick_is_told() -> None:
    _, events = make(table("C 4", "2 2", line="5 3 9 1 C 2 9 4 5 3"), "@4")
    assert [event["position"] for event in events] == [4, 2, 0]


def test_a_line_emptied_by_the_ability_is_refilled_after_the_last_trick() -> None:
    state, events = make(table("C 4", "2 2", line="5 2 9 3 C 4 9 1 5", stock="7"), "@4")
    assert kinds(events) == ["fetched", "taken", "taken", "refilled"]
    assert line(state) == "7"


@pytest.mark.parametrize(
    ("held", "on_the_line", "moves", "message"),
    [
        ("C C 3", "5 7", ("3", "@0"), "a Chef's ability must be the only card of the turn"),
        ("C C 3", "5 7", ("C", "@0"), "a Chef's ability must be the only card of the turn"),
        ("3 3", "5 7", ("@0",), "a Chef's ability needs a Chef, and the hand holds none"),
        ("C 3", "", ("@0",), "a Chef's ability takes a card of the line, and the line is empty"),
        ("C 3", "5 7", ("@2",), "the line has positions 0 to 1, not 2"),
        ("C 3", "5 7", ("@-1",), "positions of the line count from 0, and -1 is below"),
        ("C 3", "5", ("@1",), "the line has only position 0, not 1"),
    ],
)
def test_refused_uses_name_the_rule(
    held: str, on_the_line: str, moves: tuple[str, ...], message: str
) -> None:
    with pytest.raises(IllegalMove) as refusal:
        make(table(held, "2 2", line=on_the_line), *moves)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    "position", [10**5000, -(10**5000), 2.0, "0", True, None, [0]], ids=lambda x: str(type(x))
)
def test_a_position_that_is_no_place_in_the_line_is_refused(position: object) -> None:
    with pytest.raises(IllegalMove, match="position"):
        GAME.parse_move(table("C 3", "2 2", line="5 7"), 0, {"type": "chef", "position": position})


# The option `chef_second`


def test_by_default_no_ability_follows_a_card() -> None:
    assert legal(make(table("C 3 4", "2 2", line="5 7 9"), "3")[0]) == ["4", "C", "stop"]
    rules = ruleset(GAME.info)
    assert "chef_second" not in rules.options, (
        "leagues and replays stay as they were before there was the option"
    )
    assert rules.flag("chef_second") is False
    assert GAME.deal(2, GAME.resolve(rules, 2), Chance(b"default"))[0].chef_second is False


def test_with_the_option_the_ability_may_follow_a_card_and_ends_the_turn() -> None:
    state, _ = make(table("C 3 4", "2 2", line="5 7 9", chef_second=True), "3")
    assert legal(state) == ["4", "C", "stop", "@0", "@1", "@2", "@3"]
    assert decision(state).kind == "second_card"
    state, events = make(state, "@1")
    assert events == [{"kind": "fetched", "seat": 0, "position": 1, "card": "7"}]
    assert (hand(state, 0), line(state), state.aside, state.to_move) == ("4 7", "5 9 3", 1, 1)


def test_the_ability_still_ends_a_turn_that_it_begins() -> None:
    state, _ = make(table("C C 3", "2 2", line="5 7 9", chef_second=True), "@0")
    assert (hand(state, 0), state.to_move, decision(state).kind) == ("C 3 5", 1, "first_card")


def test_the_card_just_played_can_be_fetched_back() -> None:
    state, _ = make(table("C 9", "2 2", line="5", chef_second=True), "9", "@1")
    assert (hand(state, 0), line(state), state.to_move) == ("9", "5", 1)


def test_the_trick_of_the_first_card_is_taken_and_the_line_refilled_before_the_ability() -> None:
    state, events = make(table("5 C 8", "2 2", line="5 4 3", stock="7 1", chef_second=True), "5")
    assert taken(events) == [("sandwich", "5 4 3 5", 9)]
    assert legal(state) == ["8", "C", "stop", "@0"]
    state, events = make(state, "@0")
    assert kinds(events) == ["fetched", "refilled"]
    assert (hand(state, 0), line(state)) == ("8 7", "1")


def test_there_is_nothing_to_fetch_from_an_empty_line() -> None:
    state, _ = make(table("5 C 8", "2 2", line="5 4 3", chef_second=True), "5")
    assert (line(state), legal(state)) == ("", ["8", "C", "stop"])
    with pytest.raises(IllegalMove, match="the line is empty"):
        make(state, "@0")


def test_the_ability_takes_tricks_that_the_first_card_has_prepared() -> None:
    """7 3 9 4 and then 7: the 9 is in the way of 7 3 4 7 until it is fetched."""
    state, events = make(table("7 C 1", "2 2", line="7 3 9 4", scores=(3, 0), chef_second=True), "7", "@2")
    assert kinds(events) == ["played", "fetched", "taken"]
    assert taken(events) == [("sandwich", "7 3 4 7", 9)]
    assert (hand(state, 0), state.scores, state.to_move) == ("1 9", [12, 0], 1)


def test_a_last_chef_may_stay_be_played_or_be_used() -> None:
    state, _ = make(table("C 3", "2", line="5", chef_second=True), "3")
    assert legal(state) == ["C", "stop", "@0", "@1"]
    used, _ = make(state, "@0", "2")
    assert (hand(used, 0), used.to_move) == ("5", 0), "the card fetched keeps its player in the hand"
    stopped, _ = make(state, "stop", "2")
    assert (hand(stopped, 0), stopped.to_move) == ("C", 0)


def test_a_chef_played_as_a_10_may_be_followed_by_the_ability_of_another() -> None:
    state, _ = make(table("C C", "2 2", line="5", chef_second=True), "C", "@1")
    assert (hand(state, 0), line(state), state.aside) == ("C", "5", 1)


def test_without_a_chef_left_only_cards_may_follow() -> None:
    state, _ = make(table("C 4", "2 2", line="5 7", chef_second=True), "C")
    assert legal(state) == ["4", "stop"]
    with pytest.raises(IllegalMove, match="the hand holds none"):
        make(state, "@0")


def test_the_option_is_in_the_name_and_makes_no_sense_without_chefs() -> None:
    rules = ruleset(GAME.info, "extra", {"chef_second": True})
    assert (rules.name, rules.options["chef_second"]) == ("extra+chef_second=on", True)
    assert GAME.deal(3, GAME.resolve(rules, 3), Chance(b"on"))[0].chef_second is True
    with pytest.raises(BadOption, match="there are no Chefs"):
        GAME.resolve(ruleset(GAME.info, "none", {"chef_second": True}), 2)


def test_a_guess_plays_on_by_the_option() -> None:
    """At every second decision with a Chef, all positions of the line are listed in the guess as well."""
    rules = GAME.resolve(ruleset(GAME.info, "tens", {"chef_second": True, "hands": 4}), 2)
    rng = Stream(b"chef second", "moves")
    state, events = GAME.deal(2, rules, Chance(b"chef second"))
    told, met = list(events), 0
    while not isinstance(turn := GAME.turn(state), Outcome):
        (one,) = turn
        seen = Seen(
            rules, 2, one.seat, {}, GAME.view(state, one.seat), [event.seen_by(one.seat) for event in told]
        )
        guess = GAME.guess(seen, rng)
        assert GAME.turn(guess) == turn
        met += one.kind == "second_card" and "@0" in legal(guess)
        state, events = GAME.apply(state, {one.seat: GAME.sample_move(state, one.seat, rng)})
        told += events
    assert met > 5
