"""Commands whose effect is a note: an event of a league, which would show if it happened twice."""

from pathlib import Path

from arena.core.errors import UsageError
from arena.league.inbox.files import Command, inbox_folder, leave, new_command
from results.base.errors import StoreDamaged
from results.store import Store


def note(store: Store, command: Command) -> str:
    """Have an effect that would show twice: an event of the league."""
    store.leagues.add_event("spring", 0, "note", command.data)
    if command.kind == "refuse":
        raise UsageError("not today", "come back tomorrow")
    if command.kind == "damaged":
        raise StoreDamaged("rows are missing", "restore a backup")
    if command.kind == "fail":
        raise KeyError("oops")
    return f"noted {command.data['n']}"


def notes(store: Store) -> list[int]:
    return [event.data["n"] for event in store.leagues.events("spring")]


def left(store: Store, *numbers: int, kind: str = "note") -> list[Command]:
    commands = [new_command(kind, {"n": number}) for number in numbers]
    for command in commands:
        leave(store.files, command)
    return commands


def in_inbox(store: Store) -> list[str]:
    return sorted(path.name for path in inbox_folder(store.files).iterdir() if path.name != "refused")


def refused(store: Store) -> list[Path]:
    folder = inbox_folder(store.files) / "refused"
    return sorted(folder.iterdir()) if folder.is_dir() else []
