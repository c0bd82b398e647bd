"""docs/writing-a-bot.md: its bots are complete, play whole games, and its manifest is one."""

import re
import shutil
import sys
from pathlib import Path

from arena.submissions.manifest import read_manifest
from tests.support.bots.scripted_arena import KIT, QUIT, ScriptedArena
from tests.support.bots.simulation import KitSeat, ProcessSeat, load_bot, play

PAGE = (Path(__file__).parents[2] / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
PROGRAMS = [text for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "\nrun(" in text]


def test_the_page_has_a_function_and_a_class() -> None:
    assert ["class " in program for program in PROGRAMS] == [False, True]


def test_the_bots_of_the_page_play(tmp_path: Path) -> None:
    for number, program in enumerate(PROGRAMS):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "bot.py").write_text(program)
        shutil.copy(KIT, folder / "arena_kit.py")
        with ScriptedArena([sys.executable, "bot.py"], folder) as arena:
            bot = ProcessSeat(arena)
            for seed in range(2):
                outcome, moves = play(
                    "bread-basket", [bot, KitSeat(load_bot("bread-basket", "random")[0])], seed
                )
                assert moves
                assert len(outcome.scores) == 2
            arena.say(QUIT)
            code, out, log = arena.finish()
        assert (code, out) == (0, "")
        assert log == ("ranked 2\n" * 2 if "print(" in program else "")


def test_the_manifest_of_the_page_is_one(tmp_path: Path) -> None:
    match = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert match
    (tmp_path / "bot.toml").write_text(match[1])
    manifest = read_manifest(tmp_path)
    assert (manifest.name, manifest.kit, manifest.command) == ("mybot", True, ("python3", "bot.py"))


def test_the_tables_name_what_the_kit_gives(tmp_path: Path) -> None:
    """A bot reports what `ask` and `game` hold; the page has a row for each key and attribute."""
    (tmp_path / "bot.py").write_text(
        "from arena_kit import run\nrun(lambda ask, game: [sorted(ask), sorted(vars(game))])\n"
    )
    shutil.copy(KIT, tmp_path / "arena_kit.py")
    with ScriptedArena([sys.executable, "bot.py"], tmp_path) as arena:
        arena.begin()
        ask = {"id": 1, "type": "ask", "kind": "", "view": {}, "legal": [], "events": [], "time": {}}
        keys, attributes = arena.exchange(ask)["move"]
    assert keys == sorted(ask)
    for key in set(keys) - {"id", "type"}:
        assert f"| `{key}` |" in PAGE
    for attribute in attributes:
        assert re.search(rf"\|[^|]*`game\.{attribute}`[^|]*\|", PAGE)
