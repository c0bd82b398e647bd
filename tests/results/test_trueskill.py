"""TrueSkill: published figures, ties, monotony, and no failure whatever the ratings."""

import math
import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trueskillthroughtime import Game, Gaussian, Player

from results.base.errors import BadRating
from results.ratings import Rater, rater
from results.ratings.base import Rating
from results.ratings.trueskill import REFERENCE, TrueSkillSettings


def system_with(**options: object) -> Rater:
    return rater("trueskill", options)


SYSTEM = system_with(tau=25 / 300)  # as in the published figures
NEW = SYSTEM.scale.start

RATINGS = st.builds(Rating, st.floats(-50, 100), st.floats(0.5, 10))
MATCHES = st.lists(st.tuples(RATINGS, st.integers(1, 5)), min_size=2, max_size=6).map(
    lambda table: ([rating for rating, _ in table], [1 + sum(o < r for _, o in table) for _, r in table])
)


# Published figures. Those of eight new players are the worked example of Microsoft Research's page on
# TrueSkill (Alice beats Bob beats … Hillary); all are asserted by the test suite of the trueskill package
# (sublee/trueskill, trueskilltest.py: test_microsoft_research_example, test_n_vs_n, test_individual,
# test_upset), which took them from Microsoft's rating calculator. Parameters: the usual ones.


def published(
    ratings: list[Rating], ranks: list[int], mu: list[float], sigma: list[float], within: float = 0.0011
) -> None:
    rated = SYSTEM.rate(ratings, ranks)
    assert [rating.mu for rating in rated] == pytest.approx(mu, abs=within)
    assert [rating.sigma for rating in rated] == pytest.approx(sigma, abs=within)


def test_published_one_against_one() -> None:
    published([NEW] * 2, [1, 2], [29.396, 20.604], [7.171, 7.171])
    published([NEW] * 2, [1, 1], [25.0, 25.0], [6.458, 6.458])


def test_published_three_and_four_for_themselves() -> None:
    published([NEW] * 3, [1, 2, 3], [31.675, 25.0, 18.325], [6.656, 6.208, 6.656])
    published([NEW] * 4, [1, 2, 3, 4], [33.207, 27.401, 22.599, 16.793], [6.348, 5.787, 5.787, 6.348])


def test_published_eight_for_themselves() -> None:
    published(
        [NEW] * 8,
        [1, 2, 3, 4, 5, 6, 7, 8],
        [36.771, 32.242, 29.074, 26.322, 23.678, 20.926, 17.758, 13.229],
        [5.749, 5.133, 4.943, 4.874, 4.874, 4.943, 5.133, 5.749],
    )


def test_published_upsets() -> None:
    published([NEW, Rating(50, 12.5)], [1, 1], [31.662, 35.010], [7.137, 7.910])
    published(
        [Rating(10 + 5 * i, 8 - i) for i in range(8)],
        [1, 2, 3, 4, 5, 6, 7, 8],
        [35.135, 32.585, 31.329, 30.984, 31.751, 34.051, 38.263, 44.118],
        [4.506, 4.037, 3.756, 3.453, 3.064, 2.541, 1.849, 0.983],
    )


def test_published_tie_of_three_up_to_the_place_in_the_chain() -> None:
    """Published are sigmas of 5.698, 5.695 and 5.698 for equals who tied; here they share the mean."""
    published([NEW] * 3, [1, 1, 1], [25.0] * 3, [(5.698 + 5.695 + 5.698) / 3] * 3)


# What ties must do


def test_tied_equals_are_rated_alike_wherever_they_are_listed() -> None:
    rated = SYSTEM.rate([NEW] * 4, [2, 1, 2, 2])
    assert rated[0] == rated[2] == rated[3]
    assert rated[1].mu > NEW.mu > rated[0].mu


def test_a_tie_of_all_moves_nobody_and_makes_surer() -> None:
    for size in range(2, 7):
        for rating in SYSTEM.rate([NEW] * size, [1] * size):
            assert rating.mu == pytest.approx(NEW.mu, abs=1e-6)
            assert rating.sigma < NEW.sigma


def test_nearly_equal_players_who_tie_are_rated_nearly_alike() -> None:
    """As a chain in any fixed order, the one next to the winner would lose several points, the others none."""
    crowd = [NEW, *(Rating(25 + step * 1e-6, 25 / 3) for step in range(3))]
    rated = SYSTEM.rate(crowd, [1, 2, 2, 2])
    assert max(r.mu for r in rated[1:]) - min(r.mu for r in rated[1:]) < 1e-3


def test_a_tie_draws_two_together() -> None:
    strong, weak = SYSTEM.rate([Rating(30, 5), Rating(20, 5)], [1, 1])
    assert 20 < weak.mu < strong.mu < 30


# What holds for all matches


@given(MATCHES, st.randoms(use_true_random=False))
def test_the_order_of_listing_does_not_matter_to_the_last_bit(
    match: tuple[list[Rating], list[int]], rng: object
) -> None:
    ratings, ranks = match
    order = list(range(len(ratings)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    straight = SYSTEM.rate(ratings, ranks)
    shuffled = SYSTEM.rate([ratings[i] for i in order], [ranks[i] for i in order])
    assert [straight[i] for i in order] == list(shuffled)


def test_the_order_of_listing_does_not_matter_for_any_permutation_of_a_tied_table() -> None:
    ratings, ranks = [Rating(20, 4), NEW, NEW, Rating(30, 2)], [1, 2, 2, 2]
    straight = SYSTEM.rate(ratings, ranks)
    for order in permutations(range(4)):
        turned = SYSTEM.rate([ratings[i] for i in order], [ranks[i] for i in order])
        assert list(turned) == [straight[i] for i in order]


@given(RATINGS, RATINGS)
def test_of_two_the_winner_rises_and_the_loser_falls(a: Rating, b: Rating) -> None:
    winner, loser = SYSTEM.rate([a, b], [1, 2])
    assert winner.mu >= a.mu - 1e-9
    assert loser.mu <= b.mu + 1e-9


@given(st.lists(RATINGS, min_size=2, max_size=5), st.data())
def test_a_better_rank_is_never_worth_less(ratings: list[Rating], data: st.DataObject) -> None:
    """Whoever changes places with the next better one ends up no lower."""
    ranks = data.draw(st.permutations(range(1, len(ratings) + 1)))
    place = data.draw(st.integers(2, len(ratings)))
    one, other = ranks.index(place), ranks.index(place - 1)
    better = list(ranks)
    better[one], better[other] = place - 1, place
    assert SYSTEM.rate(ratings, better)[one].mu >= SYSTEM.rate(ratings, ranks)[one].mu - 1e-3


@given(MATCHES)
def test_the_same_match_gives_the_same_bits(match: tuple[list[Rating], list[int]]) -> None:
    again = system_with(tau=25 / 300).rate(*match)
    assert [(r.mu.hex(), r.sigma.hex()) for r in SYSTEM.rate(*match)] == [
        (r.mu.hex(), r.sigma.hex()) for r in again
    ]


EXTREME = st.builds(Rating, st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))


@given(
    st.lists(st.tuples(EXTREME, st.integers(1, 4)), min_size=2, max_size=6),
    st.floats(1e-3, 1e4),
    st.one_of(st.just(0.0), st.floats(1e-3, 1e4)),
    st.floats(1e-3, 0.99),
)
def test_no_ratings_make_it_fail(
    table: list[tuple[Rating, int]], beta: float, tau: float, draw_probability: float
) -> None:
    system = system_with(beta=beta, tau=tau, draw_probability=draw_probability)
    ratings = [rating for rating, _ in table]
    for rating in system.rate(ratings, [rank for _, rank in table]):
        assert math.isfinite(rating.mu)
        assert 0 < rating.sigma < math.inf
        assert math.copysign(1, rating.mu) > 0 or rating.mu < 0  # no negative zero


def test_great_upsets_and_sure_things_are_rated() -> None:
    giant, dwarf = Rating(1000, 1), Rating(0, 1)
    assert SYSTEM.rate([giant, dwarf], [1, 2])[0].mu == pytest.approx(1000)
    upset = SYSTEM.rate([giant, dwarf], [2, 1])
    assert upset[0].mu < 990
    assert upset[1].mu > 10
    drawn = SYSTEM.rate([giant, dwarf], [1, 1])
    assert drawn[0].mu < 990
    assert drawn[1].mu > 10


# Parameters


@pytest.mark.parametrize(
    "options",
    [
        {"draw_probability": 0},
        {"draw_probability": 1},
        {"sigma": 0},
        {"beta": -1},
        {"tau": -0.1},
        {"mu": math.nan},
        {"mu": math.inf},
        {"sigma": "8"},
        {"tau": True},
    ],
)
def test_parameters_out_of_range_are_refused_by_name(options: dict[str, object]) -> None:
    with pytest.raises(BadRating, match=next(iter(options))) as caught:
        system_with(**options)
    assert caught.value.hint


def test_the_default_parameters() -> None:
    assert system_with().options == {
        "mu": 25.0,
        "sigma": 25 / 3,
        "beta": 25 / 6,
        "tau": 0.0,
        "draw_probability": 0.1,
        "rates": "games",
    }
    assert system_with(**SYSTEM.options).options == SYSTEM.options


@pytest.mark.parametrize(("ratings", "ranks"), [([NEW], [1]), ([], []), ([NEW, NEW], [1])])
def test_what_is_no_match_is_refused(ratings: list[Rating], ranks: list[int]) -> None:
    with pytest.raises(ValueError, match="two or more"):
        SYSTEM.rate(ratings, ranks)


# The package, which builds a graph of objects for each match


def by_the_package(**options: object) -> Rater:
    """Return the reference: the package's own messages, with the same V and W and the same treatment of ties."""
    return Rater(REFERENCE, TrueSkillSettings(**{"draw_probability": 0.1, **options}))  # type: ignore[arg-type]


@given(
    table=st.lists(
        st.tuples(st.floats(-50, 100), st.floats(0.1, 9), st.integers(1, 5)), min_size=2, max_size=8
    ),
    beta=st.sampled_from([25 / 6, 1.0, 1000.0]),
    tau=st.sampled_from([0.0, 25 / 300, 1.0]),
    draws=st.sampled_from([0.001, 0.1, 0.3, 0.99]),
)
def test_the_package_agrees(
    table: list[tuple[float, float, int]], beta: float, tau: float, draws: float
) -> None:
    table = sorted(table, key=lambda entry: entry[2])
    ratings, ranks = [Rating(*entry[:2]) for entry in table], [entry[2] for entry in table]
    one, other = (
        system(beta=beta, tau=tau, draw_probability=draws).rate(ratings, ranks)
        for system in (system_with, by_the_package)
    )
    for new, reference in zip(
        one, other, strict=True
    ):  # rounding may decide that one of them makes a pass more
        assert new.mu == pytest.approx(reference.mu, abs=1e-6)
        assert new.sigma == pytest.approx(reference.sigma, abs=1e-6)


def random_match(rng: random.Random, most_ranks: int = 5) -> tuple[list[Rating], list[int]]:
    """Return a match of two to six entries with plausible ratings, best first."""
    ranks = sorted(rng.randint(1, most_ranks) for _ in range(rng.randint(2, 6)))
    return [Rating(rng.uniform(0, 50), rng.uniform(0.5, 8.4)) for _ in ranks], ranks


def test_the_package_nearly_always_agrees_in_twelve_digits() -> None:
    rng = random.Random(7)
    differ = 0
    for _ in range(500):
        match = random_match(rng)
        one, other = (system().rate(*match) for system in (system_with, by_the_package))
        differ += any(abs(a.mu - b.mu) > 1e-11 for a, b in zip(one, other, strict=True))
    assert differ <= 5


def by_another_author(ratings: Sequence[Rating], ranks: Sequence[int]) -> list[tuple[float, float]]:
    """Return μ and σ after a match by trueskillthroughtime, which shares no code with the trueskill package."""
    teams = [[Player(Gaussian(one.mu, one.sigma), beta=25 / 6)] for one in ratings]
    game = Game(teams, [-rank for rank in ranks], p_draw=0.1)
    return [(one.mu, one.sigma) for (one,) in game.posteriors()]


@pytest.mark.parametrize("entries", [2, 3, 4, 6])
def test_a_second_package_agrees(entries: int) -> None:
    """Its passes end at another small change, hence the bound; ties beyond two depend on their order there."""
    rng = random.Random(entries)
    for _ in range(100):
        ratings = [Rating(rng.uniform(15, 35), rng.uniform(0.5, 8.4)) for _ in range(entries)]
        for ranks in [list(range(1, entries + 1)), *([[1, 1]] if entries == 2 else [])]:
            for ours, theirs in zip(
                system_with().rate(ratings, ranks), by_another_author(ratings, ranks), strict=True
            ):
                assert (ours.mu, ours.sigma) == pytest.approx(theirs, abs=2e-4)
