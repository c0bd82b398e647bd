"""The line of a bot that a log or stray output speaks of."""

from pathlib import Path

from arena.checking.places import Sources, last_error
from arena.submissions.content_hash import File

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
    for log in ("\n" * 60_000, " " * 60_000, "(" * 60_000, "at (" * 15_000, "x" * 60_000, "a.b:1 " * 10_000):
        assert SOURCES.place_in_log(log) == ""
        assert last_error(log) == ""
        assert SOURCES.place_of_output(log) == ""


def test_paths_and_literals_made_to_cost_time_cost_none() -> None:
    """Each took seconds while every suffix of a path, and every brace of a literal, was looked at."""
    assert SOURCES.place_in_log('  File "' + "/a" * 32_000 + '", line 1\n') == ""
    assert SOURCES.place("/a" * 2_000, 1) == ""
    braces = Sources(Path("x"), (File("x.py", False, (b'print "' + b"{" * 980 + b'"\n') * 1_000),))
    assert braces.place_of_output("garbage") == ""
