"""Hostile bots: a well-behaved bot with an attack in it, made at one of several moments of its life.

An attack is the source of a function `attack`. What it finds that no bot may have, it tells by `breach`; to be refused
by the system (OSError) is what is expected. The log tells that the attack was made at all.
"""

import json
import platform
from pathlib import Path
from typing import Any

from arena.sandbox.bot_program import Program
from arena.sandbox.seccomp import ABSENT, DENIED
from tests.support.bots.programs import READ_ON, WELL_BEHAVED, program, python_command

ATTACKED = "attacked"
BREACH = "BREACH"
MOMENTS = {
    "before hello": "attempt()",
    "in start": """
def start(message):
    attempt()
    send(type="ready")
""",
    "in its turn": """
def ask(message):
    attempt()
    move(message)
""",
    "after it": """
def ask(message):
    move(message)
    attempt()
""",
    "at the end": """
def end(message):
    attempt()
""",
}
"""When in its life a bot attacks, once."""

FRAME = (
    WELL_BEHAVED
    + """
import ctypes, mmap, resource, socket, threading

libc = ctypes.CDLL(None, use_errno=True)
with open("canary.json") as file:
    canary = json.load(file)
attempts = 0

def breach(what):
    log(f"BREACH {what}\\n")

def spoilt(data):
    return canary["secret"] in (data if isinstance(data, str) else data.decode("latin-1"))

def call(name, *arguments):
    '''Make a system call by its name; return its result, or raise what the kernel says.'''
    result = libc.syscall(canary["calls"][name], *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), name)
    return result

def spin(cpu_s):
    until = time.process_time() + cpu_s
    while time.process_time() < until:
        pass

def background(work):
    '''Do the work in a child that nobody waits for.'''
    if not os.fork():
        work()
        os._exit(0)

def daemon(work):
    '''Do the work in a process that has left its session, its parent and its pipes.'''
    if not os.fork():
        os.setsid()
        if not os.fork():
            for number in range(3):
                os.close(number)
            work()
        os._exit(0)
    os.wait()

def attempt():
    global attempts
    attempts += 1
    if attempts > 1:
        return
    if canary["sandboxed"] and (os.getcwd() != "/bot" or os.getpid() > 1000):
        return breach("not in a sandbox: not tried")
    try:
        attack()
    except OSError as error:
        log(f"refused: {error}\\n")
    log("attacked\\n")

log(f"namespace {os.stat('/proc/self/ns/pid').st_ino}\\n")
"""
)

GOOD = """
games = 0

def ask(message):
    time.sleep(PAUSE if games == 1 else 0)
    move(message)

def start(message):
    global games
    games += 1
    found = [os.path.join(folder, name) for folder in FOLDERS for name in os.listdir(folder)]
    log(f"found {found}\\n")
    send(type="ready")
"""


def calls() -> dict[str, int]:
    """Return the numbers of the system calls that bots may not make, on this machine."""
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    known = {**DENIED, **ABSENT, "clone": (56, 220)}
    return {name: number for name, pair in known.items() if (number := pair[column]) is not None}


def hostile_bot(
    folder: Path, attack: str, moment: str, canary: dict[str, Any], *, reuse: bool = True
) -> Program:
    """Return a bot that attacks at a moment; `canary` is what it is told of the places it is after."""
    source = FRAME + attack + "\n" + MOMENTS[moment] + READ_ON
    files = {"bot.py": source, "canary.json": json.dumps(canary | {"calls": calls()})}
    return program(folder, files, python_command(), reuse=reuse)


def good_bot(folder: Path, secret: str, pause_ms: int, folders: list[str]) -> Program:
    """Return a bot that behaves; its files hold the secret, and it looks for what is left in `folders` by others.

    In its first game it thinks for so long over each move.
    """
    body = f"PAUSE, FOLDERS = {pause_ms / 1000}, {folders!r}\n" + GOOD
    files = {"bot.py": WELL_BEHAVED + body + READ_ON, "secret.txt": secret}
    return program(folder, files, python_command())
