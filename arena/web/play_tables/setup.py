"""The setup of a table: the bots to play against, and what a person has filled in, or what is wrong with it."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle, islice

from msgspec import structs

from arena import registry
from arena.config.names import ARENA
from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.core.ruleset import players, ruleset, show
from arena.league.definition.bot_arguments import games_of
from arena.league.definition.given_rules import parse_options
from arena.league.inbox.files import new_id
from arena.submissions.manifest import bundled_bots, plays, read_manifest
from arena.web.play_tables.process_messages import Setup
from results.base.children import failed
from results.records import VersionRecord
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
    about: str = ""
    """What its author says of it."""
    step: int = 0
    """Its place in the `steps` of the game, from 1, the weakest; 0 if it has none."""


def reference_bots(game: str) -> list[Opponent]:
    """Return the reference bots that play a game, those with a step first, the weakest before the others."""
    steps = found.info.steps if (found := registry.games().get(game)) else ()
    bots = [one for one in _bundled() if plays(one.games, game)]
    bots = [replace(one, step=steps.index(one.label) + 1 if one.label in steps else 0) for one in bots]
    return sorted(bots, key=lambda one: one.step or len(steps) + 1)


def first_rivals(game: str) -> list[Opponent]:
    """Return three reference bots to begin with: one that is easily beaten, one of the middle, the strongest."""
    bots = reference_bots(game)
    steps = [one for one in bots if one.step > 1]
    return [steps[0], steps[len(steps) // 2 - 1], steps[-1]] if len(steps) > 2 else bots[:3]


def mixed_table(game: str, count: int) -> tuple[str, ...]:
    """Return the names of `count` reference bots: those to begin with, then the others that were written for the game.

    It begins again where there are more seats than bots; none if no bots came with Arena.
    """
    every = reference_bots(game)
    own = [one for one in every if "*" not in one.games]
    names = list(dict.fromkeys(one.name for one in (*first_rivals(game), *(own or every))))
    return tuple(islice(cycle(names), count))


def opponents(store: Store, game: str) -> list[Opponent]:
    """Return the bots that play a game: reference bots, then the newest submitted version of each bot."""
    newest: dict[tuple[str, str], Opponent] = {}
    for version in sorted(store.versions.all(), key=lambda version: version.number):
        if version.report and plays(games_of(version), game):
            about = str(version.manifest.get("description", ""))
            newest[version.author, version.bot] = Opponent(
                version.reference, version.reference, False, about=about
            )
    return [*reference_bots(game), *(newest[key] for key in sorted(newest))]


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


def begin_against(version: VersionRecord) -> dict[str, str]:
    """Return the fields of the form that begin a game against a version; none if it can't be chosen there."""
    of = tuple(games_of(version))
    games = [name for name in registry.games() if plays(of, name)]
    own = [one.name for one in _bundled() if one.name.endswith(f"/{version.bot}") and one.games == of]
    name = version.reference if version.report else own[0] if own and version.author == ARENA else ""
    return {"game": games[0], BOT: name} if name and games else {}


def default_choice(game: str, offered: Sequence[Opponent]) -> str:
    """Return the choice to suggest: a mixed table, or a bot if none came with Arena; empty if there is none."""
    return MIXED if reference_bots(game) else next((one.name for one in offered), "")


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
        found.append(Opponent(name, manifest.name, True, tuple(manifest.games), manifest.description))
    return tuple(found)


MOVE_TIMES: Mapping[str, str] = {
    "30": "30 seconds",
    "60": "1 minute",
    "120": "2 minutes",
    "300": "5 minutes",
    "600": "10 minutes",
    "1800": "30 minutes",
}
"""Times for a move to choose from, by seconds."""
DEFAULT_TIME = "300"
ANY_SEAT = "any"
OPTION = "option-"
"""Begins the names of the fields of options; `bot-` those of bots, counted from 0."""
BOT = "bot"
"""The field of the bot in all seats that have none of their own."""
MIXED = "mixed"
"""In place of a bot: another one in each seat."""


_FEW = 10


class NotReady(Exception):
    """Something that can't be played; the message tells the person, `field` is where."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def setup_of(fields: Mapping[str, str], offered: Sequence[Opponent], person: str) -> Setup:
    """Return the setup that a form describes, without the path of the store. Raises NotReady."""
    name = fields.get("game", "")
    game = registry.games().get(name)
    if game is None:
        raise NotReady("game", "Choose a game.")
    chosen = fields.get("ruleset", "") or next(iter(game.info.rulesets))
    given = {option.name: fields.get(OPTION + option.name, "").strip() for option in game.info.options}
    options = tuple(f"{option}={value}" for option, value in given.items() if value)
    seats = _seats(game, chosen, options, fields.get("seats", ""))
    seat = _seat(fields.get("seat", ANY_SEAT), seats)
    names = {one.name for one in offered}
    every = fields.get(BOT, "") or default_choice(name, offered)
    mixed = mixed_table(name, seats - 1) if every == MIXED else ()
    all_seats = mixed or (every,) * (seats - 1)
    bots = tuple(fields.get(f"bot-{at}", "") or bot for at, bot in enumerate(all_seats))
    for at, bot in enumerate(bots):
        if bot not in names:
            raise NotReady(f"bot-{at}" if fields.get(f"bot-{at}") else BOT, "Choose a bot from the list.")
    time = fields.get("time", DEFAULT_TIME)
    if time not in MOVE_TIMES:
        raise NotReady("time", "Choose a time from the list.")
    of_arena = {one.name for one in offered if one.is_reference}
    setup = Setup("", name, chosen, options, seats, seat, bots, person, float(time), 0.0, new_id())
    return structs.replace(setup, all_with_arena=of_arena.issuperset(bots))


def fields_of(setup: Setup) -> dict[str, str]:
    """Return the fields of the form that would describe a table like this one."""
    fields = {"game": setup.game, "ruleset": setup.ruleset, "seats": str(setup.seats)}
    fields["time"] = f"{setup.move_s:g}"
    fields.update((OPTION + name, value) for name, _, value in (one.partition("=") for one in setup.options))
    if setup.bots == mixed_table(setup.game, len(setup.bots)):
        return fields
    if len(set(setup.bots)) == 1:
        return fields | {BOT: setup.bots[0]}
    return fields | {f"bot-{at}": bot for at, bot in enumerate(setup.bots)}


def first_fields(game: AnyGame) -> dict[str, str]:
    """Return what the form to begin a game has in its fields at first."""
    ranges = seats_of(game)
    least, most = next(iter(ranges.values()))
    return {
        "game": game.info.name,
        "ruleset": next(iter(ranges)),
        "seats": str(max(least, min(4, most))),
        "seat": ANY_SEAT,
        "time": DEFAULT_TIME,
    }


def seats_of(game: AnyGame) -> dict[str, tuple[int, int]]:
    """Return the least and the most players of each ruleset of a game, by name."""
    allowed = {name: game.seats(ruleset(game.info, name)) for name in game.info.rulesets}
    return {name: (seats[0], seats[-1]) for name, seats in allowed.items()}


def possible_seats(game: AnyGame) -> list[int]:
    """Return how many can play a game with any ruleset, or with one option of few values changed, in order."""
    changes: list[tuple[str | None, dict[str, object]]] = [(name, {}) for name in game.info.rulesets]
    for option in game.info.options:
        values: Sequence[object] = option.choices
        if option.kind == "flag":
            values = (True, False)
        elif option.kind == "count" and option.high - option.low < _FEW:
            values = range(option.low, option.high + 1)
        changes += [(None, {option.name: value}) for value in values]
    return sorted(
        {seats for name, change in changes for seats in game.seats(ruleset(game.info, name, change))}
    )


def default_of(game: AnyGame, option: str) -> str:
    """Return an option's value in the default ruleset, as it is written."""
    return show(ruleset(game.info)[option])


def _seats(game: AnyGame, name: str, options: Sequence[str], text: str) -> int:
    """Return the number of players. Raises NotReady if the rules don't allow it, or the options are wrong."""
    try:
        rules = ruleset(game.info, name, parse_options(game, options))
        allowed = game.seats(rules)
    except ArenaError as error:
        raise NotReady("ruleset", _words(error)) from None
    seats = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
    if seats not in allowed:
        raise NotReady("seats", f"These rules are for {players(allowed)}. Choose another number.")
    try:
        game.resolve(rules, seats)
    except ArenaError as error:
        raise NotReady("ruleset", _words(error)) from None
    return seats


def _seat(text: str, seats: int) -> int:
    if text == ANY_SEAT:
        return secrets.randbelow(seats)
    seat = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else seats
    if seat >= seats:
        raise NotReady("seat", f"This table has seats 1 to {seats}. Choose one of them, or any.")
    return seat


def _words(error: ArenaError) -> str:
    said = failed(error).words
    return f"{said[:1].upper()}{said[1:]}."
