"""The data of events in a file, by kind. A file may come from anyone, and all commands read what it brings in."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from results.records.roster import (
    ADDED,
    BENCHED,
    EXTENDED,
    FINAL,
    PAUSED,
    RANKED,
    REPLACED,
    RESUMED,
    RETIRED,
    UNBENCHED,
    BenchedBy,
    PausedBy,
)

MOST_MATCHES = 1_000_000_000_000
MOST_ENTRIES = 1_000_000

Entry = Annotated[int, Meta(ge=0, lt=MOST_ENTRIES)]
Words = Annotated[str, Meta(max_length=1_000)]


class _Added(Struct, frozen=True):
    entries: Annotated[tuple[Entry, ...], Meta(min_length=1)]


class _Replaced(Struct, frozen=True):
    entry: Entry
    predecessor: Entry


class _OfEntry(Struct, frozen=True):
    entry: Entry


class _Paused(Struct, frozen=True):
    entry: Entry | None = None
    by: PausedBy = "organiser"
    why: Words = ""
    until: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d\Z")] | None = None


class _Resumed(Struct, frozen=True):
    entry: Entry | None = None
    by: Annotated[str, Meta(max_length=100)] = ""


class _Benched(Struct, frozen=True):
    entry_no: Entry
    why: Words
    by: BenchedBy = "faults"


class _Extended(Struct, frozen=True):
    set: dict[Annotated[str, Meta(pattern=r"^[a-z_]{1,40}\.[a-z_]{1,40}\Z")], int | float]


class _Ranked(Struct, frozen=True):
    by: Literal["places", "scores"]


class _Final(Struct, frozen=True):
    matches: Annotated[int, Meta(ge=1, le=1_000_000)]
    next: Annotated[str, Meta(min_length=1, max_length=64)]


_DATA: dict[str, type[Struct]] = {
    ADDED: _Added,
    REPLACED: _Replaced,
    RETIRED: _OfEntry,
    PAUSED: _Paused,
    RESUMED: _Resumed,
    BENCHED: _Benched,
    UNBENCHED: _OfEntry,
    EXTENDED: _Extended,
    RANKED: _Ranked,
    FINAL: _Final,
}


def check_data(kind: str, data: dict[str, Any]) -> list[int]:
    """Return the numbers of the entries that an event names. Raises ValueError if its data can't be used.

    Kinds that change nothing are not looked at.
    """
    if kind not in _DATA:
        return []
    # Null is no entry, and isn't written; `"entry" in data` has to mean one.
    checked = msgspec.structs.asdict(msgspec.convert(data, _DATA[kind]))
    if "entry" in data and data["entry"] is None:
        raise ValueError("entry: null")
    named = [checked[key] for key in ("entry", "entry_no", "predecessor") if checked.get(key) is not None]
    return named + list(checked.get("entries", ()))
