"""The bots that people can play against: submitted ones, and the reference bots."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from arena.config.names import ARENA
from arena.core.errors import ArenaError
from arena.league.definition.named_bots import games_of
from arena.submissions.bundled import bundled_bots
from arena.submissions.manifest import plays, read_manifest
from results.store import Store


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot to choose."""

    name: str
    """As commands name it: `bots/sandwich/greedy`, `ann/spread@3`."""
    label: str
    """For people."""
    is_reference: bool
    games: tuple[str, ...] = ()
    """As in its bot.toml; `*` is every game."""


def opponents(store: Store, game: str) -> list[Opponent]:
    """Return the bots that play a game: reference bots, then the newest submitted version of each bot."""
    found = [one for one in _bundled() if plays(one.games, game)]
    newest: dict[tuple[str, str], Opponent] = {}
    for version in sorted(store.versions.all(), key=lambda version: version.number):
        if version.report and plays(games_of(version), game):
            newest[version.author, version.bot] = Opponent(version.reference, version.reference, False)
    return [*found, *(newest[key] for key in sorted(newest))]


def bots_to_enter(store: Store | None) -> list[Opponent]:
    """Return all bots that a league can begin with: reference bots, then the submitted ones without their versions.

    Reference bots that have entered the store are named by path alone: those of several games share names such as
    `arena/greedy`.
    """
    own = {(ARENA, one.name.rpartition("/")[2]) for one in _bundled()}
    submitted = {
        f"{version.author}/{version.bot}": tuple(games_of(version))
        for version in sorted(store.versions.all() if store else (), key=lambda version: version.number)
        if (version.author, version.bot) not in own
    }
    return [*_bundled(), *(Opponent(name, name, False, submitted[name]) for name in sorted(submitted))]


def default_opponent(offered: Sequence[Opponent]) -> str:
    """Return the name of the bot to suggest; empty if there is none."""
    greedy = [one.name for one in offered if one.is_reference and one.name.endswith("/greedy")]
    return next(iter([*greedy, *(one.name for one in offered)]), "")


@cache
def _bundled() -> tuple[Opponent, ...]:
    """Return the reference bots, those of a game before those of any."""
    found = []
    try:
        folders = sorted(path.parent for path in bundled_bots().glob("*/*/bot.toml"))
    except ArenaError:
        return ()
    for folder in sorted(folders, key=lambda folder: (folder.parent.name == "any_game", folder)):
        manifest = read_manifest(folder)
        name = f"bots/{folder.parent.name}/{folder.name}"
        found.append(Opponent(name, f"{manifest.name} (reference bot)", True, tuple(manifest.games)))
    return tuple(found)
