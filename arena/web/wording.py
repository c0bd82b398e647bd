"""How pages write numbers, times and names."""

from collections.abc import Mapping

_UPLOAD_STEPS: Mapping[str, str] = {
    "reading": "The archive could not be read as a bot",
    "leagues": "It can't enter one of the leagues",
    "building": "Its build failed",
    "start": "Its program does not start",
    "handshake": "It does not answer the first message as it should",
    "time": "Its check took too long",
    "entering": "It passed, and could not be entered",
    "account": "Its account was closed",
    "server": "The server could not check it",
}


def why_refused(step: str) -> str:
    """Return in plain words what an upload failed at; `step` is one of the check, or the name of a game."""
    return _UPLOAD_STEPS.get(step) or f"It failed in a game of {step}"


def number(value: float | None, decimals: int = 0) -> str:
    """Return a number with thin spaces between thousands; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,.{decimals}f}".replace(",", "\u202f").replace("-", "−")


def signed(value: float | None, decimals: int = 0) -> str:
    """Return a number with its sign; a dash for None."""
    if value is None:
        return "–"
    return f"{value:+,.{decimals}f}".replace(",", "\u202f").replace("-", "−")


def percent(value: float | None, decimals: int = 1) -> str:
    """Return a percentage (0 to 100); a dash for None."""
    return "–" if value is None else f"{value:.{decimals}f}\u202f%"


def count(value: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 game`, `2 games`."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def moment(text: str | None) -> str:
    """Return a time of the store, UTC, as people read it: `2026-11-22 14:05`; a dash for None."""
    return "–" if not text else text[:16].replace("T", " ")
