"""Bot processes kept over games: taken for a game, given back after it, ended when they must."""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.players.base import Fault
from arena.players.bot import BotPlayer
from arena.players.process import BotProcess
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.folders import remove_tree
from arena.sandbox.program import Program, stage_engine
from arena.sandbox.refusals import Refusal, in_words, refusal
from arena.sandbox.slots import Slots
from arena.sandbox.start import CannotStart
from arena.sandbox.survivors import kill_marked, kill_orphans
from protocol.limits import STARTUP_MS
from protocol.verdicts import Verdict

QUIT_GRACE_MS = 250
"""How long a process may take to exit once asked to."""
MEMORY_CHECK_GAMES = 32
"""How often, in seats played, the memory of idle processes is looked at."""


class HostRefusal(Exception):
    """The machine refused something that a game needs: a fault of the platform."""

    def __init__(self, message: str, entry_no: int, refusal: Refusal | None) -> None:
        """`entry_no` is whose bot could not be started; `refusal`: what the machine has run out of, if that is it."""
        super().__init__(message)
        self.entry_no = entry_no
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Bounds on the bot processes of one worker."""

    startup_ms: int = STARTUP_MS
    kept: int = 16
    """Most processes kept while idle."""
    kept_bytes: int = 2_147_483_648
    """Most memory held by processes kept while idle; 0 for no bound."""


class BotPool:
    """The bot processes of one worker. A context manager; nothing of a bot is left when it closes.

    No process ever plays two games of one match, and one that was at fault plays no other game.
    """

    def __init__(
        self,
        programs: Mapping[int, Program],
        place: Path,
        token: str,
        limits: PoolLimits | None = None,
        confinement: Confinement = UNCONFINED,
        *,
        owns_all_children: bool = False,
    ) -> None:
        """Keep folders below `place` and mark processes with `token`.

        `owns_all_children` says that every child of this process is a bot's, so that strangers may be killed:
        true in a worker, which is a subreaper and does nothing else.
        """
        self._programs = programs
        self._place = place
        self._token = token
        self._limits = limits or PoolLimits()
        self._confinement = confinement
        tools = confinement.tools
        self._slots = Slots(distinct=tools is not None and tools.as_root)
        self._idle: list[tuple[int, BotProcess]] = []
        """Least recently used first."""
        self._playing: dict[int, BotProcess] = {}
        self._leaving: list[tuple[float, BotProcess]] = []
        self._given_back = 0
        self._engine_path: Path | None = None
        self._owns_all_children = owns_all_children

    def __enter__(self) -> "BotPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, entry_no: int, match: tuple[str, int], seat: int) -> BotPlayer:
        """Return a player of an entry for one game of a match (league, match_no); give it back after the game.

        Its `start` raises HostRefusal where the machine refuses a new process.
        """
        self._reap(wait=False)
        kept = self._kept(entry_no, match)
        if kept is not None:
            self._playing[seat] = kept

        def fresh() -> BotProcess | Fault:
            process = self._start(entry_no)
            if isinstance(process, BotProcess):
                process.matches.add(match)
                self._playing[seat] = process
            return process

        return BotPlayer(fresh, kept, self._limits.startup_ms)

    def give_back(self, entry_no: int, player: BotPlayer, seat: int) -> None:
        """Keep the player's process for another game, if it has one and may."""
        started = self._playing.pop(seat, None)
        process = player.process
        if process is None:
            if started is not None:
                started.kill()  # for a fault it was killed already: whatever it had started goes too
                self._sweep()
            return
        if not self._programs[entry_no].reuse or not process.channel.is_usable:
            self._dismiss(process)
            return
        self._stop_thinkers()
        self._idle.append((entry_no, process))
        self._given_back += 1
        while len(self._idle) > self._limits.kept or (
            self._given_back % MEMORY_CHECK_GAMES == 0 and self._too_much_memory()
        ):
            self._dismiss(self._idle.pop(0)[1])

    def close(self) -> None:
        """End every process: asked to quit, then killed."""
        for _, process in self._idle:
            self._dismiss(process)
        self._idle.clear()
        for process in self._playing.values():
            process.kill()
        self._playing.clear()
        self._reap(wait=True)
        self._sweep()
        if not self._owns_all_children:
            kill_marked(self._token + "/")
        remove_tree(self._place)

    def _stop_thinkers(self) -> None:
        """Kill idle processes that use as much of the machine as would be a fault in a game."""
        for item in list(self._idle):
            _, process = item
            process.watch.look_between_turns()
            if process.watch.pondered():
                self._idle.remove(item)
                process.kill()

    def _kept(self, entry_no: int, match: tuple[str, int]) -> BotProcess | None:
        for i in range(len(self._idle) - 1, -1, -1):
            kept_no, process = self._idle[i]
            if kept_no != entry_no:
                continue
            del self._idle[i]
            if match in process.matches:
                self._dismiss(process)
                continue
            process.matches.add(match)
            return process
        return None

    def _start(self, entry_no: int) -> BotProcess | Fault:
        """Start a process of an entry; where the machine is out of something, once more without the idle ones."""
        while True:
            try:
                return self._started(entry_no)
            except OSError as error:
                refused = refusal(error, self._place)
                if refused is None or not (self._idle or self._leaving):
                    raise HostRefusal(
                        f"could not start a bot: {in_words(error)}", entry_no, refused
                    ) from error
            self._end_idle()

    def _started(self, entry_no: int) -> BotProcess | Fault:
        program = self._programs[entry_no]
        name = secrets.token_hex(8)  # numbers in order would tell a bot how much has been played
        try:
            if program.engine and self._engine_path is None:
                self._engine_path = stage_engine(self._place / f"engine-{name}")
            return BotProcess(
                program,
                self._place / name,
                f"{self._token}/{name}",
                self._engine_path,
                self._confinement,
                self._slots,
            )
        except CannotStart as error:
            return Fault(Verdict.STARTUP, str(error))

    def _end_idle(self) -> None:
        """End all processes that are not in a game, so that what they hold can be had."""
        for _, process in self._idle:
            process.kill()
        for _, process in self._leaving:
            process.kill()
        self._idle.clear()
        self._leaving.clear()
        self._sweep()

    def _dismiss(self, process: BotProcess) -> None:
        """Ask a process to quit; it is reaped, or killed, some time later."""
        process.ask_to_quit()
        self._leaving.append((time.monotonic() + QUIT_GRACE_MS / 1000, process))

    def _reap(self, *, wait: bool) -> None:
        still: list[tuple[float, BotProcess]] = []
        for until, process in self._leaving:
            left_ms = max(0, int((until - time.monotonic()) * 1000)) if wait else 0
            if process.wait(left_ms) or wait or time.monotonic() >= until:
                process.kill()
            else:
                still.append((until, process))
        gone = len(self._leaving) - len(still)
        self._leaving = still
        if gone:
            self._sweep()

    def _sweep(self) -> None:
        """Kill what ended bots have left behind."""
        if not self._owns_all_children:
            return  # a child may be anybody's; `close` finds those that bear the token
        living = [process for _, process in self._idle] + [process for _, process in self._leaving]
        kill_orphans({process.pid for process in [*living, *self._playing.values()]})

    def _too_much_memory(self) -> bool:
        if not self._limits.kept_bytes or not self._idle:
            return False
        return sum(process.watch.memory_bytes() for _, process in self._idle) > self._limits.kept_bytes
