"""Plays tickets in this process, one after another."""

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.executors.base import ExecutorKind, NoSettings, Playing, PreparedWork, Stop, TicketSource, Work
from arena.sandbox.cgroups import remove_groups
from arena.sandbox.guardian import Guardian
from arena.sandbox.run_folder import RunFolder
from arena.sandbox.survivors import kill_marked


class SerialExecutor:
    """For tests, and for debugging a game. An `Executor`; exceptions of a game pass through it."""

    plays_here = True

    def run(
        self, work: Work, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield one result at a time."""
        prepared = work.prepare()
        token = secrets.token_hex(8)
        with RunFolder(token) as folder, Guardian(token, folder.path, (folder.lock, *held)):
            try:
                playing = _open(prepared, token, folder.path)
                try:
                    while not (stop.after_game or stop.at_once) and (tickets := source.take(1, worker_no=0)):
                        yield [playing.play(tickets[0])]
                finally:
                    playing.close()
            finally:
                kill_marked(token)
                remove_groups(token)
                folder.remove()


def _open(work: PreparedWork, token: str, folder: Path) -> Playing:
    """Begin work with its temporary files below a folder, as in a worker."""
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        return work.open("local", token, own_process=False)
    finally:
        tempfile.tempdir = before


EXECUTOR = ExecutorKind("serial", NoSettings, lambda _settings, _workers: SerialExecutor())
