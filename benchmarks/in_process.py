"""Plays games between reference bots in this process by the rules alone: no referee, no clock, no pipes.

Python bots with the kit are loaded as they are. A JavaScript bot keeps its process, and sees nothing but its questions.
"""

import importlib
import json
import random
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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
    made = seated.choose or loaded(seated.bot)
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
def loaded(bot: str) -> Any:
    """Load a bot into this process; return what it passes to the kit: a class, or a function (ask, game) → move."""
    folder = BOTS / bot
    if (folder / "bot.js").exists():
        return _piped(folder)
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


def _piped(folder: Path) -> Callable[[Ask, kit.Game], Any]:
    """Return what asks the process of a JavaScript bot that remembers nothing from one question to the next."""
    process = subprocess.Popen(
        ["node", "bot.js"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if process.stdin is None or process.stdout is None:
        raise AssertionError("pipes were asked for")
    to_bot, from_bot = process.stdin, process.stdout

    def choose(ask: Ask, _: kit.Game) -> Any:
        to_bot.write(json.dumps({"type": "ask", "id": 0, **ask}) + "\n")
        to_bot.flush()
        return json.loads(from_bot.readline())["move"]

    return choose
