"""The executor that plays in this process."""

import os
from pathlib import Path

import pytest

from arena.executors.base import Stop
from arena.executors.worker import SerialExecutor
from arena.sandbox.survivors import find_marked
from tests.support.toys import DAEMON, Do, Source, Toy
from tests.support.waiting import eventually


def test_tickets_are_played_here_in_order_and_asked_for_one_by_one(tmp_path: Path) -> None:
    source = Source(Do(number) for number in range(5))
    chunks = list(SerialExecutor().run(Toy(folder=tmp_path), source, Stop()))
    assert [[done.number for done in chunk] for chunk in chunks] == [[0], [1], [2], [3], [4]]
    assert {done.pid for chunk in chunks for done in chunk} == {os.getpid()}
    assert set(source.asked) == {1}
    assert (tmp_path / f"closed-{os.getpid()}").exists()


@pytest.mark.parametrize("word", ["after_game", "at_once"])
def test_it_stops_between_games(word: str) -> None:
    stop = Stop()
    numbers = []
    for chunk in SerialExecutor().run(Toy(), Source(map(Do, range(9))), stop):
        numbers += [done.number for done in chunk]
        setattr(stop, word, len(numbers) == 3)
    assert numbers == [0, 1, 2]


def test_what_a_game_raises_goes_through_and_the_work_is_closed(tmp_path: Path) -> None:
    run = SerialExecutor().run(Toy(folder=tmp_path), Source([Do(0, "raise", "oh")]), Stop())
    with pytest.raises(RuntimeError, match="oh"):
        list(run)
    assert (tmp_path / f"closed-{os.getpid()}").exists()


def test_temporary_files_lie_in_a_folder_that_goes_with_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run = SerialExecutor().run(Toy(), Source([Do(0, "token"), Do(1)]), Stop())
    next(run)
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("arena-run-")
    list(run)
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_bears_the_token_is_left_after_a_run(tmp_path: Path) -> None:
    run = SerialExecutor().run(Toy(folder=tmp_path), Source([Do(0, "token"), Do(1, "child", DAEMON)]), Stop())
    token = next(run)[0].payload
    try:
        next(run)
        assert eventually(lambda: len(find_marked(token)) == 1)
    finally:
        list(run)
    assert eventually(lambda: not find_marked(token))
