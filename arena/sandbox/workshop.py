"""Workshops: the folders of a program that makes files, such as the compiler of a bot.

Other than a bot, such a program may write to its own folder. In a sandbox with overlays its folders are in memory, with
limits on bytes and files that the kernel enforces, and nothing of them is left on a disk. Otherwise they are on the
disk, and `used` has to be asked.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.sandbox.overlays import WORKSHOP, Overlays
from arena.sandbox.program import OPEN_FOLDER
from arena.sandbox.survivors import BOT_UIDS


@dataclass(frozen=True, slots=True)
class Workshop:
    """The two folders of a program that makes files."""

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
        """Write files (path, whether executable, content); the account of the slot owns them, if there is one.

        Raises OSError if the system refuses.
        """
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


def bounded_workshop(overlays: Overlays, size_bytes: int, files: int) -> Workshop:
    """Make a workshop in memory, for programs that start in the namespaces. Raises OSError if that fails."""
    place = overlays.workshop(size_bytes, files)
    return Workshop(place, overlays.outside(place), is_bounded=True)


def workshop_on_disk(place: Path) -> Workshop:
    """Make a workshop in the new folder `place`. Raises OSError if the system refuses."""
    for name in WORKSHOP:
        (place / name).mkdir(parents=True)
    return Workshop(place, place, is_bounded=False)
