"""Puts the commands together. Each is a module or package of its own, imported when the program starts."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated

import typer

from arena.cli.commands import (
    accounts,
    bots,
    check,
    compare,
    db,
    demo,
    doctor,
    export_site,
    faults,
    games,
    history,
    league,
    log,
    match,
    matrix,
    new,
    play,
    rankings,
    replay,
    serve,
    sign_in,
    stats,
    status,
    step,
    submit,
    trace,
    why,
)
from arena.cli.commands import (
    run as run_leagues,
)
from arena.cli.exit_codes import DONE, OURS, PAUSED, USAGE
from arena.cli.messages import say, say_error
from arena.cli.usage_errors import Refusal, in_words

app = typer.Typer(
    name="arena",
    help="Run leagues of card-playing bots: submit bots, play matches, see the rankings.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"arena {version('arena-league')}")
        raise typer.Exit


@app.callback()
def arena(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Run leagues of card-playing bots: submit bots, play matches, see the rankings."""


COMMANDS = (
    *(
        demo,
        new,
        check,
        submit,
        bots,
        match,
        play,
        trace,
        compare,
        run_leagues,
        status,
        rankings,
        history,
        matrix,
        stats,
        faults,
        why,
        log,
        step,
        games,
        serve,
        accounts,
        export_site,
        sign_in,
        doctor,
    ),
    *(league, replay, db),
)
"""In the order of the help; each module or package adds its commands."""
for commands in COMMANDS:
    commands.add_to(app)


@cache
def _command() -> Callable[..., object]:
    """Return the command group, built once: building takes longer than running many a command."""
    return typer.main.get_command(app)


_KEYBOARD_INTERRUPT = 130
"""Typer turns a KeyboardInterrupt into an exit with this code, and prints nothing."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code. Errors meant for users become one message with a hint.

    Raises KeyboardInterrupt or `Interrupted` for `main` to report.
    """
    from arena.core.errors import ArenaError
    from arena.sandbox.refusals import refusal
    from protocol.errors import ProtocolError
    from results.errors import LedgerError

    try:
        code = _command()(list(arguments), prog_name="arena", standalone_mode=False)
        if code == _KEYBOARD_INTERRUPT:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else DONE
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else DONE
    except typer.Abort:  # a question was answered with no, or with the end of the input
        say("aborted: nothing was done")
        return OURS
    except Refusal as refused_words:
        what, advice = in_words(refused_words, arguments)
        if what:
            say_error(what, advice)
        return USAGE
    except (ArenaError, LedgerError, ProtocolError) as error:
        say_error(str(error), getattr(error, "hint", ""))
        return int(getattr(error, "exit_code", OURS))
    except (OSError, MemoryError) as error:
        refused = refusal(error)
        if refused is None:
            raise
        say_error(f"this machine can't run the command: {refused.what}", refused.remedy)
        return PAUSED
