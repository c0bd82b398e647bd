"""Requirements for every rating system, with its default settings."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.ratings import Rater
from results.ratings.base import RatesSides, Rating, RatingSystem

FAR_UNITS = 100
"""Ratings this far apart must still work: a long league has upsets."""
SLACK_UNITS = 1e-3
"""A better result may give this much less, since iterations stop at some precision."""
LONG_MATCHES = 400

Match = list[tuple[float, float, int]]
"""For each entry: μ in units from the start, σ as a fraction of a new entry's, rank."""

PLACES = st.floats(-5, 5)
SURE = st.floats(0.05, 1)
matches = st.lists(st.tuples(PLACES, SURE, st.integers(1, 4)), min_size=2, max_size=6)
far_matches = st.lists(
    st.tuples(st.floats(-FAR_UNITS, FAR_UNITS), st.floats(0.001, 1), st.integers(1, 4)),
    min_size=2,
    max_size=6,
)


def rater_of(rating: RatingSystem) -> Rater:
    return Rater(rating, rating.settings())


def of_match(rater: Rater, match: Match) -> tuple[list[Rating], list[int]]:
    """Return the ratings and ranks of a match: 1 is best, and no rank is skipped."""
    start, unit = rater.scale.start, rater.scale.unit
    ratings = [Rating(start.mu + place * unit, start.sigma * sure) for place, sure, _ in match]
    worth = [rank for _, _, rank in match]
    return ratings, [1 + sum(other < rank for other in worth) for rank in worth]


def bits(ratings: tuple[Rating, ...]) -> list[tuple[str, str]]:
    return [(rating.mu.hex(), rating.sigma.hex()) for rating in ratings]


@given(matches)
def test_the_same_match_gives_the_same_bits(rating: RatingSystem, match: Match) -> None:
    rated = rater_of(rating).rate(*of_match(rater_of(rating), match))
    assert bits(rated) == bits(rater_of(rating).rate(*of_match(rater_of(rating), match))), (
        "`rate` gives other bits the second time: use no clock, no random numbers and no memory of earlier matches"
    )


@given(matches, st.randoms(use_true_random=False))
def test_the_order_of_listing_makes_no_difference(rating: RatingSystem, match: Match, rng: object) -> None:
    rater = rater_of(rating)
    shuffled = list(range(len(match)))
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    ratings, ranks = of_match(rater, match)
    rated = bits(rater.rate(ratings, ranks))
    again = bits(rater.rate([ratings[i] for i in shuffled], [ranks[i] for i in shuffled]))
    assert again == [rated[i] for i in shuffled], (
        "entries of equal ratings and ranks are rated differently in another order: treat equals alike"
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_equals_who_tie_are_rated_alike(rating: RatingSystem, seats: int) -> None:
    rater = rater_of(rating)
    start, unit = rater.scale.start, rater.scale.unit
    for ranks in ([1] * seats, [1] + [2] * (seats - 1), [1] * (seats - 1) + [seats]):
        rated = rating.rate(rater.settings, (start,) * seats, tuple(ranks))
        for rank in set(ranks):
            equals = [one.mu for one, of in zip(rated, ranks, strict=True) if of == rank]
            assert max(equals) - min(equals) <= SLACK_UNITS * unit, (
                f"new entries that tie at rank {rank} of {ranks} get different ratings: treat equals alike"
            )


@given(st.lists(st.tuples(PLACES, SURE), min_size=4, max_size=4))
def test_partners_win_and_lose_together(rating: RatingSystem, entries: list[tuple[float, float]]) -> None:
    if not isinstance(rating, RatesSides):
        return  # it rates no partners
    rater = rater_of(rating)
    before, _ = of_match(rater, [(place, sure, 1) for place, sure in entries])
    sides, slack = (0, 1, 0, 1), SLACK_UNITS * rater.scale.unit
    after = rater.rate(before, (1, 3, 1, 3), sides)
    for seat in range(4):
        moved = (after[seat].mu - before[seat].mu) * (-1 if sides[seat] else 1)
        assert moved >= -slack, "`rate_sides` moves a member of a side the wrong way: rank 1 is the best"
    turned = rater.rate([before[seat] for seat in (3, 2, 1, 0)], (3, 1, 3, 1), (0, 1, 0, 1))
    assert bits(turned)[::-1] == bits(after), "`rate_sides` treats partners differently in another order"


@given(PLACES, PLACES, SURE, SURE)
def test_a_win_is_worth_no_less_than_a_tie_and_a_tie_than_a_loss(
    rating: RatingSystem, one: float, other: float, sure: float, unsure: float
) -> None:
    rater = rater_of(rating)
    results = [
        rater.rate(*of_match(rater, [(one, sure, first), (other, unsure, second)]))[0].mu
        for first, second in ((2, 1), (1, 1), (1, 2))
    ]
    slack = SLACK_UNITS * rater.scale.unit
    assert all(worse <= better + slack for worse, better in pairwise(results)), (
        f"a loss, a tie and a win give the ratings {results}: a better result is worth no less; rank 1 is the best"
    )
    before = of_match(rater, [(one, sure, 1), (other, unsure, 1)])[0][0].mu
    assert results[0] <= before + slack, "the rating of an entry that loses rises: rank 1 is the best"
    assert results[2] >= before - slack, "the rating of an entry that wins falls: rank 1 is the best"


@given(st.lists(st.tuples(PLACES, SURE), min_size=3, max_size=5), st.data())
def test_a_better_rank_is_worth_no_less(
    rating: RatingSystem, entries: list[tuple[float, float]], data: st.DataObject
) -> None:
    """An entry that swaps ranks with the next better one ends up no lower."""
    rater = rater_of(rating)
    ranks = list(data.draw(st.permutations(range(1, len(entries) + 1))))
    rank = data.draw(st.integers(2, len(entries)))
    one, other = ranks.index(rank), ranks.index(rank - 1)
    ratings, _ = of_match(rater, [(place, sure, 1) for place, sure in entries])
    before = rater.rate(ratings, ranks)[one].mu
    ranks[one], ranks[other] = rank - 1, rank
    assert rater.rate(ratings, ranks)[one].mu >= before - SLACK_UNITS * rater.scale.unit, (
        f"an entry gets less for rank {rank - 1} than for {rank}: a better rank is worth no less"
    )


@settings(max_examples=2 * settings().max_examples)
@given(far_matches)
def test_upsets_and_sure_things_are_rated(rating: RatingSystem, match: Match) -> None:
    """`Rater` refuses anything that isn't finite."""
    rater = rater_of(rating)
    ratings, ranks = of_match(rater, match)
    rater.rate(ratings, ranks)


def test_a_long_league_is_rated_and_puts_who_always_wins_first(rating: RatingSystem) -> None:
    rater = rater_of(rating)
    ratings = [rater.scale.start] * 4
    for _ in range(LONG_MATCHES):
        ratings = list(rater.rate(ratings, [1, 2, 3, 4]))
    worth = [one.mu for one in ratings]
    assert worth == sorted(worth, reverse=True), (
        f"after {LONG_MATCHES} matches with the same ranks the entries are worth {worth}: the first has to lead"
    )
    upset = rater.rate(ratings, [4, 3, 2, 1])
    assert upset[3].mu > ratings[3].mu, (
        "the rating of an entry that beats the best doesn't rise: upsets count"
    )
