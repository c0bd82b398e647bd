"""Charts as SVG, for the site and for commands: scales with round ticks, intervals, and ratings over a league."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from html import escape
from importlib.resources import as_file, files
from math import ceil, floor, isfinite, log10
from typing import Any, NamedTuple

from results.analysis.tuning import Z95, Slice
from results.base.errors import PackageMissing
from results.base.text import visible
from results.records import EntryRecord, LeagueRecord
from results.records.query_rows import Progress
from results.reports.history import RatingCourse, rating_courses
from results.store import Store

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_COLOURS = 10
_AROUND_NAME = re.compile(r"^.*/|@.*$| [0-9]+$")


def face_of(label: str) -> tuple[int, int]:
    """Return the number of a bot's colour, 1 to 10, and of its shape, 1 to 4: the same on all pages and charts.

    They follow from its name, without author, version, and the number that tells seats of one bot apart. `cards.js`
    computes the same.

    >>> face_of("ann/crumb@3") == face_of("crumb 2") == face_of("crumb")
    True
    """
    name = _AROUND_NAME.sub("", label)
    found = reduce(lambda found, letter: (found * 1411 + ord(letter)) % 8191, name, 7)
    return found % _COLOURS + 1, found // 10 % 4 + 1


def line_colours(labels: Sequence[str]) -> list[int]:
    """Return the numbers of colours for lines of one chart: those of the faces, or the next that no line before has.

    `cards.js` computes the same. More lines than colours share them.
    """
    taken: list[int] = []
    for label in labels:
        own = face_of(label)[0]
        free = (1 + (own - 1 + step) % _COLOURS for step in range(_COLOURS))
        taken.append(next((colour for colour in free if colour not in taken), own))
    return taken


class Tick(NamedTuple):
    """A mark on an axis."""

    at: float
    """In units of the drawing."""
    text: str


class Axis(NamedTuple):
    """A linear scale from values to a length."""

    low: float
    high: float
    length: float
    """Where `high` is drawn; `low` is at 0."""
    step: float
    """Between ticks."""

    def at(self, value: float) -> float:
        """Return where a value is drawn, to a tenth of a unit; values beyond the ends are drawn at the ends."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.length * min(1.0, max(0.0, part)), 1)

    def ticks(self) -> list[Tick]:
        """Return the ticks at round numbers."""
        decimals = max(0, -floor(log10(self.step) + 1e-9)) if self.step < 1 else 0
        if self.step == 2.5:
            decimals = 1
        first = -floor(-self.low / self.step)
        found = []
        number = first
        while (value := number * self.step) <= self.high + 1e-9 * self.step:
            text = f"{value:z.{decimals}f}".replace("-", "−")
            found.append(Tick(self.at(value), text))
            number += 1
        return found


def axis(values: Iterable[float], length: float, most_ticks: int = 5) -> Axis:
    """Return an axis that holds all values, with a little room, and at most so many ticks."""
    finite = [value for value in values if isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        low, high = low - 1, high + 1
    room = 0.03 * (high - low)
    low, high = low - room, high + room
    rough = (high - low) / max(1, most_ticks)
    power = 10.0 ** floor(log10(rough))
    step = next(power * one for one in _ROUND if power * one >= rough * (1 - 1e-9))
    return Axis(low, high, length, step)


def short(number: float) -> str:
    """Return a coordinate in few characters."""
    return f"{number:.1f}".removesuffix(".0")


def interval_path(scale: Axis, low: float, middle: float, high: float) -> str:
    """Return the path of an interval at y = 8, with a stroke across it at its middle."""
    left, at, right = scale.at(low), scale.at(middle), scale.at(high)
    return f"M{short(left)} 8H{short(right)}M{short(at)} 3v10"


def line_path(points: Sequence[tuple[float, float] | None]) -> str:
    """Return the path through points; None interrupts the line."""
    parts = []
    pen = "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        parts.append(f"{pen}{short(point[0])} {short(point[1])}")
        pen = "L"
    return "".join(parts)


def band_path(points: Sequence[tuple[float, float, float]]) -> str:
    """Return the outline of a band from points of x, upper y and lower y."""
    if not points:
        return ""
    there = "L".join(f"{short(x)} {short(upper)}" for x, upper, _ in points)
    back = "L".join(f"{short(x)} {short(lower)}" for x, _, lower in reversed(points))
    return f"M{there}L{back}Z"


MOST_LINES = 10
MOST_COLOURED = 5
LEADERS = 3
"""If there are more lines than `MOST_COLOURED`, only the first ones have colours, and the others are grey."""
_MOST_OF_NAME = 14
_BETWEEN_NAMES = 4.5
"""Of the names at the ends of lines, in percent of the height."""
SPANS = 100
"""Moments of a line."""
_MOST_SPANS = 5000
WIDTH, HEIGHT = 1000.0, 300.0
"""Of the drawing, which is stretched to its frame."""
SIGMAS = 2
TABLE_COLUMNS = 8


class Line(NamedTuple):
    """The line of one bot."""

    colour: int
    """The number of its colour: that of the bot's face, unless a line above has it."""
    dash: int
    """How it is broken, 0 to 4."""
    is_quiet: bool
    """Whether pages draw it in grey, because there are many lines and it isn't one of the first."""
    label: str
    path: str
    band: str
    """Empty, but for a single bot of a system with σ."""
    now: str
    name_at: float | None
    """Where its name stands at its end, from the top, in percent of the height."""
    cells: Sequence[str]
    """Its values at the columns of the table."""


class Chart(NamedTuple):
    """The lines of some bots."""

    lines: Sequence[Line]
    levels: Sequence[Tick]
    """Horizontal lines, from the top, in percent of the height."""
    marks: Sequence[Tick]
    """Matches, from the left, in percent of the width."""
    columns: Sequence[str]
    """Matches, as headings of the table."""
    data: object
    """What the script shows: matches, and the values of each bot."""


def spans_of(progress: Progress, wanted: int) -> int:
    """Return into how many spans all planned matches are divided so that about `wanted` have been counted."""
    return min(_MOST_SPANS, ceil(wanted * progress.matches_planned / max(1, progress.matches_counted)))


def reached(progress: Progress, spans: int) -> int:
    """Return how many of the spans are drawn: those up to the last match that is counted."""
    return max(1, ceil(progress.matches_counted * spans / progress.matches_planned))


def chart(store: Store, league: LeagueRecord, entries: Mapping[str, int]) -> Chart | None:
    """Return the chart of some entries, by label; None if nothing is rated yet."""
    progress = store.leagues.progress(league.uuid)
    if not entries or not progress.matches_counted:
        return None
    courses = rating_courses(store, league, spans_of(progress, SPANS), entries.values())
    courses.sort(key=lambda course: list(entries).index(course.label))
    return chart_of(league, progress, courses) if courses else None


def first_entries(store: Store, league: LeagueRecord, entry: EntryRecord | None) -> dict[str, int]:
    """Return whom to draw unless somebody chooses: one entry, or the first in the rankings."""
    if entry is not None:
        return {entry.label: entry.entry_no}
    rows = [row for row in store.ratings.standings(league.uuid) if row.matches and not row.retired]
    return {row.label: row.entry_no for row in rows[:MOST_LINES]}


def chart_of(league: LeagueRecord, progress: Progress, courses: Sequence[RatingCourse]) -> Chart:
    """Return the chart of one course or more, each with all spans of the league, of which some matches are counted."""
    counted, spans = progress.matches_counted, len(courses[0].moments)
    drawn = reached(progress, spans)
    ends = [min(counted, (place + 1) * progress.matches_planned // spans) for place in range(drawn)]
    is_single = len(courses) == 1 and league.scale.has_sigma
    values = [value for course in courses for value in _values(course, drawn, with_band=is_single)]
    scale = axis(values, HEIGHT, 7)
    decimals = league.scale.decimals
    coloured = LEADERS if len(courses) > MOST_COLOURED else len(courses)
    colours = line_colours([course.label for course in courses])
    names = apart([100 - 100 * scale.at(course.mu) / HEIGHT for course in courses])
    picked = sorted({round(place * (drawn - 1) / (TABLE_COLUMNS - 1)) for place in range(TABLE_COLUMNS)})
    return Chart(
        lines=[
            Line(
                colour=colours[number],
                dash=number % 5,
                is_quiet=number >= coloured,
                label=course.label,
                path=_path(course, scale, ends, counted),
                band=_band(course, scale, ends, counted) if is_single else "",
                now=f"{course.mu:.{decimals}f}",
                name_at=names[number],
                cells=[
                    f"{moment.mu:.{decimals}f}" if (moment := course.moments[place]) else "–"
                    for place in picked
                ],
            )
            for number, course in enumerate(courses)
        ],
        levels=[Tick(round(100 - 100 * tick.at / HEIGHT, 2), tick.text) for tick in reversed(scale.ticks())],
        marks=_marks(counted),
        columns=[f"{ends[place]}" for place in picked],
        data={
            "matches": [0, *ends],
            "low": scale.low,
            "high": scale.high,
            "decimals": decimals,
            "lines": [
                {
                    "label": visible(course.label),
                    "mu": [
                        _before(course),
                        *(moment and round(moment.mu, 4) for moment in course.moments[:drawn]),
                    ],
                    "sigma": [None, *(moment and round(moment.sigma, 4) for moment in course.moments[:drawn])]
                    if league.scale.has_sigma
                    else None,
                }
                for course in courses
            ],
        },
    )


def apart(places: Sequence[float]) -> list[float | None]:
    """Return the places in percent at which names don't overlap, as near to their own as they can be.

    None for those that have no room: the last ones. Names that push each other share the way: their places less what
    stands above them are pooled until they rise (isotonic regression, by pooling adjacent violators).
    """
    room = int(100 / _BETWEEN_NAMES)
    order = sorted(range(min(len(places), room)), key=places.__getitem__)
    pools: list[tuple[float, int]] = []  # the mean of each, and how many names it has
    for rank, number in enumerate(order):
        mean, size = places[number] - rank * _BETWEEN_NAMES, 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean, size = (mean * size + before * count) / (size + count), size + count
        pools.append((mean, size))
    highest = 100 - (len(order) - 1) * _BETWEEN_NAMES
    levels = [min(max(mean, 0.0), highest) for mean, size in pools for _ in range(size)]
    at = {number: round(levels[rank] + rank * _BETWEEN_NAMES, 1) for rank, number in enumerate(order)}
    return [at.get(number) for number in range(len(places))]


def _before(course: RatingCourse) -> float | None:
    """Return the rating before the first match of a league; None if it played none of the first matches."""
    return course.start_mu if course.moments and course.moments[0] is not None else None


def _values(course: RatingCourse, drawn: int, *, with_band: bool) -> list[float]:
    found = [] if (start := _before(course)) is None else [start]
    for moment in course.moments[:drawn]:
        if moment is not None:
            spread = SIGMAS * moment.sigma if with_band else 0.0
            found += [moment.mu - spread, moment.mu + spread]
    return found


def _path(course: RatingCourse, scale: Axis, ends: Sequence[int], counted: int) -> str:
    points: list[tuple[float, float] | None] = []
    if (start := _before(course)) is not None:
        points.append((0.0, HEIGHT - scale.at(start)))
    points += [
        moment and (WIDTH * end / counted, HEIGHT - scale.at(moment.mu))
        for end, moment in zip(ends, course.moments, strict=False)
    ]
    there = [point for point in points if point is not None]
    if len(there) == 1:  # a line of one point would be invisible
        return line_path([(max(0.0, there[0][0] - 10), there[0][1]), there[0]])
    return line_path(points)


def _band(course: RatingCourse, scale: Axis, ends: Sequence[int], counted: int) -> str:
    return band_path(
        [
            (
                WIDTH * end / counted,
                HEIGHT - scale.at(moment.mu + SIGMAS * moment.sigma),
                HEIGHT - scale.at(moment.mu - SIGMAS * moment.sigma),
            )
            for end, moment in zip(ends, course.moments, strict=False)
            if moment is not None
        ]
    )


def _marks(counted: int) -> list[Tick]:
    """Return some matches with their places in percent; the first and the last are near the edges."""
    scale = axis((0.0, float(counted)), 100.0, 4)
    return [
        Tick(round(100 * number / counted, 1), f"{number:,.0f}")
        for tick in scale.ticks()
        if 0 <= (number := float(tick.text.replace("−", "-"))) <= counted and number == int(number)
    ]


def course_svg(chart: Chart, label: str, *, is_on_page: bool = True) -> str:
    """Return the elements of a chart: its lines, and below them the matches. The classes have their colours.

    `is_on_page`: with names at the ends of several lines, and those that don't lead in grey.
    """
    looks = [
        "line0 dash0" if is_on_page and line.is_quiet else f"line{line.colour} dash{line.dash}"
        for line in chart.lines
    ]
    grid = "".join(
        f'<line class="axis" x1="0" x2="100%" y1="{one.at}%" y2="{one.at}%"/>' for one in chart.levels
    )
    # The first lines are above the others.
    lines = "".join(
        (f'<path class="course-band" d="{line.band}"/>' if line.band else "")
        + f'<path class="course-line {looks[no]}" d="{line.path}" data-line="{no}"/>'
        for no, line in reversed([*enumerate(chart.lines)])
    )
    names = "".join(
        f'<text class="course-name {looks[no]}" data-line="{no}" x="100%" dx="6" dy="4" y="{line.name_at}%">'
        f"{escape(_short_name(line.label))}</text>"
        for no, line in enumerate(chart.lines)
        if is_on_page and len(chart.lines) > 1 and line.name_at is not None
    )
    levels = "".join(
        f'<text class="tick" x="-8" y="{one.at}%" dy="4" text-anchor="end">{one.text}</text>'
        for one in chart.levels
    )
    marks = "".join(
        f'<text class="tick" x="{one.at}%" y="12" '
        f'text-anchor="{"start" if one.at < 8 else "end" if one.at > 92 else "middle"}">{one.text}</text>'
        for one in chart.marks
    )
    return (
        f'<svg class="course-chart" role="img" aria-label="{escape(label)}">{grid}'
        f'<svg width="100%" height="100%" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" preserveAspectRatio="none" '
        f'aria-hidden="true">{lines}</svg>{levels}{names}</svg>'
        f'<svg class="course-marks" aria-hidden="true">{marks}</svg>'
    )


def _short_name(label: str) -> str:
    name = visible(label)
    return name if len(name) <= _MOST_OF_NAME else f"{name[: _MOST_OF_NAME - 1]}…"


class Dot(NamedTuple):
    """A value with its interval, at a place."""

    label: str
    x: float
    y: float
    low: float
    high: float


_MOST_NAMED = 16
"""Dots with their names beside them; of more, only a pointer shows them."""


_NAME_WIDTH, _NAME_HEIGHT = 25.0, 5.0
"""Of a name, in percent: names that would overlap move down."""


def dots_svg(dots: Sequence[Dot], label: str) -> str:
    """Return the elements of a chart of dots, each with its name and interval; all positions are in percent."""
    across = axis((dot.x for dot in dots), 100.0, 5)
    upwards = axis((end for dot in dots for end in (dot.low, dot.high)), 100.0, 4)
    parts = [
        f'<line class="axis" x1="0" x2="100%" y1="{100 - tick.at:g}%" y2="{100 - tick.at:g}%"/>'
        f'<text class="tick halo" x="2" y="{100 - tick.at:g}%" dy="-3">{tick.text}</text>'
        for tick in upwards.ticks()
    ]
    names: list[tuple[float, float]] = []
    for dot in sorted(dots, key=lambda dot: -dot.y):
        x, y, low, high = across.at(dot.x), *(100 - upwards.at(value) for value in (dot.y, dot.low, dot.high))
        name = escape(visible(dot.label))
        beside = 'dx="-8" text-anchor="end"' if x > 70 else 'dx="8"'
        near = [
            at + _NAME_HEIGHT
            for across_at, at in names
            if abs(across_at - x) < _NAME_WIDTH and at <= y + _NAME_HEIGHT
        ]
        names.append((x, max([y, *near])))
        text = f'<text class="dot-name halo" x="{x:g}%" y="{names[-1][1]:g}%" dy="4" {beside}>{name}</text>'
        parts.append(
            f'<g><title>{name}</title><line class="dot-interval" x1="{x:g}%" x2="{x:g}%" y1="{low:g}%" y2="{high:g}%"/>'
            f'<circle class="dot" cx="{x:g}%" cy="{y:g}%" r="4"/>{text if len(dots) <= _MOST_NAMED else ""}</g>'
        )
    marks = "".join(
        f'<text class="tick" x="{tick.at:g}%" y="12" text-anchor="middle">{tick.text}</text>'
        for tick in across.ticks()
        if 2 < tick.at < 98
    )
    return (
        f'<svg class="course-chart" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
        f'<svg class="course-marks" aria-hidden="true">{marks}</svg>'
    )


_STYLE = """text { font: 12px Figtree, sans-serif; fill: #6a5d4f } .title, .key { fill: #2b241d }
.title { font-size: 16px }
.axis { stroke: #ddd2c2 } .halo { paint-order: stroke; stroke: #fff; stroke-width: 3px }
.course-line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke } .course-band { fill: #ecd9c0 }
"""
_LINES = """.line1 { stroke: #8a4312 } .line2 { stroke: #2f6f8f } .line3 { stroke: #1d6b3a } .line4 { stroke: #7b3fa0 }
.line5 { stroke: #a52222 } .line6 { stroke: #7d5700 } .line7 { stroke: #46566b } .line8 { stroke: #b03a78 }
.line9 { stroke: #4a6b00 } .line10 { stroke: #1f4fb0 }
.dash1 { stroke-dasharray: 7 3 } .dash2 { stroke-dasharray: 2 3 } .dash3 { stroke-dasharray: 9 3 2 3 }
.dash4 { stroke-dasharray: 12 4 }
"""
"""Colours of lines on the light site, by the numbers of `face_of`, and how lines are broken."""
_KEY_COLUMNS, _KEY_LINE = 4, 20


def course_file(chart: Chart, title: str) -> str:
    """Return a chart as an SVG file, with its title above and the names of its lines below."""
    style = _STYLE + _LINES
    drawn = (
        course_svg(chart, title, is_on_page=False)
        .replace(
            '<svg class="course-chart"',
            '<svg overflow="visible" x="56" y="44" width="924" height="320" class="course-chart"',
        )
        .replace(
            '<svg class="course-marks"', '<svg x="56" y="366" width="924" height="20" class="course-marks"'
        )
    )
    keys = []
    for place, line in enumerate(chart.lines):
        x, y = 20 + 240 * (place % _KEY_COLUMNS), 412 + _KEY_LINE * (place // _KEY_COLUMNS)
        keys.append(
            f'<path class="course-line line{line.colour} dash{line.dash}" d="M{x} {y - 4}h28"/>'
            f'<text class="key" x="{x + 36}" y="{y}">{escape(visible(line.label))} {line.now}</text>'
        )
    height = 424 + _KEY_LINE * ((len(chart.lines) - 1) // _KEY_COLUMNS)
    return _file(title, height, style, f"{drawn}{''.join(keys)}")


def _file(title: str, height: int, style: str, content: str) -> str:
    """Return an SVG file with its title above the content."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="{height}" viewBox="0 0 1000 {height}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>'
        f'<text class="title" x="20" y="26">{escape(visible(title))}</text>{content}</svg>\n'
    )


_PANEL, _PANEL_GAP, _PANELS = 300, 30, 3
"""Width of the drawing of a parameter, the gap around it, and how many stand side by side."""


def landscape_file(
    title: str, along: Mapping[str, Slice], ends: Mapping[str, tuple[str, str, str, float]]
) -> str:
    """Return the landscape of a tune as an SVG file: the share along each parameter, with its 95 % interval.

    `ends`: by parameter, the texts of its lowest and highest value and of the answer, and the answer's place.
    """
    shares = [share for one in along.values() for share in one.shares]
    scale = axis([-0.05, 0.05, *shares], 160.0)
    panels = []
    for number, (name, one) in enumerate(along.items()):
        left = 20 + (_PANEL + _PANEL_GAP) * (number % _PANELS)
        top = 60 + 230 * (number // _PANELS)
        xs = [left + place * _PANEL for place in one.places]
        band = [
            (x, top + 160 - scale.at(share + Z95 * error), top + 160 - scale.at(share - Z95 * error))
            for x, share, error in zip(xs, one.shares, one.errors, strict=True)
        ]
        line = [(x, top + 160 - scale.at(share)) for x, share in zip(xs, one.shares, strict=True)]
        grid = "".join(
            f'<path class="axis" d="M{left} {short(top + 160 - tick.at)}h{_PANEL}"/>'
            for tick in scale.ticks()
        )
        ticks = "".join(
            f'<text class="halo" x="{left + 2}" y="{short(top + 157 - tick.at)}">{tick.text}</text>'
            for tick in scale.ticks()
        )
        low, high, answer, place = ends[name]
        at = left + place * _PANEL
        panels.append(
            f'{grid}<path class="course-band" fill-opacity="0.7" d="{band_path(band)}"/>'
            f'<path class="course-line line1" d="{line_path(line)}"/>'
            f'<line class="line1" stroke-dasharray="4" x1="{short(at)}" x2="{short(at)}" y1="{top}" y2="{top + 160}"/>'
            f"{ticks}"
            f'<text x="{left}" y="{top + 178}">{escape(low)}</text>'
            f'<text x="{left + _PANEL}" y="{top + 178}" text-anchor="end">{escape(high)}</text>'
            f'<text class="key" x="{left + _PANEL / 2}" y="{top - 8}" text-anchor="middle">{escape(answer)}</text>'
        )
    height = 60 + 230 * (1 + (len(along) - 1) // _PANELS)
    return _file(title, height, _STYLE + _LINES, "".join(panels))


def png_package() -> Any:
    """Return the package that draws PNGs. Raises PackageMissing if it isn't installed."""
    try:
        import resvg_py
    except ImportError:
        raise PackageMissing("a PNG", "arena-league[png]") from None
    return resvg_py


def as_png(svg: str, width: int | None = None) -> bytes:
    """Return a drawing as PNG, `width` pixels wide, by default as wide as it says.

    Its fonts are Figtree in the weights 500 and 800, and for letters that these lack those of the system.
    Raises PackageMissing if what draws it isn't installed.
    """
    resvg_py = png_package()
    with as_file(files("results.reports").joinpath("fonts")) as folder:
        fonts = [str(one) for one in sorted(folder.glob("*.ttf"))]
        drawn = resvg_py.svg_to_bytes(svg_string=svg, width=width, font_files=fonts, serif_family="Figtree")
        return bytes(drawn)
