"""What one seat was sent, from the lines of a file, and what the search library answers to its questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from random import Random
from types import SimpleNamespace
from typing import Any

from msgspec import UNSET, Struct

from arena.conversation.narration import Conversation, Question
from arena.core.errors import ArenaError, BadFile
from arena.core.game import AnyGame
from arena.core.replay import canonical
from arena.engine import ForwardModel
from arena.engine.search import Candidate, search
from protocol import codec
from protocol.messages import Ask, Move, Start
from protocol.strict_json import parse
from protocol.verdicts import MalformedLine

DEEPEST = 64
NO_RULES = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError)
"""What games raise for a view or an event that isn't one of theirs."""


@dataclass(frozen=True, slots=True)
class Told:
    """A game as one seat was told it."""

    game: AnyGame
    conversation: Conversation


def told_in(text: str, name: str, seat: int | None, rules_of: Callable[[str], AnyGame]) -> Told:
    """Return the last game in a file of messages, as one seat was told it: its `start`, its asks, and any answers.

    A line is a message of Arena or of the bot, or what `arena trace --json` prints for one; others don't count.
    `name` is the file's, for errors; `seat`: default, that of the first `start`.
    Raises BadFile, naming file, line and field, if there is no question or one that can't be of this game.
    """
    start: Start | None = None
    asks: dict[int, tuple[int, Ask]] = {}
    moves: dict[int, Move] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            message = _message(line, seat)
        except MalformedLine as error:
            raise BadFile(
                f"{name}:{number}: {error}", "each line is a message as bots get them: see docs/protocol.md"
            ) from None
        match message:
            case Start() if seat in (None, message.seat):
                start, asks, moves, seat = message, {}, {}, message.seat
            case Ask() if start is not None:
                asks[message.id] = number, message
            case Move():
                moves[message.id] = message
    if start is None or not asks:
        missing = "start" if start is None else "ask"
        of_seat = "" if seat is None else f" to seat {seat}"
        raise BadFile(
            f"{name} has no {missing}{of_seat}", "it needs the `start` of a game and at least one `ask`"
        )
    game = rules_of(start.game)
    questions = tuple(_questions(game, start, asks.values(), moves, name))
    return Told(game, Conversation(start.seat, start, True, questions, None, None))


def _message(line: str, seat: int | None) -> object:
    """Return the message of a line; None for one that doesn't matter, or of another seat. Raises MalformedLine."""
    value = parse(line.encode(), DEEPEST)
    if isinstance(value, dict) and "type" not in value:
        speaker = next((who for who in ("arena", "bot") if who in value), value.get("speaker"))
        if speaker not in ("arena", "bot") or seat not in (None, value.get("seat", seat)):
            return None
        held = value.get(speaker, value.get("text"))
        line = held if isinstance(held, str) else canonical(held).decode()
        value = parse(line.encode(), DEEPEST)
    kind = value.get("type") if isinstance(value, dict) else None
    if kind in ("start", "ask"):
        return codec.decode_arena(line.encode(), DEEPEST)
    if kind == "move":
        return codec.decode(line.encode(), len(line.encode()) + 1, DEEPEST)
    if isinstance(kind, str):
        return None
    raise MalformedLine("not a message: it has no `type`")


def _questions(
    game: AnyGame, start: Start, asks: Any, moves: Mapping[int, Move], name: str
) -> Iterator[Question]:
    """Yield the questions, each with a state that fits what was seen; without, if the game can't guess any."""
    events: list[Any] = []
    model: ForwardModel | None = None
    for decision, (number, ask) in enumerate(asks):
        events += ask.events
        state = None
        try:
            if model is None:
                model = _model(game, start, events)
            game.draw(ask.view, 80)
            if model.can_guess:
                (state,) = model.worlds({"view": ask.view}, 1)
        except (ArenaError, *NO_RULES) as error:
            said = f"no {error} in it" if isinstance(error, KeyError) else str(error)
            raise BadFile(
                f"{name}:{number}: `view` and `events` are not those of a game of {game.info.name}: {said}",
                "give all that the bot was sent in this game, from its `start` on, unchanged",
            ) from error
        yield Question(decision, ask, state, moves.get(ask.id))


def _model(game: AnyGame, start: Start, events: list[Any]) -> ForwardModel:
    told = SimpleNamespace(
        game=start.game,
        options=start.options,
        seat=start.seat,
        seats=start.seats,
        private=start.private,
        events=events,
        rng=Random(start.bot_seed),  # noqa: S311 - for games
    )
    return ForwardModel(told, game)


class Searched(Struct, frozen=True):
    """A move as the search library values it."""

    move: Any
    lead: float
    """By how many points the seat is expected to lead the mean of the others at the end of the hand or round."""
    behind: float
    """By how much it is worse than the best move, in the worlds that both were tried in."""
    error: float | None
    """The standard error of `behind`; of the best move, that of `lead`. None for fewer than two worlds."""
    worlds: int


def searches(game: AnyGame, told: Conversation, seconds: float) -> Callable[[Question], Sequence[Searched]]:
    """Return a function that gives the moves of a question as a search values them, the best first.

    Call it for the questions in their order. It thinks for so many seconds of wall time, or for one world if that
    takes longer. Raises ArenaError if the game can't guess.
    """
    events: list[Any] = []
    model = _model(game, told.start, events)
    left = list(told.questions)

    def answer(question: Question) -> Sequence[Searched]:
        while left and left[0].decision <= question.decision:
            events.extend(left.pop(0).ask.events)
        ask = question.ask
        legal = None if ask.legal is UNSET else ask.legal
        asked = {"view": ask.view, "legal": legal}
        found = search(model, asked, seconds)
        if not found.candidates[0].worlds:  # it wasn't given enough time for one
            found = search(model, asked, worlds=1)
        best = found.candidates[0]
        return [_searched(one, best) for one in found.candidates]

    return answer


def _searched(one: Candidate, best: Candidate) -> Searched:
    behind, error = (0.0, one.error) if one is best else one.behind(best)
    known = round(error, 3) if isfinite(error) else None
    return Searched(one.move, round(one.value, 3), round(behind, 3), known, one.worlds)
