"""Values of parameters without pydantic, which takes longer to load than most commands take to run.

typer makes a pydantic adapter for each parameter of a command that is run, even for one that isn't given. Plain values
don't need one: texts, numbers, choices and paths. Whatever isn't plainly right goes to typer's adapter, so all messages
about wrong values are typer's.
"""

import os
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer import core

_NUMBERS: dict[Any, re.Pattern[str]] = {
    int: re.compile(r"-?[0-9]{1,18}"),
    float: re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?"),
}


def without_pydantic() -> None:
    """Let the parameters of all commands take plain values as they are, in this process.

    This replaces a method of typer; should it get another name, commands only take longer.
    """
    kind: Any = getattr(core, "_TyperParameter", None)
    adapted = getattr(kind, "get_runtime_param", None)
    if adapted is not None:
        kind.get_runtime_param = lambda parameter: _Plain(parameter, adapted)


class _Plain:
    """What typer asks for a parameter's value, in place of its adapter."""

    def __init__(self, parameter: Any, adapted: Callable[[Any], Any]) -> None:
        self._parameter = parameter
        self._adapted = adapted

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value for the command. Raises what typer raises for a wrong one."""
        is_list = param.multiple or param.nargs == -1
        try:
            if value is None:
                return () if is_list else None
            if is_list and not isinstance(value, str):
                (kind,) = param.type_descriptor.annotation.__args__
                return [_plain(each, kind, param) for each in value]
            return _plain(value, param.type_descriptor.annotation, param)
        except (AttributeError, ValueError):
            return self._adapted(self._parameter).coerce(value, param=param, ctx=ctx)


def _plain(value: Any, kind: Any, param: Any) -> Any:
    """Return a value of a type, given on the command line or by the program. Raises ValueError if it isn't plain."""
    info = param.type_descriptor.parameter_info
    if info.parser is not None or info.clamp:
        raise ValueError("typer converts it")
    if kind is str and type(value) is str:
        return value
    if kind in _NUMBERS:
        number = kind(value) if isinstance(value, str) and _NUMBERS[kind].fullmatch(value) else value
        inside = type(number) is kind and (info.min is None or number >= info.min)
        if inside and (info.max is None or number <= info.max):
            return number
    if get_origin(kind) is Literal and value in get_args(kind):
        return value
    if isinstance(kind, type) and issubclass(kind, Enum):
        return value if isinstance(value, kind) else kind(value)
    plain = not (info.resolve_path or info.allow_dash or info.exists or info.writable or info.path_type)
    if kind is Path and plain and info.file_okay and info.dir_okay:
        path = Path(value)
        if not path.exists() or os.access(path, os.R_OK):
            return path
    raise ValueError("typer has to look at it")
