"""Runs a build: one command of a bot's author, in a sandbox, within limits, which may change the bot's files."""

import contextlib
import os
import re
import secrets
import select
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.config.settings import BuildTable
from arena.core.errors import ArenaError, BadFile, MachineRefuses
from arena.sandbox.account_slots import Slots
from arena.sandbox.bot_program import MIB, Bounds, Program
from arena.sandbox.bubblewrap_status import SIGNALLED, ended_by
from arena.sandbox.confinement import Confinement
from arena.sandbox.machine_shortage import in_words, refusal
from arena.sandbox.run_folder import Guardian, RunFolder
from arena.sandbox.shared_folder_overlays import NamespacesRefused, Overlays, Workshop, workshop_on_disk
from arena.sandbox.start import CannotStart, Started, start
from arena.sandbox.survivors import kill_marked
from arena.sandbox.usage import Usage
from arena.submissions.folder import MOST_LIMITS, File, TooLarge, folder_limits, keep, read_files, shown_name

LOOK_MS = 50
"""How often the use of memory and CPU time is looked at."""
FILL_S = 1.0
"""How often files on a disk are counted."""
SHARED_BYTES = 64 * MIB
"""Capacity of /dev/shm during a build."""
DESCRIPTORS = 1_024
KILL_S = 10.0
"""How long killed processes may take to disappear."""
HEAD_BYTES, TAIL_BYTES = 4_096, 12_288
"""How much of the output is kept, of its beginning and of its end."""
SHOWN_LINES = 20
"""How many lines of it a message shows."""
_READ_BYTES = 65_536
_BUILT = Path("the built folder")
"""Stands for the folder in messages about what the build left in it."""


class BuildFailed(ArenaError):
    """A bot couldn't be built; `words` is what the build printed."""

    exit_code = 3

    def __init__(self, message: str, hint: str, words: str = "") -> None:
        super().__init__(message, hint)
        self.words = words


class BuildResult(Struct, frozen=True):
    """What a build left and printed."""

    files: list[File]
    """All files of the folder after the build."""
    words: str
    """Its output, shortened in the middle if it is long."""
    seconds: float


def run_build(
    files: Sequence[File], command: tuple[str, ...], confinement: Confinement, limits: BuildTable
) -> BuildResult:
    """Run a command in a folder with these files; return the files that are there afterwards.

    Nothing that it starts outlives the call. Raises BuildFailed if it fails, meets a limit or leaves what no bot may
    have, and MachineRefuses if the machine lacks a resource.
    """
    token = secrets.token_hex(8)
    try:
        with RunFolder(token) as folder, Guardian(token, folder.path, (folder.lock,)):
            return _run(folder.path, token, files, command, confinement, limits)
    except OSError as error:
        refused = refusal(error)
        remedy = refused.remedy if refused is not None else "try again"
        raise MachineRefuses(f"the bot could not be built: {in_words(error)}", remedy) from error


def _run(
    place: Path,
    token: str,
    files: Sequence[File],
    command: tuple[str, ...],
    confinement: Confinement,
    limits: BuildTable,
) -> BuildResult:
    confinement = replace(confinement, bounds=_bounds(limits))
    tools = confinement.tools
    slots = Slots(distinct=tools is not None and tools.as_root)
    with contextlib.ExitStack() as opened:
        opened.callback(slots.close)
        overlays = None
        if tools is not None and tools.overlays is not None:
            with contextlib.suppress(NamespacesRefused):
                overlays = opened.enter_context(Overlays(tools.overlays, place / "overlays"))
        if overlays is not None:
            workshop = overlays.workshop(limits.disk_mib * MIB, limits.files)
        else:
            workshop = workshop_on_disk(place / "workshop")
        slot = slots.take()
        workshop.fill(
            ((file.path, file.executable, file.content) for file in files),
            slot if tools is not None and tools.as_root else None,
        )
        staged = workshop.files
        if tools is not None:
            staged = place / "source"
            keep(files, staged)
            staged.chmod(0o755)
        try:
            started = start(
                confinement,
                Program(staged, command),
                staged,
                workshop.home,
                slot=slot,
                token=f"{token}/build",
                engine=None,
                overlays=overlays,
                workshop=workshop,
            )
        except CannotStart as error:
            raise BuildFailed(
                f"the build could not be started: {error}", "correct `build` in bot.toml"
            ) from None
        running = _Build(started, workshop, limits)
        try:
            running.watch()
        finally:
            running.end(token)
        running.raise_if_failed()
        return BuildResult(_result(workshop, running.words), running.words, running.seconds)


def _bounds(limits: BuildTable) -> Bounds:
    return Bounds(
        memory_bytes=limits.memory_mib * MIB,
        address_bytes=0,  # compilers in Java and Go reserve far more than they use
        processes=limits.processes,
        descriptors=DESCRIPTORS,
        file_bytes=limits.disk_mib * MIB,
        scratch_bytes=MIB,  # the workshop has the scratch folder
        shared_bytes=SHARED_BYTES,
        scratch_files=limits.files,
    )


def _result(workshop: Workshop, words: str) -> list[File]:
    """Return the files that a build left; nothing can change them any more. Raises BuildFailed."""
    try:
        return read_files(workshop.files, named=_BUILT)
    except BadFile as error:
        hint = error.hint
        if isinstance(error, TooLarge):
            hint = (
                f"after the build, the folder may contain {folder_limits().in_words}{_largest(workshop.files)}; "
                "let the build remove what the bot doesn't need to play, or put it into $TMPDIR"
            )
        raise BuildFailed(f"what the build left can't be a bot: {error}", hint, words) from None


def _largest(folder: Path) -> str:
    """Return the subfolder that holds most, in words; empty if there is none."""
    found: list[tuple[int, int, str]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and len(found) < MOST_LIMITS.files:
                found.append((*_held(Path(entry.path)), entry.name))
    if not found:
        return ""
    size, count, name = max(found)
    return f" ({shown_name(name)}/ has {count:,} and {size / MIB:.1f} MiB)"


def _held(folder: Path) -> tuple[int, int]:
    """Return the bytes and files of a folder that nobody changes. Counts a bounded number of files, at any depth."""
    size = count = 0
    folders = [folder]
    while folders and count < _MOST_COUNTED:
        # Suppressed, for example: the path is too long.
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                    continue
                count += 1
                size += entry.stat(follow_symlinks=False).st_size
    return size, count


_MOST_COUNTED = 100_000
"""Files after which counting stops: what is left is too much in any case."""


def _telling(words: str) -> tuple[str, list[str]]:
    """Return which part of a failed build's output says most, and its lines: from the first error on, or the end."""
    lines = words.rstrip().splitlines()
    first = next((at for at, line in enumerate(lines) if _ERROR.search(line)), None)
    if first is None or len(lines) - first <= SHOWN_LINES:
        return "the end", lines[-SHOWN_LINES:]
    return "the first error", lines[first : first + SHOWN_LINES]


_ERROR = re.compile(r"\b(?:error|Error|ERROR)\b")


class _Build:
    def __init__(self, started: Started, workshop: Workshop, limits: BuildTable) -> None:
        self.seconds = 0.0
        self._started = started
        self._workshop = workshop
        self._limits = limits
        self._head = b""
        self._tail = b""
        self._printed = 0
        self._usage: Usage | None = None
        self._limit = ""
        """The limit that was met, in words."""
        self._remedy = ""
        self._code: int | None = None

    @property
    def words(self) -> str:
        """What was printed, shortened in the middle."""
        dropped = self._printed - len(self._head) - len(self._tail)
        middle = b"\n... %d bytes left out ...\n" % dropped if dropped else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace")

    def watch(self) -> None:
        """Read the output until the build has ended, or a limit is met."""
        os.close(self._started.stdin)
        poll = select.poll()
        reading = {self._started.stdout, self._started.stderr}
        for descriptor in reading:
            os.set_blocking(descriptor, False)
            poll.register(descriptor, select.POLLIN)
        began = time.monotonic()
        looked = filled = began
        ended = False
        while not self._limit:
            for descriptor, _ in poll.poll(0 if ended else LOOK_MS):
                if not self._read(descriptor):
                    poll.unregister(descriptor)
                    reading.discard(descriptor)
            now = time.monotonic()
            self.seconds = now - began
            if now - looked >= LOOK_MS / 1000:
                looked = now
                self._look()
            if not self._workshop.is_bounded and now - filled >= FILL_S:
                filled = now
                self._count_files()
            if ended:
                return
            ended = self._started.exit_code() is not None
            if not reading and not ended:
                time.sleep(LOOK_MS / 1000)

    def _read(self, descriptor: int) -> bool:
        """Read what is there, up to a little over a pipe's capacity; return whether more may come."""
        for _ in range(16):
            try:
                data = os.read(descriptor, _READ_BYTES)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._printed += len(data)
            room = HEAD_BYTES - len(self._head)
            self._head += data[:room]
            self._tail = (self._tail + data[room:])[-TAIL_BYTES:]
            if self._printed > self._limits.output_mib * MIB:
                self._meets(f"printed more than {self._limits.output_mib} MiB", "let it print less")
                return True
        return True

    def _look(self) -> None:
        if self.seconds > self._limits.wall_s:
            self._meets(
                f"took longer than {self._limits.wall_s} s", f"let it do less; {_RAISE.format('wall_s')}"
            )
        usage = self._usage = self._usage or self._started.usage()
        if usage is None:
            return
        usage.look()
        if usage.first_cpu_ns() + usage.others_cpu_ns > self._limits.cpu_s * 1_000_000_000:
            self._meets(
                f"used more than {self._limits.cpu_s} s of CPU time",
                f"let it do less; {_RAISE.format('cpu_s')}",
            )
        if usage.memory_bytes() > self._limits.memory_mib * MIB < usage.proportional_bytes():
            self._meets_memory()

    def _meets_memory(self) -> None:
        self._meets(
            f"used more than {self._limits.memory_mib} MiB of memory",
            f"build fewer things at once; {_RAISE.format('memory_mib')}",
        )

    def _meets_disk(self) -> None:
        self._meets(
            f"wrote more than {self._limits.disk_mib} MiB or {self._limits.files:,} files",
            f"let it write less; {_RAISE.format('disk_mib')} and `files`",
        )

    def _count_files(self) -> None:
        size, files = self._workshop.used(self._limits.files)
        if size > self._limits.disk_mib * MIB or files > self._limits.files:
            self._meets_disk()

    def _meets(self, limit: str, remedy: str) -> None:
        if not self._limit:
            self._limit, self._remedy = limit, remedy

    def end(self, token: str) -> None:
        """End all its processes, and find out how it ended. Raises MachineRefuses if one doesn't end."""
        started, status, group = self._started, self._started.status, self._started.group
        if not self._limit and self._started.exit_code() is None:
            self._meets("was interrupted", "run the command again")
        started.strike()
        self._code = started.popen.wait()
        gone = True
        if status is not None:
            gone = status.wait_ended(KILL_S)
            status.update()
            if self._code >= 0:
                self._code = status.exit_code
        if group is not None:
            if group.memory_kills():
                self._meets_memory()
            gone = group.remove() and gone
        if status is None:
            kill_marked(token)
        for descriptor in (started.stdout, started.stderr):
            with contextlib.suppress(OSError):
                self._read(descriptor)
            os.close(descriptor)
        if status is not None:
            status.close()
        if self._usage is not None:
            self._usage.close()
        if not gone:
            raise MachineRefuses("the processes of a build do not end", "restart the machine")

    def raise_if_failed(self) -> None:
        """Raise BuildFailed with the end of the output if the build failed, and ArenaError if it never ran."""
        if not self._limit and self._code == 0:
            return
        if self._code is None and not self._limit:
            raise MachineRefuses(
                f"the sandbox for the build could not be made: {self.words.strip()[-500:]}",
                "`arena doctor` says more",
            )
        if self._is_full() or self._code == SIGNALLED + signal.SIGXFSZ:
            self._limit = ""  # whatever came of it
            self._meets_disk()
        how = self._limit or _how(self._code or 0)
        part, shown = _telling(self.words)
        lines = "".join(f"\n{line}" for line in shown)
        raise BuildFailed(
            f"the build {how}{f'; {part} of its output:' if lines else ', and printed nothing'}{lines}",
            self._remedy or _REMEDY,
            self.words,
        )

    def _is_full(self) -> bool:
        if not self._workshop.is_bounded:
            return False
        try:
            left = os.statvfs(self._workshop.outside)
        except OSError:
            return False
        return left.f_bavail * left.f_frsize < MIB or left.f_favail < 16


_RAISE = "the organiser can raise `{}` under [build] in the settings file"
_REMEDY = (
    "correct the program, or `build` in bot.toml; it runs in a copy of the folder, without network, and finds the "
    "programs of the system and those listed under [runtimes]"
)


def _how(code: int) -> str:
    """Return how a build ended, in words: an exit code, or minus a signal; bubblewrap adds 128 to a signal."""
    if code < 0:
        return ended_by(-code)
    if code > SIGNALLED and code - SIGNALLED in set(signal.Signals):
        return ended_by(code - SIGNALLED)
    return f"exited with code {code}"
