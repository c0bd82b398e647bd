"""How commands name a stored game: LEAGUE/MATCH.ROTATION."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from results.records import LeagueRecord
    from results.store import Store

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="LEAGUE/MATCH.ROTATION, such as demo/12.0; default for LEAGUE: the store's only or newest league.",
    ),
]


def find_game(store: "Store", text: str) -> "tuple[LeagueRecord, int, int]":
    """Return league, match number and rotation of LEAGUE/MATCH.ROTATION. Raises UsageError."""
    from arena.core.errors import UsageError

    name, _, number = text.rpartition("/")
    match_no, dot, rotation = number.partition(".")
    if not match_no.isdigit() or (dot and not rotation.isdigit()):
        raise UsageError(f"{text!r} is not a game", "write LEAGUE/MATCH.ROTATION, such as demo/12.0")
    return store.leagues.get(name or None), int(match_no), int(rotation or 0)


def league_or_casual(store: "Store", name: str | None) -> "LeagueRecord":
    """Return a league by name; without a name, the newest, or `casual` if there is none. Raises UnknownLeague."""
    from results.errors import UnknownLeague
    from results.store.league_rows import CASUAL

    try:
        return store.leagues.get(name)
    except UnknownLeague:
        if name is None:
            with suppress(UnknownLeague):
                return store.leagues.get(CASUAL)
        raise


SeatOption = Annotated[
    int | None, typer.Option("--seat", min=0, help="The seat, from 0, instead of the bot's name.")
]


def chosen_seats(labels: "Sequence[str]", game: str, bot: str | None, seat: int | None) -> list[int]:
    """Return the seats that --bot and --seat choose; empty if neither was given. Raises UsageError.

    `labels` are the names of the game's bots by seat, `game` is the name of the game.
    """
    from arena.core.errors import UsageError

    at_table = ", ".join(f"{label} (seat {number})" for number, label in enumerate(labels))
    seats = list(range(len(labels)))
    if bot is not None:
        seats = [number for number in seats if labels[number] == bot]
        if not seats:
            raise UsageError(f"{bot} didn't play in {game}", f"its bots are {at_table}")
    if seat is not None:
        seats = [number for number in seats if number == seat]
        if not seats:
            what = f"{bot} didn't play in seat {seat} of {game}" if bot else f"{game} has no seat {seat}"
            raise UsageError(what, f"its bots are {at_table}")
    return [] if bot is None and seat is None else seats
