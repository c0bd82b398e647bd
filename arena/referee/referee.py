"""Plays one game: asks, judges, records. A bot's fault becomes a verdict, never an exception."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET, structs

from arena.core.chance import Chance
from arena.core.errors import IllegalMove
from arena.core.game import AnyGame, Decision, Outcome, ranks_with_faults
from arena.core.ticket import Ticket
from arena.players.base import Fault, Player, PlayerLog, Reply
from arena.players.bot import ask_all
from arena.players.house import House
from arena.referee.clock import SeatClock
from arena.referee.forfeits import Forfeit, Forfeits
from arena.referee.transcript import Entrant, SeatTimes, Transcript, pack
from protocol.limits import DEFAULT_CLOCK, DEFAULT_LIMITS
from protocol.messages import Ask, Clock, End, Limits, Start
from protocol.verdicts import Verdict
from results.records import GameRecord, LogRecord, SeatRecord


@dataclass(frozen=True, slots=True)
class Referee:
    """Plays games under one clock and one set of limits."""

    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    worker: str = "local"
    """Named in the record."""
    sandbox: str = "none"
    """The level of isolation the bots run at; named in the record."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic_ns: Callable[[], int] = time.monotonic_ns

    def play(
        self, game: AnyGame, players: Sequence[Player], entrants: Sequence[Entrant], ticket: Ticket
    ) -> GameRecord:
        """Play one game to its end and return its record.

        `players` and `entrants` are by seat. Raises whatever the game or the machine raises: that is a fault of the
        platform, and the caller's to record.
        """
        return _Playing(self, game, players, entrants, ticket).play()


class _Playing:
    """One game in play."""

    def __init__(
        self,
        referee: Referee,
        game: AnyGame,
        players: Sequence[Player],
        entrants: Sequence[Entrant],
        ticket: Ticket,
    ) -> None:
        self.referee = referee
        self.game = game
        self.players = players
        self.entrants = entrants
        self.ticket = ticket
        self.seats = len(players)
        self.clocks = [SeatClock.of(referee.clock) for _ in players]
        self.times = [SeatTimes() for _ in players]
        self.logs: list[PlayerLog] = [PlayerLog() for _ in players]
        self.told = [0] * self.seats
        """How many events each seat has been told."""
        self.transcript = Transcript()
        self.forfeits = Forfeits(self.seats)
        self.houses: dict[int, House] = {}
        self.examples = [ticket.stream(f"example/{seat}") for seat in range(self.seats)]
        line_bytes = max(referee.limits.line_bytes, game.info.line_bytes)
        self.limits = structs.replace(referee.limits, line_bytes=line_bytes)

    def play(self) -> GameRecord:
        begun_ns = self.referee.monotonic_ns()
        chance = Chance(seed=self.ticket.match_seed)
        state, events = self.game.deal(self.seats, self.ticket.ruleset, chance)
        self.transcript.events.extend(events)
        self._start_all(state)
        scores = self._play_on(state)
        ranks = ranks_with_faults(scores, self.forfeits.at_decision)
        self._end_all(scores, ranks)
        wall_ns = self.referee.monotonic_ns() - begun_ns
        body = self.transcript.body(
            self.game, self.ticket.ruleset, self.entrants, chance.record, scores, ranks
        )
        print_, packed = pack(body)
        return GameRecord(
            league=self.ticket.league,
            match_no=self.ticket.match_no,
            rotation=self.ticket.rotation,
            fingerprint=print_,
            body=packed,
            timing=self.transcript.timing(),
            decisions=len(self.transcript.moves),
            wall_ns=wall_ns,
            sandbox=self.referee.sandbox,
            worker=self.referee.worker,
            finished_at=self.referee.now().isoformat(timespec="milliseconds"),
            seats=tuple(self._seat_record(seat, scores, ranks) for seat in range(self.seats)),
            logs=tuple(
                LogRecord(seat, log.head, log.tail, log.dropped_bytes)
                for seat, log in enumerate(self.logs)
                if log.head
            ),
        )

    def _start_all(self, state: Any) -> None:
        for seat, player in enumerate(self.players):
            fault = player.start(
                Start(
                    game=self.game.info.name,
                    ruleset=self.ticket.ruleset.name,
                    options=dict(self.ticket.ruleset.options),
                    seat=seat,
                    seats=self.seats,
                    bot_seed=self.ticket.bot_seed(seat),
                    clock=self.referee.clock,
                    limits=self.limits,
                    private=self.game.private(state, seat),
                ),
                self.referee.clock.ready_ms,
            )
            if fault is not None:
                self._forfeit(seat, fault)

    def _play_on(self, state: Any) -> tuple[int, ...]:
        """Play turn after turn; return the final scores."""
        game, transcript = self.game, self.transcript
        while True:
            turn = game.turn(state)
            if isinstance(turn, Outcome):
                return turn.scores
            if self.forfeits.ends_game:
                return game.scores(state)
            moves = self._moves(state, turn)
            if moves is None:
                return game.scores(state)
            state, events = game.apply(state, {seat: move for seat, (move, _, _) in moves.items()})
            for seat, (move, by, note) in moves.items():
                transcript.move(seat, game.format_move(move), by, note)
            transcript.events.extend(events)

    def _moves(
        self, state: Any, turn: Sequence[Decision[Any]]
    ) -> dict[int, tuple[Any, str, str | None]] | None:
        """Return the move of each seat whose turn it is, and who made it; None when the game ends by forfeit."""
        asked = [
            decision
            for decision in turn
            if not decision.forced and decision.seat not in self.forfeits.by_seat
        ]
        answers = self._ask(state, asked) if asked else {}
        if self.forfeits.ends_game:
            return None
        moves: dict[int, tuple[Any, str, str | None]] = {}
        for decision in turn:
            seat = decision.seat
            if decision.forced and decision.legal is not None:
                moves[seat] = (decision.legal[0], "engine", None)
            elif seat in answers:
                moves[seat] = (answers[seat][0], "bot", answers[seat][1])
            else:
                moves[seat] = (self._house(seat).move(state), "house", None)
        return moves

    def _ask(self, state: Any, decisions: Sequence[Decision[Any]]) -> dict[int, tuple[Any, str | None]]:
        """Ask all at once; return the legal answers by seat. Whoever gave none has forfeited."""
        game, sharing = self.game, len(decisions)
        number = len(self.transcript.moves)
        replies = ask_all(
            [
                (
                    self.players[decision.seat],
                    self._question(state, decision),
                    self.clocks[decision.seat].limit_ns(sharing),
                )
                for decision in decisions
            ]
        )
        answers: dict[int, tuple[Any, str | None]] = {}
        for decision, reply in zip(decisions, replies, strict=True):
            seat = decision.seat
            if isinstance(reply, Fault):
                self.times[seat].decisions += 1
                self._forfeit(seat, self._with_time(seat, reply, sharing))
                continue
            self.times[seat].add(reply)
            self.transcript.decisions.append((number, seat, reply.wall_ns, reply.cpu_ns))
            if not self.clocks[seat].charge(reply.wall_ns, sharing):
                detail = self.clocks[seat].lateness(reply.wall_ns, sharing)
                self._forfeit(seat, Fault(Verdict.TIMEOUT, detail))
                continue
            try:
                answers[seat] = (game.parse_move(state, seat, reply.move), reply.note)
            except IllegalMove as error:
                self._forfeit(seat, Fault(Verdict.ILLEGAL, f"{decision.kind}: {error}"))
        return answers

    def _question(self, state: Any, decision: Decision[Any]) -> Ask:
        game, seat = self.game, decision.seat
        example = UNSET
        if decision.legal is None:
            example = game.format_move(game.sample_move(state, seat, self.examples[seat]))
        return Ask(
            id=self.players[seat].next_id(),
            kind=decision.kind,
            view=game.view(state, seat),
            events=self._untold(seat),
            time=self.clocks[seat].time,
            legal=UNSET if decision.legal is None else [game.format_move(move) for move in decision.legal],
            example=example,
        )

    def _untold(self, seat: int) -> list[dict[str, Any]]:
        """Return the events that a seat has not been told yet, as it sees them."""
        events = self.transcript.events
        untold = [event.seen_by(seat) for event in events[self.told[seat] :]]
        self.told[seat] = len(events)
        return untold

    def _with_time(self, seat: int, fault: Fault, sharing: int) -> Fault:
        """Return a fault with the clock's figures where it is one of time."""
        if fault.verdict is not Verdict.TIMEOUT:
            return fault
        clock = self.clocks[seat]
        limit_ms = clock.limit_ns(sharing) // 1_000_000
        return Fault(
            fault.verdict,
            f"time: {limit_ms} ms limit ({clock.clock.move_ms} ms for the move, {clock.time.bank_ms} ms in the bank, "
            f"{clock.clock.margin_ms} ms margin): {fault.detail}",
        )

    def _forfeit(self, seat: int, fault: Fault) -> None:
        forfeit = Forfeit(seat, fault, len(self.transcript.moves))
        self.forfeits.add(forfeit)
        self.transcript.events.append(forfeit.event)
        self.transcript.faults.append(
            {"seat": seat, "verdict": str(fault.verdict), "at_decision": forfeit.at_decision}
        )
        self.logs[seat] = self.players[seat].stop()

    def _house(self, seat: int) -> House:
        if seat not in self.houses:
            self.houses[seat] = House(self.game, seat, self.ticket.stream(f"house/{seat}"))
        return self.houses[seat]

    def _end_all(self, scores: tuple[int, ...], ranks: tuple[int, ...]) -> None:
        verdicts: list[str | None] = [None] * self.seats
        for seat, forfeit in self.forfeits.by_seat.items():
            verdicts[seat] = str(forfeit.fault.verdict)
        for seat, player in enumerate(self.players):
            if seat not in self.forfeits.by_seat:
                end = End(
                    ranks=list(ranks), scores=list(scores), verdicts=verdicts, events=self._untold(seat)
                )
                self.logs[seat] = player.end(end)

    def _seat_record(self, seat: int, scores: tuple[int, ...], ranks: tuple[int, ...]) -> SeatRecord:
        forfeit = self.forfeits.by_seat.get(seat)
        times = self.times[seat]
        return SeatRecord(
            seat=seat,
            entry_no=self.ticket.entries[seat],
            score=scores[seat],
            rank=ranks[seat],
            verdict=forfeit.fault.verdict if forfeit else None,
            detail=forfeit.fault.detail if forfeit else "",
            at_decision=forfeit.at_decision if forfeit else None,
            decisions=times.decisions,
            wall_ns=times.wall_ns,
            max_wall_ns=times.max_wall_ns,
            cpu_ns=times.cpu_ns,
        )

