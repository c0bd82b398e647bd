"""Names the commands, each imported when it is used, and reports how one ended."""

import inspect
import os
import re
import shlex
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

import typer

from arena.cli.base.lazy_group import PACKAGES, LazyGroup, bounds, modules_of
from arena.cli.base.without_pydantic import without_pydantic
from arena.cli.terminal.messages import DONE, OURS, PAUSED, USAGE, say, say_error
from arena.core.errors import ArenaError
from arena.sandbox.machine_shortage import refusal
from protocol.verdicts import ProtocolError
from results.base.advice import REFUSAL_FILE, Advice
from results.base.errors import PackageMissing
from results.base.text import percent_hint

without_pydantic()


class _Commands(LazyGroup):
    package = "arena.cli.commands"
    entry_points = "arena.commands"
    sections: ClassVar = {
        "Start here": modules_of("demo:run new match submit rankings"),
        "Bots": modules_of("check trace log step compare race:compare tune queue bots"),
        "Games": modules_of("games suite play replay"),
        "Leagues": modules_of("league run status"),
        "Results": modules_of("why faults history matrix stats"),
        "Site": modules_of("serve export-site:serve accounts sign-in:submit"),
        "Store": modules_of("db doctor"),
    }


app = typer.Typer(
    cls=_Commands,
    name="arena",
    help="Run leagues of card-playing bots: submit bots, play matches, see the rankings.",
    epilog="Every command has `--help`. `arena --install-completion` lets your shell complete commands and options.",
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


def _say_error(message: str, advice: object = "", about: Sequence[str] = ()) -> None:
    """Print an error; write it down too, with the key to mend, for a process that wants to know it."""
    say_error(message, str(advice))
    if file := os.environ.get(REFUSAL_FILE):
        import msgspec

        Path(file).write_bytes(msgspec.json.encode((message, Advice(advice).packed(), about)))


def run(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code. Errors meant for users become one message with a hint.

    Raises KeyboardInterrupt or `Interrupted` for `main` to report.
    """
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
        _say_error(str(error), getattr(error, "advice", ""), getattr(error, "about", ()))
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


Refusal: type[Exception] = typer.BadParameter.__mro__[2]
"""What the library raises for a command line that it refuses; it has no public name for it."""
_KINDS = {int: "a whole number", float: "a number"}


def in_words(refusal: Exception, arguments: Sequence[str]) -> tuple[str, str]:
    """Return what was wrong with a command line, and a hint; both empty if help was printed instead."""
    context: Any = getattr(refusal, "ctx", None)
    kind = type(refusal).__name__
    message = str(getattr(refusal, "message", refusal))
    see = f"see: {context.command_path} --help" if context else ""
    if kind == "NoArgsIsHelpError":
        return "", ""
    if kind == "NoSuchOption":
        return _unknown_option(str(getattr(refusal, "option_name", "")), context, arguments)
    if context and (unknown := re.match(r"No such command '(.*?)'", message, re.DOTALL)):
        return _unknown_command(unknown[1], context)
    if kind == "BadOptionUsage":
        takes = "takes no value" if "not take" in message else "needs a value"
        return f"{getattr(refusal, 'option_name', 'an option')} {takes}", see
    if kind == "MissingParameter" and context:
        return f"{_named(refusal)} is missing", " ".join(context.get_usage().split()).replace(
            "Usage", "usage", 1
        )
    if extra := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message, re.DOTALL):
        return f"too many arguments: {extra[1]}", see
    if isinstance(refusal, typer.BadParameter):
        return _bad_value(refusal, context, message, see)
    return f"{message[:1].lower()}{message[1:].removesuffix('.')}", see


def _unknown_option(option: str, context: Any, arguments: Sequence[str]) -> tuple[str, str]:
    what = f"{context.command_path} has no option {option}"
    known = [name for one in context.command.params for name in one.opts if name.startswith("--")]
    if close := get_close_matches(option, known, 1):
        return f"{what}; did you mean {close[0]}?", f"see: {context.command_path} --help"
    if (moved := _after_the_command(option, context, arguments)) is not None:
        return what, f"write {option} after the command: {moved}"
    return what, f"options: {', '.join(known)}" if known else f"see: {context.command_path} --help"


def _after_the_command(option: str, context: Any, arguments: Sequence[str]) -> str | None:
    """Return the command line with the words before the command moved to its end; None if that has no such option."""
    groups = context.command_path.split()[1:]
    command, words, before = context.command, list(arguments[len(groups) :]), []
    while words and hasattr(command, "commands"):
        if words[0] in command.commands:
            command = command.commands[words[0]]
            groups.append(words.pop(0))
        else:
            before.append(words.pop(0))
    if not any(option in one.opts for one in command.params):
        return None
    return shlex.join(["arena", *groups, *words, *before])


_MOVED = {
    "arena bots list": "arena bots",
    "arena hosts": "arena host list",
    "arena league audit": "arena league verify-deals",
    "arena league placing": "arena rankings",
    "arena league rank-by": "arena rankings LEAGUE --fit-by scores",
    "arena league run": "arena run LEAGUE",
    "arena league unbench": "arena league resume LEAGUE BOT",
    "arena league status": "arena league list; for one league: arena league show LEAGUE",
    "arena queue run": "arena run",
}
"""Commands that have another name now."""


def _unknown_command(name: str, context: Any) -> tuple[str, str]:
    if now := _MOVED.get(f"{context.command_path} {name}"):
        return f"{context.command_path} has no command {name!r}", f"it is now: {now}"
    if name in PACKAGES and context.parent is None:
        missing = PackageMissing(f"{context.command_path} {name}", PACKAGES[name])
        return str(missing), missing.hint
    known = list(getattr(context.command, "commands", ()))
    close = get_close_matches(name, known, 1)
    nearest = f"; did you mean {close[0]!r}?" if close else ""
    return f"{context.command_path} has no command {name!r}{nearest}", f"available: {', '.join(known)}"


def _bad_value(refusal: typer.BadParameter, context: Any, message: str, see: str) -> tuple[str, str]:
    """Return why a value is refused: by its type and bounds, or in the words of the command itself."""
    kind, least, most = _taken(context, getattr(refusal.param, "name", None))
    given = _given(refusal)
    name = _named(refusal)
    if choices := _choices(kind):
        close = get_close_matches(given, choices, 1)
        nearest = f"; did you mean {close[0]!r}?" if close else ""
        said = f"{given!r} is not a possible value" if given else "this is not a possible value"
        return f"{name}: {said}{nearest}", f"possible values: {', '.join(choices)}"
    if kind in _KINDS:
        found = f", not {given}" if given else ""
        range_ = bounds(least, most)
        may_be = f"{'' if range_.startswith('from') else ','} {range_}" if range_ else ""
        return f"{name} must be {_KINDS[kind]}{may_be}{found}", _as_fraction(given, least, most) or see
    if refusal.param is not None:
        message = f"{message[:1].lower()}{message[1:]}"
    return f"{name}: {message}", see


def _as_fraction(given: str, least: float | None, most: float | None) -> str:
    """Return the hint for a percentage where a fraction belongs; empty if it isn't one."""
    try:
        return "" if least is None or most is None else percent_hint(float(given.rstrip(" %")), least, most)
    except ValueError:
        return ""


def _named(refusal: Exception) -> str:
    """Return the name of the option or argument that a refusal is about."""
    if hint := getattr(refusal, "param_hint", None):
        return str(hint)
    param: Any = getattr(refusal, "param", None)
    if param is None:
        return "an argument"
    options = [name for name in param.opts if name.startswith("--")]
    return options[0] if options else f"the argument {getattr(param, 'metavar', None) or param.name}"


def _taken(context: Any, name: str | None) -> tuple[Any, Any, Any]:
    """Return the type of a parameter of a command, and its bounds; None for what it hasn't."""
    function = getattr(context.command, "callback", None) if context and name else None
    parameter = inspect.signature(function).parameters.get(str(name)) if function else None
    if parameter is None or not get_args(parameter.annotation):
        return None, None, None
    kind, *described = get_args(parameter.annotation)
    alternatives = [one for one in get_args(kind) if one is not type(None)]
    if alternatives and get_origin(kind) not in (list, Literal):
        kind = alternatives[0]
    option = described[0] if described else None
    return kind, getattr(option, "min", None), getattr(option, "max", None)


def _given(refusal: Exception) -> str:
    """Return the value that was refused; empty if the library doesn't say."""
    errors = getattr(refusal.__cause__, "errors", None)
    found = errors()[0].get("input") if callable(errors) else None
    return str(found) if isinstance(found, str | int | float) else ""


def _choices(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(value) for value in get_args(kind)]
    return [str(one.value) for one in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
