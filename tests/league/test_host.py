"""What a machine lacks to play an entry is the machine's fault: its games fail with the reason, and no bot pays."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.core.errors import ArenaError
from arena.core.ticket import Ticket, WorkEntry
from arena.league.running.local_games import GamePlaying, prepare
from arena.league.running.work_units import Failure, GameWork
from arena.sandbox.confinement import WantedConfinement
from arena.sandbox.runtimes import Runtimes
from arena.submissions.folder import content_hash, read_files
from arena.submissions.version_files_by_hash import FetchedVersions, VersionRefused, pack
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.support.bots.programs import python_bot
from tests.support.matches import BY_SEED, ENTRIES, RULES, tickets
from tests.support.tables import PATIENT

LACKING = 2
"""The entry that this machine cannot play."""


class Sender:
    """The machine with the store."""

    def __init__(self, place: Path) -> None:
        self.sent: dict[str, bytes] = {}
        self.entries: dict[int, WorkEntry] = {}
        for number in range(ENTRIES):
            bot = python_bot(place / f"bot-{number}", BY_SEED + f"# {number}\n")
            files = read_files(bot.folder)
            sha256 = content_hash(files)
            self.sent[sha256] = pack(files)
            self.entries[number] = WorkEntry(f"bot-{number}", sha256, bot.command)

    def fetch(self, sha256: str) -> bytes:
        if sha256 not in self.sent:
            raise VersionRefused("the line is cut", "mend it")
        return self.sent[sha256]


@pytest.fixture
def sender(tmp_path: Path) -> Sender:
    return Sender(tmp_path / "bots")


def opened(sender: Sender, place: Path) -> GamePlaying:
    """Open the work as a machine does that has it from elsewhere."""
    wanted = WantedConfinement("off")
    work = GameWork(RULES, 1, sender.entries, wanted, clock=PATIENT, startup_ms=60_000)
    prepared, _ = prepare(work, FetchedVersions(sender.fetch, place / "far"), Runtimes(), ())
    return prepared.open("far/0", f"test-host-{place.name}", own_process=False)


def games(with_it: bool) -> Iterator[Ticket]:
    """Yield tickets of games with the entry that lacks something, or of those without it."""
    return (ticket for ticket in tickets(2 * ENTRIES) if (LACKING in ticket.entries) is with_it)


def find_it_fails(sender: Sender, place: Path, reason: str) -> None:
    """See the games of that entry fail for the platform, and others be played."""
    with closing(opened(sender, place)) as playing:
        for ticket in (next(games(with_it=True)), next(games(with_it=True))):
            failed = playing.play(ticket)
            assert isinstance(failed, Failure), failed
            assert (failed.record.verdict, failed.record.entry_no) == (Verdict.HOST, LACKING)
            assert reason in failed.record.detail, failed.record.detail
            assert "Traceback" not in failed.record.detail
        played = playing.play(next(games(with_it=False)))
    assert isinstance(played, GameRecord), played
    assert [seat.verdict for seat in played.seats] == [None] * 3


def test_a_program_that_this_machine_lacks(sender: Sender, tmp_path: Path) -> None:
    entry = sender.entries[LACKING]
    sender.entries[LACKING] = WorkEntry(entry.label, entry.sha256, ("no-such-runtime", "bot.py"))
    find_it_fails(
        sender, tmp_path, "entry 'bot-2': the bot needs the program 'no-such-runtime', which is not installed"
    )


@pytest.mark.slow
def test_a_program_that_only_the_other_machine_lists(sender: Sender, tmp_path: Path) -> None:
    entry = sender.entries[LACKING]
    sender.entries[LACKING] = WorkEntry(entry.label, entry.sha256, ("/opt/jdk/bin/java", "Bot"))
    find_it_fails(sender, tmp_path, "'/opt/jdk/bin/java' is a path of this machine")


def test_files_that_are_not_those_of_the_hash(sender: Sender, tmp_path: Path) -> None:
    first, other = sender.entries[LACKING].sha256, sender.entries[0].sha256
    sender.sent[first] = sender.sent[other]
    find_it_fails(sender, tmp_path, "their hash differs")


@pytest.mark.slow
def test_files_that_do_not_come(sender: Sender, tmp_path: Path) -> None:
    del sender.sent[sender.entries[LACKING].sha256]
    find_it_fails(sender, tmp_path, "this machine cannot play: the line is cut; mend it")


def test_a_game_that_this_machine_lacks(sender: Sender, tmp_path: Path) -> None:
    work = GameWork("no-such-game", 1, sender.entries)
    with pytest.raises(ArenaError, match="there is no game 'no-such-game'"):
        prepare(work, FetchedVersions(sender.fetch, tmp_path), Runtimes(), ())
