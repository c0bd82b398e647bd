"""`arena league add`, `pause`, `extend` and every other change of a league."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.change_now_or_queue import confirm_deletion, make_change
from arena.cli.base.confinement import starting
from arena.cli.base.open_store import reading, reading_if_there
from arena.cli.base.stored_names import find_entry
from arena.cli.base.submitting import submitted_name
from arena.league.changes.entries import Add, Bench, Pause, Replace, Resume, Retire
from arena.league.changes.submitted_versions import to_start
from arena.league.changes.whole_league import Aim, Clone, Delete, Extend, Rename, Reveal, Season
from arena.league.definition.bot_arguments import HERE, bot_path, is_there
from arena.league.definition.stored import file_of
from results.base.errors import AmbiguousName
from results.base.text import counted


def add(
    league: options.ChangedLeague,
    bot: options.AnyBot,
    label: Annotated[str | None, typer.Option("--label", "-l")] = None,
    arg: list[str] | None = None,
    store: options.Store = options.DEFAULT_STORE,
    only_start: Annotated[bool, typer.Option("--only-start", hidden=True)] = False,
) -> None:
    """Let a bot join a league, even while the league runs.

    A bot in a folder or archive is submitted first, as by `arena submit`, unless it already is.

    Options:
        label: Its name in this league; default: the bot's own.
        arg: An argument for the bot's command; may be repeated.
    """
    args = tuple(arg or ())
    if only_start:
        _start_joining(store, league, bot, args)
        return
    name = submitted_name(store, bot, league)
    _start_joining(store, league, name, args)
    make_change(store, Add(league, name, label, args))


def replace(
    league: options.ChangedLeague,
    bot: options.ChangedEntry,
    version: Annotated[str | None, typer.Argument()] = None,
    store: options.Store = options.DEFAULT_STORE,
    only_start: Annotated[bool, typer.Option("--only-start", hidden=True)] = False,
) -> None:
    """Let a new version of a bot take over from the one that plays.

    A bot in a folder or archive is submitted first, as by `arena submit`, unless it already is.

    The new version starts at the old one's rating, with more uncertainty. The games of the old version stay.

    Options:
        version: What takes over: {options.ANY_BOT}. Default: the bot's newest submitted version.
    """
    if only_start:
        _start_joining(store, league, version, entry=bot)
        return
    new = None if version is None else submitted_name(store, version, league)
    entry = _entry_named(store, league, bot)
    _start_joining(store, league, new, entry=entry)
    make_change(store, Replace(league, entry, new))


def retire(
    league: options.ChangedLeague, bot: options.ChangedEntry, store: options.Store = options.DEFAULT_STORE
) -> None:
    """Take a bot out of a league for good; its games and its rating stay.

    The rankings mark it as retired. To stop it for a while: `arena league pause`.
    """
    make_change(store, Retire(league, _entry_named(store, league, bot)))


def pause(
    league: options.ChangedLeague,
    bot: Annotated[str | None, typer.Argument()] = None,
    why: Annotated[str, typer.Option(metavar="REASON")] = "",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Pause a bot or a whole league until `resume`; planned matches are still played.

    Options:
        why: The reason, for `arena status`.
        bot: The bot, {options.ENTRY}; default: the whole league pauses.
    """
    entry = None if bot is None else _entry_named(store, league, bot)
    make_change(store, Pause(league, entry, why))


def resume(
    league: options.ChangedLeague,
    bot: Annotated[str | None, typer.Argument()] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Let a paused or benched bot, or a paused league, play on.

    A benched bot's faults are forgiven. A bot is benched for thinking during the turns of others, or by `arena league
    bench`.

    Options:
        bot: The bot, {options.ENTRY}; default: the whole league resumes.
    """
    entry = None if bot is None else _entry_named(store, league, bot)
    make_change(store, Resume(league, entry))


def bench(
    league: options.ChangedLeague,
    bot: options.ChangedEntry,
    why: Annotated[str, typer.Option(metavar="REASON")] = "",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Stop a bot until `resume`: it isn't started, and forfeits or gets no matches.

    Matches that are planned already are still played. After them, the bot gets no matches on a ladder; in a round robin
    or a gauntlet it stays in the schedule and forfeits its matches, even in the round being played. Until `arena league
    resume`, no new version can take over from it.

    Options:
        why: The reason, for `arena status` and the rankings.
    """
    make_change(store, Bench(league, _entry_named(store, league, bot), why))


def extend(
    league: options.ChangedLeague,
    matches: Annotated[int | None, typer.Option(min=1)] = None,
    games: Annotated[int | None, typer.Option(min=1)] = None,
    minutes: Annotated[float | None, typer.Option(min=0.001)] = None,
    rounds: Annotated[int | None, typer.Option(min=1)] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Raise the budget of a league, or its number of rounds.

    A finished league can then go on.

    Options:
        matches: This many more matches.
        games: This many more games.
        minutes: This many more minutes.
        rounds: This many more rounds.
    """
    make_change(store, Extend(league, matches, games, minutes, rounds))


def season(
    league: options.ChangedLeague,
    matches: Annotated[int, typer.Option(min=1)] = 20,
    name: Annotated[str | None, typer.Option("--next", metavar="NAME")] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """End the season of a ladder with a final, and begin the next.

    From the next match on, nobody joins or leaves. After the final the league is finished, and a new one begins with
    the same bots, from their ratings.

    Options:
        matches: How many matches of the final each bot plays, at least.
        name: Name of the next season; default: this one's with a number.
    """
    make_change(store, Season(league, matches, name))


def aim(
    league: options.ChangedLeague,
    at: Annotated[str, typer.Argument(metavar="AIM")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Choose what a ladder finds out first, from the next match on.

    Every bot still plays at least a quarter of the mean number of matches.

    Options:
        at: `order`: the whole order; `top:10`: who is among the best ten; `bot:LABEL`: how strong one bot is.
    """
    make_change(store, Aim(league, at))


def clone(
    league: options.ChangedLeague,
    name: Annotated[str, typer.Argument(metavar="NEW")],
    seed: int | None = None,
    inherit: Annotated[bool, typer.Option("--inherit")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Create a league like another one, with the bots that play there.

    Options:
        name: The name of the copy.
        seed: Another seed; default: the league file's, or a sealed secret.
        inherit: Start with the ratings of the league, with more uncertainty.
    """
    make_change(store, Clone(league, name, seed, inherit))


def rename(
    league: options.ChangedLeague,
    name: Annotated[str, typer.Argument(metavar="NEW")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Give a league another name.

    Options:
        name: The new name.
    """
    make_change(store, Rename(league, name))


def delete(
    league: options.ChangedLeague, yes: options.Yes = False, store: options.Store = options.DEFAULT_STORE
) -> None:
    """Delete a league with all its games. Bots and their versions stay."""
    with reading(store) as opened:
        games = opened.leagues.progress(opened.leagues.get(league).uuid).games_done
    confirm_deletion(league, f"with its {counted(games, 'game')}", yes=yes)
    make_change(store, Delete(league))


def reveal(name: options.League = None, store: options.Store = options.DEFAULT_STORE) -> None:
    """Publish the secret of a finished league, so that deals can be verified.

    After that, the league can't continue.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
    make_change(store, Reveal(league.name))


def _entry_named(store: Path, league: str, bot: str) -> str:
    """Return the name by which a change finds an entry: `bot`, or the entry's label if that is the path of its bot.

    The process that makes the change may be another one, with other folders.
    """
    if bot_path(bot, HERE) is None and not is_there(Path(bot)):
        return bot
    with reading_if_there(store) as opened, suppress(AmbiguousName):
        return bot if opened is None else find_entry(opened, opened.leagues.get(league), bot).label
    return bot


def _start_joining(
    store: Path, league: str, bot: str | None, args: Sequence[str] = (), entry: str = ""
) -> None:
    """Start the bot once that is to join a league or replace an entry; see `versions.to_start`. Raises DoesNotStart."""
    with reading_if_there(store) as opened:
        if opened is not None and (bots := to_start(opened, league, bot, args, entry)):
            starting(store)(bots, file_of(opened.leagues.get(league)))
