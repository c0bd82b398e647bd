"""A runner to be killed: `python -m tests.executors.runner HOW FOLDER`, in a process of its own.

What it does is written to files in the folder, one for each thing: tokens, process numbers, results.
"""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from msgspec.structs import replace

from arena.executors.base import Stop
from arena.executors.processes import ProcessExecutor
from arena.executors.worker import SerialExecutor
from arena.sandbox.cgroups import find_delegation, hand_on
from arena.sandbox.confinement import UNCONFINED
from tests.support.matches import LEAVES_A_DAEMON, tickets, work
from tests.support.toys import DAEMON, SLEEPER, Do, Source, Toy

FAMILY = [Do(0, "token"), Do(1, "child", SLEEPER), Do(2, "child", DAEMON)]


def serve(folder: Path, executor: ProcessExecutor | SerialExecutor) -> None:
    """Have children, tell of them, and go on for ever."""
    source = Source([*FAMILY, *(Do(number, "sleep", 600) for number in range(3, 10))])
    for chunk in executor.run(Toy(), source, Stop()):
        for done in chunk:
            (folder / f"{done.number}-{done.worker.replace('/', '-')}").write_text(str(done.payload))
            if done.number == 2:
                (folder / "ready").touch()


def league(folder: Path) -> None:
    """Play matches between bots that leave daemons, and say when some games are in."""
    games = 0
    for chunk in ProcessExecutor(2).run(work(folder, LEAVES_A_DAEMON), Source(tickets(matches=5000)), Stop()):
        games += len(chunk)
        if games > 10:
            (folder / "ready").touch()


def grouped(folder: Path) -> None:
    """Do the same, with a control group for each bot."""
    delegation = find_delegation()
    hand_on(delegation)
    grouped = replace(work(folder, LEAVES_A_DAEMON), confinement=replace(UNCONFINED, delegation=delegation))
    games = 0
    for chunk in ProcessExecutor(2).run(grouped, Source(tickets(matches=5000)), Stop()):
        games += len(chunk)
        if games > 10:
            (folder / "ready").touch()


def fail(folder: Path) -> None:
    """Have an error while results are being taken."""
    for chunk in ProcessExecutor(2).run(
        Toy(), Source([*FAMILY, *(Do(n, "sleep", 600) for n in (3, 4))]), Stop()
    ):
        for done in chunk:
            (folder / str(done.number)).write_text(str(done.payload))
            if done.number == 2:
                raise RuntimeError("the taker of results failed")


def deaf(folder: Path) -> None:
    """Play on through any number of interrupts."""
    heard = 0

    def hear(_number: int, _frame: FrameType | None) -> None:
        nonlocal heard
        heard += 1

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, hear)
    (folder / "ready").touch()
    while not heard:
        time.sleep(0.01)
    source = Source(Do(number, "sleep", 0.01) for number in range(100))
    results = [done.number for chunk in ProcessExecutor(2).run(Toy(), source, Stop()) for done in chunk]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # as Python leaves, it takes its own handlers down
    (folder / "results").write_text(str(len(set(results))))
    (folder / "heard").write_text(str(heard))


def childless(folder: Path) -> None:
    """Play with the ends of children ignored, as whoever starts a program can leave it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    source = Source([Do(0), Do(1, "die", signal.SIGKILL), Do(2), Do(3, "child", DAEMON)])
    results = [result for chunk in ProcessExecutor(1).run(Toy(), source, Stop()) for result in chunk]
    (folder / "results").write_text(" ".join(type(result).__name__ for result in results))


def main() -> None:
    how, folder = sys.argv[1], Path(sys.argv[2])
    (folder / "pid").write_text(str(os.getpid()))
    if how == "serial":
        serve(folder, SerialExecutor())
    elif how == "processes":
        serve(folder, ProcessExecutor(2))
    else:
        {"fail": fail, "deaf": deaf, "league": league, "grouped": grouped, "childless": childless}[how](
            folder
        )


if __name__ == "__main__":
    main()
