"""Each of Arena's own games has a page that describes everything its bots will encounter.

Games of other packages may have such a page too: `rules.md` next to their module.
"""

import re
import sys
from pathlib import Path

from arena.conformance.tables import Played, is_own, named_tables, several
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
    _, found, rest = page(game).partition(f"\n## {title}\n")
    assert found, f"{place(game).name} has no section {title!r}: add one"
    return re.split(r"(?m)^## ", rest)[0]


def all_played(game: AnyGame) -> list[Played]:
    """Return some random games from every table of a game."""
    return [one for table in named_tables([game]) for one in several(table)]


def test_the_sections_are_the_same_on_every_page(paged: AnyGame) -> None:
    title = f"# {paged.info.title}"
    assert page(paged).startswith(f"{title}\n"), f"{place(paged).name} begins with the line {title!r}"
    found = re.findall(r"(?m)^## (.+)$", page(paged))
    measured = [title for title in MEASURED if title in found]
    assert found == [*SECTIONS[:-1], *measured, SECTIONS[-1]], (
        f"{place(paged).name} has these sections, in this order: {', '.join(SECTIONS)}"
    )


def explains(game: AnyGame, title: str, text: str) -> None:
    """Fail, saying what to write, unless a section of a game's page has the text."""
    assert text in section(game, title), (
        f"{place(game).name} says nothing of {text} under {title!r}: explain it there"
    )


def test_every_ruleset_and_option_is_explained(paged: AnyGame) -> None:
    for name in paged.info.rulesets:
        explains(paged, "Players and rulesets", f"`{name}`")
        if (bears := ruleset(paged.info, name).name) != name:
            explains(paged, "Players and rulesets", f"same rules as `{bears}`")
    for option in paged.info.options:
        explains(paged, "Options", f"`{option.name}`")


def test_every_kind_of_decision_and_type_of_move_is_explained(paged: AnyGame) -> None:
    steps = [step for original in all_played(paged) for step in original.steps]
    for kind in {decision.kind for step in steps for decision in step.turn}:
        explains(paged, "Decisions and moves", f'kind: "{kind}"')
    for type_ in {paged.format_move(move)["type"] for step in steps for move in step.moves.values()}:
        explains(paged, "Decisions and moves", f'"type": "{type_}"')


def test_every_event_and_each_of_its_fields_is_explained(paged: AnyGame) -> None:
    events = [event for original in all_played(paged) for event in original.events]
    fields = {key for event in events for data in (event.data, *event.private.values()) for key in data}
    for word in sorted({event.kind for event in events} | fields):
        explains(paged, "Events", f"`{word}`")


def test_every_field_of_the_view_and_of_the_start_is_explained(paged: AnyGame) -> None:
    in_view: set[str] = set()
    at_start: set[str] = set()
    for original in all_played(paged):
        in_view.update(*(paged.view(step.state, step.turn[0].seat) for step in original.steps))
        at_start.update(*(paged.private(original.start, seat) for seat in range(original.table.seats)))
    for key in sorted(in_view):
        explains(paged, "The view", f"`{key}`")
    for key in sorted(at_start):
        assert f"`{key}`" in page(paged), (
            f"{place(paged).name} says nothing of `{key}`, which `private` has: explain it"
        )


def test_the_version_history_ends_with_this_version(paged: AnyGame) -> None:
    versions = re.findall(r"(?m)^- \*\*(\d+)\*\*", section(paged, "Version history"))
    assert [int(version) for version in versions] == list(range(paged.info.version, 0, -1)), (
        f"the version history of {place(paged).name} has a line for each version from {paged.info.version} down to 1, "
        "such as `- **1**: the first`"
    )
