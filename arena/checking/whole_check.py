"""Checks a bot from its folder on: reads it, then plays a copy of it."""

import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from arena import registry
from arena.checking.bot_check import BotCheck
from arena.checking.plan import Plan, Wanted, plans_of
from arena.checking.steps import Failure, Step
from arena.checking.table import BOT, laid_table
from arena.core.errors import BadFile, UsageError
from arena.sandbox.confinement import Confinement
from arena.sandbox.program import Program
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build import Builder
from arena.submissions.build_run import BuildFailed
from arena.submissions.intake import Intake, check_is_there, keep
from arena.submissions.versions import read_bot
from protocol.messages import DEFAULT_CLOCK, Clock
from results.base.text import one_line


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

    def steps(self) -> Iterator[Step]:
        """Yield the results of all steps, as they come; a failure is the last one.

        Raises UsageError if there is no bot, or it is fine but can't play what is wanted, GameFailed or CheckStopped if
        the game's rules or the machine fail.
        """
        begun_s = time.monotonic()
        check_is_there(self.path)
        try:
            intake = read_bot(self.path, self.runtimes, registry.games())
        except UsageError as error:
            failure = Failure(str(error), error.hint)
            yield Step(1, "manifest", "failed", str(error), round(time.monotonic() - begun_s, 3), failure)
            return
        manifest, number = intake.manifest, 2
        self.bot = f"{manifest.author}/{manifest.name}"
        self.plans = plans_of(manifest, self.wanted)
        text = f"{self.bot}, for {', '.join(plan.name for plan in self.plans)}"
        yield Step(1, "manifest", "ok", text, round(time.monotonic() - begun_s, 3))
        if manifest.build:
            begun_s = time.monotonic()
            try:
                intake = self.builder.built(intake)
            except (BuildFailed, BadFile) as error:
                failure = Failure(str(error), error.hint)  # it ends with what the build wrote
                yield Step(
                    number, "build", "failed", str(error), round(time.monotonic() - begun_s, 3), failure
                )
                return
            text = f"`{one_line(shlex.join(manifest.build))}` has left what plays"
            yield Step(number, "build", "ok", text, round(time.monotonic() - begun_s, 3))
            number += 1
        with TemporaryDirectory(prefix="arena-check-") as place:
            yield from self._played(intake, Path(place) / "bot", number)

    def _played(self, intake: Intake, folder: Path, number: int) -> Iterator[Step]:
        keep(intake.files, folder)
        manifest = intake.manifest
        program = Program(folder, manifest.command, engine=manifest.engine, reuse=manifest.reuse)
        games = {plan.name: plan.settings[0].game for plan in self.plans}
        confinement = self.confinement()
        with laid_table({BOT: program}, games, confinement, self.tell, self.clock) as table:
            yield from BotCheck(intake, program, self.plans, confinement, table, self.tell).steps(number)
