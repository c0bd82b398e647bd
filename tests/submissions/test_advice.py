"""What an author is told to do about a fault: it fits the reason, the bot's language and its log."""

import pytest

from arena.submissions.bot_languages import language_of, languages
from arena.submissions.fault_advice import ENDED, SILENT, advice
from protocol.verdicts import Reason, Verdict

TRACEBACK = """Traceback (most recent call last):
  File "/bot/bot.py", line 1, in <module>
    import numpy.linalg
ModuleNotFoundError: No module named '{}'
"""
BY_NAME = {language.name: language for language in languages()}


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
    assert words in advice(Reason.FAILED, TRACEBACK.format(module))
    assert words in advice(Reason.EXITED, TRACEBACK.format(module), kit=True), "the log tells more"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("print: ModuleNotFoundError: No module named 'x'", "the end of the log"),
        ("Traceback (most recent call last):\nKeyError: 'legal'", "the traceback is in the log"),
        ("panic: runtime error: index out of range", "the traceback"),
        ("thread 'main' panicked at bot.rs:3:5:\nno such card", "the traceback"),
        (
            'Exception in thread "main" java.lang.NullPointerException\n\tat Bot.main(Bot.java:7)',
            "the traceback",
        ),
        ("", "write the reason to standard error"),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/home/me/net.bin'",
            "only the files in its folder",
        ),
        ("Error: Cannot find module 'lodash'\nRequire stack:", "lodash is not there"),
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /bot/bot.mjs",
            "lodash is not",
        ),
        ("<internal:kernel>:38:in `require': cannot load such file -- oj (LoadError)", "oj is not there"),
        ("Can't locate JSON.pm in @INC (you may need to install JSON)", "JSON.pm is not there"),
        ("Error: Could not find or load main class Bot", "Bot is not there"),
        ("./bot: error while loading shared libraries: libfoo.so.1: cannot open", "the library libfoo.so.1"),
        ("./bot.sh: 3: jq: not found", "jq is not installed"),
        ("./bot.sh: line 3: jq: command not found", "jq is not installed"),
        ('  File "/bot/bot.py", line 4\nSyntaxError: invalid syntax', "correct the syntax"),
    ],
)
def test_the_log_of_a_bot_that_ended_is_read(log: str, words: str) -> None:
    assert words in advice(Reason.FAILED, log)


@pytest.mark.parametrize(
    ("command", "files", "build", "name"),
    [
        (["python3", "bot.py"], ["bot.py"], [], "Python"),
        (["python3.12", "-X", "dev", "main"], ["main", "arena_kit.py"], [], "Python"),
        (["node", "bot.js"], ["bot.js", "test.py"], [], "JavaScript"),
        (["./bot"], ["bot", "bot.c", "notes.md", "plot.py"], [], "C"),
        (["./bot"], ["bot", "main.cpp", "util.c"], [], "C++"),
        (["./bot"], [], ["cc", "-o", "bot", "src/bot.c"], "C"),
        (["./bot"], ["bot", "Makefile", "arena_kit.h", "bot.rs"], ["make"], "Rust"),
        (["./target/release/bot"], [], ["cargo", "build"], "Rust"),
        (["java", "-jar", "bot.jar"], ["bot.jar"], [], "Java"),
        (["java", "Bot.java"], ["Bot.java"], [], "Java"),
        (["dotnet", "bot.dll"], ["bot.dll"], [], "C#"),
        (["./bot.rb"], ["bot.rb"], [], "Ruby"),
        (["sh", "run.sh"], ["run.sh"], [], "a shell script"),
        (["sh", "run.sh"], ["run.sh", "bot.kt"], [], "Kotlin"),
        (["jq", "-c", "."], [], [], "jq"),
        (["./bot"], ["bot", "data/gen.py"], [], None),
        ([], [], [], None),
    ],
)
def test_the_language_is_that_of_the_command_or_the_files(
    command: list[str], files: list[str], build: list[str], name: str | None
) -> None:
    found = language_of(command, files, build)
    assert (found and found.name) == name


HOW = {Reason.IDLE: "flush", Reason.TEXT: "log", Reason.BEGUN_MESSAGE: "json", Reason.WITHOUT_QUOTES: "json"}


@pytest.mark.parametrize("name", BY_NAME)
def test_each_language_is_told_its_own_way(name: str) -> None:
    language = BY_NAME[name]
    for reason, what in HOW.items():
        assert f"in {name}: {getattr(language, what)}" in advice(reason, "", language).replace("? In", "? in")
        assert name not in advice(reason)


def test_every_reason_has_advice() -> None:
    for reason in Reason:
        assert advice(reason), reason
        assert len(advice(reason, "", BY_NAME["Java"])) < 300
    assert advice(None) == ""
    assert SILENT.isdisjoint(ENDED)


def test_bots_with_the_kit_flush() -> None:
    python = BY_NAME["Python"]
    assert "print(line, flush=True)" in advice(Reason.IDLE, "", python)
    assert "flush" not in advice(Reason.IDLE, "", python, kit=True)
    assert "`run(choose)`" in advice(Reason.EXITED, kit=True)
    assert "`run(choose)`" not in advice(Reason.EXITED, kit=True, asked="ask")


def test_one_that_had_no_core_is_not_blamed() -> None:
    for reason in (Reason.BUSY_MACHINE, Reason.COMPUTING):
        assert "flush" not in advice(reason, "", BY_NAME["C"])
    assert "may be fine" in advice(Reason.BUSY_MACHINE)


def test_the_answer_that_was_wanted_is_shown() -> None:
    assert '{"type":"hello","protocol":1}' in advice(Reason.OTHER_MESSAGE, asked="hello")
    assert '{"type":"ready"}' in advice(Reason.BAD_FIELDS, asked="start")
    assert '{"type":"move","id":7,"move":…}' in advice(Reason.WRONG_ID, asked="ask", ask={"id": 7})
    assert '{"type":"move","id":…,"move":…}' in advice(Reason.NO_OBJECT)


def test_an_illegal_move_is_answered_with_moves_that_are_legal() -> None:
    moves = [{"card": number} for number in range(6)]
    told = advice(None, verdict=Verdict.ILLEGAL, ask={"id": 7, "legal": moves})
    assert told.endswith('unchanged: {"card":0}, {"card":1}, {"card":2}, {"card":3}, … (6 in all)')
    assert advice(None, verdict="illegal", ask={"example": [1]}) == "build the move like `example`: [1]"
    unknown = advice(None, verdict=Verdict.ILLEGAL)
    assert "`legal`" in unknown
    assert "`example`" in unknown
