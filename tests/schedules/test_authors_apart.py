"""Bots of one author are kept apart wherever the field allows it: what that means for each schedule."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from arena_conformance.simulated_leagues import Simulated
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import registry
from arena.core.errors import UsageError
from arena.schedules import elimination, gauntlet, round_robin, swiss
from arena.schedules.base import Checked, Field, Schedule
from arena.schedules.base.table_rules import of_one_author
from arena.schedules.elimination import bracket
from arena.schedules.gauntlet import GauntletSettings
from arena.schedules.ladder import LadderSettings
from arena.schedules.round_robin import RoundRobinSettings
from arena.schedules.swiss import SwissSettings

ENOUGH = 60

few_authors = st.lists(st.sampled_from("abcd"), min_size=2, max_size=9)
"""The author of each entry. Some fields have one author for all, or for most."""


def field_of(authors: Sequence[str], seats: int = 2) -> Field:
    return Field(tuple(range(len(authors))), (seats,), dict(enumerate(authors)))


def refused(schedule: Schedule, field: Field, keys: object) -> bool:
    try:
        assert isinstance(schedule, Checked)
        schedule.check(field, keys)
    except UsageError:
        return True
    return False


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(few_authors, st.integers(2, 4), st.sampled_from([None, 1, 3]), st.integers(0, 9))
def test_by_table_where_tables_are_chosen_one_by_one(
    authors: list[str], seats: int, tables: int | None, seed: int
) -> None:
    """A round robin, whole or a sample, and a ladder."""
    field = field_of(authors, seats)
    for kind, keys in (
        ("round-robin", RoundRobinSettings(2, tables)),
        ("ladder", LadderSettings(lag=1, block=4)),
    ):
        schedule = registry.schedule(kind)
        if not refused(schedule, field, keys):
            league = Simulated(schedule, field, keys, seed=seed, most=ENOUGH)
            together = [of_one_author(field, pairing.entries) for pairing in league.pairings]
            assert together
            assert not any(together) or len(set(authors)) == 1


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(few_authors, st.integers(1, 3), st.integers(2, 4), st.integers(1, 2))
def test_by_challenger_in_a_gauntlet(authors: list[str], challengers: int, seats: int, rounds: int) -> None:
    field, keys = field_of(authors, seats), GauntletSettings(challengers, rounds)
    if refused(gauntlet.SCHEDULE, field, keys):
        return
    league = Simulated(gauntlet.SCHEDULE, field, keys)
    assert len(league.pairings) == league.total
    met = Counter(table.entries[:2] for table in league.pairings)
    for challenger in range(challengers):
        others = range(challengers, len(authors))
        strangers = [other for other in others if authors[other] != authors[challenger]]
        of_round = [table for table in league.pairings if table.entries[0] == challenger]
        if seats == 2:
            assert {other: met[challenger, other] for other in strangers or others} == dict.fromkeys(
                strangers or others, rounds
            )
            assert len(of_round) == rounds * len(strangers or others)
        else:
            assert not any(of_one_author(field, table.entries) for table in of_round)


def test_a_gauntlet_tells_of_bots_that_meet_no_challenger() -> None:
    field = field_of("aaabb")
    (remark,) = gauntlet.SCHEDULE.remarks(field, GauntletSettings())
    assert remark.keys == ("same_author",)
    assert "2 bots won't play" in remark.words
    assert not gauntlet.SCHEDULE.remarks(field_of("abbb"), GauntletSettings())
    assert not gauntlet.SCHEDULE.remarks(field_of("aaaa"), GauntletSettings()), (
        "they meet, for want of others"
    )


def matchings(entries: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """Yield all ways to pair entries, with one of an odd number left out."""
    if len(entries) % 2:
        for bye in entries:
            yield from matchings(tuple(entry for entry in entries if entry != bye))
        return
    if not entries:
        yield []
        return
    first, *rest = entries
    for other in rest:
        for more in matchings(tuple(entry for entry in rest if entry != other)):
            yield [(first, other), *more]


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=7), st.integers(1, 6), st.integers(0, 9))
def test_by_round_in_a_swiss(authors: list[str], rounds: int, seed: int) -> None:
    """As few bots of one author meet as the byes allow; and if so, and nobody need meet again, nobody does."""
    field = field_of(authors)
    league = Simulated(swiss.SCHEDULE, field, SwissSettings(rounds), seed=seed)
    met: Counter[frozenset[int]] = Counter()
    byes = dict.fromkeys(field.entries, 0)
    for round_no in range(rounds):
        tables = [pairing.entries for pairing in league.pairings if pairing.round_no == round_no]
        costs = []
        for pairs in matchings(field.entries):
            left_out = set(field.entries) - {entry for pair in pairs for entry in pair}
            if all(byes[entry] == min(byes.values()) for entry in left_out):
                costs.append(cost(field, pairs, met))
        found = cost(field, tables, met)
        if len(set(authors)) == 1:
            assert found[1] == min(again for _, again in costs)
        else:
            assert found[0] == min(costs)[0]
            if min(costs)[1] == 0:
                assert found[1] == 0
        met.update(map(frozenset, tables))
        for entry in set(field.entries) - {entry for table in tables for entry in table}:
            byes[entry] += 1


def cost(field: Field, pairs: Sequence[tuple[int, ...]], met: Counter[frozenset[int]]) -> tuple[int, int]:
    """Return how many pairs are of one author, and how many have met before."""
    return (
        sum(of_one_author(field, pair) for pair in pairs),
        sum(met[frozenset(pair)] > 0 for pair in pairs),
    )


@given(st.lists(st.sampled_from("abcdefghij"), min_size=2, max_size=40))
def test_by_bracket_in_an_elimination(authors: list[str]) -> None:
    """As many bots as a round has tables can't meet up to it, and those that come first in the seeds meet last."""
    group_of = dict(enumerate(authors))
    places = bracket(range(len(authors)), group_of)
    assert sorted(seed for seed in places if seed is not None) == list(range(len(authors)))
    assert all(pair != (None, None) for pair in zip(places[::2], places[1::2], strict=True))
    bots = Counter(authors)
    size = 2
    while size <= len(places):
        tables = [
            [seed for seed in places[at : at + size] if seed is not None]
            for at in range(0, len(places), size)
        ]
        for author, count in bots.items():
            most = max(sum(authors[seed] == author for seed in table) for table in tables)
            assert most <= -(-count // len(tables)), "an author's bots are spread evenly"
        best = range(min(len(tables), len(authors)))
        assert all(sum(seed in best for seed in table) <= 1 for table in tables)
        size *= 2


def test_seeds_meet_as_usual_if_everybody_has_one_bot() -> None:
    for entries in range(2, 40):
        seeds = [0]
        while len(seeds) < entries:
            seeds = [seed for one in seeds for seed in (one, 2 * len(seeds) - 1 - one)]
        usual = [seed if seed < entries else None for seed in seeds]
        assert bracket(range(entries), {seed: seed for seed in range(entries)}) == usual


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(few_authors, st.integers(0, 9))
def test_an_elimination_plays_that_bracket(authors: list[str], seed: int) -> None:
    field = field_of(authors)
    keys = elimination.EliminationSettings(best_of=1, third_place=True)
    league = Simulated(elimination.SCHEDULE, field, keys, seed=seed)
    bots = Counter(authors)
    last = (len(authors) - 1).bit_length()
    for pairing in league.pairings:
        tables = 1 << (last - 1 - pairing.round_no)
        if of_one_author(field, pairing.entries) and pairing.round_no < last - 1:
            assert len(set(authors)) == 1 or bots[authors[pairing.entries[0]]] > tables
    assert len(league.results) == len(league.pairings)


@pytest.mark.parametrize("size", [3, 4])
def test_larger_tables_never_have_two_of_one_author(size: int) -> None:
    """A field that can't do without is refused; so is an elimination as soon as an author has two."""
    field = field_of("aabbccddeeff", size)
    league = Simulated(swiss.SCHEDULE, field, SwissSettings(4))
    assert not any(of_one_author(field, pairing.entries) for pairing in league.pairings)
    assert refused(elimination.SCHEDULE, field, elimination.EliminationSettings())
    for kind in ("round-robin", "ladder", "swiss", "gauntlet"):
        schedule = registry.schedule(kind)
        assert refused(schedule, field_of("aaaaab", size), schedule.settings())


def test_who_is_of_nobody_meets_everybody() -> None:
    """A reference bot has no author here."""
    field = Field((0, 1, 2, 3), (2,), {0: "a", 1: "a"})
    matches = Simulated(round_robin.SCHEDULE, field, RoundRobinSettings()).pairings
    assert {pairing.entries for pairing in matches} == set(combinations(range(4), 2)) - {(0, 1)}
