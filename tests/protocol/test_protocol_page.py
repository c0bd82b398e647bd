"""docs/protocol.md: its example conversation is valid, and its complete bot works."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from protocol import codec
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS, STARTUP_MS, Start
from tests.support.bots.scripted_arena import END, HELLO, QUIT, START, ScriptedArena, ask

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert match
    return match[1]


def conversation() -> list[tuple[str, bytes]]:
    """Return who says what, with what the page leaves out taken away."""
    whole = [line for line in block("protocol").splitlines() if line not in ("", "…", '> {"type":"start",…}')]
    lines = [re.sub(r",…(?=[}\]])", "", line) for line in whole]
    return [(line[0], line[2:].encode()) for line in lines]


def test_the_conversation_is_valid() -> None:
    lines = conversation()
    for who, line in lines:
        (codec.decode_arena if who == ">" else codec.decode)(line)
    said = [json.loads(line)["type"] for _, line in lines]
    assert said == ["hello", "hello", "start", "ready", "ask", "move", "ask", "move", "end", "ready", "quit"]


def test_the_conversation_shows_the_defaults() -> None:
    start = next(codec.decode_arena(line) for who, line in conversation() if b'"start"' in line)
    assert isinstance(start, Start)
    assert start.clock == DEFAULT_CLOCK
    assert start.limits == DEFAULT_LIMITS


def test_the_text_names_the_defaults() -> None:
    clock, limits = DEFAULT_CLOCK, DEFAULT_LIMITS
    for seconds in (STARTUP_MS, clock.ready_ms, clock.move_ms, clock.bank_ms):
        assert f" {seconds // 1000} s" in PAGE
    assert f" {clock.margin_ms} ms |" in PAGE
    assert f"at most {limits.line_bytes:,} bytes, newline included" in PAGE
    assert f"nested at most {limits.depth} deep" in PAGE
    assert f"at most {limits.note_chars} characters" in PAGE


@pytest.mark.skipif(shutil.which("node") is None, reason="the page's bot is JavaScript: needs node")
def test_the_bot_of_the_page_plays(tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text(block("js"))
    with ScriptedArena(["node", "bot.js"], tmp_path) as arena:
        assert arena.exchange(HELLO) == {"type": "hello", "protocol": 1}
        for _ in range(2):
            assert arena.exchange(START) == {"type": "ready"}
            assert arena.exchange(ask(7)) == {"type": "move", "id": 7, "move": {"type": "play", "card": "1"}}
            composed: Any = {"type": "serve", "parts": [[1], [2]]}
            assert arena.exchange(ask(8, example=composed)) == {"type": "move", "id": 8, "move": composed}
            arena.say(END)
        arena.say(QUIT)
        assert arena.finish() == (0, "", "")
