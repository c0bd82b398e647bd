"""Says a number with its noun, in every message of the command line, the runner and the hosts."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; give `plural` if it is not the noun with an s.

    >>> counted(1, "bot"), counted(2, "match", "matches"), counted(1500, "game")
    ('1 bot', '2 matches', '1,500 games')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
