"""A bot's program inside bubblewrap: the arguments, the environment and the descriptors of its start.

The bot sees the system's programs and libraries, its own folder and its interpreter, all read-only; a bounded
scratch; processes, network, names and shared memory of its own namespaces. An ordinary user gets this through a user
namespace. Root must not: a uid within root's own user namespace is still root to /proc/sys. There the bot gets an
account of its own instead, one for each slot, and gives up everything else before it starts.
"""

import contextlib
import errno
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.core.errors import UsageError
from arena.sandbox.bounds import Bounds, prlimit_arguments
from arena.sandbox.held_locks import DEVICES
from arena.sandbox.interpreter import SYSTEM, is_system, parents, private_places, refuse_private
from arena.sandbox.overlays import Overlays, OverlayTools
from arena.sandbox.procfs import covered
from arena.sandbox.program import PYTHON_FOLDER, TOKEN_VARIABLE, Program, environment
from arena.sandbox.runtimes import PATH, PYTHON_NAMES, Origin, Runtimes, python_name
from arena.sandbox.seccomp import program as seccomp_program
from arena.sandbox.status import SCRATCH, SHARED
from arena.sandbox.survivors import BOT_UIDS

BOT_FOLDER = Path("/bot")
ENGINE_FOLDER = Path("/engine")
PYTHON_PLACE = Path("/", PYTHON_FOLDER)
SETTINGS = ("alternatives", "java-*", "ld.so.cache", "localtime", "ssl/openssl.cnf")
"""What programs need of /etc; none of it tells anything of the host's people."""
OWN_PROCESS_COUNT = (5, 14)
"""The kernel from which on the processes of a user namespace are counted by themselves."""
NO_NESTED_NAMESPACES = (0, 8)
"""The bubblewrap that can forbid user namespaces within; seccomp forbids them as well."""
VERSION_S = 10.0

OTHER_SCRATCH = Path("/scratch")
"""Where the scratch is for a bot whose interpreter lies below the usual one, where it must not be emptied away."""

GO = b"\n"
_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")
"""Becomes what follows once it has read a line, no byte more; that is what shells have to do with a pipe."""
_MADE = frozenset({Path("/dev"), Path("/dev/shm"), Path("/proc")})  # noqa: S108 - in the sandbox
"""Folders that are mounted anyway."""
_SEPARATE = ("ipc", "pid", "net", "uts")
_ROOT_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
"""What setpriv needs to become the slot's account; it gives them up with that."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs that build a sandbox, and what is known of the machine; the same for all bots of a run."""

    bwrap: str
    version: tuple[int, ...]
    prlimit: str
    setpriv: str
    """Empty for an ordinary user, who does without."""
    seccomp: bytes | None
    """None on a machine type whose system calls are not known here."""
    seccomp_without_locks: bytes | None
    """For bots that see files which other bots see, too."""
    overlays: OverlayTools | None
    """None where bots can't have overlays of their own."""
    private: tuple[Path, ...]
    """Folders that must not be shown to any bot, not even within an interpreter's."""
    counts_processes: bool = True
    """Whether the kernel can count a bot's processes."""

    @property
    def as_root(self) -> bool:
        """Whether the bot gets an account of its own."""
        return bool(self.setpriv)


def find_tools(private: tuple[Path, ...] = ()) -> Tools:
    """Return the tools of this machine; `private` are more folders that no bot may see, such as the ledger's.

    Raises UsageError where one is missing, with how to get it.
    """
    as_root = os.geteuid() == 0
    bwrap = _find("bwrap", "bubblewrap")
    try:
        told = subprocess.run(
            [bwrap, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"{bwrap} does not run: {error}", "install bubblewrap anew") from None
    return Tools(
        bwrap=bwrap,
        version=_numbers(told.stdout),
        prlimit=_find_inside("prlimit"),
        setpriv=_find_inside("setpriv") if as_root else "",
        seccomp=seccomp_program(platform.machine()),
        seccomp_without_locks=seccomp_program(platform.machine(), locks=False),
        overlays=OverlayTools(_find("unshare", "util-linux"), _find("nsenter", "util-linux"), as_root),
        private=(*private_places(), *private),
        counts_processes=as_root or _numbers(platform.release()) >= OWN_PROCESS_COUNT,
    )


@dataclass(frozen=True, slots=True)
class Launch:
    """What Popen needs to start a bot in its sandbox, besides the bot's three pipes and a session of its own."""

    argv: tuple[str, ...]
    env: dict[str, str]
    """bubblewrap's own, which a bot may read from process 1: nothing of the arena's but the run's token."""
    pass_fds: tuple[int, ...]
    status: int
    """The descriptor to read reports from: `arena.sandbox.status.Status` takes it over."""
    scratch: Path
    """The folder, in the sandbox, that the bot may write to."""


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
) -> Iterator[Launch]:
    """Have what Popen needs to start a program whose files were copied to `staged`.

    What the bot sees of the host follows from the `runtimes` (default: Arena's Python alone) and from which of them
    its command names.

    A context around that start: what the sandbox inherits is closed here at its end, `status` only if it failed.
    `gated` holds the program back until `GO` is written to its standard input. Without `overlays`, or where they can't
    show what the program needs, it can't lock files.
    `slot` (0 … 999) is not another's on this machine while the bot lives; `engine` is the staged engine, for a program
    that asks for it. Files below both must be readable by everybody where the tools are root's.
    Raises UsageError where the program cannot be had inside, OSError where the system refuses a pipe.
    """
    if not 0 <= slot < len(BOT_UIDS):
        raise ValueError(f"slot {slot} is not within 0 … {len(BOT_UIDS) - 1}")
    runtimes = runtimes or Runtimes()
    found = runtimes.find_kept(program.command[0], staged)
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
    scratch = OTHER_SCRATCH if any(place.is_relative_to(SCRATCH) for place in found.shows) else SCRATCH
    variables = environment(
        token,
        scratch,
        None if shown_engine is None else ENGINE_FOLDER,
        programs if found.origin in (Origin.PYTHON, Origin.LISTED) else None,
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
            covers += ["--perms", "0444", "--ro-bind-data", str(inherited[-1]), path]
        options = [
            *_walls(tools),
            *_variables(variables),
            *python,
            *_system(sources),
            *_proc(covers),
            *_devices(None if own is None else own.devices),
            *_writable(scratch, bounds, made),
            *_shown(staged, shown_engine, found.shows, scratch, sources),
            "--json-status-fd",
            str(reports),
        ]
        calls = tools.seccomp_without_locks if own is None else tools.seccomp
        if calls is not None:
            inherited.append(_holding(calls, theirs))
            options += ["--seccomp", str(inherited[-1])]
        inherited.append(_holding("\0".join(options).encode(), theirs))
        yield Launch(
            # By --args, for process 1 bears its command line where the bot can read it.
            argv=(
                *(() if own is None else own.entering),
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


def _variables(variables: dict[str, str]) -> list[str]:
    options = ["--clearenv"]
    for name, value in variables.items():
        options += ["--setenv", name, value]
    return options


def _overlaid(
    overlays: Overlays | None, slot: int, shown: tuple[Path, ...], engine: Path | None
) -> dict[Path, Path] | None:
    """Return where the bot's own of each shared place is; None where one cannot be had."""
    if overlays is None:
        return None
    sources: dict[Path, Path] = {}
    for place in (*system_folders(), *_settings(), *shown, *(() if engine is None else (engine,))):
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
    """Return the options for the devices; `unchanging` holds some whose times can't be set."""
    # Terminals are counted for the whole machine.
    options = ["--dev", "/dev", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    if unchanging is not None:
        for device in DEVICES:
            options += ["--dev-bind", str(unchanging / device.name), str(device)]
    # What is mapped of /dev/zero is memory that nobody sees; /dev/full reads the same and can't be mapped.
    full = Path("/dev/full") if unchanging is None else unchanging / "full"
    return [*options, "--dev-bind", str(full), "/dev/zero"]


def _writable(scratch: Path, bounds: Bounds, made: tuple[Path, Path] | None) -> list[str]:
    """Return the options for the scratch and the shared memory; `made` are folders in memory that bound their files."""
    if made is not None:
        options = ["--bind", str(made[0]), str(scratch), "--bind", str(made[1]), str(SHARED)]
    else:
        # Each modifier is for the next mount alone. Root makes these folders, and the bot is another account.
        options = ["--perms", "1777", "--size", str(bounds.scratch_bytes), "--tmpfs", str(scratch)]
        options += ["--perms", "1777", "--size", str(bounds.shared_bytes), "--tmpfs", str(SHARED)]
    return [*options, "--remount-ro", "/dev"]


def _shown(
    staged: Path,
    engine: Path | None,
    shown: tuple[Path, ...],
    scratch: Path,
    sources: Mapping[Path, Path],
) -> list[str]:
    """Return the options that show the bot's runtime and its files; of mounts on one place, the last counts."""
    options = _bound(shown, sources, made=scratch)
    if engine is not None:
        options += ["--ro-bind", str(sources.get(engine, engine)), str(ENGINE_FOLDER)]
    options += ["--ro-bind", str(staged), str(BOT_FOLDER), "--chdir", str(BOT_FOLDER)]
    return [*options, "--remount-ro", "/"]


@cache
def system_folders() -> tuple[Path, ...]:
    """Return the folders of the system that every bot sees, without those that are links."""
    return tuple(folder for folder in SYSTEM if folder.is_dir() and not folder.is_symlink())


@cache
def _links() -> tuple[str, ...]:
    options: list[str] = []
    for folder in SYSTEM:
        if folder.is_symlink():
            options += ["--symlink", str(folder.readlink()), str(folder)]
    return tuple(options)


@cache
def _settings() -> tuple[Path, ...]:
    return tuple(place for pattern in SETTINGS for place in sorted(Path("/etc").glob(pattern)))


def _system(sources: Mapping[Path, Path]) -> list[str]:
    """Return the options that show what every bot sees of the system."""
    options = list(_links())
    for folder in system_folders():
        options += ["--ro-bind", str(sources.get(folder, folder)), str(folder)]
    return [*options, *_bound(_settings(), sources)]


_refuse_private = cache(refuse_private)
"""Looked at once a program: links are followed for it."""


def _python(program: Path, settings: int) -> list[str]:
    """Return the options that make a Python environment without packages; `settings` is where its file is read."""
    options: list[str] = []
    for folder in (PYTHON_PLACE, PYTHON_PLACE / "bin"):
        options += ["--perms", "0755", "--dir", str(folder)]
    for name in PYTHON_NAMES:
        options += ["--symlink", str(program), str(PYTHON_PLACE / "bin" / name)]
    return [*options, "--perms", "0444", "--file", str(settings), str(PYTHON_PLACE / "pyvenv.cfg")]


def _bound(places: tuple[Path, ...], sources: Mapping[Path, Path], made: Path | None = None) -> list[str]:
    """Return the options that show places where they are; the folders above them, but `made`, show nothing else."""
    options: list[str] = []
    for folder in parents(places):
        if folder not in _MADE and folder != made:
            options += ["--perms", "0755", "--dir", str(folder)]
    for place in places:
        options += ["--ro-bind", str(sources.get(place, place)), str(place)]
    return options


def _steps_down(tools: Tools, slot: int, bounds: Bounds, *, gated: bool) -> list[str]:
    """Return the commands that start each other inside, before the bot: another account for root's, then the bounds.

    Inside, because a process count set outside would also count what bubblewrap starts and has not reaped.
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
    """Return a descriptor to read the data from, until its end; a pipe holds far more than is ever sent here."""
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
    """Return where a program is that runs inside the sandbox, where only the system's folders are."""
    found = _find(name, "util-linux")
    if not is_system(Path(found)):
        found = shutil.which(name, path=PATH) or ""
    if not found:
        raise UsageError(f"the program {name} is not below /usr", "install the package util-linux")
    return found


def _numbers(text: str) -> tuple[int, ...]:
    """Return the first numbers with dots between them; none where there are none."""
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()
