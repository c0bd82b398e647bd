"""Says what refusals advise in the words of the site. Their hints name commands, which pages don't have."""

import re
from collections.abc import Callable, Mapping

from arena.league.changes.commands import CHANGES
from arena.league.inbox.command import HINT

_ON_THE_LEAGUE = "on the league's page under Organise"
_PAGES: Mapping[str, str] = {
    **{
        f"league {action}": _ON_THE_LEAGUE
        for action in ("pause", "resume", "bench", "unbench", "extend", "season", "add")
    },
    "league retire": "on the page of its version, or of the league under Organise",
    "league replace": "on the page of the new version",
    "bots": "on the page of the bot",
}
"""Where a page does what a command does, by how the command begins."""
_ELSEWHERE = "on the server's machine"
_WHOLE: Mapping[str, str] = {"`arena accounts list` shows all accounts": "all accounts are listed below"}
"""Hints that are other sentences on the site."""
_COMMAND = re.compile(
    r"(?:[:,]? (?:with|run|at))?:? ?`?\barena (?P<name>(?:league|bots|accounts|db) ?[a-z-]*|[a-z-]+)[^;`]*`?"
)
_CONTINUED = re.compile(r", or continue it: `arena league run [^`]*`")
"""Of a name that is taken: pages go on with no league for that."""
_SUBJECT = re.compile(
    r"`arena (?P<command>[^`]+)`(?= (?!(?:as|its|this|unless)\b)(?:[a-z]+s\b|wrote\b|and the site show|or `arena))"
)
"""A command that does something in a sentence of its own, which would lose its subject without it."""
_KEPT = "`\0"
"""How a command that stays is spelt meanwhile."""
_OPTION = re.compile(r"(?<![\w-])--(?=[a-z])")


def on_pages(text: str) -> str:
    """Return a refusal, or the hint of one, as pages say it.

    >>> on_pages("add rounds first: arena league extend main --rounds 1")
    "add rounds first, on the league's page under Organise"
    >>> on_pages("look at: arena bots --all")
    'look, on the page of the bot'
    >>> on_pages("`arena doctor` says more")
    "`arena doctor` on the server's machine says more"
    >>> on_pages("it can be extended by --matches, --games")
    'it can be extended by matches, games'
    >>> on_pages("choose another name, or continue it: `arena league run spring`")
    'choose another name'
    """
    what, _, hint = _CONTINUED.sub("", text).rpartition(HINT)
    said = _said(hint, lambda name: _PAGES.get(name) or _PAGES.get(name.split(" ")[0], _ELSEWHERE))
    return f"{what}. What to do: {said}" if what else said


def in_the_api(hint: str, prefix: str = "") -> str:
    """Return the hint of a refusal as the API of a site below this prefix says it.

    >>> in_the_api("add rounds first: arena league extend main --rounds 1")
    'add rounds first, by POST /api/v1/commands with the kind extend'
    """

    def place(name: str) -> str:
        kind = name.removeprefix("league ")
        return f"by POST {prefix}/api/v1/commands with the kind {kind}" if kind in CHANGES else _ELSEWHERE

    return _said(hint, place)


def _said(hint: str, place: Callable[[str], str]) -> str:
    if hint in _WHOLE:
        return _WHOLE[hint]
    said = _SUBJECT.sub(lambda found: f"{_KEPT}{found['command']}` {_ELSEWHERE}", hint)
    said = _COMMAND.sub(lambda found: f", {place(found['name'].strip())}", said)
    said = said.replace(f"{_ELSEWHERE} {_ELSEWHERE}", _ELSEWHERE)
    parts = said.split("`")  # the options of a command that stays are part of it
    return (
        "`".join(part if number % 2 else _OPTION.sub("", part) for number, part in enumerate(parts))
        .replace(_KEPT, "`arena ")
        .removeprefix(", ")
    )
