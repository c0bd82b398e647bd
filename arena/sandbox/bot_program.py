"""A bot's program: its limits, the folders and environment to start it with, and what it may import of Arena's."""

import errno
import os
import resource
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena.core.errors import ArenaError, UsageError
from arena.sandbox.runtimes import PATH, PYTHON_NAMES, Python, Runtimes

if TYPE_CHECKING:
    from importlib.metadata import Distribution


TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105 - the name of a mark, not a secret
"""Environment variable that marks every process of a run, so that survivors can be found."""

BUILT_AT = "315532800"
"""1 January 1980: the time that compilers write into their results instead of the current one, if they can."""

OPEN_FOLDER = 0o755
"""Mode of staged folders, whatever the umask: if Arena runs as root, bots have other accounts and must read them."""


class Program(Struct, frozen=True):
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
    """Make a virtual environment without packages at `target`; return its folder of programs. Raises OSError."""
    programs = target / "bin"
    programs.mkdir(parents=True)
    for name in PYTHON_NAMES:
        (programs / name).symlink_to(python.program)
    (target / "pyvenv.cfg").write_bytes(os.fsencode(python.environment_file))
    return programs


def refuse_unknown_program(program: Program, runtimes: Runtimes, who: str) -> None:
    """Raise UsageError if bots may not start this program on this machine; `who` names the bot."""
    try:
        runtimes.find(program.command[0], program.folder)
    except UsageError as error:
        raise UsageError(f"{who}: {error}", error.advice) from None


MIB = 1024 * 1024


class Bounds(Struct, frozen=True):
    """The limits of one bot."""

    memory_bytes: int = 256 * MIB
    """Memory of all its processes together; enforced by a cgroup, or by sampling if there is none."""
    address_bytes: int = 4096 * MIB
    """Address space of each process, 0 for no limit; only a backstop, as runtimes reserve much more than they use."""
    processes: int = 64
    """Processes and threads together."""
    descriptors: int = 256
    """Open files of each process."""
    file_bytes: int = 64 * MIB
    """Maximum size of a file it writes."""
    scratch_bytes: int = 16 * MIB
    """Capacity of /tmp."""
    shared_bytes: int = 16 * MIB
    """Capacity of /dev/shm."""
    scratch_files: int = 4096
    """Maximum number of files, folders and links in each of the two."""


RESERVING = frozenset({"bun", "deno", "dotnet", "go", "java", "wasmer", "wasmtime"})
"""Runtimes that reserve far more address space than they use, so that limiting it makes no sense."""


def fitting(bounds: Bounds, name: str) -> Bounds:
    """Return the limits for a program of that name; no limit on address space if it couldn't start with one."""
    return replace(bounds, address_bytes=0) if Path(name).name in RESERVING else bounds


def prlimit_arguments(bounds: Bounds, *, counts_processes: bool = True) -> list[str]:
    """Return the options for prlimit(1) to set the limits of one process.

    Limits above this process's own hard limits are lowered to them, because hard limits can't be raised.
    `counts_processes` is false if the kernel would count all processes of the account and not only the bot's.
    """
    wanted = process_bounds(bounds)
    if counts_processes:
        wanted.append(("nproc", resource.RLIMIT_NPROC, bounds.processes))
    return [f"--{name}={_possible(kind, value)}" for name, kind, value in wanted]


def process_bounds(bounds: Bounds) -> list[tuple[str, int, int]]:
    """Return the limits of one process that can always be set: name for prlimit(1), kind, value."""
    wanted = [
        ("nofile", resource.RLIMIT_NOFILE, bounds.descriptors),
        ("fsize", resource.RLIMIT_FSIZE, bounds.file_bytes),
        # Not 0: if core dumps are piped to a program (systemd-coredump, apport), the kernel starts it despite a
        # limit of 0, but not with a limit of 1 (do_coredump in fs/coredump.c). It never writes a 1-byte file.
        ("core", resource.RLIMIT_CORE, 1),
        ("memlock", resource.RLIMIT_MEMLOCK, 65_536),
    ]
    if sys.platform.startswith("linux"):
        wanted += [
            ("msgqueue", resource.RLIMIT_MSGQUEUE, 0),
            ("sigpending", resource.RLIMIT_SIGPENDING, 256),
            ("rtprio", resource.RLIMIT_RTPRIO, 0),
        ]
    if bounds.address_bytes:
        wanted.append(("as", resource.RLIMIT_AS, bounds.address_bytes))
    return wanted


def _possible(kind: int, value: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


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

    These are the regular files that the game's distribution lists and that are in its installation folder: no other
    packages, no links, and nothing that would shadow another module. `module_name` is the game's module,
    `distribution` the package that provides it. If the distribution lists no files,
    as with an editable install, the sources of the game's package are taken instead. Its entry points are among them,
    so that `arena_engine` finds the game by its name. Raises TooLarge above 64 MB.
    """
    top = module_name.partition(".")[0]
    if top in _TAKEN:
        return {}
    found = dict(_listed(distribution, _is_shown)) or dict(_in_place(top))
    found.update(_listed(distribution, _is_entry_points))
    size = sum(file.stat().st_size for file in found.values())
    if size > MOST_BYTES:
        raise TooLarge(
            f"the package of {module_name} has {size / 1e6:.0f} MB, but bots with `engine = true` can be given at most "
            f"{MOST_BYTES / 1e6:.0f} MB",
            "make the package smaller, or remove `engine = true` from bot.toml",
        )
    return found


def _listed(
    distribution: "Distribution | None", shown: Callable[[PurePosixPath], bool]
) -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield the files that a distribution lists, that are in its installation folder, and that may be shown."""
    if distribution is None:
        return
    root = Path(os.path.realpath(str(distribution.locate_file(""))))
    for file in distribution.files or ():
        place = PurePosixPath(*file.parts)
        if shown(place) and _is_plain(root / place, root):
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


def _is_entry_points(place: PurePosixPath) -> bool:
    """Return whether a path is that of the file in which a distribution names its games."""
    return (
        len(place.parts) == 2 and place.parts[0].endswith(".dist-info") and place.name == "entry_points.txt"
    )


def _is_plain(file: Path, root: Path) -> bool:
    """Return whether a file is a regular file below the root, with no links on the way."""
    try:
        return stat.S_ISREG(file.lstat().st_mode) and os.path.realpath(file) == str(
            Path(os.path.realpath(root)) / file.relative_to(root)
        )
    except OSError:
        return False
