"""Games between the bots of a field, played when a league first needs them and kept in files."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.core.game import ranks_with_faults
from arena.core.ruleset import Rotations, ruleset
from arena.core.seatings import seatings
from arena.registry import game as game_named
from benchmarks.in_process import play, think
from benchmarks.noise.fields import Field

Seating = tuple[int, ...]
"""The player at each seat, by place in the field."""
Deal = tuple[Seating, int]
"""The players of a table in ascending order, and the number of the deal at this table."""


class Bank:
    """The games of one part of the leagues. Each follows from the field, the part, the deal and the seating."""

    def __init__(self, name: str, field: Field, part: int, folder: Path) -> None:
        self._name, self._field, self._part = name, field, part
        self._file = folder / f"{name}-{part}.jsonl"
        self._games: dict[tuple[Deal, Seating], list[int]] = {}
        self._game = game_named(field.game)
        self._rules = self._game.resolve(ruleset(self._game.info, field.ruleset, {}), field.seats)
        self._players = list(field.players.values())
        for bot, name_there, number in field.thinking:
            think(bot, name_there, number)
        if self._file.exists():
            for line in self._file.read_text().splitlines():
                table, number, seating, scores = json.loads(line)
                self._games[(tuple(table), number), tuple(seating)] = scores

    def match(
        self, deal: Deal, rotations: Rotations
    ) -> Iterator[tuple[Seating, Sequence[int], Sequence[int]]]:
        """Yield the games of a match: seating, ranks and scores by seat. Bots always begin in the same base order."""
        base = tuple(random.Random(f"{self._name}/{self._part}/{deal}").sample(deal[0], len(deal[0])))
        for seating in seatings(base, rotations):
            scores = self._games.get((deal, seating)) or self._play(deal, seating)
            yield seating, ranks_with_faults(scores, {}), scores

    def all_games(self) -> Iterator[tuple[Deal, Seating, Sequence[int], Sequence[int]]]:
        """Yield deal, seating, ranks and scores of all games that have been played."""
        for (deal, seating), scores in self._games.items():
            yield deal, seating, ranks_with_faults(scores, {}), scores

    def _play(self, deal: Deal, seating: Seating) -> list[int]:
        seed = f"{self._name}/{self._part}/{deal}"
        players = [self._players[one] for one in seating]
        outcome = play(self._game, self._rules, players, seed, random.Random(f"{seed}/{seating}"))
        scores = self._games[deal, seating] = list(outcome.scores)
        with self._file.open("a") as file:
            file.write(json.dumps([*deal, seating, scores], separators=(",", ":")) + "\n")
        return scores
