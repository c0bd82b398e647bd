"""`arena check`."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.confinement import confined_builder
from arena.cli.display.message_text import say_failure, step_line
from arena.cli.messages import BOT_FAILED, answer, answer_json, say
from arena.cli.options import DEFAULT_STORE, AnyBot, RuleOptions, SandboxOption, StoreOption
from arena.cli.submitting import bot_file
from results.base.text import counted

if TYPE_CHECKING:
    from arena.checking.steps import Step


def check(
    bot: AnyBot,
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="Play only this game; default: all that the bot plays.")
    ] = None,
    ruleset: Annotated[
        str | None, typer.Option("--ruleset", help="Play only this ruleset; default: all of the game.")
    ] = None,
    option: RuleOptions = None,
    seats: Annotated[
        int | None,
        typer.Option("--seats", min=1, help="Play only with this number of seats; default: several."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            min=1,
            max=10_000,
            help="Number of games for each game the bot plays; default: 8. A bot that thinks long plays fewer: none "
            "begins after 20 seconds, or after 10 once each ruleset and table size has been played.",
        ),
    ] = None,
    sandbox: SandboxOption = "auto",
    store: StoreOption = DEFAULT_STORE,
    json_: Annotated[
        bool, typer.Option("--json", help="Print all results as JSON, when the check is over.")
    ] = False,
) -> None:
    """Check a bot step by step, up to the first step that fails: what is wrong, where, and what to do."""
    from arena import registry
    from arena.checking.checks import WholeCheck
    from arena.checking.plan import Wanted
    from arena.submissions.programs import runtimes_beside

    if game is not None:
        registry.game(game)
    wanted = Wanted(game, ruleset, tuple(option or ()), seats, games)

    def say_more(line: str) -> None:
        say(f"  {line}")

    confinement, builder = confined_builder(store, sandbox, say_more, keeps=False)
    steps: list[Step] = []
    with bot_file(store, bot) as path:
        whole = WholeCheck(path, wanted, runtimes_beside(store), confinement, builder, say_more)
        for step in whole.steps():
            steps.append(step)
            if not json_:
                answer(step_line(step))
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


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)
