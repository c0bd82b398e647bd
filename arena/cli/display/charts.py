"""Charts made of characters: plain text, so that they look the same in pipes and with NO_COLOR."""

from collections.abc import Sequence

LEVELS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float | None], low: float, high: float) -> str:
    """Return a block character for each value, scaled between `low` and `high`; a space for None."""
    span = high - low
    return "".join(
        " "
        if value is None
        else LEVELS[min(len(LEVELS) - 1, max(0, int(len(LEVELS) * (value - low) / span)))]
        if span > 0
        else LEVELS[len(LEVELS) // 2]
        for value in values
    )


def band(points: Sequence[tuple[float, float] | None], height: int) -> list[str]:
    """Return the lines, top first, of a chart of a value and its spread over time, with a scale on the left.

    `points` are values with half the width of their bands, in order of time; None leaves a gap. The value is drawn as
    ●, the band as ░. The scale covers all values and the last band; wider bands are cut off.
    """
    known = [point for point in points if point is not None]
    if not known:
        return []
    value, spread = known[-1]
    low = min(value - spread, *(middle for middle, _ in known))
    high = max(value + spread, *(middle for middle, _ in known))
    step = (high - low) / (height - 1) or 1.0
    lines = []
    for row in range(height):
        at = high - row * step
        cells = "".join(" " if point is None else _cell(at, step, *point) for point in points)
        lines.append(f"{at:8.2f} ┤{cells}".rstrip())
    return lines


def _cell(at: float, step: float, value: float, spread: float) -> str:
    if abs(value - at) <= step / 2:
        return "●"
    return "░" if abs(value - at) <= spread else " "


_EIGHTHS = " ▏▎▍▌▋▊▉█"
BAR_CELLS = 12


def bar(value: float, most: float, width: int = BAR_CELLS) -> str:
    """Return a bar in steps of an eighth of a cell; `most` fills `width` cells, and 0 is empty.

    A positive value is never drawn as nothing, and a value above `most` fills the width.
    """
    if most <= 0 or value <= 0:
        return ""
    eighths = max(1, min(8 * width, round(8 * width * value / most)))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
