"""Lists that can grow: which rows a page has of each, in which order, and the addresses of the others.

The main list of a public page continues at `…/page-2`, where no name can be, any other one at `?times-page=2`. A list
on one page is sorted and searched by scripts alone, a longer one by the server: `?sort=-share&find=ann`, or
`?times-sort=-wall_ms`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from arena.web.html.links import Path, asking, last
from arena.web.html.page_model import NoPage
from results.reports.columns import Column

PAGE = "page-"
"""What the last part of the address of a further page begins with."""
A_PAGE = 50
"""Rows of a list on one page."""
MOST_FIND = 100
"""Characters of what is looked for."""
_WHATS = ("page", "find", "sort")
"""What an address may say of a list."""
Asked = Mapping[str, Sequence[str]]
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Part:
    """Which rows of a list a page has."""

    number: int
    """Of the page, from 1."""
    rows: int
    """Of the whole list, or of what was found in it."""
    whole: Path
    """The path of the first page."""
    name: str = ""
    """Of the list in addresses; empty for the main one."""
    asked: Asked = field(default_factory=dict)
    """All that the address asks for."""
    is_long: bool = False
    """Whether the whole list has several pages."""
    ups: Collection[str] = ()
    """Columns that are sorted by the lowest first."""

    @property
    def pages(self) -> int:
        """How many pages the list has, at least one."""
        return max(1, -(-self.rows // A_PAGE))

    @property
    def near(self) -> list[int]:
        """The numbers of the first page, the last one, and those around this one."""
        return sorted({1, self.pages, *range(max(1, self.number - 2), min(self.pages, self.number + 2) + 1)})

    @property
    def first(self) -> int:
        """The number of the first row, from 1."""
        return (self.number - 1) * A_PAGE + 1

    @property
    def last(self) -> int:
        """The number of the last row."""
        return min(self.rows, self.number * A_PAGE)

    @property
    def find(self) -> str:
        """What is looked for; empty: everything."""
        return said(self.asked, self.name, "find")

    @property
    def sort(self) -> str:
        """The column that it is sorted by, with `-` before it for the highest first; empty: none."""
        return said(self.asked, self.name, "sort")

    def path(self, number: int) -> Path:
        """Return the path of one of the pages."""
        return self.whole if self.name or number == 1 else (*self.whole, f"{PAGE}{number}")

    def query(self, number: int = 1, **more: str) -> str:
        """Return what follows that path, with other values for `find` or `sort`."""
        own = {"page": str(number) if self.name and number > 1 else "", **more}
        return asking({**self.asked, **{key_of(self.name, what): value for what, value in own.items()}})

    def sorted_by(self, column: str) -> str:
        """Return what follows the path to sort by a column, the other way round, or no longer."""
        first, other = (column, f"-{column}") if column in self.ups else (f"-{column}", column)
        return self.query(sort=other if self.sort == first else "" if self.sort == other else first)

    def kept(self) -> list[tuple[str, str]]:
        """Return what an address keeps when something else is looked for, by name."""
        dropped = [key_of(self.name, what) for what in ("page", "find")]
        return [(name, one) for name, all_of in self.asked.items() if name not in dropped for one in all_of]

    def of(self, rows: Sequence[_Row]) -> Sequence[_Row]:
        """Return the rows that are on this page."""
        return rows[self.first - 1 : self.last]


class Listed(NamedTuple, Generic[_Row]):
    """A list as a page shows it."""

    rows: Sequence[_Row]
    """On this page."""
    part: Part
    found: Sequence[_Row]
    """On all pages."""


def asks_of(*names: str) -> tuple[str, ...]:
    """Return what an address may say of lists."""
    return tuple(key_of(name, what) for name in names for what in _WHATS if name or what != "page")


def key_of(name: str, what: str) -> str:
    """Return the name of a value of a list in addresses."""
    return f"{name}-{what}" if name else what


def part_of(
    rows: int, number: str, whole: Path, asked: Asked | None = None, *, name: str = "", is_long: bool = False
) -> Part:
    """Return the part that an address asks for; empty is the first. Raises NoPage beyond the list's end.

    `rows`: what is found in the list `number`: of the page; what is `asked` has that of a list with a name.
    """
    found = Part(1, rows, whole, name, asked or {}, is_long or rows > A_PAGE)
    number = last(found.asked.get(key_of(name, "page"), ())) if name else number
    if not number:
        return found
    if not (len(number) <= 6 and number in map(str, range(2, found.pages + 1))):
        raise NoPage(f"This list has {'only one page' if found.pages == 1 else f'{found.pages} pages'}.")
    return replace(found, number=int(number))


def listed(
    rows: Sequence[_Row],
    whole: Path,
    asked: Asked,
    named: Callable[[_Row], str],
    *,
    name: str = "",
    page: str = "",
    sorts: Mapping[str, Callable[[_Row], Any]] | None = None,
    ups: Collection[str] = (),
) -> Listed[_Row]:
    """Return a list as an address asks for it; rows without a value come last. Raises NoPage beyond its end.

    `whole`: the path of the first page · `named`: what rows are found by · `sorts`, `ups`: as `sorts_of` returns them.
    """
    is_long = len(rows) > A_PAGE
    found = list(rows)
    if is_long and (wanted := said(asked, name, "find").casefold()):
        found = [row for row in found if wanted in named(row).casefold()]
    sort = said(asked, name, "sort")
    if is_long and (value := (sorts or {}).get(sort.removeprefix("-"))):
        keyed = [(value(row), row) for row in found]
        have = [one for one in keyed if one[0] is not None]
        have.sort(key=lambda one: one[0], reverse=sort.startswith("-"))
        found = [row for _, row in have] + [row for key, row in keyed if key is None]
    part = replace(part_of(len(found), page, whole, asked, name=name, is_long=is_long), ups=ups)
    return Listed(part.of(found), part, found)


def sorts_of(columns: Sequence[Column]) -> tuple[Mapping[str, Callable[[Any], Any]], tuple[str, ...]]:
    """Return what columns are sorted by, by their names in addresses, and those that begin with the lowest."""
    return (
        {one.sort_key: attrgetter(one.key) if one.to_the_right else _folded(one.key) for one in columns},
        tuple(one.sort_key for one in columns if one.up or not one.to_the_right),
    )


def _folded(key: str) -> Callable[[Any], str]:
    return lambda row: str(getattr(row, key) or "").casefold()


def said(asked: Asked, name: str, what: str) -> str:
    """Return what an address says of a list: `find` or `sort`; empty if nothing."""
    return last(asked.get(key_of(name, what), ())).strip()[:MOST_FIND]
