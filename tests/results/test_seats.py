"""A record and its table have the same columns: what one has and the other lacks would be lost without a word."""

from typing import Any

import pytest
from msgspec import Struct, structs

from protocol.verdicts import Verdict
from results.records import LogRecord, SeatRecord
from results.store.games import seat_record, seat_values
from results.store.schema.all_tables import TABLES

SEAT = SeatRecord(
    seat=1,
    entry_no=4,
    score=-3,
    rank=2,
    verdict=Verdict.CRASH,
    detail="it ended",
    at_decision=7,
    decisions=9,
    wall_ns=10,
    max_wall_ns=11,
    cpu_ns=12,
)


@pytest.mark.parametrize(("table", "record"), [("seat", SeatRecord), ("log", LogRecord)])
def test_the_columns_are_the_key_of_the_game_and_the_fields(table: str, record: type[Struct]) -> None:
    columns = [column.name for column in TABLES[table].columns]
    assert columns == ["league_id", "match_no", "rotation", *record.__struct_fields__]


@pytest.mark.parametrize("seat", [SEAT, structs.replace(SEAT, verdict=None, at_decision=None)])
def test_a_seat_is_read_as_it_was_written(seat: SeatRecord) -> None:
    values = seat_values(seat)
    assert not any(isinstance(value, Verdict) for value in values), "SQLite takes plain texts"
    assert seat_record(values) == seat


def test_a_damaged_verdict_is_kept_for_verify_to_tell() -> None:
    values: list[Any] = list(seat_values(SEAT))
    values[SeatRecord.__struct_fields__.index("verdict")] = "crasH"
    assert str(seat_record(values).verdict) == "crasH"
