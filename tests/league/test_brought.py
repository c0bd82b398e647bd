"""What a bot brings may make its start impossible: the bot alone pays, and no game fails for the platform.

Real arguments and files, in a league of three with two bots that play well.
"""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.running.local_games import PreparedGames
from arena.players.pool import PoolLimits
from arena.referee.transcript import Entrant
from arena.sandbox.bot_program import Program
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.support.bots.programs import program, python_bot, python_command
from tests.support.matches import ENTRIES, RULES, tickets
from tests.support.sandbox import (
    CONFINED,
    ORDINARY_USER,
    PROCESS,
    columns,
    confinement_of,
    in_column,
    open_folder,
)
from tests.support.tables import PATIENT, new_token

GUILTY = 2
SAID = "could not be started|could not be copied|not in the bot's folder|not the name of a program|exited with code 127"
"""The last is what a shell makes of a file that is no program, which is tried in a sandbox."""
SCRIPT = "#!/bin/sh\nexit 7\n"
COPIED = "folders too deep to be copied"
"""From Python 3.12 on they can be, and the script ends by itself."""


def with_arguments(*arguments: str) -> Callable[[Path], Program]:
    """Return what makes a bot with these arguments behind its command."""
    return lambda folder: program(folder, {"bot.py": ""}, (*python_command(), *arguments))


def with_file(text: str, *, mode: int = 0o755) -> Callable[[Path], Program]:
    """Return what makes a bot whose program is this file."""
    return lambda folder: program(folder, {"bot": text}, ("./bot",), mode=mode)


def with_command(name: str) -> Callable[[Path], Program]:
    """Return what makes a bot with this command."""
    return lambda folder: program(folder, {"bot": SCRIPT}, (name,))


def in_folders(name: str, levels: int) -> Callable[[Path], Program]:
    """Return what makes a bot with a folder in a folder in a folder, made one by one as no path would reach it."""

    def made(folder: Path) -> Program:
        bot = program(folder, {"bot": SCRIPT}, ("./bot",))
        place = os.open(folder, os.O_RDONLY)
        for _ in range(levels):
            os.mkdir(name, dir_fd=place)
            deeper = os.open(name, os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = deeper
        os.close(place)
        return bot

    return made


def with_link_to_itself(folder: Path) -> Program:
    """Make a bot with a symbolic link for its program: links are left out."""
    made = program(folder, {"other": SCRIPT}, ("./bot",))
    (folder / "bot").symlink_to("bot")
    return made


BROUGHT: dict[str, Callable[[Path], Program]] = {
    "an argument of 200 kB": with_arguments("x" * 200_000),
    "3 MB of arguments": with_arguments(*["x" * 100_000] * 30),
    "a NUL in an argument": with_arguments("a\0b"),
    "a NUL in the command": with_command("./a\0b"),
    "half a character in an argument": with_arguments("a\ud800b"),
    "too long a name": with_command("./" + "n" * 300),
    "too long a path": with_command("./" + "n/" * 3000 + "bot"),
    "a path too long to be copied": in_folders("d" * 200, 25),
    COPIED: in_folders("d", 1500),
    "an interpreter that is itself": with_file("#!./bot\n"),
    "a link to itself": with_link_to_itself,
    "a file that is not executable": with_file(SCRIPT, mode=0o644),
    "no such interpreter": with_file("#!/no/such/interpreter\n"),
    "a folder": with_command("./"),
    "no program": with_file("\x01\x02\x03"),
    "half a program": with_file("\x7fELF\x02\x01\x01" + "\0" * 200),
}
QUICK = {
    PROCESS: {"an argument of 200 kB", "a NUL in the command", "too long a path", "half a program"},
    CONFINED: {"an interpreter that is itself"},
}
"""By how bots are kept: what the quick suite tries, one of each kind of refusal."""


def find_the_guilty_alone_pays(brought: str, place: Path, column: str) -> None:
    """Play a match of three, one of whom brought something, and see what it costs whom."""
    good = {entry: python_bot(place / f"good-{entry}") for entry in range(ENTRIES) if entry != GUILTY}
    bots = good | {GUILTY: BROUGHT[brought](place / "guilty")}
    names = {entry: Entrant(f"bot-{entry}", f"{entry:064x}") for entry in bots}
    work = PreparedGames(
        RULES,
        bots,
        names,
        clock=PATIENT,
        pool=PoolLimits(startup_ms=60_000),
        confinement=confinement_of(column),
    )
    playing = work.open("w0", new_token(), own_process=False)
    try:
        (ticket, *_) = [ticket for ticket in tickets(1) if GUILTY in ticket.entries]
        result = playing.play(ticket)
    finally:
        playing.close()
    assert isinstance(result, GameRecord), result
    for seat in result.seats:
        if seat.entry_no == GUILTY:
            assert (seat.verdict, seat.rank) == (Verdict.STARTUP, 3)
            said = f"{SAID}|exited with code 7" if brought == COPIED and sys.version_info >= (3, 12) else SAID
            assert re.search(said, seat.detail), seat.detail
        else:
            assert (seat.verdict, seat.detail) == (None, "")


def cases(column: str) -> list[object]:
    return [pytest.param(name, marks=[] if name in QUICK[column] else [pytest.mark.slow]) for name in BROUGHT]


@pytest.mark.parametrize("brought", cases(PROCESS))
def test_what_makes_a_start_impossible_is_the_bots_fault(brought: str) -> None:
    with open_folder() as place:  # pytest's own stay, and can't be removed where they are nested too deep
        find_the_guilty_alone_pays(brought, place, PROCESS)


@pytest.mark.parametrize("column", columns(CONFINED, ORDINARY_USER, slow=(ORDINARY_USER,)))
@pytest.mark.parametrize("brought", cases(CONFINED))
def test_in_a_sandbox_too(brought: str, column: str) -> None:
    with open_folder() as place:
        if column == ORDINARY_USER:
            place.chmod(0o777)
        tickets(1)  # loads the games, while this process still may read them
        in_column(column, lambda: find_the_guilty_alone_pays(brought, place, column))
