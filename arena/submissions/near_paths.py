"""Finds what a path that doesn't exist may have been meant to be."""

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from arena.submissions.bundled import bundled_bots

_MOST_NAMES = 2_000
"""Of a folder's names, no more are looked at."""


def did_you_mean(path: Path) -> str:
    """Return `; did you mean …?` with the path of the nearest names, among reference bots, too; empty if none is."""
    starts = [(Path(path.anchor), path.parts[1:] if path.anchor else path.parts)]
    if path.parts[:1] == ("bots",):
        starts.append((bundled_bots(), path.parts[1:]))
    for start, names in starts:
        if found := _nearest(start, names):
            shown = path.parts[: len(path.parts) - len(names)]
            return f"; did you mean {str(Path(*shown, *found))!r}?"
    return ""


def _nearest(start: Path, names: Sequence[str]) -> list[str]:
    """Return names below a folder that exist, the nearest to the given ones; empty if there are none."""
    found: list[str] = []
    for name in names:
        place = start.joinpath(*found)
        try:
            if name != ".." and not (place / name).exists():
                known = [one.name for one in islice(place.iterdir(), _MOST_NAMES)]
                name = next(iter(get_close_matches(name, known, 1)), "")
        except OSError:  # not a folder, or not ours to read
            return []
        if not name:
            return []
        found.append(name)
    return found
