"""Programs inside the real sandbox, as root starts them and as an ordinary user does, and the ways to keep bots."""

import ctypes
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import psutil
import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from arena.sandbox.bot_program import TOKEN_VARIABLE, Bounds, Program
from arena.sandbox.bubblewrap import Tools, find_tools
from arena.sandbox.bubblewrap_status import Status
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.probe import REQUIRED, running_inside
from arena.sandbox.runtimes import Runtimes
from arena.sandbox.shared_folder_overlays import Overlays, OverlayTools

T = TypeVar("T")
ORDINARY = 65_000
"""The number of an account without any right, for tests that root starts."""
IS_ROOT = os.geteuid() == 0
SLOT = 2 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""The first of this process's two slots: bots of one slot are counted together."""
TOKEN = "sandbox-test/1"  # noqa: S105 - a mark, not a secret
PATIENCE_S = 60.0
PR_SET_DUMPABLE = 4
OPENED = """
import json, sys
opened = []
for path in sys.argv[2:]:
    try:
        open(path, sys.argv[1]).close()
        opened.append(path)
    except OSError:
        pass
print(json.dumps(opened))
"""
"""A program: prints which of the paths given can be opened in a mode, as JSON."""


def _python() -> str:
    """Return the command of a Python that an ordinary user can run: the system's where ours is in root's home."""
    real = Path(os.path.realpath(sys.executable))
    if not IS_ROOT or all(folder.stat().st_mode & 0o001 for folder in real.parents):
        return "python3"
    return "/usr/bin/python3"


PYTHON = _python()


def be_of_a_python_for_all() -> None:
    """Have this process take itself for one of the system's Python where an ordinary user cannot run ours."""
    if PYTHON != "python3":
        sys.executable = sys._base_executable = PYTHON  # type: ignore[attr-defined]  # how `venv` finds it, too
        sys.prefix = sys.exec_prefix = sys.base_prefix = sys.base_exec_prefix = "/usr"


def _may_have_namespaces(user: int | None) -> bool:
    """Return whether bubblewrap is there and may do what it is for, for this user or for that one."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return False
    unshared = [] if IS_ROOT and user is None else ["--unshare-user"]
    unshared += ["--unshare-pid", "--unshare-net", "--unshare-ipc"]
    become = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    done = subprocess.run(
        [bwrap, *unshared, "--ro-bind", "/", "/", "--proc", "/proc", "true"],
        capture_output=True,
        check=False,
        **become,  # type: ignore[call-overload]
    )
    return bool(done.returncode == 0)


needs_bwrap = pytest.mark.skipif(
    not _may_have_namespaces(None), reason="bubblewrap is not installed, or not allowed to work"
)
needs_ordinary_user = pytest.mark.skipif(
    shutil.which(PYTHON) is None or not _may_have_namespaces(ORDINARY if IS_ROOT else None),
    reason="bubblewrap is not installed, or ordinary users may not have namespaces, or no Python",
)
needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root can start bots under other accounts")


class Sandbox(Struct):
    """A folder with a bot in it, and the means to start that."""

    tools: Tools
    place: Path
    is_user: bool
    """Whether root has to become an ordinary user for the start."""
    runtimes: Runtimes = field(default_factory=Runtimes)
    overlays: Overlays | None = None

    @property
    def staged(self) -> Path:
        return self.place / "bot"

    @contextmanager
    def start_command(
        self,
        command: tuple[str, ...],
        *,
        bounds: Bounds | None = None,
        slot: int = SLOT,
        engine: Path | None = None,
    ) -> "Iterator[tuple[subprocess.Popen[str], Status]]":
        """Have a program running inside; killed at the end of the context."""
        with running_inside(
            self.tools,
            Program(self.staged, command, engine=engine is not None),
            slot,
            TOKEN,
            bounds=bounds,
            runtimes=self.runtimes,
            engine=engine,
            overlays=self.overlays,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **({"user": ORDINARY, "group": ORDINARY, "extra_groups": []} if self.is_user else {}),
        ) as running:
            yield running

    def start(
        self,
        source: str,
        *arguments: str,
        bounds: Bounds | None = None,
        slot: int = SLOT,
        engine: Path | None = None,
    ) -> "AbstractContextManager[tuple[subprocess.Popen[str], Status]]":
        """Have a Python program running inside; killed at the end of the context."""
        (self.staged / "bot.py").write_text(source)
        return self.start_command((PYTHON, "bot.py", *arguments), bounds=bounds, slot=slot, engine=engine)

    def run(
        self, source: str, *arguments: str, bounds: Bounds | None = None, engine: Path | None = None
    ) -> str:
        """Return what a Python program writes inside; it has to end well."""
        with self.start(source, *arguments, bounds=bounds, engine=engine) as (process, _):
            told, errors = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, errors
            return told.strip()


def sandbox(place: Path, name: str) -> Sandbox:
    """Return the sandbox as `root` or as an `ordinary user` starts it, with an empty bot below `place`.

    Its bots can lock no file: for that see `overlaid`.
    """
    tools = find_tools()
    is_user = name != "root"
    if is_user:
        tools = replace(tools, setpriv="")
    (place / "bot").mkdir()
    return Sandbox(tools, place, is_user and os.geteuid() == 0)


@contextmanager
def overlaid(inside: Sandbox) -> Iterator[Sandbox]:
    """Have the same sandbox with overlays of its own."""
    found = inside.tools.overlays
    assert found is not None
    as_root = inside.tools.as_root
    unshare, python = found.unshare, found.python
    if inside.is_user:
        python = shutil.which(PYTHON) or PYTHON
        wrapper = inside.place / "unshare"
        wrapper.write_text(
            f'#!/bin/sh\nexec setpriv --reuid {ORDINARY} --regid {ORDINARY} --clear-groups {unshare} "$@"\n'
        )
        wrapper.chmod(0o755)
        unshare = str(wrapper)
    tools = OverlayTools(unshare, found.nsenter, python, as_root)
    with Overlays(tools, inside.place / "overlays") as overlays:
        yield replace(inside, overlays=overlays)


@contextmanager
def open_folder() -> Iterator[Path]:
    """Have a folder that everybody can look into, which those of pytest are not."""
    place = Path(tempfile.mkdtemp(prefix="arena-sandbox-test-"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        remove_tree(place)


def as_ordinary_user(work: Callable[[], T], before: Callable[[], object] = lambda: None) -> T:
    """Return what `work` returns, or raise what it raises, in a process of an ordinary user: of this one if not root.

    That process does what is to be done `before` as long as it is root's. Its result has to be one to pickle.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        result: tuple[T | None, BaseException | None]
        try:
            before()
            if IS_ROOT:
                os.setgroups([])
                os.setgid(ORDINARY)
                os.setuid(ORDINARY)
                ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1)  # as after exec; otherwise its /proc stays root's
                os.environ["HOME"] = "/nonexistent"
            os.chdir("/")
            result = work(), None
        except BaseException as error:  # noqa: BLE001 - it must not go on as a second pytest
            result = None, error
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(result, pipe)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    returned, raised = pickle.loads(told)  # noqa: S301 - our own child
    if raised is not None:
        raise raised
    return cast("T", returned)


DAEMON = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(600)"


def marked(token: str, program: str = "import time; time.sleep(600)") -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-S", "-c", program], env={TOKEN_VARIABLE: token})


def guardians(folder: Path) -> list[int]:
    """Return the guardians of runs whose temporary files are in a folder or below it."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if "arena.sandbox.run_folder" in (words := process.info["cmdline"] or [])
        and words[-1].startswith(str(folder))
        and process.status() != psutil.STATUS_ZOMBIE
    ]


PROCESS = "process"
CONFINED = "confined"
WITHOUT_GROUP = "confined without a control group"
ORDINARY_USER = "confined by an ordinary user"
"""Where the tests are an ordinary user's already, the same as the one before it."""


def columns(*names: str, slow: tuple[str, ...] = ()) -> list[Any]:
    """Return columns as parameters for pytest; those in `slow` are left out of the quick suite."""
    marks = {
        CONFINED: [needs_bwrap],
        WITHOUT_GROUP: [needs_bwrap, needs_root],
        ORDINARY_USER: [needs_ordinary_user],
    }
    return [
        pytest.param(name, marks=[*marks.get(name, []), *([pytest.mark.slow] if name in slow else [])])
        for name in names
    ]


def confinement_of(column: str, bounds: Bounds | None = None) -> Confinement:
    """Return how bots are kept in a column; fails where a sandbox is wanted and does not hold."""
    if column == PROCESS:
        return replace(UNCONFINED, bounds=bounds or Bounds())
    found = _confinement(os.geteuid())
    if column == WITHOUT_GROUP:
        found = replace(found, delegation=None)
    return replace(found, bounds=bounds or Bounds())


@cache
def _confinement(_uid: int) -> Confinement:
    found, report = choose("require", Bounds())
    assert found.level >= REQUIRED, report.lines()
    return found


def in_column(column: str, work: Callable[[], None]) -> None:
    """Do what a test does as the user whose column it is; fails as `work` fails."""
    if column != ORDINARY_USER:
        work()
        return

    as_ordinary_user(work, before=be_of_a_python_for_all)
