"""A group of commands that imports a command when it is used; its help needs no more than names and summaries."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from copy import copy
from functools import cache
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

# typer hands out its own relatives of click's commands and contexts, which have no public types.
Command = Any
Context = Any


class LazyGroup(TyperGroup):
    """The `cls` of an app whose commands are modules of a package. Subclasses say which.

    A command is the module of its name, with `_` for `-`, that has `add_to(app)`; or a function of its name in the
    module that `modules` has for it.
    """

    package: ClassVar[str]
    summaries: ClassVar[Mapping[str, str]]
    """The commands in the order of the help, each with the first paragraph of its own help."""
    modules: ClassVar[Mapping[str, str]] = {}
    """The modules of commands that share one, by the command's name."""

    def __init__(self, **settings: Any) -> None:
        commands = _Commands(self.package, self.summaries, self.modules)
        super().__init__(**{**settings, "commands": commands})

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002 - the library passes it
        """Return the names of the commands in the order of the help, without importing any."""
        return list(self.commands)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002 - the library passes it
        """Return a command by its name, imported now if it wasn't; None if there is none."""
        if cmd_name not in self.commands:
            return None
        return self.commands[cmd_name]

    def format_help(self, ctx: Context, formatter: Any) -> None:
        """Print the help of the group from the summaries."""
        group = copy(self)
        group.commands = {name: TyperCommand(name, help=text) for name, text in self.summaries.items()}
        super(LazyGroup, group).format_help(ctx, formatter)


class _Commands(MutableMapping[str, Command]):
    """The commands of a package by name, each imported when it is first looked up."""

    def __init__(self, package: str, names: Iterable[str], modules: Mapping[str, str]) -> None:
        self._package = package
        self._modules = modules
        self._found: dict[str, Command | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Command:
        command = self._found[name]
        if command is None:
            module = self._modules.get(name, name.replace("-", "_"))
            command = self._found[name] = _command(f"{self._package}.{module}", name)
        return command

    def __setitem__(self, name: str, command: Command) -> None:
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found  # the inherited method would import the command

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _command(module: str, name: str) -> Command:
    """Import a module; return the command or group that it adds under a name, or its function of the name."""
    app = typer.Typer(add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False)
    app.callback()(_nothing)
    imported: Any = import_module(module)
    if hasattr(imported, "add_to"):
        imported.add_to(app)
    else:
        app.command(name)(getattr(imported, name.replace("-", "_")))
    group: Any = typer.main.get_command(app)
    _offer_bom(group.commands[name])
    return group.commands[name]


def _offer_bom(command: Command) -> None:
    """Add `--bom` to a command that has `--format`, and to the commands of a group that are loaded with it."""
    if form := next((param for param in command.params if "--format" in param.opts), None):
        at = command.params.index(form) + 1
        command.params.insert(at, _bom_option())
        form.callback = _checked_form
    if not isinstance(command, LazyGroup):
        for below in getattr(command, "commands", {}).values():
            _offer_bom(below)


@cache
def _bom_option() -> Any:
    """Return the option, as typer makes it."""
    app = typer.Typer(add_completion=False)

    @app.command()
    def with_bom(
        bom: Annotated[
            bool,
            typer.Option(
                "--bom",
                help="Begin CSV with a byte order mark, so that spreadsheets read it as UTF-8.",
                is_eager=True,  # known before the format is checked
                expose_value=False,
                callback=_mark,
            ),
        ] = False,
    ) -> None: ...

    command: Any = typer.main.get_command(app)
    return command.params[0]


def _mark(wanted: bool) -> None:
    from arena.cli.display.tables import mark_csv

    mark_csv(wanted)


def _checked_form(_context: Context, _option: Any, form: Any) -> Any:
    """Return the format. Raises UsageError for a byte order mark in another one than CSV."""
    from arena.cli.display.tables import Format, begins_with_mark

    if begins_with_mark() and Format(form) is not Format.CSV:
        from arena.core.errors import UsageError

        raise UsageError("--bom is for CSV", "add --format csv, or leave out --bom")
    return form


def _nothing() -> None:
    """Do nothing before a command: with a callback, an app of a single command is a group too."""
