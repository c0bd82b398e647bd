"""The check of a submission: what it plays, and when it ends."""

from pathlib import Path

from arena.league.submission_check import check
from protocol.messages import Clock
from results.store import open_store
from tests.league.running import FIRST_LEGAL, simple, write_bot
from tests.submissions.taking import take_in

NOTED = """\
    elif kind == "start":
        with open(NOTES, "a+") as notes:
            notes.write("start\\n")
            notes.seek(0)
            if len(notes.readlines()) > 2:  # not in the first game of its two seats
                time.sleep(3600)
"""
FAILS_THEN_HANGS = (
    FIRST_LEGAL.replace('    elif kind == "start":\n', NOTED)
    .replace('message.get("legal") or [message["example"]]', '["no move"]')
    .replace("PICK", "0")
    .replace("PAUSE", "0")
)


def test_the_first_fault_ends_the_check(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    bot = write_bot(tmp_path, "bot", FAILS_THEN_HANGS.replace("NOTES", repr(str(notes))))
    with open_store(tmp_path / "arena.sqlite", create=True) as store:
        candidate = take_in(bot, store)
    report = check(candidate, "bread-basket", Clock(ready_ms=3_000, move_ms=1_000, bank_ms=0, margin_ms=0))
    assert not report.passed
    assert report.fault.startswith("illegal: ")
    assert report.deterministic is None
    assert len(notes.read_text().splitlines()) <= 4, "the third game has not begun"


def test_a_bot_without_a_fault_plays_all_games(tmp_path: Path) -> None:
    with open_store(tmp_path / "arena.sqlite", create=True) as store:
        candidate = take_in(write_bot(tmp_path, "bot", simple(0)), store)
    report = check(candidate, "bread-basket")
    assert report.passed
    assert report.deterministic is True
