"""`arena check`: checks a bot step by step."""

from typing import Annotated

import typer

from arena import registry
from arena.checking.game_selection import Wanted
from arena.checking.step_results import Step
from arena.checking.whole_and_short_check import WholeCheck
from arena.cli.base import options
from arena.cli.base.confinement import confined_builder
from arena.cli.base.submitting import bot_file
from arena.cli.display.message_text import say_failure, step_line
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import BOT_FAILED, answer, answer_json, print_prose, say
from arena.submissions.launch_spec import runtimes_beside
from results.base.text import counted


def check(
    bot: options.AnyBot,
    game: Annotated[str | None, typer.Option("--game", "-g")] = None,
    ruleset: str | None = None,
    option: options.RuleOptions = None,
    seats: Annotated[int | None, typer.Option(min=1)] = None,
    games: Annotated[int | None, typer.Option("--games", "-n", min=1, max=10_000)] = None,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Check a bot step by step, and explain the first step that fails.

    Options:
        game: Play only this game; default: all that the bot plays.
        ruleset: Play only this ruleset; default: all of the game.
        seats: Play only with this number of seats; default: several.
        games: Number of games for each game the bot plays; default: 8. A slow bot plays fewer: none starts after 20
            seconds, or after 10 once each ruleset and table size has been played.
        json_: Print all results as JSON, when the check is over.
    """
    if game is not None:
        registry.game(game)
    wanted = Wanted(game, ruleset, tuple(option or ()), seats, games)

    def say_more(line: str) -> None:
        say(f"  {line}")

    confinement, builder = confined_builder(store, sandbox, say_more)
    steps: list[Step] = []
    with bot_file(store, bot) as path:
        whole = WholeCheck(path, wanted, runtimes_beside(store), confinement, builder, say_more)
        for step in whole.steps():
            steps.append(step)
            if not json_:
                print_prose(console(), step_line(step))
                if step.failure is not None:
                    say_failure(step.failure, f"{whole.bot or bot} failed step {step.number}, {step.name}")
    failed = steps[-1].failure is not None
    if json_:
        found = {
            "path": bot,
            "bot": whole.bot,
            "passed": not failed,
            "sandbox": confinement().level.word if len(steps) > 1 else None,
            "steps": steps,
        }
        answer_json(found, indent=2)
    elif not failed:
        untested = sum(step.state == "untested" for step in steps)
        left = f"; {counted(untested, 'step')} not tested" if untested else ""
        answer(f"{whole.bot} passed{left}")
    if failed:
        raise typer.Exit(BOT_FAILED)
