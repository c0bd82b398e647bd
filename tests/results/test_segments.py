"""Older replays move to segments: they are found there, and what happens to the files is found out."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from protocol.verdicts import Verdict
from results.base.errors import (
    NameRefused,
    ReplayNotKept,
    SegmentAway,
    SegmentDamaged,
    StoreFailed,
    StoreMissing,
    UnknownGame,
)
from results.records import LeagueRecord
from results.records.query_rows import Finding
from results.store import Store, open_store
from results.store.segments import moving_replays
from results.store.updating_derived_tables import rebuild
from results.store.upgrade import restore
from results.store.verification.verify import verify
from tests.support.ledgers import all_games, new_league, new_store, plan, played

MATCHES = 6


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with a league of six matches of two games; entry 0 was at fault in match 1."""
    return played_store(tmp_path)


def played_store(folder: Path, keep_replays: str = "all") -> Store:
    store = new_store(folder)
    league = new_league(store, keep_replays=keep_replays)
    matches = plan(store, league, *[(0, 1)] * MATCHES, games=2)
    games = all_games(matches)
    games[2] = played(matches[1], 0, (5, 1), faults={0: Verdict.MEMORY})
    store.append(games)
    return store


def segment_file(store: Store, number: int = 1) -> Path:
    return (
        store.segments.folder
        / {state.segment.number: state.segment.name for state in store.segments.all()}[number]
    )


def bodies(store: Store) -> dict[tuple[int, int], bytes]:
    return {
        (game.match_no, game.rotation): store.replays.get("spring", game.match_no, game.rotation).body
        for game in store.games.all("spring")
        if game.has_replay
    }


def told(findings: list[Finding]) -> str:
    return "\n".join(map(str, findings))


def test_replays_are_found_wherever_they_are(store: Store) -> None:
    before = bodies(store)
    asks = store.replays.asks_at_fault("spring")
    assert len(before) == 12
    for number in (1, 2):
        rolled = store.segments.roll(games=4)
        assert rolled is not None
        assert rolled.number == number
    assert store.segments.waiting() == 4
    assert bodies(store) == before
    assert store.replays.asks_at_fault("spring") == asks
    assert [state.games for state in store.segments.all()] == [4, 4]
    assert verify(store) == []
    rebuild(store)
    assert verify(store, jobs=2) == []
    assert store.segments.unknown_files() == []
    while store.segments.roll(games=3):
        pass
    assert bodies(store) == before
    assert store.segments.waiting() == 0


def test_the_store_moves_replays_by_itself_as_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving_replays, "SEGMENT_GAMES", 8)
    store = new_store(tmp_path)
    league = new_league(store)
    games = all_games(plan(store, league, *[(0, 1)] * 20, games=2))
    for start in range(0, 40, 3):
        store.append(games[start : start + 3])
    assert len(store.segments.all()) >= 4
    assert store.segments.waiting() < 16
    assert len(bodies(store)) == 40
    assert verify(store) == []


def test_a_size_is_a_bound_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving_replays, "SEGMENT_BYTES", 600)
    store = played_store(tmp_path)
    (state,) = store.segments.all()
    assert 2 <= state.games < 12


def test_a_full_disk_leaves_replays_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreFailed("full")

    monkeypatch.setattr(moving_replays, "SEGMENT_GAMES", 4)
    monkeypatch.setattr(moving_replays, "settle", full)
    store = played_store(tmp_path)
    assert store.segments.all() == []
    assert len(bodies(store)) == 12
    assert verify(store) == []


@pytest.mark.parametrize("step", ["settle", "enter", "next_number"])
def test_a_move_that_breaks_off_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = bodies(store)

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(moving_replays, step, broken)
        with pytest.raises(KeyboardInterrupt):
            store.segments.roll(games=4)
    assert bodies(store) == before
    assert verify(store) == []
    assert len(store.segments.unknown_files()) == (step == "enter"), "its file is complete, and harmless"
    store.segments.roll(games=4)
    assert bodies(store) == before
    assert verify(store) == []


def test_a_segment_that_is_away_is_named_and_can_be_fetched(store: Store, tmp_path: Path) -> None:
    before = bodies(store)
    store.segments.roll(games=4)
    store.segments.roll(games=4)
    away = tmp_path / "away"
    away.mkdir()
    done = store.segments.ship(away)
    assert (done.copied, done.there, done.removed, done.away) == (2, 0, 0, 0)
    done = store.segments.ship(away, remove=True)
    assert (done.copied, done.there, done.removed, done.away) == (0, 2, 2, 0)
    assert [state.is_here for state in store.segments.all()] == [False, False]
    with pytest.raises(SegmentAway, match=r"game spring/0.0 is in segment 1 \(000001-") as caught:
        store.replays.get("spring", 0, 0)
    assert caught.value.hint == "bring it back: arena db fetch 1"
    assert store.replays.get("spring", 5, 0).body == before[5, 0]
    assert all(game.has_replay for game in store.games.all("spring"))
    findings = verify(store)
    assert told(findings).count(f"it was shipped to {away}") == 2
    assert not any(finding.is_problem for finding in findings)
    assert [segment.number for segment in store.segments.fetch([1])] == [1]
    assert store.replays.get("spring", 0, 0).body == before[0, 0]
    assert [segment.number for segment in store.segments.fetch()] == [2]
    assert bodies(store) == before
    assert verify(store) == []
    with pytest.raises(UnknownGame):
        store.segments.fetch([7])


def test_a_lost_segment_is_a_problem_and_comes_back_from_a_copy(store: Store, tmp_path: Path) -> None:
    store.segments.roll(games=4)
    segment_file(store).rename(tmp_path / segment_file(store).name)
    findings = verify(store)
    assert [finding.mend for finding in findings] == ["fetch"]
    assert "segment 1: its file 000001-" in told(findings)
    with pytest.raises(StoreMissing, match="isn't noted"):
        store.segments.fetch()
    with pytest.raises(StoreMissing, match="segment 1 is not in"):
        store.segments.fetch(folder=tmp_path / "nowhere")
    store.segments.fetch(folder=tmp_path)
    assert verify(store) == []


def test_shipping_to_where_nothing_can_be_shipped(store: Store, tmp_path: Path) -> None:
    store.segments.roll(games=4)
    with pytest.raises(StoreMissing):
        store.segments.ship(tmp_path / "nowhere")
    with pytest.raises(NameRefused):
        store.segments.ship(store.segments.folder)
    (tmp_path / "away").mkdir()
    whole = segment_file(store).read_bytes()
    segment_file(store).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(SegmentDamaged):
        store.segments.ship(tmp_path / "away", remove=True)
    assert list((tmp_path / "away").iterdir()) == []
    assert segment_file(store).exists()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * (path.stat().st_size // 256))


def altered(path: Path) -> None:
    change(path, "UPDATE replay SET timing = x'00' WHERE match_no = 1 AND rotation = 1")


def without_a_row(path: Path) -> None:
    change(path, "DELETE FROM replay WHERE match_no = 0 AND rotation = 1")


def with_a_foreign_row(path: Path) -> None:
    change(path, "INSERT INTO replay VALUES (1, 77, 0, x'00', x'00')")


def of_another_league(path: Path) -> None:
    change(path, "UPDATE league SET uuid = 'other'")


def with_a_view(path: Path) -> None:
    change(path, "ALTER TABLE replay RENAME TO hidden", "CREATE VIEW replay AS SELECT * FROM hidden")


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as raw:
        for statement in statements:
            raw.execute(statement)
        raw.commit()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut, "bytes, not"),
        (emptied, "has 0 bytes, not"),
        (noise, "can't be read"),
        (altered, "spring/1.1 altered"),
        (without_a_row, "1 of 4 replays missing"),
        (with_a_foreign_row, "spring/77.0 not of this segment"),
        (of_another_league, "spring/0.0, spring/0.1, spring/1.0, spring/1.1 not of this segment"),
        (with_a_view, "is not a segment of replays"),
    ],
)
def test_verify_tells_what_happened_to_a_segment(
    store: Store, damage: Callable[[Path], None], words: str
) -> None:
    store.segments.roll(games=4)
    path = segment_file(store)
    whole = path.read_bytes()
    damage(path)
    findings = verify(store)
    assert findings[0].mend == "fetch"
    assert f"segment 1: its file {path.name} is not what was written" in str(findings[0])
    assert words in str(findings[0])
    if damage in (cut, emptied, noise, with_a_view):
        assert len(findings) == 1, "one finding for all of its replays"
        with pytest.raises(SegmentDamaged, match="segment 1 of replays is damaged"):
            store.replays.get("spring", 0, 0)
    if damage is altered:
        assert any((finding.match_no, finding.rotation) == (1, 1) for finding in findings)
        with pytest.raises(SegmentDamaged, match=r"game spring/1\.1"):
            store.replays.get("spring", 1, 1)
    path.with_name("good").mkdir()
    (path.with_name("good") / path.name).write_bytes(whole)
    store.segments.fetch([1], path.with_name("good"))
    assert verify(store) == []


def test_a_check_of_new_games_only_looks_at_the_size_of_older_segments(store: Store) -> None:
    store.segments.roll(games=4)
    altered(segment_file(store))
    assert verify(store, since=5) == []
    assert verify(store, since=1) != []
    cut(segment_file(store))
    assert [finding.mend for finding in verify(store, since=5)] == ["fetch"]


def test_a_segment_is_readable_for_whom_the_store_is(store: Store, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    for number, mode in enumerate((0o600, 0o644), 1):
        store.path.chmod(mode)
        store.segments.roll(games=2)
        store.segments.ship(tmp_path / "away")
        path = segment_file(store, number)
        assert (path.stat().st_mode & 0o777, (tmp_path / "away" / path.name).stat().st_mode & 0o777) == (
            mode,
            mode,
        )


def test_a_segment_swapped_for_another_is_found(store: Store) -> None:
    for _ in range(2):
        store.segments.roll(games=4)
    one, two = segment_file(store, 1), segment_file(store, 2)
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
    words = told(verify(store))
    assert f"its file {one.name} is not what was written" in words
    assert f"its file {two.name} is not what was written" in words
    assert (
        "spring/2.0, spring/2.1, spring/3.0, spring/3.1 not of this segment, 4 of 4 replays missing" in words
    )
    with pytest.raises(ReplayNotKept):
        store.replays.get("spring", 0, 0)


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        ("all", 12),
        ("faults", 1),
        ("none", 0),
        ("last 12", 12),
        ("last 9", 9),
        ("last 8", 8),
        ("last 3", 3),
        ("last 1", 1),
    ],
)
def test_pruning_reaches_into_segments(store: Store, policy: str, left: int) -> None:
    before = bodies(store)
    for _ in range(2):
        store.segments.roll(games=4)
    other = new_league(store, name="other")
    store.append(all_games(plan(store, other, (0, 1))))
    store.segments.roll(games=1)
    pruned = store.replays.prune("spring", policy)
    assert (pruned.replays, pruned.away) == (12 - left, [])
    kept = bodies(store)
    assert len(kept) == left
    assert kept.items() <= before.items()
    assert store.replays.get("other", 0, 0).body
    assert verify(store) == []
    assert store.segments.unknown_files() == []
    for number, rotation in before.keys() - kept.keys():
        with pytest.raises(ReplayNotKept, match="not kept"):
            store.replays.get("spring", number, rotation)
    assert store.replays.prune("spring", policy).replays == 0


def test_pruning_leaves_what_is_away(store: Store, tmp_path: Path) -> None:
    store.segments.roll(games=4)
    store.segments.roll(games=4)
    (tmp_path / "away").mkdir()
    store.segments.ship(tmp_path / "away", remove=True)
    pruned = store.replays.prune("spring", "last 6")
    assert [segment.number for segment in pruned.away] == [2]
    assert pruned.replays == 4, "those of the first segment, which are all older"
    store.segments.fetch()
    assert len(bodies(store)) == 8
    assert verify(store) == []


def test_a_league_that_keeps_the_last_replays_drops_whole_segments(tmp_path: Path) -> None:
    store = played_store(tmp_path, keep_replays="last 12")
    store.segments.roll(games=4)
    path = segment_file(store)
    matches = plan(store, store.leagues.get("spring"), *[(0, 1)] * (MATCHES + 2), games=2)
    store.append(all_games(matches[MATCHES : MATCHES + 1]))
    assert path.exists()
    store.append(all_games(matches[MATCHES + 1 :]))
    assert verify(store) == []
    store.append(all_games(plan(store, store.leagues.get("spring"), *[(0, 1)] * 9, games=2)[8:]))
    assert store.segments.all() == []
    assert not path.exists()
    assert len(bodies(store)) == 12
    assert verify(store) == []


def test_a_deleted_league_takes_its_segments_along(store: Store) -> None:
    store.segments.roll(games=4)
    path = segment_file(store)
    store.leagues.delete("spring")
    assert store.segments.all() == []
    assert not path.exists()
    assert verify(store) == []


def test_a_backup_has_the_segments_and_gives_them_back(store: Store, tmp_path: Path) -> None:
    before = bodies(store)
    store.segments.roll(games=4)
    assert store.backup(tmp_path / "one.sqlite") == 1
    with open_store(tmp_path / "one.sqlite", readonly=True) as backup:
        assert bodies(backup) == before
        assert verify(backup) == []
    store.segments.roll(games=4)
    store.close()
    shutil.rmtree(store.segments.folder)
    restore(store.path, tmp_path / "one.sqlite")
    with open_store(store.path) as restored:
        assert bodies(restored) == before
        assert verify(restored) == []
        restored.segments.roll(games=4)
        assert verify(restored) == []


def test_a_restored_store_does_not_overwrite_segments_of_the_other(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "one.sqlite")
    store.segments.roll(games=4)
    first = segment_file(store)
    store.close()
    restore(store.path, tmp_path / "one.sqlite")
    with open_store(store.path) as restored:
        assert restored.segments.unknown_files() == [first.name]
        restored.segments.roll(games=5)
        assert first.exists()
        assert verify(restored) == []


def test_unfinished_matches_stay_hidden_in_segments(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league: LeagueRecord = new_league(store)
    (match,) = plan(store, league, (0, 1), games=2)
    store.append([played(match)])
    store.segments.roll(games=4)
    with pytest.raises(Exception, match="can't be seen yet"):
        store.replays.get("spring", 0, 0)
    store.append([played(match, 1)])
    assert store.replays.get("spring", 0, 0).body
