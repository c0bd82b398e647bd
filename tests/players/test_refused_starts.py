"""Starts that fail: what the bot brought is its fault, what the machine lacks is not."""

import errno
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from arena.players.bot import BotPlayer
from arena.players.pool import BotPool, HostRefusal
from arena.players.process import BotProcess
from protocol.messages import DEFAULT_LIMITS, Start
from protocol.verdicts import Reason, Verdict
from tests.support.bots.programs import program, python_bot
from tests.support.sandbox import CONFINED, PROCESS, columns, confinement_of
from tests.support.tables import PATIENT, Recorder, bench, new_token
from tests.support.waiting import PATIENCE_S, eventually

OUT_OF_PROCESSES = "bwrap: Creating new namespace failed: Resource temporarily unavailable"


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
@pytest.mark.parametrize("argument", ["x" * 200_000, "a\0b"], ids=["long", "NUL"])
def test_arguments_that_no_program_can_be_started_with_are_the_bots_fault(
    tmp_path: Path, column: str, argument: str
) -> None:
    bot = python_bot(tmp_path / "bot")
    bot = replace(bot, command=(*bot.command, argument))
    with bench(tmp_path / "place", bot, confinement=confinement_of(column)) as table:
        (seat,) = (seat for seat in table.game([Recorder()]).seats if seat.seat == 0)
    assert seat.verdict is Verdict.STARTUP
    assert "could not be started" in seat.detail


def started(pool: BotPool, entry_no: int, match_no: int) -> BotPlayer:
    player = pool.take(entry_no, ("league", match_no), 0)
    message = Start("bids", "plain", {}, 0, 2, 0, PATIENT, DEFAULT_LIMITS, {})
    assert player.start(message, 30_000) is None
    return player


def test_idle_processes_make_room_for_one_that_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = {0: python_bot(tmp_path / "zero"), 1: python_bot(tmp_path / "one")}
    real = subprocess.Popen
    with BotPool(bots, tmp_path / "place", new_token()) as pool:
        first = started(pool, 0, 0)
        assert first.process is not None
        idle = psutil.Process(first.process.pid)
        pool.give_back(0, first, 0)

        def crowded(*arguments: Any, **more: Any) -> Any:
            if idle.is_running():
                raise OSError(errno.EMFILE, "Too many open files")
            return real(*arguments, **more)

        monkeypatch.setattr("subprocess.Popen", crowded)
        second = started(pool, 1, 0)
        assert not idle.is_running()
        pool.give_back(1, second, 0)


def test_where_nothing_idle_is_left_the_refusal_says_what_and_whose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/somewhere")

    with BotPool({7: python_bot(tmp_path / "bot")}, tmp_path / "place", new_token()) as pool:
        monkeypatch.setattr("subprocess.Popen", full)
        with pytest.raises(HostRefusal, match="No space left on device: /somewhere") as caught:
            started(pool, 7, 0)
    assert caught.value.entry_no == 7
    assert caught.value.refusal is not None
    assert "TMPDIR" in caught.value.refusal.remedy


@pytest.mark.parametrize("column", columns(CONFINED))
def test_a_sandbox_that_cannot_be_built_is_not_the_bots_fault(tmp_path: Path, column: str) -> None:
    confinement = confinement_of(column)
    assert confinement.tools is not None
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(f"#!/bin/sh\necho '{OUT_OF_PROCESSES}' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    refused = replace(confinement, tools=replace(confinement.tools, bwrap=str(bwrap)), delegation=None)
    with (
        bench(tmp_path / "place", python_bot(tmp_path / "bot"), confinement=refused) as table,
        pytest.raises(BlockingIOError),
    ):
        table.game([Recorder()])


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
def test_a_bot_that_only_says_so_is_at_fault(tmp_path: Path, column: str) -> None:
    bot = program(
        tmp_path / "bot",
        {"bot.py": f"import sys\nsys.exit({OUT_OF_PROCESSES!r})\n"},
        ("python3", "bot.py"),
    )
    with bench(tmp_path / "place", bot, confinement=confinement_of(column)) as table:
        assert table.game([Recorder()]).seats[0].verdict is Verdict.STARTUP


@pytest.mark.parametrize("column", columns(CONFINED))
def test_overlays_that_cannot_be_had_any_more_are_what_the_machine_refuses(
    tmp_path: Path, column: str
) -> None:
    confinement = confinement_of(column)
    assert confinement.tools is not None
    if confinement.tools.overlays is None:
        pytest.skip("bots have no overlays here")
    without = replace(confinement.tools.overlays, unshare="/bin/false")
    refused = replace(confinement, tools=replace(confinement.tools, overlays=without))
    with BotPool(
        {3: python_bot(tmp_path / "bot")}, tmp_path / "place", new_token(), confinement=refused
    ) as pool:
        for match_no in range(2):  # the second time for the same reason
            with pytest.raises(HostRefusal, match="namespaces") as caught:
                started(pool, 3, match_no)
            assert caught.value.refusal is not None


@pytest.mark.parametrize("column", columns(CONFINED))
def test_why_a_program_could_not_be_started_is_told_though_its_pipes_ended_first(
    tmp_path: Path, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.players.process.EXIT_GRACE_MS", int(PATIENCE_S * 1000))
    bot = program(tmp_path / "bot", {"bot": "#!/bin/sh\n"}, ["./bot"], mode=0o644)
    process = BotProcess(bot, tmp_path / "place", new_token(), None, confinement_of(column))
    try:
        assert eventually(lambda: process.channel.stdout_ended or process.channel.read_output())
        assert process.channel.stdout_ended
        words, reason = process.ending("standard output")
        assert "could not be started: Permission denied" in words
        assert reason is Reason.NOT_EXECUTABLE
    finally:
        process.kill()
