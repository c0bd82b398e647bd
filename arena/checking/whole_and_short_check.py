"""The two checks of a bot: the whole one, from its folder on, and the short one before it is stored."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from arena import registry
from arena.checking.bot_check import BotCheck, numbered
from arena.checking.game_selection import Plan, Wanted, plans_of
from arena.checking.harness import BOT, Played, check_harness
from arena.checking.step_results import Failure, Step, StepFailed
from arena.core.errors import BadFile, UsageError
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import Confinement
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build import Builder
from arena.submissions.build_run import BuildFailed
from arena.submissions.entering import read_bot
from arena.submissions.folder import keep
from arena.submissions.read_source import Intake, check_is_there
from protocol.messages import DEFAULT_CLOCK, Clock
from results.base.text import counted, one_line
from results.records import GameRecord


@dataclass(slots=True)
class WholeCheck:
    """The check of a bot's folder."""

    path: Path
    wanted: Wanted
    runtimes: Runtimes
    confinement: Callable[[], Confinement]
    """How bots are confined; called once bot.toml is right, as finding out takes a moment."""
    builder: Builder
    """Builds a bot with `build`."""
    tell: Callable[[str], None]
    """Gets a line for people if a step takes long."""
    clock: Clock = DEFAULT_CLOCK
    bot: str = ""
    """The bot's author and name, once they are known."""
    plans: list[Plan] = field(default_factory=list)
    _intake: Intake = field(init=False)

    def steps(self) -> Iterator[Step]:
        """Yield the results of all steps, as they come; a failure is the last one.

        Raises UsageError if there is no bot, or it is fine but can't play what is wanted, ArenaError if
        the game's rules or the machine fail.
        """
        check_is_there(self.path)
        number = 1
        for step in (("manifest", self._read), ("build", self._build)):
            if number == 2 and not self._intake.manifest.build:
                break
            (done,) = numbered([step], number)
            yield done
            if done.failure is not None:
                return
            number += 1
        with TemporaryDirectory(prefix="arena-check-") as place:
            intake, folder = self._intake, Path(place) / "bot"
            keep(intake.files, folder)
            with _begun(intake, folder, self.plans, self.confinement(), self.tell, self.clock) as check:
                yield from check.steps(number)

    def _read(self) -> str:
        try:
            self._intake = read_bot(self.path, self.runtimes, registry.games())
        except UsageError as error:
            raise StepFailed(Failure(str(error), error.hint)) from None
        manifest = self._intake.manifest
        self.bot = f"{manifest.author}/{manifest.name}"
        self.plans = plans_of(manifest, self.wanted)
        return f"{self.bot}, for {', '.join(plan.name for plan in self.plans)}"

    def _build(self) -> str:
        try:
            self._intake = self.builder.built(self._intake)
        except (BuildFailed, BadFile) as error:  # it ends with what the build wrote
            raise StepFailed(Failure(str(error), error.hint)) from None
        return f"`{one_line(shlex.join(self._intake.manifest.build))}` built the bot"


@contextmanager
def _begun(
    intake: Intake,
    folder: Path,
    plans: Sequence[Plan],
    confinement: Confinement,
    tell: Callable[[str], None],
    clock: Clock = DEFAULT_CLOCK,
) -> Iterator[BotCheck]:
    """Yield the check of a bot whose files are in `folder`; all its processes are gone at the end."""
    manifest = intake.manifest
    program = Program(folder, manifest.command_with(), engine=manifest.engine, reuse=manifest.reuse)
    games = {plan.name: plan.settings[0].game for plan in plans}
    with check_harness({BOT: program}, games, confinement, tell, clock) as table:
        yield BotCheck(intake, program, plans, confinement, table, tell)


_LAST_S = 1.0
"""How long the game at the last seat lasts: long enough to see it asked."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """What the check found in one game; stored with the version."""

    game: str
    ruleset: str
    seats: int
    scores: tuple[int | float, ...]
    """Of the first game, in which the bot sits at seat 0."""
    decisions: int
    max_wall_ms: float
    deterministic: bool


@contextmanager
def submission_check(
    intake: Intake, folder: Path, confinement: Confinement, tell: Callable[[str], None]
) -> Iterator["SubmissionCheck"]:
    """Yield the short check of a bot with its files in `folder`. `tell` gets a line for people if a step takes long."""
    plans = plans_of(intake.manifest, Wanted())
    with _begun(intake, folder, plans, confinement, tell) as check:
        yield SubmissionCheck(check, plans)


@dataclass(slots=True)
class SubmissionCheck:
    """The short check of one bot."""

    bot: BotCheck
    plans: Sequence[Plan]
    reports: list[GameReport] = field(default_factory=list)
    """Of the games played so far."""

    def steps(self) -> Iterator[Step]:
        """Yield the results of its steps, as they come; a failure is the last one."""
        games: list[tuple[str, Callable[[], str]]] = [
            (plan.name, partial(self._play, plan)) for plan in self.plans
        ]
        return numbered([("start", self.bot.start), ("handshake", self.bot.handshake), *games], 2)

    def _play(self, plan: Plan) -> str:
        """Play one deal three times: twice in one process, once in a new one; then another seat."""
        setting, bot = plan.settings[0], self.bot
        deal = setting.deal(0, 0)
        played: list[Played] = [bot.play(deal), bot.play_again(deal)]
        bot.renew()
        played.append(bot.play(deal))
        last = bot.play_again(setting.deal(setting.seats - 1, 1), _LAST_S)
        bot.renew()
        records: list[GameRecord] = [one.record for one in played]
        slowest_ns = max(one.record.seats[one.deal.seat].max_wall_ns for one in (*played, last))
        report = GameReport(
            game=plan.name,
            ruleset=setting.ruleset.name,
            seats=setting.seats,
            scores=tuple(seat.score for seat in records[0].seats),
            decisions=sum(one.record.seats[one.deal.seat].decisions for one in (played[0], last)),
            max_wall_ms=slowest_ns / 1e6,
            deterministic=len({record.fingerprint for record in records}) == 1,
        )
        self.reports.append(report)
        same = "deterministic" if report.deterministic else "plays differently each time"
        return f"{counted(report.decisions, 'decision')}, the longest {report.max_wall_ms:.1f} ms; {same}"
