"""Logs keep their head and their tail, and count what they drop."""

from hypothesis import given
from hypothesis import strategies as st

from arena.players.base import NO_LOG
from arena.players.channel import HEAD_BYTES, TAIL_BYTES, LogBuffer


def test_nothing_is_the_empty_log() -> None:
    assert LogBuffer().take() == NO_LOG


def test_up_to_its_size_a_log_is_whole() -> None:
    log = LogBuffer()
    text = bytes(range(256)) * 256
    assert len(text) == HEAD_BYTES + TAIL_BYTES
    log.write(text)
    kept = log.take()
    assert kept.head + kept.tail == text
    assert kept.dropped_bytes == 0
    assert log.take() == NO_LOG, "taken is taken"


@given(st.lists(st.integers(0, 40_000), max_size=12))
def test_however_it_comes_head_and_tail_are_kept(sizes: list[int]) -> None:
    text = b"".join(b"%07d\n" % number for number in range(sum(sizes) // 8 + 1))[: sum(sizes)]
    log, at = LogBuffer(), 0
    for size in sizes:
        log.write(text[at : at + size])
        at += size
    kept = log.take()
    assert kept.head == text[:HEAD_BYTES]
    assert kept.tail == text[HEAD_BYTES:][-TAIL_BYTES:]
    assert len(kept.head) + kept.dropped_bytes + len(kept.tail) == len(text)
