"""Holds the namespaces of overlays, and makes and removes mounts in them; started as a program, once in each worker.

It reads lines of JSON, each a list of steps: a name of `STEPS` and its arguments. Paths are relative to the folder that
`enter` names. After each line that has to be answered it writes `ok`, or the number of the error and the step at which
it stopped. It calls mount(2) itself: a program for each mount would take many times as long.
"""

import ctypes
import json
import os
import sys
from collections.abc import Callable

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_RELATIME = 1, 2, 4, 32, 4096, 1 << 21
_SAME = (1, 2, 4, 8, 1024, 2048)
"""Flags of a mount, from ST_RDONLY to ST_NODIRATIME, whose numbers in statvfs(3) are those of mount(2)."""
_ST_RELATIME = 4096
_call = ctypes.CDLL(None, use_errno=True)


def _done(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _mount(source: str, target: str, kind: str, flags: int, options: str) -> None:
    parts = (os.fsencode(source), os.fsencode(target), kind.encode() or None)
    _done(_call.mount(*parts, ctypes.c_ulong(flags), os.fsencode(options) or None))


def _read_only(target: str) -> None:
    """Make a bind mount read-only. What it is otherwise stays: an ordinary user may not take it away."""
    now = os.statvfs(target).f_flag
    flags = sum([flag for flag in _SAME if now & flag]) | (MS_RELATIME if now & _ST_RELATIME else 0)
    _mount("", target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | flags, "")


STEPS: dict[str, Callable[..., None]] = {
    "enter": os.chdir,
    "folder": os.mkdir,
    "file": lambda path: os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC)),
    "tmpfs": lambda target, options: _mount("tmpfs", target, "tmpfs", 0, options),
    "scratch": lambda target, options: _mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, options),
    "overlay": lambda target, options: _mount("overlay", target, "overlay", MS_RDONLY, options),
    "bind": lambda source, target: _mount(source, target, "", MS_BIND, ""),
    "read_only": _read_only,
    "unmount": lambda target: _done(_call.umount2(os.fsencode(target), 0)),
    "remove": os.rmdir,
}


def main() -> None:
    """Take the steps of each line until standard input ends."""
    os.umask(0o022)
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        answer = "ok"
        for name, *arguments in asked["steps"]:
            try:
                STEPS[name](*arguments)
            except OSError as error:
                answer = f"{error.errno} {name}"
                break
        if asked["answer"]:
            os.write(1, f"{answer}\n".encode())


if __name__ == "__main__":
    main()
