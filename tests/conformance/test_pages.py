"""Every game of the arena's own has a page that says all that its bots will meet.

A game from elsewhere may have such a page, too: `rules.md` beside its module.
"""

import re
import sys
from pathlib import Path

import pytest

from arena.core.game import AnyGame
from arena.core.ruleset import ruleset
from arena.registry import games
from tests.conformance.tables import TABLES, Played, is_own, played

PAGES = Path(__file__).parents[2] / "docs" / "games"
SECTIONS = [
    "In short",
    "Players and rulesets",
    "Options",
    "Deck and notation",
    "The deal",
    "Decisions and moves",
    "Events",
    "The view",
    "Scoring and result",
    "Points decided",
    "Counts",
    "Version history",
]


def place(game: AnyGame) -> Path:
    """Return where the page of a game is, or would be."""
    if is_own(game):
        return PAGES / f"{game.info.name}.md"
    module = sys.modules[type(game).__module__]
    return Path(str(module.__file__)).with_name("rules.md")


PAGED = [game for game in games().values() if is_own(game) or place(game).exists()]

each_game = pytest.mark.parametrize("game", PAGED, ids=lambda game: game.info.name)


def page(game: AnyGame) -> str:
    return place(game).read_text(encoding="utf-8")


def section(game: AnyGame, title: str) -> str:
    """Return the text of one section of a game's page."""
    return re.split(r"(?m)^## ", page(game).split(f"\n## {title}\n", 1)[1])[0]


def all_played(game: AnyGame) -> list[Played]:
    """Return a random game of every table of a game."""
    return [played(table) for table in TABLES if table.game_name == game.info.name]


@each_game
def test_the_sections_are_the_same_on_every_page(game: AnyGame) -> None:
    assert page(game).startswith(f"# {game.info.title}\n")
    assert re.findall(r"(?m)^## (.+)$", page(game)) == SECTIONS


@each_game
def test_every_ruleset_and_option_is_explained(game: AnyGame) -> None:
    for name in game.info.rulesets:
        assert f"`{name}`" in section(game, "Players and rulesets")
        bears = ruleset(game.info, name).name
        assert bears == name or f"same rules as `{bears}`" in section(game, "Players and rulesets")
    for option in game.info.options:
        assert f"`{option.name}`" in section(game, "Options")


@each_game
def test_every_kind_of_decision_and_type_of_move_is_explained(game: AnyGame) -> None:
    text = section(game, "Decisions and moves")
    for original in all_played(game):
        for step in original.steps:
            for decision in step.turn:
                assert f'kind: "{decision.kind}"' in text
            for move in step.moves.values():
                assert f'"type": "{game.format_move(move)["type"]}"' in text


@each_game
def test_every_event_and_each_of_its_fields_is_explained(game: AnyGame) -> None:
    text = section(game, "Events")
    for original in all_played(game):
        for event in [*original.dealt, *(event for step in original.steps for event in step.events)]:
            seen = set(event.data) | {key for more in event.private.values() for key in more}
            for word in (event.kind, *seen):
                assert f"`{word}`" in text


@each_game
def test_every_field_of_the_view_and_of_the_start_is_explained(game: AnyGame) -> None:
    in_view: set[str] = set()
    at_start: set[str] = set()
    for original in all_played(game):
        in_view.update(*(game.view(step.state, step.turn[0].seat) for step in original.steps))
        at_start.update(*(game.private(original.start, seat) for seat in range(original.table.seats)))
    for key in in_view:
        assert f"`{key}`" in section(game, "The view")
    for key in at_start:
        assert f"`{key}`" in page(game)


@each_game
def test_the_version_history_ends_with_this_version(game: AnyGame) -> None:
    versions = re.findall(r"(?m)^- \*\*(\d+)\*\*", section(game, "Version history"))
    assert [int(version) for version in versions] == list(range(game.info.version, 0, -1))
