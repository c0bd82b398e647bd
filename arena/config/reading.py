"""Reads a TOML file into its type; errors name file, line and key."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arena.config.errors import BadFile, SeveralMistakes, UnknownKey
from arena.config.key_lines import key_in_words, line_of
from arena.config.league_file import LeagueFile
from arena.config.refused_values import Refused, Said, in_words
from arena.config.toml import TomlBounds, load, read_text
from arena.core.errors import UsageError

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
    """Return plain data as `kind`; `within` is the key path of the data in the file.

    Raises BadFile; for a key that `kind` doesn't have, UnknownKey; SeveralMistakes for more than one.

    `besides`: other keys that are allowed there, for messages.
    """
    problems: list[tuple[int, BadFile]] = []
    left: Any = data
    while True:
        try:
            found = msgspec.convert(left, kind)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at `$")
            if problems and what.startswith("Object missing"):  # the key that was refused, or misspelt
                raise _all_in_one(problems) from None
            keys = [key for key in re.split(r"[.\[\]]", path.strip("`")) if key] if "..." not in path else []
            if "..." in path:
                keys = _with_index(left, kind, re.findall(r"\[\.\.\.\]|[^.\[\]]+", path.strip("`")))
            inside = within.split(".") if within else []
            keys = inside + keys
            problem = _explain(what, keys, left, kind, name, text, len(inside), besides)
            problems.append((line_of(text, keys) or 0 if text else 0, problem))
            cut = _without(left, keys[len(inside) :]) if len(problems) < _MOST_PROBLEMS else None
            if cut is None:
                raise _all_in_one(problems) from None
            left = cut
        else:
            if problems:
                raise _all_in_one(problems)
            return found


_MOST_PROBLEMS = 10
"""How many problems of one file are told at once."""


def _all_in_one(problems: list[tuple[int, BadFile]]) -> BadFile:
    """Return one error for all problems, in the order of their lines; a single one as it is."""
    if len(problems) == 1:
        return problems[0][1]
    return SeveralMistakes([problem for _, problem in sorted(problems, key=lambda one: one[0])])


def _without(data: Any, path: list[str]) -> Any | None:
    """Return a copy of plain data without the value at a path; None if that is all of it, or an item of a list.

    Items are left where they are, because a list without one of them may be too short, and has other indexes.
    """
    if not path or _value_at(data, path[:-1]) is None:
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
    hint, names_remedy = "", False
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    if unknown:
        known = [*besides, *_keys_at(kind, keys[inside:])]
        close = get_close_matches(unknown[1], known, 1)
        what = f"unknown key {unknown[1]!r}" + (f"; did you mean {close[0]!r}?" if close else "")
        hint, names_remedy = "keys here: " + ", ".join(known), bool(close)
        keys.append(unknown[1])
    elif missing:
        what = f"the key {missing[1]!r} is missing"
        is_text = isinstance(_type_at(kind, [*keys[inside:], missing[1]]), msgspec.inspect.StrType)
        hint = f"add a line: {missing[1]} = " + ('"…"' if is_text else "…")
    else:
        path = keys[inside:]
        refused = Refused(
            what, keys, _value_at(data, path), _type_at(kind, path), default=_default_at(kind, path)
        )
        what, hint, names_remedy = in_words(refused) or Said(what, "")
    line = line_of(text, keys) if text else None
    place = key_in_words(".".join(keys))
    where = f"{name}:{line}" if line else name
    if unknown:
        error: BadFile = UnknownKey(f"{where}: {what}", hint, tuple(keys), line)
    else:
        error = BadFile(f"{where}: {place + ': ' if place else ''}{what[0].lower()}{what[1:]}", hint)
    error.names_remedy = names_remedy
    return error


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


@cache
def _described(kind: Any) -> Any:
    """Return msgspec's description of a type, which takes milliseconds for a league file's."""
    return msgspec.inspect.type_info(kind)


def _type_at(kind: Any, path: list[str]) -> Any:
    """Return msgspec's description of the type at a path of keys and indexes."""
    info: Any = _described(kind)
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


def _default_at(kind: type, path: list[str]) -> Any:
    """Return the default of a key; `NODEFAULT` if it has none."""
    fields = getattr(_type_at(kind, path[:-1]), "fields", ()) if path else ()
    return next((field.default for field in fields if field.encode_name == path[-1]), msgspec.NODEFAULT)


_KEYS = re.compile(rf"(?:{'|'.join(LeagueFile.__struct_fields__)})(?:\.[\w-]+)*(?=: )")
"""The key path at the start of a message, such as `schedule.go_on: …`."""

_OPTION = re.compile(r"option ([\w-]+): ")
"""How a game begins a message about one of its options."""


@contextmanager
def naming(name: str, text: str = "") -> Iterator[None]:
    """Make every error name the file, and the line if its message begins with a key path.

    `name` and `text` are the file's. Raises BadFile for any UsageError.
    """
    try:
        yield
    except BadFile:
        raise  # it names its file already
    except UsageError as error:
        located_error = BadFile(located(str(error), name, text), error.advice)
        located_error.exit_code = error.exit_code
        raise located_error from None


def located(said: str, name: str, text: str = "") -> str:
    """Return a message with the file before it, and the line if it begins with a key path.

    Further lines of the message that begin with one get the same.
    """
    said, *further = said.split("\n")
    if further:
        rest = (located(line, name, text) if _KEYS.match(line) else line for line in further)
        return "\n".join([located(said, name, text), *rest])
    keys = _KEYS.match(said)
    line = line_of(text, keys[0].split(".")) if keys and text else None
    if keys:
        said = key_in_words(keys[0]) + said[keys.end() :]
    return f"{name}{f':{line}' if line else ''}: {said}"


@contextmanager
def keyed(keys: str) -> Iterator[None]:
    """Make every error begin with this key path, such as `schedule.kind`, unless it begins with one."""
    try:
        yield
    except UsageError as error:
        if isinstance(error, BadFile) or _KEYS.match(str(error)):
            raise
        said = str(error)
        if keys.partition(".")[0] == "options" and (option := _OPTION.match(said)):
            keys, said = f"options.{option[1]}", said[option.end() :]
        raise UsageError(f"{keys}: {said}", error.advice) from None
