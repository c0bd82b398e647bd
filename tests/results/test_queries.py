"""What is read from the derived tables, held against the games themselves."""

import sqlite3
from contextlib import closing
from fractions import Fraction
from operator import attrgetter
from pathlib import Path

import pytest

from protocol.verdicts import Verdict
from results.base.errors import UnknownGame
from results.base.scoring import UNIT
from results.ratings import rater
from results.ratings.base import USUAL, Rating
from results.records import EntrySpec, LeagueRecord
from results.records.query_rows import HeadToHead, Standing, ranked
from results.store import Store
from tests.support.ledgers import RULES, all_games, new_league, new_store, plan, played, queries_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def small_league(store: Store) -> LeagueRecord:
    """Make a league of a, b and c: b beats a twice in match 0, b and c share match 1, a is out of the third."""
    league = new_league(store, 4)
    matches = plan(store, league, (0, 1), (1, 2), (2, 0), games=2)
    store.append(
        [
            played(matches[0], 0, (1, 9)),
            played(matches[0], 1, (7, 2)),
            played(matches[1], 0, (3, 3)),
            played(matches[1], 1, (4, 5)),
            played(matches[2], 0, (8, 8), faults={1: Verdict.CRASH}),
        ]
    )
    store.append([played(matches[2], 1, (2, 6))])
    return league


def test_standings(store: Store) -> None:
    league = small_league(store)
    rows = {row.label: row for row in store.ratings.standings(league.uuid)}
    assert [row.label for row in store.ratings.standings(league.uuid)] == ["b", "c", "a", "d"]
    assert [row.place for row in store.ratings.standings("spring")] == [1, 2, 3, 4]
    a, b, c, d = (rows[label] for label in "abcd")
    # a: 0, 0; fault in 2.0; in 2.1 it sits first with 2 points of 6.
    assert (a.matches, a.games, a.wins, a.share, a.score, a.faults) == (2, 4, 0.0, 0.0, 13 / 4, 1)
    # b: 1, 1; 1/2; in 1.1 it sits second and wins 5 to 4.
    assert (b.matches, b.games, b.wins, b.share, b.faults) == (2, 4, 3.5, 3.5 / 4, 0)
    assert (c.matches, c.games, c.wins, c.share) == (2, 4, 2.5, 2.5 / 4)
    assert d == Standing(4, 3, "d", None, 25.0, 25 / 3, 0, 0, 0.0, None, None, 0, None, None, False)
    assert (a.last_match_no, b.last_match_no, c.last_match_no) == (2, 1, 2)


def test_ratings_are_one_update_per_match(store: Store) -> None:
    league = small_league(store)
    system = rater("trueskill")
    a = b = c = system.scale.start
    a, b = system.rate([a, b], [2, 1])
    b, c = system.rate([b, c], [1, 2])
    before = c
    c, a = system.rate([c, a], [1, 2])
    rows = {row.label: row for row in store.ratings.standings(league.uuid)}
    assert [Rating(rows[x].mu, rows[x].sigma) for x in "abc"] == [a, b, c]
    assert rows["c"].change == c.mu - before.mu


def test_an_entry_starts_at_its_prior(store: Store) -> None:
    entries = [EntrySpec("old", None, prior=Rating(40.0, 1.0)), EntrySpec("new", None)]
    league = store.leagues.create("spring", config={}, ruleset=RULES, entries=entries)
    assert [(row.label, row.mu) for row in store.ratings.standings("spring")] == [
        ("old", 40.0),
        ("new", 25.0),
    ]
    (match,) = plan(store, league, (0, 1))
    store.append([played(match, 0, (3, 1))])
    right = rater("trueskill").rate([Rating(40.0, 1.0), USUAL.start], [1, 2])
    assert [Rating(row.mu, row.sigma) for row in store.ratings.standings("spring")] == list(right)


def test_a_retired_entry_stays_in_the_rankings_marked(store: Store) -> None:
    league = small_league(store)
    store.entries.retire(league.uuid, 1, 3)
    assert [row.label for row in store.ratings.standings("spring") if row.retired] == ["b"]


def test_equal_ratings_share_a_place_and_those_without_a_match_come_last() -> None:
    def row(entry_no: int, mu: float, matches: int, share: float | None) -> Standing:
        return Standing(0, entry_no, "", None, mu, 0.0, matches, 0, 0.0, share, None, 0, None, None, False)

    rows = [
        row(0, 0.0, 0, None),
        row(1, -3.0, 2, 0.2),
        row(2, 5.0, 2, 0.5),
        row(3, 5.0, 2, 0.6),
        row(4, 0.0, 0, None),
    ]
    assert [(r.entry_no, r.place) for r in ranked(rows)] == [(3, 1), (2, 1), (1, 3), (0, 4), (4, 4)]
    assert ranked([]) == []


def test_head_to_head_is_seen_from_both_sides(store: Store) -> None:
    league = small_league(store)
    pairs = {(pair.entry_no, pair.opponent_no): pair for pair in store.totals.head_to_head(league.uuid)}
    assert list(pairs) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert pairs[1, 2] == HeadToHead(
        1, 2, games=2, games_above=1, games_tied=1, matches=1, matches_above=1, matches_tied=0
    )
    assert pairs[2, 1] == HeadToHead(
        2, 1, games=2, games_above=0, games_tied=1, matches=1, matches_above=0, matches_tied=0
    )
    assert (pairs[1, 0].games_above, pairs[0, 1].games_above) == (2, 0)


def test_statistics_by_seat_add_up_to_those_of_the_entry(store: Store) -> None:
    league = small_league(store)
    standing = {row.entry_no: row for row in store.ratings.standings(league.uuid)}
    seats = store.totals.by_seat(league.uuid)
    assert {(row.entry_no, row.seats, row.seat) for row in seats} == {
        (e, 2, s) for e in range(3) for s in range(2)
    }
    for entry in range(3):
        of_entry = [row for row in seats if row.entry_no == entry]
        assert sum(row.games for row in of_entry) == standing[entry].games
        assert sum(row.wins for row in of_entry) == standing[entry].wins
        assert sum(row.share * row.games for row in of_entry) / 4 == standing[entry].share


def test_statistics_of_entries(store: Store) -> None:
    league = small_league(store)
    rows = store.totals.by_entry(league.uuid)
    assert [(row.label, row.faults) for row in rows] == [("a", {"crash": 1}), ("b", {}), ("c", {})]
    assert rows[0].decisions == 40
    assert rows[0].max_wall_ns == 300_001
    assert rows[0].wall_ns == 4_000_002


def test_the_history_of_ratings_ends_where_the_rankings_are(store: Store) -> None:
    league = small_league(store)
    history = list(store.ratings.history(league.uuid))
    assert [(point.match_no, point.entry_no) for point in history] == [
        (0, 0),
        (0, 1),
        (1, 1),
        (1, 2),
        (2, 0),
        (2, 2),
    ]
    of_a = list(store.ratings.history(league.uuid, 0))
    assert [point.match_no for point in of_a] == [0, 2]
    (a,) = [row for row in store.ratings.standings(league.uuid) if row.label == "a"]
    assert (of_a[-1].mu, of_a[-1].sigma) == (a.mu, a.sigma)


def test_ratings_as_they_were_after_a_match(store: Store) -> None:
    league = small_league(store)
    now = {row.entry_no: Rating(row.mu, row.sigma) for row in store.ratings.standings(league.uuid)}
    start = USUAL.start
    assert store.ratings.after(league.uuid, -1) == dict.fromkeys(range(4), start)
    assert store.ratings.after(league.uuid, 2) == now
    after_first = store.ratings.after(league.uuid, 0)
    assert (after_first[2], after_first[3]) == (start, start)
    assert [after_first[entry] for entry in (0, 1)] == list(rater("trueskill").rate([start, start], [2, 1]))
    with pytest.raises(UnknownGame, match="match 3"):
        store.ratings.after(league.uuid, 3)


def test_results_of_matches(store: Store) -> None:
    league = small_league(store)
    first, second, third = store.matches.results(league.uuid)
    assert [Fraction(share, UNIT) for share in first.shares] == [0, 2]
    assert [Fraction(share, UNIT) for share in second.shares] == [Fraction(3, 2), Fraction(1, 2)]
    assert (third.entries, third.ranks, third.scores, third.games) == ((2, 0), (1, 2), (14, 10), 2)
    assert list(store.matches.results(league.uuid, 1, 1)) == [second]
    assert list(store.matches.results(league.uuid, 2, 99)) == [third]


def test_games_are_listed_by_what_is_asked_for(store: Store) -> None:
    league = small_league(store)

    def keys(**wanted: object) -> list[tuple[int, int]]:
        return [(game.match_no, game.rotation) for game in store.games.all(league.uuid, **wanted)]  # type: ignore[arg-type]

    every = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert keys() == every
    assert keys(newest_first=True) == every[::-1]
    assert keys(entries=[1]) == every[:4]
    assert keys(entries=[3]) == []
    assert keys(match_no=1) == every[2:4]
    assert keys(verdict=Verdict.CRASH) == keys(verdict=Verdict.CRASH, entries=[0]) == [(2, 0)]
    assert keys(verdict=Verdict.CRASH, entries=[2]) == keys(verdict=Verdict.TIMEOUT) == []
    assert keys(limit=2) == every[:2]
    assert keys(limit=2, after=(0, 1)) == every[2:4]
    assert keys(limit=2, newest_first=True, after=(1, 1)) == [(1, 0), (0, 1)]


def test_one_game(store: Store) -> None:
    league = small_league(store)
    game = store.games.get(league.uuid, 2, 0)
    assert (game.league, game.match_no, game.rotation, game.state, game.has_replay) == (
        "spring",
        2,
        0,
        "done",
        True,
    )
    assert [(seat.entry_no, seat.score, seat.rank, seat.verdict) for seat in game.seats] == [
        (2, 8, 1, None),
        (0, 8, 2, Verdict.CRASH),
    ]
    with pytest.raises(UnknownGame, match=r"spring/2\.7"):
        store.games.get(league.uuid, 2, 7)


def test_faults_with_all_that_their_author_needs(store: Store) -> None:
    league = small_league(store)
    (fault,) = store.games.faults(league.uuid)
    assert (fault.match_no, fault.rotation, fault.seat, fault.label) == (2, 0, 1, "a")
    assert (fault.verdict, fault.detail, fault.at_decision, fault.worker) == (
        "crash",
        "1200 ms of 1000 ms",
        7,
        "w1",
    )
    assert store.games.faults(league.uuid, entries=[0]) == [fault]
    assert store.games.faults(league.uuid, entries=[1]) == []


def test_leagues_do_not_mix(store: Store) -> None:
    small_league(store)
    other = new_league(store, name="other")
    store.append(all_games(plan(store, other, (0, 1), (2, 3), (0, 3), (1, 2), games=2)))
    lone = new_store(store.path.parent, "lone.sqlite")
    small_league(lone)
    for read in (
        "ratings.standings",
        "totals.head_to_head",
        "totals.by_seat",
        "totals.by_entry",
        "totals.deal_sums",
        "ratings.history",
        "games.faults",
    ):
        assert list(attrgetter(read)(store)("spring")) == list(attrgetter(read)(lone)("spring"))
    assert store.ratings.digest("spring") == lone.ratings.digest("spring")
    assert store.games.fingerprint("spring") == lone.games.fingerprint("spring")
    assert store.games.all("spring") == lone.games.all("spring")


def test_digests_tell_leagues_apart(store: Store) -> None:
    one = new_league(store, name="one")
    two = new_league(store, name="two")
    for league, scores in ((one, (2, 1)), (two, (1, 2))):
        (match,) = plan(store, league, (0, 1))
        store.append([played(match, 0, scores)])
    assert store.games.fingerprint("one") != store.games.fingerprint("two")
    assert store.ratings.digest("one") != store.ratings.digest("two")


@pytest.mark.parametrize(
    "read",
    [
        "ratings.standings",
        "totals.head_to_head",
        "totals.by_seat",
        "totals.by_entry",
        "totals.deal_sums",
        "leagues.progress",
        "ratings.digest",
    ],
)
def test_rankings_read_derived_tables_only(store: Store, read: str) -> None:
    """With a million games they cost what they cost with a thousand."""
    small_league(store)
    seen = queries_of(store)
    attrgetter(read)(store)("spring")
    assert any("FROM" in statement for statement in seen)
    for statement in seen:
        for table in ("seat", "game", "match", "replay", "log", "rating_point"):
            assert f"FROM {table} " not in statement.replace("\n", " ").replace('"', "") + " "


def test_the_documented_view(store: Store) -> None:
    small_league(store)
    with closing(sqlite3.connect(store.path)) as connection:  # as the sqlite3 shell does, which trusts views
        rows = connection.execute(
            "SELECT entry, round(share, 3), wins, faults FROM standing WHERE league = 'spring' "
            "ORDER BY mu DESC"
        )
        assert rows.fetchall() == [
            ("b", 0.875, 3.5, 0),
            ("c", 0.625, 2.5, 0),
            ("a", 0.0, 0.0, 1),
        ]


def test_no_listing_reads_a_whole_league_to_find_a_few(store: Store) -> None:
    """Each is found by an index of its own: otherwise a long league would make them slow."""
    league = small_league(store)
    asked = queries_of(store)
    store.games.all(league.uuid, verdict=Verdict.CRASH, limit=5, newest_first=True)
    store.games.all(league.uuid, entries=[1], verdict=Verdict.CRASH, limit=5)
    store.games.all(league.uuid, entries=[1], limit=5, newest_first=True)
    store.games.faults(league.uuid)
    store.matches.open(league.uuid)
    store.ratings.after(league.uuid, 1)
    store.ratings.course(league.uuid, 5, 1)
    list(store.ratings.history(league.uuid, 1))
    store.totals.head_to_head(league.uuid, [1])
    store.games.placings(league.uuid, 1, 5)
    store.games.faults(league.uuid, first=1)
    store.matches.rulesets(league.uuid)
    store.games.sandbox_levels(league.uuid)
    store.append([played(store.matches.get(league.uuid, 0), 0, (1, 9))])
    raw = sqlite3.connect(store.path)
    plans = {
        row[3]: statement for statement in asked for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}")
    }
    raw.close()
    assert any("seat_fault" in step for step in plans)
    assert any("seat_entry" in step for step in plans)
    assert any("game_sandbox" in step for step in plans)
    for step, statement in plans.items():
        for table in ("seat", "game", "match", "rating_point", "pair_total"):
            assert step != f"SEARCH {table} USING PRIMARY KEY (league_id=?)", statement
            assert not step.startswith(f"SCAN {table}"), statement


def test_ratings_after_a_match_are_those_of_a_league_that_ends_with_it(tmp_path: Path) -> None:
    tables = [(0, 1), (2, 1), (0, 3), (2, 0), (1, 3)]
    folders = [tmp_path / name for name in ("all", "some")]
    for folder in folders:
        folder.mkdir()
    stores = [new_store(folder) for folder in folders]
    leagues = [new_league(store, 5) for store in stores]
    plans = [plan(store, league, *tables) for store, league in zip(stores, leagues, strict=True)]
    stores[0].append([played(match, 0, (5, 1)) for match in plans[0]])
    known = stores[1].ratings.after(leagues[1].uuid, -1)
    assert stores[0].ratings.after(leagues[0].uuid, -1) == known
    for match in plans[1]:
        stores[1].append([played(match, 0, (5, 1))])
        rankings = stores[1].ratings.standings(leagues[1].uuid)
        ratings = {row.entry_no: Rating(row.mu, row.sigma) for row in rankings}
        no = match.match_no
        assert [store.ratings.after(of.uuid, no) for store, of in zip(stores, leagues, strict=True)] == [
            ratings
        ] * 2
        known |= stores[0].ratings.changed(leagues[0].uuid, no, no)
        assert known == ratings
    with pytest.raises(UnknownGame):
        stores[0].ratings.changed(leagues[0].uuid, 4, 5)
