"""Numbers in messages of the command line, the runner and the hosts: rounded, with their noun, or as a fraction."""

from math import floor, log10


def percent_hint(value: float, least: float, most: float) -> str:
    """Return the hint for a percentage that was given where a fraction from `least` to below `most` belongs, or "".

    >>> percent_hint(5, 0.0001, 0.2), percent_hint(2.5, 0, 1), percent_hint(-5, 0, 1), percent_hint(0.3, 0, 0.2)
    ('5 % is 0.05', '2.5 % is 0.025', '', '')
    """
    return f"{value:g} % is {value / 100:g}" if most <= 1 <= value and least <= value / 100 < most else ""


def rounded_to(digits: int, number: float) -> int:
    """Return an estimated count to so many significant digits, at least 1.

    >>> rounded_to(3, 1234.5), rounded_to(3, 12.3), rounded_to(2, 8192), rounded_to(2, 0.4)
    (1230, 12, 8200, 1)
    """
    return max(1, int(float(f"{number:.{digits}g}")))


def decimals_of(error: float) -> int:
    """Return how many decimals of an estimate tell something beside its error: those of two digits of the error.

    >>> decimals_of(0.031), decimals_of(0.5), decimals_of(2.4), decimals_of(70), decimals_of(0)
    (3, 2, 1, 0, 2)
    """
    return min(4, max(0, 1 - floor(log10(error)))) if error > 0 else 2


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; give `plural` if it is not the noun with an s.

    >>> counted(1, "bot"), counted(2, "match", "matches"), counted(1500, "game")
    ('1 bot', '2 matches', '1,500 games')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
