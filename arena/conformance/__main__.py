"""`python -m arena.conformance`: runs the kit on games and schedules that are installed."""

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from arena import registry

_NEEDED = ("pytest", "hypothesis")
_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests; return 0 where all pass, 1 where some fail, 2 for a mistake on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m arena.conformance",
        description="Hold games and schedules to what Arena expects of them. Without a name: all that are not Arena's "
        "own. What stands behind -- goes to pytest.",
    )
    parser.add_argument("--game", action="append", default=[], metavar="NAME", help="a game, once or more")
    parser.add_argument(
        "--schedule", action="append", default=[], metavar="NAME", help="a schedule, once or more"
    )
    parser.add_argument(
        "--all", action="store_true", help="also the slow tests: every option, every number of seats"
    )
    parser.add_argument(
        "--playthroughs", metavar="FOLDER", help="compare with the games kept in this folder, written out"
    )
    parser.add_argument("--update", action="store_true", help="write these games instead of comparing")
    own, _, others = _split(list(sys.argv[1:] if arguments is None else arguments))
    chosen = parser.parse_args(own)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        print(f"error: the conformance kit needs {' and '.join(missing)}", file=sys.stderr)  # noqa: T201
        print("  hint: pip install 'arena-league[conformance]'", file=sys.stderr)  # noqa: T201
        return _USAGE
    games, schedules = chosen.game, chosen.schedule
    if not games and not schedules:
        games = [name for name, one in registry.games().items() if not is_own(one)]
        schedules = [name for name, one in registry.schedules().items() if not is_own(one)]
        for broken in (*registry.games().broken, *registry.schedules().broken):
            print(f"error: {broken.reason}\n  hint: {broken.hint}", file=sys.stderr)  # noqa: T201
        if registry.games().broken or registry.schedules().broken:
            return 1
        if not games and not schedules:
            print("error: no game or schedule is installed beside Arena's own", file=sys.stderr)  # noqa: T201
            print("  hint: install your package where Arena is installed", file=sys.stderr)  # noqa: T201
            return _USAGE
    try:
        for name in games:
            registry.game(name)
        for name in schedules:
            registry.schedule(name)
    except Exception as error:  # noqa: BLE001 - refusals of two families, each with a hint
        print(f"error: {error}\n  hint: {getattr(error, 'hint', '')}", file=sys.stderr)  # noqa: T201
        return int(getattr(error, "exit_code", 1))
    return _run(games, schedules, chosen, others)


def is_own(thing: object) -> bool:
    """Return whether a game or a schedule comes with Arena, and not from another package."""
    return type(thing).__module__.startswith(("arena.games.", "arena.schedules."))


def _split(arguments: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in arguments:
        return arguments, "", []
    place = arguments.index("--")
    return arguments[:place], "--", arguments[place + 1 :]


def _run(games: list[str], schedules: list[str], chosen: argparse.Namespace, others: list[str]) -> int:
    import pytest

    folder = Path(__file__).parent
    files = sorted(folder.glob("test_*.py"))
    if not games:
        files = [file for file in files if file.name == "test_schedules.py"]
    elif not schedules:
        files = [file for file in files if file.name != "test_schedules.py"]
    options = [*(f"--game={name}" for name in games), *(f"--schedule={name}" for name in schedules)]
    if chosen.playthroughs:
        options.append(f"--playthroughs={chosen.playthroughs}")
    if chosen.update:
        options.append("--update")
    if not chosen.all:
        options += ["-m", "not slow"]
    alone = ["-c", str(folder / "kit.ini"), f"--rootdir={folder}", "-p", "no:cacheprovider"]
    return int(
        pytest.main([*alone, "-p", "arena.conformance.plugin", "-q", *options, *others, *map(str, files)])
    )


if __name__ == "__main__":
    sys.exit(main())
