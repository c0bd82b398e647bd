"""The ledger knows the commands that were taken up, each once, in the transaction of its effect."""

from pathlib import Path

import pytest

from results.base.errors import LedgerError
from results.store.verification.verify import verify
from tests.support.ledgers import NOW, new_store

UUID = "1" * 36


def test_a_command_is_recorded_once(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        assert store.commands.find(UUID) is None
        record = store.commands.add(UUID, "pause", "ann", NOW, "done", "paused")
        assert store.commands.find(UUID) == record
        with pytest.raises(LedgerError):
            store.commands.add(UUID, "pause", "ann", NOW, "done", "paused")
        store.commands.add("2" * 36, "pause", "ann", NOW, "refused", "x" * 10_000)
        assert [len(command.words) for command in store.commands.newest(5)] == [2_000, 6]
        assert verify(store) == []


def test_it_is_there_with_its_effect_or_not_at_all(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:

        def fails() -> None:
            with store.together():
                with store.together():
                    store.leagues.casual()
                store.commands.add(UUID, "pause", "ann", NOW, "done", "paused")
                raise KeyError

        with pytest.raises(KeyError):
            fails()
        assert (store.commands.find(UUID), store.leagues.all()) == (None, [])
