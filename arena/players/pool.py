"""Bot processes kept over games: taken for a game, given back after it, ended when they must."""

import math
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from arena.players.base import Fault
from arena.players.bot import BotPlayer
from arena.players.process import BotProcess
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.engine import stage_engine
from arena.sandbox.folders import remove_tree
from arena.sandbox.overlays import Overlays
from arena.sandbox.program import Program
from arena.sandbox.refusals import Refusal, in_words, refusal
from arena.sandbox.slots import Slots
from arena.sandbox.start import CannotStart
from arena.sandbox.survivors import kill_marked, kill_orphans
from protocol.limits import STARTUP_MS
from protocol.verdicts import Verdict

QUIT_GRACE_MS = 250
"""How long a process may take to exit once asked to, while nobody plays."""
LOOK_MS = 50
"""How often, at most, processes are looked at that rest while others play."""
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

    When a game begins, no process lives that has played another game of its match, nor any that is not kept for later.
    One that was at fault plays no other game. A kept one stands still until it is taken, where it can be frozen; where
    not, it is ended when it works meanwhile, and its entry is at fault in its next game.
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
        engine_files: Callable[[], Mapping[PurePosixPath, Path]] = dict,
    ) -> None:
        """Keep folders below `place` and mark processes with `token`.

        `owns_all_children` says that every child of this process is a bot's, so that strangers may be killed:
        true in a worker, which is a subreaper and does nothing else. `engine_files` gives the files that bots with
        `engine = true` see beside Arena's own, by where they go; it is asked when the first of them starts.
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
        self._leaving: list[tuple[float, int, BotProcess]] = []
        """Those that are to be gone when the next game begins: until when they may end by themselves, and the entry."""
        self._undead: list[BotProcess] = []
        """Those that the system does not let end."""
        self._unswept: list[tuple[set[tuple[str, int]], str]] = []
        """Matches and tokens of ended ones whose orphans we do not inherit: they are looked for when it matters."""
        self._owed: dict[int, str] = {}
        """Entries of which a process has worked between its games, and by how much: the fault of their next game."""
        self._stubborn: set[int] = set()
        """Entries of which a process did not end when it was asked to: they are not asked again."""
        self._given_back = 0
        self._looked_s = 0.0
        self._engine_path: Path | None = None
        self._engine_files = engine_files
        self._overlay_tools = None if tools is None else tools.overlays
        self._overlays: Overlays | None = None
        self._owns_all_children = owns_all_children

    def __enter__(self) -> "BotPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, entry_no: int, match: tuple[str, int], seat: int) -> BotPlayer:
        """Return a player of an entry for one game of a match (league, match_no); give it back after the game.

        Raises HostRefusal where a process that has played the match does not end; its `start` does, where the machine
        refuses a new process.
        """
        self._end_players_of(match, entry_no)
        if owed := self._owed.pop(entry_no, ""):
            return BotPlayer(lambda: Fault(Verdict.PONDERING, owed), None, self._limits.startup_ms)
        kept = self._kept(entry_no)
        if kept is not None:
            kept.matches.add(match)
            self._playing[seat] = kept

        def fresh() -> BotProcess | Fault:
            process = self._start(entry_no)
            if isinstance(process, BotProcess):
                process.matches.add(match)
                self._playing[seat] = process
            return process

        return BotPlayer(fresh, kept, self._limits.startup_ms)

    def give_back(self, entry_no: int, player: BotPlayer, seat: int) -> None:
        """Keep the process of a player for another game, if it has one and may; once all are back, `end_dismissed`."""
        started = self._playing.pop(seat, None)
        process = player.process
        if process is None:
            if started is not None:
                self._end(started)  # for a fault it was killed already: whatever it had started goes too
                self._sweep()
            return
        process.watch.begin_rest()
        if not self._programs[entry_no].reuse or not process.channel.is_usable:
            self._dismiss(entry_no, process)
            return
        self._idle.append((entry_no, process))
        self._given_back += 1
        while len(self._idle) > self._limits.kept or (
            self._given_back % MEMORY_CHECK_GAMES == 0 and self._too_much_memory()
        ):
            self._dismiss(*self._idle.pop(0))

    def end_dismissed(self) -> None:
        """See to it, after a game, that nobody lives but who is kept."""
        self._look_at_idle()
        self._see_off()

    def end_idle(self, *, asks: bool = True) -> None:
        """End all processes that are kept: asked to quit, if `asks`, then killed."""
        for item in self._idle:
            if asks:
                self._dismiss(*item)
            else:
                self._leaving.append((0.0, *item))
        self._idle.clear()
        self._see_off()

    def close(self) -> None:
        """End every process: asked to quit, then killed."""
        self.end_idle()
        for process in self._playing.values():
            self._end(process)
        self._playing.clear()
        self._see_off()
        self._sweep()
        if self._overlays is not None:
            self._overlays.close()
        self._slots.close()
        if not self._owns_all_children:
            kill_marked(self._token + "/")
        remove_tree(self._place)

    def _end_players_of(self, match: tuple[str, int], entry_no: int) -> None:
        """End all processes that have played a game of a match. Raises HostRefusal where one does not end."""
        self._see_off()
        for item in [item for item in self._idle if match in item[1].matches]:
            self._idle.remove(item)
            self._dismiss(*item)
        self._see_off()
        for unswept in [unswept for unswept in self._unswept if match in unswept[0]]:
            self._unswept.remove(unswept)
            kill_marked(unswept[1])
        self._undead = [process for process in self._undead if not process.kill()]
        if any(match in process.matches for process in self._undead):
            raise HostRefusal("a process that has played this deal does not end", entry_no, None)

    def _look_around(self) -> None:
        """Look at all processes that rest, in a game or between two, while somebody is waited for."""
        now_s = time.monotonic()
        if now_s - self._looked_s < LOOK_MS / 1000:
            return
        for process in self._playing.values():
            process.watch.look()
        self._look_at_idle()
        self._looked_s = time.monotonic()

    def _look_at_idle(self) -> None:
        """Strike idle processes that work; their entries owe for it."""
        for item in list(self._idle):
            entry_no, process = item
            if not process.watch.freezes:
                process.watch.look_at_rest()
                if self._charge(entry_no, process):
                    process.strike()
                    self._idle.remove(item)
                    self._leaving.append((0.0, entry_no, process))

    def _charge(self, entry_no: int, process: BotProcess) -> bool:
        """Have an entry owe for a process that has worked between its games; return whether it has."""
        worked = process.watch.worked_at_rest()
        if worked:
            self._owed[entry_no] = worked
        return bool(worked)

    def _kept(self, entry_no: int) -> BotProcess | None:
        for i in range(len(self._idle) - 1, -1, -1):
            if self._idle[i][0] == entry_no:
                return self._idle.pop(i)[1]
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
            self.end_idle(asks=False)  # what they hold can be had then

    def _started(self, entry_no: int) -> BotProcess | Fault:
        program = self._programs[entry_no]
        name = secrets.token_hex(8)  # numbers in order would tell a bot how much has been played
        try:
            if program.engine and self._engine_path is None:
                self._engine_path = stage_engine(self._place / f"engine-{name}", self._engine_files())
            if self._overlays is None and self._overlay_tools is not None:
                self._overlays = Overlays(self._overlay_tools, self._place / "overlays")
            process = BotProcess(
                program,
                self._place / name,
                f"{self._token}/{name}",
                self._engine_path,
                self._confinement,
                self._slots,
                self._overlays,
            )
        except CannotStart as error:
            return Fault(Verdict.STARTUP, str(error))
        if not process.watch.freezes:
            process.watch.beside = self._look_around
        return process

    def _dismiss(self, entry_no: int, process: BotProcess) -> None:
        """Ask a process to quit; before the next game it is seen off."""
        until_s = 0.0
        if entry_no not in self._stubborn:
            process.ask_to_quit()
            until_s = time.monotonic() + QUIT_GRACE_MS / 1000
        self._leaving.append((until_s, entry_no, process))

    def _see_off(self) -> None:
        """Wait for those that were asked to quit; kill who does not, and does not get that time again."""
        if not self._leaving:
            return
        for until_s, entry_no, process in self._leaving:
            while not process.wait(0) and (left_s := until_s - time.monotonic()) > 0:
                process.wait(min(LOOK_MS, math.ceil(left_s * 1000)))
                process.watch.look_at_rest()
            if until_s and not process.wait(0):
                self._stubborn.add(entry_no)
            self._end(process, entry_no)
        self._leaving.clear()
        self._sweep()

    def _end(self, process: BotProcess, entry_no: int | None = None) -> None:
        """Kill a process; what it has used at rest goes to the account of the entry, where one is named."""
        if entry_no is not None:
            process.watch.look_at_rest()
            self._charge(entry_no, process)
        if not process.kill():
            self._undead.append(process)
        elif not self._owns_all_children and self._confinement.tools is None:
            self._unswept.append((process.matches, process.token))

    def _sweep(self) -> None:
        """Kill what ended bots have left behind."""
        if not self._owns_all_children:
            return  # a child may be anybody's; `close` finds those that bear the token
        living = [process for _, process in self._idle] + [process for _, _, process in self._leaving]
        known = {process.pid for process in [*living, *self._undead, *self._playing.values()]}
        if self._overlays is not None and self._overlays.pid is not None:
            known.add(self._overlays.pid)
        kill_orphans(known)

    def _too_much_memory(self) -> bool:
        if not self._limits.kept_bytes or not self._idle:
            return False
        return sum(process.watch.memory_bytes() for _, process in self._idle) > self._limits.kept_bytes
