"""Stored games: by which code they are judged."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from arena import registry
from arena.league.stored_games import rules_key


@pytest.mark.parametrize("changed", ["rules.py", "cards.toml", "deeper/more.py"])
def test_another_file_of_a_games_package_is_another_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    package = tmp_path / "outside"
    (package / "deeper").mkdir(parents=True)
    for name in ("rules.py", "cards.toml", "deeper/more.py"):
        (package / name).write_text("first")
    module = ModuleType("outside")
    module.__path__ = [str(package)]
    game = type("Outside", (), {"__module__": "outside.rules"})()
    monkeypatch.setitem(sys.modules, "outside", module)
    monkeypatch.setattr(registry, "games", lambda: {"outside": game})
    first = rules_key()
    assert rules_key() == first
    (package / changed).write_text("second")
    assert rules_key() != first


def test_another_python_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    first = rules_key()
    monkeypatch.setattr("arena.league.stored_games.sys", SimpleNamespace(version="4.0", modules=sys.modules))
    assert rules_key() != first
