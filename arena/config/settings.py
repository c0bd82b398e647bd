"""Reads the settings file: which programs bots may start, limits for bots and builds, and options of executors."""

import os
import re
import stat
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, field

from arena.config.mistakes import convert, in_file, parse_toml
from arena.config.toml import TomlBounds, line_of, read_text
from arena.core.errors import BadFile, BadValue, UsageError
from arena.sandbox.runtimes import (
    BOT_FOLDER,
    ENGINE_FOLDER,
    OTHER_SCRATCH,
    PYTHON_NAMES,
    PYTHON_PLACE,
    Runtime,
    Runtimes,
    held,
    installation,
    is_system,
    links_of,
    outermost,
    private_places,
)

VARIABLE = "ARENA_SETTINGS"
"""Environment variable that names another settings file; if it is empty, there is none."""


class RuntimeTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`NAME = { … }` in `[runtimes]`: a program that is not `bin/NAME` in its folder, or needs other folders too.

    Keys:
        program: absolute path of the program, a file that bots see
        shows: absolute paths of other files and folders that it needs; bots see them read-only
    """

    program: str
    shows: tuple[str, ...] = ()


class BuildTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[build]`: limits for the builds of bots, from `build` in bot.toml.

    Keys:
        wall_s: wall time, in seconds
        cpu_s: CPU time of all processes, in seconds
        memory_mib: memory of all processes together; at level `full`, with the files they write
        processes: processes and threads
        disk_mib: size of all files, with those in the scratch home; kept in memory
        files: files, folders and links, with those in the scratch home
        output_mib: output, on standard output and standard error
    """

    wall_s: Annotated[int, Meta(ge=1, le=86_400)] = 300
    cpu_s: Annotated[int, Meta(ge=1, le=1_000_000)] = 300
    memory_mib: Annotated[int, Meta(ge=16, le=1_048_576)] = 2_048
    processes: Annotated[int, Meta(ge=1, le=65_536)] = 512
    disk_mib: Annotated[int, Meta(ge=1, le=1_048_576)] = 512
    files: Annotated[int, Meta(ge=64, le=10_000_000)] = 50_000
    output_mib: Annotated[int, Meta(ge=1, le=1024)] = 16


MOST_FOLDER_MIB = 256
"""A bot is read into memory whole, and unpacked from an archive twice: what checks it then takes 512 MiB."""
MOST_FOLDER_FILES = 5_000


class SubmissionsTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[submissions]`: what a bot's folder may contain, as submitted and as built.

    Keys:
        folder_mib: size of all files of a bot together
        files: files of a bot
    """

    folder_mib: Annotated[int, Meta(ge=1, le=MOST_FOLDER_MIB)] = 32
    files: Annotated[int, Meta(ge=1, le=MOST_FOLDER_FILES)] = 1_000


class AnalysisTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[analysis]`: what `arena run` without names may use to price the moves of finished games.

    Keys:
        cpu_s_an_hour: CPU time, in seconds an hour, while nothing is played; a seat of a game takes 2 to 10
    """

    cpu_s_an_hour: Annotated[int, Meta(ge=0, le=3600)] = 60


class QueueTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[queue]`: what authors may have played of their own versions.

    Keys:
        games_a_day: games that an author may ask for in a day (UTC), played or not; 0: authors can't ask
    """

    games_a_day: Annotated[int, Meta(ge=0, le=100_000_000)] = 2_000


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole settings file.

    Keys:
        runtimes: by the name that bots use in `command`: a folder, which bots see and whose `bin/NAME` is
            started; a program that needs nothing else; or a table, see below
        executors: options of executors, by name, see below
    """

    runtimes: dict[str, Any] = field(default_factory=dict)
    executors: dict[str, Any] = field(default_factory=dict)
    build: BuildTable = BuildTable()
    submissions: SubmissionsTable = SubmissionsTable()
    analysis: AnalysisTable = AnalysisTable()
    queue: QueueTable = QueueTable()


def settings_path() -> Path | None:
    """Return the path of the settings file, whether it exists or not; None if `ARENA_SETTINGS` is empty.

    The path is `ARENA_SETTINGS`, or else `arena/settings.toml` in `XDG_CONFIG_HOME` or `~/.config`.
    Raises UsageError for a relative path in `ARENA_SETTINGS`, because it would depend on the current folder.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        if given and not Path(given).is_absolute():
            raise UsageError(f"{VARIABLE} is {given!r}, which is not an absolute path", 'start it with "/"')
        return Path(given) if given else None
    base = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    try:
        folder = base if base.is_absolute() else Path.home() / ".config"
    except RuntimeError:  # an account without a home folder
        return None
    return folder / "arena" / "settings.toml"


SETTINGS_BOUNDS = TomlBounds("a settings file", file_bytes=65_536, items=2_000)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
OF_MANY = tuple(map(Path, ("/etc", "/home", "/root", "/tmp", "/var")))  # noqa: S108 - refused, not used
"""Folders with far more in them than one runtime: bots see neither them nor their parents."""
OF_THE_SANDBOX = (
    *map(Path, ("/dev", "/proc", "/run", "/sys")),
    *(BOT_FOLDER, ENGINE_FOLDER, OTHER_SCRATCH, PYTHON_PLACE),
)
"""Folders that a sandbox provides itself, or that reach into the kernel: bots see nothing in them."""


S = TypeVar("S", bound=Struct)


def read_runtimes(private: tuple[Path, ...] = ()) -> Runtimes:
    """Return the programs that bots may start by name: Arena's Python, and those in the settings file.

    `private` are folders, besides the home folder and the current one, that no bot may see. An unchanged file is not
    read again. Raises BadFile, naming file, line and key, and UsageError as `settings_path`.
    """
    path = settings_path()
    if path is None:
        return Runtimes()
    identity = _identity(path)
    if identity is None:
        return Runtimes(where=f"[runtimes] in {path}")
    return _read_runtimes(path, identity, (*private_places(), *private))


def read_settings() -> Settings:
    """Return the settings file, or the defaults if there is none. Raises as `read_runtimes`."""
    return _settings()[2]


def executor_settings(name: str, kind: type[S]) -> S:
    """Return the table `[executors.NAME]` of the settings as `kind`, or its defaults. Raises as `read_settings`."""
    file, text, settings = _settings()
    with in_file(file, text):
        return convert(settings.executors.get(name, {}), kind, ("executors", name))


def executor_tables() -> dict[str, str]:
    """Return the names in `[executors]`, each with its place, as `file:line`. Raises as `read_settings`."""
    file, text, settings = _settings()
    lines = {name: line_of(text, ("executors", name)) for name in settings.executors}
    return {name: f"{file}:{line}" if line else file for name, line in lines.items()}


def _settings() -> tuple[str, str, Settings]:
    """Return the settings file's path, text and content; empty texts and the defaults if there is none."""
    path = settings_path()
    identity = None if path is None else _identity(path)
    return ("", "", Settings()) if path is None or identity is None else (str(path), *_read(path, identity))


def _identity(path: Path) -> tuple[int, ...] | None:
    """Return a key that changes with the settings file; None if there is no file. Raises BadFile."""
    try:
        status = path.stat()
    except FileNotFoundError:
        if VARIABLE in os.environ:
            raise BadFile(
                f"{VARIABLE} names {path}, but there is no such file", "create it, or unset the variable"
            ) from None
        return None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    _refuse_foreign(path)
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, _identity: tuple[int, ...]) -> tuple[str, Settings]:
    text = read_text(path, SETTINGS_BOUNDS)
    return text, parse_toml(text, Settings, str(path), SETTINGS_BOUNDS)


@lru_cache(maxsize=4)
def _read_runtimes(path: Path, identity: tuple[int, ...], private: tuple[Path, ...]) -> Runtimes:
    text, settings = _read(path, identity)
    with in_file(str(path), text):
        listed = tuple(_runtime(name, value, private) for name, value in settings.runtimes.items())
    return Runtimes(listed=listed, where=f"[runtimes] in {path}")


def _refuse_foreign(path: Path) -> None:
    """Raise BadFile unless only this user or root can change the file, because it decides what bots can see."""
    real = Path(os.path.realpath(path))
    if not real.is_file():
        raise BadFile(f"{path} is not a file")
    for place in (real, *real.parents):
        status = place.stat()
        if status.st_uid not in (0, os.geteuid()):
            raise BadFile(
                f"{path} is not used: {place} belongs to another user, who could change it",
                "keep the settings file in a folder of your own",
            )
        is_shared_folder = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if status.st_mode & 0o022 and not is_shared_folder:
            raise BadFile(f"{path} is not used: others may write to {place}", f"chmod go-w {place}")


def _runtime(name: str, value: Any, private: tuple[Path, ...]) -> Runtime:
    """Return the runtime that a key of `[runtimes]` describes. Raises BadValue."""
    keys = ("runtimes", name)
    if name in PYTHON_NAMES:
        hint = "a name with a dot needs quotes" if isinstance(value, dict) and "program" not in value else ""
        raise BadValue(keys, "this name is Arena's own Python", hint or "list another Python by another name")
    if not NAME.fullmatch(name):
        hint = "use letters and digits, and . _ + - after the first"
        raise BadValue(keys, "not a valid program name", hint)
    if isinstance(value, str):
        place = _place(value, keys, private)
        program = next((file for file in (place / "bin" / name, place / name) if file.is_file()), place)
        needed = [place]
        if program.is_dir():
            raise BadValue(
                keys,
                f"there is neither bin/{name} nor {name} in {place}",
                f'name the program: {name} = {{ program = "{place}/…", shows = ["{place}"] }}',
            )
    elif isinstance(value, dict):
        table = convert(value, RuntimeTable, keys)
        program = _place(table.program, (*keys, "program"), private)
        if program.is_dir():
            hint = "give the path of the program in it"
            raise BadValue((*keys, "program"), f"{program} is a folder", hint)
        needed = [program, *(_place(shown, (*keys, "shows"), private) for shown in table.shows)]
    else:
        raise BadValue(keys, "neither text nor a table", f'for example: {name} = "/opt/{name}"')
    if not os.access(program, os.X_OK):
        raise BadValue(keys, f"{program} is not executable", f"chmod +x {program}")
    seen = outermost(needed)
    for link in links_of(program):
        if not is_system(link) and not any(link.is_relative_to(place) for place in seen):
            if link.name == "rustup":
                raise BadValue(
                    keys,
                    f"{program} is a link to {link}, which starts the program of a toolchain",
                    f'give the folder of the toolchain, which `rustc --print sysroot` prints: {name} = "FOLDER"',
                )
            shown = ", ".join(f'"{place}"' for place in (*seen, installation(link)))
            raise BadValue(
                keys,
                f"{program} is a link to {link}, which bots would not see",
                f'use the target instead, or write {name} = {{ program = "{program}", shows = [{shown}] }}',
            )
    return Runtime(name, program, seen)


def _place(given: str, keys: tuple[str, ...], private: tuple[Path, ...]) -> Path:
    """Return a path on this machine that bots may see. Raises BadValue if they may not."""
    place = Path(given)
    if not place.is_absolute() or ".." in place.parts:
        raise BadValue(keys, f"{given!r} is not an absolute path", 'start it with "/" and leave out ".."')
    if not place.exists():
        raise BadValue(keys, f"there is no {place}", "correct the path, or remove the line")
    if holding := held(place, (*private, *OF_MANY)):
        why = "" if holding in OF_MANY else f": it contains {holding}, which is private"
        said = f"bots must not see all of {place}{why}"
        raise BadValue(keys, said, "name a folder that holds only the runtime")
    real = Path(os.path.realpath(place))
    for folder in OF_THE_SANDBOX:
        if place.is_relative_to(folder) or real.is_relative_to(folder):
            raise BadValue(keys, f"bots may not see anything in {folder}", "give another path")
    return place
