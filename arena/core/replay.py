"""Replay bodies: what a game was, as JSON that can be read and checked without a bot.

A body holds the deal (chance by stream), the moves, the events, the faults and
the result. `check` plays it through the rules again and compares everything.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from arena.core.chance import Chance
from arena.core.errors import ArenaError, CorruptReplay
from arena.core.game import JSON, AnyGame, Event, Outcome, ranks_with_faults
from arena.core.ruleset import with_options

FORMAT = 1
"""Version of the body's form."""

Body = Mapping[str, Any]


def canonical(body: Body) -> bytes:
    """Return the body as canonical JSON: sorted keys, no spaces, UTF-8."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def fingerprint(canonical_body: bytes) -> str:
    """Return the SHA-256 of a canonical body, in hexadecimal."""
    return sha256(canonical_body).hexdigest()


def event_json(event: Event) -> dict[str, JSON]:
    """Return an event as it stands in a body: the public form and what single seats see more."""
    record: dict[str, JSON] = {"kind": event.kind, "data": dict(event.data)}
    if event.private:
        record["private"] = {str(seat): dict(more) for seat, more in sorted(event.private.items())}
    return record


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of a replay: the moves made at once, and what happened."""

    state: Any
    """Before the moves."""
    moves: tuple[Mapping[str, JSON], ...]
    """As in the body: seat, move, by, note."""
    events: tuple[Event, ...]
    """Forfeits first."""
    after: Any
    """The state after the moves."""


def steps(game: AnyGame, body: Body) -> Iterator[Step]:
    """Play a body through the rules, turn by turn; the first step is the deal, without moves.

    Raises CorruptReplay where a move is missing, illegal, or of a seat that has no decision.
    """
    try:
        yield from _steps(game, body)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise CorruptReplay(f"the replay's body is not well formed: {error!r}") from error


def _steps(game: AnyGame, body: Body) -> Iterator[Step]:
    seats = int(body["seats"])
    options = {
        option.name: option.check(_plain(body["options"][option.name])) for option in game.info.options
    }
    rules = game.resolve(with_options(game.info, options), seats)
    state, events = game.deal(seats, rules, Chance(record=body["chance"]))
    moves = list(body["moves"])
    faults = list(body["faults"])
    yield Step(state, (), events, state)
    made = 0
    while True:
        forfeits = tuple(_forfeit(fault) for fault in faults if fault["at_decision"] == made)
        turn = game.turn(state)
        if isinstance(turn, Outcome) or made == len(moves):
            if forfeits:
                yield Step(state, (), forfeits, state)
            return
        now = moves[made : made + len(turn)]
        if [move["seat"] for move in now] != [decision.seat for decision in turn]:
            raise CorruptReplay(f"move {made}: the seats that move are not those whose turn it is")
        try:
            parsed = {move["seat"]: game.parse_move(state, move["seat"], move["move"]) for move in now}
            after, events = game.apply(state, parsed)
        except ArenaError as error:
            raise CorruptReplay(f"move {made}: {error}") from error
        yield Step(state, tuple(now), forfeits + events, after)
        state = after
        made += len(now)


def _forfeit(fault: Mapping[str, JSON]) -> Event:
    return Event("forfeit", {"seat": fault["seat"], "verdict": fault["verdict"]})


def _plain(value: JSON) -> JSON:
    return tuple(value) if isinstance(value, list) else value


def check(game: AnyGame, body: Body) -> None:
    """Play a body through the rules and compare every event and score. Raises CorruptReplay at a difference."""
    if body.get("format") != FORMAT:
        raise CorruptReplay(f"replay format {body.get('format')!r} is not {FORMAT}")
    if body.get("game") != game.info.name or body.get("rules_version") != game.info.version:
        raise CorruptReplay(
            f"the replay is of {body.get('game')} rules {body.get('rules_version')}, "
            f"not of {game.info.name} rules {game.info.version}"
        )
    played = list(steps(game, body))
    found = [event_json(event) for step in played for event in step.events]
    given = list(body["events"])
    for number, (expected, event) in enumerate(zip(found, given, strict=False)):
        if json.loads(json.dumps(expected)) != event:
            raise CorruptReplay(f"event {number} is {event}, but by the rules {expected}")
    if len(found) != len(given):
        raise CorruptReplay(f"the replay has {len(given)} events, by the rules {len(found)}")
    state = played[-1].after
    turn = game.turn(state)
    scores = turn.scores if isinstance(turn, Outcome) else game.scores(state)
    faults = {fault["seat"]: fault["at_decision"] for fault in body["faults"]}
    if not isinstance(turn, Outcome) and len(faults) < body["seats"] - 1:
        raise CorruptReplay("the replay ends before the game does")
    for name, right in (("scores", scores), ("ranks", ranks_with_faults(scores, faults))):
        if list(right) != list(body[name]):
            raise CorruptReplay(f"the {name} are {body[name]}, but by the rules {list(right)}")
