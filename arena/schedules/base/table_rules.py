"""Rules for sharing a table, and the numbers and sizes of a field's tables. For schedules."""

from collections import Counter
from collections.abc import Iterable

from arena.core.errors import BadValue
from arena.schedules.base import Field

STRICT_FROM = 3
"""From this table size on, two bots of one author could play together against a third: there they never meet."""


def of_one_author(field: Field, entries: Iterable[int]) -> bool:
    """Return whether two of these entries are bots of one author. A match between them isn't rated."""
    authors = [author for entry in entries if (author := field.authors.get(entry)) is not None]
    return len(set(authors)) < len(authors)


def kept_apart(field: Field, seats: int) -> bool:
    """Return whether bots of one author are kept apart at tables of that size: never at those of two."""
    if not field.authors or seats >= STRICT_FROM:
        return bool(field.authors)
    return len({field.authors.get(entry, entry) for entry in field.entries}) > 1


def groups(field: Field, seats: int, entries: Iterable[int] | None = None) -> dict[int, object]:
    """Return, by entry, the group that must not meet at tables of that size: its author's name, or the entry itself."""
    apart = kept_apart(field, seats)
    chosen = field.entries if entries is None else entries
    return {entry: field.authors.get(entry, entry) if apart else entry for entry in chosen}


def check_apart(field: Field, seats: int, tables: int) -> None:
    """Raise BadValue if an author has too many entries to keep apart at `tables` in parallel of three or more."""
    if seats < STRICT_FROM or not kept_apart(field, seats):
        return
    for author, bots in Counter(groups(field, seats).values()).most_common(1):
        if bots > tables:
            raise cannot_keep_apart(
                f"{bots} of the {len(field.entries)} bots are by {author}, "
                f"and they cannot be kept apart at tables of {seats}"
            )


def cannot_keep_apart(words: str) -> BadValue:
    """Return the error for a field in which bots of one author must meet."""
    hint = "set same_author = true to let bots of one author share a table"
    return BadValue(("same_author",), words, hint)


def check_filled(field: Field) -> None:
    """Raise BadValue if the field is too small for one of its tables."""
    for seats in field.seats:
        if len(field.entries) < seats:
            said = f"{field.named(len(field.entries))} cannot fill {field.table(seats)}"
            raise BadValue(("seats",), said, field.remedy)


def one_size(field: Field, what: str) -> int:
    """Return the only table size of the field. Raises BadValue if there are several; `what` needs a single size."""
    if len(field.seats) > 1:
        said = f"{what} has tables of one size, not of {' and '.join(map(str, field.seats))}"
        raise BadValue(("seats",), said, "set one number of seats")
    return field.seats[0]


def table_sizes(entries: int, seats: int) -> list[int]:
    """Return sizes for as few tables as hold all entries, none larger than `seats`, differing by at most one.

    >>> table_sizes(18, 4)
    [4, 4, 4, 3, 3]
    """
    tables = -(-entries // seats)
    small, larger = divmod(entries, tables)
    return [small + 1] * larger + [small] * (tables - larger)
