"""A key of a league file that is in the wrong place is refused with the place where it belongs."""

from pathlib import Path

import pytest

from arena.core.errors import BadFile
from arena.league.definition.read import read_plan

START = """\
name = "friday"
game = "bread-basket"
# here

[schedule]
kind = "round-robin"

[stop]
matches = 3

[[bots]]
path = "one"
"""


def refused(tmp_path: Path, old: str, new: str) -> tuple[str, str]:
    """Return the message about a file in which this was changed, and its hint."""
    assert old in START
    path = tmp_path / "friday.toml"
    path.write_text(START.replace(old, new, 1))
    with pytest.raises(BadFile) as caught:
        read_plan(path)
    return str(caught.value).removeprefix(f"{path}:"), caught.value.hint


TOP = "belongs at the top of the file: move it above the first table in line"


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        (
            "matches = 3",
            "rounds = 2",
            "9: unknown key 'rounds'",
            "[schedule]: move it below [schedule] in line 5",
        ),
        ("# here", "rounds = 2", "3: unknown key 'rounds'", "[schedule]: move it below [schedule] in line 5"),
        (
            "# here",
            "move_ms = 5",
            "3: unknown key 'move_ms'",
            "move_ms is a key of [clock]: move it to the end of the file, below a new line [clock]",
        ),
        (
            "# here",
            "hands = 5",
            "3: unknown key 'hands'",
            "hands is an option of bread-basket: move it to the end",
        ),
        (
            "# here",
            "beta = 5",
            "3: unknown key 'beta'",
            "beta is a key of [rating]: move it to the end of the file",
        ),
        ("# here", 'path = "x"', "3: unknown key 'path'", "path is a key of [[bots]]"),
        ("matches = 3", "seed = 3", "9: unknown key 'seed'", f"seed {TOP} 5"),
        ('kind = "round-robin"', "seed = 3", "6: unknown key 'seed'", f"seed {TOP} 5"),
        ("[stop]\nmatches", "[rating]\nseats", "9: unknown key 'seats'", f"seats {TOP} 5"),
        ("[stop]\nmatches", "[options]\nseats", "9: bread-basket has no option", f"seats {TOP} 5"),
        ("[stop]", "[schedule.stop]", "8: unknown key 'stop'", "write [stop] instead of [schedule.stop]"),
        ('path = "one"', "seed = 3", "12: unknown key 'seed'", f"seed {TOP} 5; keys here: path,"),
        (
            'path = "one"',
            "games = 3",
            "12: unknown key 'games'",
            "games is a setting of the bot itself: it belongs in its bot.toml; keys here: path, version, track",
        ),
        (
            'path = "one"',
            'name = "one"',
            "12: unknown key 'name'",
            "name belongs at the top of the file, where it is already, in line 1; keys here: path, version, track",
        ),
    ],
)
def test_a_key_of_another_table(tmp_path: Path, old: str, new: str, message: str, hint: str) -> None:
    said, how = refused(tmp_path, old, new)
    assert message in said
    assert hint in how


@pytest.mark.parametrize("table", ["[runtimes]", "[executors]", "[executors.serial]"])
def test_a_table_of_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    monkeypatch.setenv("ARENA_SETTINGS", "/etc/mine.toml")
    said, how = refused(tmp_path, "[stop]\nmatches = 3", table)
    assert said.startswith("8: unknown key '")
    assert how.endswith("] belongs in the settings file of the machine, /etc/mine.toml: move it there")


@pytest.mark.parametrize(
    ("schedule", "message", "hint"),
    [
        (
            'kind = "ladder"\nrounds = 2',
            "7: unknown key 'rounds'",
            "rounds is a key of the schedules gauntlet, round-robin, swiss; "
            "keys of ladder: kind, lag, block, aim, enough",
        ),
        (
            "best_of = 3",
            "6: unknown key 'best_of'",
            "best_of is a key of the schedule elimination; keys of round-robin: kind, rounds, tables",
        ),
        ("ronds = 3", "6: unknown key 'ronds'; did you mean 'rounds'?", "keys here: kind, rounds, tables"),
    ],
)
def test_a_key_of_another_schedule(tmp_path: Path, schedule: str, message: str, hint: str) -> None:
    assert refused(tmp_path, 'kind = "round-robin"', schedule) == (message, hint)


def test_a_key_of_a_schedule_that_the_league_does_not_have(tmp_path: Path) -> None:
    _, how = refused(tmp_path, '"round-robin"\n\n[stop]\nmatches = 3', '"swiss"\n\n[stop]\nbest_of = 3')
    assert how.startswith("best_of is a key of the schedule elimination; keys of swiss: kind, rounds")
