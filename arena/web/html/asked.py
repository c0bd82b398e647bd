"""What follows the path of an address as `?name=value`: read strictly, so that no condition is left out in silence.

Names that a page doesn't know have no effect, because other sites add some to the links that they show.
"""

from collections.abc import Sequence

from arena.web.html.page import NotUnderstood

Texts = tuple[str, ...]


def last(given: Sequence[str]) -> str:
    """Return what counts if a name is given several times; empty without any."""
    return given[-1] if given else ""


def choice(name: str, given: Sequence[str], allowed: Sequence[str], default: str = "") -> str:
    """Return one of the allowed values. Raises NotUnderstood."""
    text = last(given)
    if not text:
        return default
    if text not in allowed:
        raise NotUnderstood(f"{name} can't be {text[:100]}. It may be {_listed(allowed)}.")
    return text


def whole_number(name: str, given: Sequence[str], least: int, most: int) -> int | None:
    """Return a number within bounds; None if none is given. Raises NotUnderstood."""
    text = last(given)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 15 and least <= int(text) <= most):
        bounds = f"from {least} to {most:,}".replace(",", "\u202f")
        raise NotUnderstood(f"{name} can't be {text[:100]}. It may be a whole number {bounds}.")
    return int(text)


def sorting(name: str, given: Sequence[str], columns: Sequence[str]) -> None:
    """Raise NotUnderstood unless a table can be sorted so: by a column, with `-` before it for the highest first."""
    text = last(given)
    if text.removeprefix("-") not in ("", *columns):
        raise NotUnderstood(
            f"{name} can't be {text[:100]}. It may be {_listed(columns)}, with a minus sign before it for the "
            "highest first."
        )


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
