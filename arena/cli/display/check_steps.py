"""Prints the steps of a check and explains the one that failed."""

from typing import TYPE_CHECKING

from rich.text import Text

from arena.cli.consoles import error_console
from arena.cli.messages import hint, say, say_error
from results.base.text import one_line

if TYPE_CHECKING:
    from arena.checking.steps import Failure, Step

_STATES = {"ok": "ok", "failed": "FAILED", "untested": "not tested"}


def step_line(step: "Step") -> str:
    """Return the line of a step."""
    said = f": {step.text}" if step.state != "failed" else ""
    return one_line(f"{step.number}. {step.name}{said} … {_STATES[step.state]}")


def say_failure(failure: "Failure", what: str) -> None:
    """Print why a step failed, what the bot was sent and wrote, the end of its log, and what to do."""
    where = f"{failure.place}: " if failure.place else ""
    say_error(f"{what}: {where}{failure.cause}")
    if failure.cure:
        hint(failure.cure)
    if failure.doing:
        say(f"  in: {failure.doing}")
    if failure.sent:
        say(f"  it was sent: {one_line(failure.sent)}")
        came = failure.came or ("nothing",)
        say(f"  it wrote: {one_line(came[0])}")
        for line in came[1:]:
            say(f"            {one_line(line)}")
    if failure.log:
        say("  the end of its log:")
        for line in failure.log:
            error_console().print(Text("    " + one_line(line)), soft_wrap=True)
