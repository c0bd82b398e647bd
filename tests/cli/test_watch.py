"""A finished game on the screen, step by step, in a real terminal."""

import re
import signal
from pathlib import Path

import pytest

from tests.cli.terminals import terminal
from tests.support.leagues import arena_here

GAMES = (
    ("bread-basket", "bread_basket", 3, ("-o", "hands=1")),
    ("bread-and-chocolate", "bread_and_chocolate", 2, ("-o", "hands=1")),
    ("sandwich", "sandwich", 4, ("--ruleset", "en", "-o", "rounds=1")),
)


@pytest.fixture(scope="module")
def casual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose store has a game of each kind."""
    folder = tmp_path_factory.mktemp("watched")
    for game, room, seats, settings in GAMES:
        names = [f"bots/{room}/greedy"] * (seats - 1) + ["bots/any_game/random"]
        done = arena_here(
            "match", *names, "-g", game, *settings, "--seed", "1", "--sandbox", "off", cwd=folder
        )
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("game", [0, *(pytest.param(game, marks=pytest.mark.slow) for game in (1, 2))])
def test_lines_lead_where_they_say(casual: Path, game: int) -> None:
    with terminal(casual, "replay", "watch", f"casual/{game}.0") as one:
        one.wait(f"casual/{game}.0 · step 0 of ")
        for line, there in (("", 1), ("", 2), ("b", 1), ("b", 0), ("b", 0), ("5", 5), ("nonsense", 6)):
            one.enter(line)
            one.wait(f"· step {there} of ")
        one.enter("9" * 20)
        one.wait("  1. ")
        last = re.findall(r"step 0 of (\d+)", one.text)[0]
        one.wait(f"step {last} of {last} · b back · q quit> ")
        one.enter("")
        one.wait(f"step {last} of {last} · b back")
        one.enter("q")
        assert one.end() == 0
        assert one.is_restored()
        assert " took 0." in one.text


@pytest.mark.slow
def test_it_plays_until_it_is_paused(casual: Path) -> None:
    with terminal(casual, "replay", "watch", "casual/2.0", "--speed", "16") as one:
        one.wait("step 3 of ")
        one.enter("")
        one.wait("p play")
        paused = int(re.findall(r"step (\d+) of \d+ · Enter next", one.text)[-1])
        one.enter("p")
        one.wait(f"step {paused + 1} of ")
        one.wait("· b back · q quit> ")
        one.process.send_signal(signal.SIGINT)
        assert one.end() == 0
        assert one.is_restored()


def test_without_a_terminal_the_game_is_printed(casual: Path) -> None:
    public = arena_here("replay", "watch", "casual/0.0", "--public", cwd=casual)
    assert public.returncode == 0
    assert "greedy 1" in public.stdout
    assert "you get" not in public.stdout
    assert arena_here("replay", "watch", "casual/0.0", "--seat", "3", cwd=casual).returncode == 2
