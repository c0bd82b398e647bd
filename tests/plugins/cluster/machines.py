"""Machines that are as far apart as one kernel allows: each has an account, a home, a network and files of its own.

All of them hang on one bridge, in a network namespace of its own, so nothing of this machine's network is touched.
What they need of this Python they see at its usual path, and nothing else of a folder that is closed to others.
"""

import contextlib
import os
import pwd
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("ip", "unshare", "setpriv", "mount", "useradd", "userdel")
HUB = "hub"
NETWORK = "10.203.0"


def why_none() -> str:
    """Return why there can be no such machines here; empty if there can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "needs Linux and root, to make accounts and networks"
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        return f"needs {', '.join(missing)}"
    name = f"arena-{secrets.token_hex(3)}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if tried.returncode:
        return f"no network namespaces: {tried.stderr.strip()}"
    words = ["ip", "-n", name, "link", "add", "one", "type", "veth", "peer", "name", "other"]
    tried = subprocess.run(words, capture_output=True, text=True, check=False)
    _run("ip", "netns", "del", name)
    return f"no pairs of network devices: {tried.stderr.strip()}" if tried.returncode else ""


class Machine:
    """One machine."""

    def __init__(self, network: "Network", name: str, number: int, opened: contextlib.ExitStack) -> None:
        """Make it; `opened` removes it."""
        self.name = name
        self.address = f"{NETWORK}.{number}"
        self.account = f"{network.prefix}-{name}"
        self.home = network.folder / name
        _run("useradd", "--create-home", "--home-dir", str(self.home), "--shell", "/bin/sh", self.account)
        opened.callback(_run, "userdel", "--remove", self.account)
        self.uid = pwd.getpwnam(self.account).pw_uid
        self.gid = pwd.getpwnam(self.account).pw_gid
        self.home.chmod(0o700)
        self._hub = f"{network.prefix}-{HUB}"
        _run("ip", "netns", "add", self.account)
        opened.callback(_run, "ip", "netns", "del", self.account)
        ends = ("eth0", "netns", self.account, "type", "veth", "peer", "name", name)
        _run("ip", "-n", self._hub, "link", "add", *ends)
        _run("ip", "-n", self._hub, "link", "set", "dev", name, "master", "bridge", "up")
        _run("ip", "-n", self.account, "address", "add", f"{self.address}/24", "dev", "eth0")
        _run("ip", "-n", self.account, "link", "set", "eth0", "up")
        _run("ip", "-n", self.account, "link", "set", "lo", "up")
        opened.callback(self._end)

    @property
    def around(self) -> tuple[str, ...]:
        """The words before a command that let this machine run it, under its account, in its home."""
        return (
            *("ip", "netns", "exec", self.account, "unshare", "--mount", "sh", "-ec", _view(), "sh"),
            *("setpriv", f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"),
            *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"),
            *(
                "env",
                "-i",
                "-C",
                str(self.home),
                *(f"{name}={what}" for name, what in self._environment.items()),
            ),
        )

    @property
    def _environment(self) -> Mapping[str, str]:
        return {
            "PATH": os.defpath,
            "HOME": str(self.home),
            "USER": self.account,
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def give(self, folder: Path, name: str) -> Path:
        """Copy a folder into its home, readable for its account alone; return the copy."""
        place = self.home / name
        shutil.copytree(folder, place)
        for path in (place, *place.rglob("*")):
            os.chown(path, self.uid, self.gid)
            path.chmod(0o700 if path.is_dir() else 0o600)
        return place

    def start(self, *words: str, log: Path) -> "subprocess.Popen[bytes]":
        """Start a command; what it says is added to a file."""
        with log.open("ab") as file:
            return subprocess.Popen(
                [*self.around, *words],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def run(self, *words: str) -> str:
        """Run a command to its end; return what it prints."""
        done = subprocess.run(
            [*self.around, *words], capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, f"{shlex.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def processes(self) -> list[int]:
        """Return all processes of its account, its bots included."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                state = (path / "stat").read_text().rpartition(")")[2].split()[0]
                if path.stat().st_uid == self.uid or _real_uid(path) == self.uid:
                    found += [int(path.name)] if state != "Z" else []
        return found

    def signal(self, number: int) -> None:
        """Send a signal to all its processes."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def cut(self) -> None:
        """Cut its link: what is sent either way is lost, and nobody is told."""
        _run("ip", "-n", self._hub, "link", "set", "dev", self.name, "down")

    def mend(self) -> None:
        """Mend its link."""
        _run("ip", "-n", self._hub, "link", "set", "dev", self.name, "up")

    def _end(self) -> None:
        self.signal(signal.SIGKILL)
        assert eventually(lambda: not self.processes())


class Network:
    """The machines, and the bridge between them. A context manager; nothing of it is left afterwards."""

    def __init__(self) -> None:
        self.prefix = f"arena-{secrets.token_hex(3)}"
        self.machines: dict[str, Machine] = {}
        self._opened = contextlib.ExitStack()

    def __enter__(self) -> "Network":
        with contextlib.ExitStack() as opened:
            self.folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix=f"{self.prefix}-")))
            self.folder.chmod(0o755)
            hub = f"{self.prefix}-{HUB}"
            _run("ip", "netns", "add", hub)
            opened.callback(_run, "ip", "netns", "del", hub)
            _run("ip", "-n", hub, "link", "add", "bridge", "type", "bridge")
            _run("ip", "-n", hub, "link", "set", "bridge", "up")
            self._opened = opened.pop_all()
        return self

    def add(self, name: str) -> Machine:
        """Add a machine."""
        machine = self.machines[name] = Machine(self, name, len(self.machines) + 1, self._opened)
        return machine

    def __exit__(self, *_: object) -> None:
        self._opened.close()


def _real_uid(process: Path) -> int:
    line = next(line for line in (process / "status").read_text().splitlines() if line.startswith("Uid:"))
    return int(line.split()[1])


def _view() -> str:
    """Return a script that shows this Python and this copy of Arena to other accounts, then runs its arguments.

    They may lie in a folder that is closed to others: a home, for instance. Over it comes an empty one with what is
    needed alone. All of it holds for this command only.
    """
    needed = sorted({Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), ROOT})
    covers = {path: top for path in needed if (top := _closed(path)) is not None}
    lines = ["stash=/run", "mount -t tmpfs none $stash"] if covers else []
    for number, path in enumerate(covers):
        lines += [f"mkdir $stash/{number}", f"mount --bind {shlex.quote(str(path))} $stash/{number}"]
    lines += [
        f"mount -t tmpfs -o mode=755 none {shlex.quote(str(top))}" for top in sorted(set(covers.values()))
    ]
    for number, path in enumerate(covers):
        shown = shlex.quote(str(path))
        lines += [f"mkdir -p {shown}", f"mount --bind $stash/{number} {shown}"]
    return "\n".join([*lines, 'exec "$@"'])


def _closed(path: Path) -> Path | None:
    """Return the topmost folder on the way to a path that others can't enter."""
    return next((top for top in (*reversed(path.parents), path) if not top.stat().st_mode & 0o001), None)


def _run(*words: str) -> None:
    done = subprocess.run([*words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"
