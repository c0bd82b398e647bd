"""Matches between noise levels of one bot, played once and drawn from many times.

Level k makes k / 10 of its moves at random, and the others like the bot itself. So the order of the levels is known in
advance, and their strengths range from nearly equal to far apart.
"""

import json
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from arena.core.game import AnyGame, ranks_with_faults
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset, ruleset
from arena.registry import game as game_named
from benchmarks.in_process import Player, play

LEVELS = 10

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
    rotations: Rotations
    """How a match rotates its deal."""

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """All tables of the levels."""
        return list(combinations(range(LEVELS), self.seats))

    def deals_at(self, table: tuple[int, ...]) -> int:
        """Return how many matches are played at a table."""
        return self.near_deals if max(table) - min(table) <= len(table) else self.deals

    @property
    def words(self) -> str:
        """The setting as a heading."""
        options = "".join(f"+{name}={value}" for name, value in self.options)
        return f"{self.game} {self.ruleset}{options}, {self.seats} seats, rotations {self.rotations}"


SETTINGS = {
    "bread-basket": Setting("bread-basket", "tens", (), 4, 16, 120, "cyclic"),
    "bread-and-chocolate": Setting("bread-and-chocolate", "shram", (), 4, 16, 150, "cyclic"),
    "sandwich": Setting("sandwich", "en", (), 3, 8, 60, "mirror"),
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
    greedy = f"{game.info.name.replace('-', '_')}/greedy"
    players = [Player(greedy, level / LEVELS) for level in seated]
    outcome = play(game, rules, players, deal, random.Random(f"{deal}/{rotation}"))
    return ranks_with_faults(outcome.scores, {})
