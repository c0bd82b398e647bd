"""The languages that there are templates for."""

from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """A language by the name that users give it; its templates are in the folder of that name."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    RUST = "rust"
    GO = "go"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What the folder of a bot in some language has, and what its author needs and runs there."""

    program: str
    """The file of the bot's program."""
    test: str
    """The file of its test."""
    kit: str
    """The file of its kit."""
    test_command: str
    needs: str
    """The interpreter or compiler."""
    package: str
    """The Debian package that has it."""


TOOLCHAINS = {
    Language.PYTHON: Toolchain(
        *("bot.py", "test_bot.py", "arena_kit.py"), "python3 -m unittest", "python3", "python3"
    ),
    Language.JAVASCRIPT: Toolchain(
        *("bot.js", "bot.test.js", "arena_kit.js"), "node --test", "node", "nodejs"
    ),
    Language.C: Toolchain(*("bot.c", "test_bot.c", "arena_kit.h"), "make test", "cc", "build-essential"),
    Language.RUST: Toolchain(*("bot.rs", "test_bot.rs", "arena_kit.rs"), "make test", "rustc", "rustc"),
    Language.GO: Toolchain(*("bot.go", "bot_test.go", "arena_kit.go"), "go test", "go", "golang-go"),
}
