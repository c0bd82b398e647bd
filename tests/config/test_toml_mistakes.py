"""A line that is not TOML is refused with what is wrong in it, and with its right form."""

import pytest

from arena.config.toml import TomlBounds, decoded, load
from arena.core.errors import BadFile

BOUNDS = TomlBounds("a file of this test", file_bytes=65_536, items=2_000)


def refused(text: str) -> tuple[str, str]:
    with pytest.raises(BadFile) as caught:
        load(text, "f.toml", BOUNDS)
    return str(caught.value).removeprefix("f.toml:"), caught.value.hint


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("name = mybot", "name: text is not in quotes", 'write name = "mybot"'),
        ("name = my bot # mine", "name: text is not in quotes", 'write name = "my bot"'),
        ("name = tournament", "name: text is not in quotes", 'write name = "tournament"'),
        ("name = info", "name: text is not in quotes", 'write name = "info"'),
        ("name = foo\r", "name: text is not in quotes", 'write name = "foo"'),
        ("path = C:\\bots", "path: text is not in quotes", "write path = 'C:\\bots'"),
        ("name = 2nd", "name: neither a number nor text in quotes", 'write name = "2nd"'),
        ("name = “x”", "name: the quotes are not straight", 'write name = "x"'),
        ("fast = True", "fast: True is written in lower case", "write fast = true"),
        ("size = 1,000", "size: a number has no commas", "write size = 1000"),
        ("size = 02", "size: a number has no leading zeros", "write size = 2"),
        ("name =", "name has no value", 'for example: name = "…"'),
        ("name = # none", "name has no value", 'for example: name = "…"'),
        ('name = "x', "name: the closing quote is missing", 'write name = "x"'),
        ('name = "x";', "name: ';' follows the value", "end the line after the value; one key to a line"),
        (
            'name = "x" game = 1',
            "name: 'game = 1' follows the value",
            "end the line after the value; one key to a line",
        ),
        (
            'path = "C:\\crumb"',
            "path: a backslash in double quotes begins an escape, such as \\n",
            "write path = 'C:\\crumb', in single quotes",
        ),
        ("command = [python3, bot.py]", "python3 is not in quotes", 'write "python3"'),
        (
            'command = ["python3" "bot.py"]',
            "a list is not closed, or a comma is missing in it",
            "close it with ], and put commas between its values",
        ),
        ('name: "x"', "there is no = after name", 'write name = "x"'),
        ("name x", "there is no = after name", 'write name = "x"'),
        ("[clock", "the line of a table is not closed", "write [clock] on a line of its own"),
        ("// fast", "a comment begins with #", "write # fast"),
        ("na\0me = 2", "a NUL character (U+0000) at column 3", "delete it: no editor shows it"),
        ("# a\0b", "a NUL character (U+0000) at column 4", "delete it: no editor shows it"),
        ('name = "\a"', "a control character (U+0007) at column 9", "delete it: no editor shows it"),
        (
            "\ufeffname = 2",
            "a byte order mark (U+FEFF) inside the file",
            "delete it: it is the invisible character here",
        ),
    ],
)
def test_a_line_is_refused_with_its_right_form(line: str, message: str, hint: str) -> None:
    assert refused(f"first = 1\n{line}\n") == (f"2: {message}", hint)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "a = 1\na = 2",
            "2: a is set twice: also in line 1",
            "remove one of the two lines",
        ),
        ("[t]\na = 1\na = 2", "3: a is set twice: also in line 2", "remove one"),
        (
            "a = [\n1,\n]\nb = 1\na = [\n2,\n]",
            "a is set twice: also in line 1",
            "remove one",
        ),
        ("a.b = 1\na = 2", "2: a is set twice: also in line 1", "remove one"),
        (
            "[clock]\na = 1\n[limits]\n[clock]\nb = 1",
            "4: [clock] appears twice: it is also in line 1",
            "put all its keys below the [clock] in line 1",
        ),
        (
            "[bots]\na = 1\n[bots]",
            "3: [bots] appears twice: it is also in line 1",
            "write [[bots]], in double brackets, above each bot",
        ),
        (
            "[bots]\na = 1\n[[bots]]",
            "3: [[bots]] conflicts with the [bots] in line 1",
            "write [[bots]], in double brackets, above each bot",
        ),
        (
            "[[bots]]\na = 1\n[bots]",
            "3: [bots] conflicts with the [[bots]] in line 1",
            "write [[bots]], in double brackets, above each bot",
        ),
        ("a = 1\rb = 2", "1: a line ends in CR alone", "save the file with LF line ends"),
        ('{"a": 1}', "1: JSON, not TOML", "a line is KEY = VALUE"),
        ("{{{", "1: a line can't begin with {", "a line is KEY = VALUE"),
        ("hello", "1: not TOML: expected '=' after a key", "a line is KEY = VALUE"),
        ("a = '''x\n\n", "1: a quote is not closed", "write it at both ends of the text"),
    ],
)
def test_a_text_is_refused_with_what_to_do(text: str, message: str, hint: str) -> None:
    said, how = refused(text)
    assert message in said
    assert how.startswith(hint)


def test_utf_16_is_recognised() -> None:
    with pytest.raises(BadFile, match=r"f\.toml is UTF-16 text, not UTF-8"):
        decoded("a = 1".encode("utf-16"), "f.toml", BOUNDS)
    assert "looks like UTF-16" in refused("name = 1\n".encode("utf-16-le").decode())[0]


def test_a_byte_order_mark_at_the_start_is_allowed() -> None:
    assert load(decoded(b"\xef\xbb\xbfa = 1", "f.toml", BOUNDS), "f.toml", BOUNDS) == {"a": 1}


@pytest.mark.parametrize(
    "line", ["a" + " " * 60_000 + "?", "a = " + " " * 60_000 + "?", "a = [" + " " * 60_000]
)
def test_a_long_line_is_refused_at_once(line: str) -> None:
    assert refused(line)[0].startswith("1: ")
