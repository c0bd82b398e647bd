"""What a bot of the kit is asked in a game that is played at random, without a process."""

import json
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

from arena.core.chance import Chance, Stream
from arena.core.game import AnyGame, Outcome, Recorder, play_chance
from arena.core.replay import ruleset_named
from arena.core.ruleset import Ruleset


def short(game: AnyGame, name: str, seats: int) -> Ruleset:
    """Return a ruleset with few hands or rounds."""
    few = {"sandwich": "rounds"}.get(game.info.name, "hands")
    has = any(option.name == few for option in game.info.options)
    return game.resolve(ruleset_named(game, f"{name}+{few}=2" if has else name), seats)


def asks(
    game: AnyGame, name: str, seats: int, seat: int, seed: int
) -> Iterator[tuple[Any, SimpleNamespace, Any]]:
    """Play a game at random; yield for each decision of a seat the ask, the kit's `game`, and the true state."""
    rules, rng = short(game, name, seats), Stream(b"%d" % seed, "moves")
    chance = Chance(b"%d" % seed)
    draws = Recorder(chance)
    state, dealt = game.deal(seats, rules, chance)
    state, drawn = play_chance(game, state, draws)
    kit = SimpleNamespace(
        game=game.info.name,
        options=json.loads(json.dumps(dict(rules.options))),
        seat=seat,
        seats=seats,
        private=game.private(state, seat),
        rng=Random(seed),
        events=[event.seen_by(seat) for event in (*dealt, *drawn)],
    )
    while not isinstance(turn := game.turn(state), Outcome):
        for decision in turn:
            if decision.seat == seat:
                legal = decision.legal
                listed = None if legal is None else [game.format_move(move) for move in legal]
                yield {"view": game.view(state, seat), "kind": decision.kind, "legal": listed}, kit, state
        state, told = game.apply(state, {one.seat: game.sample_move(state, one.seat, rng) for one in turn})
        state, drawn = play_chance(game, state, draws)
        kit.events += [event.seen_by(seat) for event in (*told, *drawn)]
