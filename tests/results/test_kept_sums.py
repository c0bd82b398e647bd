"""Fits of long leagues read only what is new, and never believe sums of other matches."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from results.records import LeagueRecord
from results.reports import fits
from results.reports.fits import FitBy, new_fit
from results.store import Store
from results.store.derived_tables import rebuild
from results.store.totals import Seats
from tests.support.ledgers import new_league, new_store, plan, planned, played

EVERY = 4


@pytest.fixture
def read_from(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where reading began, each time."""
    firsts: list[int] = []
    arrays = Seats.arrays

    def noted(self: Seats, league: str, through: int, first: int = 0) -> Iterator[object]:
        firsts.append(first)
        return arrays(self, league, through, first)

    monkeypatch.setattr(Seats, "arrays", noted)
    monkeypatch.setattr(fits, "SUMS_CACHED_EVERY", EVERY)
    return firsts


def league_of(store: Store, matches: int) -> LeagueRecord:
    league = new_league(store, 3)
    plan(store, league, *[((0, 1), (1, 2), (0, 2))[number % 3] for number in range(20)])
    play_on(store, league, 0, matches)
    return league


def play_on(store: Store, league: LeagueRecord, first: int, end: int, seed: int = 1) -> None:
    for number in range(first, end):
        rng = Random(f"{seed}/{number}")
        match = planned(league, number, ((0, 1), (1, 2), (0, 2))[number % 3])
        store.append([played(match, 0, (rng.randint(0, 9), rng.randint(10, 19)))])


@pytest.mark.parametrize("by", FitBy)
def test_only_new_matches_are_read(tmp_path: Path, read_from: list[int], by: FitBy) -> None:
    store = new_store(tmp_path)
    league = league_of(store, 6)
    new_fit(store, league.uuid, by)
    play_on(store, league, 6, 9)
    second = new_fit(store, league.uuid, by)
    third = new_fit(store, league.uuid, by)
    play_on(store, league, 9, 12)
    grown = new_fit(store, league.uuid, by)
    new_fit(store, league.uuid, by)
    assert read_from == [0, 6, 6, 6, 12], "three new matches aren't worth a file, six are"
    assert second == third
    for file in (store.files / "fits").glob("*.npz"):
        file.unlink()
    assert new_fit(store, league.uuid, by) == grown
    assert read_from[-1] == 0


def test_short_leagues_keep_nothing(tmp_path: Path, read_from: list[int]) -> None:
    store = new_store(tmp_path)
    league = league_of(store, EVERY - 1)
    new_fit(store, league.uuid)
    assert not list(store.files.glob("fits/*.npz"))
    assert read_from == [0]


@pytest.mark.parametrize("scores", [(3, 15), (15, 3)])
def test_matches_that_were_played_again_are_read_again(
    tmp_path: Path, read_from: list[int], scores: tuple[int, int]
) -> None:
    """As after a backup was restored: whether the last match has another winner, or only another score."""
    store = new_store(tmp_path)
    league = league_of(store, 5)
    new_fit(store, league.uuid, FitBy.SCORES)
    (tmp_path / "other").mkdir()
    other = new_store(tmp_path / "other")
    again = league_of(other, 4)
    other.append([played(planned(again, 4, (1, 2)), 0, scores)])
    kept = store.files / "fits" / f"{league.uuid}.scores.npz"
    target = other.files / "fits" / f"{again.uuid}.scores.npz"
    target.parent.mkdir(parents=True)
    target.write_bytes(kept.read_bytes())
    made = new_fit(other, again.uuid, FitBy.SCORES)
    assert read_from == [0, 0]
    target.unlink()
    assert new_fit(other, again.uuid, FitBy.SCORES) == made


@pytest.mark.parametrize("text", [b"", b"no file of arrays", b"PK\x03\x04 cut off"])
def test_a_damaged_file_is_not_believed(tmp_path: Path, read_from: list[int], text: bytes) -> None:
    store = new_store(tmp_path)
    league = league_of(store, 6)
    made = new_fit(store, league.uuid)
    next(store.files.glob("fits/*.npz")).write_bytes(text)
    assert new_fit(store, league.uuid) == made
    assert read_from == [0, 0]


def test_arrays_that_are_code_are_not_read(tmp_path: Path, read_from: list[int]) -> None:
    store = new_store(tmp_path)
    league = league_of(store, 6)
    new_fit(store, league.uuid)
    path = next(store.files.glob("fits/*.npz"))
    np.savez(path, about=np.array([object()], dtype=object), allow_pickle=True)
    new_fit(store, league.uuid)
    assert read_from == [0, 0]


def test_the_digest_tells_what_is_before_from_what_is_after(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = league_of(store, 6)
    before = [store.ratings.prefix_digest(league.uuid, through) for through in range(1, 7)]
    play_on(store, league, 6, 9)
    assert [store.ratings.prefix_digest(league.uuid, through) for through in range(1, 7)] == before
    assert len(set(before)) == 6
    rebuild(store)
    assert store.ratings.prefix_digest(league.uuid, 6) == before[-1]
