"""What an author is told to do about a log."""

import pytest

from arena.submissions.advice import advice, in_short, not_a_message

TRACEBACK = """Traceback (most recent call last):
  File "/bot/bot.py", line 1, in <module>
    import numpy.linalg
ModuleNotFoundError: No module named '{}'
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("numpy", "put numpy into the bot's folder"),
        ("numpy.linalg", "put numpy into the bot's folder"),
        ("arena_kit", "kit = true"),
        ("arena.core", "engine = true"),
        ("arena_kit2", "put arena_kit2 into"),
    ],
)
def test_a_missing_module_is_explained(module: str, words: str) -> None:
    assert words in advice(TRACEBACK.format(module))


def test_other_logs_are_left_alone() -> None:
    assert advice("") == ""
    assert advice("print: ModuleNotFoundError: No module named 'x'") == ""
    assert advice("KeyError: 'legal'") == ""


def test_what_the_fault_itself_tells() -> None:
    ended = "startup: exited with code 0 before it answered `hello`"
    assert "`run(choose)`" in advice("", ended, kit=True)
    assert advice("", ended) == ""
    assert "flush each line" in advice("", "startup: no answer to `hello` within 10000 ms")
    assert "flush each line" in advice("", "timeout: no answer to `ask` within 10000 ms")
    assert "put numpy" in advice(TRACEBACK.format("numpy"), ended, kit=True), "the log tells more"


def test_a_bot_that_was_still_computing_is_not_told_to_flush() -> None:
    waiting = "timeout: time: 20 ms limit (10 ms for the move, 0 ms in the bank, 10 ms margin): "
    waiting += "no answer to `ask` within 20 ms"
    computing = f"{waiting}: it was still computing"
    assert advice("", computing) == advice("", computing, kit=True) == "is there an endless loop?"
    assert "flush" in advice("", waiting)
    assert advice("", waiting, kit=True) == ""
    assert in_short(computing) == (
        "timeout: no answer to `ask` within 20 ms (10 ms for the move, 0 ms in the bank, 10 ms margin): "
        "it was still computing"
    )
    assert in_short("crash: exited with code 1") == "crash: exited with code 1"


def test_debug_text_belongs_on_standard_error() -> None:
    for fault in (
        "malformed: not JSON: expecting value at character 1: debug",
        "startup: answered `hello` with a line that is no message: not JSON: expecting value at character 1: debug",
    ):
        assert "write debug text to standard error" in advice("", fault)
        assert "print(text, file=sys.stderr)" in advice("", fault, kit=True)
    assert not_a_message("illegal: no such card") == ""
