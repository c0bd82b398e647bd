"""The tutorial: every command of the page, in its order, in an empty folder."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"`([\w/.]+\.(?:py|toml))`[^`]*$")
"""The last file that the text before a block names."""
CODES = {"step": {6}, "compare": {0, 11}}
"""Commands that may end with another code than 0: moves that differ, and a version that is worse."""


def steps() -> Iterator[tuple[str, str]]:
    """Yield commands, as ("$", command), and files, as (path, content), in the order of the page."""
    text, at = PAGE.read_text(encoding="utf-8"), 0
    for block in BLOCK.finditer(text):
        if block[1] == "console":
            for line in block[2].splitlines():
                yield "$", line.removeprefix("$ ")
        else:
            named = NAMED.search(text[at : block.start()])
            assert named, f"no file is named before the block at {block[2][:60]!r}"
            yield named[1], block[2]
        at = block.end()


@pytest.mark.slow
def test_every_command_of_the_tutorial_does_what_the_page_says(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    said: dict[str, str] = {}
    for what, content in steps():
        if what != "$":
            (tmp_path / what).write_text(content)
            continue
        done = subprocess.run(
            ["sh", "-c", content],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        allowed = CODES.get(content.split()[1], {0})
        assert done.returncode in allowed, f"{content}\n{done.stdout}\n{done.stderr}"
        said[content] = done.stdout
    compared = [out for command, out in said.items() if "compare" in command]
    assert "worse" in compared[0]
    assert "better" in compared[1]
    assert "me/nibbler@3" in said["arena submit nibbler"]
    order = re.findall(r"nibbler-1|nibbler-3|counter|greedy", said["arena rankings"])
    assert order[0] == "counter"
    assert order.index("nibbler-3") < order.index("greedy") < order.index("nibbler-1")


def test_each_file_of_the_tutorial_is_named() -> None:
    files = [what for what, _ in steps() if what != "$"]
    assert files == ["nibbler/bot.py", "nibbler/bot.py", "league.toml"]
