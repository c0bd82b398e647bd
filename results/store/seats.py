"""Rows of seats: after the key of the game, a record's fields are the columns of the table, in the same order."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import astuple

from protocol.verdicts import Verdict
from results.records import SeatRecord
from results.store.tables import TABLES

SEAT_COLUMNS = tuple(TABLES["seat"].c[name] for name in SeatRecord.__struct_fields__)
"""The arguments of `seat_record`, to be selected in this order."""

_VERDICT = SeatRecord.__struct_fields__.index("verdict")
_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def seat_record(values: Sequence[Any]) -> SeatRecord:
    """Return the seat for a row of `SEAT_COLUMNS`.

    An unknown verdict, such as a damaged one, stays plain text; `verify` reports it.
    """
    if (verdict := values[_VERDICT]) is not None:
        values = (*values[:_VERDICT], _VERDICTS.get(verdict, verdict), *values[_VERDICT + 1 :])
    return SeatRecord(*values)


def seat_values(seat: SeatRecord) -> tuple[Any, ...]:
    """Return the values of a seat's row after the key of its game."""
    values = astuple(seat)
    if seat.verdict is None:
        return values
    return (*values[:_VERDICT], seat.verdict.value, *values[_VERDICT + 1 :])
