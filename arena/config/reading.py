"""Reads a TOML file into its type; what is wrong is said with file, key and line."""

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arena.core.errors import UsageError

T = TypeVar("T")


class BadFile(UsageError):
    """A file that cannot be used as it stands."""


def read_toml(path: Path, kind: type[T]) -> T:
    """Return the file's content as `kind`, a msgspec Struct. Raises BadFile naming file, line and key."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadFile(f"there is no file {path}") from None
    except IsADirectoryError:
        raise BadFile(f"{path} is a folder, not a file") from None
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    return parse_toml(text, kind, str(path))


def parse_toml(text: str, kind: type[T], name: str) -> T:
    """Return TOML text as `kind`; `name` stands for the file in messages. Raises BadFile."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"{name}: not TOML: {error}") from None
    return convert(data, kind, name, text)


def convert(data: Any, kind: type[T], name: str, text: str = "", within: str = "") -> T:
    """Return plain data as `kind`; `within` is the key path of the data in the file. Raises BadFile."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        keys = [key for key in re.split(r"[.\[\]]", path.strip("`")) if key] if "..." not in path else []
        if "..." in path:
            keys = _with_index(data, kind, re.findall(r"\[\.\.\.\]|[^.\[\]]+", path.strip("`")))
        raise _explain(what, [within] * bool(within) + keys, kind, name, text, within) from None


def _with_index(data: Any, kind: Any, path: list[str]) -> list[str]:
    """Return a key path with the index of the item at fault in place of `[...]`."""
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


def _explain(what: str, keys: list[str], kind: type, name: str, text: str, within: str) -> BadFile:
    hint = ""
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    if unknown:
        known = _keys_at(kind, keys[bool(within) :])
        close = get_close_matches(unknown[1], known, 1)
        what = f"unknown key {unknown[1]!r}" + (f"; did you mean {close[0]!r}?" if close else "")
        hint = "keys here: " + ", ".join(known)
        keys.append(unknown[1])
    elif missing:
        what = f"the key {missing[1]!r} is missing"
    line = line_of(text, keys) if text else None
    place = ".".join(keys)
    where = f"{name}:{line}" if line else name
    return BadFile(
        f"{where}: {place + ': ' if place and not unknown else ''}{what[0].lower()}{what[1:]}", hint
    )


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


def line_of(text: str, keys: list[str]) -> int | None:
    """Return the line, from 1, on which a key path stands in TOML text; its table's where it has no line."""
    table: list[str] = []
    tables_seen: dict[str, int] = {}
    found: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if header := re.match(r"(\[\[?)\s*([\w.-]+)\s*\]", stripped):
            table = header[2].split(".")
            if header[1] == "[[":
                tables_seen[header[2]] = tables_seen.get(header[2], -1) + 1
                table.append(str(tables_seen[header[2]]))
            if table == keys[: len(table)]:
                found = number
        elif pair := re.match(r"([\w.\"-]+)\s*=", stripped):
            path = [*table, *(part.strip('"') for part in pair[1].split("."))]
            if path == keys[: len(path)]:
                return number
    return found
