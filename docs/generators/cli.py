"""The reference of the command line as a page and as a man page, from the commands themselves."""

from collections.abc import Iterable, Iterator
from typing import Any

from typer.main import get_command

from arena.cli.app import app
from arena.cli.display.rankings import NAMES, RATINGS
from generators.markdown import NOTICE, code, table
from results.reports.ranking_columns import RESULT_COLUMNS

# typer hands out its own relatives of click's commands and contexts, which have no public types.
Command = Any
Context = Any


EXIT_CODES = (
    "Exit codes: 0 done, 1 an error of Arena or the machine, 2 wrong usage, 3 a bot has a mistake or failed its "
    "check, 4 interrupted and resumable, 5 paused because the machine lacks resources that games need.",
    "`arena compare`, `race` and `tune` also use 10, 11 and 12 for their answers, and `arena step` 6 if one differs.",
    "A league that has nothing to play for now, because it rests, waits or is paused, is no error: "
    "`arena run LEAGUE` exits with 0.",
)


def commands(added: str = "") -> Iterator[tuple[str, Command, Context]]:
    """Yield every command and group that is not hidden: its full name (`arena league create`), itself, its context.

    These are Arena's own, or `added`, a command of another package, and those below it.
    """
    root: Any = get_command(app)
    own = root.make_context("arena", [], resilient_parsing=True)
    if not added:
        yield "arena", root, own
    yield from _below(root, own, "arena", [added] if added else root.modules)


def _below(
    command: Command, context: Context, name: str, words: Iterable[str]
) -> Iterator[tuple[str, Command, Context]]:
    for word in words:
        inner = command.get_command(context, word)
        if not inner.hidden:
            inner_context = inner.make_context(word, [], parent=context, resilient_parsing=True)
            yield f"{name} {word}", inner, inner_context
            if hasattr(inner, "list_commands"):
                yield from _below(inner, inner_context, f"{name} {word}", inner.list_commands(inner_context))


def render() -> str:
    """Return docs/cli.md: every command with its arguments, options and defaults."""
    lines = [
        "# Command line",
        NOTICE,
        "",
        "Every command has `--help`; `arena --help` lists all commands by what you want to do.",
        "`arena --install-completion` lets your shell complete commands and options.",
        "After an installation with pip, `man arena` shows this page in the terminal.",
        *EXIT_CODES,
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


def added(word: str) -> str:
    """Return the same of a command of another package, and of those below it, without headings for the page."""
    return "\n".join(line for one in commands(word) for line in _section(*one, level="###"))


def _section(name: str, command: Command, context: Context, *, level: str = "##") -> list[str]:
    lines = [f"{level} {code(name)}", "", *_prose(command.help or ""), ""]
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines += ["```text", usage, "```", ""]
    if hasattr(command, "list_commands"):
        words = getattr(command, "modules", None) or command.list_commands(context)
        inner = [command.get_command(context, word) for word in words]
        shown = [
            (f"[{code(one.name)}](#{f'{name} {one.name}'.replace(' ', '-')})", one.get_short_help_str(200))
            for one in inner
            if not one.hidden
        ]
        lines += table(("Command", "What it does"), shown)
    if name == "arena":
        lines += [
            "The package arena-cluster adds [`arena host`](../plugins/cluster/README.md#arena-host).",
            "",
        ]
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


def ranking_columns() -> str:
    """Return what the columns of `arena rankings` mean, in the order of the table; a name needs no words."""
    columns = [column for column in (*NAMES, *RATINGS, *RESULT_COLUMNS) if column.key != "label"]
    if bare := [column.title for column in columns if not column.help]:
        raise AssertionError(f"columns without a help text: {', '.join(bare)}")
    return "\n".join(table(("Column", "Meaning"), ((column.title, column.help) for column in columns)))


def manual() -> str:
    """Return the man page: every command in the order of `arena --help`, with its arguments and options."""
    root: Any = get_command(app)
    lines = ['.\\" Generated by `make docs`; changes by hand are lost.', ".TH ARENA 1"]
    lines += [".SH NAME", "arena \\- run leagues of card\\-playing bots"]
    heads = {word: heading for heading, section in root.sections.items() for word in section}
    said = ""
    for name, command, context in commands():
        heading = heads[name.split()[1]] if " " in name else "Description"
        if heading != said:
            lines.append(f".SH {heading.upper()}")
            said = heading
        usage = " ".join([name, *command.collect_usage_pieces(context)])
        lines.append(f'.SS "{_roff(usage)}"')
        for paragraph in "\n".join(_prose(command.help or "")).split("\n\n"):
            lines += [_roff(" ".join(paragraph.split())), ".PP"]
        for kind in ("argument", "option"):
            for names, meaning in _rows(command, context, kind):
                lines += [".TP", _roff(names), _roff(" ".join(meaning.split()))]
    return "\n".join([*lines, ".SH EXIT STATUS", *map(_roff, EXIT_CODES)])


def _roff(text: str) -> str:
    """Return a line as a man page has it: what is between backticks is bold."""
    parts = text.replace("\\", "\\e").replace("-", "\\-").split("`")
    line = "".join(rf"\fB{part}\fR" if number % 2 else part for number, part in enumerate(parts))
    plain = "".join(one if one.isascii() else rf"\[u{ord(one):04X}]" for one in line)
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain
