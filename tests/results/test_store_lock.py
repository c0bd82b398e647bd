"""One process writes to a store: its lock names the holder, waits for short writers, and ends with its holder."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from results.store import StoreHeld, holder_of, holding, open_store
from results.store.store_lock import lock_file
from tests.results.holders import Holder, held_elsewhere
from tests.results.ledgers import new_store


def test_the_lock_says_who_holds_it(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        assert holder_of(store.path) is None
        with store.holding("runs league spring"):
            holder = holder_of(store.path)
            assert holder is not None
            assert (holder.pid, holder.does, holder.is_runner) == (os.getpid(), "runs league spring", True)
            with holding(store.path):
                assert holder_of(store.path) == holder, "a runner that also writes stays a runner"
            with holding(store.path, "runs league autumn"):
                assert str(holder_of(store.path)) == f"process {os.getpid()} runs league autumn"
            assert holder_of(store.path) == holder
        assert holder_of(store.path) is None
        assert lock_file(store.path).read_text() == ""


@pytest.mark.parametrize("does", ["runs league autumn", "writes"])
def test_nobody_else_writes_while_a_runner_runs(tmp_path: Path, does: str) -> None:
    with new_store(tmp_path) as store, held_elsewhere(store.path, "runs league spring") as runner:
        with pytest.raises(StoreHeld) as refused, store.holding(does):
            pass
        assert str(refused.value) == f"{store.path} is in use: process {runner.pid} runs league spring"
        assert refused.value.holder.is_runner
        assert ("arena run" in refused.value.hint) == (does != "writes")


@pytest.mark.parametrize("does", ["runs league autumn", "writes"])
def test_a_short_writer_is_waited_for(tmp_path: Path, does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with new_store(tmp_path) as store, held_elsewhere(store.path, "writes") as writer:

        def done(_: float) -> None:
            writer.end()

        monkeypatch.setattr("results.store.store_lock.time.sleep", done)
        with store.holding(does):
            pass
        assert writer.returncode == 0


def test_it_is_not_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.store.store_lock.PATIENCE_S", 0.2)
    with (
        new_store(tmp_path) as store,
        held_elsewhere(store.path, "rebuilds ratings"),
        pytest.raises(StoreHeld, match="rebuilds ratings"),
        store.holding(),
    ):
        pass


def test_a_kill_sets_it_free(tmp_path: Path) -> None:
    store = new_store(tmp_path).path
    with held_elsewhere(store, "runs league spring") as runner:
        runner.kill()
        assert str(runner.pid) in lock_file(store).read_text()
        with holding(store, "runs league autumn"):
            pass


def test_the_clean_up_after_a_killed_runner_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = new_store(tmp_path).path
    tells, told = os.pipe()

    def guarded(lock: int) -> None:
        clearing = subprocess.Popen(["sleep", "600"], pass_fds=(lock,))
        os.write(told, str(clearing.pid).encode())

    runner = Holder(store, "runs league spring", guarded)
    clearing = int(os.read(tells, 20))
    os.close(tells)
    os.close(told)
    runner.kill()
    waited: list[float] = []

    def done(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            os.kill(clearing, signal.SIGKILL)

    try:
        monkeypatch.setattr("results.store.store_lock._LOOK_S", 0)
        monkeypatch.setattr("results.store.store_lock.time.sleep", done)
        with holding(store, "runs league autumn"):
            assert len(waited) >= 3
    finally:
        if len(waited) < 3:
            os.kill(clearing, signal.SIGKILL)


def test_a_fork_does_not_release_it(tmp_path: Path) -> None:
    store = new_store(tmp_path).path
    with holding(store, "runs league spring"):
        child = os.fork()
        if not child:
            try:
                with holding(store, "runs league autumn"):
                    os._exit(1)
            except StoreHeld:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert holder_of(store) is not None


def test_where_no_store_is_made_nothing_is_left(tmp_path: Path) -> None:
    with holding(tmp_path / "arena.sqlite"):
        assert lock_file(tmp_path / "arena.sqlite").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"12 " * 400, b"-5 writes\n", b"9" * 400 + b" runs league\n"]
)
def test_rubbish_in_the_lock_file_is_no_holder(tmp_path: Path, content: bytes) -> None:
    store = new_store(tmp_path).path
    lock_file(store).parent.mkdir(parents=True)
    lock_file(store).write_bytes(content)
    assert holder_of(store) is None
    with holding(store, "runs league spring"):
        assert holder_of(store) is not None


def test_reading_takes_no_lock(tmp_path: Path) -> None:
    store = new_store(tmp_path).path
    with held_elsewhere(store, "runs league spring"), open_store(store, readonly=True) as reader:
        assert reader.leagues.all() == []
