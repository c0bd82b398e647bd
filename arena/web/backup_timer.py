"""Makes a backup of everything now and then, in a process of its own, and keeps the newest ones."""

import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from arena.web.backups import backups_in

_NAME = re.compile(r"arena-\d{8}T\d{6}Z")
LOOK_S = 30.0
AGAIN_S = 600.0
"""How long to wait after a backup that failed."""


class BackupTimer:
    """Makes backups of one store in a folder, in a thread."""

    def __init__(
        self,
        store: Path,
        folder: Path,
        every_s: float,
        keep: int,
        tell: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`keep`: how many backups stay; `tell` gets a line for people."""
        self._store, self._folder, self._every_s, self._keep = store.absolute(), folder, every_s, keep
        self._tell, self._now = tell, now
        self._over = threading.Event()
        self._not_before_s = 0.0
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._go_on, name="backups", daemon=True)

    def begin(self) -> None:
        """Go on making backups until `close`."""
        self._thread.start()

    def close(self) -> None:
        """Stop; a backup that is being made is given up, and leaves nothing behind that counts."""
        self._over.set()
        child = self._child
        if child is not None:
            child.terminate()
        self._thread.join(timeout=10.0)

    def _go_on(self) -> None:
        while not self._over.is_set():
            if self.is_due() and time.monotonic() >= self._not_before_s and not self.back_up():
                self._not_before_s = time.monotonic() + AGAIN_S
            self._over.wait(min(LOOK_S, self._every_s))

    def is_due(self) -> bool:
        """Return whether the newest backup of this timer is missing or old enough."""
        made = self._own()
        if not made:
            return self._store.exists()
        last = datetime.strptime(made[-1].name, "arena-%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return (self._now() - last).total_seconds() >= self._every_s

    def back_up(self) -> bool:
        """Make a backup now and remove those beyond the number to keep; return whether it succeeded."""
        target = self._folder / f"arena-{self._now():%Y%m%dT%H%M%SZ}"
        command = [
            sys.executable,
            "-m",
            "arena",
            "db",
            "backup",
            "--all",
            str(target),
            "--store",
            str(self._store),
        ]
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            _, said = self._child.communicate()
            failed = self._child.returncode != 0
        except OSError as error:
            failed, said = True, str(error).encode()
        self._child = None
        if self._over.is_set():
            return False
        if failed:
            lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
            self._tell(f"no backup was made: {' '.join(lines[:2]) or 'the process failed'}")
            return False
        self._tell(f"backup: {target}")
        for old in self._own()[: -self._keep]:
            shutil.rmtree(old, ignore_errors=True)
        return True

    def _own(self) -> list[Path]:
        """Return the backups that such a timer has made, the oldest first. Others in the folder are left alone."""
        return sorted(
            (path for path in backups_in(self._folder) if _NAME.fullmatch(path.name)),
            key=lambda path: path.name,
        )
