"""Plays tickets in this very process, one after another."""

import secrets
from collections.abc import Iterator
from typing import Any

from arena.executors.base import Stop, TicketSource, Work


class SerialExecutor:
    """For tests and for checks of single bots. An `Executor`."""

    def run(self, work: Work, source: TicketSource, stop: Stop) -> Iterator[list[Any]]:
        """Yield one result at a time."""
        playing = work.open("local", secrets.token_hex(8), own_process=False)
        try:
            while not (stop.after_game or stop.at_once) and (tickets := source.take(1)):
                yield [playing.play(tickets[0])]
        finally:
            playing.close()


EXECUTOR = SerialExecutor
