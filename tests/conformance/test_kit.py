"""The kit itself: it never hangs, and its names are those of what is installed."""

import ast
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from arena_conformance import __main__ as runner
from arena_conformance import plugin, random_games, test_foresight, test_random_play
from arena_conformance.plugin import limited
from arena_conformance.random_games import GameSetup, again, play, played, several

from arena.core.errors import IllegalMove
from arena.core.game import Decision, Outcome, Roll
from arena.core.move_parsing import maker_of
from arena.core.ruleset import GameInfo
from arena.games.sandwich.state import Grab, NoOffer
from arena.registry import game, schedules
from results.base.plugins import Broken, Found


class Endless:
    """Bread Basket that nobody ever finishes: the outcome comes too late for the kit."""

    def __init__(self, longest: int | None) -> None:
        whole = game("bread-basket")
        self._whole = whole
        self.info = GameInfo("endless", "Endless", 1, "Of the tests.", {"tens": {}}, whole.info.options)
        self.info = GameInfo(
            **{name: getattr(whole.info, name) for name in GameInfo.__slots__ if name != "longest_decisions"},
            longest_decisions=longest,
        )

    def __getattr__(self, name: str) -> object:
        return getattr(self._whole, name)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> GameSetup:
    """Return a table of a game that the kit takes for endless after 20 moves."""
    monkeypatch.setattr(random_games, "game", lambda _: Endless(None))
    monkeypatch.setattr(random_games, "DEFAULT_LONGEST", 20)
    return GameSetup("endless of these tests", "tens", 2)


def test_a_game_without_an_end_fails_and_is_not_played_twice(
    endless: GameSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AssertionError, match="no end after 20 moves at random"):
        played(endless)
    monkeypatch.setattr(random_games, "play", lambda *_: pytest.fail("played again"))
    with pytest.raises(AssertionError, match="no end after 20 moves at random"):
        played(endless)


class Wrong:
    """Bread Basket with one member that isn't as it should be."""

    def __init__(self, **members: Any) -> None:
        self._whole = game("bread-basket")
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> object:
        return getattr(self._whole, name)


@pytest.mark.parametrize(
    ("member", "wrong", "said"),
    [
        ("apply", maker_of(game("bread-basket")), "`apply` or `drawn` changes the state it is given"),
        ("turn", lambda _: (), "it is nobody's turn and the game is not over"),
        ("turn", lambda _: Decision(0, "play", (1,)), "`turn` returns a Decision: return a tuple"),
        ("turn", lambda _: (Decision(0, "play", ()),), "asks seat 0 for a 'play' without a legal move"),
        ("format_move", lambda move: [move], "return a dict with a `type`"),
        ("format_move", lambda move: {"move": move}, "return a dict with a `type`"),
    ],
)
def test_what_stops_a_game_is_said_by_every_test(
    monkeypatch: pytest.MonkeyPatch, member: str, wrong: Any, said: str
) -> None:
    """Many tests fail of such a mistake, and their own words would be about what follows from it."""
    monkeypatch.setattr(random_games, "game", lambda _: Wrong(**{member: wrong}))
    with pytest.raises(AssertionError, match=re.escape(said)):
        play(GameSetup("bread-basket", "tens", 2))


def test_a_refused_move_that_was_legal_is_explained() -> None:
    with pytest.raises(IllegalMove) as refusal, plugin._explained():
        raise IllegalMove("the game is over")
    assert "This move was legal when the game was first played" in refusal.value.__notes__[0]


class Whist(Wrong):
    """Has the partners of whist, and scores for each seat on its own."""

    def sides(self, _ruleset: Any, _seats: int) -> tuple[int, ...]:
        return (0, 1, 0, 1)


def test_partners_with_different_scores_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_games, "game", lambda _: Whist())
    with pytest.raises(AssertionError, match="give partners the score of their side"):
        test_random_play.test_partners_always_have_equal_scores(GameSetup("bread-basket", "tens", 4))


def test_short_games_are_tested_together(monkeypatch: pytest.MonkeyPatch) -> None:
    table = GameSetup("bread-basket", "tens", 2)
    assert len(several(table)) == 1
    monkeypatch.setattr(random_games, "ENOUGH_TURNS", 150)
    assert [one.number for one in several(table)] == [0, 1, 2]
    assert len({one.outcome for one in several(table)}) > 1


def test_a_game_with_a_cap_ends_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_games, "game", lambda _: Endless(20))
    found = play(GameSetup("capped of these tests", "tens", 2))
    assert found.capped
    assert sum(len(step.moves) for step in found.steps) == 20
    assert found.steps[-1].events[-1].kind == "cap"
    assert found.outcome == Outcome(game("bread-basket").scores(found.end))


def test_a_rule_that_hangs_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_DFL)  # pytest-timeout watches these tests

    def hang() -> None:
        with limited(0.05, "played"):
            for _ in range(1000):
                time.sleep(0.01)

    with pytest.raises(pytest.fail.Exception, match="no end after 0 s while it was played"):
        hang()


def test_a_rule_that_waits_for_the_machine_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its own computing counts, unless it takes ten times as long."""
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_DFL)
    monkeypatch.setattr(time, "process_time", lambda: 0.0)
    monkeypatch.setattr(plugin, "MOST_WAITING", 1e6)
    rung: list[float] = []
    timer = signal.setitimer

    def ring(which: int, seconds: float) -> None:
        rung.append(seconds)
        timer(which, seconds)

    monkeypatch.setattr(signal, "setitimer", ring)
    with limited(0.02, "played"):
        while len(rung) < 4:
            time.sleep(0.001)
    assert rung[1] == pytest.approx(0.02)


def test_every_assertion_of_the_kit_says_what_to_change() -> None:
    for file in sorted(Path(random_games.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            place = f"{file.name}:{getattr(node, 'lineno', 0)}"
            assert not isinstance(node, ast.Assert) or node.msg is not None, f"{place} has no words"
            assert not (isinstance(node, ast.Attribute) and node.attr == "raises"), f"{place}: use `refused`"


def test_draws_that_differ_the_second_time_are_told() -> None:
    give = again([(1, 2)])
    assert give(Roll("dice", 2, 1, 6)) == (1, 2)
    with pytest.raises(AssertionError, match="the first time it was not"):
        give(Roll("dice", 2, 1, 6))
    with pytest.raises(AssertionError, match="the first time it was"):
        again([(1, 2)])(Roll("dice", 3, 1, 6))


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, list[str]]]:
    """Return what the kit's runner has tested, by kind; a schedule and a broken one are installed."""
    ring: Any = type("Ring", (), {"name": "ring"})()
    broken = Broken("king", "two schedules are named 'king': a and b", "rename one")
    found = Found("schedule", {**schedules(), "ring": ring}, (broken,))
    kinds = {
        **runner._KINDS,
        "schedule": runner._Kind(lambda: found, lambda name: found.named(name, KeyError)),
    }
    monkeypatch.setattr(runner, "_KINDS", kinds)
    runs: list[dict[str, list[str]]] = []

    def run(names: dict[str, list[str]], *_: object) -> int:
        runs.append(names)
        return 0

    monkeypatch.setattr(runner, "_run", run)
    return runs


@pytest.mark.parametrize("arguments", [[], ["--schedule", "king", "--schedule", "ring"]])
def test_a_broken_plug_in_is_one_failure_and_the_others_are_tested(
    tested: list[dict[str, list[str]]], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert runner.main(arguments) == 1
    assert [names["schedule"] for names in tested] == [["ring"]]
    errors = capsys.readouterr().err
    assert errors.count("error: two schedules are named 'king': a and b") == 1
    assert "error: 1 plug-in is not tested" in errors


class Contradicting:
    """Bread Basket's guesser, which forgets all that it hears after the deal or gives a wrong view."""

    def __init__(self, *told: Any, wrong: str) -> None:
        self._whole: Any = game("bread-basket").guesser(*told)  # type: ignore[attr-defined]
        self._wrong = wrong

    def hear(self, events: Any) -> None:
        self._whole.hear([event for event in events if event["kind"] == "dealt" or self._wrong != "forgets"])

    def worlds(self, view: Any, count: int, rng: Any) -> Any:
        worlds = self._whole.worlds(view, count, rng)
        for world in worlds if self._wrong == "view" else ():
            world.line.append(0)
        return [worlds[0]] * count if self._wrong == "same" else worlds


def guesser_that(wrong: str) -> Any:
    return lambda *told: Contradicting(*told, wrong=wrong)


def cheating(state: Any, seat: int, rng: Any) -> int:
    """Put an Onion on the table, and return a legal move."""
    move: int = game("bread-basket").sample_move(state, seat, rng)
    state.line.append(0)
    return move


@pytest.mark.parametrize(
    ("test", "member", "wrong", "said"),
    [
        (
            "the_policy_makes_legal_moves",
            "policy",
            lambda *_: 12,
            "`policy` returns an illegal move for seat 0 at turn 0",
        ),
        (
            "the_policy_makes_legal_moves",
            "policy",
            lambda *_: None,
            "`policy` returns an illegal move for seat 0",
        ),
        ("stages_only_grow", "stage", lambda state: -state.hand_no, "`stage` shrinks from 0 to -1 at turn"),
        ("standings_are_a_number", "standing", lambda _: (1.0,), "`standing` returns (1.0,) at turn 0"),
        (
            "standings_are_a_number",
            "standing",
            lambda _: (1.0, 1.0),
            "when the game is over, `standing` returns",
        ),
        ("playing_on", "play_on", lambda state, *_: state, "`play_on` leads elsewhere from turn 0"),
        ("a_guesser_goes_on", "guesser", guesser_that("forgets"), "finds no world"),
        ("a_guesser_goes_on", "guesser", guesser_that("view"), "contradicts what the seat sees"),
        ("a_guesser_goes_on", "guesser", guesser_that("same"), "share lists"),
    ],
)
def test_mistakes_of_the_members_for_thinking_ahead_are_named(
    monkeypatch: pytest.MonkeyPatch, test: str, member: str, wrong: Any, said: str
) -> None:
    table = GameSetup("bread-basket", "tens", 2)
    (check,) = [
        vars(test_foresight)[name] for name in vars(test_foresight) if name.startswith(f"test_{test}")
    ]
    check(table)
    monkeypatch.setattr(random_games, "game", lambda _: Wrong(**{member: wrong}))
    with pytest.raises(AssertionError, match=re.escape(said)):
        check(table)


def test_a_policy_that_changes_the_state_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_games, "game", lambda _: Wrong(policy=cheating))
    with pytest.raises(AssertionError, match="`policy` changes the state it is given, for seat 0 at turn 0"):
        test_foresight.test_the_policy_makes_legal_moves(GameSetup("bread-basket of this test", "extra", 5))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda *_: (), "`candidates` returns no move for seat 0 at turn 0, a 'grab'"),
        (lambda *_: (NoOffer(),), "`candidates` returns an illegal move for seat 0 at turn 0, a 'grab'"),
        (lambda *_: (Grab((0, 1, 2)),) * 2, "`candidates` returns the same move twice"),
        (lambda *_: tuple(range(13)), "`candidates` returns 13 moves"),
    ],
)
def test_mistakes_of_candidates_are_named(monkeypatch: pytest.MonkeyPatch, wrong: Any, said: str) -> None:
    table = GameSetup("sandwich", "fr", 3)
    whole = game("sandwich")
    check = test_foresight.test_candidates_are_different_legal_moves
    check(table)
    monkeypatch.setattr(Wrong, "__getattr__", lambda _, name: getattr(whole, name))
    monkeypatch.setattr(random_games, "game", lambda _: Wrong(candidates=wrong))
    with pytest.raises(AssertionError, match=re.escape(said)):
        check(table)
