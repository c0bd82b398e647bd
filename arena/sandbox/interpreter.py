"""The Python that bots run with, and the parts of the host that have to be visible for a program to run.

Interpreters are often in the home folder (pyenv, uv, conda), behind links. Only their own folder is shown to the bot,
never a folder that contains anything private.
"""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.core.errors import UsageError

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
"""The system's folders of programs and libraries; visible to every bot."""
ALTERNATIVES = Path("/etc/alternatives")
"""The first target of Debian's links in /usr/bin; also visible to every bot."""
MOST_LINKS = 40
"""The kernel's limit for links in a path."""


@dataclass(frozen=True, slots=True)
class Python:
    """A Python interpreter for bots: its standard library, without any installed packages.

    Bots run it in a virtual environment without packages, so that imports that work here work on other machines, too.
    """

    program: Path
    """The real interpreter, with links resolved; not the one of a virtual environment."""
    shows: tuple[Path, ...]
    """Its installation, if that is outside the system's folders."""
    folders: tuple[Path, ...] = ()
    """The folders known to hold the interpreter or a link to it."""

    def is_at(self, path: Path) -> bool:
        """Return whether a path, as written, is this interpreter or a link to it in one of its folders."""
        return path.parent in self.folders and os.path.realpath(path) == str(self.program)

    @property
    def environment_file(self) -> str:
        """The text of `pyvenv.cfg`, which makes a folder an environment without packages."""
        return f"home = {self.program.parent}\ninclude-system-site-packages = false\n"


def own_python() -> Python:
    """Return the Python that runs Arena; in a virtual environment, its base interpreter."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    program = Path(os.path.realpath(base))
    prefixes = {Path(sys.base_prefix), Path(sys.base_exec_prefix)}
    # Include both the given and the resolved paths: some builds find their libraries by only one of them.
    folders = {place for prefix in prefixes for place in (prefix, Path(os.path.realpath(prefix)))}
    known = {Path(place).parent for place in (sys.executable, base, program)}
    return Python(program, outermost([program, *folders]), tuple(sorted(known)))


def private_places() -> tuple[Path, ...]:
    """Return folders that no bot may see, nor any folder that contains them: the home and the current folder."""
    home = Path.home()
    return (home, home / ".local" / "share", Path.cwd())


def outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    """Return the places outside the system's folders, without those inside another one."""
    outside = sorted({place for place in places if not is_system(place)})
    return tuple(
        place
        for place in outside
        if not any(place != other and place.is_relative_to(other) for other in outside)
    )


def is_system(path: Path) -> bool:
    """Return whether every bot sees this path."""
    return any(path.is_relative_to(folder) for folder in (*SYSTEM, ALTERNATIVES))


def links_of(program: Path) -> list[Path]:
    """Return a program's path, each path it links to in turn, and the real path."""
    places = [program]
    while places[-1].is_symlink() and len(places) < MOST_LINKS:
        places.append(Path(os.path.normpath(places[-1].parent / places[-1].readlink())))
    return [*places, Path(os.path.realpath(program))]


def installation(program: Path) -> Path:
    """Return the folder in which a program seems to be installed, with `bin` and `lib`; else the program itself."""
    folder = program.parent.parent
    return folder if program.parent.name == "bin" and (folder / "lib").is_dir() else program


def held(folder: Path, private: Iterable[Path]) -> Path | None:
    """Return a private place that is this folder or is inside it; None if there is none."""
    folders = {folder, Path(os.path.realpath(folder))}
    places = (place for one in private for place in (one, Path(os.path.realpath(one))))
    return next((place for place in places if any(map(place.is_relative_to, folders))), None)


def refuse_private(shows: Iterable[Path], private: Iterable[Path]) -> None:
    """Raise UsageError if showing these places to a bot would show it a private one."""
    private = tuple(private)
    for place in shows:
        if holding := held(place, private):
            raise UsageError(
                f"bots may not see {place}: it contains {holding}, which is private",
                "use an interpreter that is installed in its own folder",
            )


def parents(places: Iterable[Path]) -> list[Path]:
    """Return all parent folders of the places, outermost first, without duplicates or the root."""
    above = {parent for place in places for parent in place.parents}
    return sorted(above - {Path("/")}, key=lambda folder: (len(folder.parts), folder))
