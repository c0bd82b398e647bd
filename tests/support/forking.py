"""Commands as processes of their own, without what it takes to load Arena again for each.

A server that has loaded the program forks for each command: own process, own session, own files; what goes before
it is all that a real start has more. Some tests start the real thing, and so prove that.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import arena.cli
import arena.league
import results
from tests.support.known_secrets import know_secrets

_MOST_BYTES = 1 << 20
_ROOT = Path(__file__).parents[2]


class Started:
    """A command that was started; what of `subprocess.Popen` tests need."""

    def __init__(self, pid: int, ends: IO[bytes]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ends = ends

    def poll(self) -> int | None:
        """Return the exit code, or minus the signal that killed it; None while it runs."""
        return self._wait(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code. Raises TimeoutExpired, after so many seconds."""
        code = self._wait(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("arena", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def _wait(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ends], [], [], timeout)[0]:
            self.returncode = os.waitstatus_to_exitcode(int(self._ends.read()))
            self._ends.close()
        return self.returncode


class _Server:
    """The process that forks; begun when it is first needed, ended with this one."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            cwd=_ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()
        atexit.register(self.end)

    def start(
        self,
        arguments: list[str],
        cwd: Path,
        env: Mapping[str, str],
        files: tuple[int, int, int],
        *,
        session: bool,
    ) -> Started:
        """Start a command with these files for its standard ones, perhaps in a session of its own."""
        os.umask(umask := os.umask(0o077))
        request = {
            "arguments": arguments,
            "cwd": str(cwd),
            "env": dict(env),
            "session": session,
            "umask": umask,
        }
        ends, begins = os.pipe()
        try:
            socket.send_fds(self._socket, [json.dumps(request).encode()], [*files, begins])
        finally:
            os.close(begins)
        told = os.fdopen(ends, "rb", buffering=0)
        return Started(int.from_bytes(told.read(8), "big"), told)

    def end(self) -> None:
        """Have it end once all commands have."""
        self._socket.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)


_servers: dict[int, _Server] = {}
"""By the process that has it."""


def start(
    arguments: list[str],
    cwd: Path,
    files: tuple[int, int, int],
    env: Mapping[str, str] | None = None,
    *,
    session: bool = False,
) -> Started:
    """Start a command; `files` are for standard input, output and error, the environment is this process's."""
    if os.getpid() not in _servers:
        _servers[os.getpid()] = _Server()
    return _servers[os.getpid()].start(
        arguments, cwd, os.environ if env is None else env, files, session=session
    )


def run(
    arguments: list[str], cwd: Path, env: Mapping[str, str] | None = None, timeout_s: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in this process's environment or another. Raises TimeoutExpired."""
    with Path(os.devnull).open() as nothing, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = start(arguments, cwd, (nothing.fileno(), out.fileno(), err.fileno()), env)
        try:
            code = started.wait(timeout_s)
        finally:
            started.kill()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(["arena", *arguments], code, *texts)


# The server


def _serve(asked: socket.socket) -> list[str] | None:
    """Fork for every request; return None at the end, and in a process that is to be a command its arguments."""
    while True:
        data, files, _, _ = socket.recv_fds(asked, _MOST_BYTES, 4)
        _reap(os.WNOHANG)
        if not data:
            _reap(0)
            return None
        if os.fork() == 0:
            asked.close()
            return _mind(json.loads(data), files)
        for file in files:
            os.close(file)


def _reap(options: int) -> None:
    """Wait for those that have ended, or for all; so their time is counted as this process's children's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _mind(request: dict[str, Any], files: list[int]) -> list[str]:
    """Fork once more; tell in one process how the other ends, which is the command: there, return its arguments."""
    *standard, ends = files
    pid = os.fork()
    if pid:
        for file in standard:
            os.close(file)
        os.write(ends, pid.to_bytes(8, "big"))
        _, status = os.waitpid(pid, 0)
        os.write(ends, str(status).encode())
        os._exit(0)
    os.close(ends)
    for number, file in enumerate(standard):
        os.dup2(file, number)
        os.close(file)
    if request["session"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.umask(request["umask"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    arguments: list[str] = request["arguments"]
    return arguments


def _load() -> None:
    """Load whatever a command may need, and know the secrets of the seeds that leagues of tests have."""
    for package in (arena.cli, arena.league, results):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    know_secrets()
    gc.freeze()


if __name__ == "__main__":
    _load()
    with socket.socket(fileno=int(sys.argv[1])) as _asked:
        _arguments = _serve(_asked)
    if _arguments is not None:
        sys.argv[1:] = _arguments
        arena.cli.main()
