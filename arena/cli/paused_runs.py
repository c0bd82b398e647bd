"""Reports runs that the machine has stopped: why, and the command that continues."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from arena.cli.exit_codes import PAUSED
from arena.cli.messages import say, say_error

if TYPE_CHECKING:
    from arena.sandbox.refusals import Refusal


@contextmanager
def pausing(go_on: str) -> Iterator[None]:
    """Turn errors of the machine into an exit that explains them, with the command that continues."""
    from arena.core.errors import MachineRefuses
    from arena.sandbox.refusals import Refusal, refusal
    from results.errors import StoreFull

    try:
        yield
    except (MachineRefuses, StoreFull) as error:
        raise paused(Refusal(str(error), error.hint), go_on) from None
    except (OSError, MemoryError, RuntimeError) as error:
        if refused := refusal(error):
            raise paused(refused, go_on) from error
        raise


def paused(refused: "Refusal", go_on: str) -> typer.Exit:
    """Print what the machine refuses, what to do about it, and the command that continues; return the exit."""
    say_error(f"paused, because this machine can't play games now: {refused.what}", refused.remedy)
    say(f"no results are lost, and no match is void; once the problem is fixed, continue with: {go_on}")
    return typer.Exit(PAUSED)
