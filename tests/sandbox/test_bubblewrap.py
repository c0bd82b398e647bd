"""What a bot can do inside, tried by real programs in the real sandbox, started by root and by an ordinary user."""

import json
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from arena.core.errors import UsageError
from arena.sandbox.bot_program import MIB, Bounds, Program
from arena.sandbox.bubblewrap import NO_NESTED_NAMESPACES, find_tools, launch
from arena.sandbox.bubblewrap_status import SCRATCH, Status
from arena.sandbox.folder_removal import empty
from arena.sandbox.runtimes import OTHER_SCRATCH, Runtime, Runtimes
from arena.sandbox.survivors import BOT_UIDS
from tests.support.sandbox import (
    OPENED,
    ORDINARY,
    PATIENCE_S,
    SLOT,
    TOKEN,
    Sandbox,
    as_ordinary_user,
    needs_bwrap,
    needs_ordinary_user,
    open_folder,
    sandbox,
)
from tests.support.waiting import eventually

pytestmark = needs_bwrap
ROOT = Path(__file__).parents[2]
SYSCALL = "import ctypes, errno, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"


def test_a_bot_speaks_through_its_pipes_and_reads_its_files(inside: Sandbox) -> None:
    (inside.staged / "cards.py").write_text("SUITS = 4")
    source = "import cards\nfor line in __import__('sys').stdin: print(cards.SUITS, line, end='')"
    with inside.start(source) as (process, _):
        assert process.communicate("one\ntwo\n", timeout=PATIENCE_S)[0] == "4 one\n4 two\n"


def test_the_arenas_environment_is_not_to_be_read_from_process_1(
    inside: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_LEAGUE", "canary")
    told = inside.run(
        "import os\nprint(os.environ)\n"
        "for name in ('environ', 'cmdline'):\n"
        "    try: print(open(f'/proc/1/{name}').read())\n"
        "    except PermissionError: print('denied')"
    )
    assert "canary" not in told
    assert "SECRET" not in told
    assert TOKEN in told, "by which survivors are found"
    assert str(inside.place) not in told, "paths of the host"


def test_nothing_of_the_kernel_can_be_set(inside: Sandbox) -> None:
    told = inside.run(
        OPENED, "r+", "/proc/sys/kernel/core_pattern", "/proc/sys/user/max_user_namespaces",
        "/proc/sys/net/ipv4/ip_forward", "/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/proc/self/uid_map",
        "/proc/1/mem",
    )  # fmt: skip
    assert told == "[]"


def test_scratch_and_shared_memory_hold_what_they_may(inside: Sandbox) -> None:
    told = inside.run(
        """
import os
for folder in ("/tmp", "/dev/shm"):
    held = 0
    try:
        with open(folder + "/big", "wb", buffering=0) as file:
            while held < 2 ** 26:
                held += file.write(bytes(65536))
    except OSError as error:
        print(held, error.errno)
""",
        bounds=Bounds(scratch_bytes=MIB, shared_bytes=2 * MIB),
    )
    assert told.split("\n") == [f"{MIB} 28", f"{2 * MIB} 28"]


def test_processes_and_descriptors_are_counted_for_the_bot_alone(inside: Sandbox) -> None:
    forks = """
import os, time
made = 0
try:
    while made < 200:
        if not os.fork():
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    print(error.errno)
print(made)
opened = 0
try:
    while opened < 5000:
        os.dup(0)
        opened += 1
except OSError as error:
    print(error.errno, opened < 256)
"""
    with inside.start("import time; print('here', flush=True); time.sleep(60)") as (other, _):
        assert other.stdout is not None
        assert other.stdout.readline() == "here\n"
        error, made, descriptors = inside.run(forks, bounds=Bounds(processes=20)).split("\n")
    assert error == "11"
    assert 15 <= int(made) < 20
    assert descriptors == "24 True"


def test_large_files_and_core_dumps_are_not_written(inside: Sandbox) -> None:
    told = inside.run(
        """
import os, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    os.truncate(os.open("/tmp/x", os.O_CREAT | os.O_RDWR), 2 ** 21)
except OSError as error:
    print(error.errno)
print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_AS)[1] > 0)
if not os.fork():
    os.chdir("/tmp")
    os.abort()
print(os.WCOREDUMP(os.wait()[1]), os.listdir("/tmp"))
""",
        bounds=Bounds(file_bytes=MIB),
    )
    assert told.split("\n") == ["27", "(1, 1) True", "False ['x']"]


def test_no_network_not_even_this_machine(inside: Sandbox) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        name = f"\0arena-test-{os.getpid()}"
        unix.bind(name)
        unix.listen()
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(0.2)
        told = inside.run(
            f"""
import socket
for family, address in ((socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})), (socket.AF_UNIX, {name!r}),
                        (socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("::1", {server.getsockname()[1]}))):
    try:
        socket.socket(family).connect(address)
        print("connected", address)
    except OSError:
        pass
for family in (2, 10, 16, 17, 40):
    try:
        socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {udp.getsockname()[1]}))
    except OSError as error:
        print(error.errno)
"""
        )
        with pytest.raises(TimeoutError):
            udp.recv(1)
    assert told.split("\n") == ["97"] * 5


def test_other_processes_are_neither_seen_nor_signalled(inside: Sandbox) -> None:
    told = inside.run(f"""
import os, signal
print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit()), os.getpid(), os.getppid())
for pid in ({os.getpid()}, -1):
    try:
        os.kill(pid, signal.SIGCONT)
        print("signalled")
    except ProcessLookupError:
        print("nobody")
""")
    assert told.split("\n") == ["[1, 2] 2 1", "nobody", "nobody"]


def test_two_bots_at_once_have_nothing_in_common(inside: Sandbox) -> None:
    source = """
import os, sys
open("/tmp/note", "x"), open("/dev/shm/note", "x")
print(os.getuid(), len([name for name in os.listdir("/proc") if name.isdigit()]), flush=True)
sys.stdin.read()
"""
    with inside.start(source, slot=SLOT) as (one, _), inside.start(source, slot=SLOT + 1) as (other, _):
        assert one.stdout is not None
        assert other.stdout is not None
        first, second = one.stdout.readline().split(), other.stdout.readline().split()
    assert first[1] == second[1] == "2"
    if inside.tools.as_root:
        assert (int(first[0]), int(second[0])) == (BOT_UIDS[SLOT], BOT_UIDS[SLOT + 1])


def test_no_rights_are_left(inside: Sandbox) -> None:
    told = inside.run("import os\nprint(open('/proc/self/status').read(), os.getgroups())")
    fields = dict(line.split(":", 1) for line in told.split("\n") if ":" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0, name
    assert (fields["NoNewPrivs"].strip(), fields["Seccomp"].strip()) == ("1", "2")
    assert fields["Uid"].split()[0] != "0"


NESTED = (
    SYSCALL
    + """
refused = (errno.EPERM, errno.ENOSPC)
print(libc.unshare(0x10000000), ctypes.get_errno() in refused)
clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
if (pid := libc.syscall(clone, 0x10000000 | 17, 0, 0, 0, 0)) == 0:
    os._exit(0)
print(pid, ctypes.get_errno() in refused)
"""
)


def test_namespaces_within_are_refused(inside: Sandbox) -> None:
    assert inside.run(NESTED).split("\n") == ["-1 True", "-1 True"]


@needs_ordinary_user
def test_bubblewrap_itself_refuses_them_to_an_ordinary_users_bot() -> None:
    with open_folder() as place:
        inside = sandbox(place, "ordinary user")
        if inside.tools.version < NO_NESTED_NAMESPACES:
            pytest.skip("this bubblewrap cannot; only the filter does it")
        inside.tools = replace(inside.tools, seccomp=None)
        assert inside.run(NESTED).split("\n") == ["-1 True", "-1 True"]


def test_tracing_keyrings_and_uncounted_memory_are_refused(inside: Sandbox) -> None:
    told = inside.run(
        SYSCALL + "import threading\n"
        "calls = {'x86_64': (101, 250, 425, 321, 29), 'aarch64': (117, 219, 425, 280, 194)}[os.uname().machine]\n"
        "print([(libc.syscall(call, 0, 0, 0, 0), ctypes.get_errno()) for call in calls])\n"
        "try: os.memfd_create('x')\n"
        "except OSError as error: print(error.errno == errno.ENOSYS)\n"
        "thread = threading.Thread(target=print, args=('threads work',)); thread.start(); thread.join()"
    )
    assert told.split("\n") == [str([(-1, 1)] * 5), "True", "threads work"]


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("sys.exit(7)", 7),
        ("raise ValueError", 1),
        ("os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL),
        ("os.kill(os.getpid(), signal.SIGSEGV)", 128 + signal.SIGSEGV),
    ],
)
def test_how_a_bot_ended_is_told(inside: Sandbox, ending: str, code: int) -> None:
    with inside.start(f"import os, signal, sys\n{ending}") as (process, status):
        assert process.wait(PATIENCE_S) == code
        assert status.wait_ended(PATIENCE_S)
        assert status.exit_code == code


MANY = """
import os, sys
for _ in range(5):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        while True:
            pass
print("started", flush=True)
sys.stdin.read()
"""


def test_nothing_survives_the_helper(inside: Sandbox) -> None:
    with inside.start(MANY) as (process, status):
        assert process.stdout is not None
        process.stdout.readline()
        assert status.wait_begun(0)
        assert eventually(lambda: len(status.members()) >= 6)
        members = status.members()
        assert status.bot_pid() == members[0]
        process.kill()
        assert status.wait_ended(PATIENCE_S)
        assert status.exit_code is None, "it did not end by itself"
    assert not any(map(is_running, members))


def test_a_bot_that_ends_takes_its_processes_along(inside: Sandbox) -> None:
    with inside.start(MANY) as (process, status):
        process.communicate(timeout=PATIENCE_S)
        assert status.wait_ended(PATIENCE_S)
        assert (status.exit_code, status.members()) == (0, [])


def test_nothing_survives_whoever_started_it(inside: Sandbox) -> None:
    reading, writing = os.pipe()
    if (parent := os.fork()) == 0:
        with inside.start(MANY) as (process, status):
            assert process.stdout is not None
            process.stdout.readline()
            status.update()
            os.write(writing, json.dumps([process.pid, *status.members()]).encode())
            signal.pause()
    os.close(writing)
    told = os.read(reading, 4096)
    os.close(reading)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    pids = json.loads(told)
    assert len(pids) >= 2
    assert eventually(lambda: not any(map(is_running, pids)))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


WRITER = """
import os, sys
print("begin", flush=True)
for _ in sys.stdin:
    for folder in ("/tmp", "/dev/shm"):
        os.makedirs(folder + "/a/b", 0o700)
        os.symlink("/etc", folder + "/link")
        os.chmod(folder + "/a", 0)
    print(sorted(os.listdir("/tmp")), flush=True)
"""


@needs_ordinary_user
def test_what_a_bot_wrote_can_be_removed_while_it_runs() -> None:
    def emptied_by(name: str) -> str:
        with open_folder() as place, sandbox(place, name).start(WRITER) as (process, status):
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.readline()
            status.update()
            for _ in range(2):
                process.stdin.write("\n")
                process.stdin.flush()
                if (said := process.stdout.readline()) != "['a', 'link']\n":
                    return f"the bot found or made {said!r}"
                for folder in status.writable_folders():
                    empty(folder)
                    if any(folder.iterdir()):
                        return f"{folder} is not empty"
            return "emptied"

    assert as_ordinary_user(lambda: emptied_by("ordinary user")) == "emptied"
    if os.geteuid() == 0:
        assert emptied_by("root") == "emptied"


def test_an_interpreter_below_tmp_is_not_in_the_scratch(inside: Sandbox) -> None:
    installed = inside.place / "installed"
    (installed / "lib").mkdir(parents=True)
    (installed / "bin").mkdir()
    tool = installed / "bin" / "tool"
    tool.write_text('#!/bin/sh\ntouch "$TMPDIR/a" && echo $TMPDIR && cat')
    tool.chmod(0o755)
    inside.runtimes = Runtimes(listed=(Runtime("tool", tool, (installed,)),))
    program = Program(inside.staged, ("tool",))
    with launch(
        inside.tools, program, inside.staged, Bounds(), slot=SLOT, token=TOKEN, runtimes=inside.runtimes
    ) as start:
        os.close(start.status)
        assert start.scratch == (OTHER_SCRATCH if installed.is_relative_to(SCRATCH) else SCRATCH)
    with inside.start_command(("tool",)) as (process, _):
        assert process.communicate("", timeout=PATIENCE_S)[0] == f"{start.scratch}\n"


def told_of(pid: int) -> Status:
    """Return the status of a sandbox whose process 1 is said to be `pid`."""
    reading, writing = os.pipe()
    os.write(writing, b'{ "child-pid": %d }\nno JSON\n' % pid)
    os.close(writing)
    return Status(reading)


def test_the_folders_of_the_host_are_never_taken_for_a_bots() -> None:
    shell = subprocess.Popen(
        ["/bin/sh", "-c", "sleep 600 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert shell.stdout is not None
        shell.stdout.readline()
        with told_of(shell.pid) as status:
            assert status.writable_folders() == (), "nothing told yet"
            status.update()
            assert status.bot_pid() is not None, "a child that looks like the bot"
            with pytest.raises(OSError, match="no root of its own"):
                status.writable_folders()
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()


def test_a_sandbox_that_cannot_be_set_up_ends_without_a_word(inside: Sandbox) -> None:
    inside.tools = replace(inside.tools, prlimit="/usr/bin/no-such-program")
    with inside.start("") as (process, status):
        assert process.wait(PATIENCE_S) != 0
        assert status.wait_ended(PATIENCE_S)
        assert status.writable_folders() == ()
        assert process.stderr is not None
        assert "no-such-program" in process.stderr.read()


def test_descriptors_are_closed_whatever_happens(inside: Sandbox) -> None:
    def opened() -> int:
        return psutil.Process().num_fds()

    def start(*, fails: bool) -> int:
        with launch(
            inside.tools, Program(inside.staged, ("true",)), inside.staged, Bounds(), slot=0, token=TOKEN
        ) as begun:
            if fails:
                raise OSError("no process to be had")
            return begun.status

    before = opened()
    with pytest.raises(OSError, match="no process"):
        start(fails=True)
    assert opened() == before
    status = start(fails=False)
    assert opened() == before + 1
    os.close(status)


def test_only_slots_that_there_are(inside: Sandbox) -> None:
    for slot in (-1, len(BOT_UIDS)):
        with (
            pytest.raises(ValueError, match="slot"),
            launch(
                inside.tools,
                Program(inside.staged, ("true",)),
                inside.staged,
                Bounds(),
                slot=slot,
                token=TOKEN,
            ),
        ):
            pass
    assert ORDINARY not in BOT_UIDS


def test_the_engine_is_shown_to_those_that_ask_for_it(inside: Sandbox) -> None:
    (inside.place / "engine" / "arena").mkdir(parents=True)
    (inside.place / "engine" / "arena" / "__init__.py").write_text("")
    source = (
        "import os, sys; print(os.environ.get('PYTHONPATH'), os.path.exists('/engine/arena/__init__.py'))"
    )
    assert inside.run(source, engine=inside.place / "engine") == "/engine True"
    assert inside.run(source) == "None False"


def test_a_missing_tool_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(UsageError, match="bwrap is missing") as caught:
        find_tools()
    assert "bubblewrap" in caught.value.hint


@pytest.mark.parametrize(
    ("program", "file", "source"),
    [
        ("node", "bot.js", "console.log(6 * 7)"),
        pytest.param(
            "java",
            "Bot.java",
            "class Bot { public static void main(String[] a) { System.out.println(6 * 7); } }",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_other_runtimes_start_within_the_usual_bounds(
    inside: Sandbox, program: str, file: str, source: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (inside.staged / file).write_text(source)
    with inside.start_command((program, file)) as (process, _):
        told, errors = process.communicate(timeout=PATIENCE_S)
    assert told == "42\n", errors
