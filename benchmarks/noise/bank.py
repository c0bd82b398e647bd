"""Matches between noise levels of one bot, played once and drawn from many times.

Level k makes k / 10 of its moves at random, and the others like the bot itself. So the order of the levels is known in
advance, and their strengths range from nearly equal to far apart.
"""

import importlib.util
import json
import random
import sys
import types
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from arena.core.chance import Chance
from arena.core.game import AnyGame, Event, Outcome, ranks_with_faults
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset, ruleset
from arena.registry import game as game_named
from protocol import kit
from protocol.limits import DEFAULT_CLOCK, DEFAULT_LIMITS

LEVELS = 10
ROOT = Path(__file__).parents[2]

Choose = Callable[[dict[str, Any], kit.Game], Any]
Games = list[list[int]]
"""Of one match: for each game the rank of each entry, in the order of the table."""


@dataclass(frozen=True)
class Setting:
    """What is played."""

    game: str
    ruleset: str
    options: tuple[tuple[str, Any], ...]
    seats: int
    deals: int
    """Matches played at each table."""
    near_deals: int
    """Matches played at tables of similar levels, which a ladder schedules again and again."""

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """All tables of the levels."""
        return list(combinations(range(LEVELS), self.seats))

    def deals_at(self, table: tuple[int, ...]) -> int:
        """Return how many matches are played at a table."""
        return self.near_deals if max(table) - min(table) <= len(table) else self.deals

    @property
    def rotations(self) -> Rotations:
        """How a match rotates its deal."""
        return game_named(self.game).info.rotations

    @property
    def words(self) -> str:
        """The setting as a heading."""
        options = "".join(f"+{name}={value}" for name, value in self.options)
        return f"{self.game} {self.ruleset}{options}, {self.seats} seats, rotations {self.rotations}"


SETTINGS = {
    "bread-basket": Setting("bread-basket", "tens", (), 4, 16, 120),
    "bread-and-chocolate": Setting("bread-and-chocolate", "shram", (), 4, 16, 150),
    "sandwich": Setting("sandwich", "en", (), 3, 8, 60),
}


@dataclass(frozen=True)
class Bank:
    """Played matches by table."""

    setting: Setting
    matches: dict[tuple[int, ...], list[Games]]

    def truth(self) -> list[int]:
        """Return the levels, best first, by their mean share in all games, with equal weight for every table."""
        won = [0.0] * LEVELS
        for table, matches in self.matches.items():
            for games in matches:
                for ranks in games:
                    for place, level in enumerate(table):
                        beaten = (
                            sum((rank > ranks[place]) + (rank == ranks[place]) / 2 for rank in ranks) - 0.5
                        )
                        won[level] += beaten / len(matches) / len(games)
        return sorted(range(LEVELS), key=lambda level: -won[level])


def read(path: Path, setting: Setting) -> Bank:
    """Return a bank from its file. Raises ValueError if the file is for another setting."""
    data = json.loads(path.read_text())
    if data["setting"] != setting.words:
        raise ValueError(f"{path} holds {data['setting']}, not {setting.words}")
    return Bank(setting, {tuple(map(int, key.split())): matches for key, matches in data["matches"].items()})


def write(path: Path, bank: Bank) -> None:
    """Write a bank to a file."""
    matches = {" ".join(map(str, table)): games for table, games in bank.matches.items()}
    path.write_text(json.dumps({"setting": bank.setting.words, "matches": matches}, separators=(",", ":")))


def play_all(setting: Setting, processes: int, told: Callable[[int, int], None]) -> Bank:
    """Play the matches of a bank; calls `told` with the number of finished tables and the total."""
    tables = setting.tables
    matches = {}
    with ProcessPoolExecutor(processes) as pool:
        for table, games in zip(tables, pool.map(_table, [setting] * len(tables), tables), strict=True):
            matches[table] = games
            told(len(matches), len(tables))
    return Bank(setting, matches)


def _table(setting: Setting, table: tuple[int, ...]) -> list[Games]:
    return [_match(setting, table, deal) for deal in range(setting.deals_at(table))]


def _match(setting: Setting, table: tuple[int, ...], deal: int) -> Games:
    game = game_named(setting.game)
    rules = game.resolve(ruleset(game.info, setting.ruleset, dict(setting.options)), setting.seats)
    circle = list(table)
    random.Random(f"{table}/{deal}").shuffle(circle)
    games = []
    for rotation, seated in enumerate(seatings(tuple(circle), setting.rotations)):
        ranks = _game(game, rules, seated, f"{table}/{deal}", rotation)
        games.append([ranks[seated.index(level)] for level in table])
    return games


def _game(game: AnyGame, rules: Ruleset, seated: Sequence[int], deal: str, rotation: int) -> tuple[int, ...]:
    """Play one game; return the ranks by seat."""
    state, events = game.deal(len(seated), rules, Chance(deal.encode()))
    log: list[Event] = list(events)
    rng = random.Random(f"{deal}/{rotation}")
    choose = _bot(game.info.name)
    knows = [_told(game, rules, state, seat, len(seated), rng) for seat in range(len(seated))]
    heard = [0] * len(seated)
    while not isinstance(turn := game.turn(state), Outcome):
        moves = {}
        for decision in turn:
            seat = decision.seat
            if decision.forced and decision.legal is not None:
                moves[seat] = decision.legal[0]
            elif rng.random() < seated[seat] / LEVELS:
                moves[seat] = game.sample_move(state, seat, rng)
            else:
                new = [event.seen_by(seat) for event in log[heard[seat] :]]
                heard[seat] = len(log)
                knows[seat].events += new
                ask = {"kind": decision.kind, "view": game.view(state, seat), "events": new}
                if decision.legal is None:
                    ask["example"] = game.format_move(game.sample_move(state, seat, rng))
                else:
                    ask["legal"] = [game.format_move(move) for move in decision.legal]
                moves[seat] = game.parse_move(state, seat, choose(ask, knows[seat]))
        state, more = game.apply(state, moves)
        log.extend(more)
    return ranks_with_faults(turn.scores, {})


def _told(game: AnyGame, rules: Ruleset, state: Any, seat: int, seats: int, rng: random.Random) -> kit.Game:
    return kit.Game(
        {
            "game": game.info.name,
            "ruleset": rules.name,
            "options": dict(rules.options),
            "seat": seat,
            "seats": seats,
            "private": game.private(state, seat),
            "clock": {"move_ms": DEFAULT_CLOCK.move_ms},
            "limits": {"line_bytes": DEFAULT_LIMITS.line_bytes},
            "bot_seed": rng.getrandbits(53),
        }
    )


@cache
def _bot(game: str) -> Choose:
    """Load the greedy bot of a game into this process; return the function that it passes to the kit."""
    given: list[Choose] = []
    stand_in = types.ModuleType("arena_kit")
    stand_in.__dict__.update(Bot=kit.Bot, run=given.append)
    path = ROOT / "bots" / game.replace("-", "_") / "greedy" / "bot.py"
    spec = importlib.util.spec_from_file_location("greedy", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    sys.modules["arena_kit"] = stand_in
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return given[0]
