"""Reads a TOML file into its type; errors name file, line and key."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arena.config.bounded_toml import TomlBounds, load, read_text
from arena.config.errors import BadFile
from arena.config.key_lines import key_in_words, line_of

T = TypeVar("T")


LEAGUE_FILE_BOUNDS = TomlBounds("a league file", file_bytes=4_194_304, items=200_000)
"""Enough for ten thousand entries, each with a path, a label and arguments."""


def read_toml(path: Path, kind: type[T], bounds: TomlBounds = LEAGUE_FILE_BOUNDS) -> T:
    """Return the file's content as `kind`, a msgspec Struct. Raises BadFile naming file, line and key."""
    return parse_toml(read_text(path, bounds), kind, str(path), bounds)


def parse_toml(text: str, kind: type[T], name: str, bounds: TomlBounds = LEAGUE_FILE_BOUNDS) -> T:
    """Return TOML text as `kind`; `name` is the file's, for messages. Raises BadFile."""
    return convert(load(text, name, bounds), kind, name, text)


def convert(
    data: Any, kind: type[T], name: str, text: str = "", within: str = "", besides: Sequence[str] = ()
) -> T:
    """Return plain data as `kind`; `within` is the key path of the data in the file. Raises BadFile.

    `besides`: other keys that are allowed there, for messages.
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        keys = [key for key in re.split(r"[.\[\]]", path.strip("`")) if key] if "..." not in path else []
        if "..." in path:
            keys = _with_index(data, kind, re.findall(r"\[\.\.\.\]|[^.\[\]]+", path.strip("`")))
        inside = within.split(".") if within else []
        raise _explain(what, inside + keys, data, kind, name, text, len(inside), besides) from None


def _with_index(data: Any, kind: Any, path: list[str]) -> list[str]:
    """Return a key path with `[...]` replaced by the index of the item at fault."""
    keys: list[str] = []
    for part in path:
        info = _type_at(kind, keys)
        if part != "[...]":
            keys.append(part)
            data = data[part] if isinstance(data, dict) and part in data else None
            continue
        item_type = getattr(info, "item_type", None)
        index = next((i for i, item in enumerate(data or []) if not _fits(item, item_type)), 0)
        keys.append(str(index))
        data = data[index] if data else None
    return keys


def _fits(item: Any, info: Any) -> bool:
    cls = getattr(info, "cls", None)
    if cls is None:
        return False
    try:
        msgspec.convert(item, cls)
    except msgspec.ValidationError:
        return False
    return True


def _explain(
    what: str,
    keys: list[str],
    data: Any,
    kind: type,
    name: str,
    text: str,
    inside: int,
    besides: Sequence[str],
) -> BadFile:
    hint = ""
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    if unknown:
        known = [*besides, *_keys_at(kind, keys[inside:])]
        close = get_close_matches(unknown[1], known, 1)
        what = f"unknown key {unknown[1]!r}" + (f"; did you mean {close[0]!r}?" if close else "")
        hint = "keys here: " + ", ".join(known)
        keys.append(unknown[1])
    elif missing:
        what = f"the key {missing[1]!r} is missing"
    elif other := _other_words(what, keys) or _bound_in_words(
        what, _type_at(kind, keys[inside:]), _value_at(data, keys[inside:])
    ):
        what, hint = other
    line = line_of(text, keys) if text else None
    place = key_in_words(".".join(keys))
    where = f"{name}:{line}" if line else name
    return BadFile(
        f"{where}: {place + ': ' if place and not unknown else ''}{what[0].lower()}{what[1:]}", hint
    )


_WRONG_TYPE = re.compile(r"Expected `([^`]*)`, got `(\w+)`")
_TYPES = {
    "object": "a table",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}
"""Names of msgspec's types, as on the configuration page."""


def _other_words(what: str, keys: list[str]) -> tuple[str, str] | None:
    """Return msgspec's message about a wrong type in our words, and a hint; None for other messages."""
    key = keys[-1] if keys else ""
    if key == "keep_replays":
        return "expected all, faults, last N or none", 'such as keep_replays = "last 100"'
    found = _WRONG_TYPE.fullmatch(what)
    if not found:
        return None
    wanted = [kind for kind in found[1].split(" | ") if kind != "null"]
    said = f"expected {' or '.join(_TYPES.get(kind, kind) for kind in wanted)}, got {_TYPES.get(found[2], found[2])}"
    if keys[:1] == ["bots"] and len(keys) <= 2:
        return said, 'write [[bots]] on a line, and below it path = "…"'
    if keys == ["rating"]:
        return said, 'write [rating] on a line, and below it system = "trueskill"'
    hints = {
        "object": f"write [{'.'.join(keys)}] on a line, and its keys below it",
        "array": f"write it in brackets: {key} = […]",
        "str": f'write it in quotes: {key} = "…"',
        "int": f"a whole number without quotes: {key} = 2",
        "float": f"a number without quotes: {key} = 0.5",
        "bool": f"true or false, without quotes: {key} = true",
    }
    return said, hints.get(wanted[0], "") if wanted and not key.isdigit() else ""


_BOUND = re.compile(r"Expected `(int|float)` ([<>]=?) (\S+)")
_LENGTH = re.compile(r"Expected `(str|array)` of length ([<>]=) (\d+)")
_NO_CHOICE = re.compile(r"Invalid enum value (.*)", re.DOTALL)
_RELATIONS = {">=": "{} or more", "<=": "at most {}", ">": "more than {}", "<": "less than {}"}
_NUMBERS = (msgspec.inspect.IntType, msgspec.inspect.FloatType)
_ATTRIBUTES = {">=": "ge", ">": "gt", "<=": "le", "<": "lt"}
"""Of msgspec's descriptions of numbers, by the relation."""


def _bound_in_words(what: str, info: Any, value: Any) -> tuple[str, str] | None:
    """Return msgspec's message about a value out of bounds in our words, and a hint; None for other messages.

    `info` describes the type of the key.
    """
    if bound := _BOUND.fullmatch(what):
        number = int(bound[3]) if bound[1] == "int" else float(bound[3])
        found = f", not {_number(value)}" if type(value) in (int, float) else ""
        return f"must be {_TYPES[bound[1]]}{_range(info, bound[2], number)}{found}", ""
    if length := _LENGTH.fullmatch(what):
        return _length_in_words(length[1], length[2], int(length[3])), ""
    if refused := _NO_CHOICE.fullmatch(what):
        kinds = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
        choices = [
            str(value)
            for one in kinds
            if isinstance(one, msgspec.inspect.LiteralType)
            for value in one.values
        ]
        close = get_close_matches(refused[1].strip("'"), choices, 1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        return f"{refused[1]} is not a possible value{meant}", "possible values: " + ", ".join(choices)
    return None


def _range(info: Any, relation: str, number: float) -> str:
    """Return in words the bounds of the type that has this one; this bound alone where no type is found for it."""
    attribute = _ATTRIBUTES[relation]
    for one in info.types if isinstance(info, msgspec.inspect.UnionType) else (info,):
        if not isinstance(one, _NUMBERS) or getattr(one, attribute) != number:
            continue
        if one.ge is not None and one.le is not None:
            return f" from {_number(one.ge)} to {_number(one.le)}"
        bounds = [
            _RELATIONS[sign].format(_number(limit))
            for sign, name in _ATTRIBUTES.items()
            if (limit := getattr(one, name)) is not None
        ]
        return f", {' and '.join(bounds)}"
    return f", {_RELATIONS[relation].format(_number(number))}"


def _number(value: float) -> str:
    """Return a number with its thousands apart, and without an exponent where it is of a common size.

    >>> _number(1048576), _number(0.000001), _number(0.5), _number(10000.0), _number(1e300)
    ('1,048,576', '0.000001', '0.5', '10,000', '1e+300')
    """
    if isinstance(value, float) and not 1e-9 <= abs(value) < 1e15 and value:  # also infinities, and NaN
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.9f}".rstrip("0").rstrip(".")


def _length_in_words(kind: str, relation: str, length: int) -> str:
    """Return the length that a text or a list must have, in words."""
    noun = "character" if kind == "str" else "item"
    if relation == ">=" and length == 1:
        return "must not be empty"
    things = f"{length:,} {noun}{'s' * (length != 1)}"
    return f"must have {'at least' if relation == '>=' else 'at most'} {things}"


def _value_at(data: Any, path: list[str]) -> Any:
    """Return the value at a path of keys and indexes; None where there is none."""
    for key in path:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
        else:
            return None
    return data


def _type_at(kind: Any, path: list[str]) -> Any:
    """Return msgspec's description of the type at a path of keys and indexes."""
    info: Any = msgspec.inspect.type_info(kind)
    for key in path:
        if isinstance(info, msgspec.inspect.StructType):
            info = next(field.type for field in info.fields if field.encode_name == key)
        else:
            info = getattr(info, "item_type", info)
        while isinstance(info, msgspec.inspect.Metadata):
            info = info.type
    return info


def _keys_at(kind: type, path: list[str]) -> list[str]:
    """Return the keys that a type has at a path."""
    return [field.encode_name for field in getattr(_type_at(kind, path), "fields", ())]
