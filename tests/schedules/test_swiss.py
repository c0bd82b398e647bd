"""Swiss: who meets whom, byes, points and tie-breaks; matchings are held against trying all."""

import pickle
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import pytest
from arena_conformance.simulated_leagues import Simulated, by_chance, by_strength
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.errors import UsageError
from arena.schedules.base import Field, Finished, Pairing, Summary
from arena.schedules.swiss import SCHEDULE, SwissSettings
from arena.schedules.swiss.pairing import largest_matching, preferred_pairs
from results.base.scoring import UNIT


def swiss(
    entries: int, seats: int = 2, rounds: int | None = None, seed: int = 0, matches: int = 1
) -> Simulated:
    field = Field(tuple(range(entries)), (seats,))
    return Simulated(SCHEDULE, field, SwissSettings(rounds, matches), by_chance, seed)


def tables_of(league: Simulated) -> list[list[tuple[int, ...]]]:
    return [[tuple(sorted(pairing.entries)) for pairing in matches] for matches in league.rounds()]


def test_four_by_hand() -> None:
    league = Simulated(SCHEDULE, Field((0, 1, 2, 3), (2,)), SwissSettings(), by_strength)
    assert tables_of(league) == [[(0, 2), (1, 3)], [(0, 1), (2, 3)]]
    placing = SCHEDULE.placing(league.field, league.settings, league.results)
    assert [(placed.place, placed.entry, placed.points) for placed in placing] == [
        (1, 0, 2.0), (2, 1, 1.0), (2, 2, 1.0), (4, 3, 0.0),
    ]  # fmt: skip
    assert placing[0].tie_breaks == {"Buchholz": 2, "Sonneborn-Berger": 2}
    assert placing[3].tie_breaks == {"Buchholz": 2, "Sonneborn-Berger": 0}


def test_five_by_hand_with_byes() -> None:
    league = Simulated(SCHEDULE, Field(tuple(range(5)), (2,)), SwissSettings(rounds=2), by_strength)
    assert tables_of(league) == [[(0, 2), (1, 3)], [(0, 1), (2, 4)]]
    assert [pairing.why for pairing in league.pairings] == [
        "first round; #4 has a bye",
        "first round",
        "points: #0 1, #1 1; #3 has a bye",
        "points: #4 1, #2 0",
    ]
    placing = SCHEDULE.placing(league.field, league.settings, league.results)
    assert {placed.entry: (placed.points, placed.byes) for placed in placing} == {
        0: (2.0, 0), 1: (1.0, 0), 2: (1.0, 0), 3: (1.0, 1), 4: (1.0, 1),
    }  # fmt: skip
    # Buchholz of 3: 1 for its opponent, entry 1, and 1 of its own for the bye.
    assert next(placed for placed in placing if placed.entry == 3).tie_breaks["Buchholz"] == 2


def test_points_are_mean_shares_and_void_matches_count_for_nobody() -> None:
    field, plan = Field((0, 1), (2,)), SwissSettings(rounds=2, matches=2)
    results = (
        Finished(0, 0, (0, 1), (3 * UNIT, 1 * UNIT), 4),
        Finished(1, 0, (1, 0), None, 4),
        Finished(2, 1, (1, 0), None, 4),
        Finished(3, 1, (0, 1), None, 4),
    )
    placing = SCHEDULE.placing(field, plan, results)
    assert [(placed.entry, placed.points) for placed in placing] == [(0, 0.75 + 0.5), (1, 0.25 + 0.5)]


def test_a_round_in_play_does_not_count() -> None:
    league = swiss(9, rounds=3)
    two = SCHEDULE.placing(league.field, league.settings, league.results[:8])
    assert SCHEDULE.placing(league.field, league.settings, league.results[:11]) == two
    assert SCHEDULE.placing(league.field, league.settings, league.results) != two


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(2, 9), st.integers(1, 11), st.integers(0, 1000))
def test_as_few_as_can_be_meet_again(entries: int, rounds: int, seed: int) -> None:
    league = swiss(entries, rounds=rounds, seed=seed)
    met: Counter[tuple[int, ...]] = Counter()
    byes: Counter[int] = Counter()
    for tables in tables_of(league):
        seated = {entry for table in tables for entry in table}
        assert len(seated) == 2 * len(tables) == entries // 2 * 2
        least = min(met[pair] for pair in combinations(range(entries), 2))
        new = {frozenset(pair) for pair in combinations(range(entries), 2) if met[pair] == least}
        assert sum(frozenset(table) in new for table in tables) == max(
            most_pairs(entries, {pair for pair in new if bye not in pair})
            for bye in (
                [e for e in range(entries) if byes[e] == min(byes[e] for e in range(entries))]
                if entries % 2
                else [-1]
            )
        )
        met.update(tables)
        byes.update(set(range(entries)) - seated)
        assert max(byes.values(), default=0) - min(byes[entry] for entry in range(entries)) <= 1


@pytest.mark.parametrize(("entries", "rounds"), [(8, 7), (7, 7), (16, 15)])
def test_as_many_rounds_as_opponents_are_a_round_robin_where_nobody_upsets(entries: int, rounds: int) -> None:
    field = Field(tuple(range(entries)), (2,))
    league = Simulated(SCHEDULE, field, SwissSettings(rounds), by_strength)
    met = Counter(tuple(sorted(pairing.entries)) for pairing in league.pairings)
    assert max(met.values()) <= 1 + (entries == 16), (
        "the last rounds of a long Swiss can leave only old opponents"
    )


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(3, 26), st.integers(3, 6), st.integers(0, 1000))
def test_larger_tables_are_equal_in_size_but_for_one(entries: int, seats: int, seed: int) -> None:
    if entries < seats:
        return
    for tables in tables_of(swiss(entries, seats, rounds=3, seed=seed)):
        sizes = [len(table) for table in tables]
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) <= seats
        assert sorted(entry for table in tables for entry in table) == list(range(entries))


def partitions(left: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    """Return every way to set tables of three."""
    if not left:
        return [[]]
    return [
        [(left[0], *two), *rest]
        for two in combinations(left[1:], 2)
        for rest in partitions(tuple(entry for entry in left[1:] if entry not in two))
    ]


@pytest.mark.parametrize("seed", range(8))
def test_at_tables_of_three_nobody_meets_again_where_that_can_be_avoided(seed: int) -> None:
    """Held against trying all 280 ways to seat nine."""
    league = swiss(9, 3, rounds=4, seed=seed)
    met: set[tuple[int, ...]] = set()
    for tables in tables_of(league):

        def again(tables: list[tuple[int, ...]]) -> int:
            return sum(pair in met for table in tables for pair in combinations(table, 2))  # noqa: B023 - used at once

        assert again(tables) == min(map(again, partitions(tuple(range(9)))))
        met |= {pair for table in tables for pair in combinations(table, 2)}


def test_equals_are_brought_together_at_larger_tables() -> None:
    league = Simulated(SCHEDULE, Field(tuple(range(16)), (4,)), SwissSettings(rounds=2), by_strength)
    first, second = tables_of(league)
    winners = {min(table) for table in first}
    assert sorted(winners) in [list(table) for table in second], "who won the first round meets"


def test_authors_are_kept_apart() -> None:
    authors = {entry: "abcd"[entry % 4] for entry in range(12)}
    league = Simulated(SCHEDULE, Field(tuple(range(12)), (3,), authors), SwissSettings(rounds=4), by_strength)
    assert all(len({authors[entry] for entry in pairing.entries}) == 3 for pairing in league.pairings)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (Field((0, 1, 2), (2, 3)), "tables of one size"),
        (Field((0, 1), (3,)), "cannot fill a table of 3 seats"),
        (
            Field(tuple(range(6)), (3,), {e: "a" if e < 3 else f"b{e}" for e in range(6)}),
            "^same_author: 3 of the 6",
        ),
    ],
)
def test_a_field_that_does_not_fit(field: Field, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SCHEDULE.check(field, SwissSettings())


def test_rounds_by_default() -> None:
    for entries, rounds in ((2, 1), (3, 2), (4, 2), (5, 3), (16, 4), (17, 5)):
        assert SCHEDULE.total(Field(tuple(range(entries)), (2,)), SwissSettings()) == rounds * (entries // 2)


def test_a_large_field_is_paired() -> None:
    field = Field(tuple(range(120)), (2,))
    rng = Random(2)
    results: list[Finished] = []
    tally = SCHEDULE.tally(field, SwissSettings())
    for round_no in range(4):
        more: tuple[Pairing, ...] | None = SCHEDULE.next_matches(
            field, SwissSettings(), Summary(planned=len(results), seen=len(results), tally=tally)
        )
        assert more is not None
        for pairing in more:
            won = rng.randrange(3) * UNIT // 2
            results.append(Finished(len(results), round_no, pairing.entries, (won, UNIT - won), 1))
            tally.add(results[-1])
    assert len({frozenset(match.entries) for match in results}) == 240


def by_definition(league: Simulated) -> dict[int, tuple[Fraction, Fraction, Fraction]]:
    """Return points, Buchholz and Sonneborn-Berger of each entry, summed up over its rounds as the rules say."""
    rounds: dict[int, list[tuple[Fraction, tuple[int, ...]]]] = {entry: [] for entry in league.field.entries}
    for round_no in sorted({match.round_no for match in league.results}):
        played = [match for match in league.results if match.round_no == round_no]
        for entry, of_entry in rounds.items():
            mine = [match for match in played if entry in match.entries]
            if not mine:
                of_entry.append((Fraction(1), ()))
                continue
            counted = [match for match in mine if match.shares is not None]
            shares = sum(match.shares[match.entries.index(entry)] for match in counted if match.shares)
            games = sum(match.games for match in counted)
            won = Fraction(shares, games * UNIT) if games else Fraction(1, 2)
            of_entry.append((won, tuple({*mine[0].entries} - {entry})))
    points = {entry: sum((won for won, _ in of_entry), Fraction(0)) for entry, of_entry in rounds.items()}

    def against(entry: int, others: tuple[int, ...]) -> Fraction:
        return (
            sum((points[other] for other in others), Fraction(0)) / len(others) if others else points[entry]
        )

    return {
        entry: (
            points[entry],
            sum((against(entry, others) for _, others in of_entry), Fraction(0)),
            sum((won * against(entry, others) for won, others in of_entry), Fraction(0)),
        )
        for entry, of_entry in rounds.items()
    }


@pytest.mark.parametrize(("entries", "seats"), [(8, 2), (7, 2), (9, 3), (10, 4)])
@pytest.mark.parametrize("matches", [1, 3])
def test_running_sums_come_to_what_the_rounds_one_by_one_do(entries: int, seats: int, matches: int) -> None:
    field = Field(tuple(range(entries)), (seats,))
    for seed in range(5):
        league = Simulated(SCHEDULE, field, SwissSettings(rounds=6, matches=matches), seed=seed)
        right = by_definition(league)
        placing = SCHEDULE.placing(field, league.settings, league.results)
        assert [placed.points for placed in placing] == [float(right[placed.entry][0]) for placed in placing]
        for placed in placing:
            assert placed.place == 1 + sum(key > right[placed.entry] for key in right.values())
            _, buchholz, weighed = right[placed.entry]
            assert list(placed.tie_breaks.values()) == [float(buchholz), float(weighed)]


def plain(number: Fraction) -> str:
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def test_a_tally_does_not_grow_with_the_league() -> None:
    field = Field((0, 1, 2, 3), (2,))
    tally = SCHEDULE.tally(field, SwissSettings(rounds=10_000))
    sizes = {}
    for number in range(20_000):
        pair = ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2))[number % 6]
        tally.add(Finished(number, number // 2, pair, (UNIT, 0), 1))
        sizes[number] = number in (199, 19_999) and len(pickle.dumps(tally))
    assert sizes[19_999] < 1.2 * sizes[199]


@pytest.mark.parametrize("entries", [60, 61])
def test_the_pairs_of_a_large_field_are_those_of_a_search_through_all(entries: int) -> None:
    """They are found without one as long as many are left to be paired, with the same outcome."""
    league = swiss(entries, rounds=5, seed=3)
    rounds = list(league.rounds())
    met: set[frozenset[int]] = set()
    points = dict.fromkeys(range(entries), Fraction(0))
    for matches in rounds:
        order = sorted(range(entries), key=lambda entry: -points[entry])
        tied = Counter(points.values())
        at = {entry: place for place, entry in enumerate(order)}

        def liking(one: int, other: int) -> tuple[Fraction | int | bool, ...]:
            apart, half = abs(at[one] - at[other]), max(1, tied[points[one]] // 2)  # noqa: B023 - used at once
            far = abs(points[one] - points[other])  # noqa: B023
            return (frozenset((one, other)) in met, far, apart if far else abs(apart - half))  # noqa: B023

        pairs = [pairing.entries for pairing in matches]
        playing = [entry for entry in order if any(entry in pair for pair in pairs)]
        graph = {a: {b for b in playing if a != b and frozenset((a, b)) not in met} for a in playing}
        preferences = {
            a: sorted((b for b in order if a != b), key=lambda b, a=a: liking(a, b))  # type: ignore[misc]
            for a in playing
        }
        assert pairs == preferred_pairs(playing, graph, preferences)
        met |= {frozenset(pair) for pair in pairs}
        tally = SCHEDULE.tally(league.field, league.settings)
        for match in league.results[: len(met)]:
            tally.add(match)
        points = {entry: score.points for entry, score in tally.scores.items()}


def graph_of(vertices: int, edges: set[frozenset[int]]) -> dict[int, set[int]]:
    return {a: {b for b in range(vertices) if frozenset((a, b)) in edges} for a in range(vertices)}


def most_pairs(vertices: int, edges: set[frozenset[int]]) -> int:
    """Return the size of a largest matching, by trying all."""

    @cache
    def most(left: frozenset[int]) -> int:
        if len(left) < 2:
            return 0
        a = min(left)
        paired = [1 + most(left - {a, b}) for b in left if frozenset((a, b)) in edges]
        return max([most(left - {a}), *paired])

    return most(frozenset(range(vertices)))


@st.composite
def graphs(draw: st.DrawFn, even: bool = False) -> tuple[int, set[frozenset[int]]]:
    vertices = 2 * draw(st.integers(1, 5)) if even else draw(st.integers(1, 10))
    all_edges = [frozenset(pair) for pair in combinations(range(vertices), 2)]
    return vertices, set(draw(st.lists(st.sampled_from(all_edges)))) if all_edges else set()


@given(graphs())
def test_no_matching_is_larger(drawn: tuple[int, set[frozenset[int]]]) -> None:
    vertices, edges = drawn
    mates = largest_matching(graph_of(vertices, edges))
    assert all(mates[mates[vertex]] == vertex for vertex in mates)
    assert {frozenset(pair) for pair in mates.items()} <= edges
    assert len(mates) // 2 == most_pairs(vertices, edges)


def test_sparse_graphs_with_many_odd_cycles() -> None:
    rng = Random(1)
    for _ in range(300):
        vertices = rng.randint(9, 15)
        pairs = list(combinations(range(vertices), 2))
        edges = {frozenset(pair) for pair in rng.sample(pairs, rng.randint(vertices - 2, vertices + 6))}
        assert len(largest_matching(graph_of(vertices, edges))) // 2 == most_pairs(vertices, edges)


@given(graphs(even=True), st.randoms(use_true_random=False))
def test_all_are_paired_as_few_as_can_be_outside_the_graph(
    drawn: tuple[int, set[frozenset[int]]], rng: Random
) -> None:
    vertices, edges = drawn
    preferences = {
        a: rng.sample([b for b in range(vertices) if b != a], vertices - 1) for a in range(vertices)
    }
    pairs = preferred_pairs(range(vertices), graph_of(vertices, edges), preferences)
    assert sorted(vertex for pair in pairs for vertex in pair) == list(range(vertices))
    most = most_pairs(vertices, edges)
    assert sum(frozenset(pair) in edges for pair in pairs) == most
    # The first could not have done better: with all it likes more, the others would be paired less well.
    first, chosen = pairs[0]
    assert first == 0
    for liked in preferences[first][: preferences[first].index(chosen)]:
        without = {edge for edge in edges if not edge & {first, liked}}
        assert most_pairs(vertices, without) + (frozenset((first, liked)) in edges) < most


def test_a_choice_that_leaves_others_alone_is_not_made() -> None:
    path = {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3))}
    preferences = {0: [2, 1, 3], 1: [2, 0, 3], 2: [1, 3, 0], 3: [2, 1, 0]}
    assert preferred_pairs(range(4), graph_of(4, path), preferences) == [(0, 1), (2, 3)]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_pair_outside_the_graph_where_there_is_no_other(order: list[int]) -> None:
    assert preferred_pairs(order, graph_of(2, set()), {0: [1], 1: [0]}) == [tuple(order)]
