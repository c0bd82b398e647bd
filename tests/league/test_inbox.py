"""The inbox: a command takes effect once, whatever is killed and whenever; nothing else in it does any harm."""

import errno
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from arena.core.errors import MachineRefuses
from arena.league.inbox import files as inbox_files
from arena.league.inbox.files import MOST_BYTES, Command, inbox_folder, leave, new_command, packed, waiting
from arena.league.inbox.take_up import Inbox
from results.base.errors import StoreFull
from results.store import Store, open_store
from results.store.verification.verify import verify
from tests.league.killing import killed_before
from tests.league.noting import in_inbox, left, note, notes, refused
from tests.support.ledgers import new_league, new_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as made:
        new_league(made)
        yield made


def test_commands_take_effect_in_their_order_and_once(store: Store) -> None:
    assert Inbox(store).take_up(note) == []
    commands = left(store, 1, 2, 3)
    records = Inbox(store).take_up(note)
    assert [(record.uuid, record.outcome, record.words) for record in records] == [
        (command.id, "done", f"noted {command.data['n']}") for command in commands
    ]
    assert (notes(store), in_inbox(store)) == ([1, 2, 3], [])
    leave(store.files, commands[1])  # again, as after a kill between the commit and the removal
    assert Inbox(store).take_up(note) == []
    assert (notes(store), in_inbox(store), refused(store)) == ([1, 2, 3], [], [])
    assert verify(store) == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("refuse", "not today; hint: come back tomorrow"),
        ("fail", "KeyError: 'oops'; this is a bug in Arena: please report it"),
        ("damaged", "rows are missing; hint: restore a backup"),
    ],
)
def test_a_refused_command_has_no_effect_and_is_recorded(store: Store, kind: str, words: str) -> None:
    (command,) = left(store, 1, kind=kind)
    left(store, 2)
    first, second = Inbox(store).take_up(note)
    assert (first.uuid, first.outcome, first.said) == (command.id, "refused", words)
    assert (second.outcome, notes(store), in_inbox(store)) == ("done", [2], [])
    assert [path.name.endswith(".json") for path in refused(store)] == [True]
    assert Inbox(store).take_up(note) == []


@pytest.mark.parametrize(
    "error", [MachineRefuses("no memory"), StoreFull("full"), OSError(errno.ENOSPC, "full"), MemoryError()]
)
def test_a_failing_machine_is_no_answer(store: Store, error: Exception) -> None:
    left(store, 1)

    def failing(store: Store, command: Command) -> str:
        note(store, command)
        raise error

    with pytest.raises(type(error)):
        Inbox(store).take_up(failing)
    assert (notes(store), len(in_inbox(store)), store.commands.newest(9)) == ([], 1, [])
    Inbox(store).take_up(note)
    assert notes(store) == [1]


def command_text(**changes: Any) -> bytes:
    command = Command(str(uuid4()), "note", {"n": 0}, "ann", "2026-01-31T12:00:00.000Z")
    return json.dumps({**json.loads(packed(command)), **changes}).encode()


DEEP = b'{"id":"x","data":' + b'{"a":' * 150_000 + b"1" + b"}" * 150_001
RUBBISH: dict[str, bytes] = {
    "empty": b"",
    "zeros": bytes(1000),
    "text": b"please stop",
    "broken": command_text()[:-5],
    "list": b"[1, 2]",
    "deep": DEEP,
    "deep data": command_text().replace(b'{"n": 0}', b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "huge number": command_text().replace(b": 0}", b": " + b"9" * 500_000 + b"}"),
    "not UTF-8": command_text(by="ann").replace(b"ann", b"\xff\xfe"),
    "half a pair": command_text().replace(b'"ann"', b'"\\ud800"'),
    "too large": command_text(by="a" * 100, data={"n": "x" * MOST_BYTES}),
    "no id": command_text(id=""),
    "another id": command_text(id="../../../etc/passwd"),
    "an id twice": command_text(id=7),
    "unknown field": command_text(more=1),
    "kind": command_text(kind=["note"]),
    "kind with controls": command_text(kind="no\x1bte"),
    "data": command_text(data=[1]),
    "by": command_text(by="a" * 300),
    "when": command_text(submitted_at=5),
}
QUICK = {
    "empty",
    "not UTF-8",
    "too large",
    "half a pair",
    "huge number",
    "another id",
    "kind with controls",
    "when",
}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.slow] * (what not in QUICK)) for what in RUBBISH]
)
def test_a_file_that_is_no_command_is_put_aside_and_recorded_once(store: Store, what: str) -> None:
    left(store, 1)
    path = inbox_folder(store.files) / "0.json"
    path.write_bytes(RUBBISH[what])
    records = Inbox(store).take_up(note)
    assert [record.outcome for record in records] == ["refused", "done"]
    assert records[0].words.startswith("0.json: ")
    assert "Traceback" not in records[0].words
    assert (notes(store), in_inbox(store), len(refused(store))) == ([1], [], 1)
    refused(store)[0].rename(path)  # as after a kill between the commit and the move
    assert Inbox(store).take_up(note) == []
    assert len(store.commands.newest(9)) == 2
    assert verify(store) == []


def fifo(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as made:
        made.bind(str(path))


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def full_folder(path: Path) -> None:
    (path / "in" / "it").mkdir(parents=True)
    (path / "in" / "file").write_text("x")


def link_to_fifo(path: Path) -> None:
    fifo(path.parent.parent / "fifo")
    path.symlink_to("../fifo")


THINGS: dict[str, Callable[[Path], object]] = {
    "fifo": fifo,
    "socket": a_socket,
    "sparse": sparse,
    "folder": full_folder,
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "link to itself": lambda path: path.symlink_to(path),
    "link to a FIFO": link_to_fifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
}
NAMES = ("0.json", "0 \x1b[31m\n", "0" * 255, "0\N{RIGHT-TO-LEFT OVERRIDE}.json", os.fsdecode(b"0\xff\xfe"))


@pytest.mark.parametrize("what", THINGS)
def test_nothing_but_files_is_opened(store: Store, what: str) -> None:
    left(store, 1)
    THINGS[what](inbox_folder(store.files) / "0.json")
    assert [record.outcome for record in Inbox(store).take_up(note)] == ["refused", "done"]
    assert (notes(store), in_inbox(store), len(refused(store))) == ([1], [], 1)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_harmless(store: Store, name: str) -> None:
    left(store, 1)
    (inbox_folder(store.files) / name).write_text("rubbish")
    first, second = Inbox(store).take_up(note)
    assert (first.outcome, second.outcome) == ("refused", "done")
    assert first.words.isprintable()
    assert (in_inbox(store), len(refused(store))) == ([], 1)


def test_a_command_under_any_name_is_a_command(store: Store) -> None:
    command = new_command("note", {"n": 1})
    inbox_folder(store.files).mkdir(parents=True)
    (inbox_folder(store.files) / "hello").write_bytes(packed(command))
    assert [record.uuid for record in Inbox(store).take_up(note)] == [command.id]


def test_each_look_has_a_bound_and_refused_files_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox_files, "MOST_PER_LOOK", 5)
    monkeypatch.setattr(inbox_files, "MOST_LISTED", 40)
    monkeypatch.setattr(inbox_files, "MOST_REFUSED", 7)
    left(store, 1)
    for number in range(60):
        (inbox_folder(store.files) / f"{number:03}").write_text("rubbish")
    inbox, looks = Inbox(store), 0
    while in_inbox(store):
        assert len(inbox.take_up(note)) <= 5
        looks += 1
    assert looks == 13
    assert notes(store) == [1]
    assert len(refused(store)) == 7
    assert len(store.commands.newest(100)) == 61


@pytest.mark.slow
def test_a_hundred_thousand_files_are_worked_off(store: Store) -> None:
    left(store, 1)
    for number in range(100_000):
        (inbox_folder(store.files) / f"{number:07}").touch()
    inbox = Inbox(store)
    for _ in range(10):
        assert len(inbox.take_up(note)) == inbox_files.MOST_PER_LOOK
    assert len(refused(store)) <= inbox_files.MOST_REFUSED
    assert len([*inbox_folder(store.files).iterdir()]) == 100_002 - 10 * inbox_files.MOST_PER_LOOK


def test_a_file_that_cannot_be_moved_is_looked_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    left(store, 1)
    (inbox_folder(store.files) / "0").write_text("rubbish")
    monkeypatch.setattr("arena.league.inbox.files.put_aside", lambda _: False)
    inbox = Inbox(store)
    assert len(inbox.take_up(note)) == 2
    left(store, 2)
    assert [record.words for record in inbox.take_up(note)] == ["noted 2"]
    assert waiting(store.files, inbox._stuck) == []


def test_unfinished_files_are_ignored_and_in_time_removed(store: Store) -> None:
    folder = inbox_folder(store.files)
    folder.mkdir(parents=True)
    for name, age_s in ((".new.part", 0), (".old.part", 7200)):
        (folder / name).write_bytes(command_text()[:40])
        os.utime(folder / name, times=(folder.stat().st_mtime - age_s,) * 2)
    assert Inbox(store).take_up(note) == []
    assert in_inbox(store) == [".new.part"]


@pytest.mark.parametrize("place", ["file", "link", "nothing"])
def test_an_inbox_that_is_no_folder_is_empty(store: Store, place: str) -> None:
    store.files.mkdir(exist_ok=True)
    if place == "file":
        inbox_folder(store.files).write_text("x")
    elif place == "link":
        inbox_folder(store.files).symlink_to("nowhere")
    assert Inbox(store).take_up(note) == []


# Killed at any step

STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir", "os.utime")


def test_killed_while_it_is_left_a_command_is_there_whole_or_not_at_all(store: Store) -> None:
    there = []
    for steps in range(50):
        command = new_command("note", {"n": steps})
        ended = killed_before(store.files, steps, partial(leave, store.files, command), STEPS)
        for name in waiting(store.files):
            assert name.endswith(f"{command.id}.json")
        there.append([record.uuid for record in Inbox(store).take_up(note)] == [command.id])
        if ended == 0:
            break
    assert ended == 0
    assert there == sorted(there)
    assert there.count(False) > 2
    assert refused(store) == []


def take_up_all(path: Path) -> None:
    with open_store(path) as opened:
        Inbox(opened).take_up(note)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_while_it_is_taken_up_a_command_takes_effect_once(store: Store, every: int) -> None:
    """Three commands, one of them refused, and one file that isn't a command; killed at every step on the way."""
    ended, steps = -1, 0
    while ended:
        before = notes(store)
        before_count = len(store.commands.newest(10_000))
        left(store, 3 * steps, 3 * steps + 1)
        left(store, 0, kind="refuse")
        (inbox_folder(store.files) / f"rubbish {steps}").write_text("rubbish")
        ended = killed_before(inbox_folder(store.files), steps, partial(take_up_all, store.path), STEPS)
        Inbox(store).take_up(note)
        assert notes(store) == [*before, 3 * steps, 3 * steps + 1]
        assert len(store.commands.newest(10_000)) == before_count + 4
        assert in_inbox(store) == []
        steps += every
        assert steps < 100
    assert steps > 8
    assert verify(store) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("dance", {}), "there is no kind of command 'dance'"),
        (("submit", {"sha256": "../.."}), "submit: "),
        (
            ("submit", {"sha256": "a" * 64, "report": {}, "deterministic": True}),
            "files of a bot are missing",
        ),
        (("submit", {"sha256": "a" * 64, "report": [], "deterministic": True}), "submit: "),
    ],
)
def test_commands_that_ask_for_nonsense_are_refused(
    store: Store, command: tuple[str, dict[str, Any]], said: str
) -> None:
    leave(store.files, new_command(*command))
    (record,) = Inbox(store).take_up()
    assert (record.outcome, said in record.words, "bug" in record.words) == ("refused", True, False), record


def test_a_disk_that_is_full_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arena.league.inbox.files.os.fsync", full)
    with pytest.raises(Exception, match="No space left on device"):
        left(store, 1)
    assert in_inbox(store) == []
