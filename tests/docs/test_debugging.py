"""The commands of the page on debugging give what the page shows."""

import re
from pathlib import Path

import pytest

from tests.support.leagues import arena_here, unguarded

PAGE = (Path(__file__).parents[2] / "docs" / "debugging.md").read_text(encoding="utf-8")
CODES = {"match mybot": 3, "step": 6}
"""Exit codes other than 0, by the beginning of the command."""
SHOWN = (
    "mybot (illegal): second_card: a Chef's ability must be the only card of the turn",
    "decision 32 (ask 14) was asked",
    '{"move":{"type":"chef","position":2}}',
    "ask 14: hand 1 4 2 8 O O C 4 C 8 1  ← decision 32 (ask 14)",
    "1 of 14 answers differs, the first at decision 32 (ask 14)",
    "differs from casual/0.0 at decision 32:",
    '   0.000 s → {"type":"hello","protocols":[1]}',
)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_the_story_of_the_page_is_true(tmp_path: Path) -> None:
    bot = tmp_path / "mybot"
    bot.mkdir()
    (bot / "bot.toml").write_text(block("toml"))
    source = block("python")
    (bot / "bot.py").write_text(source)
    said = ""
    for line in re.findall(r"^\$ arena (.*)$", PAGE, re.MULTILINE):
        if "--attach" in line:
            continue
        if line.startswith("step"):
            (bot / "bot.py").write_text(source.replace('if "C"', 'if ask["kind"] == "first_card" and "C"'))
        plays = line.startswith(("match", "step", "trace"))
        with unguarded():
            done = arena_here(*line.split(), *(["--sandbox", "off"] if plays else []), cwd=tmp_path)
        code = next((code for start, code in CODES.items() if line.startswith(start)), 0)
        assert done.returncode == code, (line, done.stderr)
        said += done.stdout + done.stderr
    for words in SHOWN:
        assert words in said
        assert words in PAGE
