"""`arena_engine`: positions that look like the present to a bot, played on by the rules, and typed messages."""

import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from arena import registry
from arena.core.ruleset import ruleset
from arena.engine import (
    ForwardModel,
    IllegalMove,
    NoSuchRules,
    Position,
    bread_and_chocolate_types,
    bread_basket_types,
    sandwich_types,
)
from arena.sandbox.bot_program import stage_engine
from tests.support.asked_bots import asks

TYPED: dict[str, Any] = {
    "bread-basket": bread_basket_types,
    "bread-and-chocolate": bread_and_chocolate_types,
    "sandwich": sandwich_types,
}
TABLES = [
    (name, rules, seats)
    for name in TYPED
    for rules in registry.game(name).info.rulesets
    for seats in registry.game(name).seats(ruleset(registry.game(name).info, rules))
]
SECOND = ("bread-basket", "tens+chef_second=on", 2)
"""An option that the messages leave out while it is off."""
QUICK = [("bread-basket", "tens", 3), SECOND, ("bread-and-chocolate", "shram", 2), ("sandwich", "en", 3)]
SOME = [pytest.param(*one, marks=() if one in QUICK else pytest.mark.slow) for one in [*TABLES, SECOND]]


@pytest.mark.parametrize(("name", "rules", "seats"), SOME)
def test_a_guess_looks_like_the_present_and_can_be_played_to_its_end(
    name: str, rules: str, seats: int
) -> None:
    game = registry.game(name)
    for number, (ask, kit, _) in enumerate(asks(game, rules, seats, 1, 7)):
        if number % 5:
            continue
        position = ForwardModel(kit).guess(ask)
        assert 1 in position.to_move
        assert position.view(1) == ask["view"]
        assert position.legal(1) == ask["legal"]
        before = [position.view(seat) for seat in range(seats)]
        assert len(position.simulate()) == seats
        assert len(position.simulate(lambda at, seat: at.some_move(seat), decisions=3)) == seats
        assert [position.view(seat) for seat in range(seats)] == before
        other = position.copy()
        other.play({1: other.some_move(1)})
        assert [position.view(seat) for seat in range(seats)] == before


@pytest.mark.parametrize(("name", "rules", "seats"), SOME)
def test_each_view_and_move_has_its_typed_form(name: str, rules: str, seats: int) -> None:
    module: ModuleType = TYPED[name]
    game = registry.game(name)
    for ask, kit, state in asks(game, rules, seats, 0, 3):
        view = module.View.of({**ask["view"], "a later key": 1})
        assert {field.name for field in fields(view)} == set(ask["view"])
        for key, value in ask["view"].items():
            if key != "offers":
                assert listed(getattr(view, key)) == value
        for raw in ask["legal"] or [game.format_move(game.sample_move(state, 0, kit.rng))]:
            assert module.read_move(raw).json() == raw
    if kit.private:
        assert {field.name for field in fields(module.Private.of(kit.private))} == set(kit.private)


def listed(value: Any) -> Any:
    return [listed(item) for item in value] if isinstance(value, tuple) else value


def test_guesses_differ_and_repeat_with_the_same_random_numbers() -> None:
    game = registry.game("bread-basket")
    ask, kit, _ = next(asks(game, "tens", 3, 0, 1))
    model = ForwardModel(kit)

    def hands(seed: int) -> list[Any]:
        kit.rng = Random(seed)
        return [model.guess(ask).view(2)["hand"] for _ in range(5)]

    assert hands(1) == hands(1) != hands(2)


def test_the_best_of_simulated_moves_beats_random_ones() -> None:
    """With perfect knowledge of one hand, looking a few moves ahead takes more points than playing at random."""
    game = registry.game("bread-basket")
    wins = 0
    for seed in range(16):
        ask, kit, _ = next(asks(game, "tens", 2, 0, seed))
        position = ForwardModel(kit).guess(ask)
        while not position.over:
            if position.to_move == (0,):
                position.play(max(position.legal() or [], key=lambda move: ahead(position, move)))
            else:
                position.play(position.some_move())
        wins += position.scores[0] > position.scores[1]
    assert wins >= 12  # at random, 4 % of the time


def ahead(position: Position, move: Any) -> float:
    after = position.copy()
    after.play(move)
    return sum(scores[0] - scores[1] for scores in (after.simulate(decisions=12) for _ in range(3)))


def test_typed_and_plain_moves_are_played_alike() -> None:
    ask, kit, _ = next(asks(registry.game("bread-basket"), "tens", 2, 0, 5))
    position = ForwardModel(kit).guess(ask)
    card = position.view(0)["hand"][0]
    one, other = position.copy(), position.copy()
    one.play({"type": "play", "card": card})
    other.play(bread_basket_types.Play(card))
    assert one.view(0) == other.view(0) != position.view(0)


def test_what_cannot_be_played_says_why() -> None:
    ask, kit, _ = next(asks(registry.game("bread-basket"), "tens", 2, 0, 5))
    position = ForwardModel(kit).guess(ask)
    with pytest.raises(IllegalMove, match="stopping is possible only after the first"):
        position.play({"type": "stop"})
    with pytest.raises(ValueError, match="seat 0 decides now"):
        position.play({1: {"type": "stop"}})
    with pytest.raises(ValueError, match="seat 0 decides now"):
        position.legal(1)
    while not position.over:
        position.play(position.some_move())
    with pytest.raises(ValueError, match="the game is over"):
        position.play({"type": "stop"})


def test_when_several_decide_the_seat_is_named() -> None:
    ask, kit, _ = next(asks(registry.game("sandwich"), "en", 3, 0, 5))
    position = ForwardModel(kit).guess(ask)
    assert position.to_move == (0, 1, 2)
    with pytest.raises(ValueError, match="seats 0, 1, 2 decide at the same time"):
        position.play(position.some_move(0))
    position.play({0: position.some_move(0)})


def test_rules_of_other_packages_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "examples" / "pig" / "src")
    game = import_module("pig.game").GAME
    seen = list(asks(game, next(iter(game.info.rulesets)), 2, 0, 1))
    ask, kit, _ = seen[len(seen) // 2]
    with pytest.raises(NoSuchRules, match="the rules of 'pig' can't be imported"):
        ForwardModel(kit)
    position = ForwardModel(kit, game).guess(ask)
    assert position.view(0) == ask["view"]
    assert max(position.simulate()) > 0


def test_it_is_imported_by_a_clean_interpreter(tmp_path: Path) -> None:
    """Nothing but the standard library and what is copied for bots is there."""
    engine = stage_engine(tmp_path / "engine")
    program = (
        "import sys, arena_engine, arena_engine.bread_basket_types, arena_engine.sandwich_types\n"
        "import arena_engine.bread_and_chocolate_types\n"
        "arena_engine.forward_model.rules_of('bread-basket'), arena_engine.forward_model.rules_of('sandwich')\n"
        "arena_engine.forward_model.rules_of('bread-and-chocolate')\n"
        "here = sys.argv[1]\n"
        "print([m for m in sys.modules.values() if 'site-packages' in (getattr(m, '__file__', '') or '')])\n"
        "print(sorted(n for n in sys.modules if n.partition('.')[0] in ('results', 'protocol', 'msgspec')))\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(engine)!r})\n{program}",
            "x",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")


PAGE = (Path(__file__).parents[2] / "docs" / "thinking-ahead.md").read_text(encoding="utf-8")
THINKER, TYPED_BOT = [part.partition("```")[0] for part in PAGE.split("```python\n")[1:]][::2]
SOME_MOVE = """
from arena_kit import run
from arena_engine import ForwardModel
run(lambda ask, game: ForwardModel(game).guess(ask).some_move(game.seat))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seats", "program"),
    [
        pytest.param("bread-basket", 2, THINKER, id="of the page"),
        pytest.param("bread-basket", 2, f"{TYPED_BOT}\nfrom arena_kit import run\nrun(choose)\n", id="typed"),
        pytest.param("bread-and-chocolate", 2, SOME_MOVE, id="bread-and-chocolate"),
        pytest.param("sandwich", 3, SOME_MOVE, id="sandwich"),
    ],
)
def test_a_bot_thinks_ahead_in_a_real_match(tmp_path: Path, game: str, seats: int, program: str) -> None:
    bot = tmp_path / "thinker"
    bot.mkdir()
    (bot / "bot.py").write_text(program)
    (bot / "bot.toml").write_text(
        'name = "thinker"\nauthor = "me"\ncommand = ["python3", "bot.py"]\n'
        f'games = ["{game}"]\nkit = true\nengine = true\n'
    )
    others = [str(Path(__file__).parents[2] / "bots" / "any_game" / "random")] * (seats - 1)
    arena = Path(sys.executable).with_name("arena")
    done = subprocess.run(
        [arena, "match", bot, *others, "--game", game],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "thinker" in done.stdout
    assert "forfeit" not in done.stdout
