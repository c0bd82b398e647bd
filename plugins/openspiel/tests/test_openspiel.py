"""Games of OpenSpiel in Arena: chance, secrets, moves at once, options, refusals, and whole leagues."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from arena_openspiel import SURVEY
from arena_openspiel.adapter import OpenSpielGame, exact_odds

from arena.core.chance import Chance, Stream
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import Outcome, Pick, Recorder, play_chance
from arena.core.ruleset import ruleset
from arena.registry import games

ROOT = Path(__file__).parents[3]
RANDOM = ROOT / "bots" / "any_game" / "random"


def begun(name: str, seats: int = 2, **options: int) -> tuple[Any, Any, Any]:
    """Return a game, the state in which its first seat decides, and the events until then."""
    rules: Any = OpenSpielGame(name, SURVEY[name])
    chance = Chance(seed=b"test")
    resolved = rules.resolve(ruleset(rules.info, None, options), seats)
    state, dealt = rules.deal(seats, resolved, chance)
    state, drawn = play_chance(rules, state, Recorder(chance))
    return rules, state, (*dealt, *drawn)


def test_the_games_that_pass_the_kit_can_be_played_and_no_others() -> None:
    passing = {f"openspiel:{name}" for name, one in SURVEY.items() if not one.get("left_out")}
    assert {name for name in games() if name.startswith("openspiel:")} == passing
    assert not games().broken
    assert len(passing) >= 25


def test_three_in_a_row_wins() -> None:
    rules, state, _ = begun("tic_tac_toe")
    for seat, action in ((0, 0), (1, 3), (0, 1), (1, 4), (0, 2)):
        move = rules.parse_move(state, seat, {"type": "act", "action": action})
        state, events = rules.apply(state, {seat: move})
        assert events[0].data["seat"] == seat
    assert rules.turn(state) == Outcome((1, -1))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"type": "act", "action": 9}, "the action 9 is not legal now"),
        ({"type": "act", "action": "0"}, "an action is a whole number"),
        ({"type": "act", "action": 10**30}, "the action .* is not legal now"),
        ({"type": "act", "action": 0, "text": "x(2,2)"}, r'the action 0 is "x\(0,0\)", not "x\(2,2\)"'),
        ({"type": "act"}, 'needs "action"'),
        ({"type": "pass"}, 'the type of a move is "act"'),
    ],
)
def test_what_is_no_action_is_refused_in_words(raw: object, message: str) -> None:
    rules, state, _ = begun("tic_tac_toe")
    with pytest.raises(IllegalMove, match=message):
        rules.parse_move(state, 0, raw)
    with pytest.raises(IllegalMove, match="seat 1 has nothing to decide now"):
        rules.parse_move(state, 1, {"type": "act", "action": 0})


def test_dice_have_their_odds() -> None:
    """The first roll of backgammon is one of 30 without doubles; those after it are all 36."""
    rules, state, _ = begun("backgammon")
    state, _ = rules.apply(state, {one.seat: one.legal[0] for one in rules.turn(state)})
    asked = rules.due(state)
    assert isinstance(asked, Pick)
    assert asked.weights == (1,) * 36
    state, events = rules.drawn(state, (asked.items[35],))
    assert events[0].data == {"outcome": asked.items[35][1]}


def test_odds_of_floats_are_the_fractions_that_they_stand_for() -> None:
    assert exact_odds([1 / 3, 2 / 3]) == (Fraction(1, 3), Fraction(2, 3))
    assert exact_odds([0.25] * 4) == (1, 1, 1, 1)
    rounded = exact_odds([0.1234567891234, 1 - 0.1234567891234])
    assert sum(rounded) == 1 << 30
    assert float(rounded[0] / sum(rounded)) == pytest.approx(0.1234567891234, abs=1e-9)


def test_a_card_is_told_to_its_seat_alone() -> None:
    rules, state, events = begun("kuhn_poker")
    told = events[-1]
    assert told.kind == "drawn"
    assert set(told.private) == {0, 1}
    assert told.data == {}
    assert told.private[0] != told.private[1]
    assert "text" not in rules.view(state, None)
    assert rules.view(state, 0)["text"] == told.private[0]["text"]


def test_what_is_secret_in_openspiel_stays_so() -> None:
    rules, state, _ = begun("phantom_ttt")
    move = rules.parse_move(state, 0, {"type": "act", "action": 4})
    _, events = rules.apply(state, {0: move})
    assert "move" not in events[0].seen_by(1)
    assert "move" not in events[0].seen_by(None)
    assert events[0].seen_by(0)["move"] == move[1]
    assert "x" not in "".join(events[0].seen_by(1)["text"])


def test_seats_that_move_at_once_do() -> None:
    rules, state, _ = begun("goofspiel", 3)
    assert [one.seat for one in rules.turn(state)] == [0, 1, 2]


def test_two_that_lose_to_a_third_share_its_win_in_halves() -> None:
    """Goofspiel is for 1 in all: at three seats, a single winner has it from the two others."""
    rules, state, _ = begun("goofspiel", 3, num_cards=3)
    rng = Stream(b"test", "halves")
    for _ in range(50):
        now = rules.copy(state)
        while not isinstance(turn := rules.turn(now), Outcome):
            rules.advance(now, {one.seat: rules.sample_move(now, one.seat, rng) for one in turn})
            now, _ = play_chance(rules, now, Recorder(Chance(seed=b"test")))
        points = rules.info.points(turn.scores)
        assert sum(points) == 0
        if sorted(points) == [-0.5, -0.5, 1]:
            return
    pytest.fail("nobody won alone")


def test_seats_that_share_a_score_are_compared_by_tables() -> None:
    bridge, skat = (OpenSpielGame(name, SURVEY[name]).info for name in ("tiny_bridge_2p", "skat"))
    assert bridge.counts_tables(2)
    assert bridge.points((bridge.lowest_score,)) == (-40,)
    assert not skat.counts_tables(3)


def test_an_option_is_openspiels_parameter() -> None:
    rules, state, _ = begun("hex", board_size=3)
    assert len(rules.turn(state)[0].legal) == 9
    with pytest.raises(BadOption):
        ruleset(rules.info, None, {"board_size": 99})


def test_too_many_actions_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_openspiel.adapter.MOST_LISTED", 7)
    rules, state, _ = begun("tic_tac_toe")
    decision = rules.turn(state)[0]
    assert decision.legal is None
    move = rules.sample_move(state, 0, Stream(b"test", "sample"))
    assert rules.parse_move(state, 0, rules.format_move(move)) == move
    state, _ = rules.apply(state, {0: move})
    with pytest.raises(IllegalMove, match="is not legal now"):
        rules.apply(state, {1: move})


def arena(cwd: Path, *arguments: object) -> str:
    """Run a command of Arena's."""
    command = [sys.executable, "-c", "from arena.cli import main; main()", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["gin_rummy", "connect_four", "liars_dice"])
def test_a_league_from_its_file_to_its_pages(tmp_path: Path, name: str) -> None:
    league = (
        f'name = "test"\ngame = "openspiel:{name}"\nseats = 2\n[schedule]\nkind = "round-robin"\nrounds = 2\n'
    )
    league += "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "{label}"\n' for label in "abc")
    (tmp_path / "league.toml").write_text(league)
    arena(tmp_path, "league", "create", "league.toml")
    arena(tmp_path, "run", "test", "--workers", "1")
    rows = json.loads(arena(tmp_path, "rankings", "--format", "json"))
    assert [row["matches"] for row in rows] == [4, 4, 4]
    arena(tmp_path, "replay", "verify")
    arena(tmp_path, "league", "reveal")
    arena(tmp_path, "league", "verify-deals")
    assert "is to move" in arena(tmp_path, "replay", "show", "test/0.0", "--boards")
    arena(tmp_path, "export-site", tmp_path / "site")
    assert (tmp_path / "site").is_dir()
