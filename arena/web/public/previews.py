"""Pictures of leagues and games for the previews of other programs, drawn as PNG by the extra `png`.

A league shows the first of its rankings, a game who has played it: no result of a game.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import east_asian_width
from xml.etree.ElementTree import ParseError, fromstring, tostring

from markupsafe import Markup

from arena.league.stored_games import FoundGame
from arena.web.html.game_art import art_of, title_of_game
from arena.web.html.page_model import FileWish, NoPage
from arena.web.html.rendering import (
    DRAWS_PREVIEWS,
    PREVIEW_SIZE,
    count,
    environment,
    game_words,
    number,
    static_files,
)
from arena.web.http.page_threads import takes_long
from arena.web.pages import league_named
from arena.web.pages.game import found_game
from arena.web.pages.standings import first_page
from results.base.errors import LedgerError
from results.base.text import visible
from results.reports.charts import as_png
from results.reports.ranking_columns import Rankings
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


def of_league(store: Store, wish: FileWish, name: str) -> bytes:
    """Return the picture of a league as PNG. Raises NoPage, also if nothing here draws any, and TakesLong."""
    league = league_named(store, name)
    _begin()
    rankings: Rankings = first_page(store, league.name).values["rankings"]
    game = league.ruleset.game if league.ruleset else ""
    matches = store.leagues.progress(league.uuid).matches_done
    words = (title_of_game(game), count(len(rankings.rows), "bot"), count(matches, "match", "matches"))
    return as_png(_drawn(wish.site_name, league.name, words, _ranks(rankings), _art(game)))


def of_game(store: Store, wish: FileWish, name: str, number: str) -> bytes:
    """Return the picture of a game as PNG. Raises as `of_league`."""
    league = league_named(store, name)
    found = found_game(store, league, number)
    _begin()
    game = league.ruleset.game if league.ruleset else _game_of(store, found)
    head = title_of_game(game) or "A game of cards"
    words = (game_words(number).capitalize(), league.name)
    return as_png(_drawn(wish.site_name, head, words, _players(found.labels), _art(game)))


def _begin() -> None:
    if not DRAWS_PREVIEWS:
        raise NoPage("There is no such page.")
    takes_long("drawing previews")


def _game_of(store: Store, found: FoundGame) -> str:
    """Return what was played, by the replay; empty if that can't be read."""
    try:
        replay = store.replays.get(found.league.uuid, found.record.match_no, found.record.rotation)
        return str(replay.decoded(found.name).get("game", ""))
    except LedgerError:
        return ""


def _drawn(site_name: str, head: str, words: Iterable[str], lines: Sequence[Line], art: str) -> str:
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
            about=" · ".join(filter(None, words)),
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
