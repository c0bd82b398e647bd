"""bot.toml: what is wrong in one is said with file and line, and what would be right; nothing of it is a traceback."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.core.errors import BadFile
from arena.submissions.manifest import check_games_exist, manifest_of, parse_bot_toml, read_manifest
from arena.submissions.read_source import read_source

GOOD = """\
name = "mine"
author = "me"
command = ["python3", "bot.py"]
games = ["bread-basket"]
"""
BOT_TOML = Path("mine/bot.toml")
NAMES = "use up to 40 lower-case letters, digits, '-' and '_', starting with a letter or digit"


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (('name = "mine"', 'nme = "mine"'), ":1: unknown key 'nme'; did you mean 'name'?", "name, author"),
        (('"mine"', '"My Bot"'), f":1: name: 'My Bot' is not a valid name: {NAMES}", 'write name = "my-bot"'),
        (('"mine"', '"ok\\n"'), ":1: name: 'ok\\n' is not a valid name", 'write name = "ok"'),
        (('"mine"', '""'), ":1: name: '' is not a valid name", 'write name = "my-bot-2"'),
        (('"mine"', '".."'), ":1: name: '..' is not a valid name", 'write name = "my-bot-2"'),
        (('"mine"', '"a/b"'), ":1: name: 'a/b' is not a valid name", 'write name = "a-b"'),
        (('"mine"', '"-x"'), ":1: name: '-x' is not a valid name", 'write name = "x"'),
        (('"mine"', f'"{"x" * 41}"'), ":1: name: 'xxx", f'write name = "{"x" * 40}"'),
        (('"mine"', '"a\\u0000"'), ":1: name: a NUL character", ""),
        (('"me"', '"Zoë"'), ":2: author: 'Zoë' is not a valid name", 'write author = "zo"'),
        (('"mine"', "7"), ":1: name: expected text, got a whole number", "quotes"),
        (
            ('["python3", "bot.py"]', '"node bot.js"'),
            ":3: command: expected a list of strings, got a string",
            'write command = ["node", "bot.js"]',
        ),
        (
            ('["python3", "bot.py"]', "'./bot --name=\"a b\"'"),
            ":3: command: expected a list of strings",
            'write command = ["./bot", "--name=a b"]',
        ),
        (('["python3", "bot.py"]', "\"it's\""), ":3: command: expected a list of strings", 'write command = ["it\'s"]'),
        (('["python3", "bot.py"]', '""'), ":3: command: the list is empty", 'write command = ["python3", "bot.py"]'),
        (('["python3", "bot.py"]', "[]"), ":3: command: the list is empty", 'write command = ["python3", "bot.py"]'),
        (('"bot.py"]', '""]'), ":3: command: an argument is empty", "remove"),
        (('"bot.py"]', '"x\\u0000"]'), ":3: command.1: a NUL character", ""),
        (('"bot.py"]', f'"{"x" * 4_001}"]'), ":3: command: an argument of 4,001 characters", "file"),
        (('"bot.py"]', '"x",' * 64 + "]"), ":3: command: 65 arguments; the limit is 64", "file"),
        (
            ('"bot.py"]', f'"{"x" * 3_900}",' * 9 + "]"),
            ":3: command: 35,107 bytes of arguments; the limit is 32,768",
            "file",
        ),
        (
            ('["bread-basket"]', '"bread-basket"'),
            ":4: games: expected a list of strings, got a string",
            'write games = ["bread-basket"]',
        ),
        (('["bread-basket"]', "[]"), ":4: games: the list is empty", 'write games = ["bread-basket"]'),
        (('"bread-basket"]', '""]'), ":4: games: '' is not the name of a game", "arena games"),
        (('"bread-basket"]', '"x",' * 101 + "]"), ":4: games: 101 names; the limit is 100", "*"),
        (
            ("games", 'description = "two\\nlines"\ngames'),
            ":4: description: must be one line of printable text",
            "",
        ),
        (("games", "kit = 1\ngames"), ":4: kit: expected true or false, got a whole number", "kit = true"),
        (("games", "a" + ".a" * 20_000 + " = 1\ngames"), ":4: a dotted key with more than 8 parts", "quotes"),
        (("games", "a = " + "[" * 9_000 + "\ngames"), ":4: arrays or tables nested more than 8 deep", ""),
        (("games", "a = " + "9" * 9_000 + "\ngames"), ":4: a key or number of 9,000 characters", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(change: tuple[str, str], message: str, hint: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_bot_toml(GOOD.replace(*change, 1), BOT_TOML)
    assert f"mine/bot.toml{message}" in str(caught.value)
    assert hint in caught.value.hint


def test_a_large_file_is_not_parsed() -> None:
    with pytest.raises(
        BadFile, match=r"mine/bot\.toml is too large: the limit for a bot\.toml is 65,536 bytes"
    ):
        manifest_of(GOOD.encode() + b"#" * 65_536, BOT_TOML)


def test_an_unknown_game_is_said_with_its_line_and_the_nearest() -> None:
    games = ["bread-and-chocolate", "bread-basket", "sandwich"]
    bot = parse_bot_toml(GOOD.replace("bread-basket", "breadbasket"), BOT_TOML)
    with pytest.raises(BadFile) as caught:
        check_games_exist(bot, games)
    assert str(caught.value) == (
        "mine/bot.toml:4: games: there is no game 'breadbasket'; did you mean 'bread-basket'?"
    )
    assert caught.value.hint == "available: bread-and-chocolate, bread-basket, sandwich"
    for good in ('["*"]', '["sandwich", "bread-basket"]'):
        check_games_exist(parse_bot_toml(GOOD.replace('["bread-basket"]', good), BOT_TOML), games)


def test_folders_that_are_none(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere", tmp_path / ("x" * 300), tmp_path / ("d/" * 3_000)):
        with pytest.raises(BadFile, match="there is no bot at"):
            read_manifest(place)
    with pytest.raises(BadFile, match=r"has no bot\.toml"):
        read_manifest(tmp_path)


def bound_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Path.mkdir, "is a folder, not a file"),
        (os.mkfifo, "is not a regular file"),
        (bound_socket, "is not a regular file"),
        (lambda path: path.symlink_to("nowhere"), "is a link that leads to no file"),
        (lambda path: path.symlink_to("bot.toml"), "is a link that leads to no file"),
    ],
)
def test_what_is_no_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    make(Path("bot.toml"))
    for read in (read_manifest, read_source):
        with pytest.raises(BadFile) as caught:
            read(tmp_path)
        assert str(caught.value) == f"{tmp_path / 'bot.toml'} {message}"
        assert caught.value.hint == "save the bot.toml as a plain file"


VALUES = st.recursive(
    st.sampled_from(['"x"', '""', '"a b"', '"\\u0000"', '"..", "x"', "1", "-0.0", "inf", "true", "1979-05-27", "''"])
    | st.integers().map(str)
    | st.text(alphabet="ab\\\"'#\n =[]{}.,", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")
        | st.tuples(st.sampled_from("ab"), inner).map(lambda pair: "{" + " = ".join(pair) + "}")
    ),
    max_leaves=6,
)  # fmt: skip
LINES = st.tuples(
    st.sampled_from(["name", "author", "command", "games", "description", "kit", "a.b", "[bot]", "[[x]]"]),
    VALUES,
).map(lambda pair: pair[0] if pair[0].startswith("[") else " = ".join(pair))


@given(st.lists(LINES, max_size=4), st.integers(0, 4), st.integers(0, 4))
@example(['command = ["x", ""]'], 0, 0)
def test_whatever_stands_in_it_is_read_or_refused_with_the_file(
    lines: list[str], drop: int, put: int
) -> None:
    whole = GOOD.splitlines()
    whole[drop : drop + 1] = []
    whole[put:put] = lines
    try:
        bot = parse_bot_toml("\n".join(whole), BOT_TOML)
    except BadFile as error:
        assert str(error).startswith("mine/bot.toml")  # noqa: PT017 - either outcome is right
    else:
        assert all(bot.manifest.command)


@pytest.mark.parametrize(
    "content",
    [None, "name = 1", "name = [", 'command = "python3 bot.py"', GOOD + "kit = true\n", b"\xff"],
)
def test_a_folder_is_named_on_one_line(tmp_path: Path, content: str | bytes | None) -> None:
    folder = tmp_path / "a\nb\x1b[31m"
    folder.mkdir()
    if content is not None:
        raw = content.encode() if isinstance(content, str) else content
        (folder / "bot.toml").write_bytes(raw)
    (folder / "arena_kit.py").mkdir()
    (folder / "arena_kit.py" / "a").touch()
    with pytest.raises(BadFile) as caught:
        read_source(folder)
    assert f"{tmp_path}/a\\nb\\x1b[31m" in str(caught.value)
    assert str(caught.value).isprintable()


HELD = "[parameters.held]\nvalue = 1\nlow = 0\nhigh = 2\n"


def test_parameters_are_handed_over_after_the_command_and_before_other_arguments() -> None:
    text = GOOD + HELD + "[parameters.n]\nvalue = 100\nlow = 10\nhigh = 1000\ninteger = true\nlog = true\n"
    manifest = parse_bot_toml(text, BOT_TOML).manifest
    assert manifest.command_with(("--held=2",)) == ("python3", "bot.py", "--held=1", "--n=100", "--held=2")
    assert manifest.parameters["n"].place(100) == pytest.approx(0.5)
    assert [manifest.parameters["n"].at(place) for place in (-1.0, 0.0, 0.25, 1.0)] == [10, 10, 32, 1000]
    assert manifest.parameters["held"].at(1 / 3) == 0.6667
    assert "parameters" not in parse_bot_toml(GOOD, BOT_TOML).manifest.as_stored()
    assert set(manifest.as_stored()["parameters"]) == {"held", "n"}


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (
            ("low = 0", "low = 3"),
            ":7: parameters.held.low: low is 3 and high is 2",
            "low must be below high; swap",
        ),
        (("low = 0", "low = 2"), ":7: parameters.held.low: low is 2 and high is 2", "low must be below high"),
        (("value = 1", "value = 5"), ":6: parameters.held.value: 5 is not from 0 to 2", ""),
        (("value = 1\n", ""), ":5: parameters.held: the key 'value' is missing", "value = …"),
        (("value = 1", "value = nan"), ":6: parameters.held.value: nan is not a finite number", ""),
        (("value = 1", 'value = "1"'), ":6: parameters.held.value: must be a number", "without quotes"),
        (("high = 2", "high = 2\nlog = true"), ":7: parameters.held.low: low is 0; with log = true", ""),
        (
            ("high = 2", "high = 2.5\ninteger = true"),
            ":8: parameters.held.high: 2.5 is not a whole number",
            "",
        ),
        (
            ("high = 2", "high = 2\nlogg = true"),
            ":9: unknown key 'logg'; did you mean 'log'?",
            "value, low, high",
        ),
        (
            ("parameters.held", 'parameters."a b"'),
            ":5: parameters.a b: 'a b' is not a name of a parameter",
            "letters",
        ),
    ],
)
def test_wrong_parameters_are_said_with_file_and_line(
    change: tuple[str, str], message: str, hint: str
) -> None:
    with pytest.raises(BadFile) as raised:
        parse_bot_toml(GOOD + HELD.replace(*change), BOT_TOML)
    assert message in str(raised.value)
    assert hint in raised.value.hint


def test_too_many_parameters_are_refused() -> None:
    many = "".join(HELD.replace("held", f"p{number}") for number in range(33))
    with pytest.raises(BadFile, match="33 parameters; the limit is 32"):
        parse_bot_toml(GOOD + many, BOT_TOML)
