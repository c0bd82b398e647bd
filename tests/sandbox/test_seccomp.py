"""The filter of system calls: each instruction followed by hand, and its numbers held to the system's headers."""

import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandbox import seccomp
from arena.sandbox.seccomp import (
    ABSENT,
    ARGUMENTS,
    DENIED,
    FCNTL,
    IGNORED,
    LOCKS,
    NEWEST_CALL,
    POSIX_LOCKS,
    TIMES,
)

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
X32 = 0x4000_0000
EXAMINED = {name: argument.call for name, argument in ARGUMENTS.items()}
HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}


def refusal(error: int) -> int:
    return seccomp.ERRNO | error


def judge(code: bytes, call: int, audit: int, argument: int = 0, index: int = 0) -> int:
    """Run a filter as the kernel does, and return its verdict; a jump out of it is an error."""
    arguments = [argument & 2**64 - 1 if place == index else 0 for place in range(6)]
    data = struct.pack("<IIQQQQQQQ", call & 0xFFFF_FFFF, audit, 0, *arguments)
    steps = list(struct.iter_unpack("<HBBI", code))
    accumulator, place = 0, 0
    while True:
        operation, true, false, value = steps[place]
        place += 1
        match operation:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, value)[0]
            case 0x15:
                place += true if accumulator == value else false
            case 0x25:
                place += true if accumulator > value else false
            case 0x54:
                accumulator &= value
            case 0x45:
                place += true if accumulator & value else false
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"no such operation: {operation:#x}")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def code_of(machine: str) -> bytes:
    code = seccomp.program(machine)
    assert code is not None
    return code


def test_the_denied_are_refused(machine: str) -> None:
    column, audit = MACHINES[machine]
    code = code_of(machine)
    for calls, error in ((DENIED, errno.EPERM), (ABSENT, errno.ENOSYS), (IGNORED, 0)):
        for name, numbers in calls.items():
            if (number := numbers[column]) is not None:
                assert judge(code, number, audit) == refusal(error), name


@given(call=st.integers(0, NEWEST_CALL), first=st.integers(0, 2**64 - 1))
def test_all_others_are_allowed(call: int, first: int) -> None:
    for machine, (column, audit) in MACHINES.items():
        listed = {numbers[column] for numbers in (*DENIED.values(), *ABSENT.values(), *IGNORED.values())}
        examined = {numbers[column] for numbers in EXAMINED.values()}
        if call not in listed | examined:
            assert judge(code_of(machine), call, audit, first) == seccomp.ALLOW


@given(call=st.integers(NEWEST_CALL + 1, 2**32 - 1))
def test_what_is_not_known_does_not_exist(call: int) -> None:
    for machine, (_, audit) in MACHINES.items():
        assert judge(code_of(machine), call, audit) == refusal(errno.ENOSYS)


def test_the_x32_interface_does_not_exist() -> None:
    code = code_of("x86_64")
    for call in (X32, X32 | 41, X32 | 101, 512, 521, 547):
        assert judge(code, call, 0xC000003E) == refusal(errno.ENOSYS)


@given(audit=st.integers(0, 2**32 - 1), call=st.integers(0, 500))
def test_other_architectures_are_killed(audit: int, call: int) -> None:
    for machine, (_, own) in MACHINES.items():
        if audit != own:
            assert judge(code_of(machine), call, audit) == seccomp.KILL
    assert judge(code_of("x86_64"), call, 0x4000_0003) == seccomp.KILL, "i386 on an x86_64 kernel"


def verdicts(name: str, argument: int, *, locks: bool = True) -> set[int]:
    """Return what the filters of all machines say of a call with an argument."""
    found = set()
    for machine, (column, audit) in MACHINES.items():
        code, call = seccomp.program(machine, locks=locks), EXAMINED[name][column]
        if code is not None and call is not None:
            found.add(judge(code, call, audit, argument, ARGUMENTS[name].index))
    return found


@given(family=st.integers(0, 2**64 - 1))
def test_sockets_are_of_this_machine_alone(family: int) -> None:
    wanted = seccomp.ALLOW if family & 0xFFFF_FFFF == 1 else refusal(errno.EAFNOSUPPORT)
    for name in ("socket", "socketpair"):
        assert verdicts(name, family) == {wanted}


@given(flags=st.integers(0, 2**32 - 1))
def test_clone_makes_threads_and_processes_and_no_namespaces(flags: int) -> None:
    spaces = (0x1000, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
    wanted = refusal(errno.EPERM) if any(flags & space for space in spaces) else seccomp.ALLOW
    assert verdicts("clone", flags) == {wanted}


@given(command=st.integers(0, 2**32 - 1) | st.integers(0, 50) | st.integers(1024, 1050))
def test_files_are_locked_and_neither_leased_nor_watched_nor_marked(command: int) -> None:
    wanted = seccomp.ALLOW if command in FCNTL else refusal(errno.EINVAL)
    assert verdicts("fcntl", command) == {wanted}


@pytest.mark.parametrize("command", [1024, 1026, 1031, 1035, 1036, 1037, 1038])
def test_leases_notifications_hints_and_sizes_of_pipes_are_refused(command: int) -> None:
    assert verdicts("fcntl", command) == {refusal(errno.EINVAL)}


def test_without_locks_nothing_is_locked(machine: str) -> None:
    column, audit = MACHINES[machine]
    code = seccomp.program(machine, locks=False)
    assert code is not None
    flock = LOCKS["flock"][column]
    assert flock is not None
    assert judge(code, flock, audit) == refusal(errno.ENOLCK)
    assert judge(code_of(machine), flock, audit) == seccomp.ALLOW
    for name, numbers in TIMES.items():
        if (number := numbers[column]) is not None:
            assert judge(code, number, audit) == refusal(0), name
    for command in POSIX_LOCKS:
        assert verdicts("fcntl", command, locks=False) == {refusal(errno.ENOLCK)}
        assert verdicts("fcntl", command) == {seccomp.ALLOW}
    assert verdicts("fcntl", 1030, locks=False) == {seccomp.ALLOW}, "F_DUPFD_CLOEXEC"


@pytest.mark.parametrize(
    ("name", "refused", "allowed"),
    [
        ("bind", (2,), (3, 16, 110)),
        ("setsockopt", (16, 76), (1, 2, 7, 8)),
        ("mmap", (0x21, 0x23, 0x8021), (0x01, 0x02, 0x20, 0x22, 0x4022)),
        ("statx", (0x4000, 0x47FF), (0x7FF, 0xFFF, 0x1FFF)),
        ("getsockopt", (57, 71, 77), (3, 4, 7, 17)),
        ("ioctl", (0xB701, 0xB703, 0x80045200, 0x40085203), (0x5401, 0x5413, 0x5421, 0x541B, 0xC0045877)),
        ("madvise", (12, 20, 21, 25), (0, 1, 2, 3, 4, 8, 14, 15)),
        ("prctl", (67,), (1, 4, 15, 16, 22, 38)),
        ("preadv2", (8, 9, 0x20, 0x80), (0, 1, 2, 4, 0x10)),
        ("pwritev2", (8, 0x40, 0x80), (0, 1, 2, 4, 0x10)),
    ],
)
def test_calls_of_which_some_are_refused(
    name: str, refused: tuple[int, ...], allowed: tuple[int, ...]
) -> None:
    for argument in refused:
        assert verdicts(name, argument) == {refusal(ARGUMENTS[name].error)}, argument
    for argument in allowed:
        assert verdicts(name, argument) == {seccomp.ALLOW}, argument


def test_jumps_reach_and_the_program_is_short(machine: str) -> None:
    code = code_of(machine)
    assert len(code) % 8 == 0
    assert len(code) < 255 * 8, "a conditional jump reaches 255 instructions"


def test_other_names_of_a_machine_and_unknown_machines() -> None:
    assert seccomp.program("arm64") == seccomp.program("aarch64")
    assert seccomp.program("AMD64") == seccomp.program("x86_64")
    assert [seccomp.program(name) for name in ("riscv64", "i686", "armv7l", "")] == [None] * 4


def test_the_numbers_are_those_of_the_headers(machine: str) -> None:
    header = Path("/usr/include") / HEADERS[machine]
    if not header.is_file():
        pytest.skip(f"no {header} to compare with")
    known = {
        found[1]: int(found[2])
        for found in re.finditer(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    }
    for name, numbers in (DENIED | ABSENT | IGNORED | LOCKS | TIMES | EXAMINED).items():
        number = numbers[MACHINES[machine][0]]
        if name in known or number is None:  # headers may be older than the call
            assert known.get(name) == number, name
        else:
            assert number > max(value for key, value in known.items() if key != "syscalls"), name
