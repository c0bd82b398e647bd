"""A single program inside the sandbox, started as a bot is, for whoever tries the sandbox out."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.sandbox.bounds import Bounds
from arena.sandbox.bubblewrap import Tools, launch
from arena.sandbox.overlays import Overlays
from arena.sandbox.program import Program
from arena.sandbox.runtimes import Runtimes
from arena.sandbox.status import Status
from arena.sandbox.survivors import kill_group

ENDED_S = 20.0
"""How long the processes of a sandbox may take to be gone once it is killed."""


@contextmanager
def running_inside(
    tools: Tools,
    program: Program,
    slot: int,
    token: str,
    *,
    bounds: Bounds | None = None,
    runtimes: Runtimes | None = None,
    engine: Path | None = None,
    overlays: Overlays | None = None,
    **how: Any,
) -> "Iterator[tuple[subprocess.Popen[Any], Status]]":
    """Have a program run inside the sandbox; killed at the end of the context, and all it has started.

    It is started in its folder itself, not in a copy. `slot`, `engine`, `overlays`: as for `bubblewrap.launch`.
    `how` goes to Popen: its pipes, or another account. Raises as `launch`.
    """
    with launch(
        tools,
        program,
        program.folder,
        bounds or Bounds(),
        slot=slot,
        token=token,
        runtimes=runtimes,
        engine=engine,
        overlays=overlays,
    ) as start:
        process = subprocess.Popen(
            start.argv, env=start.env, pass_fds=start.pass_fds, start_new_session=True, **how
        )
    with process, Status(start.status) as status:
        try:
            yield process, status
        finally:
            if process.returncode is None:
                kill_group(process.pid)
                process.kill()
            status.wait_ended(ENDED_S)  # until then its processes count
