"""Commands and their help: groups that import a command when it is used, words for values, and how help is printed.

The docstring of a command says what its options mean, below `Options:`. The help of a group needs no more than the
names of its commands and their summaries.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path
from typing import Any, ClassVar

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperArgument, TyperGroup

from arena.cli.terminal.consoles import console
from results.base.text import meanings

# typer hands out its own relatives of click's commands and contexts, which have no public types.
Command = Any
Context = Any
Rows = Sequence[tuple[str, str]]

PACKAGES = {"host": "arena-cluster"}
"""Commands of packages beside Arena: what to install if such a command isn't there."""
_MOST_CHOICES = 20
"""The choices of an option stand beside it if they take no more characters; otherwise in its help."""
_MOST_NAMES = 28
"""How wide the column of names is in a help, at most; a longer name has a line of its own."""


def modules_of(commands: str) -> Mapping[str, str]:
    """Return commands, given by name with spaces between, each with its module: its name, or what follows a colon.

    >>> modules_of("demo:run new")
    {'demo': 'run', 'new': 'new'}
    """
    pairs = (command.partition(":") for command in commands.split())
    return {name: module or name for name, _, module in pairs}


class LazyGroup(TyperGroup):
    """The `cls` of an app whose commands are functions in modules of a package. Subclasses say which."""

    package: ClassVar[str]
    sections: ClassVar[Mapping[str, Mapping[str, str]]]
    """The headings of the help, each with its commands and their modules: `run`, or `run:play` for a function `play`.

    A function without a name of its own has that of the command, with `_` for `-`. If it is the callback of a typer
    app in its module, the command is this group.
    """
    modules: ClassVar[Mapping[str, str]]
    """All commands in the order of the help, each with its module."""
    entry_points: ClassVar[str] = ""
    """The entry points by which other packages add commands, each `module:function`; none take the name of ours."""

    def __init_subclass__(cls) -> None:
        cls.modules = {name: module for section in cls.sections.values() for name, module in section.items()}

    def __init__(self, **settings: Any) -> None:
        self._commands = _Commands(self.package, self.modules, self.entry_points)
        super().__init__(**{**settings, "commands": self._commands})
        _name_values(self)

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002 - the library passes it
        """Return the names of the commands in the order of the help, without importing any."""
        return list(self.commands)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002 - the library passes it
        """Return a command by its name, imported now if it wasn't; None if there is none."""
        if cmd_name not in self.commands:
            return None
        return self.commands[cmd_name]

    def format_help(self, ctx: Context, formatter: Any) -> None:  # noqa: ARG002 - the library passes it
        """Print the help of the group from the summaries."""
        added = [name for name in self.commands if name not in self.modules]
        sections = {
            heading: [(name, self.summary(name)) for name in section]
            for heading, section in {**self.sections, "Of other packages": added}.items()
        }
        _print_help(self, ctx, sections)

    def summary(self, name: str) -> str:
        """Return the first paragraph of a command's help, from its source: an import would take too long."""
        module, function = self._commands.place(name)
        top, *below = module.split(".")
        package = find_spec(top)
        if package is None or package.origin is None:
            return ""
        place = Path(package.origin).parent.joinpath(*below)
        source = place.with_suffix(".py")
        if not source.exists():
            source = place / "__init__.py"
        text = source.read_text("utf-8")
        found = re.search(rf'^def {function}\(.*?^    """(.*?)(?:\n\n|""")', text, re.DOTALL | re.MULTILINE)
        return " ".join(found[1].split()) if found else ""


class _Commands(Mapping[str, Command]):
    """The commands of a package by name, and those that others add, each imported when it is first looked up."""

    def __init__(self, package: str, modules: Mapping[str, str], entry_points: str) -> None:
        self._package = package
        self._modules = modules
        self._entry_points = entry_points
        self._found: dict[str, Command] = {}

    def place(self, name: str) -> tuple[str, str]:
        """Return the module and the function of a command. Raises KeyError if there is none."""
        if name not in self._modules:
            return self._added[name]
        module, _, function = self._modules[name].partition(":")
        return f"{self._package}.{module}", function or name.replace("-", "_")

    @cached_property
    def _added(self) -> dict[str, tuple[str, str]]:
        """The places of the commands of other packages. Finding them takes longer than starting many a command."""
        from importlib.metadata import entry_points

        points = sorted(entry_points(group=self._entry_points)) if self._entry_points else []
        return {one.name: (one.module, one.attr) for one in points if one.name not in self._modules}

    def __getitem__(self, name: str) -> Command:
        if name not in self._found:
            module, function = self.place(name)
            self._found[name] = _command(self._imported(name, module), function, name)
        return self._found[name]

    def _imported(self, name: str, module: str) -> Any:
        """Return the module of a command. Raises BrokenPlugin if that of another package fails to load."""
        if name in self._modules:
            return import_module(module)
        from results.base.plugins import load_plugin

        return load_plugin("command", module, module, partial(import_module, module))

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in self._added  # the inherited method would import the command

    def __iter__(self) -> Iterator[str]:
        return iter((*self._modules, *self._added))

    def __len__(self) -> int:
        return len(self._modules) + len(self._added)


def _command(module: Any, function: str, name: str) -> Command:
    """Return the command of a function, or the group whose callback it is."""
    callback = getattr(module, function)
    app = typer.Typer(add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False)
    app.callback()(_nothing)
    if (below := _group_of(module, callback)) is not None:
        app.add_typer(below, name=name)
    else:
        app.command(name)(callback)
    group: Any = typer.main.get_command(app)
    command: Command = group.commands[name]
    _in_words(command)
    return command


def _group_of(module: Any, callback: Callable[..., None]) -> typer.Typer | None:
    apps = [found for found in vars(module).values() if isinstance(found, typer.Typer)]
    return next(
        (app for app in apps if app.registered_callback and app.registered_callback.callback is callback),
        None,
    )


def _nothing() -> None:
    """Do nothing before a command: with a callback, an app of a single command is a group too."""


def bounds(least: float | None, most: float | None) -> str:
    """Return in words which numbers a value may have; empty for any."""
    if least is not None and most is not None:
        return f"from {least:,} to {most:,}"
    if least is not None:
        return f"{least:,} or more"
    return "" if most is None else f"at most {most:,}"


def _in_words(command: Command) -> None:
    """Let a command, and all below it, name their values in words and print their help as Arena does."""
    if isinstance(command, LazyGroup):
        return
    _say_options(command)
    _name_values(command)
    inner = getattr(command, "commands", {})
    for one in inner.values():
        _in_words(one)
    commands = [(name, _paragraphs(one.help)[0]) for name, one in inner.items()]
    command.format_help = lambda ctx, _: _print_help(command, ctx, {"Commands": commands})


def _say_options(command: Command) -> None:
    """Give the parameters of a command the words that its docstring has for them, below `Options:`, by their names.

    `{options.ENTRY}` there is the text of that name in `options`.
    """
    from arena.cli.base import options  # by now, the module of the command has loaded it

    parameters = {parameter.name: parameter for parameter in command.params}
    for name, text in meanings(command.help, "Options").items():
        parameters[name].help = re.sub(r"\{options\.(\w+)\}", lambda found: getattr(options, found[1]), text)
    command.help = (command.help or "").partition("\n\nOptions:\n")[0]


def _name_values(command: Command) -> None:
    """Name the arguments and the values of options.

    An argument is in capitals, and in brackets if it may be left out. A value is named by `metavar`, or N, FILE, its
    few possible values, or the name of its option.
    """
    for parameter in command.params:
        parameter._get_number_range_help_str = lambda one=parameter: bounds(one.min, one.max)
        if isinstance(parameter, TyperArgument):
            _name_argument(parameter)
        elif not parameter.is_flag and parameter.metavar is None:
            _name_value(parameter)


def _name_argument(argument: Any) -> None:
    name = argument.metavar or argument.name.upper()
    usage = name if argument.required else f"[{name}]"
    argument.metavar = name if argument.nargs == 1 or " " in name else f"{name}..."
    usage = usage if argument.nargs == 1 or " " in name else f"{usage}..."
    argument.get_usage_pieces = lambda _: [usage]
    argument.display_type_rich = lambda ctx: ""  # noqa: ARG005 - the library passes it by name


def _name_value(option: Any) -> None:
    kind = option.display_type(None).removeprefix("<list[").strip("<>]")
    if "|" in kind and len(kind) > _MOST_CHOICES:
        option.help = f"{option.help} One of {kind.replace('|', ', ')}."
    named_by_kind = {"int": "N", "float": "N", "path": "FILE"}.get(kind.removesuffix(" range"))
    if named_by_kind is None:
        own_name = option.opts[0].removeprefix("--").upper()
        named_by_kind = kind if "|" in kind and len(kind) <= _MOST_CHOICES else own_name
    option.metavar = named_by_kind


def _print_help(command: Command, ctx: Context, sections: Mapping[str, Rows]) -> None:
    """Print the usage of a command, what it does, and everything that can follow it; `sections` are its commands."""
    out = console()
    records: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(ctx):
        if record := parameter.get_help_record(ctx):
            records[parameter.param_type_name].append(record)
    out.print(Text(command.get_usage(ctx), "bold"))
    for paragraph in _paragraphs(command.help):
        out.print()
        _print_text(out, "", paragraph, 0)
    _print_sections(out, {"Arguments": records["argument"]})
    _print_sections(out, sections)
    _print_sections(out, {"Options": records["option"]})
    if command.epilog:
        out.print()
        _print_text(out, "", command.epilog, 0)


def _print_sections(out: Console, sections: Mapping[str, Rows]) -> None:
    widest = max((len(name) for rows in sections.values() for name, _ in rows), default=0)
    for heading, rows in sections.items():
        if rows:
            out.print()
            out.print(Text(f"{heading}:", "bold"))
        for name, meaning in rows:
            _print_text(out, f"  {name}  ", meaning, min(widest, _MOST_NAMES, out.width // 2) + 4)


def _print_text(out: Console, name: str, text: str, indent: int) -> None:
    """Print a text `indent` cells in, with a name before it; a longer name has its own line."""
    words = Text.assemble(*((part, "cyan" * (number % 2)) for number, part in enumerate(text.split("`"))))
    first = Text(name.ljust(indent), "bold cyan")
    if len(name) > indent:
        out.print(Text(name.rstrip(), "bold cyan"))
        first = Text(" " * indent)
    for line in words.wrap(out, max(20, out.width - indent)):
        line.rstrip()
        out.print(first + line)
        first = Text(" " * indent)


def _paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a docstring, each as one line."""
    shown = cleandoc(text or "").partition("\f")[0]
    return [" ".join(paragraph.split()) for paragraph in shown.split("\n\n")]
