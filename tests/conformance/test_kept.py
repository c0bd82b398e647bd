"""The playthroughs of Arena's own games are those of the games there are."""

from arena.conformance.tables import OWN_PLAYTHROUGHS, kept
from arena.registry import games


def test_there_is_no_playthrough_too_many() -> None:
    assert {path.name for path in OWN_PLAYTHROUGHS.iterdir()} <= {
        path.name for _, path in kept(games().values(), None)
    }
