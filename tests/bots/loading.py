"""Programs of bots loaded into this process."""

import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

from arena import engine
from protocol import kit


def load(folder: Path, *arguments: str) -> tuple[Any, Any]:
    """Return what a bot's program gives to `run` when started with these arguments, and the program as a module."""
    given: list[Any] = []
    stand_in = types.ModuleType("arena_kit")
    stand_in.__dict__.update(Bot=kit.Bot, run=given.append)
    name = f"bots_{folder.parent.name}_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, folder / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    beside = {path.stem for path in folder.glob("*.py")}
    stood_in = ("arena_kit", "arena_engine", *beside)
    before = {word: sys.modules.pop(word) for word in stood_in if word in sys.modules}
    path, argv = sys.path[:], sys.argv
    sys.modules["arena_kit"] = stand_in
    sys.modules["arena_engine"] = engine
    sys.path.insert(0, str(folder))
    sys.argv = ["bot.py", *arguments]
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:], sys.argv = path, argv
        for word in stood_in:
            sys.modules.pop(word, None)
        sys.modules.update(before)
    return given[0], module
