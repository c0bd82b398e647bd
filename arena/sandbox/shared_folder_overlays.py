"""Gives each bot its own overlay of the host's shared folders.

A process that can open a file, even read-only, can lock, lease and watch it, and all of these act on the inode. Bots
that see the same /usr could exchange messages that way. An overlay gives each bot its own inodes for the same contents
(Linux: Documentation/filesystems/overlayfs.rst), so that bots can still use locks.

Overlays need a mount namespace, and an ordinary user needs a user namespace around it. Each process that starts bots
makes both once. `mount_helper` holds them and makes the mounts; `nsenter` starts bots in them.
"""

import contextlib
import errno
import fcntl
import json
import os
import select
import struct
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from arena.sandbox.bot_program import OPEN_FOLDER, Bounds
from arena.sandbox.survivors import BOT_UIDS, IS_LINUX

DEVICES = tuple(Path("/dev") / name for name in ("full", "null", "random", "tty", "urandom", "zero"))
"""The devices of the host that bubblewrap shows to bots."""
NAMESPACES = Path("/proc/self/ns")
_WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0) if IS_LINUX else b""
"""struct flock on 64-bit Linux."""


def _hold_locks() -> list[int]:
    """Lock what all bots can open, so that no bot can; return the descriptors that hold the locks.

    Skips files that we, and therefore bots, can't open.
    """
    descriptors = []
    for path in (*DEVICES, *sorted(NAMESPACES.iterdir())):
        with contextlib.suppress(OSError):
            descriptors.append(os.open(path, os.O_RDONLY | os.O_NOCTTY))
    descriptors.append(os.eventfd(0))
    for descriptor in descriptors:
        # Fails if another process has an exclusive lock, which serves the same purpose.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        # Not F_SETLK: such a lock is lost as soon as this process closes any descriptor of the same inode.
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
    return descriptors


PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
WORKSHOP = ("bot", "home")
"""The folders of a workshop: the files of a program that may change them, and its scratch."""
ANSWER_S = 10.0
"""How long a mount may take."""
_PROGRAM = Path(__file__).with_name("mount_helper.py")
Step = tuple[str, ...]
"""A name in `mount_helper.STEPS` and its arguments."""


class OverlayTools(Struct, frozen=True):
    """The programs of util-linux that make and enter the namespaces, and the Python that holds them."""

    unshare: str
    nsenter: str
    python: str
    as_root: bool


class NamespacesRefused(BlockingIOError):
    """The system refused namespaces for overlays. If it granted them before, it has run out of a resource."""


class Overlays:
    """The overlays of one process. A context manager; they disappear when it is closed and the last bot has ended."""

    def __init__(self, tools: OverlayTools, place: Path) -> None:
        """Make the namespaces, with all mounts below the new folder `place`. Raises OSError if the system refuses."""
        self._tools = tools
        self._place = place
        self._locks = _hold_locks()
        """Held as long as any bot that may lock files is alive."""
        self._program: subprocess.Popen[bytes] | None = None
        self._made: dict[tuple[int, Path], Path | None] = {}
        self._bases: dict[Path, str | None] = {}
        self._scratches: dict[int, str] = {}
        self._starts = 0
        try:
            place.mkdir(mode=0o755, parents=True)
            self._begin()
        except OSError:
            self._release_locks()
            with contextlib.suppress(OSError):  # so that the caller can retry
                place.rmdir()
            raise

    def __enter__(self) -> "Overlays":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process that holds the namespaces, a child of this one; None when closed."""
        return None if self._program is None else self._program.pid

    @property
    def entering(self) -> tuple[str, ...]:
        """The prefix for a command that starts it inside the namespaces, in the same process."""
        joined = ("--mount",) if self._tools.as_root else ("--user", "--mount", "--preserve-credentials")
        return (self._tools.nsenter, "--target", str(self.pid), *joined, "--")

    @property
    def devices(self) -> Path:
        """The folder with the host's devices, mounted read-only so that their times can't be set."""
        return self._place / "devices"

    def folder(self, slot: int, folder: Path) -> Path | None:
        """Return the path of a host folder's overlay for the bot in a slot; None if it can't have an overlay.

        Successive bots in a slot share the overlay, as locks and watches end with the process that holds them.
        Raises OSError if the system refuses the namespaces.
        """
        if self._program is None or self._program.poll() is not None:
            self._end()
            self._begin()
        key = (slot, folder)
        if key not in self._made:
            self._made[key] = self._overlaid(slot, folder)
        return self._made[key]

    def scratch(self, slot: int, bounds: Bounds) -> tuple[Path, Path]:
        """Return two new, empty folders in memory for the next bot in a slot: its scratch and its shared memory.

        Unlike bubblewrap's own, they also limit the number of files. The previous bot's folders are removed: inode
        numbers in them would reveal how many files it made. Raises OSError if the folders can't be made.
        """
        self.end_scratch(slot)
        self._starts += 1
        name = f"scratch-{self._starts}"
        steps: list[Step] = [("folder", name)]
        for folder, size_bytes in (("own", bounds.scratch_bytes), ("shared", bounds.shared_bytes)):
            options = f"mode=1777,size={size_bytes},nr_inodes={bounds.scratch_files}"
            steps += [("folder", f"{name}/{folder}"), ("scratch", f"{name}/{folder}", options)]
        if not self._does(steps):
            raise OSError(errno.ENOSPC, "could not make a scratch folder for a bot")
        self._scratches[slot] = name
        return self._place / name / "own", self._place / name / "shared"

    def workshop(self, size_bytes: int, files: int) -> "Workshop":
        """Make a workshop in memory, limited in bytes and files, for programs that start in the namespaces.

        It stays until `close`, also after the programs that used it have ended. Raises OSError if it can't be made.
        """
        if self._program is None or self._program.poll() is not None:
            self._end()
            self._begin()
        self._starts += 1
        name = f"workshop-{self._starts}"
        options = f"mode=0755,size={size_bytes},nr_inodes={files}"
        made = [("folder", f"{name}/{folder}") for folder in WORKSHOP]
        if not self._does([("folder", name), ("scratch", name, options), *made]):
            raise OSError(errno.ENOSPC, "could not make a folder for a build")
        place = self._place / name
        return Workshop(place, Path(f"/proc/{self.pid}/root", place.relative_to("/")), is_bounded=True)

    def end_scratch(self, slot: int) -> None:
        """Remove the scratch folders of a slot after its bot has ended. May be called twice."""
        old = self._scratches.pop(slot, None)
        if old is not None:
            with contextlib.suppress(OSError):
                ends = [
                    (step, f"{old}/{name}") for name in ("own", "shared") for step in ("unmount", "remove")
                ]
                self._say([*ends, ("remove", old)], answer=False)  # done before any later step

    def close(self) -> None:
        """Release the namespaces and the locks. May be called twice."""
        self._end()
        self._release_locks()
        with contextlib.suppress(OSError):
            self._place.rmdir()

    def _release_locks(self) -> None:
        for descriptor in self._locks:
            os.close(descriptor)
        self._locks.clear()

    def _begin(self) -> None:
        separate = [self._tools.unshare, "--mount", "--propagation", "private"]
        if not self._tools.as_root:
            separate += ["--user", "--map-current-user", "--keep-caps"]
        self._program = subprocess.Popen(
            [*separate, "--", self._tools.python, "-I", "-S", "-B", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": PATH},
            cwd="/",
            start_new_session=True,
        )
        here = str(self._place)
        steps: list[Step] = [("tmpfs", here, "mode=0755,size=1m"), ("enter", here)]
        steps += [("folder", "empty"), ("folder", "devices")]
        for device in DEVICES:
            bound = f"devices/{device.name}"
            steps += [("file", bound), ("bind", str(device), bound), ("read_only", bound)]
        if not self._does(steps):
            self._end()
            raise NamespacesRefused(errno.EAGAIN, "could not make the namespaces for overlays")

    def _end(self) -> None:
        program, self._program = self._program, None
        self._made.clear()
        self._bases.clear()
        self._scratches.clear()
        if program is None:
            return
        for pipe in (program.stdin, program.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        program.kill()
        program.wait()

    def _overlaid(self, slot: int, folder: Path) -> Path | None:
        base = self._base(folder)
        if base is None:
            return None
        # Two layers: the kernel accepts a single one only with a writable layer on top.
        name = f"{base}-{slot}"
        made = self._does([("folder", name), ("overlay", name, f"lowerdir=empty:{base}")])
        return self._place / name if made else None

    def _base(self, folder: Path) -> str | None:
        """Mount a host folder below `place`; return its name there, which has no special characters, or None."""
        if folder not in self._bases:
            name = str(len(self._bases))
            steps: list[Step] = [("folder", name), ("bind", str(folder), name)]
            fits = not _holds_mounts(folder) and self._does(steps)
            self._bases[folder] = name if fits else None
        return self._bases[folder]

    def _does(self, steps: Sequence[Step]) -> bool:
        """Have the program take these steps; return whether it has taken all of them."""
        program = self._program
        if program is None or program.stdout is None:
            return False
        try:
            self._say(steps)
            answer = b""
            while not answer.endswith(b"\n"):
                poll = select.poll()
                poll.register(program.stdout, select.POLLIN)
                part = os.read(program.stdout.fileno(), 64) if poll.poll(ANSWER_S * 1000) else b""
                if not part:
                    self._end()
                    return False
                answer += part
        except OSError:
            self._end()
            return False
        return answer == b"ok\n"

    def _say(self, steps: Sequence[Step], *, answer: bool = True) -> None:
        if self._program is not None and self._program.stdin is not None:
            line = json.dumps({"steps": steps, "answer": answer})
            os.write(self._program.stdin.fileno(), f"{line}\n".encode())


def _holds_mounts(folder: Path) -> bool:
    """Return whether other file systems are mounted below a folder; an overlay of it wouldn't show them."""
    with contextlib.suppress(OSError):
        below = os.path.realpath(folder) + "/"
        for line in os.fsdecode(Path("/proc/self/mountinfo").read_bytes()).splitlines():
            mounted = line.split()[4].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
            if mounted.startswith(below):
                return True
    return False


class Workshop(Struct, frozen=True):
    """The two folders of a program that makes files, such as the compiler of a bot. It may write to both.

    In a sandbox with overlays they are in memory, with limits on bytes and files that the kernel enforces, and nothing
    of them is left on a disk. Otherwise they are on the disk, and `used` has to be asked.
    """

    place: Path
    """The path for the sandbox's mounts."""
    outside: Path
    """The same folder, by the path by which this process reaches it."""
    is_bounded: bool
    """Whether the kernel enforces the limits; then only processes in the namespaces see `place`."""

    @property
    def files(self) -> Path:
        """The folder that becomes the program's own, which it may change."""
        return self.outside / WORKSHOP[0]

    @property
    def home(self) -> Path:
        """Its home and scratch folder."""
        return self.outside / WORKSHOP[1]

    @property
    def mounts(self) -> tuple[Path, Path]:
        """The paths of both folders for the sandbox's mounts."""
        return self.place / WORKSHOP[0], self.place / WORKSHOP[1]

    def fill(self, files: Iterable[tuple[str, bool, bytes]], slot: int | None) -> None:
        """Write files (path, whether executable, content), owned by the account of the slot if any. Raises OSError."""
        for path, executable, content in files:
            target = self.files / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if executable else 0o644)
        if slot is not None:
            account = BOT_UIDS[slot]
            for top in (self.files, self.home):
                for folder, _, names in os.walk(top):
                    Path(folder).chmod(OPEN_FOLDER)  # root without its rights sets the sandbox up
                    for name in (".", *names):
                        os.chown(Path(folder, name), account, account, follow_symlinks=False)

    def used(self, most_files: int) -> tuple[int, int]:
        """Return how many bytes and files both folders hold; stops counting beyond `most_files`. Follows no links."""
        total = count = 0
        folders = [self.files, self.home]
        while folders and count <= most_files:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        count += 1
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(Path(entry.path))
                        else:
                            total += entry.stat(follow_symlinks=False).st_blocks * 512
                        if count > most_files:
                            break
            except OSError:  # changed in the meantime
                continue
        return total, count


def workshop_on_disk(place: Path) -> Workshop:
    """Make a workshop in the new folder `place`. Raises OSError if the system refuses."""
    for name in WORKSHOP:
        (place / name).mkdir(parents=True)
    return Workshop(place, place, is_bounded=False)
