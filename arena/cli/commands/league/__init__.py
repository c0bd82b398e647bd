"""`arena league`: a command each."""

from typing import ClassVar

import typer

from arena.cli.lazy_group import LazyGroup

_CHANGES = {
    "add": "Let a bot join a league, also while the league runs.",
    "replace": "Let a new version of a bot take over from the one that plays.",
    "retire": "Take a bot out of a league for good.",
    "pause": "Pause a bot, or a whole league; planned matches are still played.",
    "resume": "End the pause of a bot, or of a whole league.",
    "bench": "Don't start a bot any more, from the next match that isn't planned.",
    "unbench": "Let a benched bot play again.",
    "extend": "Raise the budget of a league, or its number of rounds; a finished league can then go on.",
    "season": "End the season of a ladder with a final, and begin the next.",
    "rank": "Show strengths by places or by scores beside the ratings, as `[ranking] by` does in a league file.",
    "clone": "Create a league like another one, with the bots that still play there.",
    "rename": "Give a league another name.",
    "delete": "Delete a league with all its games. Bots and their versions stay.",
    "reveal": (
        "Publish the secret of a finished league, so that its deals can be audited. The league "
        "can't continue then."
    ),
}
"""The commands in `changes.py`."""


class _LeagueCommands(LazyGroup):
    package = __name__
    summaries: ClassVar = {
        "create": "Create a league: store its bots and fix its rules. Nothing is played yet.",
        "run": "Play a league to its end, continuing where the last run stopped.",
        "status": (
            "Show the progress of all leagues in the store, or of one league, with the ranking by its "
            "format if it has one."
        ),
        **_CHANGES,
        "events": "Show what has changed in a league: who joined, left or was paused, and from which match on.",
        "placing": "Show the ranking by the league's format, such as Swiss points or elimination rounds.",
        "audit": "Derive every deal of a league again from its revealed secret or its seed, and compare.",
    }
    modules: ClassVar = {
        **dict.fromkeys(("events", "placing", "audit"), "status"),
        **dict.fromkeys(_CHANGES, "changes"),
    }


_app = typer.Typer(
    cls=_LeagueCommands,
    help="Create leagues from TOML files, run them, and check their status.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="league")
