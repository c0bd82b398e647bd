"""Test vectors: random games as plain data, for those who write the rules of a game in another language.

They say all that the rules say: what chance drew, what each seat sees, which moves are legal, what follows from the
moves made, and the result. A program that plays the same moves has to come to the same lines.
"""

from collections.abc import Iterator

from arena.core.chance import Chance, Stream
from arena.core.foresight import foresight
from arena.core.game import JSON, AnyGame, Outcome, Recorder, capped, play_chance, refuse_endless
from arena.core.move_parsing import maker_of
from arena.core.replay import event_json
from arena.core.ruleset import Ruleset

FORMAT = 1
"""Version of the lines' format."""


def vectors(game: AnyGame, ruleset: Ruleset, seats: int, seed: str, number: int) -> Iterator[dict[str, JSON]]:
    """Yield the lines of a random game: its deal, each of its turns, its end. The same arguments give the same lines.

    `ruleset` is resolved for the number of seats; `number` tells games of one seed apart. A seat's move is its policy's
    or any legal one, both equally often. Raises EndlessGame if the game doesn't end.
    """
    source = f"vectors/{game.info.name}/{ruleset.name}/{seats}/{number}/{seed}".encode()
    chance, rng = Chance(source), Stream(source, "moves")
    draw, make, policy = Recorder(chance), maker_of(game), foresight(game).policy
    state, events = game.deal(seats, ruleset, chance)
    state, drawn = play_chance(game, state, draw)
    yield {
        "type": "deal",
        "format": FORMAT,
        "game": game.info.name,
        "rules_version": game.info.version,
        "ruleset": ruleset.name,
        "options": dict(ruleset.options),
        "seats": seats,
        "number": number,
        "chance": {stream: list(values) for stream, values in chance.record.items()},
        "private": [game.private(state, seat) for seat in range(seats)],
        "events": [event_json(event) for event in (*events, *drawn)],
    }
    made, cap = 0, None
    while not isinstance(turn := game.turn(state), Outcome) and (cap := capped(game.info, made)) is None:
        refuse_endless(game.info, made)
        choose = [policy if rng.randrange(2) else game.sample_move for _ in turn]
        moves = {one.seat: pick(state, one.seat, rng) for one, pick in zip(turn, choose, strict=True)}
        asks = [
            {
                "seat": one.seat,
                "kind": one.kind,
                "view": game.view(state, one.seat),
                "legal": None if one.legal is None else [game.format_move(move) for move in one.legal],
            }
            for one in turn
        ]
        before = set(chance.record)
        state, events = make(state, moves)
        state, drawn = play_chance(game, state, draw)
        yield {
            "type": "turn",
            "decision": made,
            "asks": asks,
            "moves": [{"seat": seat, "move": game.format_move(move)} for seat, move in moves.items()],
            "chance": {
                stream: list(values) for stream, values in chance.record.items() if stream not in before
            },
            "events": [event_json(event) for event in (*events, *drawn)],
            "scores": list(game.scores(state)),
        }
        made += len(moves)
    outcome = turn if isinstance(turn, Outcome) else Outcome(game.scores(state))
    yield {
        "type": "end",
        "decision": made,
        "view": game.view(state, None),
        "events": [] if cap is None else [event_json(cap)],
        "scores": list(outcome.scores),
        "ranks": list(outcome.ranks),
    }
