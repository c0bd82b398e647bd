"""The programs that a bot may start, and the files of the host that each of them makes visible.

A bot may start one of its own files, `python3`, a program in the system's folders, or a runtime that the organiser
lists. The rule is the same with and without a sandbox, so that an accepted bot runs everywhere. What a confined bot
sees of the host depends only on that program, never on a path that its author wrote.

Interpreters are often in the home folder (pyenv, uv, conda), behind links. Only their own folder is shown to the bot,
never a folder that contains anything private.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum
from pathlib import Path

from msgspec import Struct, field

from arena.core.errors import UsageError

BOT_FOLDER = Path("/bot")
ENGINE_FOLDER = Path("/engine")
PYTHON_FOLDER = "python"
"""Name of the folder of a bot's Python: at the root of the sandbox, or next to the bot's files without a sandbox."""
PYTHON_PLACE = Path("/", PYTHON_FOLDER)
OTHER_SCRATCH = Path("/scratch")
"""The scratch folder of a bot whose interpreter is below /tmp, so that emptying the scratch can't delete it."""

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
"""The system's folders of programs and libraries; visible to every bot."""
ALTERNATIVES = Path("/etc/alternatives")
"""The first target of Debian's links in /usr/bin; also visible to every bot."""
MOST_LINKS = 40
"""The kernel's limit for links in a path."""


class Python(Struct, frozen=True):
    """A Python interpreter for bots: its standard library, without any installed packages.

    Bots run it in a virtual environment without packages, so that imports that work here work on other machines, too.
    """

    program: Path
    """The real interpreter, with links resolved; not the one of a virtual environment."""
    shows: tuple[Path, ...]
    """Its installation, if that is outside the system's folders."""

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
    return Python(program, outermost([program, *folders]))


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


PATH = "/usr/local/bin:/usr/bin:/bin"
"""The search path for programs, both for a bot's command and for the programs that the bot starts."""
PYTHON_NAMES = ("python", "python3")
WHERE_LISTED = "[runtimes] in Arena's settings file"
"""The place in messages where organisers list runtimes, if the path of the file isn't known."""


class ProgramMissing(UsageError):
    """A program that bots may start is missing. If it was there before, that is the host's fault."""


class Origin(Enum):
    """Where a bot's program comes from."""

    BOT = "the bot's own files"
    PYTHON = "the Python that Arena runs with"
    LISTED = "listed under [runtimes]"
    SYSTEM = "the system's folders"


class Runtime(Struct, frozen=True):
    """A program that the organiser allows bots to start by name."""

    name: str
    program: Path
    """Absolute path."""
    shows: tuple[Path, ...]
    """Absolute paths of the files and folders that confined bots see, read-only, if they start it."""


class Found(Struct, frozen=True):
    """The program that a bot's command refers to."""

    program: Path
    shows: tuple[Path, ...]
    """The files of the host, besides the system's folders, that must be visible for it to run."""
    origin: Origin


def unversioned(name: str) -> str:
    """Return the name of a program without its version, such as `python` for `python3.12`."""
    return re.sub(r"[-\d.]+$", "", name)


class Runtimes(Struct, frozen=True):
    """The programs that bots may start by name, in addition to those in the system's folders. Picklable."""

    python: Python = field(default_factory=own_python)
    listed: tuple[Runtime, ...] = ()
    where: str = WHERE_LISTED
    """Where the organiser can list more, for messages."""

    def find(self, name: str, folder: Path) -> Found:
        """Return the program that the first word of a command refers to, for a bot whose files are in `folder`.

        With a slash, it is a file of the bot, or the absolute path of a program in the system's folders. Without
        one, it is `python` or `python3`, the name of a listed runtime, or a program found on `PATH`, in this order.
        Raises UsageError for anything else, with what to write instead, and ProgramMissing if this machine lacks it.
        """
        if "\0" in name:
            raise UsageError(f"{name!r} is not the name of a program", "remove the NUL character")
        if name.startswith("/"):
            return self._system(name)
        if "/" in name:
            return _own(name, folder)
        if name in PYTHON_NAMES:
            return _there(Found(self.python.program, self.python.shows, Origin.PYTHON))
        for runtime in self.listed:
            if runtime.name == name:
                return _there(Found(runtime.program, runtime.shows, Origin.LISTED))
        if found := shutil.which(name, path=PATH):
            return self._system(found)
        raise ProgramMissing(
            f"the bot needs the program {name!r}, which is not installed here", self._advice(name, folder)
        )

    def file_name(self, name: str) -> str:
        """Return the file name of the program that a command's first word refers to."""
        listed = (runtime.program.name for runtime in self.listed if runtime.name == name)
        return next(listed, Path(name).name)

    def _system(self, path: str) -> Found:
        """Return a program in the system's folders. Its links must not lead out of them."""
        program = Path(path)
        if ".." in program.parts or not is_system(program):
            raise UsageError(
                f"{path!r} is a path of this machine, and bots may start only their own files and programs that the "
                "organiser provides",
                f"{self._instead(program)}; the organiser can list more programs under {self.where}",
            )
        if not os.path.isfile(program):  # noqa: PTH113 - Path.is_file raises for a name that is too long
            raise ProgramMissing(
                f"there is no program {path!r} on this machine", "install it, or leave out this bot"
            )
        if not os.access(program, os.X_OK):
            raise UsageError(f"{path!r} is not executable", "write the name of a program")
        if outside := next((place for place in links_of(program) if not is_system(place)), None):
            raise UsageError(
                f"{path!r} is a link to {str(outside)!r}, which bots can't see",
                f"the organiser can list it: {_line(program.name, outside)} under {self.where}",
            )
        return Found(program, (), Origin.SYSTEM)

    def _instead(self, program: Path) -> str:
        name = "python3" if program.name.startswith("python") else program.name
        if (
            name == "python3"
            or any(runtime.name == name for runtime in self.listed)
            or shutil.which(name, path=PATH)
        ):
            return f'write "{name}"'
        return (
            'write the name of an interpreter, such as "python3", or "./FILE" for a file in the bot\'s folder'
        )

    def _advice(self, name: str, folder: Path) -> str:
        """Return what to do about a name that doesn't refer to a program."""
        if os.path.isfile(folder / name):  # noqa: PTH113 - as above
            return f'write "./{name}" for the file in the bot\'s folder'
        if elsewhere := shutil.which(name):
            return (
                f"it is at {elsewhere}, where bots can't see it: the organiser can list it as "
                f"{_line(name, Path(elsewhere))} under {self.where}"
            )
        family = unversioned(name.removesuffix(".exe"))
        if family in ("python", "py"):
            return f'write "{PYTHON_NAMES[-1]}", the Python that Arena runs on'
        known = {*PYTHON_NAMES, *(runtime.name for runtime in self.listed), *_names_on_path()}
        if family in known:
            return f"did you mean {family!r}?"
        if close := get_close_matches(name, sorted(known), 1, 0.75):
            return f"did you mean {close[0]!r}?"
        return f"install {name}, or list it under {self.where}"


def python_name(name: str) -> str:
    """Return the name of Python in the bot's environment, for a command that starts it by this name or path."""
    return Path(name).name if Path(name).name in PYTHON_NAMES else PYTHON_NAMES[-1]


def _there(found: Found) -> Found:
    """Return a runtime if all its files still exist. Raises ProgramMissing otherwise."""
    for place in (found.program, *found.shows):
        if not place.exists():
            raise ProgramMissing(f"a runtime is missing: {place} does not exist", "install it again")
    return found


def own_path(name: str) -> str:
    """Return the path in the bot's folder that the first word of a command names, without `.`. Raises UsageError."""
    if ".." in Path(name).parts:
        raise UsageError(f"the command's program {name!r} leads out of the bot's folder", 'leave out ".."')
    return os.path.normpath(name)


def names_own_file(name: str) -> bool:
    """Return whether the first word of a command names one of the bot's own files."""
    return "/" in name and not name.startswith("/")


def _own(name: str, folder: Path) -> Found:
    """Return a regular file of the bot, reached without links. If `folder` is an archive, it isn't looked for."""
    place = Path(os.path.realpath(folder), own_path(name))
    is_there = os.path.realpath(place) == str(place) and os.path.isfile(place)  # noqa: PTH113 - as above
    if not is_there and not folder.is_file():
        raise UsageError(
            f"the command's program {name!r} is not in the bot's folder",
            "paths are relative to the folder that holds bot.toml",
        )
    return Found(folder / os.path.normpath(name), (), Origin.BOT)


def _names_on_path() -> set[str]:
    folders = (Path(folder) for folder in PATH.split(":"))
    return {place.name for folder in folders if folder.is_dir() for place in folder.iterdir()}


def _line(name: str, program: Path) -> str:
    """Return the line for a settings file that lists a program, with its installation folder if it has one."""
    real = Path(os.path.realpath(program))
    if real.name == "rustup":  # it starts the program of a toolchain that has the same name
        return f'{name} = "FOLDER", with the folder that `rustc --print sysroot` prints,'
    place = installation(real) if real.name == name else real
    return f'{name} = "{real if is_system(place) else place}"'
