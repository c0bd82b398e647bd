"""The status fits narrow terminals with all its names, and its changes are lines of their own."""

import io
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from arena.cli.display.status_view import (
    MOST_FINISHED,
    MOST_ROWS,
    parts,
    size,
)
from results.reports.league_states import AbsentRow, NewcomerRow
from results.reports.status_rows import (
    CommandRow,
    DiskRow,
    ErrorsRow,
    FaultCountRow,
    InboxRow,
    LeagueStatusRow,
    PlatformErrorRow,
    PlayingRow,
    QuotaRow,
    RefusedRow,
    RunnerRow,
    StatusRow,
    TroubleRow,
)

AT = "2026-11-22T10:00:00.000Z"
LEAGUE, BOT, OTHER = "winter-league", "bread-and-butter-pudding", "counter-intelligence-2"
WORDS = "it was asked for a move and said so many words that no narrow terminal has room for all of them"
RUNNER = RunnerRow(
    state="running",
    pid=4711,
    does="serves leagues",
    since="2026-11-21T09:00:00.000Z",
    seen_at=AT,
    league=LEAGUE,
    league_since=AT,
    games=1234,
    games_per_s=11.8,
    games_per_s_minute=12.3,
    queued=6,
    next="",
)


def league(name: str = LEAGUE, state: Any = "running", why: str = "", matches: int = 100) -> LeagueStatusRow:
    return LeagueStatusRow(
        name=name,
        state=state,
        why=why,
        since=AT,
        bots=4,
        matches=matches,
        matches_planned=matches,
        games=matches,
        games_per_s=12.3,
    )


def absent(bot: str = BOT, state: Any = "paused") -> AbsentRow:
    return AbsentRow(
        league=LEAGUE,
        bot=bot,
        state=state,
        by="organiser",
        why=WORDS,
        since=AT,
        match_no=576,
        until=None,
        next=f"arena league resume {LEAGUE} {bot}",
    )


def newcomer(*, placed: bool) -> NewcomerRow:
    return NewcomerRow(league=LEAGUE, bot=OTHER, since=AT, match_no=3, matches=7, is_placed=placed)


def full() -> StatusRow:
    """Return a status in which every part has something to show."""
    trouble = TroubleRow(what=WORDS, at=AT)
    return StatusRow(
        at=AT,
        store="some/folder/arena.sqlite",
        runner=RUNNER,
        leagues=[league(), league("summer", "paused", WORDS)],
        playing=[PlayingRow(league=LEAGUE, game="1234.0", bots=[BOT, OTHER, BOT], worker=0, since=AT)],
        absent=[absent()],
        newcomers=[newcomer(placed=False)],
        quotas=[
            QuotaRow(
                league=LEAGUE,
                who=OTHER,
                is_author=True,
                what="CPU seconds today",
                used=60.5,
                allowed=60,
                resets_at=AT,
            )
        ],
        inbox=InboxRow(
            files=2,
            waiting=[CommandRow(kind="pause", by="ann", since=AT, file="a.json")],
            refused=[
                RefusedRow(kind="add", by="ben", at=AT, why=WORDS),
                RefusedRow(kind="add", by="ben", at="2026-01-01T00:00:00.000Z", why="long told"),
            ],
        ),
        disk=DiskRow(
            store_bytes=2**20,
            wal_bytes=0,
            files_bytes=2**30,
            files_complete=False,
            free_bytes=2**40,
            lasts_s=400_000,
        ),
        errors=ErrorsRow(
            platform=[
                PlatformErrorRow(
                    league=LEAGUE, verdict="host", games=3, void_matches=1, newest_at=AT, newest=WORDS
                )
            ],
            faults=[FaultCountRow(league=LEAGUE, verdict="crash", games=5)],
            refusals=[trouble],
            recent=[trouble],
        ),
    )


def drawn(status: StatusRow, width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width)
    for part in parts(status, width, ""):
        console.print(part)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_everything_fits_and_names_stay(width: int) -> None:
    text = drawn(full(), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    for title in (
        "playing now",
        "not playing",
        "newcomers",
        "used up",
        "inbox",
        "refused",
        "platform",
        "disk",
    ):
        section = text[text.index(title) :]
        assert section, title
    assert "long told" not in text
    reasons = text[text.index("not playing") : text.index("newcomers")]
    assert "many words" in " ".join(reasons.split()), "why is told before the league is"
    for name in (LEAGUE, BOT, OTHER, "summer", "1234.0", "crash 5", "arena league resume"):
        assert name in text
    assert "for about 5 days at this rate" in " ".join(text.split())


def test_long_lists_are_cut_with_their_number() -> None:
    status = full()
    status = replace(
        status,
        absent=[absent(f"bot-{number}") for number in range(MOST_ROWS + 3)],
        leagues=[league(f"old-{number}", "finished") for number in range(MOST_FINISHED + 2)],
    )
    text = drawn(status, 80)
    assert "and 3 more" in text
    assert "and 2 more that are finished" in text
    assert f"old-{MOST_FINISHED + 1}" in text
    assert "old-0 " not in text


def test_a_runner_that_is_silent_is_said_to_be() -> None:
    status = replace(full(), runner=replace(RUNNER, seen_at="2026-11-22T09:59:00.000Z"))
    assert "no news from the runner since 09:59:00" in drawn(status, 80)
    assert "no news" not in drawn(full(), 80)


def test_sizes_have_one_unit() -> None:
    assert [size(number) for number in (0, 1023, 1024, 2**41)] == ["0 B", "1023 B", "1.0 KiB", "2.0 TiB"]
