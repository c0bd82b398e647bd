"""Mistakes in the values of a file: finds the key of each, says it in words, and adds the file and the line."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from arena.config.toml import LEAGUE_FILE_BOUNDS, TomlBounds, line_of, load, placed
from arena.core.errors import BadFile, BadOption, BadValue, UsageError
from results.base.text import counted, percent_hint, said_by_msgspec

T = TypeVar("T")
Keys = tuple[str, ...]
"""The path of a key in a file, with indexes of lists."""

_MOST_MISTAKES = 10
"""How many mistakes of one file are told at once."""


class UnknownKey(BadValue):
    """A key that its table doesn't have; the hint lists the keys that it has."""

    names_key = True


class SeveralMistakes(UsageError):
    """Several values are wrong; the message has a line for each."""

    def __init__(self, mistakes: Sequence[BadValue], hint: object = "") -> None:
        """`hint`: what to do about them; default: to mend each."""
        several = f"there are {len(mistakes)} mistakes; fix them and try again"
        super().__init__("\n".join(map(str, mistakes)), hint or several)
        self.mistakes = tuple(mistakes)


@contextmanager
def in_file(name: str, text: str = "") -> Iterator[None]:
    """Make every UsageError a BadFile that names a file and the line of the key, found in its `text`."""
    try:
        yield
    except BadFile:
        raise  # it names its file already
    except SeveralMistakes as error:
        ordered = sorted(error.mistakes, key=lambda one: line_of(text, one.keys) or 0)
        said = "\n".join(_listed(one, name, text) for one in ordered)
        raise _like(error, BadFile(said, error.advice), ordered[0].about) from None
    except BadValue as error:
        raise _like(error, BadFile(_placed(error, name, text), error.advice), error.about) from None
    except UsageError as error:
        raise _like(error, BadFile(f"{name}: {error}", error.advice)) from None


@contextmanager
def at_key(*keys: str) -> Iterator[None]:
    """Make every error one about the value of this key, unless it says itself which key it is about."""
    try:
        yield
    except (BadValue, SeveralMistakes):
        raise
    except BadOption as error:
        if not error.option:
            raise BadValue(keys, str(error), error.advice) from None
        raise BadValue((keys[0], error.option), error.words, error.advice) from None
    except UsageError as error:
        raise _like(error, BadValue(keys, str(error), error.advice)) from None


def _like(error: Any, other: Any, about: Keys = ()) -> Any:
    """Return another error with the exit code of this one; `about`: the key to mend, if the other is about a file."""
    other.exit_code = error.exit_code
    if about:
        other.about = about
    return other


def _placed(mistake: BadValue, name: str, text: str) -> str:
    return placed(name, text, mistake.keys, mistake.words, names_key=mistake.names_key)


def _listed(mistake: BadValue, name: str, text: str) -> str:
    """Return the line of a list about a mistake, with its hint unless the words say it all."""
    hint = "" if mistake.names_remedy else mistake.hint
    return _placed(mistake, name, text) + (f" ({hint})" if hint else "")


def parse_toml(text: str, kind: type[T], name: str, bounds: TomlBounds = LEAGUE_FILE_BOUNDS) -> T:
    """Return TOML text as `kind`, a msgspec Struct; `name` is the file's, for messages. Raises BadFile."""
    data = load(text, name, bounds)
    with in_file(name, text):
        return convert(data, kind)


def convert(data: Any, kind: type[T], within: Keys = (), besides: Sequence[str] = ()) -> T:
    """Return plain data as `kind`; `within` is the path of the data in its file.

    `besides`: other keys that are allowed there, for messages. Raises BadValue, as UnknownKey for a key that `kind`
    doesn't have, and SeveralMistakes for more than one mistake.
    """
    mistakes: list[BadValue] = []
    left: Any = data
    while True:
        try:
            found = msgspec.convert(left, kind)
        except msgspec.ValidationError as error:
            what, place = said_by_msgspec(error)
            missing = re.fullmatch(r"Object missing required field `(.*)`", what)
            if mistakes and missing:  # the key that was refused, or misspelt
                break
            keys = _keys_of(place, left, kind)
            unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
            if unknown:
                mistake: BadValue = _unknown(unknown[1], keys, kind, within, besides)
                keys = [*keys, unknown[1]]
            elif missing:
                mistake = _missing(missing[1], keys, kind, within)
            else:
                mistake = _refused(what, keys, left, kind, within)
            mistakes.append(mistake)
            left = _without(left, keys) if len(mistakes) < _MOST_MISTAKES else None
            if left is None:
                break
        else:
            if not mistakes:
                return found
            break
    raise mistakes[0] if len(mistakes) == 1 else SeveralMistakes(mistakes)


def _keys_of(place: str, data: Any, kind: Any) -> list[str]:
    """Return the key path that msgspec names; it writes `[...]` for an item of a list or a dictionary."""
    parts = re.findall(r"\[\.\.\.\]|[^.\[\]]+", place)
    keys: list[str] = []
    for part in parts:
        if part == "[...]":
            holder = _type_at(kind, keys)
            item_type = getattr(holder, "item_type", getattr(holder, "value_type", None))
            items = data.items() if isinstance(data, dict) else enumerate(data or [])
            part = str(next((i for i, item in items if not _fits(item, item_type)), 0))
        keys.append(part)
        data = _value_at(data, [part])
    return keys


def _fits(item: Any, info: Any) -> bool:
    cls = getattr(info, "cls", None)
    try:
        return cls is not None and msgspec.convert(item, cls) is not None
    except msgspec.ValidationError:
        return False


def _without(data: Any, path: Sequence[str]) -> Any | None:
    """Return a copy of plain data without the value at a path; None if that is all of it, or an item of a list.

    Items are left where they are, because a list without one of them may be too short, and has other indexes.
    """
    if not path:
        return None
    key, rest = path[0], path[1:]
    if isinstance(data, dict) and key in data:
        if not rest:
            return {other: value for other, value in data.items() if other != key}
        cut = _without(data[key], rest)
        return None if cut is None else {**data, key: cut}
    if isinstance(data, list) and rest and key.isdigit() and int(key) < len(data):
        cut = _without(data[int(key)], rest)
        return None if cut is None else [*data[: int(key)], cut, *data[int(key) + 1 :]]
    return None


def _value_at(data: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys and indexes; None if there is none."""
    for key in path:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
        else:
            return None
    return data


@cache
def _described(kind: Any) -> Any:
    """Return msgspec's description of a type, which takes milliseconds for a league file's."""
    return msgspec.inspect.type_info(kind)


def _type_at(kind: Any, path: Sequence[str]) -> Any:
    """Return msgspec's description of the type at a path of keys and indexes."""
    info: Any = _described(kind)
    for key in path:
        if isinstance(info, msgspec.inspect.StructType):
            info = next(field.type for field in info.fields if field.encode_name == key)
        else:
            info = getattr(info, "item_type", getattr(info, "value_type", info))
        while isinstance(info, msgspec.inspect.Metadata):
            info = info.type
    return info


def _unknown(key: str, keys: Sequence[str], kind: Any, within: Keys, besides: Sequence[str]) -> UnknownKey:
    known = [*besides, *(field.encode_name for field in getattr(_type_at(kind, keys), "fields", ()))]
    close = get_close_matches(key, known, 1)
    words = f"unknown key {key!r}" + (f"; did you mean {close[0]!r}?" if close else "")
    mistake = UnknownKey((*within, *keys, key), words, "keys here: " + ", ".join(known))
    mistake.names_remedy = bool(close)
    return mistake


def _missing(key: str, keys: Sequence[str], kind: Any, within: Keys) -> BadValue:
    is_text = isinstance(_type_at(kind, [*keys, key]), msgspec.inspect.StrType)
    hint = f"add a line: {key} = " + ('"…"' if is_text else "…")
    mistake = BadValue((*within, *keys), f"the key {key!r} is missing", hint)
    mistake.about = (*within, *keys, key)
    return mistake


def _refused(what: str, keys: Sequence[str], data: Any, kind: Any, within: Keys) -> BadValue:
    """Return the mistake of a value that msgspec refuses; `what` is why, as it says."""
    fields = getattr(_type_at(kind, keys[:-1]), "fields", ()) if keys else ()
    default = next((field.default for field in fields if field.encode_name == keys[-1]), None)
    value = _Refused(what, (*within, *keys), _value_at(data, keys), _type_at(kind, keys), default)
    words, hint, names_remedy = value.in_words()
    mistake = BadValue(value.keys, words, hint)
    mistake.names_remedy = names_remedy
    return mistake


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
_HINTS: dict[Keys, str] = {
    ("bots",): 'write [[bots]] on a line, and below it path = "…"',
    ("rating",): 'write [rating] on a line, and below it system = "trueskill"',
    ("ranking",): 'write [ranking] on a line, and below it by = "places" or by = "scores"',
}
"""By key: how to write a table of the league file."""
_NUMBER_IN_TEXT = re.compile(r"\s*([+-]?\d{1,15}(?:\.\d{1,15})?)\s*([a-z]*)\s*", re.IGNORECASE)
_SHOWN_CHARS = 40
_RELATIONS = {">=": "{} or more", ">": "more than {}", "<=": "at most {}", "<": "less than {}"}
_ATTRIBUTES = {">=": "ge", ">": "gt", "<=": "le", "<": "lt"}
"""Of msgspec's descriptions of numbers, by the relation."""
_NUMBERS = (msgspec.inspect.IntType, msgspec.inspect.FloatType)


class _Refused(Struct, frozen=True):
    """A value that msgspec refuses."""

    what: str
    """Why, as msgspec says it, without the path."""
    keys: Keys
    """Empty if the whole file is refused."""
    value: Any
    info: Any
    """msgspec's description of the type of the key."""
    default: Any
    """The default of the key, if it has one."""

    @property
    def key(self) -> str:
        """The last part of the path: a key, or an index of a list."""
        return self.keys[-1] if self.keys else ""

    def in_words(self) -> tuple[str, str, bool]:
        """Return why the value is refused, a hint, and whether the words say what was probably meant."""
        if self.key == "keep_replays":
            return "expected all, faults, last N or none", 'such as keep_replays = "last 100"', False
        if wrong := re.fullmatch(r"Expected `([^`]*)`, got `(\w+)`", self.what):
            kinds = [kind for kind in wrong[1].split(" | ") if kind != "null"]
            return *self._wrong_type(kinds, wrong[2]), False
        if bound := re.fullmatch(r"Expected `(int|float)` ([<>]=?) (\S+)", self.what):
            number = int(bound[3]) if bound[1] == "int" else float(bound[3])
            found = f", not {_number(self.value)}" if type(self.value) in (int, float) else ""
            bounds = self._bounds_with(bound[2], number)
            return f"must be {self._kind_of_number(bound[1])}{bounds}{found}", self._as_fraction(), False
        if length := re.fullmatch(r"Expected `(str|array)` of length ([<>]=) (\d+)", self.what):
            return _length_in_words(length[1], length[2], int(length[3])), "", False
        if choice := re.fullmatch(r"Invalid enum value (.*)", self.what, re.DOTALL):
            choices = self._choices()
            close = get_close_matches(choice[1].strip("'"), choices, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            hint = "possible values: " + ", ".join(choices)
            return f"{choice[1]} is not a possible value{meant}", hint, bool(close)
        return f"{self.what[:1].lower()}{self.what[1:]}", "", False

    def _wrong_type(self, wanted: list[str], got: str) -> tuple[str, str]:
        """Return the words for a value of another type than those wanted, and how to write it."""
        key, found = self.key, _TYPES.get(got, got)
        if "int" in wanted or "float" in wanted:
            found = _shown(self.value, got)
        if wanted in (["int"], ["float"]):
            bounds = next((_bounds(one) for one in self._types() if isinstance(one, _NUMBERS)), "")
            words = f"must be {self._kind_of_number(wanted[0])}{bounds}, not {found}"
            return words, self._as_number(wanted[0])
        said = f"expected {' or '.join(_TYPES.get(kind, kind) for kind in wanted)}, got {found}"
        if hint := _HINTS.get(self.keys) or (_HINTS[("bots",)] if self.keys[:-1] == ("bots",) else ""):
            return said, hint
        choices = self._choices()
        hints = {
            "object": f"write [{'.'.join(self.keys)}] on a line, and its keys below it",
            "array": f"write it in brackets: {key} = […]",
            "str": f"possible values, in quotes: {', '.join(choices)}"
            if choices
            else f'write it in quotes: {key} = "…"',
            "int": self._as_number("int"),
            "bool": f"true or false, without quotes: {key} = true",
        }
        return said, hints.get(wanted[0], "") if wanted and not key.isdigit() else ""

    def _as_number(self, wanted: str) -> str:
        """Return the hint that shows how to write the number that was probably meant, or an example."""
        value, unit = self.value, self.key.rpartition("_")[2]
        how, number = f"{_TYPES[wanted]} without quotes", None
        if isinstance(value, str) and (found := _NUMBER_IN_TEXT.fullmatch(value)):
            if not found[2] or found[2].lower() == unit:
                number = float(found[1])
                how = "write it without quotes" + (" and without the unit" if found[2] else "")
        elif type(value) is float:
            number, how = value, "without decimals"
        if number is None or (wanted == "int" and isinstance(value, str) and not number.is_integer()):
            usual = 2 if wanted == "int" else 0.5
            number = self.default if type(self.default) in (int, float) else usual
        plain = round(number) if wanted == "int" or float(number).is_integer() else number
        least = next((one.ge for one in self._types() if isinstance(one, _NUMBERS)), None)
        plain = plain if least is None else max(plain, least)
        return f"{how}: {plain}" if self.key.isdigit() else f"{how}: {self.key} = {plain}"

    def _as_fraction(self) -> str:
        """Return the hint for a percentage where a fraction belongs; empty if it isn't one."""
        for one in self._types():
            if isinstance(one, msgspec.inspect.FloatType) and type(self.value) in (int, float):
                least = 0 if one.ge is None else one.ge
                most = one.le if one.lt is None else one.lt
                return "" if most is None else percent_hint(self.value, least, most)
        return ""

    def _kind_of_number(self, kind: str) -> str:
        """Return `a whole number of milliseconds`, by the key's name."""
        unit = _UNITS.get(self.key.rpartition("_")[2])
        return _TYPES[kind] + (f" of {unit}" if unit else "")

    def _bounds_with(self, relation: str, number: float) -> str:
        """Return in words the bounds of the type that has this one; this bound alone if no type is found for it."""
        for one in self._types():
            if isinstance(one, _NUMBERS) and getattr(one, _ATTRIBUTES[relation]) == number:
                return _bounds(one)
        return f", {_RELATIONS[relation].format(_number(number))}"

    def _choices(self) -> list[str]:
        """Return the values that the key may have, if it takes only some."""
        literals = [one for one in self._types() if isinstance(one, msgspec.inspect.LiteralType)]
        return [str(value) for one in literals for value in one.values]

    def _types(self) -> Iterator[Any]:
        """Yield the types that the value may have, without their descriptions."""
        info = self.info
        for one in info.types if isinstance(info, msgspec.inspect.UnionType) else [info]:
            while isinstance(one, msgspec.inspect.Metadata):
                one = one.type
            yield one


def _shown(value: Any, got: str) -> str:
    """Return a value as in the file, or only its type if it is long."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if len(value) <= _SHOWN_CHARS else "text"
    if type(value) in (int, float):
        return str(value) if float(value).is_integer() else _number(value)  # 100.0 is not 100
    return str(value).lower() if isinstance(value, bool) else _TYPES.get(got, got)


def _bounds(one: Any) -> str:
    """Return the bounds of a type of numbers in words, after a space or comma; empty if it has none."""
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
    if relation == ">=" and length == 1:
        return "must not be empty"
    things = counted(length, "character" if kind == "str" else "item")
    return f"must have {'at least' if relation == '>=' else 'at most'} {things}"
