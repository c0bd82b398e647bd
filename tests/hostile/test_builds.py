"""Builds that attack: each is stopped by a limit or finds nothing, and none leaves anything but its own files."""

import ctypes
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from arena.config.settings import BuildTable
from arena.core.errors import ArenaError
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.submissions.build_run import run_build
from arena.submissions.folder import File
from tests.support.leagues import running_with
from tests.support.sandbox import (
    as_ordinary_user,
    be_of_a_python_for_all,
    needs_bwrap,
    needs_ordinary_user,
    open_folder,
)
from tests.support.submissions import confined
from tests.support.waiting import eventually

LIMITS = BuildTable(wall_s=20, cpu_s=20, memory_mib=256, processes=64, disk_mib=48, files=4_000, output_mib=1)
MARK = str(987_654_000_000 + os.getpid())
"""How long builds sleep, by which their processes are known: other tests run builds, too."""
HASTY = msgspec.structs.replace(LIMITS, wall_s=1)
FRUGAL = msgspec.structs.replace(LIMITS, cpu_s=1)
SECRET = "a secret of the host"  # noqa: S105 - not one
PR_SET_DUMPABLE = 4
NOTHING = r"built: build\.sh$"
"""Only its own file is there afterwards."""


@dataclass(frozen=True)
class Attack:
    name: str
    lines: str
    """Of shell; `{place}` is a folder with a file `secret`, `{port}` a port on which a program of the host listens."""
    outcome: str
    """What `outcome` returns, as a regular expression."""
    limits: BuildTable = LIMITS


ATTACKS = [
    # what it leaves
    Attack("a link", "ln -s {place}/secret x", "the built folder/x is a link"),
    Attack("a link for a folder", "ln -s / x", "the built folder/x is a link"),
    Attack("a pipe", "mkfifo x", "the built folder/x is not a regular file"),
    Attack("a device", "mknod x c 1 3; ln -s /dev/zero y", "the built folder/y is a link"),
    Attack("a setuid program", "echo x > x; chmod 6755 x", r"built: build\.sh x\*$"),
    Attack("a hard link", "echo x > a; ln a b", r"built: a b build\.sh$"),
    Attack(
        "folders deeper than a stack",
        "i=0; while [ $i -lt 1200 ]; do mkdir a && cd -P a || exit 0; i=$((i+1)); done",
        "(folders deep|too large|cannot be read)",
    ),
    Attack("a sparse file", "truncate -s 40M x", "the built folder is too large: it has more than 32 MiB"),
    Attack("a huge sparse file", "truncate -s 100G x || kill -9 $$", "the build was ended by SIG"),
    Attack(
        "many files",
        "mkdir x; cd x; seq 1500 | xargs touch",
        r"too large: it has more than 1,000 files(.|\n)*x/ has 1,500",
    ),
    Attack("deep folders", "for i in $(seq 30); do mkdir d; cd d; done; touch x", "is 17 folders deep"),
    Attack("a newline in a name", "touch 'a\nb'", r"the built folder/a\\nb has a name with control characters"),
    Attack("an escape in a name", "touch \"$(printf 'a\\033[2J')\"", r"the built folder/a\\x1b\[2J has a name"),
    Attack("a name that isn't UTF-8", "touch \"$(printf 'a\\377')\"", r"the built folder/a\\xff has a name"),
    Attack("names that differ in case", "touch A.txt a.txt", "A.txt' are the same name on some systems"),
    Attack("names that Unicode folds", "touch k \N{KELVIN SIGN}", "are the same name on some systems"),
    Attack("a locked folder", "mkdir x; touch x/y; chmod 0 x", r"(built: build\.sh x/y|x cannot be read)"),
    # limits
    Attack("a full disk", "dd if=/dev/zero of=$HOME/x bs=1M count=100", "wrote more than 48 MiB or 4,000 files"),
    Attack(
        "a full disk, quietly", "dd if=/dev/zero of=$HOME/x bs=1M 2> /dev/null; rm $HOME/x; exit 0", NOTHING
    ),
    Attack("too many files", "mkdir x; cd x; seq 100000 | xargs touch 2> /dev/null", "48 MiB or 4,000 files"),
    Attack("much output", "yes", "the build printed more than 1 MiB; the end of its output"),
    Attack("much on both", "yes & yes >&2", "the build printed more than 1 MiB"),
    Attack("forever", "sleep 1000", "the build took longer than 1 s", HASTY),
    Attack("deaf", "trap '' TERM INT HUP; while :; do sleep 1; done", "took longer than 1 s", HASTY),
    Attack("all cores", "for i in 1 2 3; do while :; do :; done & done; wait", "used more than 1 s of CPU", FRUGAL),
    Attack(
        "memory",
        "{python} -c 'x = bytearray(1 << 30); import time; time.sleep(9)'",
        "the build used more than 256 MiB of memory|was ended by SIGKILL",
    ),
    Attack(
        "memory in many processes",
        "for i in 1 2 3 4 5 6; do {python} -c 'x = bytearray(60 << 20); import time; time.sleep(9)' & done; wait",
        "the build used more than 256 MiB of memory|was ended by SIGKILL",
    ),
    Attack("a fork bomb", "b() { b | b & }; b; sleep 1; exit 1", "the build (exited with code|took longer)"),
    # what it finds
    Attack(
        "the network",
        "{python} -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\"",
        "exited with code 1",
    ),
    Attack(
        "names of hosts",
        "{python} -c \"import socket; socket.getaddrinfo('example.org', 80)\"",
        "exited with code 1",
    ),
    Attack("files of the host", "cat {place}/secret", "No such file or directory"),
    Attack("the place of the store", "ls {place} /home /root /work ~/.. && exit 1", "(?s)(?!.*secret)"),
    Attack("the environment", "env | grep -i -e secret -e SSH -e PYTEST && exit 1; exit 0", NOTHING),
    Attack("other processes", "ls /proc | grep -c '^[0-9]'; exit 1", r"(?m)^[1-9]$"),
    Attack("outside", "for f in /x /usr/x /etc/x /bot/../x /proc/x; do (echo x > $f) && exit 1; done; exit 0", NOTHING),
    Attack("its account", "setpriv --reuid 0 id && exit 1; mount -t tmpfs x /mnt && exit 1; exit 0", NOTHING),
    # what it leaves running
    Attack("a daemon", f"(trap '' HUP TERM; setsid sleep {MARK} > /dev/null 2>&1 < /dev/null &) ; exit 0", NOTHING),
    Attack("a daemon that holds the output", f"sleep {MARK} & exit 0", NOTHING),
    Attack(
        "a swapper",
        "mkdir d; echo good > d/secret; (while :; do mv d e; ln -s {place} d; rm d; mv e d; done) > /dev/null 2>&1 &\n"
        "sleep 0.3",
        r"(built: (build\.sh( [de]/secret)?)$|is a link|cannot be read)",
    ),
]  # fmt: skip

QUICK = "a swapper"
"""The attack that stands for all in the quick tests."""


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        yield listener.getsockname()[1]
        with pytest.raises(BlockingIOError):
            listener.accept()


def outcome(lines: str, limits: BuildTable, confinement: Confinement | None = None) -> str:
    """Return what comes of a build: the names of the files that it left, or the error."""
    source = [File("build.sh", False, f"{lines}\n".encode())]
    try:
        result = run_build(source, ("sh", "build.sh"), confinement or confined(), limits)
    except ArenaError as error:
        return f"{error}\n{error.hint}"
    assert SECRET not in result.words
    assert not any(SECRET.encode() in file.content for file in result.files)
    return "built: " + " ".join(file.path + "*" * file.executable for file in result.files)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have a folder with a secret, and another one for temporary files; both are as before at the end."""
    with open_folder() as made:
        (made / "secret").write_text(SECRET)
        (made / "tmp").mkdir()
        (made / "tmp").chmod(0o1777)
        monkeypatch.setattr("tempfile.tempdir", str(made / "tmp"))
        yield made
        assert (made / "secret").read_text() == SECRET
        assert sorted(path.name for path in made.iterdir()) == ["secret", "tmp"]
        assert not list((made / "tmp").iterdir())
        assert not running_with(MARK)


@pytest.mark.parametrize(
    "who",
    [
        pytest.param("root", marks=needs_bwrap),
        pytest.param("ordinary user with overlays", marks=[needs_ordinary_user, pytest.mark.slow]),
        pytest.param("ordinary user", marks=[needs_ordinary_user, pytest.mark.slow]),
    ],
)
@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(attack, id=attack.name, marks=() if attack.name == QUICK else pytest.mark.slow)
        for attack in ATTACKS
    ],
)
def test_an_attack_comes_to_nothing(attack: Attack, who: str, port: int, place: Path) -> None:
    lines = attack.lines
    for name, value in (("place", place), ("port", port), ("python", "/usr/bin/python3")):
        lines = lines.replace(f"{{{name}}}", str(value))
    if who == "root":
        came = outcome(lines, attack.limits)
    else:

        def work() -> str:
            be_of_a_python_for_all()
            if "overlays" in who:
                ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1)  # undone by the change of account
            return outcome(lines, attack.limits)

        came = as_ordinary_user(work)
    assert re.search(attack.outcome, came), came
    assert SECRET not in came


@pytest.mark.slow
def test_what_a_build_without_a_sandbox_leaves_running_is_ended(place: Path) -> None:  # noqa: ARG001 - looks afterwards
    assert (
        outcome(f"(setsid sleep {MARK} > /dev/null 2>&1 &)\nsleep {MARK} &", LIMITS, UNCONFINED)
        == "built: build.sh"
    )
    assert outcome(f"trap '' TERM; sleep {MARK}", HASTY, UNCONFINED).startswith(
        "the build took longer than 1 s"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("yes", "printed more than 1 MiB"),
        ("ln -s / x", "the built folder/x is a link"),
        (
            "for i in 1 2 3 4 5 6 7 8; do head -c 10M /dev/zero > $HOME/$i; done; sleep 9",
            "wrote more than 48 MiB",
        ),
        ("while :; do :; done", "used more than 1 s of CPU time"),
    ],
)
def test_limits_hold_without_a_sandbox(lines: str, message: str, place: Path) -> None:  # noqa: ARG001 - as above
    assert message in outcome(lines, FRUGAL, UNCONFINED)


@pytest.mark.gate
@pytest.mark.slow
@needs_bwrap
def test_a_killed_submitter_leaves_nothing_behind(place: Path) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            outcome(f"sleep {MARK}", LIMITS)
        finally:
            os._exit(0)
    assert eventually(lambda: running_with(MARK))
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert eventually(lambda: not running_with(MARK) and not list((place / "tmp").iterdir()))
