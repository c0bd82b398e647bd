"""Runs a single program inside the sandbox, exactly as a bot, to test the sandbox."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.sandbox.bounds import Bounds
from arena.sandbox.bubblewrap import Tools, launch
from arena.sandbox.bubblewrap_status import Status
from arena.sandbox.overlays import Overlays
from arena.sandbox.program import Program
from arena.sandbox.runtimes import Runtimes
from arena.sandbox.survivors import kill_group

ENDED_S = 20.0
"""How long the processes of a killed sandbox may take to disappear."""


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
    """Run a program inside the sandbox; kill it and all it has started at the end of the context.

    The program runs in its own folder, not in a copy. `slot`, `engine` and `overlays` are as for `bubblewrap.launch`.
    `how` is passed to Popen, for pipes or another account. Raises as `launch`.
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
            status.wait_ended(ENDED_S)  # until then, its processes count against limits
