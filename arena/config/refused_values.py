"""Words for values that msgspec refuses: what a key takes, what it got, and how to write it."""

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

import msgspec

from results.base.text import counted, percent_hint

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

_UNITS = {"ms": "milliseconds", "mib": "MiB", "bytes": "bytes", "chars": "characters", "minutes": "minutes"}
"""Units of numbers, by the last word of their key."""
_NUMBER_IN_TEXT = re.compile(r"\s*([+-]?\d{1,15}(?:\.\d{1,15})?)\s*([a-z]*)\s*", re.IGNORECASE)
_SHOWN_CHARS = 40

_BOUND = re.compile(r"Expected `(int|float)` ([<>]=?) (\S+)")
_LENGTH = re.compile(r"Expected `(str|array)` of length ([<>]=) (\d+)")
_NO_CHOICE = re.compile(r"Invalid enum value (.*)", re.DOTALL)
_RELATIONS = {">=": "{} or more", "<=": "at most {}", ">": "more than {}", "<": "less than {}"}
_NUMBERS = (msgspec.inspect.IntType, msgspec.inspect.FloatType)
_ATTRIBUTES = {">=": "ge", ">": "gt", "<=": "le", "<": "lt"}
"""Of msgspec's descriptions of numbers, by the relation."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A value that msgspec refuses."""

    what: str
    """Why, as msgspec says it, without the path."""
    keys: list[str]
    """The path of its key in the file, with indexes of lists; empty if the whole file is refused."""
    value: Any
    info: Any
    """msgspec's description of the type of the key."""
    default: Any
    """The default of the key, if it has one."""

    @property
    def key(self) -> str:
        """The last part of the path: a key, or an index of a list."""
        return self.keys[-1] if self.keys else ""


class Said(NamedTuple):
    """Why a value is refused."""

    what: str
    hint: str
    names_remedy: bool = False
    """Whether `what` says what was probably meant."""


def in_words(refused: Refused) -> Said | None:
    """Return why a value is refused, and a hint; None for messages of msgspec that this module doesn't know."""
    if refused.key == "keep_replays":
        return Said("expected all, faults, last N or none", 'such as keep_replays = "last 100"')
    if wrong := _WRONG_TYPE.fullmatch(refused.what):
        kinds = [kind for kind in wrong[1].split(" | ") if kind != "null"]
        return Said(*_wrong_type(refused, kinds, wrong[2]))
    if bound := _BOUND.fullmatch(refused.what):
        number = int(bound[3]) if bound[1] == "int" else float(bound[3])
        found = f", not {_number(refused.value)}" if type(refused.value) in (int, float) else ""
        return Said(
            f"must be {_kind_of_number(refused, bound[1])}{_range(refused.info, bound[2], number)}{found}",
            _as_fraction(refused),
        )
    if length := _LENGTH.fullmatch(refused.what):
        return Said(_length_in_words(length[1], length[2], int(length[3])), "")
    if choice := _NO_CHOICE.fullmatch(refused.what):
        choices = _choices(refused.info)
        close = get_close_matches(choice[1].strip("'"), choices, 1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        hint = "possible values: " + ", ".join(choices)
        return Said(f"{choice[1]} is not a possible value{meant}", hint, bool(close))
    return None


def _wrong_type(refused: Refused, wanted: list[str], got: str) -> tuple[str, str]:
    """Return the words for a value of another type than those wanted, and how to write it."""
    keys, key = refused.keys, refused.key
    if wanted in (["int"], ["float"]):
        kind, bounds = _kind_of_number(refused, wanted[0]), _all_bounds(refused.info)
        return f"must be {kind}{bounds}, not {_shown(refused.value, got)}", _as_number(refused, wanted[0])
    found = _shown(refused.value, got) if "int" in wanted or "float" in wanted else _TYPES.get(got, got)
    said = f"expected {' or '.join(_TYPES.get(kind, kind) for kind in wanted)}, got {found}"
    if keys[:1] == ["bots"] and len(keys) <= 2:
        return said, 'write [[bots]] on a line, and below it path = "…"'
    if keys == ["rating"]:
        return said, 'write [rating] on a line, and below it system = "trueskill"'
    if keys == ["ranking"]:
        return said, 'write [ranking] on a line, and below it by = "places" or by = "scores"'
    choices = _choices(refused.info)
    hints = {
        "object": f"write [{'.'.join(keys)}] on a line, and its keys below it",
        "array": f"write it in brackets: {key} = […]",
        "str": f"possible values, in quotes: {', '.join(choices)}"
        if choices
        else f'write it in quotes: {key} = "…"',
        "int": _as_number(refused, "int"),
        "bool": f"true or false, without quotes: {key} = true",
    }
    return said, hints.get(wanted[0], "") if wanted and not key.isdigit() else ""


def _shown(value: Any, got: str) -> str:
    """Return a value as in the file, or only its type if it is long."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if len(value) <= _SHOWN_CHARS else "text"
    if type(value) in (int, float):
        return str(value) if float(value).is_integer() else _number(value)  # 100.0 is not 100
    return str(value).lower() if isinstance(value, bool) else _TYPES.get(got, got)


def _as_number(refused: Refused, wanted: str) -> str:
    """Return the hint that shows how to write the number that was probably meant, or an example."""
    value, unit = refused.value, refused.key.rpartition("_")[2]
    how, number = f"{_TYPES[wanted]} without quotes", None
    if isinstance(value, str) and (found := _NUMBER_IN_TEXT.fullmatch(value)):
        if not found[2] or found[2].lower() == unit:
            number = float(found[1])
            how = "write it without quotes" + (" and without the unit" if found[2] else "")
    elif type(value) is float:
        number, how = value, "without decimals"
    if number is None or (wanted == "int" and isinstance(value, str) and not number.is_integer()):
        default = refused.default if type(refused.default) in (int, float) else None
        number = default if default is not None else 2 if wanted == "int" else 0.5
    plain = round(number) if wanted == "int" or float(number).is_integer() else number
    least = next((one.ge for one in _alternatives(refused.info) if isinstance(one, _NUMBERS)), None)
    plain = plain if least is None else max(plain, least)
    return f"{how}: {plain}" if refused.key.isdigit() else f"{how}: {refused.key} = {plain}"


def _as_fraction(refused: Refused) -> str:
    """Return the hint for a percentage where a fraction belongs; empty if it isn't one."""
    for one in _alternatives(refused.info):
        if isinstance(one, msgspec.inspect.FloatType) and type(refused.value) in (int, float):
            least = 0 if one.ge is None else one.ge
            most = one.le if one.lt is None else one.lt
            return "" if most is None else percent_hint(refused.value, least, most)
    return ""


def _kind_of_number(refused: Refused, kind: str) -> str:
    """Return `a whole number of milliseconds`, by the key's name."""
    unit = _UNITS.get(refused.key.rpartition("_")[2])
    return _TYPES[kind] + (f" of {unit}" if unit else "")


def _alternatives(info: Any) -> tuple[Any, ...]:
    """Return the types that a value may have, without their descriptions."""
    types = list(info.types) if isinstance(info, msgspec.inspect.UnionType) else [info]
    for number, one in enumerate(types):
        while isinstance(one, msgspec.inspect.Metadata):
            one = types[number] = one.type
    return tuple(types)


def _choices(info: Any) -> list[str]:
    """Return the values that a key may have, if it takes only some."""
    return [
        str(value)
        for one in _alternatives(info)
        if isinstance(one, msgspec.inspect.LiteralType)
        for value in one.values
    ]


def _all_bounds(info: Any) -> str:
    """Return the bounds of a type in words, after a space or comma; empty if it has none."""
    return next((_bounds(one) for one in _alternatives(info) if isinstance(one, _NUMBERS)), "")


def _range(info: Any, relation: str, number: float) -> str:
    """Return in words the bounds of the type that has this one; this bound alone where no type is found for it."""
    for one in _alternatives(info):
        if isinstance(one, _NUMBERS) and getattr(one, _ATTRIBUTES[relation]) == number:
            return _bounds(one)
    return f", {_RELATIONS[relation].format(_number(number))}"


def _bounds(one: Any) -> str:
    if one.ge is not None and one.le is not None:
        return f" from {_number(one.ge)} to {_number(one.le)}"
    bounds = [
        _RELATIONS[sign].format(_number(limit))
        for sign, name in _ATTRIBUTES.items()
        if (limit := getattr(one, name)) is not None
    ]
    return f", {' and '.join(bounds)}" if bounds else ""


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
    things = counted(length, noun)
    return f"must have {'at least' if relation == '>=' else 'at most'} {things}"
