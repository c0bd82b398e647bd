"""Rows of seats: a record's fields are the columns of the table, in its order, after the key of the game."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import astuple

from protocol.verdicts import Verdict
from results.records import SeatRecord
from results.store.tables import TABLES

SEAT_COLUMNS = tuple(TABLES["seat"].c[name] for name in SeatRecord.__struct_fields__)
"""What `seat_record` takes, to be selected in this order."""

_VERDICT = SeatRecord.__struct_fields__.index("verdict")
_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def seat_record(values: Sequence[Any]) -> SeatRecord:
    """Return the seat that a row of `SEAT_COLUMNS` is.

    A verdict that is none, as a damaged one, stays the text that it is: `verify` tells of it.
    """
    if (verdict := values[_VERDICT]) is not None:
        values = (*values[:_VERDICT], _VERDICTS.get(verdict, verdict), *values[_VERDICT + 1 :])
    return SeatRecord(*values)


def seat_values(seat: SeatRecord) -> tuple[Any, ...]:
    """Return what the row of a seat has after the key of its game."""
    values = astuple(seat)
    if seat.verdict is None:
        return values
    return (*values[:_VERDICT], seat.verdict.value, *values[_VERDICT + 1 :])
