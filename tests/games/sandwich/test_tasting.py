"""Tasting (source 002, settled): worth in whole millionths, rankings, ties, points, free tasting."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.chance import Chance
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Outcome
from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import FAMILIES, NAMES
from arena.games.sandwich.state import Palate, State, draw_palate, millionths
from tests.games.sandwich.tables import (
    Told,
    as_held,
    game,
    kinds,
    make,
    random_game,
    rules_of,
    sandwich,
    serve_as_held,
    to,
)


def palate(likings: dict[str, float] | None = None, quirks: dict[str, float] | None = None) -> Palate:
    return Palate(
        millionths([(likings or {}).get(family, 0.0) for family in FAMILIES]),
        millionths([(quirks or {}).get(name, 0.0) for name in NAMES]),
    )


# Worth: likings, quirks and pairs, by hand


@pytest.mark.parametrize(
    ("names", "worth"),
    [
        ("brie feta gouda", 3 * 300_000),  # three pairs of cheese with cheese, 0.3 each
        ("tuna honey apple", -1_400_000 - 500_000 + 1_000_000),  # fish-sweet, fish-fruit, sweet-fruit
        ("brie apple fig", 1_100_000 + 1_100_000 + 500_000),  # cheese-fruit twice, fruit-fruit
        ("ham mustard snail", 1_000_000 - 200_000 + 400_000),  # meat-sauce, meat-oddity, sauce-oddity
    ],
)
def test_to_a_palate_without_likings_only_the_pairs_count(names: str, worth: int) -> None:
    assert palate().worth(sandwich(names)) == worth


def test_worth_adds_likings_quirks_and_pairs() -> None:
    """Meat 0.5 + cheese −1 twice, ham 0.25, brie −0.1; pairs meat-cheese 0.9 twice, cheese-cheese 0.3."""
    own = palate({"meat": 0.5, "cheese": -1.0}, {"ham": 0.25, "brie": -0.1, "tuna": 9.0})
    assert (
        own.worth(sandwich("ham brie feta")) == 500_000 - 2_000_000 + 250_000 - 100_000 + 1_800_000 + 300_000
    )


def test_two_equal_ingredients_make_a_pair_of_their_family() -> None:
    """With two boxes: liking and quirk count twice."""
    own = palate({"cheese": 1.0}, {"brie": 0.5})
    assert own.worth(sandwich("brie brie apple")) == 2 * 1_500_000 + 300_000 + 2 * 1_100_000


def test_the_order_in_a_sandwich_does_not_matter() -> None:
    own = draw_palate(Chance(b"any"), 0)
    worths = {own.worth(sandwich(" ".join(names))) for names in permutations(["ham", "honey", "snail"])}
    assert len(worths) == 1


def test_figures_are_added_exactly() -> None:
    """0.1 + 0.2 and 0.3 are different floats, and the same in millionths: equal worth, the earlier first."""
    own = palate({}, {"ham": 0.1, "bacon": 0.2, "salami": 0.3})
    one, other = sandwich("ham bacon turkey"), sandwich("salami chicken chorizo")
    assert 0.1 + 0.2 != 0.3
    assert own.worth(one) == own.worth(other)
    assert own.ranking([one, other]) == (0, 1)
    assert own.ranking([other, one]) == (0, 1)


def test_a_palate_is_drawn_from_its_own_streams() -> None:
    chance = Chance(b"seed")
    drawn = [draw_palate(chance, seat) for seat in range(40)]
    assert set(chance.record) == {f"{kind}/{seat}" for seat in range(40) for kind in ("likings", "quirks")}
    assert all(len(one.likings) == 8 and len(one.quirks) == 56 for one in drawn)
    assert len({one.likings for one in drawn}) == 40
    likings = [figure / 1e6 for one in drawn for figure in one.likings]
    quirks = [figure / 1e6 for one in drawn for figure in one.quirks]
    for figures, sigma in ((likings, 1.0), (quirks, 0.5)):
        assert abs(sum(figures) / len(figures)) < 0.15 * sigma
        assert abs((sum(x * x for x in figures) / len(figures)) ** 0.5 - sigma) < 0.1 * sigma


def test_the_figures_told_are_those_that_count() -> None:
    """What stands in the start message, times a million, is a whole number and the palate."""
    state, _ = GAME.deal(4, rules_of(4), Chance(b"figures"))
    for seat in range(4):
        told = GAME.private(state, seat)
        assert millionths(list(told["likings"].values())) == state.deal.palates[seat].likings
        assert millionths(list(told["quirks"].values())) == state.deal.palates[seat].quirks
        assert all(
            round(figure, 6) == figure for figure in [*told["likings"].values(), *told["quirks"].values()]
        )


# Rankings and points at the table


def tasted(events: Told, taster: int) -> dict[str, JSON]:
    return next(event for event in events if event["kind"] == "tasted" and event["taster"] == taster)


@pytest.mark.parametrize(
    ("likings", "quirks", "makers"),
    [
        ({"fruit": 0.5}, {}, [2, 1, 3]),
        ({"fruit": 1.0}, {}, [1, 2, 3]),
        ({}, {"ham": 1.5, "salmon": 1.0}, [2, 3, 1]),
    ],
)
def test_the_palate_ranks_and_the_makers_score(
    likings: dict[str, float], quirks: dict[str, float], makers: list[int]
) -> None:
    """What seat 0 of four gets, worth by its pairs and by what it likes.

    From seat 3 ham chicken salmon, 0.4 − 0.7 − 0.7 = −1.0; from seat 2 brie feta cucumber, 0.3 + 0.7 + 0.7 = 1.7;
    from seat 1 spinach melon grape, −0.3 − 0.3 + 0.5 = −0.1, and twice its liking for fruit.
    """
    state = to("serve", game(4, "fr", likings={0: likings}, quirks={0: quirks}))
    gets = {1: "spinach melon grape", 2: "brie feta cucumber", 3: "ham chicken salmon"}
    for maker, names in gets.items():
        assert as_held(state, maker)["sandwiches"][3 - maker] == names.split()
    after, events = serve_as_held(state)
    assert tasted(events, 0) == {
        "kind": "tasted",
        "taster": 0,
        "sandwiches": [gets[maker].split() for maker in makers],
        "makers": makers,
        "points": [3, 2, 0],
    }
    assert sum(after.scores) == 4 * 5


def one_family_each(seats: int) -> str:
    """Return a deck for round 0 by which each three cards that a seat gets one after another are of one family."""
    threes = [NAMES[family * 7 + start : family * 7 + start + 3] for start in (0, 3) for family in range(8)]
    piles = [threes[seat::seats][: 4 if seats == 3 else 3] for seat in range(seats)]
    rows = zip(*[[card for three in pile for card in three] for pile in piles], strict=True)
    return " ".join(card for row in rows for card in row)


LEVEL = {
    "meat": -0.4,
    "fish": -0.2,
    "cheese": -0.3,
    "vegetable": -0.3,
    "fruit": -0.5,
    "sauce": 0.6,
    "sweet": -0.6,
    "oddity": 0.7,
}
"""To such a palate every sandwich of one family is worth 0: its three pairs outweigh its three likings."""


def test_equal_worth_the_nearer_giver_first() -> None:
    likings = dict.fromkeys(range(5), LEVEL)
    state = to("serve", game(5, "fr", decks={0: one_family_each(5)}, likings=likings))
    _, events = serve_as_held(state)
    for taster in range(5):
        assert tasted(events, taster)["makers"] == [(taster - step) % 5 for step in (1, 2, 3)]


def test_equal_worth_with_alternate_the_nearer_giver_first_on_the_other_side() -> None:
    likings = dict.fromkeys(range(5), LEVEL)
    decks = {0: one_family_each(5), 1: " ".join(rotated(one_family_each(5).split(), 5))}
    state = game(5, "fr", {"alternate": True}, decks=decks, likings=likings)
    state, _ = serve_as_held(to("serve", state))
    _, events = serve_as_held(to("serve", state))
    for taster in range(5):
        assert tasted(events, taster)["makers"] == [(taster + step) % 5 for step in (1, 2, 3)]


def rotated(deck: list[str], seats: int) -> list[str]:
    """Return a deck for round 1, whose first card goes to seat 1, that deals each seat what it got in round 0."""
    return [card for i in range(0, len(deck), seats) for card in deck[i + 1 : i + seats] + deck[i : i + 1]]


def test_equal_worth_with_three_players_the_right_neighbours_then_the_left_ones_as_served() -> None:
    state = to("serve", game(3, "fr", decks={0: one_family_each(3)}, likings=dict.fromkeys(range(3), LEVEL)))
    served = [as_held(state, seat)["sandwiches"] for seat in range(3)]
    _, events = serve_as_held(state)
    for taster in range(3):
        right, left = (taster - 1) % 3, (taster + 1) % 3
        event = tasted(events, taster)
        assert event["makers"] == [right, right, left, left]
        assert event["sandwiches"] == [*served[right][:2], *served[left][2:]]


@pytest.mark.parametrize(
    ("seats", "name", "points"),
    [
        (3, "fr", [3, 2, 1, 0]),
        (4, "fr", [3, 2, 0]),
        (4, "de", [3, 1, 0]),
        (3, "de", [3, 2, 1, 0]),
        (6, "en", [3, 2, 0]),
    ],
)
def test_points_by_edition(seats: int, name: str, points: list[int]) -> None:
    end, events = random_game(seats, name)
    assert all(event.data["points"] == points for event in events if event.kind == "tasted")
    assert sum(end.scores) == 3 * seats * sum(points)


@pytest.mark.parametrize(("seats", "each"), [(3, 6), (4, 5), (5, 5), (6, 5)])
def test_points_given_out_by_each_taster(seats: int, each: int) -> None:
    end, events = random_game(seats, "fr", rounds=1)
    assert sum(end.scores) == seats * each
    ended = events[-1]
    assert ended.data == {"round_no": 0, "points": list(end.scores), "scores": list(end.scores)}


def test_four_players_german_points_are_four_a_taster() -> None:
    assert sum(random_game(4, "de", rounds=2)[0].scores) == 2 * 4 * 4


def test_points_can_be_set() -> None:
    end, _ = random_game(4, "fr", points=(7, 0, 1))
    assert sum(end.scores) == 3 * 4 * 8
    end, _ = random_game(3, "fr", points3=(1, 0, 0, 0))
    assert sum(end.scores) == 3 * 3


def test_tasting_begins_with_seat_0_and_goes_clockwise() -> None:
    _, events = random_game(5, "fr", rounds=1)
    assert [event.data["taster"] for event in events if event.kind == "tasted"] == [0, 1, 2, 3, 4]


def test_nobody_is_asked_where_palates_rank() -> None:
    state, events = serve_as_held(to("serve", game(4, "fr")))
    assert kinds(events) == ["served"] * 4 + ["tasted"] * 4 + ["round_ended", "dealt", "turned_up"]
    assert state.phase == "grab"


@given(st.integers(0, 10_000), st.integers(3, 6))
def test_the_ranking_can_be_checked_from_what_is_public_and_the_palate(seed: int, seats: int) -> None:
    """By the figures of the start message alone, in exact arithmetic, without the engine's own reckoning."""
    end, events = random_game(seats, "fr", seed, rounds=1)
    for event in events:
        if event.kind == "tasted":
            told = GAME.private(end, event.data["taster"])
            worths = [exact_worth(one, told) for one in event.data["sandwiches"]]
            assert worths == sorted(worths, reverse=True)


def exact_worth(names: list[str], told: dict[str, JSON]) -> int:
    family_of = {name: family for family, members in told["families"].items() for name in members}
    a, b, c = names
    parts = [told["likings"][family_of[name]] for name in names] + [told["quirks"][name] for name in names]
    parts += [told["pairs"][family_of[x]][family_of[y]] for x, y in ((a, b), (a, c), (b, c))]
    return sum(round(part * 1_000_000) for part in parts)


# Free tasting


def free(seats: int = 4, **more: object) -> tuple[State, Told]:
    """Return a table at which seat 0 is to taste; its sandwiches are read out in the order 2, 0, 1."""
    shown = {(0, 0): (2, 0, 1) if seats > 3 else (2, 0, 3, 1)}
    return serve_as_held(to("serve", game(seats, "fr", {"tasting": "free", **more}, shown=shown)))


def taste(*ranking: int) -> JSON:
    return {"type": "taste", "ranking": list(ranking)}


def test_the_player_ranks_and_all_rankings_are_listed() -> None:
    state, _ = free()
    turn = GAME.turn(state)
    assert isinstance(turn, tuple)
    (decision,) = turn
    assert (decision.seat, decision.kind) == (0, "taste")
    assert [GAME.format_move(move) for move in decision.legal or ()] == [
        taste(*ranking) for ranking in permutations(range(3))
    ]
    three = GAME.turn(free(3)[0])
    assert isinstance(three, tuple)
    assert len(three[0].legal or ()) == 24


def test_sandwiches_are_read_out_in_an_order_of_their_own() -> None:
    before = to("serve", game(4, "fr", {"tasting": "free"}))
    first, second, third = (as_held(before, maker)["sandwiches"][3 - maker] for maker in (3, 2, 1))
    state, events = free()
    assert events[-1] == {"kind": "read_out", "taster": 0, "sandwiches": [third, first, second]}
    assert GAME.view(state, 2)["read_out"] == [third, first, second]


def test_ranking_sandwiches_and_makers_are_public_once_ranked() -> None:
    """Read out: of seat 1, of seat 3, of seat 2. Best the second, then the third, then the first."""
    state, told = free()
    state, events = make(state, {0: taste(1, 2, 0)})
    read_out = told[-1]["sandwiches"]
    assert events[0] == {
        "kind": "tasted",
        "taster": 0,
        "sandwiches": [read_out[1], read_out[2], read_out[0]],
        "makers": [3, 2, 1],
        "points": [3, 2, 0],
    }
    assert GAME.scores(state) == (0, 0, 2, 3)
    assert (events[1]["kind"], events[1]["taster"]) == ("read_out", 1)
    assert GAME.view(state, None)["taster"] == 1


def test_with_three_players_a_maker_may_score_twice() -> None:
    """Read out: the left one's first, the right one's first, the left one's second, the right one's second."""
    state, _ = free(3)
    state, events = make(state, {0: taste(0, 2, 1, 3)})
    assert events[0]["makers"] == [1, 1, 2, 2]
    assert GAME.scores(state) == (0, 5, 1)


def test_one_tastes_after_the_other_and_then_the_round_ends() -> None:
    state, _ = free(rounds=1)
    asked = []
    while not isinstance(turn := GAME.turn(state), Outcome):
        asked.append(turn[0].seat)
        state, events = make(state, {turn[0].seat: taste(0, 1, 2)})
    assert asked == [0, 1, 2, 3]
    assert kinds(events) == ["tasted", "round_ended"]
    assert sum(GAME.scores(state)) == 4 * 5


def test_in_free_tasting_palates_decide_nothing() -> None:
    """The same rankings give the same scores, whatever anybody likes."""
    ends = []
    for likings in ({}, {0: {"meat": 3.0}, 1: {"sweet": -3.0}}):
        state = game(4, "fr", {"tasting": "free", "rounds": 1}, likings=likings)
        state, _ = serve_as_held(to("serve", state))
        for seat in range(4):
            state, _ = make(state, {seat: taste(2, 0, 1)})
        ends.append(GAME.scores(state))
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (taste(0, 1), "2 is left out"),
        (taste(0, 1, 1), "1 is there twice"),
        (taste(0, 1, 3), "there is no 3"),
        (taste(0, 1, 2, 0), "0 is there twice"),
        ({"type": "taste", "ranking": "012"}, "a list of places"),
        ({"type": "serve", "sandwiches": []}, 'of type "taste" now, not "serve"'),
    ],
)
def test_a_ranking_that_is_none_is_refused(move: JSON, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.parse_move(free()[0], 0, move)


def test_only_the_taster_ranks() -> None:
    with pytest.raises(IllegalMove, match="it is seat 0 that tastes now, not seat 1"):
        GAME.parse_move(free()[0], 1, taste(0, 1, 2))
