"""`python -m arena_conformance`: runs the kit on installed games, schedules and rating systems."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena import registry
from arena_conformance import is_own
from results.base.plugins import BrokenPlugin, Found
from results.ratings import rating_system, rating_systems

_USAGE = 2


class _Kind(NamedTuple):
    """A kind of plug-in that the kit tests."""

    all: Callable[[], Found[Any]]
    one: Callable[[str], object]
    """Returns the plug-in with that name, or raises what is wrong with it."""


_KINDS = {
    "game": _Kind(registry.games, registry.game),
    "schedule": _Kind(registry.schedules, registry.schedule),
    "rating": _Kind(rating_systems, rating_system),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests; return 0 if all pass, 1 if some fail or can't be tested, 2 for a mistake on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m arena_conformance",
        description="Test games, schedules and rating systems against Arena's requirements; by default, all that are "
        "not Arena's own. Arguments after -- go to pytest.",
    )
    for kind, what in (("game", "game"), ("schedule", "schedule"), ("rating", "rating system")):
        parser.add_argument(
            f"--{kind}", action="append", default=[], metavar="NAME", help=f"test this {what}; repeatable"
        )
    parser.add_argument(
        "--all", action="store_true", help="run the slow tests too: every option, every number of seats"
    )
    parser.add_argument(
        "--playthroughs", metavar="FOLDER", help="compare with the playthroughs in this folder"
    )
    parser.add_argument("--update", action="store_true", help="write the playthroughs instead of comparing")
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    chosen, others = parser.parse_args(given[:end]), given[end + 1 :]
    names: dict[str, list[str]] = {kind: getattr(chosen, kind) for kind in _KINDS}
    failed = 0
    if not any(names.values()):
        broken = [one for kind in _KINDS.values() for one in kind.all().broken]
        for one in broken:
            print(f"error: {one.reason}\n  hint: {one.hint}", file=sys.stderr)
        failed = len(broken)
        names = {
            kind: [name for name, one in room.all().items() if not is_own(one)]
            for kind, room in _KINDS.items()
        }
        if not any(names.values()) and not failed:
            print("error: no plug-ins are installed besides Arena's own", file=sys.stderr)
            print("  hint: install your package where Arena is installed", file=sys.stderr)
            return _USAGE
    for kind, room in _KINDS.items():
        for name in list(names[kind]):
            try:
                room.one(name)
            except Exception as error:  # noqa: BLE001 - refusals of two families, each with a hint
                print(f"error: {error}\n  hint: {getattr(error, 'hint', '')}", file=sys.stderr)
                if not isinstance(error, BrokenPlugin):
                    return int(getattr(error, "exit_code", 1))
                names[kind].remove(name)
                failed += 1
    if not any(names.values()):
        return 1
    code = _run(names, chosen, others)
    if failed:
        plug_ins = "plug-in is" if failed == 1 else "plug-ins are"
        print(f"error: {failed} {plug_ins} not tested, see above", file=sys.stderr)
    return code or int(bool(failed))


def _run(names: dict[str, list[str]], chosen: argparse.Namespace, others: list[str]) -> int:
    folder = Path(__file__).parent
    of_their_own = {f"test_{kind}s.py": kind for kind in ("schedule", "rating")}
    files = [file for file in sorted(folder.glob("test_*.py")) if names[of_their_own.get(file.name, "game")]]
    options = [f"--{kind}={name}" for kind, found in names.items() for name in found]
    if chosen.playthroughs:
        options.append(f"--playthroughs={chosen.playthroughs}")
    if chosen.update:
        options.append("--update")
    if not chosen.all:
        options += ["-m", "not slow"]
    alone = ["-c", str(folder / "kit.ini"), f"--rootdir={folder}", "-p", "no:cacheprovider"]
    return int(
        pytest.main([*alone, "-p", "arena_conformance.plugin", "-q", *options, *others, *map(str, files)])
    )


if __name__ == "__main__":
    sys.exit(main())
