"""Rows of seats: after the key of the game, a record's fields are the columns of the table, in the same order."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec.structs import astuple

from protocol.verdicts import Reason, Verdict
from results.records import SeatRecord
from results.store.tables import TABLES

SEAT_COLUMNS = tuple(TABLES["seat"].c[name] for name in SeatRecord.__struct_fields__)
"""The arguments of `seat_record`, to be selected in this order."""

_VERDICT, _REASON = map(SeatRecord.__struct_fields__.index, ("verdict", "reason"))
_VERDICTS = {verdict.value: verdict for verdict in Verdict}
_REASONS = {reason.value: reason for reason in Reason}


def seat_record(values: Sequence[Any]) -> SeatRecord:
    """Return the seat for a row of `SEAT_COLUMNS`.

    An unknown verdict, such as a damaged one, stays plain text; `verify` reports it. An unknown reason is left out.
    """
    if (verdict := values[_VERDICT]) is None:
        return SeatRecord(*values)
    found = list(values)
    found[_VERDICT], found[_REASON] = _VERDICTS.get(verdict, verdict), _REASONS.get(values[_REASON])
    return SeatRecord(*found)


def seat_values(seat: SeatRecord) -> tuple[Any, ...]:
    """Return the values of a seat's row after the key of its game."""
    values = astuple(seat)
    if seat.verdict is None:
        return values
    return tuple(value.value if isinstance(value, StrEnum) else value for value in values)
