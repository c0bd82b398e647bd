"""Bots of every kind, written into a folder when they are needed."""

from collections.abc import Sequence
from pathlib import Path

from arena.sandbox.bot_program import Program


def python_command() -> tuple[str, ...]:
    """Return what runs bots: without `site` and the environment Python starts faster."""
    return ("python3", "-S", "-E", "bot.py")


WELL_BEHAVED = """
import json, os, signal, subprocess, sys, time
out = sys.stdout.buffer

def raw(data):
    out.write(data)
    out.flush()

def send(**message):
    raw(json.dumps(message).encode() + b"\\n")

def first(message):
    return message["legal"][0] if "legal" in message else message["example"]

def move(message, **more):
    send(type="move", id=message["id"], move=first(message), **more)

def log(text):
    sys.stderr.write(text)
    sys.stderr.flush()

def hello(message):
    send(type="hello", protocol=1)

def start(message):
    send(type="ready")

def ask(message):
    move(message)

def end(message):
    pass

def quit(message):
    sys.exit()
"""
READ_ON = """
for line in sys.stdin.buffer:
    message = json.loads(line)
    globals()[message["type"]](message)
"""

LOGS_ITS_LINES = """
def hear(line):
    os.write(2, line)

for line in sys.stdin.buffer:
    hear(line)
    message = json.loads(line)
    globals()[message["type"]](message)
"""


def python_bot(folder: Path, body: str = "", *, reuse: bool = True, args: Sequence[str] = ()) -> Program:
    """Return a bot that behaves well but for what `body` defines anew."""
    return program(folder, {"bot.py": WELL_BEHAVED + body + READ_ON}, (*python_command(), *args), reuse=reuse)


def logging_bot(folder: Path, body: str = "") -> Program:
    """Return a bot that writes every line it gets to its log as well."""
    return program(folder, {"bot.py": WELL_BEHAVED + body + LOGS_ITS_LINES}, python_command())


def program(
    folder: Path, files: dict[str, str], command: Sequence[str], *, mode: int = 0o755, reuse: bool = True
) -> Program:
    """Return a program of the given files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
        (folder / name).chmod(mode)
    return Program(folder, tuple(command), reuse=reuse)
