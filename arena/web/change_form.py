"""Turns the forms of the organiser's page of a league into changes."""

from collections.abc import Callable

import msgspec

from arena.config.allowed_names import LABEL_CHARS
from arena.league.changes.commands import (
    Add,
    Bench,
    Change,
    Extend,
    Pause,
    Resume,
    Retire,
    Season,
    Unbench,
)
from arena.league.changes.copies import MOST_FINAL_MATCHES
from arena.web.forms import Form

MOST_REASON_CHARS = 500
_MOST_BOT_CHARS = 512
_MOST_LEAGUE_CHARS = 64
_MOST_AMOUNTS = {"matches": 10**12, "games": 10**12, "minutes": 525_600, "rounds": 10**12}


class BadField(Exception):
    """A field of a form has a value that can't be used; the text says which and why."""


def change_of(action: str, league: str, form: Form) -> Change | None:
    """Return the change that a form asks for; None if there is no such action. Raises BadField."""
    make = _CHANGES.get(action)
    if make is None:
        return None
    try:
        return make(league, form)
    except msgspec.ValidationError as error:  # of the league's name in the address, which no field has
        raise BadField(f"the league can't be changed: {error}") from None


def _line(form: Form, field: str, called: str, most: int) -> str:
    text = form.line(field)
    if len(text) > most:
        raise BadField(f"{called}: at most {most} characters are allowed, and these are {len(text)}")
    return text


def _bot(form: Form, field: str = "entry") -> str:
    if not (bot := _line(form, field, "Bot", _MOST_BOT_CHARS)):
        raise BadField("Name a bot")
    return bot


def _why(form: Form) -> str:
    return _line(form, "why", "Reason", MOST_REASON_CHARS)


def _number(form: Form, field: str, called: str, most: int, *, whole: bool = True) -> float:
    """Return a number above 0 that somebody typed; 0 for an empty field. Raises BadField."""
    text = _line(form, field, called, 100)
    if not text:
        return 0
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        raise BadField(f"{called}: {text!r} is not a {'whole ' if whole else ''}number") from None
    if not 0 < value <= most:
        raise BadField(f"{called}: {text} is out of bounds; from {1 if whole else 'more than 0'} to {most:,}")
    return value


def _pause(league: str, form: Form) -> Change:
    entry = _line(form, "entry", "Bot", _MOST_BOT_CHARS) or None
    return _valid(Pause, league=league, entry=entry, why=_why(form))


def _resume(league: str, form: Form) -> Change:
    return _valid(Resume, league=league, entry=_line(form, "entry", "Bot", _MOST_BOT_CHARS) or None)


def _bench(league: str, form: Form) -> Change:
    return _valid(Bench, league=league, entry=_bot(form), why=_why(form))


def _unbench(league: str, form: Form) -> Change:
    return _valid(Unbench, league=league, entry=_bot(form))


def _retire(league: str, form: Form) -> Change:
    return _valid(Retire, league=league, entry=_bot(form))


def _extend(league: str, form: Form) -> Change:
    given = {
        name: _number(form, f"more_{name}", f"More {name}", most, whole=name != "minutes")
        for name, most in _MOST_AMOUNTS.items()
    }
    if not any(given.values()):
        raise BadField("Say how much longer the league goes on")
    return _valid(Extend, league=league, **given)


def _add(league: str, form: Form) -> Change:
    label = _line(form, "label", "Name in this league", LABEL_CHARS) or None
    return _valid(Add, league=league, bot=_bot(form, "bot"), label=label)


def _season(league: str, form: Form) -> Change:
    matches = _number(form, "final_matches", "Matches of the final", MOST_FINAL_MATCHES)
    if not matches:
        raise BadField("Say how many matches each bot plays in the final")
    name = _line(form, "next", "Name of the next season", _MOST_LEAGUE_CHARS) or None
    return _valid(Season, league=league, matches=matches, next=name)


def _valid(kind: type[Change], **values: object) -> Change:
    return msgspec.convert(values, kind)


_CHANGES: dict[str, Callable[[str, Form], Change]] = {
    "pause": _pause,
    "resume": _resume,
    "bench": _bench,
    "unbench": _unbench,
    "retire": _retire,
    "extend": _extend,
    "add": _add,
    "season": _season,
}
"""By the end of the form's path."""
