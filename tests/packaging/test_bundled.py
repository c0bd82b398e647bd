"""The reference bots are found beside the packages, and an installation without them says so."""

from pathlib import Path

import pytest

import arena
from arena.core.errors import ArenaError
from arena.submissions.manifest import bundled_bots
from tests.support.tree import ROOT


def test_in_a_checkout_they_are_those_of_the_tree() -> None:
    assert bundled_bots() == ROOT / "bots"


def test_an_installation_without_them_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "__file__", str(tmp_path / "arena/__init__.py"))
    with pytest.raises(ArenaError, match=f"no folder {tmp_path}/bots") as caught:
        bundled_bots()
    assert caught.value.hint == "install Arena again"
