"""The filter of system calls: each instruction followed by hand, and its numbers held to the system's headers."""

import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandbox import seccomp

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
X32 = 0x4000_0000
EXAMINED = {"clone": seccomp.CLONE, **seccomp.SOCKETS}
HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}


def refusal(error: int) -> int:
    return seccomp.ERRNO | error


def judge(code: bytes, call: int, audit: int, first: int = 0) -> int:
    """Run a filter as the kernel does, and return its verdict; a jump out of it is an error."""
    data = struct.pack("<IIQQQQQQQ", call & 0xFFFF_FFFF, audit, 0, first & 2**64 - 1, 0, 0, 0, 0, 0)
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
    for calls, error in ((seccomp.DENIED, errno.EPERM), (seccomp.ABSENT, errno.ENOSYS)):
        for name, numbers in calls.items():
            if (number := numbers[column]) is not None:
                assert judge(code, number, audit) == refusal(error), name


@given(call=st.integers(0, seccomp.NEWEST_CALL), first=st.integers(0, 2**64 - 1))
def test_all_others_are_allowed(call: int, first: int) -> None:
    for machine, (column, audit) in MACHINES.items():
        listed = {numbers[column] for numbers in (*seccomp.DENIED.values(), *seccomp.ABSENT.values())}
        examined = {numbers[column] for numbers in EXAMINED.values()}
        if call not in listed | examined:
            assert judge(code_of(machine), call, audit, first) == seccomp.ALLOW


@given(call=st.integers(seccomp.NEWEST_CALL + 1, 2**32 - 1))
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


@given(family=st.integers(0, 2**64 - 1))
def test_sockets_are_of_three_families(family: int) -> None:
    for machine, (column, audit) in MACHINES.items():
        for numbers in seccomp.SOCKETS.values():
            known = family & 0xFFFF_FFFF in (1, 2, 10)
            wanted = seccomp.ALLOW if known else refusal(errno.EAFNOSUPPORT)
            assert judge(code_of(machine), numbers[column], audit, family) == wanted


@given(flags=st.integers(0, 2**32 - 1))
def test_clone_makes_threads_and_processes_and_no_namespaces(flags: int) -> None:
    spaces = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
    wanted = refusal(errno.EPERM) if any(flags & space for space in spaces) else seccomp.ALLOW
    for machine, (column, audit) in MACHINES.items():
        assert judge(code_of(machine), seccomp.CLONE[column], audit, flags) == wanted


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
    for name, numbers in (seccomp.DENIED | seccomp.ABSENT | EXAMINED).items():
        assert known.get(name) == numbers[MACHINES[machine][0]], name
