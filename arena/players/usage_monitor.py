"""Monitors one bot process: its memory, its CPU time outside its turns, and its waiting for a core."""

import contextlib
import time
from collections.abc import Callable, Mapping

from arena.sandbox.bot_program import MIB, Bounds
from arena.sandbox.cgroups import BotGroup
from arena.sandbox.usage import LOOK_NS, Ran, Usage, Waits, at_beginning, is_overloaded
from protocol.verdicts import Reason
from results.base.clock import NS_PER_MS

LATE_NS = 1 * NS_PER_MS
"""How long bots may be out of their turns before they are frozen."""


class LateFreezing:
    """The bots of one worker that are out of turn but not frozen yet. All times are monotonic, in nanoseconds.

    Freezing a bot and thawing it again takes longer than many bots think. So a bot that has answered at once is left
    running, on trust, until the next look at the clock finds that it has been out of its turn for `LATE_NS`. What it
    may gain by that is bounded in docs/security.md.
    """

    __slots__ = ("_bots", "_ended_ns", "_is_slow", "_since_ns")

    def __init__(self) -> None:
        self._bots: list[BotMonitor] = []
        self._since_ns = 0
        """When the first of them ended its turn."""
        self._ended_ns = 0
        """When any turn ended last."""
        self._is_slow = True
        """Whether the referee took long from the last turn to this one, as it may do again after this one."""

    def begin_turn(self, bot: "BotMonitor", now_ns: int) -> None:
        """Take a bot back into its turn, and freeze the others if it is time."""
        bots = self._bots
        if bots:
            if bot in bots:
                bots.remove(bot)
            if bots and now_ns - self._since_ns > LATE_NS:
                self.freeze()
        self._is_slow = now_ns - self._ended_ns > LATE_NS

    def end_turn(self, bot: "BotMonitor", now_ns: int) -> bool:
        """Return whether a bot may be left running after its turn. If not, the caller freezes it."""
        self._ended_ns = now_ns
        if self._is_slow:
            return False
        if not self._bots:
            self._since_ns = now_ns
        self._bots.append(bot)
        return True

    def freeze(self) -> None:
        """Freeze all bots that are out of turn."""
        bots, self._bots = self._bots, []
        for bot in bots:
            bot.freeze()

    def forget(self, bot: "BotMonitor") -> None:
        """Take out a bot that has been frozen or has ended."""
        if bot in self._bots:
            self._bots.remove(bot)


PONDERING_LEAST_NS = 50 * NS_PER_MS
PONDERING_PART = 0.2
"""A bot's CPU time outside its turns is limited to the larger of these: a constant, and a part of its time in them."""
RESTING_PART = 0.02
"""Part of the time between games, or in a person's turn, that a process may use on top, as runtimes are never idle."""
SUSPECT_NS = 1 * NS_PER_MS
SUSPECT_OTHERS_NS = 2 * NS_PER_MS
SUSPECT_PART = 0.2
"""A bot that is frozen late loses that trust by more CPU time than this: from one turn to the next; in a game, by
processes that were gone before they were seen; out of turn in a game, as a part of its limit."""
BUSY_PART = 0.5
"""A bot that ran, or was kept waiting, for more than this part of its own time wasn't idle."""
MANY_THREADS_NS = 1_000 * NS_PER_MS
"""With a limit from this on, all threads of a bot of several are looked at for the first time in the next look."""


class BotMonitor:
    """Monitors what one bot process uses in its turns and outside them.

    If the bot has a control group, it is frozen outside its turns and between games. Its usage is counted even then.
    If `late_freezing` is set, it is frozen late after answers that come at once, until it uses that to think out of
    turn.
    """

    def __init__(
        self, find: Callable[[], Usage | None], group: BotGroup | None, bounds: Bounds, *, pondering: bool
    ) -> None:
        """`find` returns the usage once the bot's first process exists, and None before."""
        self.beside: Callable[[], None] = lambda: None
        """Checks the other bots; called at each look for processes, and while waiting for this bot."""
        self.late_freezing: LateFreezing | None = None
        self._find = find
        self._found: Usage | None = None
        self._found_since_ns = 0
        self._group = group
        self._bounds = bounds
        self.freezes = group is not None and not pondering
        self._is_frozen = False
        self._is_trusted = True
        self._game_others_ns = 0
        self._runs_on = False
        """Whether it was left running after its last turn."""
        self._counts = not pondering
        self._own_ns = 0
        self._outside_ns = 0
        self._long_wait_ns = 0
        self._marked_ns = 0
        self._resting_ns = 0
        self._rests_since_ns = 0
        self._leaves_since_ns = 0
        self._turn_since_ns = 0
        self._turn_cpu_ns = 0
        self._turn_others_ns = 0
        self._waits: Waits | None = Waits(0, 0, {})
        """How long it has been kept waiting in this turn, at first since its start; None if not known yet."""
        self._known_threads: Mapping[int, Ran] = {}
        """What its threads had run and waited when that was read last."""
        self.memory_due_ns = 0
        """When its memory should be measured next, as monotonic time."""

    def close(self) -> None:
        """Close all open files. May be called twice."""
        if self.late_freezing is not None:
            self.late_freezing.forget(self)
        if self._found is not None:
            self._found.close()

    @property
    def _usage(self) -> Usage | None:
        if self._found is None:
            self._found = self._find()
            self._found_since_ns = time.monotonic_ns()
        return self._found

    def begin_game(self) -> None:
        """Reset the counters. Called within the bot's turn, as it gets ready for the game."""
        self._own_ns = self._outside_ns = self._long_wait_ns = 0
        if self._found is not None:
            self._game_others_ns = self._found.others_cpu_ns

    def begin_turn(self) -> None:
        """Thaw the bot and start counting, before it is asked; freeze all others that are out of turn."""
        self.begin_quick_turn(time.monotonic_ns())
        self.freeze_others()
        usage = self._usage
        if usage is not None:
            ran_ns = self._turn_cpu_ns + self._turn_others_ns
            self._known_threads = usage.threads(ran_ns)
            self._waits = Waits(self._turn_since_ns, ran_ns, self._known_threads)

    def begin_quick_turn(self, now_ns: int) -> bool:
        """Like `begin_turn`, for a turn that is probably short: does only what can't wait.

        `now_ns` is the monotonic time. If the turn isn't short, call `estimate_waiting` and `freeze_others`. Returns
        whether `pondered` may return something.
        """
        if self.late_freezing is not None:
            self.late_freezing.begin_turn(self, now_ns)
        usage = self._found or self._usage
        if usage is None:
            self.beside()
            return False
        if now_ns >= usage.look_due_ns:
            self.beside()
            usage.look(now_ns)
        self._turn_cpu_ns = cpu_ns = usage.first_cpu_ns()
        self._turn_others_ns = others_ns = usage.others_cpu_ns
        if self._counts:
            total_ns = cpu_ns + others_ns
            if total_ns > self._marked_ns:
                self._outside_ns += total_ns - self._marked_ns
                if self._runs_on and self._is_suspect(total_ns - self._marked_ns):
                    self._is_trusted = False
            self._marked_ns = total_ns
        self._turn_since_ns = now_ns
        self._waits = None
        if self._is_frozen:
            self._set_frozen(frozen=False)
        return self._outside_ns > PONDERING_LEAST_NS

    def _is_suspect(self, gap_ns: int) -> bool:
        """Return whether the bot thinks out of turn; `gap_ns` is its CPU time since its last turn."""
        return gap_ns > SUSPECT_NS or (
            self._outside_ns > SUSPECT_PART * PONDERING_LEAST_NS
            and self._outside_ns > SUSPECT_PART * self._pondering_limit_ns
        )

    def freeze_others(self) -> None:
        """Freeze all other bots that are out of turn. Call it when this one takes its time."""
        if self.late_freezing is not None:
            self.late_freezing.freeze()

    def estimate_waiting(self, limit_ns: int) -> None:
        """Find out how long the bot had waited for a core when its quick turn began, which may take `limit_ns`.

        If it has many threads and much time, that is left to the next look.
        """
        usage = self._usage
        if usage is None or self._waits is not None:
            return
        if not usage.has_few_threads:
            if limit_ns >= MANY_THREADS_NS:
                return
            usage.look()
        self._look_at_waits(usage)

    def _look_at_waits(self, usage: Usage) -> None:
        ran_ns, now_ns = usage.first_cpu_ns() + usage.others_cpu_ns, time.monotonic_ns()
        threads = usage.threads(ran_ns)
        if self._waits is None:
            since_ns, before_ns = self._turn_since_ns, self._turn_cpu_ns + self._turn_others_ns
            known = at_beginning(now_ns - since_ns, ran_ns - before_ns, threads, self._known_threads)
            self._waits = Waits(since_ns, before_ns, known)
        self._waits.look(now_ns, ran_ns, threads)
        self._known_threads = threads

    def end_turn(self, now_ns: int, *, quick: bool = False) -> int:
        """Freeze the bot after its answer, at the monotonic time `now_ns`; if it was quick, perhaps later.

        Returns the CPU time of its first process in this turn.
        """
        usage = self._found or self._usage
        if usage is None:
            return 0
        if self.freezes:
            self._runs_on = (
                quick
                and self.late_freezing is not None
                and self._is_trusted
                and usage.is_alone
                and usage.others_cpu_ns - self._game_others_ns <= SUSPECT_OTHERS_NS
                and self.late_freezing.end_turn(self, now_ns)
            )
            if not self._runs_on:
                self._set_frozen(frozen=True)
        if now_ns >= usage.look_due_ns:  # even if nothing is counted, for its memory
            self.beside()
            usage.look(now_ns)
        cpu_ns = usage.first_cpu_ns()
        if self._counts:
            total_ns = cpu_ns + usage.others_cpu_ns
            if total_ns > self._marked_ns:
                self._own_ns += total_ns - self._marked_ns
            self._marked_ns = total_ns
        return max(0, cpu_ns - self._turn_cpu_ns)

    def turn_cpu_ns(self) -> int:
        """Return the CPU time of all the bot's processes in the present turn, as of the last look; 0 if unknown."""
        usage = self._usage
        if usage is None:
            return 0
        return max(0, usage.first_cpu_ns() + usage.others_cpu_ns - self._turn_cpu_ns - self._turn_others_ns)

    def begin_rest(self) -> None:
        """Freeze the bot between two games, and count what it uses until the next one."""
        self.freeze()
        self._rests_since_ns = time.monotonic_ns()
        self._resting_ns = 0
        self.look_at_rest()

    def look_at_rest(self) -> None:
        """Count what the bot has used since its last game."""
        usage = self._usage
        if usage is not None and self._counts:
            self._resting_ns += self._used_ns(usage)

    def begin_leaving(self) -> None:
        """Thaw the bot so that it can exit."""
        self._leaves_since_ns = time.monotonic_ns()
        if self._is_frozen:
            self._set_frozen(frozen=False)

    def worked_at_rest(self) -> str:
        """Return the CPU time used between games and its limit, if over it. While the bot exits, it may use a core."""
        if not self._counts:
            return ""
        now_ns = time.monotonic_ns()
        limit_ns = self._pondering_limit_ns + int(RESTING_PART * (now_ns - self._rests_since_ns))
        if self._leaves_since_ns:
            limit_ns += now_ns - self._leaves_since_ns
        if self._resting_ns <= limit_ns:
            return ""
        return (
            f"{limit_ns // NS_PER_MS} ms limit of CPU time between its games, "
            f"{self._resting_ns // NS_PER_MS} ms used"
        )

    def pondered(self) -> str:
        """Return the CPU time used outside the bot's turns, with its limit; empty if it is within the limit."""
        limit_ns = self._pondering_limit_ns + int(RESTING_PART * self._long_wait_ns)
        if not self._counts or self._outside_ns <= limit_ns:
            return ""
        return (
            f"{limit_ns // NS_PER_MS} ms limit of CPU time outside its turns, "
            f"{self._outside_ns // NS_PER_MS} ms used ({self._own_ns // NS_PER_MS} ms in its turns)"
        )

    def look_between_turns(self) -> None:
        """Count what the bot has used since its last turn."""
        usage = self._usage
        if usage is not None and self._counts:
            self._outside_ns += self._used_ns(usage)

    def excuse_long_wait(self, wall_ns: int) -> None:
        """Allow for what a runtime uses while it waits for a person, as between two games."""
        self._long_wait_ns += wall_ns

    def memory_bytes(self) -> int:
        """Return the memory that the bot's known processes use now."""
        usage = self._usage
        return 0 if usage is None else usage.memory_bytes()

    def memory_excess(self) -> str:
        """Return the memory that the bot uses, with its limit, if it is above the limit; empty otherwise."""
        usage, limit_bytes = self._usage, self._bounds.memory_bytes
        self.memory_due_ns = time.monotonic_ns() + LOOK_NS
        if usage is None or usage.memory_bytes() <= limit_bytes:
            return ""
        exact_bytes = usage.proportional_bytes()  # the cheaper count includes shared memory once per process
        if exact_bytes <= limit_bytes:
            return ""
        return f"{limit_bytes // MIB} MiB limit, {exact_bytes // MIB} MiB sampled"

    def memory_kill(self) -> str:
        """Return the memory that the bot held when the kernel killed it for its memory; empty if it didn't."""
        if self._group is None or not self._group.memory_kills():
            return ""
        limit_bytes = self._bounds.memory_bytes
        held_bytes = self._group.most_memory_bytes() or limit_bytes  # it had reached the limit
        return f"{limit_bytes // MIB} MiB limit, {round(held_bytes / MIB)} MiB held when the kernel ended it"

    def look(self) -> None:
        """In the bot's turn: look for processes that it has started, and for how long they were kept waiting."""
        usage = self._usage
        if usage is not None:
            usage.look()
            self._look_at_waits(usage)

    def kept_waiting_ns(self) -> int:
        """Return how long the bot was ready to run in this turn but had no core, through no fault of its own."""
        self.look()
        return 0 if self._waits is None else self._waits.waited_ns

    def silence(self, own_ns: int) -> Reason:
        """Return what a bot does that hasn't answered in the `own_ns` that it had, as far as that can be seen.

        If nobody knows what it does, an overloaded machine is likelier to blame than the bot.
        """
        waited_ns, used_ns = self.kept_waiting_ns(), self.turn_cpu_ns()
        if self._found is not None:
            own_ns = min(own_ns, time.monotonic_ns() - self._found_since_ns)
        if waited_ns + used_ns > BUSY_PART * own_ns:
            return Reason.BUSY_MACHINE if waited_ns > used_ns else Reason.COMPUTING
        is_seen = self._found is not None and self._found.sees_waits
        return Reason.BUSY_MACHINE if not is_seen and is_overloaded() else Reason.IDLE

    @property
    def _pondering_limit_ns(self) -> int:
        return max(PONDERING_LEAST_NS, int(PONDERING_PART * self._own_ns))

    def _used_ns(self, usage: Usage) -> int:
        """Return the CPU time of all processes since the last call."""
        usage.look()
        total_ns = usage.first_cpu_ns() + usage.others_cpu_ns
        used_ns, self._marked_ns = max(0, total_ns - self._marked_ns), total_ns
        return used_ns

    def freeze(self) -> None:
        """Freeze the bot if it can be frozen and isn't."""
        if self.freezes and not self._is_frozen:
            self._set_frozen(frozen=True)
            if self.late_freezing is not None:
                self.late_freezing.forget(self)

    def _set_frozen(self, *, frozen: bool) -> None:
        assert self._group is not None  # noqa: S101 - implied by `freezes`
        self._is_frozen = frozen
        with contextlib.suppress(OSError):
            if frozen:
                self._group.begin_freeze()
            else:
                self._group.thaw()
