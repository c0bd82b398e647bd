"""Bread and Chocolate bots against the engine within this process, without a referee."""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from arena.core.chance import Chance
from arena.core.game import Event, Outcome
from arena.core.ruleset import ruleset
from arena.games.bread_and_chocolate import GAME
from tests.bots.sandwich_tables import Meeting
from tests.bots.simulation import Seat
from tests.protocol.scripted_arena import START

BOTS = Path(__file__).parents[2] / "bots" / "bread_and_chocolate"


def play(
    seats: Sequence[Seat],
    seed: int,
    rules: str = "pagat",
    options: Mapping[str, object] | None = None,
    watch: Callable[[Any, dict[str, Any], Any], None] | None = None,
) -> tuple[Outcome, list[tuple[int, Any]]]:
    """Play one game; return its outcome and the moves (seat, move as JSON) that were asked for.

    `watch` is called with the state, the ask and the answer.
    """
    resolved = GAME.resolve(ruleset(GAME.info, rules, options), len(seats))
    state, events = GAME.deal(len(seats), resolved, Chance(seed=b"%d" % seed))
    examples = random.Random(seed)
    log: list[Event] = list(events)
    told = [0] * len(seats)
    made: list[tuple[int, Any]] = []
    for seat, player in enumerate(seats):
        start = {"game": "bread-and-chocolate", "ruleset": resolved.name, "options": dict(resolved.options)}
        own = {"seat": seat, "seats": len(seats), "private": {}}
        player.start({**START, **start, **own, "bot_seed": seed * 16 + seat})
    while not isinstance(turn := GAME.turn(state), Outcome):
        (decision,) = turn
        seat = decision.seat
        if decision.forced and decision.legal:
            move = decision.legal[0]
        else:
            ask = {
                "type": "ask",
                "id": len(made) + 1,
                "kind": decision.kind,
                "view": GAME.view(state, seat),
                "events": [event.seen_by(seat) for event in log[told[seat] :]],
                "time": {"move_ms": 1000, "bank_ms": 10000},
            }
            if decision.legal is None:
                ask["example"] = GAME.format_move(GAME.sample_move(state, seat, examples))
            else:
                ask["legal"] = [GAME.format_move(one) for one in decision.legal]
            raw = seats[seat].ask(ask)
            told[seat] = len(log)
            if watch is not None:
                watch(state, ask, raw)
            made.append((seat, raw))
            move = GAME.parse_move(state, seat, raw)
        state, events = GAME.apply(state, {seat: move})
        log.extend(events)
    for player in seats:
        player.end()
    return turn, made


class Contest(Meeting):
    """Matches of Bread and Chocolate between two bots, the first one alone at each seat in turn."""

    def seatings(self) -> list[list[int]]:
        """Return which bot sits where in each game of a match: 0 alone among copies of 1."""
        return [[int(seat != alone) for seat in range(self.seats)] for alone in range(self.seats)]

    def play(self, matches: int, first_deal: int = 0) -> None:
        """Play matches and note for each by how much the first bot is ahead."""
        for deal in range(first_deal, first_deal + matches):
            leads = []
            for who in self.seatings():
                players = [self.made[bot][seat] for seat, bot in enumerate(who)]
                scores = play(players, deal, self.rules, self.options)[0].scores
                alone = who.index(0)
                leads.append(scores[alone] - fmean([*scores[:alone], *scores[alone + 1 :]]))
            self.leads.append(fmean(leads))
