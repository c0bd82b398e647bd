"""What a game says of itself: options and seats, its page of rules, drawings and descriptions for people."""

import re
from pathlib import Path

import pytest

import arena
from arena.core.errors import BadOption
from arena.core.game import AnyGame, sides_of
from arena.core.game_files import rules_page
from arena.core.ruleset import ruleset, with_options
from arena.registry import wrong_seats
from arena_conformance import is_own
from arena_conformance.random_games import (
    GameSetup,
    Played,
    changed,
    named_tables,
    other_values,
    played,
    refused,
    several,
)


def test_what_people_read_is_one_line(game: AnyGame) -> None:
    texts = {"title": game.info.title, "summary": game.info.summary}
    texts |= {f"summary of the option {option.name}": option.summary for option in game.info.options}
    for what, text in texts.items():
        is_line = text.isprintable() and text == text.strip() != ""
        assert is_line, f"the {what} is {text!r}: write one line of text, without blanks around it"


def test_rulesets_list_only_what_differs_from_the_defaults(game: AnyGame) -> None:
    for name, changes in game.info.rulesets.items():
        for option, value in changes.items():
            assert value != game.info.option(option).default, (
                f"the ruleset {name} sets {option} to {value!r}, which is the option's default: leave it out"
            )


def test_resolving_fills_every_option_and_does_nothing_the_second_time(game: AnyGame) -> None:
    for name in game.info.rulesets:
        rules = ruleset(game.info, name)
        for seats in game.seats(rules):
            resolved = game.resolve(rules, seats)
            where = f"the ruleset {name} at {seats} seats"
            left_open = [option for option, value in resolved.options.items() if value is None]
            assert not left_open, f"`resolve` leaves options of {where} open: fill in {left_open}"
            assert (resolved.name, [*resolved.options]) == (rules.name, [*rules.options]), (
                f"`resolve` changes the name or the options of {where}: use `ruleset.filled(...)`"
            )
            assert game.resolve(resolved, seats) == resolved, (
                f"resolving {where} twice differs from once: change only options that are None"
            )
            again = game.resolve(with_options(game.info, resolved.options), seats)
            assert again.options == resolved.options, (
                f"`resolve` changes options of {where} that are set: change only those that are None"
            )
            sides_of(game, resolved, seats)  # says what is wrong with them


def test_other_numbers_of_seats_are_refused(game: AnyGame) -> None:
    for name in game.info.rulesets:
        rules = ruleset(game.info, name)
        seats = game.seats(rules)
        for wrong in {-1, 0, 1, 1000, *range(min(seats) - 1, max(seats) + 2)} - {*seats}:
            told = f"`resolve` of the ruleset {name} accepts {wrong} seats, which `seats` doesn't have: raise BadOption"
            with refused(told, BadOption) as refusal:
                game.resolve(rules, wrong)
            assert str(wrong) in str(refusal[0]), (
                f"`resolve` refuses {wrong} seats with {str(refusal[0])!r}: name the number that is wrong"
            )


def test_every_value_of_an_option_leaves_numbers_of_seats_or_none(game: AnyGame) -> None:
    for name in game.info.rulesets:
        for option in game.info.options:
            for value in other_values(option, ruleset(game.info, name)[option.name]):
                seats = game.seats(changed(game, name, (option.name, value)))
                wrong = wrong_seats(seats) if len(seats) else ""
                assert not wrong, f"the ruleset {name} with {option.name} = {value!r} {wrong}"


PAGES = Path(arena.__file__).parents[1] / "docs" / "games"
"""Of Arena's own games, if the kit runs in a copy of the project."""
SECTIONS = [
    "In short",
    "A turn",
    "Players and rulesets",
    "Options",
    "Deck and notation",
    "The deal",
    "Decisions and moves",
    "Scoring and result",
    "Events",
    "The view",
    "Points decided",
    "Counts",
    "Reference bots",
    "What a match is worth",
    "Version history",
    "Sources",
]
"""The sections of a page, in order."""
MAY_LACK = {"A turn", "Reference bots", "What a match is worth", "Sources"}


def place(game: AnyGame) -> Path:
    """Return the path of the page of one of Arena's own games, and the name that it has in other packages."""
    return PAGES / f"{game.info.name}.md" if is_own(game) else Path("rules.md")


def has_page(game: AnyGame) -> bool:
    """Return whether a game has a page or needs one."""
    return PAGES.is_dir() if is_own(game) else rules_page(game) is not None


def page(game: AnyGame) -> str:
    return place(game).read_text(encoding="utf-8") if is_own(game) else rules_page(game) or ""


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
    needed = [title for title in SECTIONS if title in found or title not in MAY_LACK]
    assert found == needed, f"{place(paged).name} has these sections, in this order: {', '.join(needed)}"


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


PLAIN = "plain text without tabs, control characters or marks of the direction of writing"


def check_picture(picture: str, width: int, of: str) -> None:
    """Fail, saying what is wrong, unless a picture is lines of plain text that fit the width."""
    assert picture.strip(), f"`draw` returns nothing for {of}: draw what is in the view"
    for line in picture.split("\n"):
        assert line.isprintable(), f"`draw` for {of} has the line {line!r}: write {PLAIN}"
        assert line == line.rstrip(), (
            f"`draw` for {of} has blanks at the end of the line {line!r}: strip them"
        )
        assert len(line) <= width, (
            f"`draw` for {of} has a line of {len(line)} characters where {width} fit: wrap or shorten {line!r}"
        )


def whose(seat: int | None) -> str:
    return "the view of spectators" if seat is None else f"the view of seat {seat}"


@pytest.mark.parametrize("width", [60, 80, 132])
def test_a_drawn_view_fits_the_width(table: GameSetup, width: int) -> None:
    for step in [step for original in several(table) for step in original.steps][::7]:
        for seat in (None, *range(table.seats)):
            check_picture(table.game.draw(table.game.view(step.state, seat), width), width, whose(seat))


def test_the_end_can_be_drawn(table: GameSetup) -> None:
    for seat in (None, *range(table.seats)):
        picture = table.game.draw(table.game.view(played(table).end, seat), 80)
        check_picture(picture, 80, f"{whose(seat)} when the game is over")


def test_every_event_is_told_in_one_sentence(table: GameSetup) -> None:
    for event in [event for original in several(table) for event in original.events]:
        for seat in (None, *range(table.seats)):
            told = table.game.describe(event.seen_by(seat))
            what = f"`describe` tells the event {event.kind!r} as {told!r}"
            assert told.isprintable(), f"{what}: write one line of {PLAIN}"
            assert told == told.strip() != "", f"{what}: write a sentence, without blanks around it"
            assert told[0].isupper(), f"{what}: begin the sentence with a capital letter"
            assert told[-1] in ".!", f"{what}: end the sentence with a full stop"


def test_a_forfeit_is_told_too(table: GameSetup) -> None:
    told = table.game.describe({"kind": "forfeit", "seat": 1, "verdict": "timeout"})
    for word in ("timeout", "1"):
        assert word in told, (
            f"`describe` tells a forfeit as {told!r}, without {word!r}: tell `seat` and `verdict` of events "
            "of the kind `forfeit`, which Arena adds to every game"
        )
