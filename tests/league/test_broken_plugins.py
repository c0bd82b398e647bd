"""A game, a schedule or a rating system that raises is named, with the line; nothing is created, nothing is traced."""

from pathlib import Path
from typing import Any

import pytest

from arena import registry
from arena.league.definition import rating
from tests.support.leagues import arena_here, write_league
from tests.support.points import Points, offer


class Broken:
    """A plug-in with one member that raises."""

    def __init__(self, whole: object, member: str) -> None:
        self._whole = whole
        setattr(self, member, self._raise)  # an attribute of its own, which is what protocols look for

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def _raise(self, *_: object, **__: object) -> None:
        raise ZeroDivisionError("the jam is gone")


def told(folder: Path) -> str:
    done = arena_here("league", "create", "league.toml", cwd=folder)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not list(folder.glob("arena*"))
    return " ".join(done.stderr.split())


ALWAYS = ("seats", "resolve", "deal", "turn")
ONLY_MEASURED = ("advance", "copy", "sample_move")
"""A game is played by these where its draws are measured, as the file sets no `draw_probability`."""


@pytest.mark.parametrize(
    ("member", "measured"),
    [*((name, True) for name in (*ALWAYS, *ONLY_MEASURED)), *((name, False) for name in ALWAYS)],
)
def test_a_game_that_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, member: str, measured: bool
) -> None:
    file = write_league(tmp_path, rounds=1)
    if not measured:
        file.write_text(file.read_text().replace("[schedule]", "rating.draw_probability = 0.1\n[schedule]"))
    game = Broken(registry.game("bread-basket"), member)
    monkeypatch.setattr(registry, "game", lambda _: game)
    words = told(tmp_path)
    assert "the game 'bread-basket' of tests.league.test_broken_plugins failed" in words
    assert "ZeroDivisionError: the jam is gone" in words
    assert "test_broken_plugins.py:" in words
    assert "in _raise" in words
    assert "not the league file" in words


@pytest.mark.parametrize("member", ["total", "sizes"])
def test_a_schedule_that_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, member: str) -> None:
    write_league(tmp_path, rounds=1)
    schedule = Broken(registry.schedule("round-robin"), member)
    monkeypatch.setattr(registry, "schedule", lambda _: schedule)
    assert "the schedule 'round-robin' of tests.league.test_broken_plugins failed" in told(tmp_path)


@pytest.mark.parametrize("member", ["scale"])
def test_a_rating_system_that_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, member: str) -> None:
    file = write_league(tmp_path, rounds=1)
    file.write_text(file.read_text().replace("[schedule]", 'rating.system = "points"\n[schedule]'))
    broken: Any = Broken(Points(), member)
    offer(monkeypatch, broken)
    words = told(tmp_path)
    assert "the rating system 'points' of tests.league.test_broken_plugins failed" in words
    assert "ZeroDivisionError: the jam is gone" in words
    assert "test_broken_plugins.py:" in words


def test_a_game_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_league(tmp_path, rounds=1)

    class Endless(Broken):
        def _raise(self, *_: object, **__: object) -> None:
            """Leave the state as it is."""

    game = Endless(registry.game("bread-basket"), "advance")
    monkeypatch.setattr(registry, "game", lambda _: game)
    monkeypatch.setattr(rating, "MOST_MOVES_A_GAME", 500)
    words = told(tmp_path)
    assert "the game 'bread-basket' had not ended after 500 random moves" in words
    assert "it may never end" in words
