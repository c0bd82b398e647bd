"""Play one game: ask, judge, record. A bot's fault becomes a verdict, never an exception."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import json, structs

from arena.core.chance import Chance
from arena.core.durations import NS_PER_MS
from arena.core.errors import IllegalMove
from arena.core.game import (
    AnyGame,
    Decision,
    Outcome,
    Recorder,
    capped,
    play_chance,
    ranks_with_faults,
    refuse_endless,
)
from arena.core.moves import maker_of
from arena.core.ticket import Ticket
from arena.players.base import MOST_WRITTEN, Fault, Player, Reply
from arena.players.bot import ask_all
from arena.players.house import House
from arena.players.person import Person
from arena.referee.clock import Pace, SeatClock
from arena.referee.plain_turns import Questions, Turn, play_plain_turns
from arena.referee.seated import Forfeit, Forfeits, Seated
from arena.referee.transcript import Entrant, Transcript, pack
from protocol.limits import DEFAULT_CLOCK, DEFAULT_LIMITS
from protocol.messages import Ask, Clock, End, Limits, Start
from protocol.verdicts import Reason, Verdict
from results.base.clock import utc_now
from results.records import GameRecord


@dataclass(frozen=True, slots=True)
class Referee:
    """Plays games under one clock and one set of limits."""

    clock: Clock = DEFAULT_CLOCK
    limits: Limits = DEFAULT_LIMITS
    pace_ms: int = 0
    """The minimum duration of a turn, as all seats see it; waiting uses up nobody's clock."""
    worker: str = "local"
    """Written to the record."""
    sandbox: str = "none"
    """The level of isolation the bots run at; written to the record."""
    excused: Callable[[int, Fault], None] = lambda _entry_no, _fault: None
    """Called for each fault that the machine caused; the callee decides what to do about it."""
    asking: Callable[[int, int, int], None] | None = None
    """Called before each ask with the seat, the decision number and the id of the ask."""
    watched: Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], None] | None = None
    """Called after the deal and each turn with what spectators see: the table, and the events since the last call."""
    now: Callable[[], str] = utc_now
    monotonic_ns: Callable[[], int] = time.monotonic_ns
    sleep_s: Callable[[float], None] = time.sleep

    def play(
        self, game: AnyGame, players: Sequence[Player], entrants: Sequence[Entrant], ticket: Ticket
    ) -> GameRecord:
        """Play one game to its end and return its record.

        `players` and `entrants` are by seat. Exceptions from the game or the machine pass through: they are platform
        faults, which the caller records. The players are then still in the game, and the caller stops them.
        """
        return _Playing(self, game, players, entrants, ticket).play()


_Move = tuple[int, Any, str, str | None]
"""Seat, move, who made it (`bot`, which a person counts as, `house` or `engine`), note."""


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
        self.entrants = entrants
        self.ticket = ticket
        self.table = [
            Seated(
                seat,
                ticket.entries[seat],
                player,
                SeatClock.of(referee.clock),
                ticket.stream(f"example/{seat}"),
                House(game, seat, ticket.stream(f"house/{seat}")),
            )
            for seat, player in enumerate(players)
        ]
        self.questions = Questions(game)
        self.transcript = Transcript()
        self.forfeits = Forfeits(len(players))
        self.pace = Pace(referee.pace_ms, referee.monotonic_ns, referee.sleep_s)
        self.shown = 0
        """Number of events shown to spectators so far."""

    def play(self) -> GameRecord:
        referee, ticket, transcript = self.referee, self.ticket, self.transcript
        begun_ns = referee.monotonic_ns()
        chance = Chance(seed=ticket.match_seed)
        draw = Recorder(chance)
        state, events = self.game.deal(len(self.table), ticket.ruleset, chance)
        transcript.events.extend(events)
        state, events = play_chance(self.game, state, draw)
        transcript.events.extend(events)
        self._start_all(state)
        self._show(state)
        scores = self._play_on(state, draw)
        self._look_at_all()
        ranks = ranks_with_faults(scores, self.forfeits.at_decision)
        self._end_all(scores, ranks)
        wall_ns = referee.monotonic_ns() - begun_ns
        print_, packed = pack(
            transcript.body(
                self.game, ticket.ruleset, self.entrants, chance.record, self.forfeits, scores, ranks
            )
        )
        logs = [one.log_record() for one in self.table]
        return GameRecord(
            league=ticket.league,
            match_no=ticket.match_no,
            rotation=ticket.rotation,
            fingerprint=print_,
            body=packed,
            timing=transcript.timing(
                [one.log.stale_replies for one in self.table],
                [one.first_ask for one in self.table],
                referee.clock,
                referee.limits,
            ),
            decisions=len(transcript.moves),
            wall_ns=wall_ns,
            sandbox=referee.sandbox,
            worker=referee.worker,
            finished_at=referee.now(),
            seats=tuple(one.record(scores[one.seat], ranks[one.seat]) for one in self.table),
            logs=tuple(log for log in logs if log is not None),
        )

    def _start_all(self, state: Any) -> None:
        referee, ticket, game = self.referee, self.ticket, self.game
        line_bytes = max(referee.limits.line_bytes, game.info.line_bytes)
        limits = structs.replace(referee.limits, line_bytes=line_bytes)
        for one in self.table:
            message = Start(
                game=game.info.name,
                ruleset=ticket.ruleset.name,
                options=dict(ticket.ruleset.options),
                seat=one.seat,
                seats=len(self.table),
                bot_seed=ticket.bot_seed(one.seat),
                clock=referee.clock,
                limits=limits,
                private=game.private(state, one.seat),
            )
            fault = one.player.start(message, referee.clock.ready_ms)
            if fault is not None:
                self._forfeit(one, fault)

    def _look_at_all(self) -> None:
        """Check the remaining players once more after the last move."""
        for one in self.table:
            if one.forfeit is None and (fault := one.player.last_look()) is not None:
                self._forfeit(one, fault)

    def _play_on(self, state: Any, draw: Recorder) -> tuple[int, ...]:
        """Play turn after turn; return the final scores."""
        game, transcript, forfeits, pace = self.game, self.transcript, self.forfeits, self.pace
        pace.begin()
        is_plain, make = self._is_plain(), maker_of(game)
        while True:
            turn: Turn
            reply: Reply | Fault | None = None
            if is_plain and not forfeits.ends_game:
                state, turn, reply = play_plain_turns(
                    game, self.questions, self.table, transcript, state, draw
                )
            else:
                turn = game.turn(state)
            if isinstance(turn, Outcome):
                return turn.scores
            if (cap := capped(game.info, len(transcript.moves))) is not None:
                transcript.events.append(cap)
                return game.scores(state)
            refuse_endless(game.info, len(transcript.moves))
            if reply is not None:
                answers = self._judge(state, turn[0], reply, 1)
            else:
                answers = {} if forfeits.ends_game else self._ask(state, turn)
            if forfeits.ends_game:
                pace.hold()
                return game.scores(state)
            moves = [self._move(state, decision, answers) for decision in turn]
            state, events = make(state, {seat: move for seat, move, _, _ in moves})
            for seat, move, by, note in moves:
                transcript.move(seat, game.format_move(move), by, note)
            transcript.events.extend(events)
            state, events = play_chance(game, state, draw)
            transcript.events.extend(events)
            self._show(state)
            pace.hold()

    def _is_plain(self) -> bool:
        """Return whether turns may be played in a row: nobody watches them, all are bots, and there is no pace."""
        referee = self.referee
        return (
            referee.watched is None
            and referee.asking is None
            and not referee.pace_ms
            and not any(isinstance(one.player, Person) for one in self.table)
        )

    def _show(self, state: Any) -> None:
        """Show spectators the table, if there are any."""
        if self.referee.watched is not None:
            events = [event.seen_by(None) for event in self.transcript.events[self.shown :]]
            self.shown = len(self.transcript.events)
            self.referee.watched(self.game.view(state, None), events)

    def _move(self, state: Any, decision: Decision[Any], answers: Mapping[int, _Move]) -> _Move:
        """Return the move for a decision: the bot's, the only legal one, or the house's."""
        seat = decision.seat
        if seat in answers:
            return answers[seat]
        if decision.legal is not None and len(decision.legal) == 1:
            return seat, decision.legal[0], "engine", None
        return seat, self.table[seat].house.move(state), "house", None

    def _ask(self, state: Any, turn: Sequence[Decision[Any]]) -> dict[int, _Move]:
        """Ask all players of a turn at once; return the legal answers by seat.

        Forced decisions aren't asked. A player without a legal answer forfeits.
        """
        table = self.table
        asked = [
            decision for decision in turn if table[decision.seat].forfeit is None and not decision.forced
        ]
        for decision in turn:
            person = table[decision.seat].player
            if decision.forced and table[decision.seat].forfeit is None and isinstance(person, Person):
                one = table[decision.seat]
                unsent = one.unsent(self.transcript.events)
                person.has_no_choice(self.questions.ask(state, decision, one, 0, unsent))
        people = [decision for decision in asked if isinstance(table[decision.seat].player, Person)]
        if not people:
            return self._ask_bots(state, asked)
        # The bots have answered and wait again before a person, who may take minutes, is asked.
        answers = self._ask_bots(state, [decision for decision in asked if decision not in people])
        for decision in people:
            if not self.forfeits.ends_game:
                answers |= self._ask_person(state, decision)
        return answers

    def _ask_person(self, state: Any, decision: Decision[Any]) -> dict[int, _Move]:
        """Ask a person until the answer is legal; return it by seat, or nothing if the person forfeits."""
        one = self.table[decision.seat]
        person = one.player
        if not isinstance(person, Person):
            raise AssertionError("not a person")
        one.times.decisions += 1
        reply = person.ask(self._question(state, decision), 0)
        while not isinstance(reply, Fault):
            try:
                move = self.game.parse_move(state, one.seat, reply.move)
            except IllegalMove as error:
                reply = person.ask_again(str(error))
            else:
                one.times.add(reply)
                self.transcript.decisions.append((len(self.transcript.moves), one.seat, reply.wall_ns, 0))
                return {one.seat: (one.seat, move, "bot", None)}
        self._forfeit(one, reply)
        return {}

    def _ask_bots(self, state: Any, asked: Sequence[Decision[Any]]) -> dict[int, _Move]:
        """Ask bots at once; return the legal answers by seat."""
        table = self.table
        sharing = len(asked)
        if not sharing:
            return {}
        replies = ask_all(
            [
                (
                    table[decision.seat].player,
                    self._question(state, decision),
                    table[decision.seat].clock.limit_ns(sharing),
                )
                for decision in asked
            ]
        )
        answers: dict[int, _Move] = {}
        for decision, reply in zip(asked, replies, strict=True):
            answers |= self._judge(state, decision, reply, sharing)
        return answers

    def _judge(
        self, state: Any, decision: Decision[Any], reply: Reply | Fault, sharing: int
    ) -> dict[int, _Move]:
        """Return a bot's answer by seat if it is in time and legal. If not, the bot forfeits, and nothing is returned.

        `sharing` is how many bots were asked at once.
        """
        one = self.table[decision.seat]
        one.times.decisions += 1
        if isinstance(reply, Fault):
            self.transcript.refuse(one.seat, reply)
            self._forfeit(one, _with_limit(reply, one.clock, sharing))
            return {}
        one.times.add(reply)
        self.transcript.decisions.append((len(self.transcript.moves), one.seat, reply.wall_ns, reply.cpu_ns))
        if not one.clock.charge(reply.wall_ns, sharing):
            taken_ms = reply.wall_ns / NS_PER_MS
            late = Fault(
                Verdict.TIMEOUT, f"{taken_ms:.0f} ms taken", Reason.LATE, reply.excuse, _line_of(reply)
            )
            self.transcript.refuse(one.seat, late)
            self._forfeit(one, _with_limit(late, one.clock, sharing))
            return {}
        try:
            move = self.game.parse_move(state, one.seat, reply.move)
        except IllegalMove as error:
            illegal = Fault(Verdict.ILLEGAL, f"{decision.kind}: {error}", wrote=_line_of(reply))
            self.transcript.refuse(one.seat, illegal)
            self._forfeit(one, illegal)
            return {}
        return {one.seat: (one.seat, move, "bot", reply.note)}

    def _question(self, state: Any, decision: Decision[Any]) -> Ask:
        one = self.table[decision.seat]
        number = one.player.next_id()
        if one.first_ask is None:
            one.first_ask = number
        if self.referee.asking is not None:
            self.referee.asking(one.seat, len(self.transcript.moves), number)
        return self.questions.ask(state, decision, one, number, one.untold(self.transcript.events))

    def _forfeit(self, one: Seated, fault: Fault) -> None:
        """Take a seat out of the game: stop its player and inform the table."""
        one.forfeit = Forfeit(one.seat, fault, len(self.transcript.moves))
        self.forfeits.add(one.forfeit)
        self.transcript.events.append(one.forfeit.event)
        one.log = one.player.stop()
        if fault.excuse:
            self.referee.excused(one.entry_no, fault)

    def _end_all(self, scores: tuple[int, ...], ranks: tuple[int, ...]) -> None:
        """Send the result to the remaining players."""
        for one in self.table:
            if one.forfeit is None:
                events = one.untold(self.transcript.events)
                one.log = one.player.end(End(list(ranks), list(scores), self.forfeits.verdicts, events))


def _line_of(reply: Reply) -> str:
    """Return the move that a player answered, as JSON, to be kept with its fault."""
    move = {"move": reply.move} if reply.note is None else {"move": reply.move, "note": reply.note}
    return json.encode(move).decode()[:MOST_WRITTEN]


def _with_limit(fault: Fault, clock: SeatClock, sharing: int) -> Fault:
    """Return a fault, with the clock's figures added if it is about time."""
    if fault.verdict is not Verdict.TIMEOUT:
        return fault
    return replace(fault, detail=f"{clock.limit_text(sharing)}: {fault.detail}")
