"""The steps of a check, for a bot whose files are in a folder of their own."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct, structs
from msgspec.structs import replace

from arena.checking.explaining import Explainer, Sources
from arena.checking.game_selection import Plan
from arena.checking.harness import (
    BOT,
    MOST_EXIT_MS,
    CheckHarness,
    Deal,
    Opponents,
    Played,
    Seatable,
    check_harness,
)
from arena.checking.step_results import Failure, State, Step, StepFailed, Untested
from arena.core.errors import ArenaError
from arena.players.base import Fault
from arena.players.pool import QUIT_GRACE_MS
from arena.sandbox.bot_program import MIB, Program
from arena.sandbox.confinement import Confinement
from arena.sandbox.usage import is_overloaded, machine_load
from arena.submissions.manifest import Manifest
from arena.submissions.read_source import Intake
from protocol.messages import STARTUP_MS
from protocol.verdicts import Verdict
from results.base.isolation_levels import Level
from results.base.text import counted

MOST_GAME_S: Final = 20.0
"""A declared game gets no further games after this long, unless their number was asked for."""
ENOUGH_GAME_S: Final = 10.0
"""The same, once it has been played in each setting."""
MANY_GAMES: Final = 10
"""Number of games that one process has to play."""
_MOST_MANY_S: Final = 5.0
_SHORT_S: Final = 1.0
"""How long a game lasts in which it isn't the result that matters; see `Opponents`."""
_REST_S: Final = 0.5
_ID_GAP: Final = 1_000
_EXCUSES: Final = 1
"""How often the bot gets another try if the machine kept it waiting."""


class Use(Struct):
    """What the bot needed in all games of a check."""

    games: int = 0
    decisions: int = 0
    max_wall_ns: int = 0
    started_ms: float = 0.0
    memory_bytes: int = 0
    log_bytes: int = 0
    """Of the game with the largest log."""


class BotCheck:
    """A check in progress. `steps` yields the result of each step; the first failure is the last step."""

    def __init__(
        self,
        intake: Intake,
        program: Program,
        plans: Sequence[Plan],
        confinement: Confinement,
        table: CheckHarness,
        tell: Callable[[str], None],
    ) -> None:
        self.use = Use()
        self._manifest: Manifest = intake.manifest
        self._program = program
        self._plans = plans
        self._confinement = confinement
        self._table = table
        self._tell = tell
        source = intake.built.source if intake.built else ()
        sources = Sources(intake.bot_toml.path.parent, (*source, *intake.files))
        self._explainer = Explainer(intake.bot_toml, sources)
        self._bot: Seatable | None = None
        self._other: Seatable | None = None
        self._surplus: Failure | None = None

    def steps(self, number: int) -> Iterator[Step]:
        """Yield the results of all steps, numbered from `number`, as they come."""
        return numbered(
            [
                ("start", self.start),
                ("handshake", self.handshake),
                *((plan.name, partial(self.game, plan)) for plan in self._plans),
                ("one process", self.many_games),
                ("ids", self.ids),
                ("unknown fields", self.unknown),
                ("silence", self.silence),
                ("determinism", self.determinism),
                ("quit", self.quit),
                ("own folder", self.own_folder),
                ("use", self.used),
            ],
            number,
        )

    def start(self) -> str:
        """Start the program: it runs, and doesn't end before it is asked anything."""
        bot = self._table.start()
        if isinstance(bot, Seatable) and bot.fault is not None and bot.fault.excuse:
            self._tell(f"started again: {bot.fault.excuse}")
            bot = self._table.start()
        if isinstance(bot, Fault):
            raise StepFailed(self._explainer.of_start(bot))
        self._bot = bot
        if bot.fault is not None and bot.has_ended:
            raise StepFailed(self._explainer.of_handshake(bot, bot.fault))
        self.use.started_ms = bot.started_ms
        return f"`{' '.join(self._manifest.command)}` runs"

    def handshake(self) -> str:
        """Judge its answer to `hello`."""
        bot = self._bot
        assert bot is not None  # noqa: S101 - `start` has failed otherwise
        if bot.fault is not None:
            raise StepFailed(self._explainer.of_handshake(bot, bot.fault))
        return f"`hello` answered after {bot.started_ms:.0f} ms of {STARTUP_MS:,} ms"

    def game(self, plan: Plan) -> str:
        """Play one declared game in several rulesets and numbers of seats."""
        begun_s, settings, played = time.monotonic(), [], 0
        for deal in plan.deals():
            most_s = MOST_GAME_S if played < len(plan.settings) else ENOUGH_GAME_S
            if played and not plan.is_exact and time.monotonic() - begun_s > most_s:
                break
            self.play(deal)
            played += 1
            settings.append((deal.ruleset.name, deal.seats))
        rulesets = list(dict.fromkeys(name for name, _ in settings))
        sizes = sorted({size for _, size in settings})
        left = f"; {plan.games - played} more skipped, as these took {time.monotonic() - begun_s:.0f} s"
        return (
            f"{counted(played, 'game')} against random moves, {_listed(rulesets)}, tables of {_listed(map(str, sizes))}"
            + (left if played < plan.games else "")
        )

    def many_games(self) -> str:
        """Play on until one process has played several games."""
        if not self._manifest.reuse:
            raise Untested("reuse = false in bot.toml: each game gets a new process")
        bot = self._ready()
        before_bytes, until_s = bot.memory_bytes, time.monotonic() + _MOST_MANY_S
        while bot.process.games < MANY_GAMES and time.monotonic() < until_s:
            self.play(self._plans[0].settings[0].deal(0, bot.process.games), most_s=_SHORT_S)
            bot = self._ready()
        grown = (
            f", {before_bytes // MIB} MiB of memory, then {bot.memory_bytes // MIB} MiB"
            if before_bytes
            else ""
        )
        return f"{counted(bot.process.games, 'game')}{grown}"

    def ids(self) -> str:
        """Play with ids that don't follow each other; then judge answers that nobody asked for."""
        self.play(self._plans[0].settings[0].deal(0, 0), gap=_ID_GAP, most_s=_SHORT_S)
        if self._surplus is not None:
            raise StepFailed(self._surplus)
        return "each `ask` is answered once, with its id"

    def unknown(self) -> str:
        """Play with fields and messages that the protocol doesn't know yet."""
        for what, cure in (
            ("field", "ignore fields that you don't know: later versions of Arena may add some"),
            ("message", "ignore messages whose `type` you don't know: later versions of Arena may add some"),
        ):
            witness = self._ready().witness
            witness.adds_fields, witness.adds_messages = what == "field", what == "message"
            try:
                self.play(self._plans[0].settings[0].deal(0, 0), fresh=False, most_s=_SHORT_S)
            except StepFailed as error:
                cause = f"an unknown {what} was sent, and the bot did not ignore it: {error.failure.cause}"
                raise StepFailed(structs.replace(error.failure, cause=cause, cure=cure)) from None
            witness.adds_fields = witness.adds_messages = False
        return "unknown fields and messages are ignored"

    def silence(self) -> str:
        """Leave the bot alone between two games: it writes nothing and uses no CPU time."""
        if self._confinement.delegation is None:
            self._leave_alone(self._table, self._ready())
        else:  # a bot that is frozen between games could not show what it would do
            games = {plan.name: plan.settings[0].game for plan in self._plans}
            thawed = replace(self._confinement, delegation=None)
            with check_harness({BOT: self._program}, games, thawed, self._tell, self._table.clock) as table:
                table.told |= self._table.told
                bot = table.start()
                if isinstance(bot, Fault):
                    raise StepFailed(self._explainer.of_start(bot))
                self._leave_alone(table, bot)
        return f"nothing written and no CPU time used in {_REST_S} s between two games"

    def _leave_alone(self, table: CheckHarness, bot: Seatable) -> None:
        deal = self._plans[0].settings[0].deal(0, 0)
        played = table.play(bot, deal, opponents=Opponents(_SHORT_S))
        if played.fault is not None:
            raise StepFailed(self._explainer.of_game(bot, played, played.fault))
        written, worked = table.rest(bot, _REST_S)
        if written:
            raise StepFailed(
                self._explainer.of_behaviour(
                    bot,
                    f"the bot wrote {len(written)} bytes between two games, where it must be silent",
                    "do not answer `end`, and write one line for each message that asks for one",
                    came=written,
                )
            )
        if worked:
            cause = f"the bot computed between two games: {worked}"
            cure = (
                "stop all threads and child processes when the game is over; think only while you are asked"
            )
            if is_overloaded():
                cause = f"{cause}; {machine_load()}"
                cure = (
                    "the bot may be fine: a runtime that compiles beside the program, as Java's does, may have got no "
                    f"core before. Try again when less runs on this machine. If that changes nothing, {cure}"
                )
            raise StepFailed(self._explainer.of_behaviour(bot, cause, cure))

    def determinism(self) -> str:
        """Play the same game again, in the same process and in a fresh one."""
        differing = []
        for plan in self._plans:
            deal, opponents = plan.settings[0].deal(0, 0), Opponents(_SHORT_S)
            prints = [self.play(deal, opponents=opponents).record.fingerprint]
            as_long = partial(Opponents, most_answers=opponents.answers)
            prints.append(self.play(deal, opponents=as_long()).record.fingerprint)
            other = self._other or self._started()
            self._other = other if self._manifest.reuse else None
            played = self._table.play(other, deal, opponents=as_long())
            prints.append(self._judged(other, played).record.fingerprint)
            if not self._manifest.reuse:
                self._table.leave(other, most_ms=QUIT_GRACE_MS)
            if len(set(prints)) > 1:
                differing.append(plan.name)
        if differing:
            return f"no: the same game got different moves ({_listed(differing)}); that is allowed"
        return "yes: the same game gets the same moves, in the same process and in a new one"

    def quit(self) -> str:
        """Tell the bot to exit, once by `quit` and once by the end of its input."""
        words = []
        first, second = self._ready(), self._other or self._started()
        for bot, says_quit in ((first, True), (second, False)):
            taken_ms = self._table.leave(bot, says_quit=says_quit)
            told = "`quit`" if says_quit else "the end of its input"
            if taken_ms is None:
                cause = f"the bot was still running {MOST_EXIT_MS / 1000:.0f} s after {told}"
                cure = (
                    f"exit when {'`quit` comes' if says_quit else 'standard input ends'}, and end all threads"
                )
                raise StepFailed(self._explainer.of_hang(bot, cause, cure))
            slow = f", but a league ends it after {QUIT_GRACE_MS} ms" if taken_ms > QUIT_GRACE_MS else ""
            words.append(f"{taken_ms:.0f} ms after {told}{slow}")
        self._bot = self._other = None
        return f"exits {' and '.join(words)}"

    def own_folder(self) -> str:
        """Say whether the bot could have used anything but its own files."""
        if self._confinement.level < Level.NAMESPACES:
            raise Untested(
                "no sandbox here, so files outside its folder and the network were not out of its reach "
                "(`arena doctor` says what is missing)"
            )
        return "played from a copy of its folder, in the sandbox: no other files, packages or network"

    def used(self) -> str:
        """Sum up time, memory and log."""
        use, clock, bounds = self.use, self._table.clock, self._confinement.bounds
        slowest_ms = use.max_wall_ns / 1e6
        share = (
            f"{slowest_ms / clock.move_ms:.0%} of {clock.move_ms:,} ms"
            if clock.move_ms
            else "no time allowed"
        )
        return (
            f"{counted(use.games, 'game')}, {counted(use.decisions, 'decision')}; slowest {slowest_ms:.1f} ms "
            f"({share}); {use.memory_bytes / MIB:.0f} MiB of {bounds.memory_bytes // MIB} MiB; "
            f"at most {use.log_bytes:,} bytes of log in a game"
        )

    def play(
        self,
        deal: Deal,
        *,
        gap: int = 0,
        fresh: bool = True,
        most_s: float | None = None,
        opponents: Opponents | None = None,
    ) -> Played:
        """Play a game in the present process. Raises StepFailed for a fault.

        A game in which the machine kept the bot waiting is played again, unless `fresh` is false. After `most_s`
        seconds, the opponents give up.
        """
        for excuses in range(_EXCUSES + 1):
            bot = self._ready()
            played = self._table.play(bot, deal, gap=gap, opponents=opponents or Opponents(most_s))
            if played.fault is None or not played.fault.excuse or excuses == _EXCUSES or not fresh:
                break
            self._tell(f"played again: {played.fault.excuse}")
            self._bot = None
        return self._judged(bot, played)

    def play_again(self, deal: Deal, most_s: float | None = None) -> Played:
        """Play a further game in the same process, or in a new one if that doesn't get ready, as a league would."""
        bot = self._ready()
        if bot.process.games:
            played = self._table.play(bot, deal, opponents=Opponents(most_s))
            if played.fault is None or played.fault.verdict is not Verdict.STARTUP:
                return self._judged(bot, played)
            self._bot = None
        return self.play(deal, most_s=most_s)

    def renew(self) -> None:
        """See that the next game gets a new process."""
        if self._bot is not None:
            self._table.leave(self._bot, most_ms=QUIT_GRACE_MS)
            self._bot = None

    def _judged(self, bot: Seatable, played: Played) -> Played:
        use, row = self.use, played.record.seats[played.deal.seat]
        use.games += 1
        use.decisions += row.decisions
        use.max_wall_ns = max(use.max_wall_ns, row.max_wall_ns)
        use.memory_bytes = max(use.memory_bytes, bot.memory_bytes)
        log = played.log
        use.log_bytes = max(use.log_bytes, len(log.head) + len(log.tail) + log.dropped_bytes)
        if log.stale_replies and self._surplus is None:
            self._surplus = self._explainer.of_behaviour(
                bot,
                f"the bot answered asks that it had already answered: {counted(log.stale_replies, 'answer')} too many "
                f"in {counted(row.decisions, 'decision')}",
                "write one `move` for each `ask`; extra ones are dropped",
            )
        if played.fault is not None:
            failure = self._explainer.of_game(bot, played, played.fault)
            if bot.process.games > 1 and failure.doing:
                failure = structs.replace(
                    failure, doing=f"{failure.doing}, game {bot.process.games} of its process"
                )
            elif played.fault.verdict is Verdict.STARTUP and bot.process.games:
                cure = f"{failure.cure}; or set reuse = false in bot.toml to get a new process for each game"
                failure = structs.replace(failure, cure=cure.removeprefix("; "))
            raise StepFailed(failure)
        return played

    def _ready(self) -> Seatable:
        if self._bot is not None and self._bot.process.games and not self._manifest.reuse:
            self.renew()
        if self._bot is None:
            self._bot = self._started()
        return self._bot

    def _started(self) -> Seatable:
        """Return a new process. Raises StepFailed if the bot, which has started before, doesn't."""
        bot = self._table.start()
        if isinstance(bot, Fault):
            raise StepFailed(self._explainer.of_start(bot))
        if bot.fault is not None:
            if bot.fault.excuse:
                raise ArenaError(f"the machine is too busy: {bot.fault.excuse}", "try again")
            raise StepFailed(self._explainer.of_handshake(bot, bot.fault))
        return bot


def numbered(steps: Sequence[tuple[str, Callable[[], str]]], first: int) -> Iterator[Step]:
    """Carry out steps, each a name and what returns its words; yield the results. A failure is the last one."""
    for number, (name, step) in enumerate(steps, first):
        begun_s = time.monotonic()
        state: State = "ok"
        failure = None
        try:
            text = step()
        except Untested as untested:
            state, text = "untested", str(untested)
        except StepFailed as failed:
            state, text, failure = "failed", failed.failure.cause, failed.failure
        yield Step(number, name, state, text, round(time.monotonic() - begun_s, 3), failure)
        if failure is not None:
            return


def _listed(words: "Iterator[str] | Sequence[str]") -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
