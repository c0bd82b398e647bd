"""The five questions of a new league: answers in the games' and schedules' own words, and a preview.

Nothing here plays a game: what a league would play follows from its file and the number of its bots.
"""

import tomllib
from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

import msgspec

from arena import registry
from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError
from arena.core.ruleset import ruleset
from arena.league.definition.checked_definition import Definition, how_long, resolve
from arena.league.forecast.luck import games_per_s
from arena.web.organising.league_file_text import read_draft
from results.base.text import counted
from results.records import Traits
from results.store import Store

QUESTIONS = ("game", "schedule.kind", "seats", "name")
"""The keys of a league file that the questions are about, besides the bots."""


class Kind(NamedTuple):
    """A schedule to choose."""

    name: str
    title: str
    words: str
    """What it is, in a sentence; empty if it doesn't say."""
    plays: str
    """How much it would play with these bots; empty if that isn't known."""


class Template(NamedTuple):
    """Answers to begin with."""

    name: str
    words: str
    fits: Callable[[Traits], bool]
    """Whether a schedule with these traits is meant."""


TEMPLATES = (
    Template("standing ladder", "a ranking that never ends", lambda traits: traits.chooses_each),
    Template("weekend cup", "rounds until there is a winner", lambda traits: bool(traits.places)),
    Template("one evening", "everybody against everybody, once", lambda traits: traits.even),
)


class Preview(NamedTuple):
    """What a league would be."""

    text: str
    """Its whole file."""
    lines: Sequence[str]
    problem: str = ""
    """Why it would play nothing yet."""


def kind_of(template: Template) -> str:
    """Return the schedule that a template is about; empty if none of the installed ones fits."""
    return next((name for name, one in registry.schedules().items() if template.fits(one.traits)), "")


def kinds(text: str) -> list[Kind]:
    """Return all schedules, and what each would play if the file with this text had it."""
    file = _file_of(text)
    bots = len(file.bots) if file else 0
    found = []
    for name, schedule in registry.schedules().items():
        plays = ""
        if file is not None and bots:
            table = file.schedule if file.schedule.get("kind") == name else {"kind": name}
            try:
                one = resolve(msgspec.structs.replace(file, schedule=table), bots)
                plays = f"For {counted(bots, 'bot')}: {how_long(one)}."
            except ArenaError as error:
                plays = f"Not for {counted(bots, 'bot')}: {error}."
        title = name.replace("-", " ").capitalize()
        found.append(Kind(name, title, getattr(schedule, "words", ""), plays))
    return found


def sizes(game: str) -> Sequence[int]:
    """Return how many can play a game at a table, by its usual rules."""
    found = registry.games().get(game)
    try:
        return tuple(found.seats(ruleset(found.info, None))) if found else ()
    except ArenaError:
        return ()


def preview(store: Store | None, text: str) -> Preview:
    """Return what a league file would play, without a check of its bots."""
    try:
        file = read_draft(text)
        found = resolve(file, len(file.bots))
    except ArenaError as error:
        return Preview(text, (), str(error))
    lines = [found.in_words(len(file.bots)), how_long(found)]
    if store is not None and (time := _duration(store, found)):
        lines.append(time)
    return Preview(text, lines)


def _duration(store: Store, found: Definition) -> str:
    games, pace = found.total_games, games_per_s(store, found)
    if not games or not pace:
        return ""
    minutes = ceil(games / pace / 60)
    words = counted(minutes, "minute") if minutes < 120 else f"{ceil(minutes / 60):,} hours"
    return f"about {words} at the pace of the games so far"


def _file_of(text: str) -> LeagueFile | None:
    """Return a league file; None if it can't be read, or has no game yet."""
    try:
        return msgspec.convert({"name": "new", **tomllib.loads(text)}, LeagueFile)
    except (tomllib.TOMLDecodeError, RecursionError, msgspec.ValidationError, ValueError):
        return None
