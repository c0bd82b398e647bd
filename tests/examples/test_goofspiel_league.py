"""A game from elsewhere, once installed, is listed, played, rated and replayed; Arena knows nothing of it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.outside import EXAMPLE, ROOT, arena, arena_json, beside, conformance, write_bot

pytestmark = pytest.mark.xdist_group("goofspiel")

RANDOM = "bots/any_game/random"


def test_nothing_in_arena_names_it() -> None:
    named = [
        path
        for folder in ("arena", "protocol", "results", "bots", "tests/conformance")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and b"goofspiel" in path.read_bytes().lower() and path.suffix != ".pyc"
    ]
    assert named == []


@pytest.mark.slow
def test_the_conformance_tests_pass(installed: Path) -> None:
    done = conformance(installed, "--playthroughs", str(EXAMPLE / "playthroughs"))
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]


@pytest.fixture
def beside_arena(tmp_path: Path) -> Path:
    """Return a folder in which it looks installed."""
    return beside(tmp_path / "site", "goofspiel")


@pytest.mark.parametrize("how", ["beside_arena", pytest.param("installed", marks=pytest.mark.slow)])
def test_it_is_listed_once_it_is_installed(how: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    installed = request.getfixturevalue(how)
    rows = arena_json("games", cwd=tmp_path, installed=installed)
    assert [
        (row["ruleset"], row["players"], row["options"]) for row in rows if row["name"] == "goofspiel"
    ] == [("carry", "2–4", "cards=13, ties=carry"), ("discard", "2–4", "cards=13, ties=discard")]
    shown = arena("games", "show", "goofspiel", cwd=tmp_path, installed=installed).stdout
    assert "| `cards` | 3 to 13 | 13 |" in shown
    refused = arena("games", "show", "goofspiel", cwd=tmp_path, installed=None, check=False)
    assert refused.returncode == 2
    assert "there is no game 'goofspiel'" in refused.stderr


@pytest.mark.slow
def test_it_is_played(installed: Path, tmp_path: Path) -> None:
    bidder = str(EXAMPLE / "bots" / "bidder")
    match = (
        "match",
        bidder,
        str(ROOT / RANDOM),
        "--game",
        "goofspiel",
        "--option",
        "cards=4",
        "--sandbox",
        "off",
    )
    rows = arena_json(*match, cwd=tmp_path, installed=installed)
    assert [row["bot"] for row in rows] == ["bidder", "random"]
    assert sorted(row["rank"] for row in rows) in ([1, 1], [1, 2])


@pytest.fixture(scope="module")
def played(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the example's league, played to its end."""
    folder = tmp_path_factory.mktemp("league")
    shutil.copytree(EXAMPLE / "bots", folder / "bots")
    shutil.copy(EXAMPLE / "league.toml", folder)
    arena("league", "create", "league.toml", cwd=folder, installed=installed)
    arena("run", "goofspiel", "--workers", "2", cwd=folder, installed=installed)
    return folder


@pytest.mark.slow
def test_its_league_runs_to_rankings(installed: Path, played: Path) -> None:
    rows = arena_json("rankings", cwd=played, installed=installed)
    assert [(row["label"], row["games"], row["faults"]) for row in rows] == [
        ("bidder", 50, 0),
        ("random", 50, 0),
    ]


@pytest.mark.slow
def test_a_store_is_verified_without_the_game_as_far_as_that_goes(installed: Path, played: Path) -> None:
    done = arena("db", "verify", cwd=played, installed=None, check=False)
    assert done.returncode == 1
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert error == (
        "error: league goofspiel: 50 games were not played through the rules: there is no game 'goofspiel' on this "
        "machine; install the package that adds it"
    )
    assert "50 games" in arena("db", "verify", cwd=played, installed=installed).stdout


@pytest.mark.slow
def test_its_replays_verify_and_can_be_read(installed: Path, played: Path) -> None:
    verified = arena("replay", "verify", cwd=played, installed=installed).stdout
    assert "50 of 50 replays verify" in verified
    shown = arena("replay", "show", "goofspiel/0.0", "--boards", cwd=played, installed=installed).stdout
    assert shown.startswith("Goofspiel · carry+cards=9 · 2 players\n")
    assert "is turned up, 8 left in the pile." in shown
    assert "At stake" in shown
    assert "1. " in shown


@pytest.mark.slow
def test_the_league_file_sets_its_options(installed: Path, played: Path) -> None:
    body = json.loads(arena("replay", "export", "0.0", cwd=played, installed=installed).stdout)
    assert body["options"] == {"cards": 9, "ties": "carry"}
    assert len(body["moves"]) == 18
    assert sorted(body["chance"]["prizes"]) == list(range(1, 10))


@pytest.mark.slow
def test_the_command_line_sets_them_too(installed: Path, played: Path) -> None:
    options = ("--option", "cards=4", "--option", "ties=discard")
    other = played / "other.toml"
    other.write_text((played / "league.toml").read_text().replace('name = "goofspiel"', 'name = "other"'))
    told = arena(
        "league", "create", "other.toml", *options, "--dry-run", cwd=played, installed=installed
    ).stderr
    assert "discard+cards=4" in told
    bots = ("bots/bidder", RANDOM, RANDOM)
    arena("match", *bots, "--game", "goofspiel", *options, cwd=played, installed=installed)
    shown = arena("replay", "show", "casual/0.0", cwd=played, installed=installed).stdout
    assert shown.startswith("Goofspiel · discard+cards=4 · 3 players\n")


MATCH = ("match", "bots/bidder", RANDOM, "--game", "goofspiel")
CREATE = ("league", "create", "league.toml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option", "said"),
    [
        (MATCH, "cards=14", "14 is not a whole number from 3 to 13"),
        (MATCH, "hands=2", "available: cards, ties"),
        (CREATE, "ties=split", "'split' is not one of carry, discard"),
    ],
)
def test_options_out_of_range_are_refused(
    installed: Path, played: Path, command: tuple[str, ...], option: str, said: str
) -> None:
    done = arena(*command, "--option", option, cwd=played, installed=installed, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_so_they_are_in_the_league_file(installed: Path, played: Path, tmp_path: Path) -> None:
    text = (played / "league.toml").read_text()
    (tmp_path / "league.toml").write_text(text.replace("cards = 9", "cards = 14"))
    done = arena("league", "create", "league.toml", cwd=tmp_path, installed=installed, check=False)
    assert done.returncode == 2
    assert "league.toml" in done.stderr
    assert "14 is not a whole number from 3 to 13" in done.stderr


CRASHER = """\
from arena_kit import run

def choose(ask, game):
    return ask["legal"][0] if len(ask["legal"]) == 5 else 1 / 0

run(choose)
"""


@pytest.mark.slow
def test_the_house_takes_over_where_a_bot_fails(installed: Path, tmp_path: Path) -> None:
    """Two of three unfaulted seats play on, and the third seat's simultaneous bids are the house's."""
    write_bot(tmp_path / "crasher", CRASHER)
    match = ("match", "crasher", RANDOM, RANDOM, "--game", "goofspiel", "--option", "cards=5")
    arena(*match, cwd=tmp_path, installed=installed, check=False)
    body = json.loads(arena("replay", "export", "casual/0.0", cwd=tmp_path, installed=installed).stdout)
    assert body["verdicts"] == ["crash", None, None]
    assert body["ranks"][0] == 3
    assert [move["by"] for move in body["moves"] if move["seat"] == 0] == [
        "bot",
        *["house"] * 3,
        "engine",
    ]
    assert (
        "1 of 1 replays verify"
        in arena("replay", "verify", "casual", cwd=tmp_path, installed=installed).stdout
    )


THINKER = """\
from arena.core.chance import Stream
from arena.core.game import Outcome, Seen
from arena.core.ruleset import with_options
from arena_kit import run
from goofspiel.game import GAME

def choose(ask, game):
    rules = with_options(GAME.info, game.options)
    seen = Seen(rules, game.seats, game.seat, game.private, ask["view"], game.events)
    best = None
    for move in ask["legal"]:
        state = GAME.guess(seen, game.rng)
        mine = GAME.parse_move(state, game.seat, move)
        while not isinstance(turn := GAME.turn(state), Outcome):
            moves = {one.seat: GAME.sample_move(state, one.seat, game.rng) for one in turn}
            if mine is not None:
                moves[game.seat], mine = mine, None
            GAME.advance(state, moves)
        won = turn.scores[game.seat]
        if best is None or won > best[0]:
            best = won, move
    return best[1]

run(choose)
"""


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["off", "auto"])
def test_a_bot_that_thinks_ahead_imports_the_rules(installed: Path, tmp_path: Path, sandbox: str) -> None:
    write_bot(tmp_path / "thinker", THINKER)
    match = ("match", "thinker", RANDOM, "--game", "goofspiel", "--sandbox", sandbox)
    arena(*match, cwd=tmp_path, installed=installed)


LOOKER = """\
import os
from importlib.util import find_spec
there = sorted(os.listdir(os.environ["PYTHONPATH"]))
there += [name for name in ("msgspec", "pytest", "results") if find_spec(name)]
raise SystemExit(f"sees {there}")
"""


@pytest.mark.slow
def test_it_sees_nothing_else_that_is_installed(installed: Path, tmp_path: Path) -> None:
    write_bot(tmp_path / "looker", LOOKER)
    done = arena(
        *("match", "looker", RANDOM, "--game", "goofspiel"), cwd=tmp_path, installed=installed, check=False
    )
    assert done.returncode == 3
    told = " ".join(done.stderr.split())
    assert "exited with code 1" in told
    assert "arena check looker says more" in told
    checked = arena("check", "looker", "--game", "goofspiel", cwd=tmp_path, installed=installed, check=False)
    assert (
        "sees ['arena', 'arena_engine', 'arena_goofspiel-1.0.0.dist-info', 'goofspiel']"
        in checked.stdout + checked.stderr
    )


@pytest.mark.slow
def test_the_terminal_says_why_a_bot_ended_in_its_handshake(installed: Path, tmp_path: Path) -> None:
    write_bot(tmp_path / "importer", "import quoits\n")
    done = arena(
        *("match", "importer", RANDOM, "--game", "goofspiel"), cwd=tmp_path, installed=installed, check=False
    )
    assert done.returncode == 3
    assert "ModuleNotFoundError: No module named 'quoits'" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_without_the_package_the_ledger_can_still_be_read(played: Path) -> None:
    ranked = arena("rankings", cwd=played, installed=None).stdout
    assert "bidder" in ranked
    refused = arena("replay", "show", "goofspiel/0.0", cwd=played, installed=None, check=False)
    assert refused.returncode == 2
    assert "there is no game 'goofspiel'" in refused.stderr
    assert "Traceback" not in refused.stderr
