"""What is wrong with a league file's names, patterns and lists is said with file, line and what would be right."""

from pathlib import Path

import pytest

from tests.support.leagues import arena_here, simple, write_bot

START = """\
name = "friday"
game = "bread-basket"
seats = 2

[[bots]]
path = "pick0"
label = "one"

[[bots]]
path = "pick1"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("refusals")
    for number in range(2):
        write_bot(place, f"pick{number}", simple(number))
    return place


SLOWLY = "reading the bots and trying the game … "
"""What comes first on a machine that is busy."""


def refused(folder: Path, old: str, new: str) -> str:
    """Return what `league create` and its dry run say, in one line, of a file in which this was changed."""
    assert old in START
    (folder / "friday.toml").write_text(START.replace(old, new, 1))
    told = []
    for more in ([], ["--dry-run"]):
        done = arena_here("league", "create", "friday.toml", *more, cwd=folder)
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        told.append(" ".join(done.stderr.split()).removeprefix(SLOWLY))
    assert told[0] == told[1], "the dry run finds the same"
    assert not list(folder.glob("arena.*"))
    return told[0]


BAD_NAMES = {
    "..": "is the name of a folder",
    ".": "is the name of a folder",
    "a/b": "contains '/'",
    "a\\\\b": "contains",
    "--store": "begins with '-'",
    "-": "begins with '-'",
    "": "must not be empty",
    "  ": "is empty",
    " a": "has spaces around it",
    "a\\nb": "U+000A",
    "a\\u001b[2Jb": "U+001B",
    "a\\u0000b": "NUL",
    "a\\u202Eb": "U+202E",
    "a\\u2066b": "U+2066",
    "a\\u200Bb": "U+200B",
    "a\\u2028b": "U+2028",
}


@pytest.mark.parametrize(("name", "why"), BAD_NAMES.items())
@pytest.mark.parametrize(
    ("key", "old", "line"),
    [("name", 'name = "friday"', 1), ("[[bots]] number 1, label", 'label = "one"', 7)],
)
def test_names_that_something_else_would_be_made_of(
    folder: Path, name: str, why: str, key: str, old: str, line: int
) -> None:
    told = refused(folder, old, f'{key.split()[-1]} = "{name}"')
    assert f"error: friday.toml:{line}: {key}: " in told
    assert why in told


def test_letters_of_any_script_are_shown_and_nothing_that_steers(folder: Path) -> None:
    assert "name: 'grün/Ω' contains '/'" in refused(folder, '"friday"', '"grün/Ω"')
    told = refused(folder, '"friday"', '"grün\\u202e\\u001b[2J\\u3164"')
    assert "'grün\\u202e\\x1b[2J\ufffd' has a character" in told


def test_what_a_name_may_be_is_said(folder: Path) -> None:
    assert "hint: a name is one line of printable text without '/'" in refused(folder, '"friday"', '"a/b"')


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('path = "pick1"', 'glob = ""', ["friday.toml:10: [[bots]] number 2, glob: "]),
        (
            'path = "pick1"',
            'glob = "none/*"',
            ["friday.toml:10: [[bots]] number 2, glob: no folder", "none/*/bot.toml"],
        ),
        ('path = "pick1"', 'glob = "/none-such/*"', ["friday.toml:10: [[bots]] number 2, glob: no folder"]),
        ('path = "pick1"', 'glob = "a**b"', ["friday.toml:10: [[bots]] number 2, glob: "]),
        (
            'path = "pick1"',
            f'path = "{"a" * 300}"',
            ["friday.toml:10: [[bots]] number 2, path: ", "name too long"],
        ),
        ('path = "pick1"', 'path = "none"', ["friday.toml:9: [[bots]] number 2: ", "no such file or folder"]),
        (
            'path = "pick1"',
            'version = "none"',
            ["friday.toml:10: [[bots]] number 2, version: there is no bot 'none'"],
        ),
        (
            'path = "pick1"',
            'path = "pick1"\nlabel = "one"',
            [
                "friday.toml:11: [[bots]] number 2, label: two entries have the label 'one'",
                "change one of them",
            ],
        ),
        (
            'path = "pick1"',
            'label = "two"',
            ["friday.toml:9: [[bots]] number 2: neither path, version, track nor glob is set"],
        ),
        ("seats = 2", "seats = []", ["friday.toml:3: seats: must not be empty"]),
        (
            "seats = 2",
            "seats = 3",
            ["friday.toml:3: seats: 2 bots cannot fill a table of 3 seats", "add bots"],
        ),
        (
            "seats = 2",
            'rating = { system = "elo" }',
            ["friday.toml:3: rating.system: there is no rating system 'elo'", "available: trueskill"],
        ),
        ("seats = 2", "rating = { beta = inf }", ["friday.toml:3: rating.beta: "]),
        ("seats = 2", 'keep_replays = "last 99999999999"', ["friday.toml:3: keep_replays: "]),
        ("seats = 2", 'schedule = { kind = "swis" }', ["friday.toml:3: schedule.kind: there is no schedule"]),
        ("seats = 2", "schedule = { kind = 5 }", ["friday.toml:3: schedule.kind: expected text"]),
        ('"bread-basket"', '"bread"', ["friday.toml:2: game: there is no game 'bread'", "bread-basket"]),
        (
            "seats = 2",
            'ruleset = "tenz"',
            ["friday.toml:3: ruleset: bread-basket has no ruleset 'tenz'", "tens"],
        ),
        ("seats = 2", "options = { hands = 0 }", ["friday.toml:3: options.hands: ", "whole number from 1"]),
        (
            "seats = 2",
            "options = { hand = 1 }",
            ["friday.toml:3: bread-basket has no option 'hand'", "hands"],
        ),
        (
            "seats = 2",
            'name = "again"',
            ["friday.toml:3: name is set twice: also in line 1"],
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder: Path, old: str, new: str, words: list[str]) -> None:
    told = refused(folder, old, new)
    for word in words:
        assert word in told


def test_a_pattern_may_be_absolute(folder: Path) -> None:
    (folder / "friday.toml").write_text(START.replace('path = "pick1"', f'glob = "{folder}/pick[1]"'))
    done = arena_here("league", "create", "friday.toml", "--dry-run", cwd=folder)
    assert done.returncode == 0, done.stderr


def test_a_schedule_that_nobody_could_play_is_refused(folder: Path) -> None:
    many = "".join(f'\n[[bots]]\npath = "pick0"\nlabel = "e{number}"\n' for number in range(400))
    (folder / "friday.toml").write_text(START.replace("seats = 2", "seats = 6") + many)
    done = arena_here("league", "create", "friday.toml", cwd=folder)
    assert done.returncode == 2
    assert "schedule: more than 1,000,000,000,000 matches" in " ".join(done.stderr.split())


def test_a_pattern_with_two_double_stars_is_refused(folder: Path) -> None:
    told = refused(folder, 'path = "pick0"\nlabel = "one"', 'glob = "deep/**/**/**/*"')
    assert (
        "friday.toml:6: [[bots]] number 1, glob: 'deep/**/**/**/*' is not a valid pattern: `**` appears more than"
        in told
    )


def warned(folder: Path, more: str, first: str = "") -> str:
    """Return what a dry run says of a file to which this was added, behind and in front."""
    (folder / "friday.toml").write_text(first + START + more)
    done = arena_here("league", "create", "friday.toml", "--dry-run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ('\n[[bots]]\npath = "pick1"\n', 12),
        ('\n[[bots]]\npath = "../{folder}/pick1"\n', 12),
        ('\n# a pattern\n[[bots]]\nglob = "pick[1-9]"\n', 13),
    ],
)
def test_a_bot_that_is_listed_twice_is_warned_of_with_both_lines(folder: Path, more: str, line: int) -> None:
    told = warned(folder, more.replace("{folder}", folder.name))
    named = f"../{folder.name}/pick1" if "../" in more else "pick1"
    assert f"warning: friday.toml:{line}: {named} is already listed on line 9 and will play as two" in told
    assert "hint: list each bot once, or give the second entry a `label`" in told


def test_overlapping_patterns_warn_once_for_all_their_bots(folder: Path) -> None:
    told = warned(folder, '\n[[bots]]\nglob = "pick*"\n\n[[bots]]\nglob = "*1"\n')
    assert told.count("already listed on line") == 3
    assert "friday.toml:12: pick0 is already listed on line 5" in told
    assert "friday.toml:15: pick1 is already listed on line 9" in told


@pytest.mark.parametrize("key", ['label = "two"', 'args = ["--greedy"]'])
def test_a_bot_entered_again_on_purpose_is_not_warned_of(folder: Path, key: str) -> None:
    assert "listed" not in warned(folder, f'\n[[bots]]\npath = "pick1"\n{key}\n')


def test_a_settled_order_of_bots_of_one_author_is_told_to_be_unproven(folder: Path) -> None:
    """Two bots of `tests` are kept apart from when there is one of somebody else."""
    write_bot(folder, "stranger", simple(0), author="ann")
    settles = '\n[stop]\nuntil = "settled"\n'
    other = '\n[[bots]]\npath = "stranger"\n'
    told = warned(folder, other + settles)
    assert (
        "kept apart, or their matches aren't rated: one, pick1 by tests. If two of them are neighbours"
        in told
    )
    assert "set same_author = true if you trust the authors, or add bots by others" in told
    for more, first in ((settles, ""), (other, "same_author = true\n")):
        assert "kept apart" not in warned(folder, more, first)
    told = warned(folder, f'{other}\n[[bots]]\npath = "pick1"\n')
    assert (
        "kept apart, or their matches aren't rated: one, pick1, pick1 by tests hint: same_author = true lets"
        in told
    )
