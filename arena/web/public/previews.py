"""Pictures of leagues and games for the previews of other programs, drawn as PNG by the extra `png`.

A league shows the first of its rankings, a game who has played it: no result of a game.
"""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import east_asian_width
from xml.etree.ElementTree import ParseError, fromstring, tostring

from markupsafe import Markup

from arena.league.stored_games import FoundGame
from arena.web.html.game_art import art_of, title_of_game
from arena.web.html.links import Path
from arena.web.html.rendering import PREVIEW_SIZE, count, environment, number, static_files
from arena.web.http.page_threads import takes_long
from arena.web.pages import PREVIEW, league_named
from arena.web.pages.game import found_game
from arena.web.pages.standings import first_page
from results.base.errors import LedgerError
from results.base.text import visible
from results.reports.charts import as_png
from results.reports.ranking_table import Rankings
from results.store import Store

MOST_LINES = 4
_SEATS = ("#c9603a", "#3978b0", "#4c8a3f", "#9a57a8")
"""As in `cards.css`."""
_HEAD_ROOM = 1056
"""Width of the title, in the units of `preview.svg`."""
_WIDE, _NARROW = frozenset("mwMW@%—…"), frozenset("iljtfrI.,:;'|!()[]- ")


class Line(NamedTuple):
    """A bot in a picture."""

    mark: str
    label: str
    value: str = ""
    seat_colour: str = ""
    """Of a player; empty in a ranking."""


def is_preview(path: Path) -> bool:
    """Return whether a path is that of a picture: `leagues/NAME/preview.png`, or that of a game."""
    return path[-1:] == (PREVIEW,) and path[0] == "leagues" and (len(path) == 3 or is_of_game(path))


def is_of_game(path: Path) -> bool:
    """Return whether a path is that of the picture of a game."""
    return len(path) == 5 and path[2] == "games"


def preview(store: Store, path: Path, site_name: str) -> bytes:
    """Return a picture as PNG. Raises NoPage, TakesLong, and PackageMissing if nothing here draws any."""
    league = league_named(store, path[1])
    found = found_game(store, league, path[3]) if is_of_game(path) else None
    takes_long("drawing previews")
    game = league.ruleset.game if league.ruleset else _game_of(store, found) if found else ""
    title = title_of_game(game)
    if found is None:
        rankings: Rankings = first_page(store, league.name).values["rankings"]
        matches = store.leagues.progress(league.uuid).matches_done
        words = [title, count(len(rankings.rows), "bot"), count(matches, "match", "matches")]
        lines, head = _ranks(rankings), league.name
    else:
        words = [f"Game {path[3]}", league.name]
        lines, head = _players(found.labels), title or "A game of cards"
    return as_png(_drawn(site_name, head, " · ".join(filter(None, words)), lines, _art(game)))


def _game_of(store: Store, found: FoundGame) -> str:
    """Return what was played, by the replay; empty if that can't be read."""
    try:
        replay = store.replays.get(found.league.uuid, found.record.match_no, found.record.rotation)
        return str(replay.decoded(found.name).get("game", ""))
    except LedgerError:
        return ""


def _drawn(site_name: str, head: str, about: str, lines: Sequence[Line], art: str) -> str:
    """Return the picture: the first lines, and how many more there are."""
    fits = len(lines) <= MOST_LINES or not lines[0].seat_colour
    shown = lines[: MOST_LINES if fits else MOST_LINES - 1]
    return (
        environment()
        .get_template("preview.svg")
        .render(
            site_name=site_name,
            head=head,
            head_size=min(92, max(56, int(_HEAD_ROOM / max(1, _ems(head))))),
            about=about,
            lines=shown,
            more=0 if fits else len(lines) - len(shown),
            art=Markup(art),  # noqa: S704 - of an installed package
            cut=_cut,
            ems=_ems,
            width=PREVIEW_SIZE[0],
            height=PREVIEW_SIZE[1],
        )
    )


def _art(game: str) -> str:
    """Return the picture of a game, 240 × 120; empty if it has none that can be read."""
    try:
        root = fromstring(static_files()[art_of(game)])  # noqa: S314 - of an installed package
    except (KeyError, ParseError):
        return ""
    for name, value in (("width", "240"), ("height", "120"), ("overflow", "visible")):
        root.set(name, value)
    return tostring(root, encoding="unicode")


def _ranks(found: Rankings) -> list[Line]:
    by_rating = found.is_rated and found.own_standings is None and not found.by_share
    lines = []
    for row in found.rows[:MOST_LINES]:
        mean = row.scores.mean if row.scores else row.mu
        value = number(mean, found.scale.decimals) if by_rating else ""
        lines.append(Line("–" if row.rank is None else str(row.rank), row.label, value))
    return lines


def _players(labels: Sequence[str]) -> list[Line]:
    return [
        Line(str(seat), label, seat_colour=_SEATS[seat % len(_SEATS)]) for seat, label in enumerate(labels)
    ]


def _cut(text: str, room: float) -> str:
    """Return a text, cut if it is wider than so many sizes of its type."""
    text = visible(text)
    if _ems(text) <= room:
        return text
    while text and _ems(text) > room - 0.8:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _ems(text: str) -> float:
    """Return about how wide a text is, in sizes of its type."""
    return sum(
        1.05 if one in _WIDE or east_asian_width(one) in "WF" else 0.36 if one in _NARROW else 0.62
        for one in text
    )
