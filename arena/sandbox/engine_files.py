"""What bots with `engine = true` may import: `arena_engine`, Arena's pure packages, and the package of their game.

Bots get read-only copies of the regular files that the game's distribution lists and that are in its installation
folder. They get no other packages, no links, and nothing that would shadow another module.
"""

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from arena.core.errors import ArenaError
from arena.sandbox.program import OPEN_FOLDER

if TYPE_CHECKING:
    from importlib.metadata import Distribution

MOST_BYTES = 64_000_000
"""Maximum size of a distribution's files, as each worker copies them."""
_TAKEN = frozenset(
    {
        *sys.stdlib_module_names,
        "arena",
        "arena_engine",
        "arena_kit",
        "protocol",
        "results",
        "sitecustomize",
        "usercustomize",
    }
)
"""Module names that a game's package must not use, as they would shadow other modules."""
_NOT_SHOWN = (".dist-info", ".egg-info", ".data")
"""Suffixes of folders with installation metadata."""
_SOURCES = (".py", ".toml")
"""Suffixes of the files shown from an editable install, whose folder may hold much else."""


class TooLarge(ArenaError):
    """The package of a game is too large to copy for bots."""


def stage_engine(target: Path, others: Mapping[PurePosixPath, Path] | None = None) -> Path:
    """Copy `arena.core` and `arena.games` to `target`, `arena.engine` as `arena_engine`, and other files next to them.

    `others` maps paths in `target` to files. Returns the folder to put on PYTHONPATH.
    """
    import arena
    import results.base

    source, ground = Path(arena.__file__).parent, Path(results.base.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    (target / "arena").mkdir(parents=True)
    (target / "arena" / "__init__.py").write_text('"""The engine, for bots that think ahead."""\n')
    for room in ("core", "games"):
        shutil.copytree(source / room, target / "arena" / room, ignore=ignore)
    for name in ("errors.py", "advice.py"):  # of which `arena.core.errors` is the part for games
        shutil.copyfile(ground / name, target / "arena" / "core" / name)
    shutil.copytree(source / "engine", target / "arena_engine", ignore=ignore)
    for place, file in (others or {}).items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target / place, follow_symlinks=False)
    for copied in (target, *target.rglob("*")):
        copied.chmod(OPEN_FOLDER if copied.is_dir() else 0o444)
    return target


def game_files(module_name: str, distribution: "Distribution | None") -> dict[PurePosixPath, Path]:
    """Return the files of a game from another package, keyed by their path next to `arena`; empty for Arena's games.

    `module_name` is the game's module, `distribution` the package that provides it. If the distribution lists no files,
    as with an editable install, the sources of the game's package are taken instead.
    Raises TooLarge above 64 MB.
    """
    top = module_name.partition(".")[0]
    if top in _TAKEN:
        return {}
    found = dict(_listed(distribution)) if distribution is not None else {}
    if not found:
        found = dict(_in_place(top))
    size = sum(file.stat().st_size for file in found.values())
    if size > MOST_BYTES:
        raise TooLarge(
            f"the package of {module_name} has {size / 1e6:.0f} MB, but bots with `engine = true` can be given at most "
            f"{MOST_BYTES / 1e6:.0f} MB",
            "make the package smaller, or remove `engine = true` from bot.toml",
        )
    return found


def _listed(distribution: "Distribution") -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield the files that a distribution lists and that are in its installation folder."""
    root = Path(os.path.realpath(str(distribution.locate_file(""))))
    for file in distribution.files or ():
        place = PurePosixPath(*file.parts)
        if _is_shown(place) and _is_plain(root / place, root):
            yield place, root / place


def _in_place(top: str) -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield the sources of a package, or the file of a module, wherever they are."""
    origin = getattr(sys.modules.get(top), "__file__", None)
    if origin is None:
        return
    module = Path(os.path.realpath(origin))
    if module.name != "__init__.py":
        if module.name == f"{top}.py":
            yield PurePosixPath(module.name), module
        return
    for file in sorted(module.parent.rglob("*")):
        place = PurePosixPath(top, *file.relative_to(module.parent).parts)
        hidden = any(part.startswith(".") for part in place.parts)
        if file.suffix in _SOURCES and not hidden and _is_shown(place) and _is_plain(file, module.parent):
            yield place, file


def _is_shown(place: PurePosixPath) -> bool:
    """Return whether a file may go to a path: one inside the target that isn't compiled and shadows no other module."""
    parts = place.parts
    if not parts or place.is_absolute() or ".." in parts or "__pycache__" in parts:
        return False
    if place.suffix in (".pyc", ".pth"):
        return False
    if parts[0].startswith("__editable__"):
        return False  # the path entry of an editable install
    return not parts[0].endswith(_NOT_SHOWN) and parts[0].partition(".")[0] not in _TAKEN


def _is_plain(file: Path, root: Path) -> bool:
    """Return whether a file is a regular file below the root, with no links on the way."""
    try:
        return stat.S_ISREG(file.lstat().st_mode) and os.path.realpath(file) == str(
            Path(os.path.realpath(root)) / file.relative_to(root)
        )
    except OSError:
        return False
