"""What the sandbox's trials found, kept for the next command of this user on the same machine.

Only a success is kept, and a bot is still started with the same arguments, which fail where the machine has come to
forbid something: a kept result can't weaken a sandbox. It counts for a day, until the machine starts anew, and as long
as the tools, the Python, Arena's own sandbox and the kernel's settings are the same.
"""

import json
import os
import platform
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from arena.sandbox.bubblewrap import Tools
from results.base.permissions import caches

KEPT_S = 86_400.0
_FILE = "sandbox.json"
_SETTINGS = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/user/max_user_namespaces",
    "/proc/self/attr/current",
    "/proc/self/uid_map",
    "/proc/self/gid_map",
)
_OF_STATUS = ("NoNewPrivs", "Seccomp", "CapEff", "CapBnd", "Uid", "Groups")


def key_of(tools: Tools, place: Path) -> str:
    """Return a hash of all that the trials depend on; `place`: the folder in which sandboxes are made."""
    digest = sha256(repr(replace(tools, private=())).encode())  # each start looks at those again
    for fact in _facts(tools, place):
        digest.update(f"{fact}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _facts(tools: Tools, place: Path) -> Iterator[object]:
    yield platform.uname()
    yield from (os.geteuid(), os.getegid(), place, place.stat().st_dev)
    overlays = tools.overlays
    helpers = (overlays.unshare, overlays.nsenter) if overlays else ()
    own = sorted(Path(__file__).parent.glob("*.py"))
    yield from _looks(
        (tools.bwrap, tools.prlimit, tools.setpriv, *helpers, os.path.realpath(sys.executable), *own)
    )
    for setting in _SETTINGS:
        with suppress(OSError):
            yield Path(setting).read_text(errors="replace")
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        yield [line for line in lines if line.partition(":")[0] in _OF_STATUS]


def _looks(paths: Iterable[str | Path]) -> Iterator[object]:
    """Yield what tells whether files were changed or replaced."""
    for path in paths:
        with suppress(OSError):
            found = Path(path).stat()
            yield str(path), found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


def is_kept(key: str) -> bool:
    """Return whether the trials succeeded lately with this key."""
    try:
        path = caches() / _FILE
        for each in (path.parent, path):
            look = os.lstat(each)
            if look.st_uid != os.geteuid() or look.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return False
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        kept = json.loads(path.read_bytes())
        return kept["key"] == key and 0 <= time.time() - float(kept["at_s"]) < KEPT_S
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):  # none, a damaged one, or no home folder
        return False


def keep(key: str) -> None:
    """Keep that the trials succeeded. Where that isn't possible, the next command tries again."""
    with suppress(OSError, RuntimeError):
        path = caches() / _FILE
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"key": key, "at_s": time.time()}, file)
        part.replace(path)


def forget() -> None:
    """Forget what was kept."""
    with suppress(OSError, RuntimeError):
        (caches() / _FILE).unlink(missing_ok=True)
