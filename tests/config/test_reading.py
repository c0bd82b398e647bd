"""Files that cannot be used are refused with file, line and key, and a hint that helps."""

import errno
import os
import socket
from pathlib import Path

import pytest

from arena.config.league_file import LeagueFile
from arena.config.mistakes import parse_toml
from arena.config.toml import LEAGUE_FILE_BOUNDS, line_of, read_text
from arena.core.errors import BadFile

GOOD = """\
name = "friday"
game = "bread-basket"
seats = [2, 4]

[clock]
move_ms = 50

[[bots]]
path = "a"

[[bots]]
version = "b@2"
args = ["--deep"]
"""


def test_a_good_file_is_read_with_its_defaults() -> None:
    file = parse_toml(GOOD, LeagueFile, "friday.toml")
    assert file.seats == (2, 4)
    assert file.clock.move_ms == 50
    assert file.clock.bank_ms == 10_000
    assert file.bots[1].args == ("--deep",)
    assert file.keep_replays == "all"


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (("seats = [2, 4]", "seets = 2"), "friday.toml:3: unknown key 'seets'", "seats"),
        (
            ("move_ms = 50", "move = 50"),
            "friday.toml:6: unknown key 'move'; did you mean 'move_ms'?",
            "bank_ms",
        ),
        (
            ("move_ms = 50", 'move_ms = "50"'),
            'clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not "50"',
            "write it without quotes: move_ms = 50",
        ),
        (
            ("move_ms = 50", 'move_ms = "50 ms"'),
            'friday.toml:6: clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not "50 ms"',
            "write it without quotes and without the unit: move_ms = 50",
        ),
        (
            ("move_ms = 50", 'move_ms = "2s"'),
            'clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not "2s"',
            "a whole number without quotes: move_ms = 1000",
        ),
        (
            ("move_ms = 50", "move_ms = 1.5"),
            "friday.toml:6: clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not 1.5",
            "without decimals: move_ms = 2",
        ),
        (
            ("move_ms = 50", "move_ms = 0.1"),
            "clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not 0.1",
            "without decimals: move_ms = 1",
        ),
        (
            ("move_ms = 50", "move_ms = 50.0"),
            "clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not 50.0",
            "without decimals: move_ms = 50",
        ),
        (("seats = [2, 4]", "seats = 2.5"), "seats: expected a whole number or a list, got 2.5", "seats = 2"),
        (("seats = [2, 4]", 'seats = "3"'), 'seats: expected a whole number or a list, got "3"', "seats = 3"),
        (
            ("seats = [2, 4]", 'seats = [2, "4"]'),
            'friday.toml:3: seats.1: must be a whole number from 1 to 100, not "4"',
            "write it without quotes: 4",
        ),
        (
            ("seats = [2, 4]", 'workers = "2"'),
            'friday.toml:3: workers: must be a whole number from 1 to 1,024, not "2"',
            "write it without quotes: workers = 2",
        ),
        (
            ("seats = [2, 4]", 'stop.minutes = "5"'),
            'stop.minutes: must be a number of minutes, more than 0 and at most 525,600, not "5"',
            "write it without quotes: minutes = 5",
        ),
        (
            ("seats = [2, 4]", f'workers = "{"x" * 200}"'),
            "friday.toml:3: workers: must be a whole number from 1 to 1,024, not text",
            "a whole number without quotes: workers = 2",
        ),
        (
            ("move_ms = 50", "move_ms = 0"),
            "friday.toml:6: clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not 0",
            "",
        ),
        (
            ("move_ms = 50", "move_ms = 3600001"),
            "clock.move_ms: must be a whole number of milliseconds from 1 to 3,600,000, not 3,600,001",
            "",
        ),
        (
            ("seats = [2, 4]", "stop.indifference = -1"),
            "stop.indifference: must be a number, 0 or more and less than 1, not -1",
            "",
        ),
        (
            ("seats = [2, 4]", "stop.error_rate = 5"),
            "stop.error_rate: must be a number from 0.000001 to 0.5, not 5",
            "5 % is 0.05",
        ),
        (
            ("seats = [2, 4]", "stop.indifference = 5"),
            "stop.indifference: must be a number, 0 or more and less than 1, not 5",
            "5 % is 0.05",
        ),
        (
            ("seats = [2, 4]", "seats = [2, 101]"),
            "friday.toml:3: seats.1: must be a whole number from 1 to 100, not 101",
            "",
        ),
        (("seats = [2, 4]", "seats = 0"), "seats: must be a whole number from 1 to 100, not 0", ""),
        (("seats = [2, 4]", f'seed = "{"x" * 257}"'), "seed: must have at most 256 characters", ""),
        (
            ("seats = [2, 4]", f"seats = {[2] * 17}"),
            "friday.toml:3: seats: must have at most 16 items",
            "",
        ),
        (
            ("seats = [2, 4]", 'sandbox = "requires"'),
            "friday.toml:3: sandbox: 'requires' is not a possible value; did you mean 'require'?",
            "possible values: auto, off, require",
        ),
        (
            ("seats = [2, 4]", "ranking.by = 2"),
            "friday.toml:3: ranking.by: expected text, got a whole number",
            "possible values, in quotes: places, scores",
        ),
        (
            ("seats = [2, 4]", 'ranking = "scores"'),
            "friday.toml:3: ranking: expected a table, got text",
            'write [ranking] on a line, and below it by = "places" or by = "scores"',
        ),
        (
            ("seats = [2, 4]", 'rotations = "x"'),
            "rotations: 'x' is not a possible value",
            "all, balanced, cyclic, mirror, off",
        ),
        (
            ('version = "b@2"', "version = 2"),
            "friday.toml:12: [[bots]] number 2, version: expected text, got a whole number",
            'version = "…"',
        ),
        (
            ('version = "b@2"', 'verion = "b"'),
            "friday.toml:12: unknown key 'verion'; did you mean 'version'?",
            "path",
        ),
        (('game = "bread-basket"\n', ""), "friday.toml: the key 'game' is missing", 'add a line: game = "…"'),
        (("seats = [2, 4]", "seats = ["), "friday.toml:5: not TOML: invalid value, at column 2", ""),
        (
            ("seats = [2, 4]", "seats = 2\nseats = 3"),
            "friday.toml:4: seats is set twice: also in line 3",
            "",
        ),
        (
            ("seats = [2, 4]", 'keep_replays = "some"'),
            "friday.toml:3: keep_replays: expected all, faults, last N or none",
            "last 100",
        ),
        (
            ("seats = [2, 4]", 'rating = "trueskill"'),
            "friday.toml:3: rating: expected a table, got text",
            "write [rating]",
        ),
        (
            ("seats = [2, 4]", 'pondering = "no"'),
            "friday.toml:3: pondering: expected true or false, got text",
            "true or",
        ),
        (
            ('[[bots]]\npath = "a"\n\n[[bots]]', "[bots]"),
            "bots: expected a list, got a table",
            "write [[bots]]",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: tuple[str, str], message: str, hint: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_toml(GOOD.replace(*change), LeagueFile, "friday.toml")
    assert message in str(caught.value)
    assert hint in caught.value.hint
    assert caught.value.exit_code == 2


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no file"):
        read_text(tmp_path / "none.toml", LEAGUE_FILE_BOUNDS)
    with pytest.raises(BadFile, match="is a folder") as caught:
        read_text(tmp_path, LEAGUE_FILE_BOUNDS)
    assert caught.value.hint == "give the path of a league file"
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    with pytest.raises(BadFile, match="not UTF-8 text"):
        read_text(tmp_path / "latin.toml", LEAGUE_FILE_BOUNDS)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(BadFile, match=r"pipe\.toml is not a regular file"):
        read_text(tmp_path / "pipe.toml", LEAGUE_FILE_BOUNDS)


def test_a_socket_and_a_link_to_nothing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket.toml")
    with pytest.raises(BadFile, match=r"^socket\.toml is not a regular file$"):
        read_text(Path("socket.toml"), LEAGUE_FILE_BOUNDS)
    Path("link.toml").symlink_to("nowhere.toml")
    with pytest.raises(BadFile, match=r"^link\.toml is a link to a file that doesn't exist$") as caught:
        read_text(Path("link.toml"), LEAGUE_FILE_BOUNDS)
    assert caught.value.hint == "it leads to nowhere.toml"


def test_a_file_without_permission_is_named_with_the_command_that_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("arena.config.toml.os.open", refuse)  # root may read everything
    with pytest.raises(BadFile) as caught:
        read_text(path, LEAGUE_FILE_BOUNDS)
    assert str(caught.value) == f"{path} cannot be read: Permission denied"
    assert caught.value.hint == f"chmod u+r {path}"


def test_lines_of_keys() -> None:
    assert line_of(GOOD, ("name",)) == 1
    assert (
        line_of(
            GOOD,
            (
                "clock",
                "move_ms",
            ),
        )
        == 6
    )
    assert (
        line_of(
            GOOD,
            (
                "clock",
                "bank_ms",
            ),
        )
        == 5
    )
    assert (
        line_of(
            GOOD,
            (
                "bots",
                "0",
                "path",
            ),
        )
        == 9
    )
    assert (
        line_of(
            GOOD,
            (
                "bots",
                "1",
                "args",
            ),
        )
        == 13
    )
    assert line_of(GOOD, ("nothing",)) is None
    assert line_of("a = 1\n[executors.far]\nb = 2\n[[clock]]", ("executors",)) == 2
    assert line_of("a = 1\n[[clock]]", ("clock",)) == 2


def test_lines_of_keys_beside_what_only_looks_like_them() -> None:
    text = """\
about = \'\'\'
name = "no"
[[bots]]
\'\'\'
more = \"\"\"
name = 2 \"\"\"
# name = 3
"a.b" = "\u2028"
'c' . d = 1
name = "yes"
[[bots]]
[x . "y"]
z = 1
"""
    assert line_of(text, ("name",)) == 10
    assert (
        line_of(
            text,
            (
                "bots",
                "0",
            ),
        )
        == 11
    )
    assert line_of(text, ("a.b",)) == 8
    assert (
        line_of(
            text,
            (
                "c",
                "d",
            ),
        )
        == 9
    )
    assert (
        line_of(
            text,
            (
                "x",
                "y",
                "z",
            ),
        )
        == 13
    )


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines() -> None:
    text = """\
name = "x"
game = "bread-basket"
seatz = 4

[schedule]
kind = "round-robin"

[clock]
move_ms = "5 s"

[[bots]]
paht = "bots/greedy"
[[bots]]
path = 7
"""
    with pytest.raises(BadFile) as caught:
        parse_toml(text, LeagueFile, "x.toml")
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        "x.toml:3",
        "x.toml:9",
        "x.toml:12",
        "x.toml:14",
    ]
    assert "did you mean 'seats'?" in str(caught.value)
    assert "move_ms = " in str(caught.value)
    assert "4 mistakes" in caught.value.hint
