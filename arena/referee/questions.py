"""What a seat is asked: the message of a decision."""

from typing import Any

from msgspec import UNSET

from arena.core.game import JSON, AnyGame, Decision
from arena.referee.seated import Seated
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
