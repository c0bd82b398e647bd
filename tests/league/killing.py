"""Work in a child process that ends where a test wants it to."""

import os
import signal
import sys
from collections.abc import Callable, Collection
from pathlib import Path


def forked(work: Callable[[], object]) -> int:
    """Return how a child process that does this work ends: its signal, or 0 if it comes to its end."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_before(folder: Path, steps: int, work: Callable[[], object], counted: Collection[str]) -> int:
    """Do some work in a fork that is killed before its step of that number; return how it ends: its signal, or 0.

    A step is one of the `counted` audit events of the interpreter, on a path below `folder`.
    """

    def until_killed() -> None:
        taken = 0

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal taken
            if event in counted and str(folder) in str(arguments[0]):
                taken += 1
                if taken > steps:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        work()

    return forked(until_killed)
