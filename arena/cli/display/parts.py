"""Prints texts and tables one below the other."""

from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from arena.cli.consoles import console
from arena.cli.messages import print_prose


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print texts, wrapped like other sentences, and tables."""
    out = console()
    for part in parts:
        if isinstance(part, Text):
            print_prose(out, part)
        else:
            out.print(part)
