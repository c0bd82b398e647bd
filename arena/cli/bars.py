"""Bars of block characters for tables: plain text, so that pipes and NO_COLOR take nothing from them."""

EIGHTHS = " ▏▎▍▌▋▊▉█"
WIDTH = 12


def bar(value: float, most: float, width: int = WIDTH) -> str:
    """Return a bar of `width` cells for `most`, in steps of an eighth of a cell; empty for nothing.

    What is more than nothing is never drawn as nothing, and what exceeds `most` fills the width.
    """
    if most <= 0 or value <= 0:
        return ""
    eighths = max(1, min(8 * width, round(8 * width * value / most)))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
