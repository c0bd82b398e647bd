"""Every key of the configuration reference: too small, too large, no number, and the wrong type are refused.

The keys are walked in the types that the reference is generated from, so a new one is tried too.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import inspect

from arena import registry
from arena.config.deal_suites import Suite
from arena.config.league_file import LeagueFile, RatingTable
from arena.core.errors import BadFile
from arena.league.definition.read import read_plan
from results.ratings import rating_system
from tests.support.leagues import simple, write_bot

FREE = {"options", "schedule", "rating"}
"""Tables whose keys belong to a game, a schedule or a rating system; those of the latter two are walked as well."""
LARGE = 10**15
"""Above what any number of the file is good for."""


@dataclass(frozen=True)
class Key:
    """A key of the file: where it stands, and what the reference says of it."""

    table: str
    name: str
    type: Any
    kind: str = "round-robin"
    """Of the schedule in whose table it stands."""

    def __str__(self) -> str:
        return ".".join(
            part for part in (self.kind if self.table == "schedule" else self.table, self.name) if part
        )

    @property
    def path(self) -> str:
        """The key path as messages have it."""
        table = "bots.0" if self.table == "bots" else self.table
        return ".".join(part for part in (table, self.name) if part)


def stripped(info: Any) -> Any:
    while isinstance(info, inspect.Metadata):
        info = info.type
    return info


def alternatives(info: Any) -> list[Any]:
    info = stripped(info)
    return [stripped(one) for one in info.types] if isinstance(info, inspect.UnionType) else [info]


def keys_of(kind: type, table: str = "", schedule: str = "round-robin") -> Iterator[Key]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    for field in info.fields:
        one, *_ = alternatives(field.type)
        inner = stripped(one.item_type) if isinstance(one, inspect.VarTupleType) else one
        if isinstance(inner, inspect.StructType):
            yield from keys_of(inner.cls, field.encode_name)
        elif field.encode_name not in FREE or table:
            yield Key(table, field.encode_name, field.type, schedule)


KEYS = [
    *keys_of(LeagueFile),
    *(
        key
        for name, schedule in registry.schedules().items()
        if type(schedule).__module__.startswith("arena.schedules.")
        for key in keys_of(schedule.settings, "schedule", name)
    ),
    *keys_of(RatingTable, "rating"),
    *keys_of(rating_system("trueskill").settings, "rating"),
]


def bounds(info: Any) -> tuple[Any, Any]:
    """Return the least and the greatest value of a number, as they may be written; None where there is none."""
    step = 1 if isinstance(info, inspect.IntType) else 1e-9
    low = info.ge if info.ge is not None else info.gt + step if info.gt is not None else None
    high = info.le if info.le is not None else info.lt - step if info.lt is not None else None
    return low, high


def bad_values(info: Any) -> Iterator[str]:
    """Yield TOML values that a key of these alternatives cannot have."""
    kinds = [type(one) for one in alternatives(info)]
    for one in alternatives(info):
        if isinstance(one, inspect.IntType | inspect.FloatType):
            low, high = bounds(one)
            yield from (str(low - 1), str(high + 1))
            yield from (str(-LARGE), str(LARGE)) if high < LARGE else ()
        if isinstance(one, inspect.StrType):
            assert one.max_length or one.pattern, "a text without bounds"
            yield json.dumps("x" * ((one.max_length or 100) + 1))
            yield from ('""',) if one.min_length or one.pattern else ()
        if isinstance(one, inspect.VarTupleType):
            assert one.max_length, "a list without bounds"
            (item,) = alternatives(one.item_type)
            good = "2" if isinstance(item, inspect.IntType) else '"x"'
            yield f"[{', '.join([good] * (one.max_length + 1))}]"
            yield from ("[]",) if one.min_length else ()
            yield from (f"[{value}]" for value in bad_values(item))
    yield from ("inf", "-inf", "nan", "1e400", "100000000000000000000", "1979-05-27", "[[1]]")
    if inspect.StructType not in kinds:  # such a table has keys of its own
        yield "{ a = 1 }"
    for value, kind in (
        ("true", inspect.BoolType),
        ('"1"', inspect.StrType),
        ("[1.5]", inspect.VarTupleType),
    ):
        if kind not in kinds and not (kind is inspect.StrType and inspect.LiteralType in kinds):
            yield value
    if inspect.FloatType not in kinds:
        yield "1.5"
    if inspect.LiteralType in kinds:
        yield '"nothing of the kind"'


def text(key: Key, value: str) -> str:
    """Return a league file in which a key has that value; no key that would be there twice."""
    tables: dict[str, dict[str, str]] = {
        "": {"name": '"friday"', "game": '"bread-basket"', "seats": "2", "workers": "1"},
        "schedule": {"kind": f'"{key.kind}"'},
        "bots": {"path": '"pick0"', "label": '"one"'},
    }
    if key.table == "bots" and key.name in ("version", "glob"):
        del tables["bots"]["path"]
    tables.setdefault(key.table, {})[key.name] = value
    lines = []
    for table, pairs in tables.items():
        if table:
            lines.append(f"[[{table}]]" if table == "bots" else f"[{table}]")
        lines += [f"{name} = {given}" for name, given in pairs.items()]
    return "\n".join([*lines, "[[bots]]", 'path = "pick1"', 'label = "two"', ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("keys")
    for number in range(2):
        write_bot(place, f"pick{number}", simple(number))
    return place


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_what_a_key_cannot_have_is_refused_with_its_line(key: Key, folder: Path) -> None:
    file = folder / "league.toml"
    tried = 0
    for value in bad_values(key.type):
        file.write_text(text(key, value))
        line = next(
            n for n, line in enumerate(text(key, value).splitlines(), 1) if line == f"{key.name} = {value}"
        )
        with pytest.raises(BadFile) as refused:
            read_plan(file)
        told = str(refused.value)
        assert told.startswith(f"{file}:{line}: "), (value[:60], told[:300])
        assert key.name in told or "TOML" in told, (value[:60], told[:300])
        assert not re.search(r"[<>]=?|`|enum|regex|[a-z] (int|str|array)\b", told), "the words of a library"
        tried += 1
    assert tried > 8


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_every_number_has_two_bounds_and_both_may_be_had(key: Key) -> None:
    numbers = [one for one in alternatives(key.type) if isinstance(one, inspect.IntType | inspect.FloatType)]
    for number in numbers:
        low, high = bounds(number)
        assert low is not None, "nothing keeps it from being too small"
        assert high is not None, "nothing keeps it from being too large"
        assert math.isfinite(low)
        assert math.isfinite(high)
        for value in (low, high):
            assert msgspec.convert(value, _annotated(number)) == value


def _annotated(number: Any) -> Any:
    """Return the type that msgspec described."""
    limits = {
        name: getattr(number, name) for name in ("ge", "gt", "le", "lt") if getattr(number, name) is not None
    }
    plain: Any = int if isinstance(number, inspect.IntType) else float
    return Annotated[plain, msgspec.Meta(**limits)]


@pytest.mark.parametrize("game", registry.games())
def test_what_an_option_cannot_have_is_refused_with_its_line(game: str, folder: Path) -> None:
    file = folder / "league.toml"
    for option in registry.game(game).info.options:
        for value in (
            str(LARGE),
            str(-LARGE),
            "inf",
            "nan",
            "1.5",
            '"nothing"',
            "true" if option.kind != "flag" else "1",
            "[true]",
            "[]",
            f"[{', '.join(['1'] * 1000)}]",
            "{ a = 1 }",
        ):
            file.write_text(
                f'name = "friday"\ngame = "{game}"\n[options]\n{option.name} = {value}\n[[bots]]\npath = "pick0"\n'
            )
            with pytest.raises(BadFile) as refused:
                read_plan(file)
            assert str(refused.value).startswith(f"{file}:4: options.{option.name}: "), (
                value[:60],
                refused.value,
            )


def test_all_of_the_reference_is_walked() -> None:
    """Each key that the page shows is among those tried."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text()
    shown = page[: page.index("## bot.toml")]
    names = [line.split("`")[1] for line in shown.splitlines() if line.startswith("| `")]
    walked = [key.name for key in KEYS] + ["bots", "clock", "limits", "ranking", "stop", "quota", *FREE]
    walked += Suite.__struct_fields__  # tests/league/test_suites.py
    assert sorted(names) == sorted(walked)
