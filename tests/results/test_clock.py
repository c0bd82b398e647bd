"""Times of day have one form in the ledger, and those of older programs can be read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from results.base.clock import to_the_second, utc_now, utc_text

NOON = datetime(2026, 1, 31, 12, 0, 0, 1_999, tzinfo=UTC)


def test_times_are_utc_to_the_millisecond() -> None:
    assert utc_text(NOON) == "2026-01-31T12:00:00.001Z"
    assert utc_text(NOON.replace(microsecond=0)) == "2026-01-31T12:00:00.000Z"
    assert utc_text(NOON.astimezone(timezone(timedelta(hours=2)))) == "2026-01-31T12:00:00.001Z"


def test_a_time_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="no offset"):
        utc_text(NOON.replace(tzinfo=None))


def test_now_is_written_likewise() -> None:
    now = utc_now()
    assert utc_text(datetime.fromisoformat(now)) == now


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.999+00:00", "2026-01-31T12:00:00.999Z"]
)
def test_times_of_every_form_are_read(text: str) -> None:
    assert datetime.fromisoformat(text).replace(microsecond=0) == NOON.replace(microsecond=0)
    assert to_the_second(text) == "2026-01-31T12:00:00Z"
