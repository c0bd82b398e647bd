"""Measures how many bytes a game takes on disk, with players that choose at random, in a temporary store."""

from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from arena.core.chance import Stream
from arena.core.ticket import Ticket, match_seed
from arena.league.definition.checked_definition import Definition
from arena.players.base import Reply, ScriptedPlayer
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.registry import blaming
from protocol.messages import Ask
from results.ratings.mean_score import MEAN_SCORE
from results.ratings.trueskill import RATING as TRUESKILL
from results.records import EntrySpec, GameRecord, MatchRecord, RulesetRecord
from results.store import open_store

LEAST_GAMES = 48
"""Games to measure: enough for an error of about 10%."""
LONGEST_MOVE_NS = 20_000_000
"""Thinking times are drawn up to this limit, because the store keeps them too."""
_SECRET = b"arena/footprint"


@dataclass(frozen=True, slots=True)
class GameSize:
    """Bytes a game takes in the store, including indexes and its share of the match."""

    with_replay: int
    without_replay: int
    tied_games: int = 0
    """How many games were played for this if all seats scored alike in each, as in cooperative games; otherwise 0."""


def game_size(definition: Definition) -> GameSize:
    """Return how much a game takes, without bots' notes and logs. Raises PluginFailed."""
    with blaming("game", definition.game.info.name, definition.game):
        matches = _matches(definition)
    sizes = {policy: _grown(definition, matches, policy) for policy in ("all", "none")}
    games = [game for match in matches for game in match]
    tied = all(len({seat.score for seat in game.seats}) == 1 for game in games)
    return GameSize(sizes["all"], sizes["none"], len(games) if tied else 0)


def _matches(definition: Definition) -> list[list[GameRecord]]:
    """Return the games of some matches, taking the table sizes in turn."""
    matches: list[list[GameRecord]] = []
    for seats in cycle(definition.rulesets):
        if sum(map(len, matches)) >= LEAST_GAMES:
            return matches
        number, rules = len(matches), definition.rulesets[seats]
        tickets = [
            Ticket("", number, rotation, seating, rules, match_seed(_SECRET, number))
            for rotation, seating in enumerate(definition.seatings(tuple(range(seats))))
        ]
        matches.append([_played(definition, ticket) for ticket in tickets])
    raise AssertionError("no table size")


def _played(definition: Definition, ticket: Ticket) -> GameRecord:
    chance = ticket.stream("footprint")
    players = [ScriptedPlayer(lambda ask: _reply(ask, chance)) for _ in ticket.entries]
    entrants = [Entrant(f"a bot's name {entry}", "0" * 64) for entry in ticket.entries]
    return Referee().play(definition.game, players, entrants, ticket)


def _reply(ask: Ask, chance: Stream) -> Reply:
    move = ask.legal[chance.randrange(len(ask.legal))] if ask.legal else ask.example
    wall_ns = chance.randrange(LONGEST_MOVE_NS)
    return Reply(move, None, wall_ns, wall_ns // 2)


def _grown(definition: Definition, matches: list[list[GameRecord]], keep_replays: str) -> int:
    """Return how many bytes each of these games adds to a store, on average."""
    rules = RulesetRecord(definition.ruleset.game, definition.ruleset.version, "", definition.ruleset.key)
    entries = [EntrySpec(str(number), None) for number in range(max(definition.rulesets))]
    with TemporaryDirectory(prefix="arena-game-size-") as scratch:
        path = Path(scratch) / "arena.sqlite"
        with open_store(path, create=True) as store:
            rating = MEAN_SCORE.name if definition.counts_scores else TRUESKILL.name
            league = store.leagues.create(
                "x", config={}, ruleset=rules, entries=entries, rating=rating, keep_replays=keep_replays
            ).uuid
        before = path.stat().st_size
        with open_store(path) as store:
            planned = [
                MatchRecord(league, number, 0, tuple(range(len(match[0].seats))), len(match))
                for number, match in enumerate(matches)
            ]
            store.matches.plan(league, planned)
            store.append([structs.replace(game, league=league) for match in matches for game in match])
        return (path.stat().st_size - before) // sum(map(len, matches))
