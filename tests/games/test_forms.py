"""Every composed move of the games can be made by filling a form, and nonsense in a form is refused in words."""

import random
from contextlib import suppress
from typing import Any

import pytest

from arena import registry
from arena.core.chance import Chance
from arena.core.errors import IllegalMove
from arena.core.game import Outcome, Recorder, play_chance
from arena.core.move_words import Asked, Filled, Form, FormWording, Unreadable, wording_of
from arena.core.ruleset import ruleset

TABLES: dict[str, tuple[int, dict[str, object]]] = {
    "bread-and-chocolate": (2, {"hands": 3}),
    "sandwich": (4, {"rounds": 1, "trading": True, "tasting": "free", "open": True}),
}


def filled(form: Form, rng: random.Random) -> Filled:
    free = {item.key: item for item in form.items}
    slots = []
    for number, slot in enumerate(form.slots):
        fitting = [key for key, item in free.items() if item.slot in (None, number)]
        chosen = rng.sample(fitting, slot.most)
        for key in chosen:
            del free[key]
        slots.append(tuple(chosen))
    return Filled(tuple(slots), tuple("good" if slot.word_chars else "" for slot in form.slots))


@pytest.mark.parametrize(
    ("name", "seats"), [*((name, seats) for name, (seats, _) in TABLES.items()), ("sandwich", 3)]
)
def test_filled_forms_are_legal_moves(name: str, seats: int) -> None:
    _, options = TABLES[name]
    game, rng, kinds = registry.game(name), random.Random(5), set()
    rules = game.resolve(ruleset(game.info, None, options), seats)
    wording = wording_of(game)
    assert isinstance(wording, FormWording)
    chance = Chance(seed=b"1" * 32)
    draw = Recorder(chance)
    state, _ = game.deal(seats, rules, chance)
    while True:
        state, _ = play_chance(game, state, draw)
        turn = game.turn(state)
        if isinstance(turn, Outcome):
            break
        moves: dict[int, Any] = {}
        for decision in turn:
            legal = None if decision.legal is None else [game.format_move(move) for move in decision.legal]
            asked = Asked(decision.kind, game.view(state, decision.seat), rules.options, legal)
            form = wording.form(asked)
            if form is None:
                assert legal is not None
                moves[decision.seat] = rng.choice(decision.legal or ())
                continue
            kinds.add(decision.kind)
            assert len({item.key for item in form.items}) == len(form.items)
            assert len({slot.title for slot in form.slots}) == len(form.slots), (
                "each can be told from the others"
            )
            made = wording.composed(filled(form, rng), asked)
            moves[decision.seat] = game.parse_move(state, decision.seat, made)
            for other in form.instead:
                game.parse_move(state, decision.seat, other.move)
            for wrong in (Filled(()), Filled((("nothing",),)), Filled(((),) * len(form.slots))):
                with suppress(Unreadable, IllegalMove):  # and nothing else
                    game.parse_move(state, decision.seat, wording.composed(wrong, asked))
        state, _ = game.apply(state, moves)
    assert kinds == (
        {"discard"} if name == "bread-and-chocolate" else {"grab", "offer", "answer", "serve", "taste"}
    )
