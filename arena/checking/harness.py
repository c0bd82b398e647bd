"""Plays the bot that is checked: processes as a league starts them, and games against random moves."""

import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Final

from msgspec import Struct

from arena import registry
from arena.checking.conversation_witness import Witness
from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.core.ruleset import Ruleset
from arena.core.ticket import Ticket
from arena.league.running.work_units import raised
from arena.league.single_match import why_aborted
from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply, ScriptedPlayer
from arena.players.bot import BotPlayer
from arena.players.handshake import greet
from arena.players.pool import BotPool, HostRefusal, PoolLimits
from arena.players.process import BotProcess, EndedFromOutside
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.sandbox.bot_program import Program, game_files
from arena.sandbox.confinement import Confinement
from arena.sandbox.deadlock import Standstill
from arena.sandbox.machine_shortage import refusal
from arena.sandbox.run_folder import RunFolder
from arena.sandbox.survivors import signal_if_marked
from protocol.messages import DEFAULT_CLOCK, STARTUP_MS, Ask, Clock
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS
from results.records import GameRecord

MOST_EXIT_MS: Final = 2_000
"""After this long, a bot that was told to quit counts as one that never exits."""
_LAST_WORDS_S: Final = 0.5
BOT: Final = 0
_OTHERS: Final = 1
"""Entry numbers: the only bot that is checked, and the random moves at all other seats."""


class Deal(Struct, frozen=True):
    """One game to play with the bot."""

    game: AnyGame
    ruleset: Ruleset
    """Resolved for the number of seats."""
    seats: int
    seat: int
    """The bot's."""
    seed: bytes
    match_no: int


class Played(Struct, frozen=True):
    """A game as it was played."""

    deal: Deal
    record: GameRecord
    fault: Fault | None
    """The bot's."""
    log: PlayerLog
    last_words: bytes
    """What a hung Python program wrote about where it was; empty otherwise."""


class CheckHarness:
    """Where the bot plays. Made by `check_harness`, which ends all processes."""

    def __init__(
        self, pool: BotPool, confinement: Confinement, clock: Clock, tell: Callable[[str], None]
    ) -> None:
        self._pool = pool
        self.clock = clock
        self._tell = tell
        self.told: set[str] = set()
        """The types of messages that the author was told the bot is slow to answer; told once each."""
        self._sandbox = confinement.level.word
        self._league = token_hex(16)
        self._living: list[BotProcess] = []

    def start(self) -> "Seatable | Fault":
        """Start a process of the only bot and shake hands; as `start_all`."""
        return self.start_all({BOT: ""})[BOT]

    def start_all(
        self, names: Mapping[int, str], startup_ms: int = STARTUP_MS
    ) -> "dict[int, Seatable | Fault]":
        """Start a process of each of several bots, by number, and shake hands with all at the same time.

        Returns the processes even if they were at fault, unless there is none. A line about a bot that takes long
        begins with its name, unless that is empty. Raises GameFailed if the machine refuses.
        """
        found: dict[int, Seatable | Fault] = {}
        with _blaming_the_machine():
            for number, name in names.items():
                started = self._pool.start(number)
                found[number] = started if isinstance(started, Fault) else self._seatable(started, name)
            bots = [bot for bot in found.values() if isinstance(bot, Seatable)]
            begun_ns = time.monotonic_ns()
            faults = greet([bot.process for bot in bots], startup_ms)
            for bot, fault in zip(bots, faults, strict=True):
                bot.fault = fault
                bot.started_ms = (time.monotonic_ns() - begun_ns) / NS_PER_MS
                if fault is not None:
                    bot.process.raise_if_never_built()
                    bot.has_ended = bot.process.wait(0)
                    self._stop(bot)
                    bot.log = bot.process.take_log()
        return found

    def _seatable(self, process: BotProcess, name: str) -> "Seatable":
        self._living.append(process)

        def tell(line: str) -> None:
            self._tell(f"{name}: {line}" if name else line)

        bot = Seatable(process, Witness(process, tell, set() if name else self.told))
        process.channel.tap = bot.witness
        return bot

    def play(
        self, bot: "Seatable", deal: Deal, *, gap: int = 0, opponents: "Opponents | None" = None
    ) -> Played:
        """Play one game; `gap` is how many ids to leave out before each ask. All opponents are `opponents`.

        Raises GameFailed if the game could not be played and the bot is not at fault.
        """
        ticket = Ticket(
            self._league,
            deal.match_no,
            0,
            tuple(BOT if seat == deal.seat else _OTHERS for seat in range(deal.seats)),
            deal.ruleset,
            deal.seed,
        )
        player = BotPlayer(None, bot.process, 0, gap=gap, shares_core=False, kill=lambda _: self._stop(bot))
        others = opponents or Opponents()
        players: list[Player] = [
            player if seat == deal.seat else others.at(ticket, seat) for seat in range(deal.seats)
        ]
        entrants = [Entrant("bot" if number == BOT else "random", "") for number in ticket.entries]
        faults: list[Fault] = []
        referee = Referee(
            self.clock, sandbox=self._sandbox, excused=lambda _entry_no, fault: faults.append(fault)
        )
        with _blaming_the_machine(ticket, deal.game):
            record = referee.play(deal.game, players, entrants, ticket)
        row = record.seats[deal.seat]
        if row.verdict is None:
            bot.memory_bytes = max(bot.memory_bytes, bot.process.monitor.memory_bytes())
            bot.process.monitor.begin_rest()
        fault = (
            None
            if row.verdict is None
            else Fault(row.verdict, row.detail, row.reason, faults[0].excuse if faults else "")
        )
        return Played(deal, record, fault, player.log, bot.last_words)

    def rest(self, bot: "Seatable", rest_s: float) -> tuple[bytes, str]:
        """Leave the bot alone for a time; return what it wrote, and its CPU time with the limit if it used too much."""
        channel = bot.process.channel
        until_s = time.monotonic() + rest_s
        while (left_s := until_s - time.monotonic()) > 0 and not channel.stdout_ended:
            for descriptor, _ in channel.waits(min(50.0, left_s * 1000)):
                if descriptor == channel.stdout:
                    channel.read_output()
                else:
                    channel.read_log()
        bot.process.monitor.look_at_rest()
        return bytes(channel.inbox), bot.process.monitor.worked_at_rest()

    def leave(self, bot: "Seatable", *, says_quit: bool = True, most_ms: int = MOST_EXIT_MS) -> float | None:
        """Tell the bot to exit, by `quit` or only by the end of its input.

        Returns the milliseconds until it did, or None if it hasn't within `most_ms`. It is gone afterwards.
        """
        process = bot.process
        begun_ns = time.monotonic_ns()
        if says_quit:
            process.ask_to_quit()
        else:
            process.monitor.begin_leaving()
            process.channel.close_stdin()
        gone = False
        while not gone and time.monotonic_ns() - begun_ns < most_ms * NS_PER_MS:
            process.channel.drain_log()
            gone = process.wait(20)
        taken_ms = (time.monotonic_ns() - begun_ns) / NS_PER_MS
        if not gone:
            self._stop(bot)
        bot.log = process.take_log()
        self.end(bot)
        return taken_ms if gone else None

    def end(self, bot: "Seatable") -> None:
        """Kill the bot's process, if it is alive."""
        bot.process.kill()
        if bot.process in self._living:
            self._living.remove(bot.process)

    def close(self) -> None:
        """Kill all processes."""
        for process in self._living:
            process.kill()
        self._living.clear()

    def _stop(self, bot: "Seatable") -> None:
        """Kill a process after a fault, and note its last words if it hung and is a Python program.

        Python then says where it was: SIGABRT makes its fault handler write the traceback of each thread.
        """
        process, witness = bot.process, bot.witness
        hangs = not witness.lines() and witness.standstill is not Standstill.READING
        bot.last_words = _last_words(process) if hangs and not process.wait(0) else b""
        process.channel.drain_log()
        process.kill()


LEAST_ANSWERS: Final = 3
"""How many answers opponents give before they give up, so that a bot that thinks long is asked several times."""


class Opponents:
    """All other seats of one game: they make random legal moves, and give up together to end a game early."""

    def __init__(self, most_s: float | None = None, most_answers: int | None = None) -> None:
        """They give up after `most_s` seconds and at least `LEAST_ANSWERS`, or after `most_answers` answers in all."""
        self.answers = 0
        """How many they gave."""
        self._until_s = None if most_s is None else time.monotonic() + most_s
        self._most_answers = most_answers

    def at(self, ticket: Ticket, seat: int) -> ScriptedPlayer:
        """Return the opponent at a seat; the same ticket gets the same moves."""
        rng = ticket.stream(f"check/{seat}")

        def answer(ask: Ask) -> Reply | Fault:
            if self._gives_up():
                return Fault(Verdict.CRASH, "the check ends this game early")
            self.answers += 1
            move = ask.legal[rng.randrange(len(ask.legal))] if isinstance(ask.legal, list) else ask.example
            return Reply(move, None, 0, 0)

        return ScriptedPlayer(answer)

    def _gives_up(self) -> bool:
        if self._most_answers is not None:
            return self.answers >= self._most_answers
        if self._until_s is None or self.answers < LEAST_ANSWERS:
            return False
        if time.monotonic() > self._until_s:
            self._most_answers = self.answers
            return True
        return False


class Seatable(Struct, eq=False):
    """A process of the bot that has been started, with what is known about it."""

    process: BotProcess
    witness: Witness
    fault: Fault | None = None
    """Why the handshake failed."""
    has_ended: bool = False
    """Whether it had ended when the handshake failed."""
    started_ms: float = 0.0
    memory_bytes: int = 0
    last_words: bytes = b""
    """What a hung Python program wrote about where it was."""
    log: PlayerLog = NO_LOG


@contextmanager
def check_harness(
    programs: Mapping[int, Program],
    games: Mapping[str, AnyGame],
    confinement: Confinement,
    tell: Callable[[str], None],
    clock: Clock = DEFAULT_CLOCK,
) -> Iterator[CheckHarness]:
    """Yield a table for bots by number; at the end, their processes and folders are gone. Raises OSError if refused."""

    def engine_files() -> dict[PurePosixPath, Path]:
        files: dict[PurePosixPath, Path] = {}
        for game in games.values():
            files.update(game_files(type(game).__module__, registry.distribution_of(game)))
        return files

    token = token_hex(8)
    with (
        RunFolder(token) as folder,
        BotPool(
            programs, folder.path / "bots", token, PoolLimits(), confinement, engine_files=engine_files
        ) as pool,
    ):
        table = CheckHarness(pool, confinement, clock, tell)
        try:
            yield table
        finally:
            table.close()


def _last_words(process: BotProcess) -> bytes:
    """Abort the Python programs among a bot's processes; return what they write about where they were."""
    pids = [pid for pid in process.members() if _is_python(pid)]
    if not pids:
        return b""
    channel = process.channel
    channel.drain_log()
    before = process.channel.log.take()
    for pid in pids:
        signal_if_marked(pid, process.token, signal.SIGABRT)
    until_s = time.monotonic() + _LAST_WORDS_S
    while not channel.stderr_ended and (left_s := until_s - time.monotonic()) > 0:
        poll = select.poll()
        poll.register(channel.stderr, select.POLLIN)
        if not poll.poll(left_s * 1000) or not channel.read_log():
            break
    words = channel.log.take()
    channel.log.write(before.head + before.tail)  # its own log stays without them
    return words.head + words.tail


def _is_python(pid: int) -> bool:
    try:
        name = os.readlink(f"/proc/{pid}/exe").rpartition("/")[2]  # noqa: PTH115
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
            return name.startswith("python") and b"PYTHONFAULTHANDLER=1" in file.read(65_536)
    except OSError:
        return False


@contextmanager
def _blaming_the_machine(ticket: Ticket | None = None, game: AnyGame | None = None) -> Iterator[None]:
    """Turn what is neither the bot's fault nor a mistake of a user into the error that a league reports."""
    try:
        yield
    except (EndedFromOutside, HostRefusal) as error:
        raise ArenaError(str(error), "the check has no result; try again") from error
    except Exception as error:
        if refusal(error) is not None or ticket is None or game is None:
            raise
        raise why_aborted(raised(error), game) from error
