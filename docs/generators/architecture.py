"""The rooms and their imports, from the code: a picture and a table for docs/architecture.md."""

import ast
from collections.abc import Mapping
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

import grimp

from generators.markdown import code, table

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("arena", "results", "protocol")

BOX_PX = (148, 34)
"""Width and height of a room in the picture."""
GAP_PX = (20, 44)
"""Between rooms of a floor, and between floors."""
MARGIN_PX = 24
FILLS = {"arena": "#dbeafe", "results": "#dcfce7", "protocol": "#fef3c7"}
"""Colour of a room, by package."""

Arrows = Mapping[str, frozenset[str]]
"""The rooms that each room imports."""
Place = tuple[str, ...]
"""Where something is on a floor: (room,), or (room, imported room, floor) for an arrow that passes there."""


def render() -> str:
    """Return docs/images/architecture.svg: the rooms by floors, with the arrows that no longer way implies."""
    arrows = reduced(imports())
    floors, ways = _laid_out(arrows)
    widths = [sum(map(_width, floor)) + GAP_PX[0] * (len(floor) - 1) for floor in floors]
    width = 2 * MARGIN_PX + max(widths)
    height = 2 * MARGIN_PX + len(floors) * BOX_PX[1] + (len(floors) - 1) * GAP_PX[1]
    places: dict[Place, tuple[float, float]] = {}
    for row, floor in enumerate(floors):
        x = (width - widths[row]) / 2
        for place in floor:
            places[place] = (x + _width(place) / 2, MARGIN_PX + row * (BOX_PX[1] + GAP_PX[1]))
            x += _width(place) + GAP_PX[0]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        "<title>The rooms of Arena, each above the rooms it imports</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#64748b"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
    ]
    lines += [_curve([places[place] for place in way]) for way in ways]
    lines += [_box(place[0], *places[place]) for floor in floors for place in floor if len(place) == 1]
    return "\n".join([*lines, "</svg>"])


def rooms_table() -> str:
    """Return the table of the rooms: what each is for, and what it imports."""
    arrows = imports()
    rows = [
        (code(room.replace(".", "/")), purpose(room), ", ".join(map(_short, sorted(arrows[room]))))
        for floor in floors_of(reduced(arrows))
        for room in floor
    ]
    return "\n".join(table(("Room", "Its job", "Imports"), rows))


@cache
def imports() -> Arrows:
    """Return which rooms each room imports.

    A room is a package directly below `arena` or `results`, a module beside those of `arena`, or `protocol`.
    """
    graph = grimp.build_graph(*PACKAGES)
    found: dict[str, set[str]] = {}
    for module in graph.modules:
        room = _room(module)
        if room is None:
            continue
        others = {_room(other) for other in graph.find_modules_directly_imported_by(module)}
        found.setdefault(room, set()).update(other for other in others if other not in (None, room))
    return {room: frozenset(others) for room, others in found.items()}


def reduced(arrows: Arrows) -> Arrows:
    """Return the arrows without those that a longer way implies. Raises ValueError where rooms import in a circle."""
    behind: dict[str, frozenset[str]] = {}

    def reach(room: str, above: tuple[str, ...]) -> frozenset[str]:
        if room in above:
            raise ValueError(f"rooms that import each other: {' → '.join((*above, room))}")
        if room not in behind:
            next_ones = arrows[room]
            behind[room] = next_ones.union(*(reach(other, (*above, room)) for other in next_ones))
        return behind[room]

    for room in arrows:
        reach(room, ())
    return {
        room: frozenset(one for one in others if not any(one in behind[other] for other in others))
        for room, others in arrows.items()
    }


def floors_of(arrows: Arrows) -> list[list[str]]:
    """Return the rooms by floors, the highest first: a room stands right above the highest of those it imports."""
    heights: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in heights:
            heights[room] = 1 + max(map(height, arrows[room]), default=-1)
        return heights[room]

    top = max(map(height, arrows))
    return [sorted(room for room in arrows if heights[room] == level) for level in range(top, -1, -1)]


def purpose(room: str) -> str:
    """Return the first line of a room's docstring, without its full stop."""
    path = ROOT / room.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    lines = (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").splitlines()
    return lines[0].rstrip(".") if lines else ""


def _room(module: str) -> str | None:
    """Return the room of a module; None for the packages' own files and the door of `python -m arena`."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    if package == "protocol":
        return package
    return f"{package}.{name}" if name and not name.startswith("_") else None


def _laid_out(arrows: Arrows) -> tuple[list[list[Place]], list[list[Place]]]:
    """Return the floors, each in an order that keeps arrows short, and the way of each arrow from place to place.

    An arrow has a place of its own on every floor that it crosses, so that it passes between rooms.
    """
    floors: list[list[Place]] = [[(room,) for room in floor] for floor in floors_of(arrows)]
    level = {place[0]: row for row, floor in enumerate(floors) for place in floor}
    ways: list[list[Place]] = []
    for room, other in sorted((one, below) for one in arrows for below in arrows[one]):
        crossed: list[Place] = [(room, other, str(row)) for row in range(level[room] + 1, level[other])]
        for place in crossed:
            floors[int(place[2])].append(place)
        ways.append([(room,), *crossed, (other,)])
    near: dict[Place, list[Place]] = {place: [] for floor in floors for place in floor}
    for way in ways:
        for one, next_one in pairwise(way):
            near[one].append(next_one)
            near[next_one].append(one)
    best = floors
    for _ in range(24):
        for rows in (range(len(floors)), range(len(floors) - 1, -1, -1)):
            for row in rows:
                at = {place: (i + 0.5) / len(floor) for floor in floors for i, place in enumerate(floor)}
                middle = {
                    place: round(sum(at[one] for one in near[place]) / len(near[place]), 9)
                    for place in floors[row]
                }
                floors = [
                    *floors[:row],
                    sorted(floors[row], key=lambda p: (middle[p], p)),
                    *floors[row + 1 :],
                ]
            best = min(best, floors, key=lambda order: _crossings(order, ways))
    return best, ways


def _crossings(floors: list[list[Place]], ways: list[list[Place]]) -> int:
    """Return how often arrows cross."""
    at = {place: i for floor in floors for i, place in enumerate(floor)}
    row = {place: number for number, floor in enumerate(floors) for place in floor}
    steps = [(row[one], at[one], at[other]) for way in ways for one, other in pairwise(way)]
    return sum(
        a[0] == b[0] and (a[1] - b[1]) * (a[2] - b[2]) < 0 for i, a in enumerate(steps) for b in steps[:i]
    )


def _width(place: Place) -> int:
    """Return the width of a place in pixels: a room's, or an arrow's."""
    return BOX_PX[0] if len(place) == 1 else GAP_PX[0]


def _curve(way: list[tuple[float, float]]) -> str:
    """Return an arrow from the bottom of the first place to the top of the last, straight down through the others."""
    (x, y), y_step = way[0], BOX_PX[1]
    path = f"M{x:.0f},{y + y_step:.0f}"
    y += y_step
    for number, (next_x, next_y) in enumerate(way[1:], 2):
        is_last = number == len(way)
        end_y = next_y - 2 if is_last else next_y
        bend = (end_y - y) / 2
        path += f" C{x:.0f},{y + bend:.0f} {next_x:.0f},{end_y - bend:.0f} {next_x:.0f},{end_y:.0f}"
        x, y = next_x, end_y
        if not is_last:
            y += y_step
            path += f" L{x:.0f},{y:.0f}"
    return f'<path d="{path}" fill="none" stroke="#64748b" marker-end="url(#tip)"/>'


def _box(room: str, x: float, y: float) -> str:
    """Return a room whose top edge has its middle at x, y."""
    fill = FILLS[room.partition(".")[0]]
    return (
        f'<g><title>{escape(purpose(room))}</title><rect x="{x - BOX_PX[0] / 2:.0f}" y="{y:.0f}" width="{BOX_PX[0]}" '
        f'height="{BOX_PX[1]}" rx="6" fill="{fill}" stroke="#475569"/><text x="{x:.0f}" '
        f'y="{y + BOX_PX[1] / 2 + 5:.0f}" text-anchor="middle" font-size="14" fill="#0f172a">{_short(room)}</text></g>'
    )


def _short(room: str) -> str:
    """Return a room's name as people say it: without `arena`."""
    return room.removeprefix("arena.").replace(".", "/")
