"""Plays the turns of one seat in as few steps as possible, as most turns of most games go as they should.

This is the loop of `referee` written flat for the usual case: one seat has to decide, and its move is forced, or its
bot answers with a legal one without touching its bank. Whatever else happens is left to `referee`, which takes over
where this has come to.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET

from arena.core.errors import IllegalMove
from arena.core.game import DEFAULT_LONGEST, JSON, AnyGame, Decision, Draw, Drawn, Outcome, play_chance
from arena.core.moves import maker_of
from arena.players.base import Fault, Reply
from arena.referee.seated import Seated
from arena.referee.transcript import Transcript
from protocol.messages import Ask

_CHEAPLY_HASHED = frozenset({int, str, tuple})
_MOST_FORMS = 10_000
"""Maximum number of moves whose JSON is kept, so that a game of many moves doesn't fill the memory."""


class Questions:
    """Makes the messages of one game. Keeps the JSON of its moves, as most of them are legal in many turns."""

    __slots__ = ("_forms", "_game")

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._forms: dict[Any, JSON] = {}

    def ask(
        self, state: Any, decision: Decision[Any], one: Seated, number: int, events: list[dict[str, Any]]
    ) -> Ask:
        """Return the ask with an id (`number`) for a seat's decision; `events` are those it hasn't been told."""
        game, legal = self._game, decision.legal
        view = game.view(state, one.seat)
        if legal is None:
            example = game.format_move(game.sample_move(state, one.seat, one.examples))
            return Ask(number, decision.kind, view, events, one.clock.time, UNSET, example)
        forms = self._forms
        try:
            listed = [forms[move] for move in legal]
        except (KeyError, TypeError):
            listed = self._listed(legal)
        return Ask(number, decision.kind, view, events, one.clock.time, listed)

    def _listed(self, legal: tuple[Any, ...]) -> list[JSON]:
        """Return the JSON of some moves, and keep it if it can be found again in less time than it takes to make."""
        format_move, forms = self._game.format_move, self._forms
        listed = [format_move(move) for move in legal]
        if len(forms) < _MOST_FORMS and all(type(move) in _CHEAPLY_HASHED for move in legal):
            forms.update(zip(legal, listed, strict=True))
        return listed


Turn = Sequence[Decision[Any]] | Outcome


def play_plain_turns(
    game: AnyGame,
    questions: Questions,
    table: Sequence[Seated],
    transcript: Transcript,
    state: Any,
    draw: Callable[[Draw], Drawn],
) -> tuple[Any, Turn, Reply | Fault | None]:
    """Play on from a state, and record it, until something else than a plain turn is to be done.

    Returns the state, what the rules say of it (`Game.turn`), and what the bot answered if it has been asked already.
    That answer is still to be judged. The seats are filled with bots, and nobody watches the turns or their pace.
    The given state may change.
    """
    turn_of, make, parse_move, format_move = game.turn, maker_of(game), game.parse_move, game.format_move
    question = questions.ask
    moves, events, answered = transcript.moves, transcript.events, transcript.decisions
    longest = game.info.longest_decisions
    most = DEFAULT_LONGEST if longest is None else longest
    draws_late = hasattr(game, "due")
    while True:
        turn = turn_of(state)
        if isinstance(turn, Outcome) or len(turn) != 1 or len(moves) >= most:
            return state, turn, None
        decision = turn[0]
        seat, legal = decision.seat, decision.legal
        one = table[seat]
        if legal is not None and len(legal) == 1:
            move = legal[0]
            record = {"seat": seat, "move": format_move(move), "by": "engine"}
        elif one.forfeit is not None:
            return state, turn, None
        else:
            player, clock = one.player, one.clock
            number = player.next_id()
            if one.first_ask is None:
                one.first_ask = number
            reply = player.ask(question(state, decision, one, number, one.untold(events)), clock.alone_ns)
            if isinstance(reply, Fault) or reply.wall_ns > clock.move_ns:
                return state, turn, reply
            try:
                move = parse_move(state, seat, reply.move)
            except IllegalMove:
                return state, turn, reply
            one.times.decisions += 1
            one.times.add(reply)
            answered.append((len(moves), seat, reply.wall_ns, reply.cpu_ns))
            record = {"seat": seat, "move": format_move(move), "by": "bot"}
            if reply.note:
                record["note"] = reply.note
        state, told = make(state, {seat: move})
        moves.append(record)
        events += told
        if draws_late:
            state, told = play_chance(game, state, draw)
            events += told
