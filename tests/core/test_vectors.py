"""Test vectors: games as plain data, from which another program can check its rules."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import registry
from arena.core.chance import Chance
from arena.core.game import AnyGame, Outcome, Recorder, play_chance
from arena.core.replay import event_json
from arena.core.ruleset import ruleset
from arena.core.vectors import vectors
from tests.support.games import DICEY, Dicey
from tests.support.leagues import arena_here

GAMES = [
    (registry.game("bread-basket"), "extra", 3),
    (registry.game("bread-and-chocolate"), "shram", 2),
    (registry.game("sandwich"), "en", 4),
    (DICEY, "plain", 2),
]


def lines_of(game: AnyGame, rules: str, seats: int, seed: str = "1", number: int = 0) -> list[dict[str, Any]]:
    """Return the lines of a game as they are read from a file."""
    resolved = game.resolve(ruleset(game.info, rules), seats)
    lines: list[dict[str, Any]]
    lines = json.loads(json.dumps(list(vectors(game, resolved, seats, seed, number)), allow_nan=False))
    return lines


@pytest.mark.parametrize(("game", "rules", "seats"), GAMES, ids=lambda given: getattr(given, "info", given))
def test_a_program_with_the_same_rules_comes_to_the_same_lines(game: AnyGame, rules: str, seats: int) -> None:
    deal, *turns, end = lines_of(game, rules, seats)
    assert (deal["type"], deal["game"], deal["rules_version"]) == ("deal", game.info.name, game.info.version)
    drawn: dict[str, Any] = {}
    for line in (deal, *turns):
        drawn |= line["chance"]
    resolved = game.resolve(ruleset(game.info, rules), seats)
    assert deal["options"] == json.loads(json.dumps(dict(resolved.options)))
    chance = Chance(record=drawn)
    draw = Recorder(chance)
    state, events = game.deal(seats, resolved, chance)
    state, more = play_chance(game, state, draw)
    assert deal["private"] == [game.private(state, seat) for seat in range(seats)]
    assert deal["events"] == [event_json(event) for event in (*events, *more)]
    for line in turns:
        turn = game.turn(state)
        assert not isinstance(turn, Outcome)
        assert [one["seat"] for one in line["asks"]] == [one.seat for one in turn]
        moves = {}
        for one, ask, made in zip(turn, line["asks"], line["moves"], strict=True):
            assert (ask["kind"], made["seat"]) == (one.kind, one.seat)
            assert ask["view"] == json.loads(json.dumps(game.view(state, one.seat)))
            legal = None if one.legal is None else [game.format_move(move) for move in one.legal]
            assert ask["legal"] == json.loads(json.dumps(legal))
            moves[one.seat] = game.parse_move(state, one.seat, made["move"])
        state, events = game.apply(state, moves)
        state, more = play_chance(game, state, draw)
        assert line["events"] == json.loads(json.dumps([event_json(event) for event in (*events, *more)]))
        assert line["scores"] == list(game.scores(state))
    assert chance.record.keys() == drawn.keys()
    assert end["type"] == "end"
    assert end["decision"] == sum(len(line["moves"]) for line in turns)
    assert end["view"] == json.loads(json.dumps(game.view(state, None)))
    turn = game.turn(state)
    assert isinstance(turn, Outcome)
    assert (end["scores"], end["ranks"], end["events"]) == ([*turn.scores], [*turn.ranks], [])


class Short(Dicey):
    """Ends after three moves; seats pass with 0 by its policy, and with 1 otherwise."""

    info = replace(DICEY.info, longest_decisions=3)

    def policy(self, state: Any, seat: int, rng: Any) -> int:  # noqa: ARG002 - always the same
        return 0

    def sample_move(self, state: Any, seat: int, rng: Any) -> int:  # noqa: ARG002 - always the same
        return 1


def test_a_game_that_its_cap_ends_says_so() -> None:
    *_, end = lines_of(Short(), "plain", 2)
    assert end["decision"] == 3
    assert end["events"] == [{"kind": "cap", "data": {"decisions": 3}}]


def test_both_sensible_and_odd_moves_are_made() -> None:
    lines = [line for number in range(10) for line in lines_of(Short(), "plain", 2, number=number)]
    made = [move["move"]["dice"] for line in lines for move in line.get("moves", ())]
    assert len(made) == 30
    assert 5 < sum(made) < 25


def test_seed_and_number_decide_the_game() -> None:
    game = registry.game("bread-basket")
    first = lines_of(game, "tens", 2)
    assert lines_of(game, "tens", 2) == first
    others = [lines_of(game, "tens", 2, number=1), lines_of(game, "tens", 2, seed="2")]
    assert len({json.dumps(one[0]["chance"]) for one in (first, *others)}) == 3


def test_the_command_writes_lines_and_files(tmp_path: Path) -> None:
    words = (
        "games",
        "vectors",
        "bread-basket",
        "--ruleset",
        "none",
        "--seats",
        "3",
        "--seats",
        "2",
        "-n",
        "2",
    )
    told = arena_here(*words, "-o", "hands=1", cwd=tmp_path)
    deals = [line for line in map(json.loads, told.stdout.splitlines()) if line["type"] == "deal"]
    assert [(deal["seats"], deal["number"]) for deal in deals] == [(3, 0), (3, 1), (2, 0), (2, 1)]
    assert {deal["ruleset"] for deal in deals} == {"none+hands=1"}
    assert arena_here(*words, "-o", "hands=1", "-O", "lines.jsonl", cwd=tmp_path).returncode == 0
    assert (tmp_path / "lines.jsonl").read_text() == told.stdout
    again = arena_here(*words, "-O", "lines.jsonl", cwd=tmp_path)
    assert (again.returncode, "already exists" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nim",), "there is no game 'nim'"),
        (("bread-basket", "--seats", "7"), "bread-basket (tens) is for 2 to 6 players, not 7"),
        (("bread-basket", "--ruleset", "tans"), "has no ruleset 'tans'"),
        (("bread-basket", "-o", "hands=0"), "hands"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    told = arena_here("games", "vectors", *words, cwd=tmp_path)
    assert told.returncode == 2
    assert said in " ".join(told.stderr.split())
    assert "hint:" in told.stderr
