"""The reference of the command line, from the commands themselves."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from arena.cli.app import app
from generators.markdown import NOTICE, code, table

# typer hands out its own relatives of click's commands and contexts, which have no public types.
Command = Any
Context = Any


def commands() -> Iterator[tuple[str, Command, Context]]:
    """Yield every command and group that is not hidden: its full name (`arena league create`), itself, its context."""
    root = get_command(app)
    yield from _walk(root, root.make_context("arena", [], resilient_parsing=True), "arena")


def _walk(command: Command, context: Context, name: str) -> Iterator[tuple[str, Command, Context]]:
    yield name, command, context
    if hasattr(command, "list_commands"):
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            if not inner.hidden:
                inner_context = inner.make_context(word, [], parent=context, resilient_parsing=True)
                yield from _walk(inner, inner_context, f"{name} {word}")


def render() -> str:
    """Return docs/cli.md: every command with its arguments, options and defaults."""
    lines = [
        "# Command line",
        NOTICE,
        "",
        "Every command has `--help`; `arena --help` lists all commands by what you want to do.",
        "`arena --install-completion` lets your shell complete commands and options.",
        "Exit codes: 0 done, 1 an error of Arena or the machine, 2 wrong usage, 3 a bot has a mistake or failed its "
        "check, 4 interrupted and resumable, 5 paused because the machine lacks resources that games need.",
        "`arena compare` also uses 10, 11 and 12 for its answers.",
        "A league that has nothing to play for now, because it rests, waits or is paused, is no error: "
        "`arena run LEAGUE` exits with 0.",
        "",
        "Every command that takes a bot takes [all its names](writing-a-bot.md#how-commands-name-a-bot).",
        "",
        "Text is written in the encoding of your terminal.",
        "What the encoding lacks is replaced: μ by `mu`, → by `->`, a letter of a name by `?`.",
        "JSON, CSV and Markdown are always UTF-8.",
        "",
    ]
    for name, command, context in commands():
        lines += _section(name, command, context)
    return "\n".join(lines)


def _section(name: str, command: Command, context: Context) -> list[str]:
    lines = [f"## {code(name)}", "", *_prose(command.help or ""), ""]
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines += ["```text", usage, "```", ""]
    if hasattr(command, "list_commands"):
        inner = [command.get_command(context, word) for word in command.list_commands(context)]
        shown = [
            (f"[{code(one.name)}](#{f'{name} {one.name}'.replace(' ', '-')})", one.get_short_help_str(200))
            for one in inner
            if not one.hidden
        ]
        lines += table(("Command", "What it does"), shown)
    for head, kind in (("Argument", "argument"), ("Option", "option")):
        lines += table((head, "Meaning"), _rows(command, context, kind))
    return lines


def _prose(text: str) -> list[str]:
    """Return a help text's lines; a form feed ends what is shown in the terminal, and here too."""
    return [line.strip() for line in text.partition("\f")[0].strip().splitlines()]


def _rows(command: Command, context: Context, kind: str) -> Iterator[tuple[str, str]]:
    """Yield each argument or option, as its own help shows it: names and type, meaning with default and range."""
    for parameter in command.params:
        shown = parameter.get_help_record(context)
        if shown and parameter.param_type_name == kind and "--help" not in parameter.opts:
            names, meaning = shown
            yield code(names), meaning
