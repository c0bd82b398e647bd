"""The playthroughs of Arena's own games are those of the games there are, and short ones show all that can happen."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
from arena_conformance import random_games
from arena_conformance.random_games import OWN_PLAYTHROUGHS, kept

from arena.registry import game, games

SHOWN = {
    "bread-and-chocolate": {
        "decision": "discard opening play",
        "move": "discard draw flip pass play spread",
        "event": "dealt discarded drew flipped hand_ended passed played refilled reset spread stuck",
    },
    "bread-basket": {
        "decision": "first_card second_card",
        "move": "chef play stop",
        "event": "dealt fetched hand_ended played refilled stopped taken",
    },
    "sandwich": {
        "decision": "answer grab offer serve",
        "move": "answer grab no_offer offer serve",
        "event": "dealt grabbed offered round_ended served tasted traded turned_up",
    },
}
"""What has to occur in the playthroughs of a game: kinds of decisions and events, types of moves."""
EFFECTS = {"discard", "draw", "none", "spread"}
"""Of cards in Bread and Chocolate."""


def test_there_is_no_playthrough_too_many() -> None:
    assert {path.name for path in OWN_PLAYTHROUGHS.iterdir()} <= {
        path.name for _, path in kept(games().values(), None)
    }


def test_everything_that_can_happen_is_in_a_playthrough() -> None:
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    effects = set()
    for path in OWN_PLAYTHROUGHS.iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            what, _, rest = line.partition(" ")
            if what in ("event", "decision", "move"):
                told = json.loads(rest[rest.index("{") :])
                found[path.name.partition(".")[0]][what].add(told.get("kind") or told["type"])
                effects.add(told.get("effect"))
    assert found == {
        name: {what: set(words.split()) for what, words in kinds.items()} for name, kinds in SHOWN.items()
    }
    assert effects - {None} == EFFECTS


def test_playthroughs_of_changed_options_take_the_place_of_whole_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_games, "OWN_PLAYTHROUGHS", tmp_path)

    def names() -> list[str]:
        return [path.stem.removeprefix("bread-basket.") for _, path in kept([game("bread-basket")], None)]

    assert names() == ["tens.2", "tens.3", "none.2", "extra.2"]
    for name in ("tens+hands=1.2", "tens+chef_second=on.3", "tens.of no table", "others.2"):
        (tmp_path / f"bread-basket.{name}.txt").touch()
    assert names() == ["tens+chef_second=on.3", "tens+hands=1.2", "none.2", "extra.2"]
    short = kept([game("bread-basket")], None)[1][0]
    assert short.rules.count("hands") == 1
