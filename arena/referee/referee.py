"""Play one game: ask, judge, record. A bot's fault becomes a verdict, never an exception."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from arena.core.chance import Chance
from arena.core.errors import IllegalMove
from arena.core.game import (
    DEFAULT_LONGEST,
    JSON,
    AnyGame,
    Decision,
    Outcome,
    Recorder,
    capped,
    is_decided,
    play_chance,
    ranks_with_faults,
    refuse_endless,
    scores_with_faults,
    sides_of,
)
from arena.core.move_parsing import maker_of
from arena.core.ticket import Ticket
from arena.players.base import MOST_WRITTEN, Fault, Player, Reply
from arena.players.bot import ask_all
from arena.players.person import Person
from arena.referee.clock import Pace, SeatClock
from arena.referee.seat_state import Forfeit, Made, Seated
from arena.referee.start_and_ask import Questions, start_message
from arena.referee.transcript import Entrant, Transcript, pack
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS, Ask, Clock, End, Limits
from protocol.verdicts import Reason, Verdict
from results.base.clock import NS_PER_MS, utc_now
from results.records import GameRecord


class Referee(Struct, frozen=True):
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


class _Playing:
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
                ticket.stream(f"house/{seat}"),
            )
            for seat, player in enumerate(players)
        ]
        self.questions = Questions(game)
        self.transcript = Transcript()
        self.forfeits: list[Forfeit] = []
        self.is_over = False
        """Whether too few seats, or sides, are left that have not forfeited: see `is_decided`."""
        self.sides = sides_of(game, ticket.ruleset, len(players))
        self.loses_side = game.info.forfeit_loses == "side"
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
        for one in self.table:
            if one.forfeit is None and (fault := one.player.last_look()) is not None:
                self._forfeit(one, fault)
        scores = scores_with_faults(self.game.info, scores, self._faults())
        ranks = ranks_with_faults(scores, self._faults(), self.sides, loses_side=self.loses_side)
        points = self.game.info.points(scores)
        verdicts = [one.verdict for one in self.table]
        for one in self.table:
            if one.forfeit is None:
                told = one.new_events(transcript.events)
                one.log = one.player.end(End(list(ranks), list(points), verdicts, told))
        wall_ns = referee.monotonic_ns() - begun_ns
        result = {
            "faults": [forfeit.record for forfeit in self.forfeits],
            "scores": list(points),
            "ranks": list(ranks),
            "verdicts": verdicts,
        }
        print_, packed = pack(
            transcript.body(self.game, ticket.ruleset, self.entrants, chance.record) | result
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
            seats=tuple(one.record(points[one.seat], ranks[one.seat]) for one in self.table),
            logs=tuple(log for log in logs if log is not None),
        )

    def _start_all(self, state: Any) -> None:
        clock, limits, ticket = self.referee.clock, self.referee.limits, self.ticket
        for one in self.table:
            bot_seed = ticket.bot_seed(one.seat)
            message = start_message(self.game, state, ticket, one.seat, clock, limits, bot_seed)
            fault = one.player.start(message, clock.ready_ms)
            if fault is not None:
                self._forfeit(one, fault)

    def _play_on(self, state: Any, draw: Recorder) -> tuple[int, ...]:
        game, table = self.game, self.table
        turn_of, make, format_move = game.turn, maker_of(game), game.format_move
        question, judge = self._question, self._judge
        moves, events = self.transcript.moves, self.transcript.events
        longest = game.info.longest_decisions
        most = DEFAULT_LONGEST if longest is None else longest
        has_people = any(isinstance(one.player, Person) for one in table)
        is_seen, draws_late = bool(self.referee.watched or self.referee.pace_ms), hasattr(game, "due")
        self.pace.begin()
        while not self.is_over:
            turn = turn_of(state)
            if isinstance(turn, Outcome):
                return turn.scores
            if len(moves) >= most:
                refuse_endless(game.info, len(moves))
                if (cap := capped(game.info, len(moves))) is not None:
                    events.append(cap)
                return game.scores(state)
            if len(turn) > 1 or has_people:
                made = self._decided(state, turn)
                if self.is_over:
                    break
                for seat, (move, by, note) in made.items():
                    moves.append(_record(seat, format_move(move), by, note))
                state, told = make(state, {seat: move for seat, (move, _, _) in made.items()})
            else:  # as most turns of most games, in as few steps as possible
                decision = turn[0]
                seat, legal = decision.seat, decision.legal
                one = table[seat]
                if legal is not None and len(legal) == 1:
                    move, by, note = legal[0], "engine", None
                else:
                    answer = None
                    if one.forfeit is None:
                        reply = one.player.ask(question(state, decision, one), one.clock.alone_ns)
                        answer = judge(state, decision, one, reply, 1)
                        if self.is_over:
                            break
                    move, by, note = answer or one.by_house(game, state)
                moves.append(_record(seat, format_move(move), by, note))
                state, told = make(state, {seat: move})
            events += told
            if draws_late:
                state, told = play_chance(game, state, draw)
                events += told
            if is_seen:
                self._show(state)
                self.pace.hold()
        self.pace.hold()
        return game.scores(state)

    def _show(self, state: Any) -> None:
        """Show spectators the table, if there are any."""
        if self.referee.watched is not None:
            events = [event.seen_by(None) for event in self.transcript.events[self.shown :]]
            self.shown = len(self.transcript.events)
            self.referee.watched(self.game.view(state, None), events)

    def _decided(self, state: Any, turn: Sequence[Decision[Any]]) -> dict[int, Made]:
        """Return the move of each seat of a turn, in its order; nothing if a fault ends the game.

        All bots are asked at once, but not for forced moves. Whoever has no legal answer forfeits, and the house moves.
        """
        made: dict[int, Made] = {}
        bots: list[Decision[Any]] = []
        people: list[Decision[Any]] = []
        for decision in turn:
            seat, legal = decision.seat, decision.legal
            one = self.table[seat]
            is_person = isinstance(one.player, Person)
            if legal is not None and len(legal) == 1:
                made[seat] = legal[0], "engine", None
                if is_person and one.forfeit is None:
                    self._show_forced(state, decision)
            elif one.forfeit is None:
                (people if is_person else bots).append(decision)
        if bots:
            made |= self._ask_bots(state, bots)
        # The bots have answered and wait again before a person, who may take minutes, is asked.
        for decision in people:
            if not self.is_over:
                made |= self._ask_person(state, decision)
        if self.is_over:
            return {}
        return {
            one.seat: made.get(one.seat) or self.table[one.seat].by_house(self.game, state) for one in turn
        }

    def _show_forced(self, state: Any, decision: Decision[Any]) -> None:
        """Show a person the only move that is legal; no answer is awaited."""
        one = self.table[decision.seat]
        if isinstance(one.player, Person):
            events = one.upcoming(self.transcript.events)
            ask = self.questions.ask(state, decision, 0, events, one.clock.time, one.examples)
            one.player.has_no_choice(ask)

    def _ask_person(self, state: Any, decision: Decision[Any]) -> dict[int, Made]:
        """Ask a person until the answer is legal; return it by seat, or nothing if the person forfeits."""
        one = self.table[decision.seat]
        person = one.player
        if not isinstance(person, Person):
            raise AssertionError("not a person")
        one.decisions += 1
        reply = person.ask(self._question(state, decision, one), 0)
        while not isinstance(reply, Fault):
            try:
                move = self.game.parse_move(state, one.seat, reply.move)
            except IllegalMove as error:
                reply = person.ask_again(str(error))
            else:
                one.answered(reply)
                self.transcript.decisions.append((len(self.transcript.moves), one.seat, reply.wall_ns, 0))
                return {one.seat: (move, "bot", None)}
        self._forfeit(one, reply)
        return {}

    def _ask_bots(self, state: Any, asked: Sequence[Decision[Any]]) -> dict[int, Made]:
        seats, sharing = [self.table[decision.seat] for decision in asked], len(asked)
        asks = [
            (one.player, self._question(state, decision, one), one.clock.limit_ns(sharing))
            for one, decision in zip(seats, asked, strict=True)
        ]
        answers = {}
        for one, decision, reply in zip(seats, asked, ask_all(asks), strict=True):
            answer = self._judge(state, decision, one, reply, sharing)
            if answer is not None:
                answers[one.seat] = answer
        return answers

    def _judge(
        self, state: Any, decision: Decision[Any], one: Seated, reply: Reply | Fault, sharing: int
    ) -> Made | None:
        """Return a bot's answer if it is in time and legal. If not, the bot forfeits; return None.

        `sharing` is how many bots were asked at once.
        """
        one.decisions += 1
        if isinstance(reply, Reply):
            one.answered(reply)
            done = len(self.transcript.moves)
            self.transcript.decisions.append((done, one.seat, reply.wall_ns, reply.cpu_ns))
            if one.clock.charge(reply.wall_ns, sharing):
                try:
                    return self.game.parse_move(state, one.seat, reply.move), "bot", reply.note
                except IllegalMove as error:
                    fault = Fault(Verdict.ILLEGAL, f"{decision.kind}: {error}", wrote=_line_of(reply))
            else:
                taken = f"{reply.wall_ns / NS_PER_MS:.0f} ms taken"
                fault = Fault(Verdict.TIMEOUT, taken, Reason.LATE, reply.excuse, _line_of(reply))
        else:
            fault = reply
        self.transcript.refuse(one.seat, fault)
        if fault.verdict is Verdict.TIMEOUT:
            fault = replace(fault, detail=f"{one.clock.limit_text(sharing)}: {fault.detail}")
        self._forfeit(one, fault)
        return None

    def _question(self, state: Any, decision: Decision[Any], one: Seated) -> Ask:
        number = one.player.next_id()
        if one.first_ask is None:
            one.first_ask = number
        if self.referee.asking is not None:
            self.referee.asking(one.seat, len(self.transcript.moves), number)
        events = one.new_events(self.transcript.events)
        return self.questions.ask(state, decision, number, events, one.clock.time, one.examples)

    def _faults(self) -> dict[int, int]:
        """Return the decision at which each forfeited seat was at fault."""
        return {one.seat: one.at_decision for one in self.forfeits}

    def _forfeit(self, one: Seated, fault: Fault) -> None:
        """Take a seat out of the game: stop its player and inform the table."""
        one.forfeit = Forfeit(one.seat, fault, len(self.transcript.moves))
        self.forfeits.append(one.forfeit)
        self.is_over = is_decided(len(self.table), self._faults(), self.sides, loses_side=self.loses_side)
        self.transcript.events.append(one.forfeit.event)
        one.log = one.player.stop()
        if fault.excuse:
            self.referee.excused(one.entry_no, fault)


def _record(seat: int, move: JSON, by: str, note: str | None) -> dict[str, JSON]:
    """Return a move as the replay has it."""
    record = {"seat": seat, "move": move, "by": by}
    if note:
        record["note"] = note
    return record


def _line_of(reply: Reply) -> str:
    """Return the move that a player answered, as JSON, to be kept with its fault."""
    move = {"move": reply.move} if reply.note is None else {"move": reply.move, "note": reply.note}
    return json.encode(move).decode()[:MOST_WRITTEN]
