"""The tables, keys and path of the settings file: programs that bots may start, limits for bots and for builds, and
options of executors.

Arena looks for it in the organiser's configuration folder, never in the current folder or a bot's: those may belong to
somebody else.
"""

import os
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from arena.core.errors import UsageError

VARIABLE = "ARENA_SETTINGS"
"""Environment variable that names another settings file; if it is empty, there is none."""


class RuntimeTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`NAME = { … }` in `[runtimes]`: a program that is not `bin/NAME` in its folder, or needs other folders too."""

    program: Annotated[str, Meta(description="absolute path of the program, a file that bots see")]
    shows: Annotated[
        tuple[str, ...],
        Meta(description="absolute paths of other files and folders that it needs; bots see them read-only"),
    ] = ()


class BuildTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[build]`: limits for the builds of bots, from `build` in bot.toml."""

    wall_s: Annotated[int, Meta(ge=1, le=86_400, description="wall time, in seconds")] = 300
    cpu_s: Annotated[int, Meta(ge=1, le=1_000_000, description="CPU time of all processes, in seconds")] = 300
    memory_mib: Annotated[
        int,
        Meta(
            ge=16,
            le=1_048_576,
            description="memory of all processes together; at level `full`, with the files they write",
        ),
    ] = 2_048
    processes: Annotated[int, Meta(ge=1, le=65_536, description="processes and threads")] = 512
    disk_mib: Annotated[
        int,
        Meta(
            ge=1,
            le=1_048_576,
            description="size of all files, with those in the scratch home; kept in memory",
        ),
    ] = 512
    files: Annotated[
        int,
        Meta(ge=64, le=10_000_000, description="files, folders and links, with those in the scratch home"),
    ] = 50_000
    output_mib: Annotated[
        int, Meta(ge=1, le=1_024, description="output, on standard output and standard error")
    ] = 16


MOST_FOLDER_MIB = 256
"""A bot is read into memory whole, and unpacked from an archive twice: what checks it then takes 512 MiB."""
MOST_FOLDER_FILES = 5_000


class SubmissionsTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[submissions]`: what a bot's folder may contain, as submitted and as built."""

    folder_mib: Annotated[
        int, Meta(ge=1, le=MOST_FOLDER_MIB, description="size of all files of a bot together")
    ] = 32
    files: Annotated[int, Meta(ge=1, le=MOST_FOLDER_FILES, description="files of a bot")] = 1_000


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole settings file."""

    runtimes: Annotated[
        dict[str, Any],
        Meta(
            description="by the name that bots use in `command`: a folder, which bots see and whose `bin/NAME` is "
            "started; a program that needs nothing else; or a table, see below"
        ),
    ] = field(default_factory=dict)
    executors: Annotated[
        dict[str, Any],
        Meta(description="options of executors, by name, see below"),
    ] = field(default_factory=dict)
    build: BuildTable = BuildTable()
    submissions: SubmissionsTable = SubmissionsTable()


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
