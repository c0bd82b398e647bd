"""The process that checks uploads: `python -m arena.web.desk STORE SANDBOX LIMITS`.

It ends when standard input does, so that it can't outlive the server that started it.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import cast, get_args

import msgspec

from arena.core.errors import ArenaError, UsageError
from arena.league.running.league_isolation import confine
from arena.web.desk.keeping import NOT_CONFINED, TAKEN
from arena.web.desk.receiving import Reception, UploadLimits
from arena.web.desk.worker import DeskTaken, Worker
from arena.web.site_file.file import SiteFile, site_file_of
from results.base.isolation_levels import Wanted


def main(store: str, sandbox: str, limits: str) -> int:
    """Check uploads until told to stop; return the exit code."""
    if sandbox not in get_args(Wanted):
        return 2
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the server's terminal is for the server
    threading.Thread(target=_stop_with, args=(stop,), daemon=True).start()
    path = Path(store)
    reception = Reception(path, SiteFile(site_file_of(path)), msgspec.json.decode(limits, type=UploadLimits))
    try:
        confine(path, cast("Wanted", sandbox))
    except UsageError as error:
        _say(f"{error}; {error.hint}")
        return NOT_CONFINED
    except ArenaError as error:  # the machine lacks something for the moment: each check tries again
        _say(str(error))
    try:
        Worker(reception, cast("Wanted", sandbox), stop, _say).run()
    except DeskTaken:  # the server says so, once
        return TAKEN
    except ArenaError as error:
        _say(f"{error}; {error.hint}" if error.hint else str(error))
        return error.exit_code
    return 0


def _say(line: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _stop_with(stop: threading.Event) -> None:
    """Wait for the end of standard input, then stop."""
    with suppress(OSError):
        while os.read(0, 64):
            pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
