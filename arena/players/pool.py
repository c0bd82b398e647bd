"""Bot processes that are reused: taken for a game, given back after it, and ended when they have to be."""

import contextlib
import math
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from msgspec import Struct

from arena.players.base import Fault, Player
from arena.players.bot import BotPlayer
from arena.players.channel import Tap
from arena.players.process import NOT_STARTED, BotProcess
from arena.players.usage_monitor import LateFreezing
from arena.sandbox.account_slots import Slots
from arena.sandbox.bot_program import Program, stage_engine
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.machine_shortage import Refusal, in_words, refusal
from arena.sandbox.shared_folder_overlays import Overlays
from arena.sandbox.start import CannotStart
from arena.sandbox.survivors import kill_marked, kill_orphans
from protocol.messages import STARTUP_MS
from protocol.verdicts import Verdict

QUIT_GRACE_MS = 250
"""How long a process may take to exit after `quit`. Nobody plays during that time."""
LOOK_MS = 50
"""Minimum interval between checks of processes that are waiting while others play."""
MEMORY_CHECK_GAMES = 32
"""Number of seats played between checks of the memory of idle processes."""


class HostRefusal(Exception):
    """The machine refused something that a game needs. This is a platform error, not a bot's fault."""

    def __init__(self, message: str, entry_no: int, refusal: Refusal | None) -> None:
        """`entry_no` is the entry that couldn't play; `refusal` is what the machine ran out of, if it did."""
        super().__init__(message)
        self.entry_no = entry_no
        self.refusal = refusal


class PoolLimits(Struct, frozen=True):
    """Limits for the bot processes of one worker."""

    startup_ms: int = STARTUP_MS
    kept: int = 16
    """Maximum number of idle processes."""
    kept_bytes: int = 2_147_483_648
    """Maximum memory of all idle processes together; 0 for no limit."""


class BotPool:
    """The bot processes of one worker. A context manager; no bot process or folder is left when it closes.

    When a game begins, the only other processes alive are those kept for later games, and none of them has played
    another game on the same deal. A process that was at fault isn't reused. Kept processes are frozen between games
    if the machine can freeze them. If not, a process that uses CPU time between games is killed, and its entry gets
    the fault in its next game.
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
        freezes_late: bool = False,
        engine_files: Callable[[], Mapping[PurePosixPath, Path]] = dict,
        tap_of: Callable[[int], Tap | None] | None = None,
    ) -> None:
        """Keep folders below `place` and mark processes with `token`.

        `owns_all_children` means that every child of this process belongs to a bot, so that unknown children may be
        killed. It is true in a worker, which is a subreaper and has no other children. `engine_files` returns the
        files that bots with `engine = true` see in addition to Arena's own, keyed by their path in the engine folder;
        it is called when the first such bot starts. `tap_of` returns what sees the lines of a new process, by the seat
        that it starts at.

        `freezes_late` means that bots that answer at once are frozen only when another takes its time. Nobody may then
        sleep or wait for a person in a game without freezing the bots.
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
        self._prepared: dict[int, BotProcess] = {}
        """By entry: sandboxes in which the bot's program hasn't begun, so they know nothing."""
        self._leaving: list[tuple[float, int, BotProcess]] = []
        """Processes that must be gone before the next game: their deadline for exiting, and their entry."""
        self._undead: list[BotProcess] = []
        """Processes that were killed and still exist."""
        self._unswept: list[tuple[set[tuple[str, int]], str]] = []
        """Deals and tokens of ended processes whose orphans we don't inherit: killed before another game on it."""
        self._owed: dict[int, str] = {}
        """Faults for the next game of entries that used CPU time between games."""
        self._stubborn: set[int] = set()
        """Entries with a process that ignored `quit`. Their processes are killed without asking."""
        self._given_back = 0
        self._looked_s = 0.0
        self._engine_path: Path | None = None
        self._engine_files = engine_files
        self._removal = None if tools is None else ThreadPoolExecutor(1, "removal")
        self._overlay_tools = None if tools is None else tools.overlays
        self._overlays: Overlays | None = None
        self._owns_all_children = owns_all_children
        self._tap_of = tap_of
        self._late_freezing = LateFreezing() if freezes_late else None

    def __enter__(self) -> "BotPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, entry_no: int, deal: tuple[str, int], seat: int) -> BotPlayer:
        """Return a player of an entry for one game on a deal (league, deal_no); give it back after the game.

        Raises HostRefusal if a process that has played the deal can't be ended. The player's `start` raises it if
        the machine refuses a new process.
        """
        self._end_players_of(deal, entry_no)
        owed = self._owed.pop(entry_no, "")
        kept = None if owed else self._kept(entry_no)
        if kept is not None:
            kept.deals.add(deal)
            self._playing[seat] = kept

        def fresh() -> BotProcess | Fault:
            process = self.start(entry_no)
            return process if isinstance(process, Fault) else self._seated(process, deal, seat)

        player = BotPlayer(fresh, kept, self._limits.startup_ms)
        if owed:
            player.started = Fault(Verdict.PONDERING, owed)
        return player

    def _seated(self, process: BotProcess, deal: tuple[str, int], seat: int) -> BotProcess:
        process.deals.add(deal)
        self._playing[seat] = process
        if self._tap_of is not None:
            process.channel.tap = self._tap_of(seat)
        return process

    def kept_entries(self) -> set[int]:
        """Return the entries with an idle process."""
        return {entry_no for entry_no, _ in self._idle}

    def prepare(self, entry_nos: Iterable[int]) -> None:
        """Begin to make sandboxes for entries that will soon need a process.

        Most of a start in a sandbox is waiting for the kernel, which these sandboxes do while others play. Nothing is
        prepared where programs would begin at once.
        """
        if self._confinement.tools is None or self._confinement.delegation is None:
            return
        with contextlib.suppress(OSError, HostRefusal):  # the start that needs it knows what to do
            for entry_no in entry_nos:
                if entry_no not in self._prepared and len(self._prepared) < self._limits.kept:
                    process = self._started(entry_no, lets_in=False)
                    if isinstance(process, BotProcess):
                        self._prepared[entry_no] = process

    def start_together(
        self, entry_nos: Sequence[int], deal: tuple[str, int], players: Sequence[Player]
    ) -> None:
        """Start the processes of those players of a game, by seat, that were taken from here and have none.

        Their waits for the kernel overlap. What the machine refuses is left to the player's `start`.
        """
        wanted = [
            (entry_no, seat, player)
            for seat, (entry_no, player) in enumerate(zip(entry_nos, players, strict=True))
            if isinstance(player, BotPlayer) and player.process is None and player.started is None
        ]
        self.prepare([entry_no for entry_no, _, _ in wanted])
        begun = [
            (self._prepared.pop(entry_no), seat, player)
            for entry_no, seat, player in wanted
            if entry_no in self._prepared
        ]
        for process, seat, player in begun:
            try:
                process.let_in()
            except OSError:
                self._end(process)
            else:
                player.started = self._seated(process, deal, seat)

    def give_back(self, entry_no: int, player: BotPlayer, seat: int) -> None:
        """Keep a player's process for another game, if it may be kept. After the last one, call `end_dismissed`."""
        started = self._playing.pop(seat, None)
        process = player.process
        if process is None:
            if started is not None:
                self._end(started)  # already killed for a fault; end what it started, too
                self._sweep()
            return
        process.monitor.begin_rest()
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
        """End all processes that aren't kept. Call it after each game."""
        self._look_at_idle()
        self._see_off()

    def end_idle(self, *, asks: bool = True) -> None:
        """End all idle processes, and what they left behind: ask them to quit, if `asks`, then kill them."""
        for item in self._idle:
            if asks:
                self._dismiss(*item)
            else:
                self._leaving.append((0.0, *item))
        self._idle.clear()
        self._see_off()
        for _, token in self._unswept:
            kill_marked(token)
        self._unswept.clear()

    def close(self) -> None:
        """End every process: ask it to quit, then kill it."""
        self.end_idle()
        self._end_prepared()
        self._end(*self._playing.values())
        self._playing.clear()
        self._see_off()
        self._sweep()
        if self._overlays is not None:
            self._overlays.close()
        self._slots.close()
        if not self._owns_all_children:
            kill_marked(self._token + "/")
        if self._removal is not None:
            self._removal.shutdown()
        remove_tree(self._place)

    def _end_players_of(self, deal: tuple[str, int], entry_no: int) -> None:
        """End all processes that have played a deal. Raises HostRefusal if one can't be ended."""
        self._see_off()
        for item in [item for item in self._idle if deal in item[1].deals]:
            self._idle.remove(item)
            self._dismiss(*item)
        self._see_off()
        for unswept in [unswept for unswept in self._unswept if deal in unswept[0]]:
            self._unswept.remove(unswept)
            kill_marked(unswept[1])
        self._undead = [process for process in self._undead if not process.kill()]
        if any(deal in process.deals for process in self._undead):
            raise HostRefusal("a process that has played this deal does not end", entry_no, None)

    def excuse_long_wait(self, wall_ns: int) -> None:
        """Allow all bots in the game what a runtime uses while it waits for a person."""
        for process in self._playing.values():
            process.monitor.excuse_long_wait(wall_ns)

    def look_around(self) -> None:
        """Check all processes that should be waiting, in a game or between games, while another player is thinking."""
        now_s = time.monotonic()
        if now_s - self._looked_s < LOOK_MS / 1000:
            return
        for process in self._playing.values():
            process.monitor.look()
        self._look_at_idle()
        self._looked_s = time.monotonic()

    def _look_at_idle(self) -> None:
        """Kill idle processes that use CPU time; their entries get the fault in their next game."""
        for item in list(self._idle):
            entry_no, process = item
            if not process.monitor.freezes:
                process.monitor.look_at_rest()
                if self._charge(entry_no, process):
                    process.strike()
                    self._idle.remove(item)
                    self._leaving.append((0.0, entry_no, process))

    def _charge(self, entry_no: int, process: BotProcess) -> bool:
        """Record a fault for the entry's next game if its process worked between games; return whether it did."""
        worked = process.monitor.worked_at_rest()
        if worked:
            self._owed[entry_no] = worked
        return bool(worked)

    def _kept(self, entry_no: int) -> BotProcess | None:
        for i in range(len(self._idle) - 1, -1, -1):
            if self._idle[i][0] == entry_no:
                return self._idle.pop(i)[1]
        return None

    def start(self, entry_no: int) -> BotProcess | Fault:
        """Start a process of an entry; the caller owns it. Returns a fault if the bot can't be started.

        If the machine runs out of a resource, ends the idle processes and retries. Raises HostRefusal.
        """
        while True:
            try:
                return self._started(entry_no)
            except OSError as error:
                refused = refusal(error, self._place)
                if refused is None or not (self._idle or self._leaving or self._prepared):
                    raise HostRefusal(
                        f"could not start a bot: {in_words(error)}", entry_no, refused
                    ) from error
            self.end_idle(asks=False)  # frees what they hold
            self._end_prepared()

    def _started(self, entry_no: int, *, lets_in: bool = True) -> BotProcess | Fault:
        program = self._programs[entry_no]
        name = secrets.token_hex(8)  # consecutive numbers would show a bot how many games were played
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
                lets_in=lets_in,
            )
        except CannotStart as error:
            return Fault(Verdict.STARTUP, str(error), NOT_STARTED.get(error.number))
        if process.monitor.freezes:
            process.monitor.late_freezing = self._late_freezing
        else:
            process.monitor.beside = self.look_around
        return process

    def _dismiss(self, entry_no: int, process: BotProcess) -> None:
        """Ask a process to quit; `_see_off` ends it before the next game."""
        until_s = 0.0
        if entry_no not in self._stubborn:
            process.ask_to_quit()
            until_s = time.monotonic() + QUIT_GRACE_MS / 1000
        self._leaving.append((until_s, entry_no, process))

    def _see_off(self) -> None:
        """Wait for processes that were asked to quit, and kill those that don't; their entries aren't asked again.

        Entries are charged for CPU time used between games.
        """
        if not self._leaving:
            return
        for until_s, entry_no, process in self._leaving:
            while not process.wait(0) and (left_s := until_s - time.monotonic()) > 0:
                process.wait(min(LOOK_MS, math.ceil(left_s * 1000)))
                process.monitor.look_at_rest()
            if until_s and not process.wait(0):
                self._stubborn.add(entry_no)
            process.monitor.look_at_rest()
            self._charge(entry_no, process)
        self._end(*(process for _, _, process in self._leaving))
        self._leaving.clear()
        self._sweep()

    def _end(self, *processes: BotProcess) -> None:
        """Kill processes. All are struck first: then the kernel takes them down at the same time."""
        if len(processes) > 1:
            for process in processes:
                process.strike()
        for process in processes:
            self._kill(process)

    def _kill(self, process: BotProcess) -> None:
        """Kill a process. In a sandbox, nobody sees its folders any more, so nobody waits until they are removed."""
        removal = self._removal
        if not process.kill(
            remove_tree if removal is None else lambda folder: removal.submit(remove_tree, folder)
        ):
            self._undead.append(process)
        elif not self._owns_all_children and self._confinement.tools is None:
            self._unswept.append((process.deals, process.token))

    def _end_prepared(self) -> None:
        prepared, self._prepared = self._prepared, {}
        self._end(*prepared.values())

    def _sweep(self) -> None:
        if not self._owns_all_children:
            return  # children may not be bots; `close` finds the bots by the token
        living = [process for _, process in self._idle] + [process for _, _, process in self._leaving]
        others = [*self._undead, *self._playing.values(), *self._prepared.values()]
        known = {process.pid for process in [*living, *others]}
        if self._overlays is not None and self._overlays.pid is not None:
            known.add(self._overlays.pid)
        kill_orphans(known)

    def _too_much_memory(self) -> bool:
        return 0 < self._limits.kept_bytes < sum(process.monitor.memory_bytes() for _, process in self._idle)
