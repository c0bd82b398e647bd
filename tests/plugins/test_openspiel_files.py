"""What the plug-in for OpenSpiel publishes: its table says what its games are, and its lock names no index.

Its own tests, which need OpenSpiel, are in its folder: `make -C plugins/openspiel test`.
"""

import re

from arena_openspiel import SURVEY

from tests.support.outside import ROOT

FOLDER = ROOT / "plugins" / "openspiel"


def test_the_table_lists_the_games_that_can_be_played_and_why_others_cannot() -> None:
    playable, left_out = (FOLDER / "GAMES.md").read_text(encoding="utf-8").split("## Left out")
    rows = [set(re.findall(r"(?m)^\| `(\w+)` \|", part)) for part in (playable, left_out)]
    assert rows[0] == {name for name, one in SURVEY.items() if not one.get("left_out")}
    assert rows[1] == {name for name, one in SURVEY.items() if one.get("left_out")}


def test_the_lock_names_no_index_and_has_every_hash() -> None:
    lines = (FOLDER / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if re.search(r"https?:|file:|--index|--find-links", line)]
    pinned = [at for at, line in enumerate(lines) if "==" in line and not line.startswith((" ", "#"))]
    assert len(pinned) > 30
    assert all("--hash=sha256:" in lines[at + 1] for at in pinned)
