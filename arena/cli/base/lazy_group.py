"""A group of commands that imports a command when it is used; its help needs no more than names and summaries."""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from arena.core.errors import UsageError

# typer hands out its own relatives of click's commands and contexts, which have no public types.
Command = Any
Context = Any


class LazyGroup(TyperGroup):
    """The `cls` of an app whose commands are functions in modules of a package. Subclasses say which."""

    package: ClassVar[str]
    modules: ClassVar[Mapping[str, str]]
    """The commands in the order of the help, each with its module: `run`, or `run:play` for its function `play`.

    A function without a name of its own has that of the command, with `_` for `-`. If it is the callback of a typer
    app in its module, the command is this group.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _Commands(self.package, self.modules)})

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
        group.commands = {name: TyperCommand(name, help=self.summary(name)) for name in self.modules}
        super(LazyGroup, group).format_help(ctx, formatter)

    def summary(self, name: str) -> str:
        """Return the first paragraph of a command's help, from its source: an import would take too long."""
        module, function = _place(self.package, self.modules[name], name)
        place = Path(__file__).parents[3].joinpath(*module.split("."))
        source = place.with_suffix(".py")
        if not source.exists():
            source = place / "__init__.py"
        text = source.read_text("utf-8")
        found = re.search(rf'^def {function}\(.*?^    """(.*?)(?:\n\n|""")', text, re.DOTALL | re.MULTILINE)
        return " ".join(found[1].split()) if found else ""


class _Commands(Mapping[str, Command]):
    """The commands of a package by name, each imported when it is first looked up."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        self._package = package
        self._modules = modules
        self._found: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        if name not in self._found:
            module, function = _place(self._package, self._modules[name], name)
            self._found[name] = _command(import_module(module), function, name)
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._modules  # the inherited method would import the command

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def _place(package: str, module: str, name: str) -> tuple[str, str]:
    """Return the module and the function of a command."""
    module, _, function = module.partition(":")
    return f"{package}.{module}", function or name.replace("-", "_")


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
    _offer_bom(group.commands[name])
    return group.commands[name]


def _group_of(module: Any, callback: Callable[..., None]) -> typer.Typer | None:
    apps = [found for found in vars(module).values() if isinstance(found, typer.Typer)]
    return next(
        (app for app in apps if app.registered_callback and app.registered_callback.callback is callback),
        None,
    )


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
    from arena.cli.display.tables import mark_csv  # not for the help of the program

    mark_csv(wanted)


def _checked_form(_context: Context, _option: Any, form: Any) -> Any:
    """Return the format. Raises UsageError for a byte order mark in another one than CSV."""
    from arena.cli.display.tables import Format, begins_with_mark

    if begins_with_mark() and Format(form) is not Format.CSV:
        raise UsageError("--bom is for CSV", "add --format csv, or leave out --bom")
    return form


def _nothing() -> None:
    """Do nothing before a command: with a callback, an app of a single command is a group too."""
