"""One process writes to a store: its lock names the holder, waits for short writers, and ends with its holder."""

import fcntl
import os
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from results.base.errors import StoreBusy
from results.store import StoreHeld, holder_of, holding, open_store, runner_of
from results.store.beside_store import write_notes
from results.store.file_locks import holder as locked_by
from results.store.store_lock import lock_file, server_file, serving
from tests.support.holders import Holder, held_elsewhere
from tests.support.leagues import arena_here
from tests.support.ledgers import new_store, notes
from tests.support.sandbox import as_ordinary_user

NOBODY = 65_534


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


@pytest.fixture
def open_place() -> Iterator[Path]:
    """Yield a folder with a store that everybody may read, and its locks as `chmod -R` leaves them."""
    with tempfile.TemporaryDirectory(prefix="arena-locks-") as made:
        store = new_store(Path(made)).path
        store.chmod(0o644)
        for lock in (lock_file(store), server_file(store)):
            lock.parent.mkdir(parents=True, exist_ok=True)
            lock.touch()
            lock.chmod(0o666)
        for folder in (store.parent, lock.parent.parent, lock.parent):
            folder.chmod(0o755)
        yield store


@contextmanager
def locked_by_a_stranger(path: Path) -> Iterator[int]:
    """Have a process of another account, if we are root, lock a file that it can only read; yield its number."""
    held, tells = os.pipe()
    pid = os.fork()
    if not pid:
        if not os.geteuid():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_SH)
        os.write(tells, b"held")
        signal.pause()
    try:
        assert os.read(held, 4) == b"held"
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(held)
        os.close(tells)


def test_only_the_owner_can_lock_whatever_the_umask(tmp_path: Path, open_place: Path) -> None:
    before = os.umask(0)
    try:
        for store in (new_store(tmp_path).path, open_place):
            locks = lock_file(store).parent
            with holding(store), serving(store):
                assert {stat.S_IMODE(path.stat().st_mode) for path in locks.iterdir()} == {0o600}
        assert stat.S_IMODE((tmp_path / "arena.files").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "arena.files" / "locks").stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_a_store_has_one_server(tmp_path: Path) -> None:
    store = new_store(tmp_path).path
    with serving(store):
        done = arena_here("serve", "--port", "0", "--no-run", cwd=tmp_path)
    assert done.returncode == 1
    assert f"arena.sqlite is in use: process {os.getpid()} serves it" in done.stderr
    assert not server_file(store).exists()


def test_a_strangers_lock_is_said_to_be_his(open_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.store.store_lock.PATIENCE_S", 0)
    of_whom, end = (
        ("", "end it with Ctrl-C or `kill {}`")
        if os.geteuid()
        else (" of the account nobody", "let nobody or root end it: `kill {}`")
    )
    lock_file(open_place).write_text(f"{os.getpid()} runs league spring\n")
    for path, held, words in (
        (lock_file(open_place), holding(open_place), "{} is in use: process {}{} holds its lock"),
        (server_file(open_place), serving(open_place), "{} is in use: process {}{} serves it"),
    ):
        with locked_by_a_stranger(path) as pid, pytest.raises(StoreBusy) as refused, held:
            pass
        assert str(refused.value) == words.format(open_place, pid, of_whom)
        assert end.format(pid) in refused.value.hint


@pytest.mark.parametrize("does", ["runs league spring", "writes"])
def test_those_who_may_read_the_store_are_told_who_holds_locks_that_they_cannot_open(
    open_place: Path, does: str
) -> None:
    lock = lock_file(open_place)
    with held_elsewhere(open_place, does) as runner:
        if does != "writes":
            assert write_notes(open_place.with_suffix(".files"), notes(pid=runner.pid, does=does))
        holder, told, is_held = as_ordinary_user(
            lambda: (holder_of(open_place), runner_of(open_place), locked_by(lock) is not None)
        )
        assert holder is not None
        assert told.holder is not None
        assert (holder.pid, told.is_running, is_held) == (runner.pid, does != "writes", True)
        assert told.holder.does == ("" if does == "writes" and not os.geteuid() else does)
    found, is_held = as_ordinary_user(lambda: (holder_of(open_place), locked_by(lock) is not None))
    assert (found, is_held) == (None, False)
