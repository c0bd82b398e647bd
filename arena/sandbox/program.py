"""A bot's program as it is to be started, and the folders and environment it gets."""

import errno
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from arena.sandbox.interpreter import Python
from arena.sandbox.runtimes import PATH, PYTHON_NAMES

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105 - the name of a mark, not a secret
"""Environment variable that marks every process of a run, so that survivors can be found."""

OPEN_FOLDER = 0o755
"""Root's bots run under accounts of their own, and have to be able to read what is staged, whatever the umask."""

PYTHON_FOLDER = "python"
"""What the folder of a bot's Python is called: in the sandbox at the root, otherwise beside the bot's files."""


@dataclass(frozen=True, slots=True)
class Program:
    """What to start for one entry."""

    folder: Path
    """The version's files."""
    command: tuple[str, ...]
    """As in bot.toml, the entry's arguments behind it; run in a copy of the folder."""
    engine: bool = False
    """Whether the bot sees `arena.core`, `arena.games` and the package of its game on its PYTHONPATH."""
    reuse: bool = True
    """Whether one process may play several games."""


def environment(
    token: str, scratch: Path, engine_path: Path | None, program_folder: Path | None = None
) -> dict[str, str]:
    """Return the whole environment of a bot: nothing of the arena's own gets through.

    `program_folder` comes first on its PATH: that of a program from outside the system's folders.
    """
    variables = {
        "PATH": PATH if program_folder is None else f"{program_folder}:{PATH}",
        "LANG": "C.UTF-8",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        TOKEN_VARIABLE: token,
    }
    if engine_path is not None:
        variables["PYTHONPATH"] = str(engine_path)
    return variables


def stage(folder: Path, target: Path) -> None:
    """Copy a version's regular files to a fresh folder, read-only; links and devices are left out.

    Raises OSError where the system refuses, or where there is no such version.
    """
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"the files of a version are missing: there is no {folder}")
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
    """Make a virtual environment without packages at `target`; return the folder of its programs.

    Raises OSError where the system refuses.
    """
    programs = target / "bin"
    programs.mkdir(parents=True)
    for name in PYTHON_NAMES:
        (programs / name).symlink_to(python.program)
    (target / "pyvenv.cfg").write_text(python.environment_file)
    return programs
