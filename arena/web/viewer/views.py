"""What the viewer of a game shows: with all cards open, or with the eyes of one seat."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from arena.conversation.narration import (
    Conversation,
    Eyes,
    Question,
    event_lines,
    known_words,
    move_words,
    seen_words,
)
from arena.conversation.rebuild import StoredGame, clock_of
from arena.core.game import AnyGame, Event, Outcome
from arena.core.move_words import Asked, worth_of
from arena.core.replay import Step as Played
from arena.core.replay import steps
from arena.referee.clock import SeatClock
from arena.web.viewer.document import Document, Move, Player, Step, Time, Told, View, marked
from results.base.clock import NS_PER_MS


def open_document(
    stored: StoredGame, players: Sequence[Player], played: Sequence[Played] | None = None
) -> Document:
    """Return the document of a game. Raises CorruptReplay if the replay breaks the rules.

    `played`: all steps of the replay, if you have them already, so that the game isn't played again.
    """
    game, body = stored.game, stored.body
    names = [player.name for player in players]
    if played is None:
        played = list(steps(game, body))
    privates = {seat: game.private(played[0].after, seat) for seat in range(len(names))}
    known, to_all = known_words(game, privates, names)
    return Document(
        game.info.name,
        game.info.title,
        body["ruleset"],
        None,
        tuple(players),
        tuple(_steps(stored, played, names)),
        known,
        to_all,
        {seat: worth_of(game, private) for seat, private in privates.items()},
        drawn_events=game.info.drawn_events,
    )


def _steps(stored: StoredGame, played: Sequence[Played], names: Sequence[str]) -> Iterator[Step]:
    game = stored.game
    times, in_words = _Times(stored, len(names)), marked(names)
    for step in played:
        views = tuple(game.view(step.after, seat) for seat in range(len(names)))
        yield Step(
            decision=step.decision if step.moves else None,
            told=tuple(
                Told(_open(event), tuple(event_lines(game, event, Eyes.ALL, in_words, in_words=True)))
                for event in step.events
            ),
            moves=tuple(_moves(stored, step, names)),
            times=times.of(step),
            view=game.view(step.after, None),
            seat_views=views,
            scores=game.info.points(game.scores(step.after)),
        )


def _open(event: Event) -> dict[str, Any]:
    """Return an event as the only seat saw it that saw more than the others; else its public part."""
    (seat,) = event.private if len(event.private) == 1 else (None,)
    return event.seen_by(seat)


def _moves(stored: StoredGame, step: Played, names: Sequence[str]) -> Iterator[Move]:
    if not step.moves:
        return
    game = stored.game
    turn = game.turn(step.state)
    decisions = {} if isinstance(turn, Outcome) else {decision.seat: decision for decision in turn}
    for record in step.moves:
        seat = record["seat"]
        decision = decisions[seat]
        legal = None if decision.legal is None else [game.format_move(move) for move in decision.legal]
        asked = Asked(
            decision.kind, game.view(step.state, seat), stored.body["options"], legal, None, tuple(names)
        )
        yield Move(
            seat, move_words(game, asked, record["move"], in_words=True), record.get("note"), record["by"]
        )


class _Times:
    """The times of decisions, with what each seat's clock allowed."""

    def __init__(self, stored: StoredGame, seats: int) -> None:
        clock, _ = clock_of(stored.timing, stored.clock, stored.limits)
        self._clocks = [SeatClock.of(clock) for _ in range(seats)]
        self._times: Mapping[tuple[int, int], tuple[int, int]] = {
            (made, seat): (wall_ns, cpu_ns)
            for made, seat, wall_ns, cpu_ns in stored.timing.get("decisions", ())
        }
        self._out: set[int] = set()

    def of(self, step: Played) -> tuple[Time, ...]:
        asked = [
            move["seat"] for move in step.moves if move["by"] != "engine" and move["seat"] not in self._out
        ]
        found = []
        for seat in asked:
            if (time := self._times.get((step.decision, seat))) is None:
                continue
            clock = self._clocks[seat]
            limit_ns = clock.limit_ns(len(asked))
            clock.charge(time[0], len(asked))
            found.append(time_of(seat, time[0], time[1], limit_ns, clock.bank_ns))
        self._out.update(event.data["seat"] for event in step.events if event.kind == "forfeit")
        return tuple(found)


def time_of(seat: int, wall_ns: int, cpu_ns: int | None, limit_ns: int, bank_ns: int) -> Time:
    """Return times in milliseconds, with two digits or more."""
    return Time(seat, _ms(wall_ns), _ms(cpu_ns or 0), round(limit_ns / NS_PER_MS), round(bank_ns / NS_PER_MS))


def _ms(ns: int) -> float:
    ms = ns / NS_PER_MS
    return round(ms, 2) if ms < 1 else round(ms, 1) if ms < 10 else round(ms)


def seat_document(game: AnyGame, told: Conversation, players: Sequence[Player]) -> Document:
    """Return the document of one seat's conversation."""
    names = [player.name for player in players]
    start = told.start
    known, _ = known_words(game, {told.seat: start.private}, names)
    return Document(
        game.info.name,
        game.info.title,
        start.ruleset,
        told.seat,
        tuple(players),
        tuple(_steps_of_seat(game, told, names)),
        known,
        (),
        {told.seat: worth_of(game, start.private)},
        told.unknown,
        game.info.drawn_events,
    )


def _steps_of_seat(game: AnyGame, told: Conversation, names: Sequence[str]) -> Iterator[Step]:
    sent = [question for question in told.questions if question.was_sent]
    if not sent:
        yield Step(None, ())
    for question in sent:
        yield Step(
            question.decision,
            _told(game, question.ask.events, names),
            _moves_of_seat(game, told, question, names),
            _times(told, question),
            question.ask.view,
            (),
            _scores(question.ask.view, len(names)),
        )
    if told.end is not None:
        yield Step(None, _told(game, told.end.events, names), scores=tuple(told.end.scores))
    elif told.forfeit is not None:
        out = {"kind": "forfeit", "seat": told.seat, "verdict": told.forfeit.verdict}
        yield Step(None, _told(game, [out], names))


def _told(game: AnyGame, events: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[Told, ...]:
    names = marked(names)
    return tuple(
        Told(event, (words,) if (words := seen_words(game, event, names, in_words=True)) else ())
        for event in events
    )


def _moves_of_seat(
    game: AnyGame, told: Conversation, question: Question, names: Sequence[str]
) -> tuple[Move, ...]:
    if question.answer is None:
        return ()
    ask = question.ask
    legal = None if ask.legal is UNSET else ask.legal
    asked = Asked(ask.kind, ask.view, told.start.options, legal, None, tuple(names))
    words = move_words(game, asked, question.answer.move, in_words=True)
    note = question.answer.note
    return (Move(told.seat, words, note if isinstance(note, str) else None),)


def _times(told: Conversation, question: Question) -> tuple[Time, ...]:
    if question.wall_ns is None:
        return ()
    clock, time = told.start.clock, question.ask.time
    limit_ns = (time.move_ms + time.bank_ms + clock.margin_ms) * NS_PER_MS
    over_ns = max(0, question.wall_ns - time.move_ms * NS_PER_MS)
    bank_ns = max(0, time.bank_ms * NS_PER_MS - over_ns)
    return (time_of(told.seat, question.wall_ns, question.cpu_ns, limit_ns, bank_ns),)


def _scores(view: View, seats: int) -> tuple[float, ...] | None:
    """Return the scores in a view, if the game puts them there under this name."""
    scores = view.get("scores")
    if (
        isinstance(scores, list)
        and len(scores) == seats
        and all(isinstance(one, int | float) for one in scores)
    ):
        return tuple(scores)
    return None
