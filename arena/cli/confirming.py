"""Asks before a command deletes something for good."""

import sys

import typer


def confirm_deletion(name: str, details: str, *, yes: bool) -> None:
    """Ask at the terminal whether to delete `name`, described by `details`; don't ask if `yes`.

    Raises typer.Abort after a no, UsageError without a terminal.
    """
    from arena.core.errors import UsageError

    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{name} isn't deleted without a yes, and there is no terminal to ask at",
            "to delete it without being asked, add --yes",
        )
    typer.confirm(f"Delete {name} {details}? This can't be undone.", abort=True, err=True)
