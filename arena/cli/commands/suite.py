"""`arena suite`: deals that can be published, to play the same ones each time."""

from pathlib import Path
from secrets import token_hex
from typing import Annotated

import typer

from arena import registry
from arena.cli.base import options
from arena.cli.terminal.messages import say, write_file
from arena.config.deal_suites import (
    ENDING,
    MOST_DEALS,
    SEED_BYTES,
    Suite,
    check_suite_name,
    hash_of,
    suite_text,
)
from results.base.text import counted


def suite(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    game: Annotated[str, typer.Option("--game", "-g")],
    deals: Annotated[int, typer.Option(min=1, max=MOST_DEALS)] = 100,
    force: options.Force = False,
) -> None:
    """Make a suite of deals: a file that you can publish, to play the same deals each time.

    Play it with --deals suite:NAME in `arena compare` and `arena race`, with deals = "suite:NAME" in a league file, and
    its seventh deal with --seed suite:NAME/7 in `arena match`. What is played on it is never rated, because anyone can
    know its deals beforehand.

    Options:
        name: Its name; the file is NAME.suite.toml.
        game: The game whose deals they are.
        deals: Number of deals.
    """
    found = registry.game(game).info.name
    path = Path(f"{check_suite_name(name)}{ENDING}")
    seeds = tuple(token_hex(SEED_BYTES) for _ in range(deals))
    write_file(path, suite_text(Suite(name, found, hash_of(found, seeds), seeds)), force=force)
    say(f"wrote {path}: {counted(deals, 'deal')} of {found}; play them with --deals suite:{name}")
