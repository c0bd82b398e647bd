"""Each of Arena's own games has a page that describes everything its bots will encounter.

Games of other packages may have such a page too: `rules.md` next to their module.
"""

import re
import sys
from pathlib import Path

from arena.conformance.tables import Played, is_own, named_tables, played
from arena.core.game import AnyGame
from arena.core.ruleset import ruleset

PAGES = Path(__file__).parents[2] / "docs" / "games"
"""Of Arena's own games, if the kit runs in a copy of the project."""
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
MEASURED = ["Reference bots", "What a match is worth"]
"""Sections that a page may have before its version history."""


def place(game: AnyGame) -> Path:
    """Return the actual or expected path of a game's page."""
    if is_own(game):
        return PAGES / f"{game.info.name}.md"
    module = sys.modules[type(game).__module__]
    return Path(str(module.__file__)).with_name("rules.md")


def has_page(game: AnyGame) -> bool:
    """Return whether a game has a page or needs one."""
    return (is_own(game) and PAGES.is_dir()) or place(game).exists()


def page(game: AnyGame) -> str:
    return place(game).read_text(encoding="utf-8")


def section(game: AnyGame, title: str) -> str:
    """Return the text of one section of a game's page."""
    return re.split(r"(?m)^## ", page(game).split(f"\n## {title}\n", 1)[1])[0]


def all_played(game: AnyGame) -> list[Played]:
    """Return a random game from every table of a game."""
    return [played(table) for table in named_tables([game])]


def test_the_sections_are_the_same_on_every_page(paged: AnyGame) -> None:
    assert page(paged).startswith(f"# {paged.info.title}\n")
    found = re.findall(r"(?m)^## (.+)$", page(paged))
    assert [title for title in found if title not in MEASURED] == SECTIONS
    measured = [title for title in MEASURED if title in found]
    assert found == [*SECTIONS[:-1], *measured, SECTIONS[-1]]


def test_every_ruleset_and_option_is_explained(paged: AnyGame) -> None:
    for name in paged.info.rulesets:
        assert f"`{name}`" in section(paged, "Players and rulesets")
        bears = ruleset(paged.info, name).name
        assert bears == name or f"same rules as `{bears}`" in section(paged, "Players and rulesets")
    for option in paged.info.options:
        assert f"`{option.name}`" in section(paged, "Options")


def test_every_kind_of_decision_and_type_of_move_is_explained(paged: AnyGame) -> None:
    text = section(paged, "Decisions and moves")
    for original in all_played(paged):
        for step in original.steps:
            for decision in step.turn:
                assert f'kind: "{decision.kind}"' in text
            for move in step.moves.values():
                assert f'"type": "{paged.format_move(move)["type"]}"' in text


def test_every_event_and_each_of_its_fields_is_explained(paged: AnyGame) -> None:
    text = section(paged, "Events")
    for original in all_played(paged):
        for event in [*original.dealt, *(event for step in original.steps for event in step.events)]:
            seen = set(event.data) | {key for more in event.private.values() for key in more}
            for word in (event.kind, *seen):
                assert f"`{word}`" in text


def test_every_field_of_the_view_and_of_the_start_is_explained(paged: AnyGame) -> None:
    in_view: set[str] = set()
    at_start: set[str] = set()
    for original in all_played(paged):
        in_view.update(*(paged.view(step.state, step.turn[0].seat) for step in original.steps))
        at_start.update(*(paged.private(original.start, seat) for seat in range(original.table.seats)))
    for key in in_view:
        assert f"`{key}`" in section(paged, "The view")
    for key in at_start:
        assert f"`{key}`" in page(paged)


def test_the_version_history_ends_with_this_version(paged: AnyGame) -> None:
    versions = re.findall(r"(?m)^- \*\*(\d+)\*\*", section(paged, "Version history"))
    assert [int(version) for version in versions] == list(range(paged.info.version, 0, -1))
