"""Plays games between reference bots in this process by the rules alone: no referee, no clock, no pipes.

Python bots with the kit are loaded as they are. Bots in other languages have a process for each seat.
"""

import importlib
import json
import random
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import arena.engine
from arena.core.chance import Chance
from arena.core.game import AnyGame, Event, Outcome
from arena.core.ruleset import Ruleset
from protocol import kit
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS

BOTS = Path(__file__).parents[1] / "bots"

Ask = dict[str, Any]

NO_HURRY = {"move_ms": 3_600_000, "bank_ms": 0}
"""What bots are told about their time: they never stop early, so what they do follows from the seeds alone."""


@dataclass(frozen=True)
class Player:
    """A reference bot that makes some of its moves at random."""

    bot: str
    """Its folder in `bots`: `bread_basket/greedy`."""
    noise: float = 0.0
    """The part of its moves that is random, 0 to 1."""
    choose: "Callable[[Ask, kit.Game], Any] | None" = None
    """What chooses its moves, if it has no folder."""
    arguments: tuple[str, ...] = ()
    """Of a bot that isn't in Python."""


def play(game: AnyGame, rules: Ruleset, players: Sequence[Player], deal: str, rng: random.Random) -> Outcome:
    """Play one game with these players at the seats; `deal` fixes the cards, `rng` all else. Rules are resolved."""
    state, events = game.deal(len(players), rules, Chance(deal.encode()))
    log: list[Event] = list(events)
    choosers = [
        _seated(player, _told(game, rules, state, seat, len(players), rng))
        for seat, player in enumerate(players)
    ]
    heard = [0] * len(players)
    while not isinstance(turn := game.turn(state), Outcome):
        moves = {}
        for decision in turn:
            seat = decision.seat
            if decision.forced and decision.legal is not None:
                moves[seat] = decision.legal[0]
            elif rng.random() < players[seat].noise:
                moves[seat] = game.sample_move(state, seat, rng)
            else:
                new = [event.seen_by(seat) for event in log[heard[seat] :]]
                heard[seat] = len(log)
                ask = {"kind": decision.kind, "view": game.view(state, seat), "events": new, "time": NO_HURRY}
                if decision.legal is None:
                    ask["example"] = game.format_move(game.sample_move(state, seat, rng))
                else:
                    ask["legal"] = [game.format_move(move) for move in decision.legal]
                moves[seat] = game.parse_move(state, seat, choosers[seat](ask))
        state, more = game.apply(state, moves)
        log.extend(more)
    return turn


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


def _seated(seated: Player, game: kit.Game) -> Callable[[Ask], Any]:
    """Return what answers the questions of one game."""
    made = seated.choose or loaded(seated.bot, *seated.arguments)
    player = made() if isinstance(made, type) else None
    if player is not None:
        player.game = game
        player.start(game)

    def answer(ask: Ask) -> Any:
        for event in ask["events"]:
            game.events.append(event)
            if player is not None:
                player.event(event)
        move = made(ask, game) if player is None else player.move(ask)
        return move[0] if isinstance(move, tuple) else move

    return answer


def think(bot: str, name: str, number: int) -> None:
    """Set a number of a Python bot from now on, such as how many playouts it makes: a name at the top of a module."""
    loaded(bot)
    holders = [module for module in _MODULES[bot] if hasattr(module, name)]
    if not holders:
        raise AttributeError(f"{bot} has no {name}")
    for module in holders:
        setattr(module, name, number)


_MODULES: dict[str, list[types.ModuleType]] = {}
"""By bot: its modules."""


@cache
def loaded(bot: str, *arguments: str) -> Any:
    """Load a bot into this process; return what it passes to the kit: a class, or a function (ask, game) → move."""
    folder = BOTS / bot
    if not (folder / "bot.py").exists():
        return _piped(folder, arguments)
    given: list[Any] = []
    stand_in = types.ModuleType("arena_kit")
    stand_in.__dict__.update(Bot=kit.Bot, run=given.append)
    names, path = {file.stem for file in folder.glob("*.py")} | {"arena_kit"}, list(sys.path)
    sys.modules["arena_kit"] = stand_in
    sys.modules["arena_engine"] = arena.engine
    sys.path.insert(0, str(folder))
    try:
        importlib.import_module("bot")
    finally:
        sys.path[:] = path
        # The next bot has modules of the same names.
        _MODULES[bot] = [sys.modules.pop(name) for name in sorted(names) if name in sys.modules]
    return given[0]


_BUILT: list[TemporaryDirectory[str]] = []
"""Folders of bots that were built; they go with this process."""


def _piped(folder: Path, arguments: Sequence[str]) -> type[kit.Bot]:
    """Return what plays by the process of a bot; it is built if need be, and plays one seat at a time."""
    manifest = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    _BUILT.append(TemporaryDirectory(prefix="arena-in-process-"))
    place = copytree(folder, _BUILT[-1].name, dirs_exist_ok=True)
    if "build" in manifest:
        subprocess.run(manifest["build"], cwd=place, check=True)

    class Piped(kit.Bot):
        """One seat of one game, which has a process of its own."""

        def start(self, game: kit.Game) -> None:
            self.process = subprocess.Popen(
                [*manifest["command"], *arguments],
                cwd=place,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            told = {
                name: getattr(game, name)
                for name in ("game", "ruleset", "options", "seat", "seats", "private")
            }
            limits = {"clock": game.clock, "limits": game.limits, "bot_seed": game.rng.getrandbits(53)}
            self.exchange({"type": "hello", "protocols": [1]})
            self.exchange({"type": "start", **told, **limits})

        def exchange(self, message: Ask) -> Any:
            if self.process.stdin is None or self.process.stdout is None:
                raise AssertionError("pipes were asked for")
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

        def move(self, ask: Ask) -> Any:
            return self.exchange({"type": "ask", "id": 0, **ask})["move"]

        def __del__(self) -> None:
            self.process.communicate()

    return Piped
