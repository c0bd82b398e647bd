"""Runs that the machine lets go no further: a sentence that says why, and the command that goes on."""

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
    """Turn what the machine refuses meanwhile into an exit that says so, and with which command to go on."""
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
    """Say what the machine refuses, what to do about it, and the command that goes on; return the exit."""
    say_error(f"paused, as no game can be played here: {refused.what}", refused.remedy)
    say(f"nothing is lost, no game is void for it; once that is mended, go on with: {go_on}")
    return typer.Exit(PAUSED)
