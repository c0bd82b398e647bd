"""Changes of a whole league: its budget or rounds, its name, its end."""

from arena.config.allowed_names import check_name
from arena.config.league_file import RankedBy
from arena.core.errors import UsageError
from arena.league.changes.subject import subject
from results.advice import Advice, Key, by
from results.counting import counted
from results.roster import EXTENDED, RANKED
from results.store import Store, holder_of

RENAMED = "renamed"
"""Kind of the league event by which a league got another name: `{"from": name, "to": name}`."""


def extend(
    store: Store,
    league: str,
    *,
    matches: int = 0,
    games: int = 0,
    minutes: float = 0,
    rounds: int = 0,
) -> str:
    """Raise a league's budgets, or its number of rounds, by these amounts; return in words what happens.

    A finished league can then go on. Raises UsageError.
    """
    about = subject(store, league)
    about.check_open()
    name, stop, settings = about.league.name, about.definition.file.stop, about.definition.schedule_settings
    if about.roster.final is not None:
        raise UsageError(f"{name}: the final of the season ends it", "extend the season that follows")
    changed: dict[str, float] = {}
    for key, more, budget in (
        ("matches", matches, stop.matches),
        ("games", games, stop.games),
        ("minutes", minutes, stop.minutes),
    ):
        if more and budget is None:
            raise UsageError(f"{name} has no budget of {key} to extend", _budgets(stop, settings))
        if more and budget is not None:
            changed[f"stop.{key}"] = budget + more
    if rounds:
        if not isinstance(now := getattr(settings, "rounds", None), int):
            raise UsageError(f"{name} has no fixed number of rounds", _budgets(stop, settings))
        changed["schedule.rounds"] = now + rounds
    if not changed:
        raise UsageError(
            "nothing to extend by",
            Advice("give ", Key("matches"), ", ", Key("games"), ", ", Key("minutes"), " or ", Key("rounds")),
        )
    store.leagues.add_event(about.league.uuid, about.planned, EXTENDED, {"set": changed})
    subject(store, league)  # refuses numbers beyond the bounds of the league file
    if about.league.state == "finished":
        store.leagues.set_state(about.league.uuid, "stopped")
    words = ", ".join(f"{key.partition('.')[2]} = {value:g}" for key, value in changed.items())
    return f"{name} is extended: {words}"


def extendable(store: Store, league: str) -> list[str]:
    """Return by what `extend` can raise a league: some of matches, games, minutes, rounds. Raises UnknownLeague."""
    try:
        about = subject(store, league)
        about.check_open()
    except UsageError:
        return []
    if about.roster.final is not None:
        return []
    return _raisable(about.definition.file.stop, about.definition.schedule_settings)


def _raisable(stop: object, settings: object) -> list[str]:
    known = [key for key in ("matches", "games", "minutes") if getattr(stop, key) is not None]
    return [*known, "rounds"] if isinstance(getattr(settings, "rounds", None), int) else known


def _budgets(stop: object, settings: object) -> Advice:
    """Return what can be extended."""
    known = [part for key in _raisable(stop, settings) for part in (", ", Key(key))]
    if not known:
        return Advice("it goes on until its season ends", by("league season"))
    return Advice("it can be extended by ", *known[1:])


def rename(store: Store, league: str, name: str) -> str:
    """Give a league another name; return in words what happened. Raises UsageError, NameRefused."""
    about = subject(store, league)
    check_name("name", name)
    store.leagues.rename(about.league.uuid, name)
    data = {"from": about.league.name, "to": name}
    store.leagues.add_event(about.league.uuid, about.planned, RENAMED, data)
    return f"{about.league.name} is now called {name}"


def rank(store: Store, league: str, by: RankedBy) -> str:
    """Show another fit beside a league's ratings, by places or scores; return in words what happened.

    Nothing is played or rated differently, so a league that has ended can change too. Raises UsageError.
    """
    about = subject(store, league)
    name, now = about.league.name, about.definition.file.ranking.by
    if by == now:
        raise UsageError(f"{name} shows strengths by {by} already")
    store.leagues.add_event(about.league.uuid, about.planned, RANKED, {"by": by})
    return f"{name} now shows strengths by {by} beside the ratings"


def delete(store: Store, league: str) -> str:
    """Delete a league with all its games; bots and their versions stay. Return in words what happened.

    Raises UsageError if a process plays the league, or if it is the built-in one.
    """
    record = store.leagues.get(league)
    if not record.rated and record.ruleset is None:
        raise UsageError(f"{record.name} is the built-in league of single games, which can't be deleted")
    if store.leagues.is_running(record):
        raise UsageError(
            f"{record.name} is being played",
            Advice("pause it first, then delete it", by("league pause", record.name)),
        )
    games = store.leagues.progress(record.uuid).games_done
    store.leagues.delete(record.uuid)
    return f"{record.name} is deleted, with {counted(games, 'game')}"


def reveal(store: Store, league: str) -> str:
    """Publish the secret of a league that has ended; return it in hexadecimal.

    Raises UsageError if a runner would go on with it, LeagueUnfinished, UnknownLeague.
    """
    record = store.leagues.get(league)
    if record.rated and record.state == "stopped" and subject(store, record.name).definition.standing:
        raise UsageError(
            f"{record.name} isn't over, and could not go on after its secret is public",
            Advice("end it first", by("league season", record.name)),
        )
    runner = holder_of(store.path)
    if record.state == "stopped" and runner is not None and runner.is_runner:
        raise UsageError(
            f"{record.name} isn't finished, and process {runner.pid} {runner.does}",
            "finish it first, or stop that process: after the secret is public, a league can't go on",
        )
    return store.leagues.reveal(record.uuid).hex()
