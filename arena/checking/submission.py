"""The short check before a bot is stored: it starts, plays each of its games, and does so the same way twice or not."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from arena.checking.bot_check import BotCheck, numbered
from arena.checking.plan import Plan, Wanted, plans_of
from arena.checking.steps import Step
from arena.checking.table import BOT, Played, laid_table
from arena.sandbox.confinement import Confinement
from arena.sandbox.program import Program
from arena.submissions.intake import Intake
from results.base.text import counted
from results.records import GameRecord

_LAST_S = 1.0
"""How long the game at the last seat lasts: long enough to see it asked."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """What the check found in one game; stored with the version."""

    game: str
    ruleset: str
    seats: int
    scores: tuple[int, ...]
    """Of the first game, in which the bot sits at seat 0."""
    decisions: int
    max_wall_ms: float
    deterministic: bool


@contextmanager
def submission_check(
    intake: Intake, folder: Path, confinement: Confinement, tell: Callable[[str], None]
) -> Iterator["SubmissionCheck"]:
    """Yield the short check of a bot whose files are in `folder`; all its processes are gone at the end.

    `tell` gets a line for people if a step takes long.
    """
    manifest = intake.manifest
    plans = plans_of(manifest, Wanted())
    program = Program(folder, manifest.command, engine=manifest.engine, reuse=manifest.reuse)
    games = {plan.name: plan.settings[0].game for plan in plans}
    with laid_table({BOT: program}, games, confinement, tell) as table:
        yield SubmissionCheck(BotCheck(intake, program, plans, confinement, table, tell), plans)


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
        slowest_ns = max(one.record.seats[one.seat].max_wall_ns for one in (*played, last))
        report = GameReport(
            game=plan.name,
            ruleset=setting.ruleset.name,
            seats=setting.seats,
            scores=tuple(seat.score for seat in records[0].seats),
            decisions=sum(one.record.seats[one.seat].decisions for one in (played[0], last)),
            max_wall_ms=slowest_ns / 1e6,
            deterministic=len({record.fingerprint for record in records}) == 1,
        )
        self.reports.append(report)
        same = "deterministic" if report.deterministic else "plays differently each time"
        return f"{counted(report.decisions, 'decision')}, the longest {report.max_wall_ms:.1f} ms; {same}"
