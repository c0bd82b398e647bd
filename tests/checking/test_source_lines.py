"""The line of a bot that a log or stray output speaks of."""

from pathlib import Path

import pytest

from arena.checking.explaining import Sources, last_error
from arena.submissions.folder import File

PROGRAM = b'import numbers\nprint("debug:", 1)\nprint(f"value {1} of")\n'
SOURCES = Sources(
    Path("my/bot"),
    (File("bot.py", False, PROGRAM), File("lib/deep.py", False, b""), File("arena_kit.py", False, b"")),
)
TRACEBACK = """Traceback (most recent call last):
  File "/bot/arena_kit.py", line 5, in run
  File "/bot/bot.py", line 2, in choose
  File "/bot/lib/deep.py", line 9, in think
  File "/usr/lib/python3/json/decoder.py", line 355, in decode
json.decoder.JSONDecodeError: Expecting value: line 1
"""


def test_the_innermost_line_of_the_bots_own_files() -> None:
    assert SOURCES.place_in_log(TRACEBACK) == "my/bot/lib/deep.py:9"
    assert last_error(TRACEBACK) == "json.decoder.JSONDecodeError: Expecting value: line 1"


def test_the_last_of_several_tracebacks() -> None:
    log = TRACEBACK + TRACEBACK.replace("lib/deep.py", "bot.py").replace("line 9", "line 3")
    assert SOURCES.place_in_log(log) == "my/bot/bot.py:3"


LOGS = {
    "bot.go": (
        "panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\nmain.main()\n"
        "\t/bot/bot.go:4 +0x1d\nexit status 2\n"
    ),
    "bot.rs": "thread 'main' panicked at bot.rs:4:20:\nindex out of bounds\nnote: run with RUST_BACKTRACE=1\n",
    "old.rs": "thread 'main' panicked at 'index: 3, or 4', old.rs:4:20\nnote: run with RUST_BACKTRACE=1\n",
    "Bot.java": (
        'Exception in thread "main" java.lang.Exception: no\n\tat java.base/x.Y.z(Y.java:5)\n'
        "\tat Bot.main(Bot.java:4)\n"
    ),
    "bot.c": "bot: bot.c:4: main: Assertion `card >= 0' failed.\n",
    "bot.pl": 'Can\'t call method "x" on an undefined value at bot.pl line 4.\n',
}


@pytest.mark.parametrize("name", LOGS)
def test_other_languages_name_their_lines_too(name: str) -> None:
    sources = Sources(Path("my/bot"), (File(name, False, b""),))
    assert sources.place_in_log(LOGS[name]) == f"my/bot/{name}:4"
    assert last_error(LOGS[name]) == LOGS[name].splitlines()[0]


def test_lines_of_other_files_are_none_of_the_bots() -> None:
    assert SOURCES.place_in_log('  File "/etc/bot.py", line 2\n  File "/bot/../x.py", line 1') == ""
    assert SOURCES.place("/bot/lib/deep.py", 4) == "my/bot/lib/deep.py:4"
    assert SOURCES.place("/run/arena/bot/bot.py", 4) == "my/bot/bot.py:4"
    assert SOURCES.place("bot.py", 4) == "my/bot/bot.py:4"


def test_output_is_found_by_what_it_says() -> None:
    assert SOURCES.place_of_output("debug: 1") == "my/bot/bot.py:2"
    assert SOURCES.place_of_output("value 7 of") == "my/bot/bot.py:3"
    assert SOURCES.place_of_output("something else") == ""
    assert SOURCES.place_of_output("debug: value 7") == "", "two lines may have written it"


def test_long_logs_are_searched_in_time() -> None:
    attacks = (
        "panicked at '" * 4_000,
        ": Assertion " * 4_000,
        "\tat (" * 10_000,
        "a: b.c" * 9_000,
        " at a.b" * 8_000,
    )
    for log in (
        *attacks,
        "\n" * 60_000,
        " " * 60_000,
        "(" * 60_000,
        "at (" * 15_000,
        "x" * 60_000,
        "a.b:1 " * 10_000,
    ):
        assert SOURCES.place_in_log(log) == ""
        assert last_error(log) == ""
        assert SOURCES.place_of_output(log) == ""


def test_paths_and_literals_made_to_cost_time_cost_none() -> None:
    """Each took seconds while every suffix of a path, and every brace of a literal, was looked at."""
    assert SOURCES.place_in_log('  File "' + "/a" * 32_000 + '", line 1\n') == ""
    assert SOURCES.place("/a" * 2_000, 1) == ""
    braces = Sources(Path("x"), (File("x.py", False, (b'print "' + b"{" * 980 + b'"\n') * 1_000),))
    assert braces.place_of_output("garbage") == ""
