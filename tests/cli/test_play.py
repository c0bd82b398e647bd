"""A person plays in a terminal: to the end, badly, impatiently, and by walking away."""

import re
from collections.abc import Callable
from pathlib import Path

from results.query_rows import FinishedGame
from results.store import open_store
from tests.cli.terminals import Terminal, terminal

PROMPT = "your move> "
OVER = "see it again"


def the_game(folder: Path) -> FinishedGame:
    """Return the only game in the store, which must be whole."""
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        assert not store.verify()
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


def test_a_person_plays_a_game_to_its_end(tmp_path: Path) -> None:
    with terminal(
        tmp_path,
        *("play", "bread-basket", "--name", "maria", "--seed", "7", "--seat", "1", "-o", "hands=1"),
        *("--sandbox", "off"),
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
