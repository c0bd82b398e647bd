"""A game as one seat saw it: made of what that seat was sent, and of nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from arena.conversation.narration import known_words, move_words, seen_words
from arena.conversation.told import Conversation, Question
from arena.core.durations import NS_PER_MS
from arena.core.game import AnyGame
from arena.core.wording import Asked
from arena.web.viewer.document import Document, Move, Player, Step, Time, Told, View


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
        tuple(_steps(game, told, names)),
        known,
        (),
        told.unknown,
    )


def _steps(game: AnyGame, told: Conversation, names: Sequence[str]) -> Iterator[Step]:
    sent = [question for question in told.questions if question.was_sent]
    if not sent:
        yield Step(None, ())
    for question in sent:
        yield Step(
            question.decision,
            _told(game, question.ask.events, names),
            _moves(game, told, question, names),
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
    return tuple(
        Told(event, (words,) if (words := seen_words(game, event, names)) else ()) for event in events
    )


def _moves(game: AnyGame, told: Conversation, question: Question, names: Sequence[str]) -> tuple[Move, ...]:
    if question.answer is None:
        return ()
    ask = question.ask
    legal = None if ask.legal is UNSET else ask.legal
    asked = Asked(ask.kind, ask.view, told.start.options, legal, None, tuple(names))
    words = move_words(game, asked, question.answer.move)
    note = question.answer.note
    return (Move(told.seat, words, note if isinstance(note, str) else None),)


def _times(told: Conversation, question: Question) -> tuple[Time, ...]:
    if question.wall_ns is None:
        return ()
    clock, time = told.start.clock, question.ask.time
    over_ms = max(0.0, question.wall_ns / NS_PER_MS - time.move_ms)
    return (
        Time(
            told.seat,
            round(question.wall_ns / NS_PER_MS, 2),
            round((question.cpu_ns or 0) / NS_PER_MS, 2),
            time.move_ms + time.bank_ms + clock.margin_ms,
            max(0, round(time.bank_ms - over_ms)),
        ),
    )


def _scores(view: View, seats: int) -> tuple[int, ...] | None:
    """Return the scores in a view, if the game puts them there under this name."""
    scores = view.get("scores")
    if (
        isinstance(scores, list)
        and len(scores) == seats
        and all(isinstance(one, int | float) for one in scores)
    ):
        return tuple(scores)
    return None
