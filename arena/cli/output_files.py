"""Files that a command writes for its user."""

from pathlib import Path


def write_file(target: Path, text: str, *, force: bool) -> None:
    """Write a file. Overwrites an existing file only if `force`; always writes to pipes and devices."""
    from arena.core.errors import UsageError
    from arena.sandbox.refusals import refusal

    try:
        new = not force and (target.is_file() or not target.exists())
        with target.open("x" if new else "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{target} already exists", "choose another name, or overwrite it with --force"
        ) from None
    except OSError as error:
        if refusal(error) is not None:  # a full disk, say
            raise
        raise UsageError(
            f"{target} can't be written: {error.strerror}",
            "choose an existing folder that you may write to",
        ) from error
