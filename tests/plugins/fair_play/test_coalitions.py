"""Coalitions: planted ones are found with their size, honest leagues are left alone, and what can't be told isn't."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from arena_fair_play.coalitions import coalitions, company
from arena_fair_play.findings import Coalitions, Kind, Term
from arena_fair_play.reports import cached_coalitions, coalition_rows, current_coalitions, flags

from arena.core.ruleset import ruleset
from arena.core.seatings import seatings
from arena.registry import game as game_named
from benchmarks.coalitions import HONEST, POWER, Rows, Setting, is_wrongly_flagged, league
from benchmarks.in_process import Player, play
from results.analysis.fit_results import Measure
from results.records.query_rows import SeatResult
from tests.plugins.fair_play.leagues import QUIET, stored, with_gains
from tests.support.ledgers import new_store

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
HOPELESS = Setting(
    "one never wins", 7, 2, 2, 500, 0.3, 0.0, 0.0, 1.0, Measure.SHARES, is_by_odds=True, outlier=-6.0
)


def found_in(rows: Rows) -> Coalitions:
    return coalitions([rows], Measure.SCORES)


def of(found: Coalitions, kind: Kind, one: int = 0, other: int = 1) -> Term:
    return next(
        term for term in found.terms if (term.kind, term.entry_no, term.other_no) == (kind, one, other)
    )


def test_a_transfer_is_found_with_its_size() -> None:
    """0 loses 2 points a game to 1, which gets one of them: the difference between the two is 3."""
    plain = league(QUIET, np.random.default_rng(1))
    before, after = (
        found_in(plain),
        found_in(with_gains(plain, {(0, 1): -200, (1, 0): 100})),
    )
    assert not any(term.is_flagged for term in before.terms)
    changed = of(after, Kind.TRANSFER)
    assert changed.is_flagged
    assert changed.value - of(before, Kind.TRANSFER).value == pytest.approx(-300, abs=40)
    assert changed.chance < 0.01
    assert [term for term in after.terms if term.is_flagged] == [changed]


def test_an_alliance_is_found_with_its_size() -> None:
    plain = league(QUIET, np.random.default_rng(2))
    after = found_in(with_gains(plain, {(2, 4): 200, (4, 2): 200}))
    changed = of(after, Kind.ALLIANCE, 2, 4)
    assert changed.is_flagged
    assert changed.value == pytest.approx(200, abs=40)
    assert {(term.entry_no, term.other_no) for term in after.terms if term.is_flagged} == {(2, 4)}


def test_strength_and_seat_are_no_coalition() -> None:
    """An entry that is far better than all others, and a seat that is worth much, change no term."""
    plain = league(QUIET, np.random.default_rng(3))
    changed = plain.copy()
    changed[changed[:, 3] == 0, 5] += 5000
    changed[changed[:, 2] == 1, 5] += 700
    for one, other in zip(found_in(plain).terms, found_in(changed).terms, strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-3)


def test_who_sits_before_is_no_coalition() -> None:
    """Whoever sits after 3 gets 9 points more; matches rotate, so 3 sits before each other one."""
    plain = league(QUIET, np.random.default_rng(4))
    tables = plain.reshape(-1, 4, plain.shape[1])
    changed = tables.copy()
    changed[..., 5] += 900 * (np.roll(tables[..., 3], 1, axis=1) == 3)
    found = found_in(changed.reshape(plain.shape))
    for one, other in zip(found_in(plain).terms, found.terms, strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-3)


def test_the_order_of_rows_makes_no_difference() -> None:
    rows = league(QUIET, np.random.default_rng(5))
    mixed = rows[np.random.default_rng(6).permutation(len(rows))]
    assert found_in(rows) == found_in(mixed)


def test_where_terms_follow_from_strengths_nothing_is_told() -> None:
    """Of three at tables of two, each margin says as much about the others: rock, paper, scissors is no coalition."""
    three = league(QUIET._replace(entries=3, seats=2, games=2), np.random.default_rng(7))
    assert not any(term.is_flagged for term in found_in(with_gains(three, {(0, 1): 900})).terms)
    always = league(QUIET._replace(entries=4), np.random.default_rng(8))
    assert found_in(always) == Coalitions((), 6), "nobody was ever without another"


def test_pairs_with_few_matches_are_not_looked_at() -> None:
    few = league(QUIET._replace(entries=12, matches=10), np.random.default_rng(9))
    found = found_in(few)
    assert found.terms == ()
    assert found.pairs_unseen > 20


@pytest.mark.parametrize("measure", Measure)
def test_a_bot_that_loses_nearly_always_makes_no_coalition(measure: Measure) -> None:
    """0 to 5 are level, and 6 loses 99 of 100 games to each: nothing in that is unusual."""
    rng = np.random.default_rng(10)
    hopeless = HOPELESS._replace(measure=measure)
    for _ in range(5):
        assert not any(term.is_flagged for term in coalitions([league(hopeless, rng)], measure).terms)


def test_pairs_that_are_certain_are_not_looked_at() -> None:
    """0 never wins, so nobody can tell by places whether it plays softly; all others can be told."""
    found = coalitions([league(HOPELESS, np.random.default_rng(11))], Measure.SHARES)
    assert all(0 not in (term.entry_no, term.other_no) for term in found.terms)
    assert len(found.terms) == 15
    assert found.pairs_unseen == 6


def test_soft_play_by_places_is_found_with_its_size() -> None:
    """0 and 1 are level with all others, and 0 loses every game to 1: the difference of shares is 100 % of a game."""
    level = HOPELESS._replace(outlier=0.0, spread=0.0)
    plain = league(level, np.random.default_rng(12))
    tables = plain.reshape(-1, 2, plain.shape[1]).copy()
    softly = np.isin(tables[:, :, 3], (0, 1)).all(axis=1)
    for seat in range(2):
        tables[softly, seat, 4] = 1 + (tables[softly, seat, 3] == 0)
    found = coalitions([tables.reshape(plain.shape)], Measure.SHARES)
    (flagged,) = [term for term in found.terms if term.is_flagged]
    assert (flagged.kind, flagged.entry_no, flagged.other_no) == (Kind.TRANSFER, 0, 1)
    assert flagged.value == pytest.approx(-100, abs=15)


def test_soft_play_of_a_bot_that_wins_nearly_always_is_found() -> None:
    """0 wins 98 of 100 games against all but 1, to which it loses half of them."""
    strong = HOPELESS._replace(outlier=4.0, spread=0.3, matches=900)
    plain = league(strong, np.random.default_rng(13))
    tables = plain.reshape(-1, 2, plain.shape[1]).copy()
    softly = np.flatnonzero(np.isin(tables[:, :, 3], (0, 1)).all(axis=1))[::2]
    for seat in range(2):
        tables[softly, seat, 4] = 1 + (tables[softly, seat, 3] == 0)
    found = coalitions([tables.reshape(plain.shape)], Measure.SHARES)
    assert [(term.entry_no, term.other_no) for term in found.terms if term.is_flagged] == [(0, 1)]


def test_entries_may_have_any_numbers() -> None:
    """With other numbers, terms are the same, with the other sign where the two change their order."""
    rows = league(HOPELESS, np.random.default_rng(14))
    turned = rows.copy()
    turned[:, 3] = 6 - rows[:, 3]
    before = {(one.entry_no, one.other_no): one for one in coalitions([rows], Measure.SHARES).terms}
    after = {(one.entry_no, one.other_no): one for one in coalitions([turned], Measure.SHARES).terms}
    assert {(6 - b, 6 - a) for a, b in before} == set(after)
    for (a, b), one in before.items():
        other = after[6 - b, 6 - a]
        assert (other.value, other.error) == pytest.approx((-one.value, one.error), abs=1e-5)


def test_the_order_of_rows_makes_no_difference_by_places() -> None:
    rows = league(QUIET._replace(measure=Measure.SHARES), np.random.default_rng(5))
    mixed = rows[np.random.default_rng(6).permutation(len(rows))]
    assert coalitions([rows], Measure.SHARES) == coalitions([mixed], Measure.SHARES)


def test_nothing_played() -> None:
    assert coalitions([], Measure.SCORES) == Coalitions((), 0)
    assert company([]) == ()


def test_company_by_hand() -> None:
    """0 has 9 and 3 points with 1, and 6 without; it wins one of the two, ties the other, and loses without."""
    games = [((0, 1), (9, 3), (1, 2)), ((1, 0), (3, 3), (1, 1)), ((0, 2), (6, 8), (2, 1))]
    rows = [
        SeatResult(number, 0, seat, entry, ranks[seat], scores[seat], 0)
        for number, (entries, scores, ranks) in enumerate(games)
        for seat, entry in enumerate(entries)
    ]
    of_pair = {(one.entry_no, one.other_no): one for one in company([rows])}
    assert set(of_pair) == {(0, 1), (1, 0), (0, 2), (2, 0)}
    one = of_pair[0, 1]
    assert (one.games_with, one.games_without) == (2, 1)
    assert (one.share_with, one.share_without) == (0.75, 0)
    assert (one.score_with, one.score_without) == (6, 6)
    assert of_pair[2, 0].share_without is None


def test_a_flag_says_what_it_means_and_is_kept(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    rows = with_gains(league(QUIET, np.random.default_rng(1)), {(0, 1): -400, (1, 0): 200})
    stored(store, rows)
    made = store.leagues.get("spring")
    assert cached_coalitions(store, made) is None
    found = coalition_rows(store, made)
    assert len(found) == 30
    flagged = {(row.bot, row.other): row.flag for row in found if row.flag}
    assert flagged == {("b", "a"): "gains", ("a", "b"): "loses"}
    assert {(row.bot, row.other) for row in found[:2]} == set(flagged)
    (sentence,) = flags(found)
    assert sentence.startswith("b takes ")
    assert (
        "percentage points of share more at tables with a than its strength explains, and a takes "
        in sentence
    )
    assert cached_coalitions(store, made) == current_coalitions(store, made)
    assert [row.bot for row in coalition_rows(store, made, 2)] == ["c"] * 5


def test_the_least_likely_pair_comes_first(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    stored(store, league(QUIET, np.random.default_rng(1)))
    found = coalition_rows(store, store.leagues.get("spring"))
    chances = [row.chance_percent for row in found if row.chance_percent is not None]
    assert chances == sorted(chances)
    assert len(chances) == 30
    assert list(flags(found)) == []


@pytest.mark.slow
@pytest.mark.parametrize("setting", HONEST, ids=lambda one: one.words)
def test_honest_leagues_are_hardly_ever_flagged(setting: Setting) -> None:
    """At most 5 % of leagues: of 30, fewer than 7 with a probability of 99.9 %; the benchmark has the figures."""
    assert sum(is_wrongly_flagged(setting, number) for number in range(30)) < 7


@pytest.mark.slow
def test_soft_play_is_flagged() -> None:
    right = 0
    for number in range(20):
        rows = league(POWER._replace(matches=400), np.random.default_rng([1, number]), 2.0)
        right += any(
            (term.entry_no, term.other_no) == (0, 1) for term in found_in(rows).terms if term.is_flagged
        )
    assert right >= 17


@pytest.mark.slow
def test_the_feeder_of_the_benchmark_loses_to_its_friend_alone() -> None:
    """By the first turn it tells its friend from a bot that plays like it; 16 deals from every seat of a circle."""
    game = game_named("bread-basket")
    rules = game.resolve(ruleset(game.info, "tens", {}), 3)
    means = []
    for other in ("coalition_bots/friend", "../bots/bread_basket/greedy"):
        players = [
            Player(str(BENCHMARKS / name))
            for name in ("coalition_bots/feeder", other, "../bots/bread_basket/greedy")
        ]
        scores = np.zeros(3)
        for deal in range(16):
            for seated in seatings((0, 1, 2), "cyclic"):
                outcome = play(game, rules, [players[i] for i in seated], f"{deal}", Random(deal))
                scores[list(seated)] += outcome.scores
        means.append(scores / 48)
    with_friend, without = means
    assert with_friend[0] < without[0] - 15
    assert with_friend[1] > with_friend[0] + 20
