"""Messages say `1 game` and `2 games`: one function counts, and no message of people adds a plural by itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from results.base.text import counted

ROOMS = ("arena/cli", "arena/executors", "plugins/cluster")
ROOT = Path(__file__).parents[2]
_PLURAL = re.compile(
    r" (?:more |other )?(?:games|matches|slots|hosts|workers|bots|segments|replays|versions|files|decisions|seats|"
    r"authors|lines|leagues|entries)\b(?!/)"
)


def test_a_count_has_the_number_of_its_noun() -> None:
    assert [counted(number, "slot") for number in (0, 1, 2)] == ["0 slots", "1 slot", "2 slots"]
    assert [counted(number, "match", "matches") for number in (1, 1500)] == ["1 match", "1,500 matches"]


@pytest.mark.parametrize("room", ROOMS)
def test_no_message_has_a_plural_after_a_number_that_may_be_one(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line in plurals(path.read_text(encoding="utf-8"))
    ]
    assert not found, "use results.base.text.counted"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("f'{games} games'", [1]),
        ("f'{len(rest):,} more hosts'", [1]),
        ("f'{rate:.1f} games/s'", []),
        ("f'{MOST} games'", []),
        ("f'{counted(games, \"game\")} of {total} games'", []),
    ],
)
def test_such_plurals_are_found(source: str, lines: list[int]) -> None:
    assert list(plurals(source)) == lines


def plurals(source: str) -> Iterator[int]:
    """Yield the lines of texts in which a plural noun follows a number.

    Not after constants, numbers with decimals, and in `1 of 1 games`.
    """
    for text in ast.walk(ast.parse(source)):
        if not isinstance(text, ast.JoinedStr):
            continue
        for before, value, after in zip(
            [ast.Constant(""), *text.values], text.values, text.values[1:], strict=False
        ):
            if (
                isinstance(value, ast.FormattedValue)
                and isinstance(after, ast.Constant)
                and _PLURAL.match(str(after.value))
                and not (isinstance(before, ast.Constant) and str(before.value).endswith(" of "))
                and not (isinstance(value.value, ast.Name) and value.value.id.isupper())
                and "f" not in ast.unparse(value.format_spec or ast.Constant(""))[2:]
            ):
                yield value.lineno
