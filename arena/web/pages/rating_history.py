"""How the ratings of a league's bots have changed."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from arena.web.html.drawing import Axis, Tick, axis, band_path, line_path
from arena.web.html.page import Page, PageRefused
from arena.web.pages import league_named, path_of, tabs
from results.base.text import visible
from results.records import LeagueRecord
from results.records.query_rows import Progress
from results.reports.history import RatingCourse, rating_courses
from results.reports.leagues import league_summary
from results.store import Store

ASKS = ("bot",)
MOST_LINES = 10
SPANS = 100
"""Moments of a line."""
_MOST_SPANS = 5000
WIDTH, HEIGHT = 1000.0, 300.0
"""Of the drawing, which is stretched to its frame."""
SIGMAS = 2
TABLE_COLUMNS = 8


class Line(NamedTuple):
    """The line of one bot."""

    number: int
    """From 1: the number of its colour."""
    label: str
    path: str
    band: str
    """Empty, but for a single bot of a system with σ."""
    now: str
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


def history(store: Store, name: str, bot: tuple[str, ...] = ()) -> Page:
    """Return the page. Raises NoPage, and PageRefused if one of the bots isn't there."""
    league = league_named(store, name)
    standings = [row for row in store.ratings.standings(league.uuid) if row.matches]
    numbers = {row.label: row.entry_no for row in standings}
    chosen = [label for label in dict.fromkeys(bot) if label in numbers]
    shown = chosen[:MOST_LINES] or [row.label for row in standings if not row.retired][:MOST_LINES]
    chart = _chart(store, league, {label: numbers[label] for label in shown})
    unknown = [label for label in bot if label and label not in numbers]
    page = Page(
        path_of(league, "history"),
        f"Ratings over time · {league.name}",
        "history.html",
        {
            "league": league_summary(store, league),
            "chart": chart,
            "shown": shown,
            "is_chosen": bool(chosen),
            "unknown": unknown,
            "too_many": max(0, len(chosen) - MOST_LINES),
            "labels": list(numbers),
            "most": MOST_LINES,
            "has_sigma": league.scale.has_sigma,
        },
        tabs=tabs(league),
        polls_s=0 if league.state == "finished" else 30,
        scripts=("charts.js",),
    )
    if unknown:
        raise PageRefused(page, 404)
    return page


def _chart(store: Store, league: LeagueRecord, entries: Mapping[str, int]) -> Chart | None:
    progress = store.leagues.progress(league.uuid)
    if not entries or not progress.matches_counted:
        return None
    spans = min(_MOST_SPANS, ceil(SPANS * progress.matches_planned / progress.matches_counted))
    courses = rating_courses(store, league, spans, entries.values())
    courses.sort(key=lambda course: list(entries).index(course.label))
    return chart_of(league, progress, courses)


def chart_of(league: LeagueRecord, progress: Progress, courses: Sequence[RatingCourse]) -> Chart:
    """Return the chart of one course or more, each with all spans of the league, of which some matches are counted."""
    counted, spans = progress.matches_counted, len(courses[0].moments)
    # Spans divide all planned matches, and only those up to the last that is counted are drawn.
    reached = max(1, ceil(counted * spans / progress.matches_planned))
    ends = [min(counted, (place + 1) * progress.matches_planned // spans) for place in range(reached)]
    is_single = len(courses) == 1 and league.scale.has_sigma
    values = [value for course in courses for value in _values(course, reached, with_band=is_single)]
    scale = axis(values, HEIGHT, 7)
    decimals = league.scale.decimals
    picked = sorted({round(place * (reached - 1) / (TABLE_COLUMNS - 1)) for place in range(TABLE_COLUMNS)})
    return Chart(
        lines=[
            Line(
                number=number,
                label=course.label,
                path=_path(course, scale, ends, counted),
                band=_band(course, scale, ends, counted) if is_single else "",
                now=f"{course.mu:.{decimals}f}",
                cells=[
                    f"{moment.mu:.{decimals}f}" if (moment := course.moments[place]) else "–"
                    for place in picked
                ],
            )
            for number, course in enumerate(courses, 1)
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
                        *(moment and round(moment.mu, 4) for moment in course.moments[:reached]),
                    ],
                    "sigma": [
                        None,
                        *(moment and round(moment.sigma, 4) for moment in course.moments[:reached]),
                    ]
                    if league.scale.has_sigma
                    else None,
                }
                for course in courses
            ],
        },
    )


def _before(course: RatingCourse) -> float | None:
    """Return the rating before the first match of a league; None if it played none of the first matches."""
    return course.start_mu if course.moments and course.moments[0] is not None else None


def _values(course: RatingCourse, reached: int, *, with_band: bool) -> list[float]:
    found = [] if (start := _before(course)) is None else [start]
    for moment in course.moments[:reached]:
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
        Tick(round(100 * number / counted, 1), f"{number:,.0f}".replace(",", "\u202f"))
        for tick in scale.ticks()
        if 0 <= (number := float(tick.text.replace("−", "-"))) <= counted and number == int(number)
    ]
