"""Pictures of leagues and games for the previews of other programs, drawn as PNG by the extra `png`.

A league shows the first of its rankings, a game who has played it: no result of a game.
"""

from collections.abc import Iterable, Sequence
from html import escape
from unicodedata import east_asian_width
from xml.etree.ElementTree import ParseError, fromstring, tostring

from arena.league.stored_games import FoundGame
from arena.web.html.game_art import art_of, title_of_game
from arena.web.html.links import Path
from arena.web.html.rendering import PREVIEW_SIZE, count, number, static_files
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
_LEFT, _MIDDLE, _RIGHT = 72, 616, 1128
_TOP, _STEP, _SIZE = 346, 70, 40
"""Of the lines."""
_STYLE = """.own { font-family: Figtree, sans-serif; font-weight: 500; fill: #2b241d }
.brand, .head, .mark { font-weight: 800 } .quiet { fill: #6a5d4f } .value { text-anchor: end }
.mark { text-anchor: middle }
"""
_SEATS = ("c9603a", "3978b0", "4c8a3f", "9a57a8")
"""As in `cards.css`."""
_LOAF = (
    '<g transform="translate(72 48) scale(1.9)"><path d="M4 20V11a4 4 0 0 1-1-7h18a4 4 0 0 1-1 7v9z" fill="#e2a55b" '
    'stroke="#7a3d10" stroke-width="2" stroke-linejoin="round"/><path d="M9 8v3M15 8v3" stroke="#7a3d10" '
    'stroke-width="2" stroke-linecap="round"/></g>'
)
_BACKS = "".join(
    f'<g transform="translate({90 + 34 * turn} 26) rotate({14 * turn} 30 100)"><rect width="60" height="84" rx="6" '
    'fill="#fffdf7" stroke="#b9aa94"/><rect x="5" y="5" width="50" height="74" rx="4" fill="#b5652b"/>'
    '<path d="M17 47v-7a4 4 0 0 1-1-8h28a4 4 0 0 1-1 8v7a3 3 0 0 1-3 3H20a3 3 0 0 1-3-3z" fill="#f6e3cd"/></g>'
    for turn in (-1, 0, 1)
)
"""Cards face down, for games without a picture."""
_WIDE, _NARROW = frozenset("mwMW@%—…"), frozenset("iljtfrI.,:;'|!()[]- ")


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


def _drawn(site_name: str, head: str, words: str, lines: Iterable[str], art: str) -> str:
    width, height = PREVIEW_SIZE
    size = min(92, max(56, int((_RIGHT - _LEFT) / max(1, _ems(head)))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<style>{_STYLE}</style><defs><filter id="shadow" x="-10%" y="-10%" width="120%" height="130%">'
        '<feDropShadow dx="0" dy="1.5" stdDeviation="2" flood-color="#3c2814" flood-opacity="0.28"/></filter></defs>'
        f'<rect width="{width}" height="{height}" fill="#faf6ef"/><circle cx="940" cy="640" r="330" fill="#f6e3cd"/>'
        f'<rect y="{height - 14}" width="{width}" height="14" fill="#8a4312"/>{_LOAF}'
        f"{_text(site_name, 'brand', 130, 82, 32, _RIGHT)}{_text(head, 'head', _LEFT, 188, size, _RIGHT)}"
        f"{_text(words, 'quiet', _LEFT, 246, 36, _RIGHT)}{''.join(lines)}"
        f'<svg x="{_MIDDLE}" y="296" width="560" height="280" viewBox="0 0 240 120" overflow="visible">'
        f'<g filter="url(#shadow)">{art}</g></svg></svg>'
    )


def _art(game: str) -> str:
    """Return the picture of a game, 240 × 120; that of cards face down if it has none that can be read."""
    try:
        root = fromstring(static_files()[art_of(game)])  # noqa: S314 - of an installed package
    except (KeyError, ParseError):
        return _BACKS
    root.set("width", "240")
    root.set("height", "120")
    root.set("overflow", "visible")
    return tostring(root, encoding="unicode")


def _ranks(found: Rankings) -> Iterable[str]:
    for place, row in enumerate(found.rows[:MOST_LINES]):
        by_rating = found.is_rated and found.own_standings is None and not found.by_share
        mean = row.scores.mean if row.scores else row.mu
        value = number(mean, found.scale.decimals) if by_rating else ""
        yield _line(place, "–" if row.rank is None else str(row.rank), row.label, value, "#f6e3cd")


def _players(labels: Sequence[str]) -> Iterable[str]:
    rows = labels if len(labels) <= MOST_LINES else labels[: MOST_LINES - 1]
    for seat, label in enumerate(rows):
        yield _line(seat, str(seat), label, "", "#fff", f"#{_SEATS[seat]}")
    if len(rows) < len(labels):
        yield _text(
            f"and {len(labels) - len(rows)} more", "quiet", 142, _TOP + _STEP * len(rows), _SIZE, _MIDDLE
        )


def _line(place: int, mark: str, label: str, value: str, fill: str, stroke: str = "none") -> str:
    y = _TOP + _STEP * place
    end = _MIDDLE - (24 + int(_SIZE * _ems(value)) if value else 0)
    return (
        f'<circle cx="98" cy="{y - 14}" r="26" fill="{fill}" stroke="{stroke}" stroke-width="5"/>'
        f'<text class="own mark" x="98" y="{y - 5}" font-size="{28 if len(mark) < 3 else 20}">{escape(mark)}</text>'
        f"{_text(label, '', 142, y, _SIZE, end)}"
        f'<text class="own quiet value" x="{_MIDDLE}" y="{y}" font-size="{_SIZE}">{escape(value)}</text>'
    )


def _text(text: str, kind: str, x: int, y: int, size: int, end: int) -> str:
    """Return text that ends before `end`: longer ones are cut. Nothing of it is drawn outside, whatever it is."""
    text, room = visible(text), (end - x) / size
    if _ems(text) > room:
        while text and _ems(text) > room - 0.8:
            text = text[:-1]
        text = f"{text.rstrip()}…"
    return (
        f'<svg x="{x}" y="{y - size}" width="{end - x}" height="{size * 1.35:.0f}">'
        f'<text class="own {kind}" y="{size}" font-size="{size}">{escape(text)}</text></svg>'
    )


def _ems(text: str) -> float:
    """Return about how wide a text is, in sizes of its type."""
    return sum(
        1.05 if one in _WIDE or east_asian_width(one) in "WF" else 0.36 if one in _NARROW else 0.62
        for one in text
    )
