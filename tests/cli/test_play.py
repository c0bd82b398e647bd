"""A person plays in a terminal: to the end, badly, impatiently, and by walking away."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from results.records.query_rows import FinishedGame
from results.store import open_store
from results.store.verification.verify import verify
from tests.cli.terminals import Terminal, terminal
from tests.support.leagues import (
    arena_here,
    assert_nobody_left,
    games_stored,
    simple,
    start,
    write_bot,
    write_league,
)
from tests.support.outside import beside
from tests.support.waiting import eventually

AS_MARIA = ("--name", "maria", "--seed", "7", "--sandbox", "off")
PROMPT = "your move> "
OVER = "see it again"


def the_game(folder: Path) -> FinishedGame:
    """Return the only game in the store, which must be whole."""
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        assert not verify(store)
        (game,) = store.games.all("casual")
        (match,) = store.matches.all("casual")
        assert match.state == "done"
        people = [entry for entry in store.entries.all("casual") if entry.version is None]
        assert [entry.label for entry in people] == ["maria"]
        return game


def first_choice(shown: str) -> str:
    """Return the key of a listed move: the first below the last title of choices."""
    lines = shown.splitlines()
    title = max(at for at, line in enumerate(lines) if re.match(r"(Play a card.*|Open the hand):$", line))
    return lines[title + 1].split()[0]


def card_player(shown: str) -> str:
    if found := re.findall(r"Discard .* such as  (.*)$", shown, re.MULTILINE):
        at = shown.rfind("such as  ")
        if at > max(shown.rfind("Play a card"), shown.rfind("Open the hand")):
            return str(found[-1])
    return first_choice(shown)


def sandwich_maker(shown: str) -> str:
    question = max(
        (shown.rfind(words), answer)
        for words, answer in (
            ("Rank the cards", "0"),
            ("Offer one of your", "no"),
            ("Accept offers", "no"),
            ("Rank the sandwiches", "2 1 0"),
            ("sandwiches of 3 cards", ""),
        )
    )
    if question[1]:
        return question[1]
    return str(re.findall(r"such as  ([\d /]+?)  ;", shown)[-1])


def play_to_the_end(one: Terminal, answer: Callable[[str], str]) -> None:
    while one.wait(PROMPT, OVER) == PROMPT:
        one.enter(answer(one.text))


@pytest.mark.slow  # the quick ones are those of what is shown, in test_game_lines.py, and the refusal below
def test_a_person_plays_a_game_to_its_end(tmp_path: Path) -> None:
    with terminal(
        tmp_path,
        *("play", "bread-basket", "--seat", "1", "-o", "hands=1", *AS_MARIA),
    ) as one:
        one.wait(PROMPT)
        for typed, shown in (
            ("nonsense \x07\x0e", "is not among your moves"),
            ("h", "deals hand 1"),
            ("?", "one shared line"),
            ("i", "only what is on the table"),
        ):
            one.enter(typed)
            one.wait(shown)
            one.wait(PROMPT)
        one.enter("")
        play_to_the_end(one, card_player)
        assert one.end() == 0
        assert "maria plays" in one.text
        assert "\x07" not in one.raw
    game = the_game(tmp_path)
    assert [seat.verdict for seat in game.seats] == [None, None]
    assert game.seats[1].decisions > 0


RULES = [
    ("bread-basket", "--ruleset", "none", "--seats", "3", "-o", "hands=1"),
    ("bread-basket", "--ruleset", "extra", "-o", "hands=2"),
    ("bread-and-chocolate", "-o", "hands=1"),
    ("bread-and-chocolate", "--ruleset", "gamerules", "-o", "hands=1", "--seat", "1"),
    ("bread-and-chocolate", "--ruleset", "shram", "--seats", "4", "-o", "hands=1"),
    ("sandwich", "-o", "rounds=1"),
    ("sandwich", "--ruleset", "en", "--seats", "4", "-o", "rounds=1", "--seat", "2"),
    ("sandwich", "--ruleset", "de", "-o", "rounds=1", "-o", "tasting=free", "-o", "open=on", "--seats", "4"),
]


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=" ".join)
@pytest.mark.parametrize("columns", [60, 80])
def test_every_game_can_be_played_to_its_end(tmp_path: Path, rules: tuple[str, ...], columns: int) -> None:
    answer = sandwich_maker if rules[0] == "sandwich" else card_player
    with terminal(tmp_path, "play", *rules, *AS_MARIA, columns=columns, rows=20) as one:
        play_to_the_end(one, answer)
        assert one.end() == 0, one.text[-2000:]
        assert "Traceback" not in one.text
    game = the_game(tmp_path)
    assert {seat.verdict for seat in game.seats} == {None}
    shown = one.text
    assert not re.search(r"\b[Ss]eat \d", shown), "everybody has a name"
    with terminal(tmp_path, "replay", "verify", "casual") as verified:
        assert verified.end() == 0


def into_the_game(one: Terminal) -> None:
    one.wait(PROMPT)
    one.enter("")
    one.wait(PROMPT)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leave", "detail", "code"),
    [
        (lambda one: (one.enter("q"), one.wait("type y or yes"), one.enter("yes")), "resigned", 0),
        (lambda one: one.type("\x03"), "Ctrl-C", 4),
        (lambda one: one.type("\x04"), "end of input", 4),
        (lambda one: (one.enter("q"), one.wait("type y or yes"), one.type("\x04")), "end of input", 4),
        (lambda one: one.process.send_signal(signal.SIGTERM), "SIGTERM", 4),
        (lambda one: one.process.send_signal(signal.SIGHUP), "the terminal was closed", 4),
        (Terminal.hang_up, "the terminal was closed", 4),
    ],
)
@pytest.mark.parametrize("seats", ["2", "3"])
def test_who_leaves_forfeits_and_the_game_is_stored_whole(
    tmp_path: Path, leave: Callable[[Terminal], object], detail: str, code: int, seats: str
) -> None:
    with terminal(tmp_path, "play", "bread-basket", "-o", "hands=1", "--seats", seats, *AS_MARIA) as one:
        into_the_game(one)
        leave(one)
        ended = one.process.wait(60) if one.master < 0 else one.end()
        assert ended == code, one.text[-1500:]
        assert "Traceback" not in one.text
        if one.master >= 0:
            assert one.is_restored()
        assert "run it again" not in one.text, "it is over"
        assert ("stored as casual/0.0" in one.text) == ("closed" not in detail)
    game = the_game(tmp_path)
    assert [seat.verdict for seat in game.seats] == ["resigned", *[None] * (int(seats) - 1)]
    assert (game.seats[0].rank, game.seats[0].detail) == (int(seats), detail)
    assert_nobody_left(str(tmp_path))
    assert not [*(tmp_path / "tmp").iterdir()]


@pytest.mark.slow
def test_nothing_that_is_typed_breaks_the_dialogue(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "sandwich", "-o", "rounds=1", *AS_MARIA) as one:
        one.wait(PROMPT)
        for typed in (
            "x" * 4000,
            "9" * 4000,
            "-1",
            "0 0",
            "²",
            "ham / / /",
            "\ud800".encode("utf-8", "surrogatepass").decode("latin1"),
            '{"type": "grab", "order": [0, 1, 2]}',
            "a" * 300 + "\u202e",
            "q",
        ):
            one.enter(typed)
            one.wait(PROMPT, "type y or yes to resign> ")
        one.enter("perhaps")
        one.wait("The game goes on.")
        one.wait(PROMPT)
        one.enter("0 1 2")
        one.wait("Turn 2 of the market")
        one.resize(40, 10)
        one.process.send_signal(signal.SIGWINCH)
        one.wait(PROMPT)
        one.enter("")
        one.wait(PROMPT)
        os.write(one.master, b"\xff\xfe\n" + b"1\n" * 3)
        one.wait("Turn 5 of the market")
        one.type("\x03")
        assert one.end() == 4
        assert "Traceback" not in one.text
    assert the_game(tmp_path).seats[0].detail == "Ctrl-C"


@pytest.mark.slow
def test_the_own_time_is_limited_if_wanted(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "bread-basket", "-o", "hands=1", "--move-seconds", "1", *AS_MARIA) as one:
        one.wait("your move, 1 s> ")
        one.wait("your time is up")
        assert one.end() == 0
    seat = the_game(tmp_path).seats[0]
    assert (seat.verdict, seat.detail[:20]) == ("timeout", "1 s limit for a move")


@pytest.mark.slow
def test_what_is_typed_too_late_does_not_go_to_the_shell(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "bread-basket", "-o", "hands=1", *AS_MARIA) as one:
        one.wait(PROMPT)
        one.type("q\nyes\nrm *\n")
        assert one.end() == 0
        assert not one.has_unread_lines()
    assert the_game(tmp_path).seats[0].detail == "resigned"


@pytest.mark.slow
def test_a_third_signal_ends_the_command_and_stores_nothing(tmp_path: Path) -> None:
    write_bot(tmp_path, "slow", simple(0, pause_ms=300), mark=str(tmp_path))
    with terminal(tmp_path, "play", "bread-basket", "--against", "slow", "--seats", "4", *AS_MARIA) as one:
        one.wait(PROMPT)
        for _ in range(4):
            one.process.send_signal(signal.SIGINT)
            one.read(0.3)
        assert one.end() == 4
        assert one.is_restored()
    assert not (tmp_path / "arena.sqlite").exists()
    assert_nobody_left(str(tmp_path))


@pytest.mark.slow
def test_a_stop_waits_for_the_persons_turn(tmp_path: Path) -> None:
    """Ctrl-Z: the process stops at the prompt, and shows it again when it goes on."""
    with terminal(tmp_path, "play", "bread-basket", "-o", "hands=1", *AS_MARIA) as one:
        one.wait(PROMPT)
        one.process.send_signal(signal.SIGTSTP)
        one.process.send_signal(signal.SIGCONT)
        one.read(0.5)
        one.enter("")
        one.wait("Line")
        one.wait(PROMPT)
        one.type("\x03")
        assert one.end() == 4
    assert the_game(tmp_path).seats[0].detail == "Ctrl-C"


@pytest.mark.slow
def test_what_cannot_be_played_is_refused_before_anything_happens(tmp_path: Path) -> None:
    for arguments, said in (
        (("bread-basket", "--seat", "2"), "seats 0 to 1"),
        (("bread-basket", "--name", "greedy"), "a bot at the table is called greedy"),
        (("bread-basket", "--name", "two\nlines"), "can't be shown"),
        (("bread-basket", "--name", ""), "is empty"),
        (("bread-basket", "--name", "a/b"), "contains '/'"),
        (("bread-basket", "--seats", "12"), "choose --seats 2 to 6"),
        (("sandwich", "--seats", "2"), "is for 3 to 6 players"),
        (
            ("sandwich", "--against", "bots/bread_basket/greedy"),
            "bots/bread_basket/greedy does not play sandwich",
        ),
        (("nonsense",), "nonsense"),
    ):
        with terminal(tmp_path, "play", *arguments, "--sandbox", "off", columns=200) as one:
            assert one.end() == 2, one.text
            assert said in one.text
    assert not (tmp_path / "arena.sqlite").exists()


def test_without_a_terminal_nothing_is_played(tmp_path: Path) -> None:
    piped = arena_here("play", "bread-basket", cwd=tmp_path)
    assert piped.returncode == 2
    assert "needs a terminal" in piped.stderr
    assert not (tmp_path / "arena.sqlite").exists()


@pytest.mark.slow
def test_while_a_runner_has_the_store_the_game_is_left_for_it(tmp_path: Path) -> None:
    league = write_league(tmp_path, rounds=100_000, bots=2, seats=2)
    assert arena_here("league", "create", league, cwd=tmp_path).returncode == 0
    runner = start("run", "test", "--sandbox", "off", cwd=tmp_path)
    try:
        assert eventually(lambda: games_stored(tmp_path) > 0)
        with terminal(tmp_path, "play", "bread-basket", "-o", "hands=1", *AS_MARIA) as one:
            one.wait(PROMPT)
            one.type("\x03")
            assert one.end() == 4
            assert "by the runner" in one.text or "left for the runner" in one.text
        assert eventually(lambda: "maria" in arena_here("replay", "list", "casual", cwd=tmp_path).stdout)
    finally:
        os.kill(runner.pid, signal.SIGTERM)
        runner.wait()


@pytest.mark.slow
def test_a_person_plays_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = beside(tmp_path / "site", "tiles")
    monkeypatch.setenv("PYTHONPATH", str(site))
    with terminal(tmp_path, "play", "tiles", "--ruleset", "small", "--name", "ann") as person:
        person.wait("your move>")
        assert "At the table" not in person.text
        assert "moves:" in person.text
        person.enter("1")
        person.wait("The tiles slide")
        person.enter("q")
        person.wait("type y or yes")
        person.enter("yes")
        person.wait("stored as casual/0.0")
        assert person.end() == 0
    with terminal(tmp_path, "play", "tiles", "--against", "random") as person:
        person.wait("is for you alone: leave it out")
