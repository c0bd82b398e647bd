"""What has to be visible for a program to run: the folders of interpreters outside /usr.

Interpreters often live in the home folder (pyenv, nvm, conda, uv), behind links. Their own folder is shown to the
bot, and never one that holds anything private.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from arena.core.errors import UsageError

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
"""Where the system keeps programs and libraries; every bot sees these."""
ALTERNATIVES = Path("/etc/alternatives")
"""Where Debian's links in /usr/bin lead first; shown to every bot too."""
MOST_LINKS = 40
"""As many links as the kernel follows."""


def private_places() -> tuple[Path, ...]:
    """Return folders that no bot may see, nor any folder around them: the home folder, and the current one."""
    home = Path.home()
    return (home, home / ".local" / "share", Path.cwd())


def real_program(path: str) -> str:
    """Return the path by which a program is to be started, links followed.

    A link of another name is left as it is: such programs look at the name they are called by.
    The arena's own interpreter too: by its path it finds its virtual environment.
    """
    real = os.path.realpath(path)
    if path == sys.executable or Path(real).name != Path(path).name:
        return path
    return real


def shown_places(path: str, private: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files and folders outside /usr that the program at `path` needs, without any within another.

    A folder is shown whole only if it looks like an installation: `bin` beside `lib`. Raises UsageError for a Python
    whose folder holds one of the `private` places.
    """
    kept_from = [place for one in private for place in (one, Path(os.path.realpath(one)))]
    if path == sys.executable:
        wanted = _python_folders(path, kept_from)
    else:
        wanted = [_installation(place, kept_from) for place in _chain(path)]
    outside = sorted({place for place in wanted if not is_system(place)})
    return tuple(
        place
        for place in outside
        if not any(place != other and place.is_relative_to(other) for other in outside)
    )


def is_system(path: Path) -> bool:
    """Return whether every bot sees this path anyway."""
    return any(path.is_relative_to(folder) for folder in (*SYSTEM, ALTERNATIVES))


def parents(places: Iterable[Path]) -> list[Path]:
    """Return the folders above the places, outermost first, each once, without the root."""
    above = {parent for place in places for parent in place.parents}
    return sorted(above - {Path("/")}, key=lambda folder: (len(folder.parts), folder))


def _python_folders(path: str, private: list[Path]) -> list[Path]:
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    folders = {Path(place) for prefix in prefixes for place in (prefix, os.path.realpath(prefix))}
    for folder in sorted(folders):
        if not is_system(folder) and (holding := _held(folder, private)):
            raise UsageError(
                f"bots cannot be given the Python in {folder}: that folder holds {holding}, which is private",
                "use a Python, or a virtual environment, in a folder of its own",
            )
    links = [place for place in _chain(path) if not any(place.is_relative_to(folder) for folder in folders)]
    return [*folders, *(_installation(place, private) for place in links)]


def _chain(path: str) -> list[Path]:
    """Return the places on the way to a program: itself, what it links to, and so on, and the real one."""
    places = [Path(os.path.abspath(path))]  # noqa: PTH100 - resolve() would follow the links
    while places[-1].is_symlink() and len(places) < MOST_LINKS:
        places.append(Path(os.path.normpath(places[-1].parent / places[-1].readlink())))
    return [*places, Path(os.path.realpath(path))]


def _installation(program: Path, private: list[Path]) -> Path:
    """Return the folder a program is installed in, or the program alone where that is no such folder."""
    folder = program.parent.parent
    is_one = program.parent.name == "bin" and any((folder / name).is_dir() for name in ("lib", "lib64"))
    return folder if is_one and folder != Path("/") and not _held(folder, private) else program


def _held(folder: Path, private: list[Path]) -> Path | None:
    return next((place for place in private if place.is_relative_to(folder)), None)
