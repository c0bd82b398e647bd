"""Starts bots once before they play, so that those that don't start are named before anything is written."""

import shlex
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arena import registry
from arena.checking.explaining import Explainer, Sources
from arena.checking.harness import CheckHarness, Seatable, check_harness
from arena.checking.step_results import Failure
from arena.config.league_file import LeagueFile
from arena.config.mistakes import SeveralMistakes
from arena.core.errors import BadValue
from arena.core.game import AnyGame
from arena.core.game_defaults import can_guess
from arena.league.changes.submitted_versions import OtherStart
from arena.league.definition.bots_of_commands import Table as SingleTable
from arena.league.single_match import MatchRules
from arena.players.base import Fault
from arena.sandbox.bot_program import refuse_unknown_program
from arena.sandbox.confinement import Confinement
from arena.submissions.folder import read_files
from arena.submissions.launch_spec import ToStart
from arena.submissions.manifest import MANIFEST_NAME, manifest_of

AT_ONCE: Final = 4
"""So many bots start at the same time; more would only wait for each other."""
_SAYS_AFTER_S: Final = 1.5


class DoesNotStart(SeveralMistakes):
    """Bots that don't start, each with the reason."""

    exit_code = 3


def start_each(
    bots: Sequence[ToStart],
    game: AnyGame,
    confinement: Confinement,
    startup_ms: int,
    tell: Callable[[str], None],
) -> None:
    """Start each bot once and shake hands with it; its process is gone afterwards.

    `tell` gets a line for people if that takes long, for bots that think ahead in a game that can't guess, and for each
    bot that the machine was too busy to start: nothing is held against those. Raises DoesNotStart, which names all such
    bots, and ArenaError if the machine refuses.
    """
    if (ahead := dict.fromkeys(bot.named for bot in bots if bot.program.engine)) and not can_guess(game):
        named = ", ".join(ahead)
        tell(
            f"{named}: nobody can think ahead in {game.info.title}, whose rules have no `guess`; expect random moves"
        )
    failures: dict[int, Failure] = {}
    waited: list[int] = []
    """Those that the machine kept waiting: they start again, each alone."""
    told_s = time.monotonic()
    programs = {number: bot.program for number, bot in enumerate(bots)}
    with check_harness(programs, {game.info.name: game}, confinement, tell) as table:
        for first in range(0, len(bots), AT_ONCE):
            if time.monotonic() - told_s > _SAYS_AFTER_S:
                told_s = time.monotonic()
                tell(f"starting the bots: {first:,} of {len(bots):,} so far")
            batch = range(first, min(first + AT_ONCE, len(bots)))
            for number, bot, fault in _faults(table, bots, batch, startup_ms):
                if fault.excuse:
                    waited.append(number)
                else:
                    failures[number] = _explained(bots[number], bot, fault)
        for at in waited:
            for number, bot, fault in _faults(table, bots, [at], startup_ms):
                if fault.excuse:
                    tell(
                        f"{bots[number].named}: did not start in time, as the machine is busy: {fault.excuse}"
                    )
                else:
                    failures[number] = _explained(bots[number], bot, fault)
    if failures:
        raise _refusal([(bots[number], failures[number]) for number in sorted(failures)])


def start_table(
    table: SingleTable, rules: MatchRules, confinement: Confinement, tell: Callable[[str], None]
) -> None:
    """Start the bots of a single match once, as `start_each`; not those that passed a check in its game.

    Raises UsageError for programs that bots may not start, too.
    """
    name = rules.game.info.name
    bots = [player.bot for player in table.players if player.bot is not None]
    for bot in bots:
        refuse_unknown_program(bot.program, confinement.runtimes, bot.version.reference)
    new = [bot for bot in bots if name not in bot.version.report]
    named = [bot.named or bot.version.reference for bot in new]
    to_start = [ToStart(name, bot.program, Path(name)) for name, bot in zip(named, new, strict=True)]
    if to_start:
        start_each(to_start, rules.game, confinement, rules.startup_ms, tell)


def start_as_leagues_do(
    others: Iterable[OtherStart],
    bot: ToStart,
    confined: Callable[[LeagueFile], Confinement],
    tell: Callable[[str], None],
) -> None:
    """Start a bot that passed its check once more for each league with other limits, time or arguments.

    `confined` returns how bots are confined in a league. Raises DoesNotStart for a league that the author names; of one
    that tracks the bot, `tell` gets the reason.
    """
    for other in others:
        program = replace(bot.program, command=(*bot.program.command, *other.args))
        to_start = replace(bot, program=program, named=f"league {other.league}: {bot.named}")
        game, startup_ms = registry.game(other.file.game), other.file.clock.startup_ms
        try:
            start_each([to_start], game, confined(other.file), startup_ms, tell)
        except DoesNotStart as error:
            if other.is_named:
                raise
            tell(f"{error}; {error.hint}")


def _faults(
    table: CheckHarness, bots: Sequence[ToStart], numbers: Collection[int], startup_ms: int
) -> Iterator[tuple[int, Seatable | None, Fault]]:
    """Start some of the bots at the same time; yield the fault of each that has one, with its process."""
    started = table.start_all({number: bots[number].named for number in numbers}, startup_ms)
    for number, bot in started.items():
        if isinstance(bot, Fault):
            yield number, None, bot
            continue
        if bot.fault is not None:
            yield number, bot, bot.fault
        table.end(bot)


def _explained(bot: ToStart, process: Seatable | None, fault: Fault) -> Failure:
    files = read_files(bot.program.folder, kept=True)
    content = next((file.content for file in files if file.path == MANIFEST_NAME), b"")
    explainer = Explainer(manifest_of(content, bot.place / MANIFEST_NAME), Sources(bot.place, tuple(files)))
    return explainer.of_start(fault) if process is None else explainer.of_handshake(process, fault)


def _refusal(found: Sequence[tuple[ToStart, Failure]]) -> DoesNotStart:
    """Return the error about the bots that don't start, a line each, with what to do about the first."""
    lines = []
    for bot, failure in found:
        place = f" ({failure.place})" if failure.place else ""
        lines.append(BadValue(bot.keys, f"{bot.named} does not start: {failure.cause}{place}"))
    bot, failure = found[0]
    more = f"arena check {shlex.quote(str(bot.place))} says more"
    return DoesNotStart(lines, f"{failure.cure}; {more}" if failure.cure else more)
