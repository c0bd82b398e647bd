"""How commands name what is stored: a game, LEAGUE/MATCH.ROTATION; a league; a bot, in any of its ways."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from arena.core.errors import UsageError
from results.base.errors import AmbiguousName, UnknownEntry, UnknownLeague, UnknownVersion
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.reports.ranking_columns import Placing
from results.reports.recounted_matches import entries_named
from results.store import Store
from results.store.entries import named
from results.store.league_rows import CASUAL

if TYPE_CHECKING:
    from arena.league.stored_games import FoundGame


def find_game(store: Store, text: str) -> tuple[LeagueRecord, int, int]:
    """Return league, match number and rotation of LEAGUE/MATCH.ROTATION. Raises UsageError."""
    name, match_no, rotation = game_parts(text)
    return store.leagues.get(name or None), match_no, rotation


def game_parts(text: str) -> tuple[str, int, int]:
    """Return the name of the league, which may be empty, the match number and the rotation. Raises UsageError."""
    name, _, number = text.rpartition("/")
    match_no, dot, rotation = number.partition(".")
    if not match_no.isdigit() or (dot and not rotation.isdigit()):
        raise UsageError(f"{text!r} is not a game", "write LEAGUE/MATCH.ROTATION, such as demo/12.0")
    return name, int(match_no), int(rotation or 0)


def find_league_or_game(store: Store, text: str | None) -> tuple[LeagueRecord, int | None, int]:
    """Return league, match number and rotation of a game; only the league, and no match, if one is named.

    Without a text, the newest league. Raises UsageError for a name that a league and a game have.
    """
    name = (text or "").removesuffix("/")
    is_league = any(league.name == name for league in store.leagues.all())
    is_game = "/" in name or (bool(name) and name.replace(".", "", 1).isdigit())
    if is_game and not is_league:
        return find_game(store, name)
    if is_game and name == text:
        newest = league_or_casual(store, None).name
        raise AmbiguousName(
            f"{name!r} names a league and a game",
            f"write {name}/ for the league, or {newest}/{name} for the game",
        )
    return league_or_casual(store, name or None), None, 0


def league_or_casual(store: Store, name: str | None) -> LeagueRecord:
    """Return a league by name; without a name, the newest, or `casual` if there is none. Raises UnknownLeague."""
    try:
        return store.leagues.get(name)
    except UnknownLeague:
        if name is None:
            with suppress(UnknownLeague):
                return store.leagues.get(CASUAL)
        raise


def by_format(store: Store, league: LeagueRecord) -> Mapping[int, Placing]:
    """Return where the entries stand by the league's format; empty if it has no standings of its own."""
    if not league.traits.places:
        return {}
    from arena.league.definition.stored import format_places  # loads what plays, which few leagues need here

    return format_places(store, league)


def find_version(store: Store, bot: str) -> VersionRecord:
    """Return a version as `bot_arguments.find_version` does, imported only if the store has no bot of that name."""
    try:
        return store.versions.find(bot)
    except UnknownVersion:
        from arena.league.definition import bot_arguments

        return bot_arguments.find_version(store, bot)


def find_entry(store: Store, league: LeagueRecord, bot: str) -> EntryRecord:
    """Return an entry as `bot_arguments.find_entry` does, imported only if no entry has that name."""
    try:
        return store.entries.find(league.uuid, bot)
    except UnknownEntry:
        from arena.league.definition import bot_arguments

        return bot_arguments.find_entry(store, league, bot)


def find_entries(store: Store, league: LeagueRecord, bots: str) -> Mapping[int, str]:
    """Return the labels, by entry number, of entries that are named with commas between. Raises as `find_entry`."""
    try:
        return entries_named(store, league, bots)
    except UnknownEntry:
        found = [find_entry(store, league, bot.strip()) for bot in bots.split(",") if bot.strip()]
        if not found:
            raise
    return {entry.entry_no: entry.label for entry in found}


def chosen_seats(store: Store, game: "FoundGame", bot: str | None, seat: int | None) -> list[int]:
    """Return the seats of a game that --bot and --seat choose; empty if neither was given. Raises UsageError."""
    seats = list(range(len(game.entries)))
    if bot is not None:
        chosen = named(game.entries, bot) or _of_path(store, game, bot)
        seats = [number for number in seats if game.entries[number] in chosen]
        if not seats:
            raise UsageError(f"{bot} didn't play in {game.name}", f"its bots are {seats_in_words(game)}")
    if seat is not None:
        seats = [number for number in seats if number == seat]
        if not seats:
            what = (
                f"{bot} didn't play in seat {seat} of {game.name}"
                if bot
                else f"{game.name} has no seat {seat}"
            )
            raise UsageError(what, f"its bots are {seats_in_words(game)}")
    return [] if bot is None and seat is None else seats


def seats_in_words(game: "FoundGame") -> str:
    """Return the bots of a game with their seats, for messages."""
    return ", ".join(f"{label} (seat {number})" for number, label in enumerate(game.labels))


def _of_path(store: Store, game: "FoundGame", bot: str) -> list[EntryRecord]:
    """Return the entry whose bot is at a path, as a list; empty if there is no such path. Raises UsageError."""
    try:
        return [find_entry(store, game.league, bot)]
    except UnknownEntry:
        return []
