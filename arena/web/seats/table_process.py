"""The process of one table: plays a game between a person on the other end of its pipes and bots, and stores it.

If the server goes away, the game is given up and nothing is stored: that was no player's fault.
"""

import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

import msgspec

from arena.checking.first_start import start_table
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.core.wording import seat_names
from arena.league.definition.named_bots import check_plays
from arena.league.definition.staged_bots import StagedBot, keep_files, read_bots, staged_bots, table_of
from arena.league.inbox.delivery import leave_with
from arena.league.inbox.played_match import entering
from arena.league.match import MatchRules, play_match, resolve_match
from arena.league.running.league_isolation import confine
from arena.league.running.local_games import AtTable
from arena.sandbox.confinement import Confinement
from arena.submissions.build import Builder
from arena.submissions.staging import arriving_beside
from arena.web.seats.pipe_face import PipeFace
from arena.web.seats.wire import (
    Answer,
    Failed,
    FromTable,
    Leave,
    Opened,
    Place,
    Result,
    Setup,
    Stored,
    ToTable,
    lines_of,
    to_line,
)
from results.base.isolation_levels import Wanted
from results.base.text import one_line
from results.records import GameRecord
from results.store import files_beside, open_store

ABANDONED = 3
"""Exit code after the server has gone away."""
_to_table = msgspec.json.Decoder(Answer | Leave)


class Abandoned(BaseException):
    """The server has gone away."""


class Pipes:
    """The two pipes to the server."""

    def __init__(self, reading: int, writing: int) -> None:
        self._lines = lines_of(reading)
        self._writing = writing
        self.answers: queue.SimpleQueue[ToTable] = queue.SimpleQueue()
        self._playing = False

    def setup(self) -> Setup:
        """Return the first line. Raises Abandoned."""
        try:
            return msgspec.json.decode(next(self._lines), type=Setup)
        except StopIteration:
            raise Abandoned from None

    def send(self, message: FromTable) -> None:
        """Send a message. Raises Abandoned if nobody reads it."""
        line = memoryview(to_line(message))
        try:
            while line:
                line = line[os.write(self._writing, line) :]
        except BrokenPipeError:
            raise Abandoned from None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take answers until the end of the block. If the server goes away meanwhile, the block ends with Abandoned."""

        def gone(_signal: int, _frame: FrameType | None) -> None:
            if self._playing:
                self._playing = False
                raise Abandoned

        before = signal.signal(signal.SIGTERM, gone)
        self._playing = True
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            yield
        finally:
            self._playing = False
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)

    def _listen(self) -> None:
        try:
            for line in self._lines:
                self.answers.put(_to_table.decode(line))
        finally:
            while self._playing:  # once more if a signal came where its exception was lost
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(1)


def main() -> int:
    """Play the game that the first line describes; return the exit code."""
    writing = os.dup(1)  # nothing that is printed by mistake may come between the messages
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a server that is stopped by Ctrl-C closes the pipe
    pipes = Pipes(0, writing)
    try:
        _play(pipes.setup(), pipes)
    except Abandoned:
        return ABANDONED
    except ArenaError as error:
        said = f"{error}; {error.hint}" if error.hint else str(error)
        return _failed(pipes, one_line(said), "")
    except Exception as error:  # noqa: BLE001 - the server tells the person, and logs it
        return _failed(pipes, f"an error of Arena itself: {type(error).__name__}", traceback.format_exc())
    return 0


def _failed(pipes: Pipes, why: str, trace: str) -> int:
    try:
        pipes.send(Failed(why, trace))
    except Abandoned:
        return ABANDONED
    return 1


def _play(setup: Setup, pipes: Pipes) -> None:
    path = Path(setup.store)
    rules = resolve_match(setup.game, setup.ruleset, setup.options, setup.seats, None, by_option=True)
    with pipes.listening(), _bots(path, setup, rules) as bots:
        table = table_of(bots)
        confinement = _confinement(path, setup.sandbox)
        start_table(table, rules, confinement, _log)
        person, labels = setup.person, [player.label for player in table.players]
        while person in labels:
            person += " (person)"
        table = table.with_person(person, setup.seat)
        names = seat_names([one_line(label) for label in table.seated()])
        pipes.send(Opened(rules.game.info.title, rules.ruleset.name, tuple(names)))
        until_s = time.monotonic() + setup.total_s
        face = PipeFace(rules.game, names, pipes.send, pipes.answers, until_s)
        at_table = AtTable(face, setup.move_s, face.watched)
        played = play_match(rules, table, None, confinement, at_table=at_table)
        pipes.send(_result(played.games[0]))
        keep_files(path, bots)
    # From here on the game is over: it is stored even if the server is gone.
    words = leave_with(path, *entering(rules, table, played), setup.command)
    pipes.send(Stored(words))


@contextmanager
def _bots(path: Path, setup: Setup, rules: MatchRules) -> Iterator[list[StagedBot]]:
    builder = Builder(files_beside(path), lambda: _confinement(path, setup.sandbox))
    with open_store(path, create=False, readonly=True) as store:
        bots = read_bots(path, store, setup.bots, Path())
        for name, bot in zip(setup.bots, bots, strict=True):
            check_plays(name, bot.games, rules.game.info.name)
        with arriving_beside(path) as arriving:
            yield staged_bots(path, store, bots, arriving, builder)


@cache
def _confinement(path: Path, sandbox: Wanted) -> Confinement:
    try:
        return confine(path, sandbox)[0]
    except UsageError as error:
        sys.stderr.write(f"{error}; {error.hint}\n")  # nothing about the machine for people
        raise MachineRefuses("this server can't confine bots now", "tell its organiser") from error


def _log(line: str) -> None:
    """Write a line for the server's log."""
    sys.stderr.write(f"{line}\n")


def _result(game: GameRecord) -> Result:
    return Result(
        tuple(
            Place(seat.seat, seat.rank, seat.score, None if seat.verdict is None else str(seat.verdict))
            for seat in game.seats
        )
    )


if __name__ == "__main__":
    sys.exit(main())
