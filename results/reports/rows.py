"""What every row of a report is: a frozen record of numbers, names and texts, drawn by whoever shows it."""

from msgspec import Struct
from msgspec.structs import fields


class ReportRow(Struct, frozen=True, kw_only=True):
    """One row of a report. Fields bear their units; where JSON and CSV write another name, the field says so."""


def keys_of(kind: type[ReportRow]) -> tuple[str, ...]:
    """Return the names under which rows of a kind are written to JSON and CSV, in order."""
    return tuple(field.encode_name for field in fields(kind))
