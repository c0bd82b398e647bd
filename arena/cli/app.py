"""Names the commands. Each is a module or package of its own, imported when it is used."""

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from arena.cli.lazy_group import LazyGroup
from arena.cli.messages import DONE, OURS, PAUSED, USAGE, say, say_error
from arena.cli.usage_errors import Refusal, in_words


class _Commands(LazyGroup):
    package = "arena.cli.commands"
    summaries: ClassVar = {
        "demo": "Play a small league of reference bots in ./arena-demo, and show its rankings.",
        "new": "Make a new bot: a folder with a simple bot that works at once, its test and a README.",
        "check": "Check a bot step by step, up to the first step that fails: what is wrong, where, and what to do.",
        "submit": "Submit a bot: it is checked in each of its games, and is then stored as an immutable version.",
        "match": (
            "Play a single game between bots, or with --rotate a whole match. It is stored in the "
            "league `casual`, unrated."
        ),
        "play": "Play a game yourself, in the terminal, against bots. It is stored in the league `casual`, unrated.",
        "trace": (
            "Play one game, and show every line between Arena and a bot, and its log, as they pass. "
            "Nothing is stored."
        ),
        "compare": "Find out whether a new version of a bot is better than the old one.",
        "run": "Run all leagues of the store, in turns; wait for new bots and changes while there is nothing to play.",
        "hosts": "Show the hosts that play for the runner: what each gives, what it plays, how fast it is, its faults.",
        "host": "Let this machine play games for a runner elsewhere.",
        "status": (
            "Show what goes on in the store: the runner, what it plays, who doesn't play and why, the "
            "inbox, disk, errors."
        ),
        "rankings": "Show a league's rankings: ratings, matches, games, wins, share, faults.",
        "history": "Show how ratings changed over a league: a line for every bot, or one bot with its uncertainty.",
        "matrix": (
            "Show how often each bot finished above each other, in percent, with 95 % intervals. Ties "
            "count as halves."
        ),
        "stats": "Show statistics of a league or of one bot: by seat, by table size, faults, time, luck.",
        "faults": "List all faults of a league's bots: the game, the verdict, the value and the limit.",
        "why": (
            "Explain why a bot forfeited or lost: the verdict, the question, its answer, its log, and "
            "where it lost most."
        ),
        "log": "Print what a bot wrote to standard error in a game, with the decisions that its lines mention.",
        "step": (
            "Feed a bot what one seat of a stored game was sent, and show where its answers differ "
            "from the stored ones."
        ),
        "serve": "Serve the pages of a store and run its leagues, until Ctrl-C.",
        "export-site": "Write the pages of a store as a folder, for any web host, or to open from disk.",
        "sign-in": (
            "Keep your token for a server, so that other commands can use it: `arena submit --to`, "
            "`arena log --at`."
        ),
        "doctor": "Check this machine: what is available, what is missing, and how to fix it.",
        "bots": "List the bots in the store, and show, fetch or delete one version.",
        "games": "List the installed games, with rulesets and options.",
        "accounts": "Accounts of the site: invite authors and organisers, revoke them.",
        "league": "Create leagues from TOML files, run them, and check their status.",
        "replay": "List, show, watch, verify and export finished games.",
        "db": "Check, back up and repair the results store.",
    }


app = typer.Typer(
    cls=_Commands,
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


@cache
def _command() -> Callable[..., object]:
    """Return the command group, built once: building takes longer than running many a command."""
    return typer.main.get_command(app)


_KEYBOARD_INTERRUPT = 130
"""Typer turns a KeyboardInterrupt into an exit with this code, and prints nothing."""


_MOST_SHOWN = 100


def _say_error(message: str, advice: object = "") -> None:
    """Print an error; write it down too for a process that wants to know it."""
    say_error(message, str(advice))
    from results.base.advice import REFUSAL_FILE, Advice

    if file := os.environ.get(REFUSAL_FILE):
        import msgspec

        Path(file).write_bytes(msgspec.json.encode((message, Advice(advice).packed())))


def run(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code. Errors meant for users become one message with a hint.

    Raises KeyboardInterrupt or `Interrupted` for `main` to report.
    """
    from arena.core.errors import ArenaError
    from arena.sandbox.refusals import refusal
    from protocol.verdicts import ProtocolError

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
            _say_error(what, advice)
        return USAGE
    except (ArenaError, ProtocolError) as error:
        _say_error(str(error), getattr(error, "advice", ""))
        return int(getattr(error, "exit_code", OURS))
    except UnicodeEncodeError as error:  # a name that was typed, or that of a file: output is never refused
        say_error(
            f"{error.object[:_MOST_SHOWN]!r} can't be written in {error.encoding}",
            "names are UTF-8: use a locale such as LC_ALL=C.UTF-8, or PYTHONUTF8=1",
        )
        return USAGE
    except (OSError, MemoryError) as error:
        refused = refusal(error)
        if refused is None:
            raise
        _say_error(f"this machine can't run the command: {refused.what}", refused.remedy)
        return PAUSED
