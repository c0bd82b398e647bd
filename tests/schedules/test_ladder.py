"""Ladder: fair to everybody, blind to what is too near, quick to find the order."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random

import msgspec.structs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert

from arena.core.errors import UsageError
from arena.schedules.base import Field, Pairing, Summary
from arena.schedules.ladder import SCHEDULE, LadderSettings
from arena.schedules.ladder.turns import BLOCK_MATCHES, LEAST_PART
from results.ratings import rater
from results.ratings.base import Rating

BETA = 25 / 6


@dataclass
class League:
    """A league in miniature: it plans what may be planned, then sees the next result."""

    field: Field
    strengths: dict[int, float]
    """True ones, on the scale of the ratings."""
    seed: int = 1
    lag: int = 32
    aim: str = "order"
    matches: list[Pairing] = dataclasses.field(default_factory=list)
    seen: int = 0
    ratings: dict[int, Rating] = dataclasses.field(default_factory=dict)

    def summary(self) -> Summary:
        tables = [match.entries for match in self.matches]
        return Summary(
            planned=len(tables),
            seen=self.seen,
            matches=Counter(entry for table in tables for entry in table),
            unseen=Counter(entry for table in tables[self.seen :] for entry in table),
            pairs=Counter(pair for table in tables for pair in combinations(sorted(table), 2)),
            seated=Counter((entry, len(table)) for table in tables for entry in table),
            ratings=dict(self.ratings),
        )

    def play(self, matches: int, keep: int = BLOCK_MATCHES) -> None:
        """Plan that many matches, seeing for each block exactly what it is to see; `keep` of a block are taken."""
        system, given = rater("trueskill"), LadderSettings(self.lag, aim=self.aim)
        for entry in self.field.entries:
            self.ratings.setdefault(entry, system.scale.start)
        while len(self.matches) < matches:
            sees = SCHEDULE.sees(self.field, given, len(self.matches))
            while self.seen < sees:
                table = self.matches[self.seen].entries
                chance = Random(f"{self.seed}/{self.seen}")
                played = [self.strengths[entry] + chance.gauss(0, BETA) for entry in table]
                ranks = [1 + sum(other > own for other in played) for own in played]
                new = system.rate([self.ratings[entry] for entry in table], ranks)
                self.ratings.update(zip(table, new, strict=True))
                self.seen += 1
            self.matches += (SCHEDULE.next_matches(self.field, given, self.summary()) or ())[:keep]

    def counts(self) -> Counter[int]:
        return Counter(entry for match in self.matches for entry in match.entries)


def even(entries: int, sizes: tuple[int, ...] = (4,), gap: float = 1.0) -> League:
    """Return a league of entries whose strengths lie evenly spaced, in a mixed order of numbers."""
    order = list(range(entries))
    Random(entries).shuffle(order)
    return League(Field(tuple(range(entries)), sizes), {entry: 25 + gap * order[entry] for entry in order})


@given(st.integers(0, 3000), st.integers(1, 200))
def test_it_sees_no_more_than_the_lag_allows(planned: int, lag: int) -> None:
    field_, given_ = Field((0, 1, 2), (2,)), LadderSettings(lag)
    sees = SCHEDULE.sees(field_, given_, planned)
    assert 0 <= sees <= max(0, planned - lag)
    assert sees <= SCHEDULE.sees(field_, given_, planned + 1)
    assert sees >= planned - lag - BLOCK_MATCHES, "no further back than it must"


@settings(max_examples=settings().max_examples // 5)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 99))
def test_tables_are_of_the_size_and_nobody_sits_twice(entries: int, seats: int, seed: int) -> None:
    league = even(entries, (min(seats, entries),))
    league.seed = seed
    league.play(100)
    for match in league.matches:
        assert len(match.entries) == len(set(match.entries)) == min(seats, entries)
        assert set(match.entries) <= set(league.field.entries)
        assert match.why
        assert "\n" not in match.why


@settings(max_examples=settings().max_examples // 5)
@given(st.integers(1, BLOCK_MATCHES), st.integers(0, 99))
def test_a_block_broken_off_goes_on_the_same(keep: int, seed: int) -> None:
    whole, broken = even(7), even(7)
    whole.seed = broken.seed = seed
    whole.play(96)
    broken.play(96, keep)
    assert broken.matches[:96] == whole.matches[:96]


@settings(max_examples=settings().max_examples // 6, deadline=None)
@given(st.integers(3, 14), st.integers(2, 4), st.sampled_from([0.0, 0.3, 2.0, 20.0]))
def test_nobody_starves(entries: int, seats: int, gap: float) -> None:
    league = even(entries, (min(seats, entries),), gap)
    league.play(240)
    for played in range(BLOCK_MATCHES, 240, BLOCK_MATCHES):
        counts = Counter(entry for match in league.matches[:played] for entry in match.entries)
        mean = counts.total() / entries
        assert min(counts[entry] for entry in league.field.entries) >= LEAST_PART * mean - 2


def test_everybody_plays_once_before_the_stronger_are_looked_for() -> None:
    league = even(20)
    league.play(BLOCK_MATCHES)
    first = [entry for match in league.matches[:5] for entry in match.entries]
    assert sorted(first) == list(range(20))


def test_a_leader_far_ahead_is_not_left_alone() -> None:
    league = even(9, (2,))
    league.strengths[0] = 60
    league.play(320)
    met = {entry for match in league.matches if 0 in match.entries for entry in match.entries}
    assert len(met) > 3
    assert league.counts()[0] >= LEAST_PART * 2 * 320 / 9 - 2


def test_a_new_entry_is_placed_fast_and_meets_many() -> None:
    league = even(16, (4,))
    league.play(480)
    league.field = Field((*league.field.entries, 16), (4,))
    league.strengths[16] = 33
    before = len(league.matches)
    league.play(before + 96)
    tables = [match.entries for match in league.matches[before:]]
    played = sum(16 in table for table in tables)
    assert played > 96 * 4 / 17
    assert played < 64, "the others go on meeting without it"
    assert len({entry for table in tables if 16 in table for entry in table} - {16}) >= 8
    below = {entry for entry in range(16) if league.ratings[entry].mu < league.ratings[16].mu}
    assert 5 <= len(below) <= 11, "in truth 8 are weaker"
    first = next(match for match in league.matches[before:] if 16 in match.entries)
    assert first.why.startswith("#16 has played least")


def test_one_entry_is_not_put_everywhere_while_its_results_are_awaited() -> None:
    league = even(24, (2,))
    league.play(16)
    league.ratings[5] = Rating(25, 80.0)
    league.play(64)
    assert sum(5 in match.entries for match in league.matches[16:64]) <= 12


def test_close_entries_meet_more_often_than_those_told_apart() -> None:
    league = even(8, (2,), gap=4.0)
    league.play(800)
    ladder = sorted(league.field.entries, key=lambda entry: league.strengths[entry])
    pairs = league.summary().pairs
    beside = sum(pairs.get((min(a, b), max(a, b)), 0) for a, b in pairwise(ladder)) / 7
    apart = sum(pairs.get((min(a, b), max(a, b)), 0) for a, b in zip(ladder, ladder[4:], strict=False)) / 4
    assert beside > 2 * apart


def test_the_order_is_found() -> None:
    league = even(8, (4,), gap=2.5)
    league.play(480)
    found = sorted(league.field.entries, key=lambda entry: league.ratings[entry].mu)
    assert found == sorted(league.field.entries, key=lambda entry: league.strengths[entry])


def test_sizes_come_in_turns_and_everybody_has_the_same_of_each() -> None:
    league = even(9, (2, 3, 5), gap=0.0)
    league.play(720)
    sizes = [len(match.entries) for match in league.matches[:720]]
    assert all(sorted(sizes[i : i + 3]) == [2, 3, 5] for i in range(0, 720, 3))
    for seats in (2, 3, 5):
        at_size = Counter(e for match in league.matches if len(match.entries) == seats for e in match.entries)
        for entry, matches in league.counts().items():
            assert abs(at_size[entry] - matches * seats / 10) <= 6


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(st.sampled_from("abcde"), min_size=5, max_size=12), st.integers(2, 4))
def test_bots_of_one_author_share_no_table(authors: list[str], seats: int) -> None:
    entries = tuple(range(len(authors)))
    field_ = Field(entries, (seats,), dict(enumerate(authors)))
    if len(set(authors)) < seats:
        with pytest.raises(UsageError, match=r"authors? cannot fill a table") as refused:
            SCHEDULE.check(field_, LadderSettings())
        assert "same_author = true" in refused.value.hint
        return
    league = League(field_, dict.fromkeys(entries, 25.0))
    league.play(64)
    for match in league.matches:
        assert len({authors[entry] for entry in match.entries}) == seats


def test_too_few_bots_are_refused() -> None:
    with pytest.raises(UsageError, match="3 bots cannot fill a table of 4 seats"):
        SCHEDULE.check(Field((0, 1, 2), (4,)), LadderSettings())


def test_the_reason_names_who_learns_and_from_whom() -> None:
    league = even(6, (3,))
    league.play(160)
    least_sure = [match for match in league.matches if "least sure" in match.why]
    assert least_sure
    for match in least_sure:
        first, second, third = match.entries
        assert match.why.startswith(f"the place of #{first} is least sure (σ ")
        assert match.why.endswith(f"#{second} and #{third} will tell most about it")


def test_without_ratings_it_works_as_well() -> None:
    matches = SCHEDULE.next_matches(Field((3, 8, 9), (2,)), LadderSettings(), Summary(0))
    assert matches is not None
    assert len(matches) == BLOCK_MATCHES


def test_one_table_in_sixteen_is_drawn_from_all() -> None:
    league = even(40, (4,), gap=8.0)
    league.play(640)
    drawn = [no for no, match in enumerate(league.matches) if match.why.startswith("drawn at random")]
    assert [no // 16 for no in drawn] == list(range(len(league.matches) // 16))
    assert len({no % 16 for no in drawn}) > 5, "not always at the same place"
    strength = league.strengths
    apart = [
        max(strength[e] for e in league.matches[no].entries)
        - min(strength[e] for e in league.matches[no].entries)
        for no in drawn[20:]
    ]
    assert sum(apart) / len(apart) > 80, "four of forty are 195 apart on average, and neighbours 24"


@pytest.mark.parametrize(("aim", "wanted"), [("top:5", range(35, 45)), ("bot:b7", [7])])
def test_tables_are_aimed_and_everybody_plays_a_quarter_of_the_mean(aim: str, wanted: Sequence[int]) -> None:
    league = even(50, (4,))
    league.strengths = {entry: 25.0 + entry for entry in league.field.entries}
    labels = {entry: f"b{entry}" for entry in league.field.entries}
    league.field, league.aim = msgspec.structs.replace(league.field, labels=labels), aim
    league.play(800)
    played = Counter(entry for match in league.matches[400:] for entry in match.entries)
    mean = played.total() / 50
    aimed = [played[entry] for entry in (range(41, 49) if aim.startswith("top") else wanted)]
    assert min(aimed) > 2 * mean
    counts = league.counts()
    assert min(counts[entry] for entry in league.field.entries) >= LEAST_PART * counts.total() / 50 - 2


def test_an_aim_passes_to_the_successor_and_without_one_the_order_is_found() -> None:
    labels = {0: "old", 1: "new", **{entry: f"b{entry}" for entry in range(2, 20)}}
    field = Field(tuple(range(1, 20)), (2,), labels=labels, predecessors={1: 0}, joined={1: 5}, from_match=5)

    def tables(field: Field, aim: str) -> list[tuple[int, ...]]:
        matches = SCHEDULE.next_matches(field, LadderSettings(aim=aim), Summary(16)) or ()
        return [match.entries for match in matches]

    assert tables(field, "bot:old") == tables(field, "bot:new") != tables(field, "order")
    gone = msgspec.structs.replace(field, predecessors={})
    assert tables(gone, "bot:old") == tables(gone, "order") == tables(gone, "top:19")


@pytest.mark.parametrize(
    ("aim", "said"),
    [
        ("top:4", "leaves nobody out, as there are only 4 bots"),
        ("top:0", "'top:0' is no aim"),
        ("top:١", "is no aim"),
        ("best", "'best' is no aim"),
        ("bot:gredy", "there is no bot labelled 'gredy'; did you mean 'greedy'?"),
    ],
)
def test_a_wrong_aim_is_refused(aim: str, said: str) -> None:
    field = Field((0, 1, 2, 3), (2,), labels=dict(enumerate(("greedy", "crumb", "a", "b"))))
    with pytest.raises(UsageError, match=r"aim|bot|leaves") as refused:
        SCHEDULE.check(field, LadderSettings(aim=aim))
    assert said in str(refused.value)
    for good in ("top:3", "bot:crumb", "order"):
        SCHEDULE.check(field, LadderSettings(aim=good))
    SCHEDULE.check(msgspec.structs.replace(field, labels={}), LadderSettings(aim="bot:unread"))


def following(slots: int, entries: int = 20, lag: int | str = "auto") -> dict[str, int]:
    settings = convert({"lag": lag}, LadderSettings)
    assert SCHEDULE.follows(convert({"lag": "auto"}, LadderSettings))
    return dict(SCHEDULE.following(Field(tuple(range(entries)), (2,)), settings, slots))


def test_the_lag_follows_what_is_in_flight_in_powers_of_two() -> None:
    assert [following(slots) for slots in (0, 1, 4, 8)] == [{}] * 4
    assert following(9) == {"lag": 64, "block": 32}
    assert following(1000) == {"lag": 4096, "block": 2048}
    assert following(10**6) == {"lag": 1 << 17, "block": 4096}
    assert following(4, entries=10_000) == {"lag": 256, "block": 128}


def test_the_lag_shrinks_only_if_much_fewer_are_in_flight() -> None:
    assert following(1000, lag=4096) == {}
    assert following(257, lag=4096) == {}
    assert following(256, lag=4096) == {"lag": 1024, "block": 512}
    assert following(4, lag=64) == {}
    assert following(4, lag=128) == {"lag": 32, "block": 16}


def test_a_lag_in_the_league_file_stays() -> None:
    assert SCHEDULE.follows(LadderSettings())
    assert not SCHEDULE.follows(LadderSettings(lag=64))


@pytest.mark.parametrize(("lag", "block"), [(32, 16), (64, 32), (256, 128), (3, 1), (5, 40)])
def test_blocks_are_chosen_whole_and_the_results_are_the_lag_before_them(lag: int, block: int) -> None:
    field_, given_ = Field(tuple(range(12)), (2,)), LadderSettings(lag, block)
    assert [SCHEDULE.sees(field_, given_, n * block + block - 1) for n in range(9)] == [
        max(0, n * block - lag) for n in range(9)
    ]
    assert len(SCHEDULE.next_matches(field_, given_, Summary(0)) or ()) == block
    assert (
        len(SCHEDULE.next_matches(field_, given_, Summary(7 * block + block // 2)) or ())
        == block - block // 2
    )
