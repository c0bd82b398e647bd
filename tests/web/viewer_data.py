"""Reads the data of a game as the script does."""

from typing import Any


def views_in(data: dict[str, Any]) -> list[tuple[Any, list[Any]]]:
    """Return the spectators' view and the views of all seats after each step."""
    view: dict[str, Any] = {}
    beyond: list[dict[str, Any]] = [{} for _ in data["names"]]
    found = []
    for step in data["steps"]:
        view = _changed(view, step)
        beyond = [_changed(own, step.get("s", {}).get(str(seat), {})) for seat, own in enumerate(beyond)]
        found.append((view, [{**view, **own} for own in beyond]))
    return found


def _changed(before: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    after = {**before, **part.get("v", {})}
    return {key: value for key, value in after.items() if key not in part.get("x", ())}
