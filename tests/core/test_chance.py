"""Chance: the numbers that follow from a seed, what is recorded, what is given back."""

import json
import random
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.chance import Chance, Rng, Stream, picked, whole_weights
from arena.core.errors import CorruptReplay
from arena.core.game import Pick

SEED = bytes(range(32))
GOLDEN_WORDS = [3088291218, 1958530513, 4260699679]
GOLDEN_ORDER = (0, 3, 1, 5, 2, 9, 6, 7, 4, 8)
GOLDEN_NORMALS = (0.580018, 2.409895, -0.394459)


def test_a_stream_is_sha256_in_counter_mode() -> None:
    """Worked out here by the recipe in the module's docstring, as another language would."""
    key = sha256(SEED + b"\x00" + b"deck/0").digest()
    expected = []
    for block in range(3):
        digest = sha256(key + block.to_bytes(8, "big")).digest()
        expected += [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]
    stream = Stream(SEED, "deck/0")
    assert [stream.word() for _ in range(24)] == expected


def test_a_stream_has_the_numbers_that_it_always_had() -> None:
    """Golden: these may change only with every stored deal."""
    stream = Stream(b"seed", "golden")
    assert [stream.word() for _ in range(3)] == GOLDEN_WORDS
    assert Chance(b"seed").permutation("golden", range(10)) == GOLDEN_ORDER
    assert Chance(b"seed").normals("golden", 3, 1.0, 6) == GOLDEN_NORMALS


def test_words_that_would_favour_small_numbers_are_passed_over() -> None:
    """For stop 3 the last word, 2³² − 1, is one too many: it is drawn again."""
    stream = Stream(SEED, "x")
    stream._words = [5, 2**32 - 1]
    assert stream.randrange(3) == 5 % 3
    stream._words = [7, 2**32 - 2]
    assert stream.randrange(3) == (2**32 - 2) % 3
    assert stream._words == [7]


@pytest.mark.parametrize("stop", [0, -1, 2**32 + 1])
def test_a_range_out_of_range_is_refused(stop: int) -> None:
    with pytest.raises(ValueError, match="stop is"):
        Stream(SEED, "x").randrange(stop)


def test_the_largest_and_the_smallest_range() -> None:
    stream = Stream(SEED, "x")
    words = Stream(SEED, "x")
    assert stream.randrange(2**32) == words.word()
    assert stream.randrange(1) == 0


@given(st.integers(1, 1000), st.binary(max_size=8))
def test_random_numbers_lie_in_their_range(stop: int, seed: bytes) -> None:
    stream = Stream(seed, "range")
    assert all(0 <= stream.randrange(stop) < stop for _ in range(20))
    assert all(0.0 <= stream.random() < 1.0 for _ in range(20))


def test_every_number_and_every_order_is_about_equally_likely() -> None:
    stream = Stream(SEED, "even")
    numbers = Counter(stream.randrange(6) for _ in range(6000))
    assert all(850 < numbers[i] < 1150 for i in range(6))
    orders: Counter[str] = Counter()
    for _ in range(6000):
        letters = list("abc")
        stream.shuffle(letters)
        orders["".join(letters)] += 1
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())
    assert 0.48 < fmean(stream.random() for _ in range(6000)) < 0.52


def test_streams_are_apart() -> None:
    """Another seed or another name, even one that runs into it, gives other numbers."""
    firsts = [
        Stream(seed, name).word()
        for seed, name in [(b"a", "b"), (b"a", "c"), (b"b", "b"), (b"", "ab"), (b"ab", ""), (b"a", "b/0")]
    ]
    assert len(set(firsts)) == len(firsts)


def test_drawing_from_one_stream_never_moves_another() -> None:
    alone, both = Chance(SEED), Chance(SEED)
    both.permutation("first", range(50))
    assert alone.permutation("second", range(50)) == both.permutation("second", range(50))


def test_both_kinds_of_source_are_an_rng() -> None:
    sources: list[Rng] = [Stream(SEED, "x"), random.Random(1)]
    for source in sources:
        items = list(range(20))
        source.shuffle(items)
        assert sorted(items) == list(range(20))
        assert 0 <= source.randrange(3) < 3
        assert 0 <= source.random() < 1


@given(st.lists(st.integers() | st.text(max_size=3), max_size=20), st.binary(max_size=4))
def test_a_permutation_is_recorded_and_given_back(items: list[Any], seed: bytes) -> None:
    drawn = Chance(seed)
    order = drawn.permutation("deck", items)
    assert sorted(map(repr, order)) == sorted(map(repr, items))
    assert drawn.record == {"deck": list(order)}
    replayed = Chance(record=json.loads(json.dumps(drawn.record)))
    assert replayed.permutation("deck", items) == order
    assert replayed.record == drawn.record


def test_normal_numbers_have_their_mean_spread_and_digits() -> None:
    drawn = Chance(SEED).normals("palate", 4000, 2.0, 3)
    assert abs(fmean(drawn)) < 0.1
    assert 1.9 < pstdev(drawn) < 2.1
    assert max(drawn) > 5
    assert all(round(x, 3) == x for x in drawn)
    assert "-0.0" not in map(str, Chance(SEED).normals("zeros", 200, 0.1, 0))


def test_normal_numbers_are_recorded_and_given_back() -> None:
    drawn = Chance(SEED)
    numbers = drawn.normals("palate", 5, 1.0, 6)
    replayed = Chance(record=json.loads(json.dumps(drawn.record)))
    assert replayed.normals("palate", 5, 1.0, 6) == numbers
    assert Chance(record={"palate": [1, 2]}).normals("palate", 2, 1.0, 6) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "lacks the draw 'deck'"),
        ({"deck": "ab"}, "lacks the draw 'deck'"),
        ({"deck": ["a", "a"]}, "'deck' is not a permutation"),
        ({"deck": ["a"]}, "'deck' is not a permutation"),
        ({"deck": ["a", "b", "b"]}, "'deck' is not a permutation"),
    ],
)
def test_a_record_with_another_permutation_is_refused(record: dict[str, Any], message: str) -> None:
    with pytest.raises(CorruptReplay, match=message):
        Chance(record=record).permutation("deck", "ab")


@pytest.mark.parametrize("numbers", [[1.0], [1.0, "2"], [1.0, True], [1.0, 2.0, 3.0], None])
def test_a_record_with_other_numbers_is_refused(numbers: Any) -> None:
    with pytest.raises(CorruptReplay, match="palate"):
        Chance(record={"palate": numbers}).normals("palate", 2, 1.0, 6)


def test_no_stream_is_drawn_from_twice() -> None:
    chance = Chance(SEED)
    chance.permutation("deck", "ab")
    with pytest.raises(AssertionError, match="twice"):
        chance.permutation("deck", "ab")


def test_chance_comes_from_a_seed_or_a_record() -> None:
    for wrong in ({}, {"seed": SEED, "record": {}}):
        with pytest.raises(ValueError, match="either a seed or a record"):
            Chance(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("drawn", [[float("inf"), 0.0], [float("nan"), 0.0], [True, 0.0], [0.0], "ab"])
def test_recorded_normals_must_be_as_many_finite_numbers(drawn: Any) -> None:
    with pytest.raises(CorruptReplay):
        Chance(record={"palate": drawn}).normals("palate", 2, 1.0, 6)


def test_every_item_is_picked_as_often_as_its_weight_says() -> None:
    weights = (3, Fraction(1, 2), 1)
    picks = [Chance(seed=str(n).encode()).pick("card", ("a", "b", "c"), weights) for n in range(9_000)]
    assert [
        abs(picks.count(item) - share) < 200 for item, share in (("a", 6_000), ("b", 1_000), ("c", 2_000))
    ]
    assert {Chance(seed=b"one").pick("card", ("only",), (Fraction(1, 3),))} == {"only"}


def test_weights_are_exact() -> None:
    assert whole_weights("abc", (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))) == [2, 1, 3]
    assert whole_weights("ab", (4, 6)) == [2, 3]
    assert picked("ab", (1, 1), random.Random(1)) in "ab"


@pytest.mark.parametrize(
    ("items", "weights", "message"),
    [
        (
            "ab",
            (1, 0),
            "the weight of 'b' is 0: make it a whole number or a Fraction above 0, and leave out items",
        ),
        ("ab", (1, -1), "the weight of 'b' is -1"),
        ("ab", (1, Fraction(-1, 2)), r"the weight of 'b' is Fraction\(-1, 2\)"),
        ("ab", (1, 0.5), "the weight of 'b' is 0.5"),
        ("ab", (1, True), "the weight of 'b' is True"),
        ("ab", (1, float("nan")), "the weight of 'b' is nan"),
        ("ab", (1,), "2 items have 1 weights"),
        ("", (), "0 items have 0 weights: give at least one"),
        ("ab", (1, 1 << 32), r"sum to 4294967297 as whole numbers: round them"),
    ],
)
def test_weights_that_make_no_odds_are_refused_in_words(items: str, weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chance(SEED).pick("card", items, weights)
    with pytest.raises(ValueError, match=message):
        Pick("card", tuple(items), weights)


def test_a_pick_is_recorded_by_its_item_and_given_back() -> None:
    chance = Chance(SEED)
    item = chance.pick("card", ("Jack", "Queen"), (1, 2))
    assert chance.record == {"card": [item]}
    assert Chance(record=chance.record).pick("card", ("Jack", "Queen"), (1, 2)) == item


@pytest.mark.parametrize("recorded", [["King"], [], ["Jack", "Jack"], [1.0], [True], None])
def test_a_record_with_an_item_that_was_not_offered_is_refused(recorded: Any) -> None:
    with pytest.raises(CorruptReplay, match="card"):
        Chance(record={"card": recorded}).pick("card", ("Jack", 1), (1, 1))
