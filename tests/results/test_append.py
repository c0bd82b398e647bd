"""Taking in games: once each, all or nothing, visible when their match is complete."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from protocol.verdicts import Verdict
from results import ratings
from results.base.errors import (
    FoldFailed,
    LedgerConflict,
    MatchUnfinished,
    ReplayNotKept,
    UnknownGame,
    UnknownLeague,
)
from results.base.plugins import Found
from results.ratings.base import Rating
from results.ratings.trueskill import TrueSkill, TrueSkillSettings
from results.records import AttemptRecord, EntrySpec, GameRecord, LogRecord, SeatRecord
from results.store import Store, open_store
from results.store.verification.verify import verify
from tests.support.ledgers import NOW, RULES, all_games, new_league, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def test_a_game_is_kept_as_it_came(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (3, 0, 1))
    log = LogRecord(2, b"thinking", b"\xff gave up", 7)
    record = played(
        match, scores=(5, 0, 5), faults={2: Verdict.TIMEOUT}, logs=(log, LogRecord(0, b"", b"", 0))
    )
    store.append([record])
    game = store.games.get(league.uuid, 0, 0)
    assert game.seats == record.seats
    assert [(seat.entry_no, seat.rank, seat.verdict) for seat in game.seats] == [
        (3, 1, None),
        (0, 2, None),
        (1, 3, Verdict.TIMEOUT),
    ]
    for name in ("fingerprint", "decisions", "wall_ns", "sandbox", "worker", "finished_at"):
        assert getattr(game, name) == getattr(record, name)
    replay = store.replays.get(league.uuid, 0, 0)
    assert (replay.body, replay.timing) == (zlib.decompress(record.body), zlib.decompress(record.timing))
    assert store.replays.logs(league.uuid, 0, 0) == (log,), "silent bots have no log"


def test_the_same_game_again_is_nothing(store: Store) -> None:
    league = new_league(store)
    matches = plan(store, league, (0, 1), (2, 3), games=2)
    games = all_games(matches)
    store.append(games[:3])
    before = store.ratings.standings(league.uuid), store.ratings.digest(league.uuid)
    store.append(games[:3])
    store.append([games[0], games[0]])
    assert (store.ratings.standings(league.uuid), store.ratings.digest(league.uuid)) == before
    assert store.leagues.progress(league.uuid).games_done == 3
    store.append([*games, *games])
    assert store.leagues.progress(league.uuid).games_done == 4
    assert verify(store) == []


def test_a_different_game_is_a_conflict_that_keeps_the_first_and_stores_the_rest(store: Store) -> None:
    league = new_league(store)
    matches = plan(store, league, (0, 1), (2, 3), (1, 2))
    first = played(matches[0])
    store.append([first])
    other = played(matches[0], salt="not the same")
    with pytest.raises(LedgerConflict, match=r"game spring/0\.0") as caught:
        store.append([played(matches[1]), other, played(matches[2])])
    assert first.fingerprint in str(caught.value)
    assert other.fingerprint in str(caught.value)
    assert store.games.get(league.uuid, 0, 0).fingerprint == first.fingerprint
    assert store.leagues.progress(league.uuid).matches_counted == 3
    assert verify(store) == []


def test_two_that_differ_in_one_chunk_are_a_conflict_too(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1))
    first = played(match)
    with pytest.raises(LedgerConflict) as caught:
        store.append([first, played(match, salt="x"), played(match, salt="y")])
    assert len(caught.value.conflicts) == 2
    assert store.games.get(league.uuid, 0, 0).fingerprint == first.fingerprint


def changed(game: GameRecord, seat: int, **change: object) -> GameRecord:
    seats: list[SeatRecord] = list(game.seats)
    seats[seat] = msgspec.structs.replace(seats[seat], **change)
    return msgspec.structs.replace(game, seats=tuple(seats))


def test_records_that_can_not_be_true_are_refused_and_the_rest_is_stored(store: Store) -> None:
    league = new_league(store)
    match, good = plan(store, league, (0, 1), (2, 3))
    game = played(match, scores=(2, 1))
    bad = {
        "not planned": msgspec.structs.replace(game, match_no=9),
        "has 1 games": msgspec.structs.replace(game, rotation=1),
        "seats are": msgspec.structs.replace(game, seats=game.seats[:1]),
        "not those of the match": changed(game, 0, entry_no=2),
        "not valid ranks": changed(game, 1, rank=3),
        "for platform errors": changed(game, 1, verdict=Verdict.OVERLOAD),
        "has the score": changed(game, 0, score=1 << 41),
        "times out of range": changed(game, 0, wall_ns=-1),
    }
    for word, record in bad.items():
        with pytest.raises(LedgerConflict, match=word):
            store.append([record])
    with pytest.raises(LedgerConflict):
        store.append([*bad.values(), played(good)])
    assert store.games.keys(league.uuid) == {(1, 0)}
    with pytest.raises(UnknownLeague):
        store.append([msgspec.structs.replace(game, league="nowhere"), game])
    assert store.games.keys(league.uuid) == {(1, 0)}, "an error that is no conflict stores nothing"


def test_the_rankings_count_the_complete_prefix_of_matches(store: Store) -> None:
    league = new_league(store)
    matches = plan(store, league, (0, 1), (2, 3), (0, 2), games=2)

    def counted() -> tuple[int, int]:
        return store.leagues.progress(league.uuid).matches_counted, sum(
            row.games for row in store.ratings.standings("spring")
        )

    store.append(all_games(matches[1:]))
    assert counted() == (0, 0), "match 0 is not in"
    assert [row.mu for row in store.ratings.standings("spring")] == [25.0] * 4
    store.append([played(matches[0], 1)])
    assert counted() == (0, 0), "match 0 is in by half"
    store.append([played(matches[0], 0)])
    assert counted() == (3, 12)
    assert [match.state for match in store.matches.all(league.uuid)] == ["done"] * 3


def test_a_void_match_is_passed_over(store: Store) -> None:
    league = new_league(store)
    matches = plan(store, league, (0, 1), (2, 3), (0, 2), games=2)
    store.append([*all_games(matches[:1]), played(matches[1], 0), *all_games(matches[2:])])
    assert store.leagues.progress(league.uuid).matches_counted == 1
    store.append([], void_matches=[(league.uuid, 1)])
    progress = store.leagues.progress(league.uuid)
    assert (progress.matches_counted, progress.matches_done, progress.matches_void) == (3, 2, 1)
    standings = {row.label: row.games for row in store.ratings.standings(league.uuid)}
    assert standings == {"a": 4, "b": 2, "c": 2, "d": 0}
    store.append([], void_matches=[(league.uuid, 1)])
    assert store.leagues.progress(league.uuid).matches_void == 1
    store.append([played(matches[1], 1)])
    assert store.matches.get(league.uuid, 1).state == "void", "a game that comes late does not bring it back"
    assert store.leagues.progress(league.uuid).games_done == 6
    assert verify(store) == []


def test_a_match_with_all_games_in_can_not_become_void(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1))
    with pytest.raises(LedgerConflict, match="all its games are in"):
        store.append([played(match)], void_matches=[(league.uuid, 0)])
    assert store.matches.get(league.uuid, 0).state == "done"
    with pytest.raises(LedgerConflict, match="not planned"):
        store.append([], void_matches=[(league.uuid, 5)])


def attempt(league: str, number: int, **change: object) -> AttemptRecord:
    record = AttemptRecord(league, 0, 0, number, Verdict.LOST_WORKER, "killed", "w1", NOW)
    return msgspec.structs.replace(record, **change)


def test_what_failed_through_the_platform_is_written_down_once(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1))
    attempts = [attempt(league.uuid, 1), attempt(league.uuid, 2, entry_no=1, verdict=Verdict.OVERLOAD)]
    store.append([], attempts)
    store.append([played(match)], attempts)
    assert store.games.attempts(league.uuid) == store.games.attempts(league.uuid, 0) == attempts
    assert store.games.attempts(league.uuid, 1) == []
    with pytest.raises(LedgerConflict, match="not a platform error"):
        store.append([], [attempt(league.uuid, 3, verdict=Verdict.CRASH)])
    with pytest.raises(LedgerConflict, match="not planned"):
        store.append([], [attempt(league.uuid, 3, match_no=4)])


def test_replays_and_logs_are_seen_once_all_games_of_the_match_are_in(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1), games=2)
    store.append([played(match, 0, logs=(LogRecord(0, b"I hold a 7", b"", 0),))])
    with pytest.raises(MatchUnfinished, match=r"spring/0\.0"):
        store.replays.get(league.uuid, 0, 0)
    with pytest.raises(MatchUnfinished):
        store.replays.logs(league.uuid, 0, 0)
    with pytest.raises(UnknownGame, match=r"spring/0\.1"):
        store.replays.get(league.uuid, 0, 1)
    store.append([played(match, 1)])
    assert store.replays.get(league.uuid, 0, 0).body
    assert store.replays.logs(league.uuid, 0, 0)[0].head == b"I hold a 7"


def test_a_void_match_hides_nothing(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1), games=2)
    store.append([played(match, 0)], void_matches=[(league.uuid, 0)])
    assert store.replays.get(league.uuid, 0, 0).body


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ("all", [0, 1, 2, 3, 4]),
        ("none", []),
        ("faults", [1, 3]),
        ("last 2", [3, 4]),
        ("last 9", [0, 1, 2, 3, 4]),
    ],
)
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1]])
def test_which_replays_are_kept(store: Store, policy: str, kept: list[int], order: list[int]) -> None:
    league = new_league(store, keep_replays=policy)
    matches = plan(store, league, *[(0, 1)] * 5)
    for number in order:
        faults = {0: Verdict.CRASH} if number in (1, 3) else None
        store.append([played(matches[number], faults=faults, logs=(LogRecord(0, b"x", b"", 0),))])
    games = store.games.all(league.uuid)
    assert [game.match_no for game in games if game.has_replay] == kept
    assert [game.match_no for game in games] == [0, 1, 2, 3, 4]
    for number in set(range(5)) - set(kept):
        with pytest.raises(ReplayNotKept, match="not kept"):
            store.replays.get(league.uuid, number, 0)
        assert store.replays.logs(league.uuid, number, 0)
    assert verify(store) == []


@pytest.mark.parametrize(("policy", "left"), [("all", 5), ("faults", 1), ("last 3", 3), ("none", 0)])
def test_replays_can_be_dropped_later(store: Store, policy: str, left: int) -> None:
    league = new_league(store)
    matches = plan(store, league, *[(0, 1)] * 5)
    store.append(
        [played(match, faults={1: Verdict.CRASH} if match.match_no == 2 else None) for match in matches]
    )
    before = store.ratings.digest(league.uuid), store.games.fingerprint(league.uuid)
    assert store.replays.prune(league.uuid, policy).replays == 5 - left
    assert sum(game.has_replay for game in store.games.all(league.uuid)) == left
    assert (store.ratings.digest(league.uuid), store.games.fingerprint(league.uuid)) == before
    assert verify(store) == []


def test_games_of_several_leagues_in_one_chunk(store: Store) -> None:
    one, two = new_league(store, name="one"), new_league(store, name="two")
    games = [*all_games(plan(store, one, (0, 1))), *all_games(plan(store, two, (2, 3)))]
    store.append(games)
    assert [store.leagues.progress(name).matches_counted for name in ("one", "two")] == [1, 1]


def test_a_bot_may_sit_at_a_table_twice_in_the_built_in_league_and_nothing_is_rated(store: Store) -> None:
    store.leagues.casual()
    for label in ("x", "y"):
        store.entries.casual(EntrySpec(label, None))
    match = store.matches.plan_next("casual", (0, 0, 1), 1, ruleset=RULES)
    store.append([played(match, scores=(3, 1, 2))])
    assert store.matches.get("casual", 0).state == "done"
    assert store.ratings.standings("casual") == []
    assert store.totals.head_to_head("casual") == []
    assert [seat.entry_no for seat in store.games.get("casual", 0, 0).seats] == [0, 0, 1]
    (result,) = store.matches.results("casual")
    assert result.scores == (4, 4, 2)
    assert verify(store) == []


class Fragile(TrueSkill):
    """Fails at every match, until it is mended."""

    name = "fragile"
    mended = False

    def rate(
        self, settings: TrueSkillSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> tuple[Rating, ...]:
        if not self.mended:
            raise ZeroDivisionError("out of ideas")
        return super().rate(settings, ratings, ranks)


def test_a_rating_system_that_fails_loses_no_game(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "rating_systems", lambda: Found("rating system", {"fragile": Fragile()}, ()))
    entries = [EntrySpec("a", None), EntrySpec("b", None)]
    league = store.leagues.create("spring", config={}, ruleset=RULES, entries=entries, rating="fragile")
    matches = plan(store, league, (0, 1), (1, 0))
    with pytest.raises(FoldFailed, match="out of ideas") as caught:
        store.append([played(matches[0])])
    assert "db rebuild" in caught.value.hint
    assert store.games.keys(league.uuid) == {(0, 0)}
    assert store.leagues.progress(league.uuid).matches_counted == 0
    monkeypatch.setattr(Fragile, "mended", True)
    store.append([played(matches[1])])
    assert store.leagues.progress(league.uuid).matches_counted == 2
    assert verify(store) == []


def test_many_last_replays_are_counted_now_and_then(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store, keep_replays="last 128")
    games = all_games(plan(store, league, *[(0, 1)] * 135))
    store.append(games[:127])
    kept = []
    for game in games[127:]:
        store.append([game])
        kept.append(sum(one.has_replay for one in store.games.all(league.uuid)))
    assert kept == [128, 129, 128, 129, 128, 129, 128, 129]
    assert verify(store) == []


@pytest.mark.slow
def test_a_chunk_with_more_matches_than_a_statement_takes_values(store: Store) -> None:
    league = new_league(store)
    games = all_games(plan(store, league, *[(0, 1)] * 40_000))
    store.append(games)
    assert store.leagues.progress(league.uuid).matches_counted == 40_000


def test_nothing_of_an_append_is_seen_before_its_end(store: Store) -> None:
    league = new_league(store)
    (match,) = plan(store, league, (0, 1))
    with open_store(store.path, readonly=True) as reader:
        with store.changing() as connection:
            connection.execute("UPDATE progress SET games_done = 77")
            assert reader.leagues.progress(league.uuid).games_done == 0
            connection.execute("UPDATE progress SET games_done = 0")
        store.append([played(match)])
        assert reader.leagues.progress(league.uuid).games_done == 1
        assert reader.ratings.standings(league.uuid) == store.ratings.standings(league.uuid)
