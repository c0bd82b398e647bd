"""Commands are carried out at once, or through the process that runs leagues."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.core.errors import UsageError
from arena.league.inbox.dispatch import CommandRefused, perform_or_leave
from arena.league.inbox.files import new_command
from arena.league.inbox.take_up import Inbox
from results.store import Holder, Store, StoreHeld, holding, open_store
from tests.league.noting import in_inbox, left, note, notes
from tests.support.ledgers import new_league, new_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as made:
        new_league(made)
        yield made


def test_a_command_is_carried_out_at_once_if_nobody_runs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.league.inbox.dispatch.perform", note)
    delivered = perform_or_leave(store.path, new_command("note", {"n": 1}))
    assert (delivered.words, delivered.left_for, notes(store)) == ("noted 1", None, [1])
    with pytest.raises(UsageError, match="not today"):
        perform_or_leave(store.path, new_command("refuse", {"n": 2}))
    assert (notes(store), store.commands.newest(9)) == ([1], [])


@contextmanager
def runner(store: Store, *, takes_up: bool) -> Iterator[int]:
    """Have a child hold the store's lock as a runner does, and take up commands if it is said to."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            with open_store(store.path) as opened, holding(store.path, "runs league spring"):
                os.write(writing, b"x")
                inbox = Inbox(opened)
                while True:
                    if takes_up:
                        inbox.take_up(note)
                    signal.sigtimedwait([], 0.01)
        finally:
            os._exit(1)
    try:
        os.read(reading, 1)
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


def test_a_runner_answers(store: Store) -> None:
    with runner(store, takes_up=True) as pid:
        delivered = perform_or_leave(store.path, new_command("note", {"n": 1}), wait_s=60)
        assert delivered.words == "noted 1"
        assert delivered.left_for is not None
        assert str(delivered.left_for) == f"process {pid} runs league spring"
        with pytest.raises(CommandRefused, match=r"^not today$") as caught:
            perform_or_leave(store.path, new_command("refuse", {"n": 2}), wait_s=60)
        assert caught.value.hint == "come back tomorrow"
    assert notes(store) == [1]


def test_a_busy_runner_is_not_waited_for(store: Store) -> None:
    with runner(store, takes_up=False):
        delivered = perform_or_leave(store.path, new_command("note", {"n": 1}), wait_s=0.1)
        assert delivered.waits
    assert len(in_inbox(store)) == 1
    Inbox(store).take_up(note)
    assert notes(store) == [1]


def test_a_command_that_the_runner_did_not_see_is_taken_up_once_it_is_gone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> str:
        raise StoreHeld(store.path, Holder(1234, "runs league spring"), would_run=False)

    monkeypatch.setattr("arena.league.inbox.dispatch._performed", gone)
    monkeypatch.setattr("arena.league.inbox.dispatch.Inbox", Noting)
    assert perform_or_leave(store.path, new_command("note", {"n": 1})).words == "noted 1"
    assert notes(store) == [1]


class Noting(Inbox):
    """An inbox whose commands are notes."""

    def take_up(self, _: object = None) -> list[Any]:
        return super().take_up(note)


def test_what_was_left_before_comes_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.league.inbox.dispatch.perform", note)
    monkeypatch.setattr("arena.league.inbox.dispatch.Inbox", Noting)
    left(store, 1, 2)
    perform_or_leave(store.path, new_command("note", {"n": 3}))
    assert notes(store) == [1, 2, 3]
