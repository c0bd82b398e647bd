"""`arena_engine` thinks ahead in any game: guesses that go on, quick playouts, values and the search on top."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from arena import registry
from arena.core.chance import Chance, Stream
from arena.core.errors import ArenaError
from arena.core.foresight import foresight
from arena.core.game import AnyGame, Outcome, Recorder, play_chance
from arena.core.ruleset import ruleset
from arena.engine import ForwardModel, IllegalMove, search
from arena.engine.search import Candidate
from tests.support.asked_bots import asks

EXAMPLES = Path(__file__).parents[2] / "examples"
NO_TIME = {"time": {"move_ms": 0}}


def example(name: str) -> AnyGame:
    """Return the game of an example's package."""
    sys.path.insert(0, str(EXAMPLES / name / "src"))
    try:
        return import_module(f"{name}.game" if name in ("goofspiel", "pig", "nim") else name).GAME  # type: ignore[no-any-return]
    finally:
        del sys.path[0]


def asked(
    game: AnyGame, cards: Mapping[str, Sequence[Any]], moves: Sequence[Any], options: Mapping[str, Any] = {}
) -> tuple[ForwardModel, dict[str, Any]]:
    """Return what the seat that decides first after some moves is asked, in a game with these draws."""
    rules = game.resolve(ruleset(game.info, None, dict(options)), 2)
    chance = Chance(record={name: list(drawn) for name, drawn in cards.items()})
    state, events = game.deal(2, rules, chance)
    state, more = play_chance(game, state, Recorder(chance))
    told = [*events, *more]
    for move in moves:
        turn: Any = game.turn(state)
        state, events = game.apply(state, {one.seat: move for one in turn})
        state, more = play_chance(game, state, Recorder(chance))
        told += [*events, *more]
    turn = game.turn(state)
    seat = turn[0].seat
    kit = SimpleNamespace(
        game=game.info.name,
        options=dict(rules.options),
        seat=seat,
        seats=2,
        private=game.private(state, seat),
        rng=Random(1),
        events=[event.seen_by(seat) for event in told],
    )
    legal = [game.format_move(move) for move in turn[0].legal]
    return ForwardModel(kit, game), {"view": game.view(state, seat), "legal": legal}


class Ears:
    """A guesser that only notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def hear(self, events: Sequence[Any]) -> None:
        self.heard += events

    def worlds(self, view: Mapping[str, Any], count: int, rng: Any) -> list[Any]:  # noqa: ARG002 - like Guesser
        return []


def test_a_guesser_hears_each_event_once_however_many_models_there_are() -> None:
    ears = Ears()
    for ask, kit, _ in asks(registry.game("bread-basket"), "tens", 2, 0, 1):
        model = ForwardModel(kit)
        model.foresight = replace(model.foresight, guesser=lambda *_: ears)
        model.guesses(ask, 3)
        model.guesses(ask, 3)
        assert ears.heard == kit.events


@pytest.mark.parametrize("name", ["bread-basket", "bread-and-chocolate", "sandwich"])
def test_guesses_that_go_on_look_like_the_present(name: str) -> None:
    game = registry.game(name)
    table = {"bread-basket": ("tens", 3), "bread-and-chocolate": ("shram", 3), "sandwich": ("en", 3)}[name]
    for number, (ask, kit, _) in enumerate(asks(game, *table, 1, 5)):
        if number % 6 == 0:
            for position in ForwardModel(kit).guesses(ask, 3):
                assert position.view(1) == ask["view"]
                assert position.legal(1) == ask["legal"]


@pytest.mark.parametrize("name", ["bread-basket", "bread-and-chocolate", "sandwich"])
def test_a_quick_playout_ends_with_the_hand(name: str) -> None:
    game = registry.game(name)
    table = {"bread-basket": ("tens", 2), "bread-and-chocolate": ("pagat", 2), "sandwich": ("fr", 3)}[name]
    ask, kit, _ = next(asks(game, *table, 0, 5))
    position = ForwardModel(kit).guess(ask)
    before = [position.view(seat) for seat in range(kit.seats)]
    stage_of = foresight(game).stage
    stage = stage_of(position.state)
    reached = []
    model = ForwardModel(kit)
    policy = model.foresight.policy

    def watched(state: Any, seat: int, rng: Any) -> Any:
        reached.append(stage_of(state))
        return policy(state, seat, rng)

    model.foresight = replace(model.foresight, policy=watched)
    assert len(model.guess(ask).simulate("quick")) == kit.seats
    assert reached
    assert set(reached) == {stage}
    assert [position.view(seat) for seat in range(kit.seats)] == before


def test_a_playout_that_is_broken_off_counts_the_cards_left() -> None:
    ask, kit, _ = next(asks(registry.game("bread-and-chocolate"), "pagat", 2, 0, 5))
    position = ForwardModel(kit).guess(ask)
    assert position.simulate("quick", decisions=0) == (-6, -6)
    assert position.simulate(decisions=0) == (0, 0)


@pytest.mark.parametrize("name", ["pig", "goofspiel"])
def test_all_moves_meet_the_same_chance(name: str) -> None:
    """The same move is worth the same, though dice fall after it, or others decide at the same time."""
    game = example(name)
    ask, kit, _ = next(
        one for one in asks(game, next(iter(game.info.rulesets)), 2, 0, 1) if len(one[0]["legal"]) > 1
    )
    position = ForwardModel(kit, game).guess(ask)
    first, second = ask["legal"][:2]
    one, other, again = position.values([first, second, first], times=30, seat=0)
    assert one == again != other
    assert len({position.values([first], seat=0)[0] for _ in range(20)}) > 1


def test_values_refuse_what_is_illegal() -> None:
    ask, kit, _ = next(asks(registry.game("bread-basket"), "tens", 2, 0, 5))
    position = ForwardModel(kit).guess(ask)
    with pytest.raises(IllegalMove, match="stopping is possible only after the first"):
        position.values([{"type": "stop"}])


def test_the_value_of_a_move_is_the_lead_it_brings() -> None:
    """Kuhn poker, worked by hand: a fold costs 1 and so is worth −2; a call with a king wins 2, with a jack loses 2."""
    kuhn = example("kuhn")
    for card, lead in (("K", 4.0), ("J", -4.0)):
        deck = ("Q", card, "J" if card == "K" else "K")
        model, ask = asked(kuhn, {"deck": deck}, ["bet"])
        position = model.guess(ask)
        assert position.values([{"type": "fold"}, {"type": "call"}], times=3) == [-2.0, lead]
        assert search.search(model, ask, worlds=8).move == {"type": "call" if card == "K" else "fold"}


def test_dice_are_cast_after_a_move() -> None:
    """With 40 of 50 points and a pot of 10, holding wins by 50; casting leads to one of six states."""
    pig = example("pig")
    model, ask = asked(pig, {"start/0": (6, 1), "die/0": (2,)}, ["cast"], {"target": 50})
    position = model.guess({**ask, "view": {**ask["view"], "banked": [40, 0], "pot": 10}})
    hold, cast = position.values([{"type": "hold"}, {"type": "cast"}], times=20)
    assert hold == 50
    assert 0 < cast < 60
    assert cast != round(cast)


def test_worlds_are_counted_and_moves_given_up_by_halves() -> None:
    ask, kit, _ = next(asks(registry.game("bread-basket"), "tens", 2, 0, 5))
    found = search.search(ForwardModel(kit), ask, worlds=60)
    worlds = [candidate.worlds for candidate in found.candidates]
    assert len(worlds) == len(ask["legal"])
    assert worlds[0] == worlds[1] == 60 == max(worlds)
    assert sorted(worlds, reverse=True) == worlds
    for number in set(worlds):
        kept = sum(other >= number for other in worlds)
        assert kept <= max(2, -(-len(worlds) // 2 ** (sorted(set(worlds)).index(number))))
    values = [one.value for one in found.candidates if one.worlds == 60]
    assert values == sorted(values, reverse=True)


def test_the_same_numbers_find_the_same_move() -> None:
    def found(seed: int) -> list[tuple[Any, list[float]]]:
        ask, kit, _ = next(asks(registry.game("bread-basket"), "tens", 2, 0, 5))
        kit.rng = Random(seed)
        return [(one.move, one.leads) for one in search.search(ForwardModel(kit), ask, worlds=12).candidates]

    assert found(1) == found(1) != found(2)


def test_without_time_it_makes_the_move_of_the_policy() -> None:
    for number, (ask, kit, _) in enumerate(asks(registry.game("bread-basket"), "tens", 2, 0, 5)):
        model = ForwardModel(kit)
        usual = model.rules.parse_move(model.guess(ask).state, 0, ask["legal"][number % len(ask["legal"])])
        model.foresight = replace(model.foresight, policy=lambda *_, usual=usual: usual)
        found = search.search(model, {**ask, **NO_TIME})
        assert found.move == model.rules.format_move(usual)
        assert found.candidates[0].worlds == 0


def test_it_stops_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on by a millisecond with each look at it."""
    now = [0.0]

    def clock() -> float:
        now[0] += 0.001
        return now[0]

    monkeypatch.setattr(search, "monotonic", clock)
    ask, kit, _ = next(asks(registry.game("bread-basket"), "tens", 2, 0, 5))
    found = search.search(ForwardModel(kit), ask, seconds=1.0)
    assert now[0] == pytest.approx(1.0, abs=0.02)
    assert found.candidates[0].worlds > 100
    assert {one.worlds > 0 for one in found.candidates} == {True}


def test_composed_and_simultaneous_moves_are_searched() -> None:
    game = registry.game("sandwich")
    for ask, kit, state in list(asks(game, "en", 3, 0, 2))[:20:4]:
        found = search.search(ForwardModel(kit), ask, worlds=4)
        game.parse_move(state, 0, found.move)
        assert 1 < len({str(one.move) for one in found.candidates}) <= 12 or ask["kind"] == "answer"


def test_how_far_one_is_behind_is_measured_in_the_same_worlds() -> None:
    one, other = Candidate("a", [1.0, 5.0, 9.0]), Candidate("b", [2.0, 6.0])
    assert one.behind(other) == (1.0, 0.0)
    assert (one.value, one.worlds) == (5.0, 3)
    assert one.error == pytest.approx((32 / 2 / 3) ** 0.5)
    assert Candidate("c", []).error == float("inf")


def test_a_game_without_a_guess_says_so() -> None:
    model, ask = asked(example("roshambo"), {}, [])
    assert not model.can_guess
    with pytest.raises(ArenaError, match="has no guess"):
        search.search(model, ask, worlds=4)


@pytest.mark.slow
def test_it_beats_random_moves_in_a_game_with_simultaneous_bids() -> None:
    game = example("goofspiel")
    ahead = 0
    for seed in range(20):
        rules = game.resolve(ruleset(game.info, None, {"cards": 7}), 2)
        chance, rng = Chance(b"%d" % seed), Stream(b"%d" % seed, "moves")
        state, events = game.deal(2, rules, chance)
        kit = SimpleNamespace(
            game="goofspiel", options=dict(rules.options), seat=0, seats=2, private={}, rng=Random(seed)
        )
        kit.events = [event.seen_by(0) for event in events]
        while not isinstance(turn := game.turn(state), Outcome):
            moves = {one.seat: game.sample_move(state, one.seat, rng) for one in turn}
            legal = [game.format_move(move) for move in turn[0].legal or ()]
            found = search.search(
                ForwardModel(kit, game), {"view": game.view(state, 0), "legal": legal}, worlds=60
            )
            state, events = game.apply(state, {**moves, 0: game.parse_move(state, 0, found.move)})
            kit.events += [event.seen_by(0) for event in events]
        ahead += (turn.ranks[0] < turn.ranks[1]) - (turn.ranks[0] > turn.ranks[1])
    assert ahead >= 10
