"""A finished game on the screen: every key, every size, and a terminal that is as before at the end."""

import re
import signal
from pathlib import Path

import pytest

from tests.cli.terminals import Terminal, terminal
from tests.support.leagues import arena_here


@pytest.fixture(scope="module")
def casual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose store has a game of each kind: 0 Bread Basket, 1 Bread and Chocolate, 2 Sandwich."""
    folder = tmp_path_factory.mktemp("watched")
    bots = (
        ("bread-basket", "bread_basket", 3, ("-o", "hands=1")),
        ("bread-and-chocolate", "bread_and_chocolate", 2, ("-o", "hands=1")),
        ("sandwich", "sandwich", 4, ("--ruleset", "en", "-o", "rounds=1")),
    )
    for game, room, seats, options in bots:
        names = [f"bots/{room}/greedy"] * (seats - 1) + ["bots/any_game/random"]
        done = arena_here(
            "match", *names, "-g", game, *options, "--seed", "1", "--sandbox", "off", cwd=folder
        )
        assert done.returncode == 0, done.stderr
    return folder


def screen(one: Terminal) -> str:
    """Return the latest frame."""
    while one.read(0.3):
        pass
    return one.text.rpartition("\x1b[H")[2] or one.text


def step(one: Terminal) -> int:
    """Return the number of the step that the screen shows."""
    while one.read(0.3):
        pass
    return int(re.findall(r"step (\d+) of", one.text)[-1])


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(60, 20), (80, 24), (120, 40), (20, 5)])
@pytest.mark.parametrize("game", range(3))
def test_every_key_at_every_size(
    casual: Path, game: int, columns: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINES", "24")
    with terminal(casual, "replay", "watch", f"casual/{game}.0", columns=columns, rows=rows) as one:
        one.wait("step 0 of ") if columns > 20 else one.wait("step")
        for keys in (
            "\x1b[C",
            "n",
            "p",
            "\x1b[F",
            "\x1b[D",
            "i",
            "i",
            "\x1b[B",
            "\x1b[6~",
            "\x1b[A",
            "+",
            "-",
            "?",
            "ü",
        ):
            one.type(keys)
        one.type("\x1b[H")
        one.read(0.5)
        one.type("q")
        assert one.end() == 0
        assert one.is_restored()
        assert "\x1b[?1049l" in one.raw.rpartition("\x1b[?1049h")[2], "the screen before is back"
        assert one.raw.rfind("\x1b[?25h") > one.raw.rfind("\x1b[?25l"), "and the cursor"
        assert "Traceback" not in one.text
        for frame in one.raw.split("\x1b[H")[1:]:
            assert frame.count("\n") < rows


@pytest.mark.slow
def test_keys_lead_where_they_say(casual: Path) -> None:
    with terminal(casual, "replay", "watch", "casual/0.0") as one:
        one.wait("step 0 of ")
        last = int(re.findall(r"step 0 of (\d+)", one.text)[-1] if screen(one) else 0)
        for keys, there in (
            ("\x1b[C", 1),
            ("\x1bOC", 2),
            ("\x1b[D", 1),
            ("\x1b[4~", last),
            ("\x1b[D", last - 1),
            ("\x1b[C\x1b[C\x1b[C", last),
            ("\x1b[H", 0),
            ("\x1b[D", 0),
        ):
            one.type(keys)
            assert step(one) == there
        one.type("n")
        turn = step(one)
        one.type("n")
        later = step(one)
        assert 0 < turn < later
        one.type("p")
        assert step(one) == turn
        one.type("++++ ")
        one.wait("playing 16/s")
        one.wait(f"step {last} of {last}")
        one.wait("paused")
        one.type("\x1b")
        assert one.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(casual: Path, number: signal.Signals) -> None:
    with terminal(casual, "replay", "watch", "casual/1.0") as one:
        one.wait("step 0 of ")
        assert not one.is_restored()
        one.process.send_signal(number)
        assert one.end() == 4
        if number is not signal.SIGHUP:  # then it is the terminal that is gone
            assert one.is_restored()
            assert "\x1b[?1049l" in one.raw
            assert "run it again with: arena replay watch casual/1.0" in one.text


@pytest.mark.slow
def test_a_stop_and_a_new_size_are_survived(casual: Path) -> None:
    with terminal(casual, "replay", "watch", "casual/2.0") as one:
        one.wait("step 0 of ")
        one.type("\x1b[C")
        one.wait("step 1 of ")
        one.resize(60, 20)
        one.process.send_signal(signal.SIGWINCH)
        one.wait("step 1 of ")
        one.type("q")
        assert one.end() == 0
        assert one.is_restored()


@pytest.mark.slow
def test_without_a_terminal_the_game_is_printed(casual: Path) -> None:
    public = arena_here("replay", "watch", "casual/0.0", "--public", cwd=casual)
    assert public.returncode == 0
    assert "greedy 1" in public.stdout
    assert "you get" not in public.stdout
    assert not re.search(r"\bseat \d", re.sub(r"  seat \d: |\(seat \d\)", "", public.stdout), re.IGNORECASE)
    everything = arena_here("replay", "watch", "casual/2.0", cwd=casual).stdout
    assert "everybody: pairs that go well: " in everything
    assert re.search(r"random: likes: \w+ [+-]\d", everything)
    assert "{" not in everything
    assert arena_here("replay", "watch", "casual/0.0", "--seat", "3", cwd=casual).returncode == 2
