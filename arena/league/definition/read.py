"""Reads a league file: what it plans, and for its author the lines of mistakes, and where a misplaced key belongs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, structs, to_builtins
from msgspec.structs import fields

from arena import registry
from arena.config import league_file
from arena.config.deal_suites import is_suite, read_suite
from arena.config.mistakes import SeveralMistakes, UnknownKey, at_key, convert, in_file
from arena.config.names import ARENA, check_name
from arena.config.settings import Settings, settings_path
from arena.config.toml import LEAGUE_FILE_BOUNDS, line_of, load, read_text, written
from arena.core.errors import BadValue, UsageError
from arena.league.definition.checked_definition import Definition, Lineup, resolve
from arena.league.definition.entries import Source, in_teams, labels_of, manifests_of, sources
from arena.league.definition.given_rules import parse_options
from arena.league.definition.rating import RatingPlan, rating_plan, scores_plan, with_draws
from arena.submissions.manifest import Manifest
from results.ratings import OF_ALL, Rater, rating_systems

_TABLES: dict[str, type[Struct]] = {
    one.encode_name: one.type
    for one in fields(league_file.LeagueFile)
    if hasattr(one.type, "__struct_fields__")
}
_OWN_TABLES = ("schedule", "options", "rating", *_TABLES)
"""Keys of the file that are tables."""


class LeaguePlan(Struct, frozen=True):
    """A league file that has been read and checked."""

    definition: Definition
    sources: tuple[Source, ...]
    name: str
    """Name of the file, for messages."""
    text: str
    rating: RatingPlan
    rater: Rater
    """The same, with the measured draw probability."""

    @property
    def file(self) -> league_file.LeagueFile:
        """The file, with the options that override its own."""
        return self.definition.file


def read_plan(path: Path, given_options: Sequence[str] = (), league: str | None = None) -> LeaguePlan:
    """Return the plan of a league file, overridden by `given_options` (NAME=VALUE) and `league`. Raises UsageError."""
    name, text = str(path), read_text(path, LEAGUE_FILE_BOUNDS)
    with in_league_file(name, text):
        data = load(text, name, LEAGUE_FILE_BOUNDS)
        if is_suite(data.get("deals")):
            with at_key("deals"):
                data["deals"] = to_builtins(read_suite(data["deals"], path.parent))
        file = convert(data, league_file.LeagueFile)
        with at_key("game"):
            game = registry.game(file.game) if given_options else None
    if game is not None:
        file = structs.replace(file, options={**file.options, **parse_options(game, given_options)})
    if league is not None:
        file = structs.replace(file, name=league)
    return plan(file, path.parent, name, text)


def plan(file: league_file.LeagueFile, base: Path, name: str, text: str = "") -> LeaguePlan:
    """Return the plan of a league file; its paths are relative to `base`. Raises UsageError."""
    with in_league_file(name, text):
        return plan_of(file, sources(file.bots, base), name, text)


def plan_of(
    file: league_file.LeagueFile,
    found: Sequence[Source],
    name: str,
    text: str = "",
    draws: float | None = None,
) -> LeaguePlan:
    """Return the plan of a league file; `draws`: its draw probability, if measured. Raises UsageError."""
    with in_league_file(name, text):
        check_name(("name",), file.name)
        rating = rating_plan(file)
        scale = rating.rater.scale
        found, teams = in_teams(found, file)
        named = {number: str(found[number].label) for team in teams for number in team}
        if teams and rating.table.inherit:
            raise BadValue(
                ("rating", "inherit"), "fixed teams have no rating in an earlier league", "remove inherit"
            )
        definition = resolve(file, len(found), Lineup(labels=named, scale=scale, teams=teams))
        if definition.counts_scores:
            rating = scores_plan(file, definition.game.info.decimals)
            scale = rating.rater.scale
        manifests = manifests_of(found)
        authors = {
            number: manifest.author for number, manifest in manifests.items() if manifest.author != ARENA
        }
        definition = definition.with_lineup(
            Lineup(authors, labels_of(found, manifests), scale=scale, teams=teams)
        )
        with at_key("rating"):
            rater = with_draws(rating, definition, draws)
    return LeaguePlan(definition, tuple(found), name, text, rating, rater)


@contextmanager
def in_league_file(name: str, text: str) -> Iterator[None]:
    """Make every error name the league file, with the line of its key; one about a misplaced key says where it belongs.

    `text` is the file's; empty if there is none. Raises BadFile as `in_file`.
    """
    with in_file(name, text):
        try:
            yield
        except (UnknownKey, SeveralMistakes) as error:
            for one in error.mistakes if isinstance(error, SeveralMistakes) else [error]:
                if isinstance(one, UnknownKey):
                    _point(one, text)
            raise


def _point(error: UnknownKey, text: str) -> None:
    table = [part for part in error.keys[:-1] if not part.isdigit()]
    if place := place_of(error.keys[-1], table, text):
        error.advice = f"{place}; {error.hint}" if table == ["bots"] else place


def place_of(key: str, table: Sequence[str], text: str) -> str:
    """Return where a misplaced key of `table` (empty: the file itself) of a league file belongs; empty if nowhere."""
    data = load(text, "", LEAGUE_FILE_BOUNDS) if text else {}
    if list(table) == ["bots"] and key in _names(Manifest) and key not in _names(league_file.LeagueFile):
        return f"{key} is a setting of the bot itself: it belongs in its bot.toml"
    if key in _names(Settings):
        return _in_settings(key)
    if table and key in _names(league_file.LeagueFile):
        return _in_file(key, table, data, text)
    for name, kind in _TABLES.items():
        if key in _names(kind):
            return f"{key} is a key of [{name}]: {_move(name, text)}"
    schedules = {name: _names(found.settings) for name, found in registry.schedules().items()}
    having = [name for name, keys in schedules.items() if key in keys]
    if having or (key == "kind" and tuple(table) != ("schedule",)):
        return _in_schedule(key, having, schedules, data, text)
    of_ratings = {*OF_ALL, *(one for system in rating_systems().values() for one in _names(system.settings))}
    if key in of_ratings and tuple(table) != ("rating",):
        return f"{key} is a key of [rating]: {_move('rating', text)}"
    if key in _options(data.get("game")) and tuple(table) != ("options",):
        return f"{key} is an option of {data['game']}: {_move('options', text)}"
    if key in _names(league_file.BotTable):
        return f"{key} is a key of [[bots]]: put it below the [[bots]] of its bot"
    return ""


def _in_settings(key: str) -> str:
    try:
        path = settings_path()
    except UsageError:  # the variable that names it is wrong
        path = None
    where = f", {path}" if path else ""
    return f"[{key}] belongs in the settings file of the machine{where}: move it there"


def _in_file(key: str, table: Sequence[str], data: dict[str, Any], text: str) -> str:
    """Return the hint for a key of the file itself that is in one of its tables."""
    if key in (*_OWN_TABLES, "bots"):
        right = "[[bots]]" if key == "bots" else f"[{key}]"
        return f"{key} is a table of its own: write {right} instead of [{'.'.join([*table, key])}]"
    if key in data:
        here = line_of(text, [key])
        return (
            f"{key} belongs at the top of the file, where it is already{f', in line {here}' if here else ''}"
        )
    first = next((one.line for one in written(text) if one.header), None)
    above = f" in line {first}" if first else ""
    return f"{key} belongs at the top of the file: move it above the first table{above}"


def _in_schedule(
    key: str, having: Sequence[str], schedules: dict[str, list[str]], data: dict[str, Any], text: str
) -> str:
    """Return the hint for a key of a schedule, or of another schedule than the league's."""
    given = data.get("schedule")
    kind = (given if isinstance(given, dict) else {}).get("kind", league_file.DEFAULT_SCHEDULE)
    if key == "kind" or kind in having:
        return f"{key} is a key of [schedule]: {_move('schedule', text)}"
    owners = f"the schedule{'s' * (len(having) > 1)} {', '.join(having)}"
    if kind not in schedules:
        return f"{key} is a key of {owners}"
    return f"{key} is a key of {owners}; keys of {kind}: {', '.join(('kind', *schedules[kind]))}"


def _move(table: str, text: str) -> str:
    line = line_of(text, [table]) if text else None
    if line:
        return f"move it below [{table}] in line {line}"
    return f"move it to the end of the file, below a new line [{table}]"


def _names(kind: type[Struct]) -> list[str]:
    return [field.encode_name for field in fields(kind)]


def _options(game: object) -> list[str]:
    """Return the options of a game; none if there is no such game."""
    games = registry.games()
    return (
        [option.name for option in games[game].info.options]
        if isinstance(game, str) and game in games
        else []
    )
