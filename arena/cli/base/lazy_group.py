"""A group of commands that imports a command when it is used; its help needs no more than names and summaries."""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

# typer hands out its own relatives of click's commands and contexts, which have no public types.
Command = Any
Context = Any


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

    def __init_subclass__(cls) -> None:
        cls.modules = {name: module for section in cls.sections.values() for name, module in section.items()}

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
        group.commands = {
            name: TyperCommand(name, help=self.summary(name), rich_help_panel=heading)
            for heading, section in self.sections.items()
            for name in section
        }
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
    command: Command = group.commands[name]
    return command


def _group_of(module: Any, callback: Callable[..., None]) -> typer.Typer | None:
    apps = [found for found in vars(module).values() if isinstance(found, typer.Typer)]
    return next(
        (app for app in apps if app.registered_callback and app.registered_callback.callback is callback),
        None,
    )


def _nothing() -> None:
    """Do nothing before a command: with a callback, an app of a single command is a group too."""
