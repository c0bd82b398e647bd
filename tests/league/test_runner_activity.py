"""A runner notes what it plays, in a file that is never a reason to fail, and that ends with the runner."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena import registry
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.executors.worker import SerialExecutor
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import EVERY_S, IDLE_S, Notes
from results.base.runner_notes import MOST_PLAYING, MOST_TEXT, MOST_TROUBLES, unpacked
from results.store import Runner, runner_of
from results.store.beside_store import FILE_NAME, read_notes
from tests.support.open_leagues import ROUNDS, open_league

RULES = ruleset(registry.game("bread-basket").info)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s

    def now(self) -> str:
        return f"2026-11-22T10:{int(self.s) // 60:02}:{int(self.s) % 60:02}.000Z"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def notes(tmp_path: Path, clock: Clock) -> Iterator[Notes]:
    with Notes(tmp_path, "runs league main", clock=clock, now=clock.now) as opened:
        yield opened


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def game(match_no: int, rotation: int = 0) -> Ticket:
    return Ticket("any", match_no, rotation, (1, 0), RULES, bytes(32))


def test_the_first_ticket_that_a_worker_has_not_returned_is_the_game_in_play(
    notes: Notes, clock: Clock
) -> None:
    with notes.playing("of-main", "main", lambda: {0: "ann", 1: "ben"}):
        notes.took(0, [game(4), game(5)])
        clock.s = 3
        notes.took(1, [game(6)])
        notes.took(0, [game(7)])
        told = notes.notes()
        assert [(one.worker, one.match_no, one.since) for one in told.playing] == [
            (0, 4, "2026-11-22T10:00:00.000Z"),
            (1, 6, "2026-11-22T10:00:03.000Z"),
        ]
        assert told.playing[0].bots == ("ben", "ann")
        assert told.queued == 2
        clock.s = 5
        notes.returned([(4, 0), (5, 0)])
        told = notes.notes()
        assert (told.playing[0].match_no, told.playing[0].since) == (7, "2026-11-22T10:00:05.000Z")
        notes.returned([(7, 0), (6, 0)])
        assert notes.notes().playing == ()
    assert notes.notes().league is None


def test_rates_are_those_of_the_last_minute_and_since_the_start(notes: Notes, clock: Clock) -> None:
    clock.s = 10
    notes.stored(20)
    assert (notes.notes().games_per_s, notes.notes().games_per_s_minute) == (2, 2)
    clock.s = 100
    notes.stored(30)
    told = notes.notes()
    assert (told.games, told.games_per_s, told.games_per_s_minute) == (50, 0.5, 0.5)


def test_a_league_waits_since_its_reason_is_the_same(notes: Notes, clock: Clock) -> None:
    notes.waits({"a": "paused: night"})
    clock.s = 5
    notes.waits({"a": "paused: night", "b": "nothing to play"})
    assert [(one.name, one.since[-7:]) for one in notes.notes().waiting] == [
        ("a", "00.000Z"),
        ("b", "05.000Z"),
    ]
    notes.waits({})
    assert notes.notes().waiting == ()


def test_what_is_noted_has_bounds_and_can_always_be_read_again(notes: Notes) -> None:
    long = "x" * 100_000
    with notes.playing(long[:36], long, lambda: {0: long, 1: long}):
        for worker_no in range(2 * MOST_PLAYING):
            notes.took(worker_no, [game(worker_no)])
        for _ in range(2 * MOST_TROUBLES):
            notes.failed((1, 0), long)
            notes.refused(long)
        notes.waits({f"{number}{long}": long for number in range(1000)})
        told = notes.notes()
    assert len(told.playing) == MOST_PLAYING
    assert len(told.errors) == len(told.refusals) == MOST_TROUBLES
    assert len(told.errors[0].what) == MOST_TEXT
    content = msgspec.json.encode(told)
    assert unpacked(content) == told


def test_the_file_is_written_at_most_once_a_second_and_is_gone_at_the_end(
    tmp_path: Path, clock: Clock
) -> None:
    with Notes(tmp_path, "serves leagues", clock=clock, now=clock.now) as notes:
        written = (tmp_path / FILE_NAME).stat()
        notes.waits({"a": "paused"})
        assert (tmp_path / FILE_NAME).stat().st_ino == written.st_ino
        assert (read := read_notes(tmp_path)) is not None
        assert read.waiting == ()
        clock.s = EVERY_S
        notes.waits({"a": "paused"})
        assert (read := read_notes(tmp_path)) is not None
        assert [one.name for one in read.waiting] == ["a"]
        written = (tmp_path / FILE_NAME).stat()
        clock.s = IDLE_S
        notes.waits({"a": "paused"})
        assert (tmp_path / FILE_NAME).stat().st_ino == written.st_ino, "nothing has changed"
        clock.s = EVERY_S + IDLE_S
        notes.waits({"a": "paused"})
        assert (tmp_path / FILE_NAME).stat().st_ino != written.st_ino, (
            "written again: somebody may have waited"
        )
        assert names_in(tmp_path) == [FILE_NAME]
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_takes_nothing_is_no_error(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("results.base.permissions.os.fdopen", refuse)
    with Notes(tmp_path, "serves leagues") as notes:
        notes.waits({"a": "paused"})
        assert names_in(tmp_path) == []
    with Notes(tmp_path / "nowhere", "serves leagues"):
        pass


def test_text_that_is_no_unicode_is_no_error(tmp_path: Path) -> None:
    with Notes(tmp_path, "serves leagues \udcff"):
        assert names_in(tmp_path) == []


def test_a_run_notes_its_games_and_removes_the_file_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pause in ("EVERY_S", "IDLE_S"):
        monkeypatch.setattr(f"arena.league.running.runner_activity.{pause}", 0)
    seen: list[Runner] = []
    with open_league(tmp_path, ROUNDS, bots=3) as store:
        run = LeagueRun(store, store.leagues.get("main"), executor=SerialExecutor())
        begin = run.take_up

        def look() -> None:
            begin()
            seen.append(runner_of(store.path))

        run.take_up = look
        assert run.run(lambda _: None)
        assert runner_of(store.path) == Runner(None, None)
        assert not (store.files / FILE_NAME).exists()
    runner = seen[-1]
    assert runner.is_running
    assert runner.holder is not None
    assert runner.notes is not None
    assert runner.notes.pid == runner.holder.pid == os.getpid()
    assert runner.notes.does == runner.holder.does == "runs league main"
    assert runner.notes.league is not None
    assert runner.notes.league.name == "main"
