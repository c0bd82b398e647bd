"""Games whose rules are a program: what it may do wrong is the game's fault, and is said in a sentence."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_rules_program import RulesFailed, RulesProgram
from arena_rules_program import process as rules_process

from arena.core.chance import Chance, Stream
from arena.core.errors import ArenaError, IllegalMove
from arena.core.game import Event, Outcome, Pick, Recorder, Roll, play_chance, sides_of
from arena.core.ruleset import ruleset
from tests.support.outside import ROOT, arena, arena_json, beside, kit

RANDOM = ROOT / "bots" / "any_game" / "random"
ABOUT = """name = "odd"
title = "Odd"
version = 1
summary = "Says what it is told to say."
command = ["python3", "rules.py"]
"""
RULES = """
import json, sys, time
GO = {"seat": 0, "kind": "go", "legal": [{"type": "go"}, {"type": "stop"}]}
YES = {"type": "say", "word": "yes"}
def turn(**more): return position(turn=[{"seat": 0, "kind": "go", **more}])
def position(**more):
    return {"state": 1, "scores": [0, 0], "views": [{}, {}], "turn": [GO], **more}
def hello(request): return {"game": "odd", "version": 1}
def deal(request): return position()
def apply(request): return position(turn=[], scores=[1, 0], events=[{"kind": "gone"}])
def drawn(request): return position(events=[{"kind": "drawn", "data": {"values": request["values"]}}])
def read(request): return {"move": YES} if request["move"] == YES else {"illegal": "the word is yes"}
def sample(request): return {"move": YES}
def out(request, answer): print(json.dumps({"id": request["id"], **answer}), flush=True)
CHANGE
for line in sys.stdin:
    request = json.loads(line)
    out(request, globals()[request["do"]](request))
"""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a second for an answer."""
    monkeypatch.setattr(rules_process, "ANSWER_S", 1.0)


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Any]:
    """Return a function that makes a game whose program has some lines changed."""
    made: list[RulesProgram] = []

    def game(change: str = "", about: str = ABOUT) -> RulesProgram:
        (tmp_path / "game.toml").write_text(about)
        (tmp_path / "rules.py").write_text(RULES.replace("CHANGE", change))
        made.append(RulesProgram(tmp_path))
        return made[-1]

    yield game
    for one in made:
        one._rules._close() if one._rules._folder else None


def dealt(game: RulesProgram) -> tuple[Any, tuple[Event, ...]]:
    """Deal for two seats."""
    return game.deal(2, ruleset(game.info), Chance(seed=b"odd"))


# What it may do wrong

HOSTILE = [
    ("sys.exit(3)", "asked for 'hello', exited with code 3"),
    ("1 / 0", r"ZeroDivisionError: division by zero \(rules.py, line 15\)"),
    ("def deal(request): sys.exit(0)", "asked for 'deal', exited with code 0"),
    ("def deal(request): time.sleep(60)", "asked for 'deal', did not answer within 1 s"),
    ("def deal(request):\n while True: sys.stdout.write('x' * 65536)", "wrote a line of more than 1,048,576 bytes"),
    ("def deal(request):\n while True: sys.stderr.write('x' * 65536)", "asked for 'deal', did not answer within 1 s"),
    ("def deal(request):\n while True: sys.stdout.write('x\\n' * 65536)", "answered wrongly: .*standard e"),
    ("def hello(request): return {'game': 'chess', 'version': 1}", "say that they are those of 'chess', version 1"),
    ("def hello(request): return {'game': 'odd', 'version': 2}", "say that they are those of 'odd', version 2"),
    ("def deal(request): return position(id=7)", "answered request 7 instead of 2"),
    ("def out(request, answer): print(json.dumps({'id': 1, **answer}) + '\\n{}', flush=True)", "another line after"),
    ("def out(request, answer): print('nonsense', flush=True)", "answered wrongly: .*nonsense"),
    ("def out(request, answer): print('[' * 100000, flush=True)", "answered wrongly"),
    ("def out(request, answer): sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "answered wrongly"),
    ("def deal(request): return {}", "answered wrongly: .*missing required field `state`"),
    ("def deal(request): return position(scores=[0.5, 0])", r"the scores \[0.5, 0\], and game.toml states 0 decimals"),
    ("def deal(request): return position(scores=[1e300, 0])", "answered wrongly: Expected `float` <= 100000000000"),
    ("def deal(request): return position(winner=0)", "answered wrongly: .*unknown field `winner`"),
    ("def deal(request): print('dealing'); return position()", "answered wrongly: .*dealing.*to standard error"),
    ("def deal(request): return position(scores=[0])", "answered with 1 scores and 2 views, of 2 seats"),
    ("def deal(request): return turn(seat=2)", r"the turn of the seats \[2\]"),
    ("def deal(request): return position(turn=[{'seat': 0, 'kind': 'go'}] * 2)", r"the turn of the seats \[0, 0\]"),
    ("def deal(request): return turn(legal=[])", "a decision without a legal move"),
    ("def deal(request): return turn(legal=[{}])", "a legal move without a type"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("change", "message"), HOSTILE)
def test_what_a_program_does_wrong_is_said_and_the_next_game_starts_it_again(
    odd: Any, change: str, message: str
) -> None:
    game = odd(change)
    for _ in range(2):
        with pytest.raises(RulesFailed, match=message) as failed:
            dealt(game)
        assert "\n" not in str(failed.value)
        assert len(str(failed.value)) < 600
        assert game._rules._process is None, "a program that failed is gone"


def test_a_program_that_dies_is_started_again_until_it_has_failed_three_times(odd: Any) -> None:
    game = odd("def deal(request): sys.exit(4)")
    for _ in range(3):
        with pytest.raises(RulesFailed, match="asked for 'deal', exited with code 4"):
            dealt(game)
    with pytest.raises(RulesFailed, match="exited with code 4; it rests for 60 s after 3 failures"):
        dealt(game)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            {"pick": "card", "items": ["a", "b"], "weights": [1, 0]},
            "a draw that can't be made: the weight of 'b' is 0",
        ),
        ({"pick": "card", "items": ["a"], "weights": ["1/0"]}, "a draw that can't be made"),
        ({"roll": "die"}, "missing required field `low`"),
        ({}, "missing required field `items`"),
    ],
)
def test_a_draw_that_cannot_be_made_is_refused_in_words(odd: Any, draw: Any, message: str) -> None:
    game = odd(f"def deal(request): return position(draw={draw!r})")
    state, _ = dealt(game)
    with pytest.raises(RulesFailed, match=message):
        game.due(state)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ("name = 3", "name: expected text, got a whole number"),
        (ABOUT.replace("version = 1", ""), "the key 'version' is missing"),
        (ABOUT + "colour = 1", "unknown key 'colour'"),
        (ABOUT + "decimals = 5", "decimals: must be a whole number from 0 to 4"),
        (ABOUT + "lowest_score = inf", "lowest_score: inf is not a finite number"),
        (ABOUT.replace('["python3", "rules.py"]', "[]"), "command is empty"),
        ("name =", "name has no value"),
    ],
)
def test_a_wrong_description_is_refused_with_its_file(odd: Any, about: str, message: str) -> None:
    with pytest.raises(ArenaError, match=r"game\.toml(:\d+)?: .*" + message):
        odd(about=about)


def test_a_program_that_is_not_there_is_said(odd: Any) -> None:
    with pytest.raises(RulesFailed, match=r"the rules of odd can't be started: .*'no-such-program'"):
        dealt(odd(about=ABOUT.replace("python3", "no-such-program")))


# What it may do


def test_draws_of_every_kind(odd: Any) -> None:
    draws = [
        {"roll": "die", "low": 1, "high": 6, "count": 2},
        {"shuffle": "deck", "items": [1, 2]},
        {"pick": "card", "items": ["a", "b"], "weights": [1, "1/2"]},
    ]
    found = []
    for draw in draws:
        game = odd(f"def deal(request): return position(draw={draw!r})")
        state, _ = dealt(game)
        found.append(game.due(state))
    assert isinstance(found[0], Roll)
    assert isinstance(found[2], Pick)
    state, events = game.drawn(state, ("a",))
    assert events == (Event("drawn", {"values": ["a"]}),)


def test_scores_with_decimals_are_counted_in_the_last_one_and_sides_are_those_of_the_file(odd: Any) -> None:
    about = ABOUT + "decimals = 1\nlowest_score = -0.5\nplayers = [2, 4]\nsides = { 4 = [0, 1, 0, 1] }\n"
    game = odd("def deal(request): return position(scores=[2.5, -3])", about)
    state, _ = dealt(game)
    assert game.scores(state) == (25, -30)
    assert game.info.lowest_score == -5
    assert game.info.points(game.scores(state)) == (2.5, -3)
    assert (sides_of(game, ruleset(game.info), 4), sides_of(game, ruleset(game.info), 2)) == (
        (0, 1, 0, 1),
        (),
    )
    with pytest.raises(RulesFailed, match=r"the scores \[0.25, 0\], and game.toml states 1 decimal"):
        dealt(odd("def deal(request): return position(scores=[0.25, 0])", about))


def test_moves_that_are_not_listed_are_read_by_the_program(odd: Any) -> None:
    game = odd("def deal(request): return position(turn=[{'seat': 1, 'kind': 'say'}])")
    state, _ = dealt(game)
    move = game.sample_move(state, 1, Stream(b"odd", "sample"))
    assert game.parse_move(state, 1, {"type": "say", "word": "yes"}) == move
    with pytest.raises(IllegalMove, match="the word is yes"):
        game.parse_move(state, 1, [1, {"any": "value"}])


def test_a_forked_process_starts_a_program_of_its_own(odd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = odd()
    dealt(game)
    first = game._rules._process
    monkeypatch.setattr(game._rules, "_owner", 1)
    dealt(game)
    assert game._rules._process.pid != first.pid
    first.kill()


# Kuhn poker in JavaScript


@pytest.fixture(scope="module")
def kuhn_js(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the game and what plays it look installed."""
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    return beside(tmp_path_factory.mktemp("kuhn") / "site", "kuhn-js", "../plugins/rules-program", "kuhn")


def test_the_rules_in_javascript_are_those_in_python() -> None:
    """All five ways to play, with the same cards."""
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    sys.path.insert(0, str(ROOT / "examples" / "kuhn-js" / "src"))
    try:
        from tests.support.outside import load

        there, here = load("kuhn-js", "kuhn_js/__init__.py").GAME, load("kuhn", "kuhn.py").GAME
    finally:
        sys.path.pop(0)
    assert len((ROOT / "examples/kuhn-js/src/kuhn_js/rules.js").read_text().splitlines()) <= 250
    for deck in (("J", "Q", "K"), ("K", "J", "Q")):
        for line in ("check check", "bet fold", "check bet fold", "bet call", "check bet call"):
            state, _ = there.deal(2, ruleset(there.info), Chance(seed=b"kuhn"))
            state, events = there.drawn(state, deck)
            other = type(here.deal(2, ruleset(here.info), Chance(seed=b"kuhn"))[0])(deck)
            assert {seat: told["card"] for seat, told in events[0].private.items()} == {
                0: deck[0],
                1: deck[1],
            }
            for made in line.split():
                assert there.view(state, 0) == here.view(other, 0)
                (decision,), (same,) = there.turn(state), here.turn(other)
                assert decision.seat == same.seat
                move = there.parse_move(state, decision.seat, {"type": made})
                state, events = there.apply(state, {decision.seat: move})
                other, same_events = here.apply(other, {same.seat: made})
                assert events == same_events
            assert there.turn(state) == here.turn(other)
    there._rules._close()


@pytest.mark.slow
def test_the_kit_passes(kuhn_js: Path) -> None:
    done = kit(kuhn_js, "--game=kuhn-js", "--all")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_league_is_played_and_verified(kuhn_js: Path, tmp_path: Path) -> None:
    league = 'name = "js"\ngame = "kuhn-js"\nseats = 2\n[schedule]\nkind = "round-robin"\nrounds = 4\n'
    league += "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "{label}"\n' for label in "abc")
    (tmp_path / "league.toml").write_text(league)
    arena("league", "create", "league.toml", cwd=tmp_path, installed=kuhn_js)
    arena("run", "js", "--workers", "2", cwd=tmp_path, installed=kuhn_js)
    rows = arena_json("rankings", cwd=tmp_path, installed=kuhn_js)
    assert [row["matches"] for row in rows] == [8, 8, 8]
    arena("replay", "verify", cwd=tmp_path, installed=kuhn_js)
    arena("db", "verify", cwd=tmp_path, installed=kuhn_js)


@pytest.mark.slow
def test_rules_that_die_cost_no_bot_and_no_other_league_anything(kuhn_js: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(kuhn_js, site)
    for name, game in (("bad", "kuhn-js"), ("good", "kuhn")):
        league = (
            f'name = "{name}"\ngame = "{game}"\nseats = 2\n[schedule]\nkind = "round-robin"\nrounds = 2\n'
        )
        league += "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "{label}"\n' for label in "ab")
        (tmp_path / "league.toml").write_text(league)
        arena("league", "create", "league.toml", cwd=tmp_path, installed=site)
    rules = site / "kuhn_js" / "rules.js"
    begins = "  apply({ state, moves }) {"
    rules.write_text(rules.read_text().replace(begins, f"{begins} process.exit(9);"))
    done = arena("run", "bad", "--workers", "1", cwd=tmp_path, installed=site, check=False)
    assert "2 matches are void" in " ".join((done.stdout + done.stderr).split())
    told = arena("faults", "bad", "--platform", "--format", "json", cwd=tmp_path, installed=site).stdout
    assert "the rules of kuhn-js, asked for 'apply', exited with code 9" in told
    arena("run", "good", "--workers", "1", cwd=tmp_path, installed=site)
    assert json.loads(arena("faults", "bad", "--format", "json", cwd=tmp_path, installed=site).stdout) == []
    rows = {
        row["label"]: row["matches"] for row in arena_json("rankings", "good", cwd=tmp_path, installed=site)
    }
    assert rows == {"a": 2, "b": 2}


def test_random_games_of_the_plain_program_end(odd: Any) -> None:
    game = odd()
    chance = Chance(seed=b"odd")
    state, _ = dealt(game)
    state, _ = play_chance(game, state, Recorder(chance))
    (decision,) = game.turn(state)
    after, events = game.apply(state, {0: decision.legal[0]})
    assert game.turn(after) == Outcome((1, 0))
    assert [event.kind for event in events] == ["gone"]
    with pytest.raises(IllegalMove, match="the game is over"):
        game.apply(after, {0: decision.legal[0]})
