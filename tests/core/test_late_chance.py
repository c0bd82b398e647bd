"""Draws after the deal: recorded by numbered streams, replayed without a seed, and unknown to the state before."""

import json
import zlib
from typing import Any

import pytest

from arena.core.chance import Chance, Stream
from arena.core.errors import CorruptReplay
from arena.core.game import (
    EndlessDraws,
    Pick,
    Recorder,
    Roll,
    Shuffle,
    at_random,
    play_chance,
)
from arena.core.replay import check, draws_of, steps
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Reply, ScriptedPlayer
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from results.records import GameRecord
from tests.support.games import DICEY, DiceState

RULES = ruleset(DICEY.info)


def played(*, seed: bytes = b"x" * 32, dice: int = 0) -> tuple[GameRecord, dict[str, Any]]:
    """Return a game in which everybody passes with or without dice, and its body."""
    players = [ScriptedPlayer(lambda _: Reply({"type": "pass", "dice": dice}, None, 1, 1)) for _ in range(2)]
    entrants = [Entrant("a", "0"), Entrant("b", "0")]
    record = Referee().play(DICEY, players, entrants, Ticket("", 0, 0, (0, 1), RULES, seed))
    return record, json.loads(zlib.decompress(record.body))


def test_the_same_seed_gives_the_same_draws() -> None:
    assert played()[0].fingerprint == played()[0].fingerprint
    assert played(seed=b"y" * 32)[1]["chance"] != played()[1]["chance"]


def test_every_draw_has_a_stream_of_its_own() -> None:
    chance = played()[1]["chance"]
    dice = [name for name in chance if name.startswith("dice/")]
    assert sorted(dice, key=lambda name: int(name[5:])) == [f"dice/{number}" for number in range(len(dice))]
    assert len(dice) > 3
    assert sorted(chance["cards/0"]) == [1, 2, 3]
    assert chance["dice/2"] == list(Chance(seed=b"x" * 32).integers("dice/2", 1, 1, 6))


def test_a_replay_needs_no_seed() -> None:
    _, body = played()
    check(DICEY, body)
    assert [event.kind for event in next(iter(steps(DICEY, body))).events][:2] == ["begun", "shuffled"]


@pytest.mark.parametrize(
    "change",
    [
        lambda chance: chance.update({"dice/0": [7]}),
        lambda chance: chance.update({"dice/0": [True]}),
        lambda chance: chance.update({"dice/0": [2, 2]}),
        lambda chance: chance.update({"dice/99": [2]}),
        lambda chance: chance.pop("dice/1"),
        lambda chance: chance.update({"cards/0": [1, 2, 2]}),
    ],
)
def test_a_replay_with_other_draws_is_refused(change: Any) -> None:
    _, body = played()
    change(body["chance"])
    with pytest.raises(CorruptReplay):
        check(DICEY, body)


def test_all_draws_follow_from_the_seed() -> None:
    _, body = played()
    assert json.loads(json.dumps(draws_of(DICEY, RULES, 2, body, b"x" * 32))) == body["chance"]
    try:
        others = draws_of(DICEY, RULES, 2, body, b"z" * 32)
    except CorruptReplay:
        return  # on other dice the game takes another course
    assert others != body["chance"]


def test_at_the_cap_the_game_is_over_by_the_scores_so_far() -> None:
    record, body = played(dice=1)
    assert len(body["moves"]) == 40
    assert body["events"][-1] == {"kind": "cap", "data": {"decisions": 40}}
    assert body["verdicts"] == [None, None]
    assert tuple(seat.score for seat in record.seats) == tuple(body["scores"]) != (0, 0)
    assert max(body["scores"]) < 10
    check(DICEY, body)
    body["events"][-1]["data"]["decisions"] = 39
    with pytest.raises(CorruptReplay, match="event"):
        check(DICEY, body)


def test_dice_are_fair() -> None:
    thrown = Chance(seed=b"fair").integers("dice", 60_000, 1, 6)
    assert set(thrown) == set(range(1, 7))
    assert all(abs(thrown.count(face) - 10_000) < 400 for face in range(1, 7))


def test_a_pick_is_a_draw_like_any_other() -> None:
    chance = Chance(seed=b"odds")
    make = Recorder(chance)
    drawn = [make(Pick("coin", ("head", "tail"), (1, 3)))[0] for _ in range(400)]
    assert chance.record["coin/399"] == [drawn[-1]]
    assert 60 < drawn.count("head") < 140


def test_one_stream_is_drawn_from_once() -> None:
    chance = Chance(seed=b"once")
    chance.integers("dice/0", 1, 1, 6)
    with pytest.raises(AssertionError, match="twice"):
        Recorder(chance)(Roll("dice", 1, 1, 6))


def test_a_bot_plays_a_guess_on_with_its_own_numbers() -> None:
    make = at_random(Stream(b"bot", "numbers"))
    assert all(1 <= die <= 6 for die in make(Roll("dice", 100, 1, 6)))
    assert sorted(make(Shuffle("cards", (3, 1, 2)))) == [1, 2, 3]
    assert {make(Pick("coin", ("head", "tail"), (1, 2)))[0] for _ in range(50)} == {"head", "tail"}
    state, events = play_chance(DICEY, DiceState(0, (0, 0), True), make)
    assert not state.casting
    assert {event.kind for event in events} == {"shuffled", "cast"}


def test_draws_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.core.game.MOST_DRAWS_AT_ONCE", 5)
    with pytest.raises(EndlessDraws, match="'dicey' asked for 5 draws"):
        play_chance(
            DICEY, DiceState(0, (0, 0), True), lambda draw: (1, 2, 3) if isinstance(draw, Shuffle) else (1,)
        )
