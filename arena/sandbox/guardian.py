"""The guardian: a small process that outlives a killed runner and cleans up after it.

The guardian reads from a pipe whose write end only the runner has. The run's token is sent through it first, and not on
the command line, where anyone who lists processes could see it. If the runner exits cleanly, it sends a word after the
token. If the pipe ends without that word, the runner is dead, and the guardian kills every process that carries the
token.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from arena.sandbox.cgroups import remove_groups
from arena.sandbox.folders import remove_tree
from arena.sandbox.survivors import IS_LINUX, kill_marked

HUNT_S = 30.0
"""Maximum clean-up time."""
SECOND_LOOK_S = 0.1
"""Delay before the second sweep, for a bot that was just starting when the runner died and had no token yet."""

_END_OF_TOKEN = b"\n"
_GOOD_BYE = b"done"


class Guardian:
    """Guards one run. A context manager; if the run is killed, its processes are killed and `folder` is removed.

    `held` are descriptors of locks, such as the folder's; the guardian holds them too, until it has finished cleaning
    up. Raises OSError if it can't be started.
    """

    def __init__(self, token: str, folder: Path, held: tuple[int, ...] = ()) -> None:
        self._pipe = -1
        self._process: subprocess.Popen[bytes] | None = None
        if not IS_LINUX:
            return
        reading, self._pipe = os.pipe()
        try:
            os.write(self._pipe, token.encode() + _END_OF_TOKEN)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "arena.sandbox.guardian", str(folder)],
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # The packages may be on a path that only this process knows.
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(str(Path(part).absolute()) for part in sys.path),
                },
                cwd="/",
                pass_fds=held,
                start_new_session=True,
            )
        except OSError:
            os.close(self._pipe)
            raise
        finally:
            os.close(reading)

    def __enter__(self) -> "Guardian":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            os.write(self._pipe, _GOOD_BYE)
        os.close(self._pipe)
        self._process.wait()


def main(folder: str) -> None:
    """Read the token from standard input, wait for the end of the pipe, then clean up unless the run ended cleanly."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    received = b""
    while part := os.read(0, 64):
        received += part
    marked, _, word = received.partition(_END_OF_TOKEN)
    token = marked.decode()
    if token and word != _GOOD_BYE:  # an empty token would match every run
        kill_marked(token, deadline_s=HUNT_S)
        time.sleep(SECOND_LOOK_S)
        kill_marked(token, deadline_s=HUNT_S)
        remove_groups(token)
        remove_tree(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
