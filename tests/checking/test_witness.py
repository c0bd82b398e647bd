"""What the author of a bot is told while a check waits."""

from unittest.mock import Mock, patch

from arena.checking.witness import Witness

MESSAGES = (b'{"type":"hello"}\n', b'{"type":"ask"}\n', b'{"type":"ask"}\n')


@patch("arena.checking.witness.SAYS_AFTER_MS", 0)
def test_a_slow_bot_is_told_of_once_for_each_type_of_message() -> None:
    said: list[str] = []
    told: set[str] = set()
    for _ in range(2):
        process = Mock()
        process.watch.turn_cpu_ns.return_value = process.watch.kept_waiting_ns.return_value = 0
        witness = Witness(process, said.append, told)
        for message in MESSAGES:
            witness.sends(message, 11_000_000_000)
            witness.looks()
    assert [line.partition("`")[2].partition("`")[0] for line in said] == ["hello", "ask"]
