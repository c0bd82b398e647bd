"""What errors advise, in the words of pages and of the API, and why an upload was refused."""

from collections.abc import Callable, Mapping

from arena.league.inbox.dispatch import CHANGES
from results.base.advice import Advice, Key, Run, StoreAt

_ON_THE_LEAGUE = "on the league's page under Organise"
_PAGES: Mapping[str, str] = {
    **{f"league {kind}": _ON_THE_LEAGUE for kind, change in CHANGES.items() if change.has_form},
    "league retire": "on the page of its version, or of the league under Organise",
    "league replace": "on the page of the new version",
    "bots": "on the page of the bot",
    "submit": "on the page Submit a bot",
}
"""Where a page does what a command does."""
_ON_THIS_PAGE: Mapping[str, str] = {"accounts list": "the list below"}
"""What shows on the same page what a command shows."""


def on_pages(advice: object) -> str:
    """Return a text, or advice, as pages say it.

    >>> on_pages(Advice("add rounds first", Run("league extend", "main --rounds 1", is_way=True)))
    "add rounds first, on the league's page under Organise"
    >>> on_pages(Advice(Run("doctor"), " says more"))
    "`arena doctor` on the server's machine says more"
    >>> on_pages(Advice("it can be extended by ", Key("matches"), ", ", Key("games")))
    'it can be extended by matches, games'
    """
    return _said(advice, lambda command: _PAGES.get(command, ""), _ON_THIS_PAGE)


def refused_on_pages(words: str, advice: Advice) -> str:
    """Return why something was refused, and what to do about it, as pages say it."""
    return f"{words}. What to do: {on_pages(advice)}" if advice else words


def in_the_api(advice: object, prefix: str = "") -> str:
    """Return a text, or advice, as the API of a site below this prefix says it.

    >>> in_the_api(Advice("add rounds first", Run("league extend", "main --rounds 1", is_way=True)))
    'add rounds first, by POST /api/v1/commands with the kind extend'
    """

    def place(command: str) -> str:
        kind = _kind(command)
        return f"by POST {prefix}/api/v1/commands with the kind {kind}" if kind else ""

    return _said(advice, place, {})


def names_request(advice: object) -> bool:
    """Return whether advice, as the API says it, names a request of it."""
    return isinstance(advice, Advice) and any(
        isinstance(part, Run) and part.is_way and _kind(part.command) for part in advice.parts
    )


def _kind(command: str) -> str:
    """Return the kind of the change that a command makes; empty if it makes none."""
    group, _, kind = command.partition(" ")
    return kind if group == "league" and kind in CHANGES else ""


def _said(advice: object, place: Callable[[str], str], named: Mapping[str, str]) -> str:
    """Return advice with the places of its commands instead of them; `named`: commands with another name."""
    if not isinstance(advice, Advice):
        return str(advice)
    said = []
    for part in advice.parts:
        match part:
            case Run() if part.is_way and (where := place(part.command)):
                said.append(f", {where}")
            case Run():
                said.append(named.get(part.command) or f"{part} on the server's machine")
            case Key():
                said.append(part.name)
            case StoreAt():  # nobody chooses the store of a site
                pass
            case _:
                said.append(part)
    return "".join(said)


_UPLOAD_STEPS: Mapping[str, str] = {
    "reading": "The archive could not be read as a bot",
    "leagues": "It can't enter one of the leagues",
    "building": "Its build failed",
    "start": "Its program does not start",
    "handshake": "It does not answer the first message as it should",
    "time": "Its check took too long",
    "entering": "It passed, and could not be entered",
    "account": "Its account was closed",
    "server": "The server could not check it",
}


def why_refused(step: str) -> str:
    """Return in plain words what an upload failed at; `step` is one of the check, or the name of a game."""
    return _UPLOAD_STEPS.get(step) or f"It failed in a game of {step}"
