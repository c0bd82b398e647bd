"""A bot's program, and the folders and environment to start it with."""

import errno
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from arena.core.errors import UsageError
from arena.sandbox.interpreter import Python
from arena.sandbox.runtimes import PATH, PYTHON_NAMES, Runtimes

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105 - the name of a mark, not a secret
"""Environment variable that marks every process of a run, so that survivors can be found."""

BUILT_AT = "315532800"
"""1 January 1980: the time that compilers write into their results instead of the current one, if they can."""

OPEN_FOLDER = 0o755
"""Mode of staged folders, whatever the umask: if Arena runs as root, bots have other accounts and must read them."""

PYTHON_FOLDER = "python"
"""Name of the folder of a bot's Python: at the root of the sandbox, or next to the bot's files without a sandbox."""


@dataclass(frozen=True, slots=True)
class Program:
    """The program to start for one entry."""

    folder: Path
    """The version's files."""
    command: tuple[str, ...]
    """The command of bot.toml followed by the entry's arguments; runs in a copy of the folder."""
    engine: bool = False
    """Whether the bot's PYTHONPATH has `arena.core`, `arena.games` and the package of its game."""
    reuse: bool = True
    """Whether one process may play several games."""


def environment(
    token: str,
    scratch: Path,
    engine_path: Path | None,
    program_folder: Path | None = None,
    *,
    builds: bool = False,
) -> dict[str, str]:
    """Return the complete environment of a bot. It inherits nothing from Arena's environment.

    `program_folder` comes first on its PATH; it is the folder of a program outside the system's folders. `builds` adds
    where build tools keep their files, and that there is no network.
    """
    variables = {
        "PATH": PATH if program_folder is None else f"{program_folder}:{PATH}",
        "LANG": "C.UTF-8",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",  # a crash in native code leaves a traceback in the log
        TOKEN_VARIABLE: token,
    }
    if engine_path is not None:
        variables["PYTHONPATH"] = str(engine_path)
    if builds:
        variables |= {
            "CARGO_HOME": f"{scratch}/cargo",
            "CARGO_NET_OFFLINE": "true",
            "GOCACHE": f"{scratch}/go-build",
            "GOPATH": f"{scratch}/go",
            "GOPROXY": "off",
            "SOURCE_DATE_EPOCH": BUILT_AT,
        }
    return variables


def stage(folder: Path, target: Path) -> None:
    """Copy a version's regular files to a new folder, read-only, without links and devices.

    Raises OSError if the system refuses, or if `folder` doesn't exist.
    """
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"the files of a version are missing: {folder} does not exist")
    target.mkdir(parents=True)
    target.chmod(OPEN_FOLDER)
    for entry in sorted(folder.rglob("*")):
        status = entry.lstat()
        place = target / entry.relative_to(folder)
        if stat.S_ISDIR(status.st_mode):
            place.mkdir(exist_ok=True)
            place.chmod(OPEN_FOLDER)
        elif stat.S_ISREG(status.st_mode):
            shutil.copyfile(entry, place)
            place.chmod(0o555 if status.st_mode & 0o111 else 0o444)


def stage_python(target: Path, python: Python) -> Path:
    """Make a virtual environment without packages at `target`; return its folder of programs.

    Raises OSError if the system refuses.
    """
    programs = target / "bin"
    programs.mkdir(parents=True)
    for name in PYTHON_NAMES:
        (programs / name).symlink_to(python.program)
    (target / "pyvenv.cfg").write_bytes(os.fsencode(python.environment_file))
    return programs


def refuse_unknown_program(program: Program, runtimes: Runtimes, who: str) -> None:
    """Raise UsageError if bots may not start this program on this machine; `who` names the bot."""
    try:
        runtimes.find_kept(program.command[0], program.folder)
    except UsageError as error:
        raise UsageError(f"{who}: {error}", error.advice) from None
