"""Moves of Sandwich in words: what a player chose in a decision."""

from collections.abc import Mapping, Sequence

from arena.core.game import JSON
from arena.core.wording import Asked
from arena.games.sandwich.pictures import stacked


def chosen(asked: Asked, move: Mapping[str, JSON]) -> str:
    """Return what a player chose, from its move and what it was asked."""
    return _TELLERS[move["type"]](asked, move)


def _grab(asked: Asked, move: Mapping[str, JSON]) -> str:
    market = asked.view["market"]
    return f"wants {', then '.join(market[place] for place in move['order'])}"


def _offer(asked: Asked, move: Mapping[str, JSON]) -> str:  # noqa: ARG001 - as the others
    return f"offers seat {move['to']} {move['give']} for {move['want']}"


def _no_offer(asked: Asked, move: Mapping[str, JSON]) -> str:  # noqa: ARG001
    return "offers nothing"


def _answer(asked: Asked, move: Mapping[str, JSON]) -> str:  # noqa: ARG001
    return f"accepts {_numbers(move['accept'])}" if move["accept"] else "accepts nothing"


def _serve(asked: Asked, move: Mapping[str, JSON]) -> str:
    made = zip(asked.view["receivers"], move["sandwiches"], strict=True)
    return f"makes {'; '.join(f'{stacked(one)} for seat {to}' for to, one in made)}"


def _taste(asked: Asked, move: Mapping[str, JSON]) -> str:
    shown = asked.view["read_out"]
    return f"ranks {', then '.join(stacked(shown[place]) for place in move['ranking'])}"


def _numbers(accepted: Sequence[int]) -> str:
    return f"offer{'s' if len(accepted) > 1 else ''} {', '.join(map(str, accepted))}"


_TELLERS = {
    "grab": _grab,
    "offer": _offer,
    "no_offer": _no_offer,
    "answer": _answer,
    "serve": _serve,
    "taste": _taste,
}
