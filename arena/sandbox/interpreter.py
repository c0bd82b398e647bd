"""The Python that bots run with, and what of the host has to be visible for a program to run.

Interpreters often live in the home folder (pyenv, uv, conda), behind links. Their own folder is shown to the bot, and
never one that holds anything private.
"""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.core.errors import UsageError

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
"""Where the system keeps programs and libraries; every bot sees these."""
ALTERNATIVES = Path("/etc/alternatives")
"""Where Debian's links in /usr/bin lead first; shown to every bot too."""
MOST_LINKS = 40
"""As many links as the kernel follows."""


@dataclass(frozen=True, slots=True)
class Python:
    """A Python interpreter for bots: its standard library and nothing that is installed beside it.

    Bots run it in a virtual environment without packages, so that what is imported here can be imported elsewhere.
    """

    program: Path
    """The interpreter itself, links followed; not that of a virtual environment."""
    shows: tuple[Path, ...]
    """Its installation, where that is outside the system's folders."""
    folders: tuple[Path, ...] = ()
    """The folders in which it, or a link to it, is known to be."""

    def is_at(self, path: Path) -> bool:
        """Return whether a path, as it is written, is one of this interpreter's."""
        return path.parent in self.folders and os.path.realpath(path) == str(self.program)

    @property
    def environment_file(self) -> str:
        """The text of `pyvenv.cfg`, which makes a folder an environment without packages."""
        return f"home = {self.program.parent}\ninclude-system-site-packages = false\n"


def own_python() -> Python:
    """Return the Python that Arena itself runs with; of a virtual environment, the one that it was made from."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    program = Path(os.path.realpath(base))
    prefixes = {Path(sys.base_prefix), Path(sys.base_exec_prefix)}
    # Under both names: some builds know their libraries by one of them.
    folders = {place for prefix in prefixes for place in (prefix, Path(os.path.realpath(prefix)))}
    known = {Path(place).parent for place in (sys.executable, base, program)}
    return Python(program, outermost([program, *folders]), tuple(sorted(known)))


def private_places() -> tuple[Path, ...]:
    """Return folders that no bot may see, nor any folder around them: the home folder, and the current one."""
    home = Path.home()
    return (home, home / ".local" / "share", Path.cwd())


def outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    """Return those of the places that no bot sees anyway, without any within another."""
    outside = sorted({place for place in places if not is_system(place)})
    return tuple(
        place
        for place in outside
        if not any(place != other and place.is_relative_to(other) for other in outside)
    )


def is_system(path: Path) -> bool:
    """Return whether every bot sees this path anyway."""
    return any(path.is_relative_to(folder) for folder in (*SYSTEM, ALTERNATIVES))


def links_of(program: Path) -> list[Path]:
    """Return the places on the way to a program: itself, what it links to, and so on, and the real one."""
    places = [program]
    while places[-1].is_symlink() and len(places) < MOST_LINKS:
        places.append(Path(os.path.normpath(places[-1].parent / places[-1].readlink())))
    return [*places, Path(os.path.realpath(program))]


def installation(program: Path) -> Path:
    """Return the folder that a program seems to be installed in, `bin` beside `lib`; else the program itself."""
    folder = program.parent.parent
    return folder if program.parent.name == "bin" and (folder / "lib").is_dir() else program


def held(folder: Path, private: Iterable[Path]) -> Path | None:
    """Return a private place that is this folder or lies in it; None where there is none."""
    folders = {folder, Path(os.path.realpath(folder))}
    places = (place for one in private for place in (one, Path(os.path.realpath(one))))
    return next((place for place in places if any(map(place.is_relative_to, folders))), None)


def refuse_private(shows: Iterable[Path], private: Iterable[Path]) -> None:
    """Raise UsageError where showing these places to a bot would show it one of the private ones."""
    private = tuple(private)
    for place in shows:
        if holding := held(place, private):
            raise UsageError(
                f"bots cannot be shown {place}: it holds {holding}, which is private",
                "use an interpreter that is installed in a folder of its own",
            )


def parents(places: Iterable[Path]) -> list[Path]:
    """Return the folders above the places, outermost first, each once, without the root."""
    above = {parent for place in places for parent in place.parents}
    return sorted(above - {Path("/")}, key=lambda folder: (len(folder.parts), folder))
