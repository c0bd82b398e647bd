"""Random games of each ruleset, written out in full and kept, so that any change of play shows as a difference.

After an intended change of the rules, increase the game's version and rewrite the files in the same commit:
    python -m arena_conformance --game NAME --playthroughs FOLDER --update
"""

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from arena.core.game import Event
from arena_conformance.random_games import GameSetup, Played, decision_json, played


def text(value: Any) -> str:
    return json.dumps(value, separators=(", ", ":"), ensure_ascii=False)


def event_lines(table: GameSetup, events: tuple[Event, ...]) -> Iterator[str]:
    """Yield an event as spectators see it, as seats that see more see it, and as a sentence."""
    for event in events:
        yield f"event {text(event.seen_by(None))}"
        for seat in sorted(event.private):
            yield f"  to {seat} {text(dict(event.private[seat]))}"
        yield f"  # {table.game.describe(event.seen_by(None))}"


def lines(original: Played) -> Iterator[str]:
    """Yield the lines of a playthrough."""
    table, game = original.table, original.table.game
    yield f"game {game.info.name}, version {game.info.version}"
    yield f"ruleset {table.ruleset_name} {table.rules.key}"
    yield f"seats {table.seats}"
    yield f"seed {table.seed(0).decode()}"
    for name, drawn in original.chance.items():
        yield f"draw {name} {text(drawn)}"
    for seat in range(table.seats):
        yield f"private {seat} {text(game.private(original.start, seat))}"
    yield from event_lines(table, original.dealt)
    for number, step in enumerate(original.steps):
        yield ""
        yield f"turn {number}"
        yield f"table {text(game.view(step.state, None))}"
        yield from (f"  | {row}".rstrip() for row in game.draw(game.view(step.state, None), 76).split("\n"))
        for decision in step.turn:
            yield f"view {decision.seat} {text(game.view(step.state, decision.seat))}"
            yield f"decision {text(decision_json(game, decision))}"
        for seat, move in step.moves.items():
            yield f"move {seat} {text(game.format_move(move))}"
        yield from event_lines(table, step.events)
    yield ""
    yield f"scores {text(original.outcome.scores)}"
    yield f"ranks {text(original.outcome.ranks)}"


def test_the_game_is_played_as_it_was(table: GameSetup, path: Path, update: bool) -> None:
    found = list(lines(played(table)))
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: write it with --update, and read what it says"
    given = path.read_text(encoding="utf-8").splitlines()
    for number, (now, then) in enumerate(zip_longest(found, given), start=1):
        assert now == then, f"{path.name}, line {number}"
