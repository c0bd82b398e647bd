"""A command that cannot start is refused before anything is started, with bot.toml, its line, and what to do."""

from pathlib import Path

import pytest

from arena.core.errors import BadFile
from arena.sandbox.runtimes import Runtimes
from arena.submissions.command_check import check_command
from arena.submissions.read_source import read_source


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    return folder


def check(bot: Path, command: str) -> None:
    (bot / "bot.toml").write_text(
        f'name = "mine"\nauthor = "me"\n\ncommand = {command}\ngames = ["bread-basket"]\n'
    )
    intake = read_source(bot)
    check_command(intake.bot_toml, intake.files, Runtimes())


def refused(bot: Path, command: str) -> tuple[str, str]:
    with pytest.raises(BadFile) as caught:
        check(bot, command)
    start = f"{bot}/bot.toml:4: command: "
    assert str(caught.value).startswith(start)
    return str(caught.value).removeprefix(start), caught.value.hint


def program(bot: Path, name: str, content: bytes, mode: int = 0o755) -> None:
    (bot / name).write_bytes(content)
    (bot / name).chmod(mode)


def elf(machine: int) -> bytes:
    """Return the beginning of a program for the processor with this number."""
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0" + machine.to_bytes(2, "little")


def test_a_program_that_is_not_installed_is_named_with_the_nearest(bot: Path) -> None:
    message, hint = refused(bot, '["pyhton3", "bot.py"]')
    assert message == "the bot needs the program 'pyhton3', which is not installed here"
    assert hint == "did you mean 'python3'?"


def test_a_whole_command_line_as_one_word_is_told_as_several(bot: Path) -> None:
    assert refused(bot, '["python3 bot.py"]')[1] == 'write command = ["python3", "bot.py"]'
    assert refused(bot, '["./bot -v x"]')[1] == 'write command = ["./bot", "-v", "x"]'


def test_a_file_that_is_not_there(bot: Path) -> None:
    message, hint = refused(bot, '["./bot"]')
    assert message == "the command's program './bot' is not in the bot's folder"
    assert hint == "paths are relative to the folder that holds bot.toml"
    program(bot, "Bot", b"#!/bin/sh\n")
    assert "; did you mean './Bot'?" in refused(bot, '["./bot"]')[0]


@pytest.mark.parametrize(
    ("files", "hint"),
    [
        ("bot.c test_bot.c", 'bot.c is here: compile it, or add build = ["cc", "-O2", "-o", "bot", "bot.c"'),
        ("a.cpp bot.cpp", 'bot.cpp is here: compile it, or add build = ["c++", "-O2", "-o", "bot", "a.cpp", "bot.'),
        ("arena_kit.go main.go", 'main.go is here: compile it, or add build = ["go", "build", "-o", "bot", "."]'),
        ("arena_kit.rs my.rs", 'my.rs is here: compile it, or add build = ["rustc", "-O", "-o", "bot", "my.rs"]'),
        ("Player.hs Main.hs bot.hs", '"ghc", "-O2", "-o", "bot", "bot.hs"]'),
        ("Bot.java", 'build = ["javac", "-d", "classes", "Bot.java"] and command = ["java", "-cp", "classes", "Bot"]'),
        ("bot.kt", 'build = ["kotlinc", "bot.kt", "-include-runtime", "-d", "bot.jar"] and command = ["java", "-jar"'),
        ("bot.cs", 'build = ["mcs", "-out:bot.exe", "bot.cs"] and command = ["mono", "bot.exe"]'),
        ("bot.adb Makefile", 'Makefile is here: run make, or add build = ["make"] to bot.toml'),
        ("1.c 2.c 3.c 4.c 5.c 6.c 7.c", "add a Makefile"),
        ("bot.py", "paths are relative"),
    ],
)  # fmt: skip
def test_a_program_that_was_not_compiled(bot: Path, files: str, hint: str) -> None:
    for name in files.split():
        (bot / name).touch()
    message, found = refused(bot, '["./bot"]')
    assert "'./bot' is not in the bot's folder" in message
    assert hint in found


def test_a_script_that_is_not_there_is_named_with_the_nearest(bot: Path) -> None:
    program(bot, "bot.py", b"")
    message, hint = refused(bot, '["python3", "bott.py"]')
    assert message == "there is no 'bott.py' in the bot's folder; did you mean 'bot.py'?"
    assert hint == "files there: bot.py"
    assert "did you mean 'bot.py'" in refused(bot, '["python3", "-X", "dev", "-u", "bo.py", "--fast"]')[0]
    assert refused(bot, '["python3", "src/main"]')[1] == "files there: bot.py, bot.toml"
    assert "'.venv/x.py' is not among the bot's files" in refused(bot, '["python3", ".venv/x.py"]')[0]
    assert "there is no 'run.sh' in the bot's folder" in refused(bot, '["sh", "run.sh"]')[0]


@pytest.mark.parametrize(
    "command",
    [
        '["python3", "bot.py"]',
        '["python3", "./src/../bot.py", "no.py"]',
        '["python3", "-u", "bot.py"]',
        '["python3", "-m", "src"]',
        '["python3", "-um", "src"]',
        '["python3", "-c", "import bot"]',
        '["python3", "src"]',
        '["python3", "."]',
        '["python3"]',
        '["sh", "-c", "python3 bot.py"]',
        '["sh", "run"]',
        '["sort", "no.txt"]',
    ],
)
def test_a_script_that_is_there_or_not_certain_is_accepted(bot: Path, command: str) -> None:
    program(bot, "bot.py", b"")
    (bot / "src").mkdir()
    program(bot, "src/__main__.py", b"")
    check(bot, command)


def test_a_file_that_no_version_has(bot: Path) -> None:
    (bot / ".venv").mkdir()
    program(bot, ".venv/python", b"#!/bin/sh\n")
    assert "'.venv/python' is not among the bot's files" in refused(bot, '[".venv/python"]')[0]


def test_a_missing_run_bit(bot: Path) -> None:
    program(bot, "bot", b"\x7fELF", 0o644)
    assert refused(bot, '["./bot"]') == ("'./bot' is not executable", f"chmod +x {bot}/bot")
    program(bot, "bot.py", b"#!/usr/bin/env python3\n", 0o644)
    _, hint = refused(bot, '["./bot.py"]')
    assert (
        hint == f'chmod +x {bot}/bot.py; or name the interpreter in bot.toml: command = ["python3", "bot.py"]'
    )


def test_an_interpreter_line_that_ends_in_cr_lf(bot: Path) -> None:
    program(bot, "bot.sh", b"#!/bin/sh\r\necho hello\r\n")
    message, hint = refused(bot, '["./bot.sh"]')
    assert "the line `#!/bin/sh` of './bot.sh' ends in CR LF" in message
    assert hint == f"save the file with LF line ends: sed -i 's/\\r$//' {bot}/bot.sh"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\xef\xbb\xbf#!/bin/sh", "has a byte order mark before its `#!`"),
        (b"#!", "names no interpreter"),
        (b"#! /usr/bin/pyhton3 -u", "the line `#! /usr/bin/pyhton3 -u` of './bot.py' names an interpreter"),
        (b"#!/usr/bin/env pyhton3", "names 'pyhton3', which is not in /usr/local/bin:/usr/bin:/bin"),
        (b"#!/proc/self/exe", "names an interpreter that bots can't see"),
        (b"#!/usr/../proc/self/exe", "names an interpreter that bots can't see"),
        (b"#!/no/\x1b[31m\xff", "the line `#!/no/\ufffd[31m\ufffd` of"),
    ],
)
def test_interpreter_lines_that_name_none(bot: Path, line: bytes, message: str) -> None:
    program(bot, "bot.py", line + b"\nprint('hello')\n")
    found, hint = refused(bot, '["./bot.py"]')
    assert message in found
    assert 'command = ["python3", "bot.py"]' in hint or "byte order mark" in hint


@pytest.mark.parametrize(
    ("content", "made_for"),
    [
        (elf(183), "aarch64"),
        (elf(62), "x86_64"),
        (elf(243), "RISC-V"),
        (elf(9_999), "another processor (ELF 9999)"),
        (b"MZ\x90\0", "Windows"),
        (b"\xcf\xfa\xed\xfe\x07", "macOS"),
    ],
)
def test_programs_for_other_machines(
    bot: Path, content: bytes, made_for: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64" if made_for == "x86_64" else "x86_64")
    program(bot, "bot", content)
    message, hint = refused(bot, '["./bot"]')
    assert message.startswith(f"'./bot' is a program for {made_for}, and this machine runs Linux on ")
    assert "`build`" in hint or "build =" in hint


def test_a_script_without_an_interpreter_line(bot: Path) -> None:
    program(bot, "bot.py", b"import sys\n")
    message, hint = refused(bot, '["./bot.py"]')
    assert (
        message
        == "the first line of './bot.py' does not name an interpreter, such as `#!/usr/bin/env python3`"
    )
    assert 'command = ["python3", "bot.py"]' in hint


@pytest.mark.parametrize(
    "content", [b"#!/bin/sh\n", b"#! /bin/sh -e\necho\r\n", b"#!/usr/bin/env -S sh -e\n", b"\x7fELF", b"#!/bin/sh"]
)  # fmt: skip
def test_what_can_start_is_taken(bot: Path, content: bytes) -> None:
    program(bot, "bot", content)
    check(bot, '["./bot", "-x"]')
    check(bot, '["python3", "bot"]')
