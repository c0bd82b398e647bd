"""Days and times as users write them."""

from datetime import UTC, datetime

import pytest

from arena.cli.base.options import given_time
from arena.core.errors import UsageError

NOW = datetime(2026, 11, 22, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "at", "shown"),
    [
        ("2026-11-20", "2026-11-20T00:00:00+00:00", "2026-11-20"),
        (" 20261120 ", "2026-11-20T00:00:00+00:00", "2026-11-20"),
        ("2026-11-20T10:05", "2026-11-20T10:05:00+00:00", "2026-11-20 10:05 UTC"),
        ("2026-11-20 10:05:07", "2026-11-20T10:05:07+00:00", "2026-11-20 10:05 UTC"),
        ("2026-11-20T10:05+02:00", "2026-11-20T08:05:00+00:00", "2026-11-20 08:05 UTC"),
        ("2026-11-20T10:05Z", "2026-11-20T10:05:00+00:00", "2026-11-20 10:05 UTC"),
        ("7d", "2026-11-15T14:30:00+00:00", "2026-11-15 14:30 UTC"),
        ("12h", "2026-11-22T02:30:00+00:00", "2026-11-22 02:30 UTC"),
        ("90m", "2026-11-22T13:00:00+00:00", "2026-11-22 13:00 UTC"),
        ("2w", "2026-11-08T14:30:00+00:00", "2026-11-08 14:30 UTC"),
    ],
)
def test_moments(text: str, at: str, shown: str) -> None:
    moment = given_time("--since", text, NOW)
    assert (moment.at, moment.text) == (datetime.fromisoformat(at), shown)


def test_a_last_day_counts_to_its_end_and_a_last_time_does_not() -> None:
    until = given_time("--until", "2026-11-20", NOW, end_of_day=True)
    assert (until.at, until.text) == (datetime(2026, 11, 21, tzinfo=UTC), "2026-11-20")
    assert given_time("--until", "2026-11-20T10:05", NOW, end_of_day=True).at.hour == 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "22.11.2026",
        "2026-13-01",
        "7",
        "7y",
        "-7d",
        "7 d",
        "999999w",
        "9999-12-31",
        "\u0667d",
    ],
)
def test_what_is_no_date_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match=r"--until .* is not a date") as refused:
        given_time("--until", text, NOW, end_of_day=True)
    assert "--until 2026-11-22, " in str(refused.value.hint)
    assert "--until 7d" in str(refused.value.hint)
