"""What the author of a bot is told while a check waits."""

from unittest.mock import Mock, patch

import pytest

from arena.checking.conversation_witness import Witness
from protocol.verdicts import Reason

MESSAGES = (b'{"type":"hello"}\n', b'{"type":"ask"}\n', b'{"type":"ask"}\n')


@patch("arena.checking.conversation_witness.SAYS_AFTER_MS", 0)
def test_a_slow_bot_is_told_of_once_for_each_type_of_message() -> None:
    said: list[str] = []
    told: set[str] = set()
    for _ in range(2):
        process = Mock()
        process.monitor.silence.return_value = Reason.IDLE
        witness = Witness(process, said.append, told)
        for message in MESSAGES:
            witness.sends(message, 11_000_000_000)
            witness.looks()
    assert [line.partition("`")[2].partition("`")[0] for line in said] == ["hello", "ask"]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason.IDLE, "it is hardly computing: does it flush its output? "),
        (Reason.COMPUTING, "it is computing. "),
        (Reason.BUSY_MACHINE, "the machine is busy (load 40 on 2 cores). "),
    ],
)
@patch("arena.checking.conversation_witness.SAYS_AFTER_MS", 0)
@patch("os.getloadavg", lambda: (40.1, 30.0, 20.0))
@patch("os.cpu_count", lambda: 2)
def test_whatever_it_waits_for_is_said(reason: Reason, words: str) -> None:
    said: list[str] = []
    process = Mock()
    process.monitor.silence.return_value = reason
    witness = Witness(process, said.append, set())
    witness.sends(MESSAGES[0], 10_000_000_000)
    witness.looks()
    assert said[0].startswith(f"no answer to `hello` for 0 s, and {words}It has 10 s")
