"""The base class of report rows: frozen records of numbers, names and texts, formatted only when they are shown."""

from msgspec import Struct
from msgspec.structs import fields


class ReportRow(Struct, frozen=True, kw_only=True):
    """One row of a report. Field names include units; a field with another name in JSON and CSV says so."""


def keys_of(kind: type[ReportRow]) -> tuple[str, ...]:
    """Return the names of a row's fields in JSON and CSV, in order."""
    return tuple(field.encode_name for field in fields(kind))
