"""The messages `start` and `ask` of one game, in play or stored."""

from typing import Any

from msgspec import UNSET, structs

from arena.core.chance import Stream
from arena.core.game import JSON, AnyGame, Decision
from arena.core.ticket import Ticket
from protocol.messages import Ask, Clock, Limits, Start, Time

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
        self,
        state: Any,
        decision: Decision[Any],
        number: int,
        events: list[dict[str, Any]],
        time: Time,
        examples: Stream,
    ) -> Ask:
        """Return the ask with an id (`number`) for a decision; `events` are those that its seat hasn't been told."""
        game, seat, legal = self._game, decision.seat, decision.legal
        view = game.view(state, seat)
        if legal is None:
            example = game.format_move(game.sample_move(state, seat, examples))
            return Ask(number, decision.kind, view, events, time, UNSET, example)
        forms = self._forms
        try:
            listed = [forms[move] for move in legal]
        except (KeyError, TypeError):
            listed = self._listed(legal)
        return Ask(number, decision.kind, view, events, time, listed)

    def _listed(self, legal: tuple[Any, ...]) -> list[JSON]:
        """Return the JSON of some moves, and keep it if it can be found again in less time than it takes to make."""
        format_move, forms = self._game.format_move, self._forms
        listed = [format_move(move) for move in legal]
        if len(forms) < _MOST_FORMS and all(type(move) in _CHEAPLY_HASHED for move in legal):
            forms.update(zip(legal, listed, strict=True))
        return listed


def start_message(
    game: AnyGame, state: Any, ticket: Ticket, seat: int, clock: Clock, limits: Limits, bot_seed: int
) -> Start:
    """Return the message that begins a game at a seat; `state` is that after the deal."""
    line_bytes = max(limits.line_bytes, game.info.line_bytes)
    return Start(
        game=game.info.name,
        ruleset=ticket.ruleset.name,
        options=dict(ticket.ruleset.options),
        seat=seat,
        seats=len(ticket.entries),
        bot_seed=bot_seed,
        clock=clock,
        limits=structs.replace(limits, line_bytes=line_bytes),
        private=game.private(state, seat),
    )
