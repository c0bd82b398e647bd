"""Rebuilds what one seat was sent in a stored game: by the rules, from the replay, the seeds and the stored times."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, convert, field

from arena.conversation.narration import Conversation, Forfeit, Question
from arena.core.errors import CorruptReplay
from arena.core.game import AnyGame, Decision, Event, Outcome, capped
from arena.core.replay import Body, Step, ruleset_named, steps
from arena.core.ticket import Ticket
from arena.referee.clock import SeatClock
from arena.referee.start_and_ask import Questions, start_message
from protocol.messages import UNSAID_CLOCK, UNSAID_LIMITS, Clock, End, Limits, Move, Start
from results.records import MatchDeal, SeatRecord

NO_SEED = "the seed of the deal isn't stored, so `bot_seed` is 0 here"
NO_EXAMPLE = "the seed of the deal isn't stored, so each `example` is another legal move"
NO_IDS = "the ids of its asks aren't stored, so they are numbered from 1"
NO_TIMES = "the times of its answers aren't stored, so `bank_ms` is what it was at the start"
_ILL_FORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError)


class StoredGame(Struct, frozen=True):
    """Everything that is stored about one game, as far as a conversation depends on it."""

    game: AnyGame
    body: Body
    seats: Sequence[SeatRecord]
    timing: Mapping[str, Any] = field(default_factory=dict)
    """What the replay holds besides the body: times, ids, refused answers. Empty if it isn't known."""
    deal: MatchDeal | None = None
    """The seed of the deal; `first_rotation` is that of this game. None if it isn't known."""
    clock: Clock = UNSAID_CLOCK
    limits: Limits = UNSAID_LIMITS
    """Clock and limits of the league; those in `timing` come first."""


def conversation(stored: StoredGame, seat: int, played: Iterable[Step] | None = None) -> Conversation:
    """Return what a seat was sent and what it answered. Raises CorruptReplay if the replay breaks the rules.

    `played`: all steps of the replay, if you have them already, so that the game isn't played again.
    """
    try:
        return _Telling(stored, seat).conversation(played)
    except _ILL_FORMED as error:
        raise CorruptReplay(f"the replay's body is not well formed: {error!r}") from error


def clock_of(timing: Mapping[str, Any], clock: Clock, limits: Limits) -> tuple[Clock, Limits]:
    """Return the clock and limits of a game: those stored with its times, or else those of its league."""
    return (
        convert(timing.get("clock", clock), Clock, from_attributes=True),
        convert(timing.get("limits", limits), Limits, from_attributes=True),
    )


class _Telling:
    def __init__(self, stored: StoredGame, seat: int) -> None:
        self.stored = stored
        self.seat = seat
        body, game = stored.body, stored.game
        self.ticket = Ticket(
            league="",
            match_no=0,
            rotation=stored.deal.first_rotation if stored.deal else 0,
            entries=tuple(range(body["seats"])),
            ruleset=game.resolve(ruleset_named(game, body["ruleset"]), body["seats"]),
            match_seed=stored.deal.seed if stored.deal else b"",
        )
        self.asks = Questions(game)
        self.examples = self.ticket.stream(f"example/{seat}")
        self.told_clock, self.limits = clock_of(stored.timing, stored.clock, stored.limits)
        self.clock = SeatClock.of(self.told_clock)
        self.events: list[Event] = []
        self.told = 0
        self.out: set[int] = set()
        self.questions: list[Question] = []
        firsts = stored.timing.get("first_asks")
        self.next_id = 1 if firsts is None or firsts[seat] is None else convert(firsts[seat], int)
        self.times = {
            (made, number): (wall_ns, cpu_ns)
            for made, number, wall_ns, cpu_ns in stored.timing.get("decisions", ())
        }
        self.refused: Mapping[str, Any] = next(
            (one for one in stored.timing.get("refused", ()) if one["seat"] == seat), {}
        )

    def conversation(self, known: Iterable[Step] | None) -> Conversation:
        stored, seat, body = self.stored, self.seat, self.stored.body
        played = iter(steps(stored.game, body) if known is None else known)
        start = self._start(next(played))
        never_ready = [
            fault["seat"]
            for fault in body["faults"]
            if fault["at_decision"] == 0 and stored.seats[fault["seat"]].decisions == 0
        ]
        for step in played:
            events = list(step.events)
            while step.decision == 0 and events and self._is_forfeit(events[0], never_ready):
                self._hear(events.pop(0))
            self._ask(step)
            for event in events:
                self._hear(event)
        end = None
        if seat not in self.out:
            end = End(list(body["ranks"]), list(body["scores"]), list(body["verdicts"]), self._untold())
        return Conversation(
            seat,
            start,
            seat not in never_ready,
            tuple(self.questions),
            end,
            self._forfeit(),
            tuple(self._unknown()),
        )

    def _start(self, deal: Step) -> Start:
        self.events.extend(deal.events)
        bot_seed = self.ticket.bot_seed(self.seat) if self.stored.deal else 0
        clock, limits = self.told_clock, self.limits
        return start_message(self.stored.game, deal.after, self.ticket, self.seat, clock, limits, bot_seed)

    @staticmethod
    def _is_forfeit(event: Event, seats: Sequence[int]) -> bool:
        return event.kind == "forfeit" and event.data["seat"] in seats

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        if event.kind == "forfeit":
            self.out.add(int(event.data["seat"]))

    def _ask(self, step: Step) -> None:
        game = self.stored.game
        turn = game.turn(step.state)
        if isinstance(turn, Outcome) or capped(game.info, step.decision) is not None:
            return
        if len(self.stored.seats) - len(self.out) < 2:
            return
        asked = [decision for decision in turn if decision.seat not in self.out and not decision.forced]
        for decision in asked:
            if decision.seat == self.seat:
                self._question(step, decision, len(asked))

    def _question(self, step: Step, decision: Decision[Any], sharing: int) -> None:
        seat = self.seat
        number, self.next_id = self.next_id, self.next_id + 1
        ask = self.asks.ask(step.state, decision, number, self._untold(), self.clock.time, self.examples)
        answer = None
        for record in step.moves:
            if record["seat"] == seat and record["by"] == "bot":
                answer = Move(number, record["move"], record.get("note"))
        wall_ns, cpu_ns = self.times.get((step.decision, seat), (None, None))
        if wall_ns is not None:
            self.clock.charge(wall_ns, sharing)
        fell = any(self._is_forfeit(event, (seat,)) for event in step.events)
        self.questions.append(
            Question(
                step.decision,
                ask,
                step.state,
                answer,
                wall_ns,
                cpu_ns,
                wrote=self.refused.get("wrote", "") if fell else "",
                was_sent=not fell or self.refused.get("asked", True),
            )
        )

    def _untold(self) -> list[dict[str, Any]]:
        first, self.told = self.told, len(self.events)
        return [event.seen_by(self.seat) for event in self.events[first:]]

    def _forfeit(self) -> Forfeit | None:
        record = self.stored.seats[self.seat]
        if record.verdict is None:
            return None
        return Forfeit(str(record.verdict), record.detail, record.at_decision or 0)

    def _unknown(self) -> Iterator[str]:
        stored, asks = self.stored, [question.ask for question in self.questions]
        if stored.deal is None:
            yield NO_SEED
            if any(ask.example is not UNSET for ask in asks):
                yield NO_EXAMPLE
        if asks and "first_asks" not in stored.timing:
            yield NO_IDS
        if asks and "decisions" not in stored.timing:
            yield NO_TIMES
