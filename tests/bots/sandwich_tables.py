"""Sandwich bots against the engine within this process, without a referee, and matches between two of them."""

import random
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any

from arena.core.chance import Chance
from arena.core.game import Event, Outcome
from arena.core.ruleset import ruleset
from arena.games.sandwich import GAME
from tests.bots.simulation import KitSeat, Seat
from tests.protocol.scripted_arena import START

BOTS = Path(__file__).parents[2] / "bots" / "sandwich"


def play(
    seats: Sequence[Seat],
    seed: int,
    rules: str = "en",
    options: Mapping[str, object] | None = None,
    watch: Callable[[Any, int, Any], None] | None = None,
) -> tuple[Outcome, list[tuple[int, Any]]]:
    """Play one game; return its outcome and the moves (seat, move as JSON).

    `watch` is called with the state, the seat and the move after each answer.
    """
    resolved = GAME.resolve(ruleset(GAME.info, rules, options), len(seats))
    state, events = GAME.deal(len(seats), resolved, Chance(seed=b"%d" % seed))
    examples = random.Random(seed)
    log: list[Event] = list(events)
    told = [0] * len(seats)
    made: list[tuple[int, Any]] = []
    for seat, player in enumerate(seats):
        start = {"game": "sandwich", "ruleset": resolved.name, "options": dict(resolved.options)}
        own = {"seat": seat, "seats": len(seats), "private": GAME.private(state, seat)}
        player.start({**START, **start, **own, "bot_seed": seed * 16 + seat})
    while not isinstance(turn := GAME.turn(state), Outcome):
        moves = {}
        for decision in turn:
            seat = decision.seat
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
                ask["legal"] = [GAME.format_move(move) for move in decision.legal]
            raw = seats[seat].ask(ask)
            told[seat] = len(log)
            if watch is not None:
                watch(state, seat, raw)
            made.append((seat, raw))
            moves[seat] = GAME.parse_move(state, seat, raw)
        state, events = GAME.apply(state, moves)
        log.extend(events)
    for player in seats:
        player.end()
    return turn, made


class Meeting:
    """Matches between two bots: every deal with the bots' seats exchanged, so that neither sits better.

    With an even number of seats they sit in turn, with an odd one the first sits alone among copies of the
    second, at every seat in turn.
    """

    def __init__(
        self, first: Any, second: Any, seats: int, rules: str, options: Mapping[str, object] | None = None
    ) -> None:
        self.made = [[KitSeat(bot) for _ in range(seats)] for bot in (first, second)]
        self.seats = seats
        self.rules = rules
        self.options = options
        self.leads: list[float] = []
        """For each match, by how many points a game the first bot's seats were ahead of the second's."""

    def __str__(self) -> str:
        low, high = self.interval
        lead, error = self.lead
        return (
            f"{self.rules}, {self.seats} seats, {len(self.leads)} matches: {self.won:.1%} won "
            f"({low:.1%} to {high:.1%}), {lead:+.2f} ± {error:.2f} points a game"
        )

    def seatings(self) -> list[list[int]]:
        if self.seats % 2 == 0:
            return [[(seat + side) % 2 for seat in range(self.seats)] for side in (0, 1)]
        return [[int(seat != alone) for seat in range(self.seats)] for alone in range(self.seats)]

    def play(self, matches: int, first_deal: int = 0) -> None:
        for deal in range(first_deal, first_deal + matches):
            leads = []
            for who in self.seatings():
                players = [self.made[bot][seat] for seat, bot in enumerate(who)]
                scores = play(players, deal, self.rules, self.options)[0].scores
                points: list[list[int]] = [[], []]
                for bot, score in zip(who, scores, strict=True):
                    points[bot].append(score)
                leads.append(fmean(points[0]) - fmean(points[1]))
            self.leads.append(fmean(leads))

    @property
    def won(self) -> float:
        """The share of matches that the first bot won, ties half."""
        return fmean([0.5 if abs(lead) < 1e-9 else float(lead > 0) for lead in self.leads])

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of matches won (Wilson's)."""
        z, n = NormalDist().inv_cdf(0.975), len(self.leads)
        middle = (self.won + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(self.won * (1 - self.won) / n + z * z / (4 * n * n))
        return middle - half, middle + half

    @property
    def lead(self) -> tuple[float, float]:
        """The mean lead in points a game, and its standard error."""
        return fmean(self.leads), stdev(self.leads) / sqrt(len(self.leads))
