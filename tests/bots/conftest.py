"""What the tests of bots share."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.bots.scripted_arena import ScriptedArena
from tests.support.bots.simulation import bot_processes


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Callable[..., ScriptedArena]]:
    """Give a function that starts a bot's process, by game, name and arguments; all end afterwards."""
    with bot_processes(tmp_path) as begin:
        yield begin
