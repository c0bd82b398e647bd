"""Runs a bot's program inside bubblewrap: builds the arguments, the environment and the descriptors to start it with.

The bot sees the system's programs and libraries, its own folder and its interpreter, all read-only, and a scratch
folder of limited size. It has its own namespaces for processes, network, host name, IPC and mounts. An ordinary user
gets this through a user namespace. Root must not use one, because a uid in a user namespace owned by root still counts
as root for /proc/sys. Instead, the bot runs under an account of its own, one per slot, and drops all other privileges
before it starts.
"""

import contextlib
import errno
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from arena.core.errors import UsageError
from arena.sandbox.bot_program import TOKEN_VARIABLE, Bounds, Program, environment, prlimit_arguments
from arena.sandbox.bubblewrap_status import SCRATCH, SHARED
from arena.sandbox.proc_masking import covered
from arena.sandbox.runtimes import (
    BOT_FOLDER,
    ENGINE_FOLDER,
    OTHER_SCRATCH,
    PATH,
    PYTHON_NAMES,
    PYTHON_PLACE,
    SYSTEM,
    Origin,
    Runtimes,
    is_system,
    parents,
    private_places,
    python_name,
    refuse_private,
)
from arena.sandbox.seccomp import program as seccomp_program
from arena.sandbox.shared_folder_overlays import DEVICES, Overlays, OverlayTools, Workshop
from arena.sandbox.survivors import BOT_UIDS

SETTINGS = ("alternatives", "java-*", "ld.so.cache", "localtime", "ssl/openssl.cnf")
"""The files in /etc that programs need. None of them reveals anything about the host's users."""
OWN_PROCESS_COUNT = (5, 14)
"""The first kernel version that counts the processes of each user namespace separately."""
NO_NESTED_NAMESPACES = (0, 8)
"""The first bubblewrap version that can forbid nested user namespaces; seccomp forbids them as well."""
VERSION_S = 10.0

GO = b"\n"
_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")
"""Reads one line, then executes the command after it. Shells never read past the newline of a pipe."""
_MADE = frozenset({Path("/dev"), Path("/dev/shm"), Path("/proc")})  # noqa: S108 - in the sandbox
"""Folders that are always mounted."""
_SEPARATE = ("ipc", "pid", "net", "uts")
_ROOT_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
"""What setpriv needs to switch to the slot's account; it drops them as it does."""


class Tools(Struct, frozen=True):
    """The programs that build a sandbox, and facts about the machine; the same for all bots of a run."""

    bwrap: str
    version: tuple[int, ...]
    prlimit: str
    setpriv: str
    """Empty for an ordinary user, who doesn't need it."""
    seccomp: bytes | None
    """None on a machine type whose system calls aren't listed."""
    seccomp_without_locks: bytes | None
    """The filter for bots that share files with other bots."""
    overlays: OverlayTools | None
    """None if bots can't have their own overlays."""
    private: tuple[Path, ...]
    """Folders that must not be shown to any bot, not even as part of an interpreter's folder."""
    counts_processes: bool = True
    """Whether the kernel can count a bot's processes."""

    @property
    def as_root(self) -> bool:
        """Whether Arena runs as root, and each bot under its own account."""
        return bool(self.setpriv)


def find_tools(private: tuple[Path, ...] = ()) -> Tools:
    """Return the tools of this machine; `private` are more folders that no bot may see, such as the ledger's.

    Raises UsageError if a tool is missing, with how to install it.
    """
    as_root = os.geteuid() == 0
    bwrap = _find("bwrap", "bubblewrap")
    try:
        told = subprocess.run(
            [bwrap, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"cannot run {bwrap}: {error}", "reinstall bubblewrap") from None
    return Tools(
        bwrap=bwrap,
        version=_numbers(told.stdout),
        prlimit=_find_inside("prlimit"),
        setpriv=_find_inside("setpriv") if as_root else "",
        seccomp=seccomp_program(platform.machine()),
        seccomp_without_locks=seccomp_program(platform.machine(), locks=False),
        overlays=OverlayTools(
            _find("unshare", "util-linux"), _find("nsenter", "util-linux"), sys.executable, as_root
        ),
        private=(*private_places(), *private),
        counts_processes=as_root or _numbers(platform.release()) >= OWN_PROCESS_COUNT,
    )


class Launch(Struct, frozen=True):
    """What Popen needs to start a bot in its sandbox, besides three pipes and a new session."""

    argv: tuple[str, ...]
    env: dict[str, str]
    """The environment of bubblewrap. Bots can read it from process 1, so all it has of Arena's is the run's token."""
    pass_fds: tuple[int, ...]
    status: int
    """The descriptor to read reports from; pass it to `arena.sandbox.bubblewrap_status.Status`, which then owns it."""
    scratch: Path
    """The folder in the sandbox that the bot may write to."""


@contextlib.contextmanager
def launch(
    tools: Tools,
    program: Program,
    staged: Path,
    bounds: Bounds,
    *,
    slot: int,
    token: str,
    runtimes: Runtimes | None = None,
    engine: Path | None = None,
    overlays: Overlays | None = None,
    gated: bool = False,
    workshop: Workshop | None = None,
) -> Iterator[Launch]:
    """Yield what Popen needs to start a program whose files were copied to `staged`.

    `runtimes` (default: only Arena's Python) and the program that the command names decide what the bot sees of the
    host.

    Start the program inside the context. At its end, the descriptors that the sandbox inherits are closed; `status` is
    closed only after an error. If `gated`, the program waits until `GO` is written to its standard input. Without
    `overlays`, or if they can't show everything the program needs, the bot can't lock files.
    With a `workshop`, its folders are the program's own folder, which it may change, and its scratch; `staged` is a
    copy of what it starts with. `slot` (0 … 999) must be unique on this machine while the bot lives. `engine` is the
    staged engine, for a program that asks for it. If Arena runs as root, everyone must be able to read the files in
    `staged` and `engine`.
    Raises UsageError if the sandbox can't contain the program, and OSError if the system refuses a pipe.
    """
    if not 0 <= slot < len(BOT_UIDS):
        raise ValueError(f"slot {slot} is not within 0 … {len(BOT_UIDS) - 1}")
    runtimes = runtimes or Runtimes()
    found = runtimes.find(program.command[0], staged)
    _refuse_private(found.shows, tools.private)
    inside, programs = found.program, found.program.parent
    if found.origin is Origin.BOT:
        inside = BOT_FOLDER / found.program.relative_to(staged)
    elif found.origin is Origin.PYTHON:
        programs = PYTHON_PLACE / "bin"
        inside = programs / python_name(program.command[0])
    command = (str(inside), *program.command[1:])
    shown_engine = engine if program.engine else None
    overlaid = _overlaid(overlays, slot, found.shows, shown_engine)
    sources: Mapping[Path, Path] = overlaid or {}
    own = None if overlaid is None else overlays
    made = None if own is None else own.scratch(slot, bounds)
    entered = overlays if workshop is not None and workshop.is_bounded else own
    changing, home = (None, None) if workshop is None else workshop.mounts
    scratch = OTHER_SCRATCH if any(place.is_relative_to(SCRATCH) for place in found.shows) else SCRATCH
    variables = environment(
        token,
        scratch,
        None if shown_engine is None else ENGINE_FOLDER,
        programs if found.origin in (Origin.PYTHON, Origin.LISTED) else None,
        builds=workshop is not None,
    )
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        status, reports = os.pipe()
        ours.callback(os.close, status)
        theirs.callback(os.close, reports)
        inherited = [reports]
        python: list[str] = []
        if found.origin is Origin.PYTHON:
            inherited.append(_holding(runtimes.python.environment_file.encode(), theirs))
            python = _python(found.program, inherited[-1])
        covers: list[str] = []
        for path, contents in covered()[1].items():
            inherited.append(_holding(contents, theirs))
            covers += _copied(inherited[-1], path)
        settings: list[str] = []
        for file in _settings_files():
            inherited.append(os.open(file, os.O_RDONLY))
            theirs.callback(os.close, inherited[-1])
            settings += _copied(inherited[-1], str(file))
        options = [
            *_walls(tools),
            "--clearenv",
            *(word for variable in variables.items() for word in ("--setenv", *variable)),
            *python,
            *_system(sources),
            *settings,
            *_proc(covers),
            *_devices(None if own is None else own.devices),
            *_writable(scratch, bounds, made, home),
            *_shown(staged, shown_engine, found.shows, scratch, sources, changing),
            "--json-status-fd",
            str(reports),
        ]
        calls = tools.seccomp_without_locks if own is None else tools.seccomp
        if calls is not None:
            inherited.append(_holding(calls, theirs))
            options += ["--seccomp", str(inherited[-1])]
        inherited.append(_holding("\0".join(options).encode(), theirs))
        yield Launch(
            # Pass the options with --args, as the bot can read the command line of process 1.
            argv=(
                *(() if entered is None else entered.entering),
                tools.bwrap,
                "--args",
                str(inherited[-1]),
                "--",
                *_steps_down(tools, slot, bounds, gated=gated),
                *command,
            ),
            env={"PATH": PATH, "LANG": "C.UTF-8", TOKEN_VARIABLE: token},
            pass_fds=tuple(inherited),
            status=status,
            scratch=scratch,
        )
        ours.pop_all()


def _walls(tools: Tools) -> list[str]:
    """Return the options that separate the bot from everything else."""
    options = [f"--unshare-{name}" for name in _SEPARATE]
    options += ["--unshare-cgroup-try", "--hostname", "bot", "--die-with-parent", "--new-session"]
    options += ["--cap-drop", "ALL"]
    if tools.as_root:
        for capability in _ROOT_CAPABILITIES:
            options += ["--cap-add", capability]
    else:
        options.append("--unshare-user")
        if tools.version >= NO_NESTED_NAMESPACES:
            options.append("--disable-userns")
    return options


def _overlaid(
    overlays: Overlays | None, slot: int, shown: tuple[Path, ...], engine: Path | None
) -> dict[Path, Path] | None:
    """Return the bot's own copy (an overlay) of each shared path; None if one can't be made."""
    if overlays is None:
        return None
    sources: dict[Path, Path] = {}
    for place in (*system_folders(), *_settings_folders(), *shown, *(() if engine is None else (engine,))):
        real = Path(os.path.realpath(place))  # bubblewrap would follow a link out of the overlay
        folder = next((one for one in sources if real.is_relative_to(one)), None)
        if folder is None:
            folder = real if real.is_dir() else real.parent
        own = sources.get(folder) or overlays.folder(slot, folder)
        if own is None:
            return None
        sources[place] = own / real.relative_to(folder)
    return sources


def _proc(covers: list[str]) -> list[str]:
    options = ["--proc", "/proc", *covers]
    for folder in covered()[0]:
        options += ["--tmpfs", folder, "--remount-ro", folder]
    return [*options, "--remount-ro", "/proc"]


def _devices(unchanging: Path | None) -> list[str]:
    """Return the options for the devices; `unchanging` is a folder with devices whose times can't be set."""
    # Hide terminals: the whole machine shares their numbers.
    options = ["--dev", "/dev", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    if unchanging is not None:
        for device in DEVICES:
            options += ["--dev-bind", str(unchanging / device.name), str(device)]
    # Mapping /dev/zero gives memory that isn't counted anywhere. /dev/full reads the same and can't be mapped.
    full = Path("/dev/full") if unchanging is None else unchanging / "full"
    return [*options, "--dev-bind", str(full), "/dev/zero"]


def _writable(
    scratch: Path, bounds: Bounds, made: tuple[Path, Path] | None, home: Path | None = None
) -> list[str]:
    """Return the options for scratch and shared memory; `made` are folders in memory that also limit file counts.

    `home` is the scratch folder of a workshop.
    """
    if made is not None:
        options = ["--bind", str(home or made[0]), str(scratch), "--bind", str(made[1]), str(SHARED)]
    elif home is not None:
        options = ["--bind", str(home), str(scratch)]
        options += ["--perms", "1777", "--size", str(bounds.shared_bytes), "--tmpfs", str(SHARED)]
    else:
        # Each modifier applies to the next mount only. Root makes these folders, but the bot has another account.
        options = ["--perms", "1777", "--size", str(bounds.scratch_bytes), "--tmpfs", str(scratch)]
        options += ["--perms", "1777", "--size", str(bounds.shared_bytes), "--tmpfs", str(SHARED)]
    return [*options, "--remount-ro", "/dev"]


def _shown(
    staged: Path,
    engine: Path | None,
    shown: tuple[Path, ...],
    scratch: Path,
    sources: Mapping[Path, Path],
    changing: Path | None = None,
) -> list[str]:
    """Return the options that show the bot's runtime and its files. The last of several mounts on one path wins.

    `changing` is the folder of a program that may change its own files.
    """
    options = _bound(shown, sources, made=scratch)
    if engine is not None:
        options += ["--ro-bind", str(sources.get(engine, engine)), str(ENGINE_FOLDER)]
    own = ("--ro-bind", str(staged)) if changing is None else ("--bind", str(changing))
    options += [*own, str(BOT_FOLDER), "--chdir", str(BOT_FOLDER)]
    return [*options, "--remount-ro", "/"]


@cache
def system_folders() -> tuple[Path, ...]:
    """Return the system folders that every bot sees, without links."""
    return tuple(folder for folder in SYSTEM if folder.is_dir() and not folder.is_symlink())


@cache
def _links() -> tuple[str, ...]:
    options: list[str] = []
    for folder in SYSTEM:
        if folder.is_symlink():
            options += ["--symlink", str(folder.readlink()), str(folder)]
    return tuple(options)


def _settings() -> Iterator[Path]:
    return (place for pattern in SETTINGS for place in sorted(Path("/etc").glob(pattern)))


@cache
def _settings_folders() -> tuple[Path, ...]:
    return tuple(place for place in _settings() if place.is_dir())


@cache
def _settings_files() -> tuple[Path, ...]:
    """Return the files of which bots get copies: containers mount files in /etc, so it can't always be overlaid."""
    return tuple(place for place in _settings() if place.is_file() and os.access(place, os.R_OK))


def _copied(descriptor: int, path: str) -> list[str]:
    """Return the options that show what can be read from a descriptor as a file of the bot's own."""
    return ["--perms", "0444", "--ro-bind-data", str(descriptor), path]


def _system(sources: Mapping[Path, Path]) -> list[str]:
    """Return the options that show the parts of the system that every bot sees."""
    options = list(_links())
    for folder in system_folders():
        options += ["--ro-bind", str(sources.get(folder, folder)), str(folder)]
    return [*options, *_bound(_settings_folders(), sources)]


_refuse_private = cache(refuse_private)
"""Cached, as it follows links; called once per program."""


def _python(program: Path, settings: int) -> list[str]:
    """Return the options that make a Python environment without packages; `settings` is a descriptor of pyvenv.cfg."""
    options: list[str] = []
    for folder in (PYTHON_PLACE, PYTHON_PLACE / "bin"):
        options += ["--perms", "0755", "--dir", str(folder)]
    for name in PYTHON_NAMES:
        options += ["--symlink", str(program), str(PYTHON_PLACE / "bin" / name)]
    return [*options, "--perms", "0444", "--file", str(settings), str(PYTHON_PLACE / "pyvenv.cfg")]


def _bound(places: tuple[Path, ...], sources: Mapping[Path, Path], made: Path | None = None) -> list[str]:
    """Return the options that show places at their own paths, with empty parent folders; `made` exists already."""
    options: list[str] = []
    for folder in parents(places):
        if folder not in _MADE and folder != made:
            options += ["--perms", "0755", "--dir", str(folder)]
    for place in places:
        options += ["--ro-bind", str(sources.get(place, place)), str(place)]
    return options


def _steps_down(tools: Tools, slot: int, bounds: Bounds, *, gated: bool) -> list[str]:
    """Return the chain of commands that runs in the sandbox before the bot: first, as root, setpriv, then prlimit.

    The limits are set inside, because a process limit set outside would include bubblewrap's own processes.
    """
    uid = BOT_UIDS[slot]
    account = [
        tools.setpriv,
        f"--reuid={uid}",
        f"--regid={uid}",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs",
        "--",
    ]
    bounded = [tools.prlimit, *prlimit_arguments(bounds, counts_processes=tools.counts_processes), "--"]
    gate = [*_GATE] if gated else []
    return [*account, *gate, *bounded] if tools.as_root else [*gate, *bounded]


def _holding(data: bytes, owner: contextlib.ExitStack) -> int:
    """Return a descriptor that reads the data, then end of file. A pipe holds far more than is ever written here."""
    reading, writing = os.pipe()
    owner.callback(os.close, reading)
    try:
        os.set_blocking(writing, False)
        if os.write(writing, data) < len(data):
            raise OSError(errno.ENOBUFS, "the arguments of the sandbox do not fit into a pipe")
    finally:
        os.close(writing)
    return reading


def _find(name: str, package: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=f"{PATH}:/usr/sbin:/sbin")
    if found is None:
        raise UsageError(f"the program {name} is missing", f"install the package {package}")
    return found


def _find_inside(name: str) -> str:
    """Return the path of a program to run inside the sandbox, where only the system's folders are."""
    found = _find(name, "util-linux")
    if not is_system(Path(found)):
        found = shutil.which(name, path=PATH) or ""
    if not found:
        raise UsageError(f"the program {name} is not below /usr", "install the package util-linux")
    return found


def _numbers(text: str) -> tuple[int, ...]:
    """Return the first dotted number in a text, such as (0, 8, 0); empty if there is none."""
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()
