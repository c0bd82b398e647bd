"""Which names a league and its entries may have."""

from arena.core.errors import UsageError

ALLOWED = "a name is one line of printable text without '/', and no '-' at its start: \"friday 2\""


def check_name(key: str, name: str) -> None:
    """Raise UsageError for a name that a command line, a path or a terminal would take for something else.

    `key` is that of the file. Refused are control characters and those that turn the direction of text, names of
    spaces, with spaces around them, with a slash or a backslash, `.` and `..`, and names that look like options.
    """
    problem = _problem(name)
    if problem:
        raise UsageError(f"{key}: {name!a} {problem}", ALLOWED)


def _problem(name: str) -> str:
    if not name.strip():
        return "is empty"
    if unprintable := next((character for character in name if not character.isprintable()), None):
        return f"has a character that can't be shown: U+{ord(unprintable):04X}"
    if name != name.strip():
        return "has spaces around it"
    if name.startswith("-"):
        return "begins with '-', like an option"
    if name in (".", ".."):
        return "is the name of a folder"
    if mark := next((mark for mark in "/\\" if mark in name), None):
        return f"has a {mark!r} in it"
    return ""
