"""Leagues made from leagues: a copy with the bots that still play, and the next season."""

import msgspec
from msgspec import structs

from arena.config.allowed_names import check_name
from arena.config.league_file import LeagueFile
from arena.core.errors import UsageError
from arena.league.changes.subject import Subject, subject
from arena.league.definition.priors import with_priors
from arena.league.definition.seeds import secret_of_seed
from arena.schedules.base import Open
from arena.submissions.programs import program_of
from results.advice import Advice, by
from results.counting import counted
from results.ratings import league_rater
from results.records import EntrySpec, LeagueRecord
from results.roster import FINAL, FOLLOWED, ORGANISER, REPLAYS
from results.store import Store

FINAL_MATCHES = 20
MOST_FINAL_MATCHES = 1_000_000
"""How many matches of the final each entry plays at least, if nothing else is asked for."""


def clone(
    store: Store, league: str, name: str, *, seed: int | str | None = None, inherit: bool = False
) -> LeagueRecord:
    """Create a league with the same rules, schedule and limits, and with the entries that still play; return it.

    `seed` replaces the seed of the league file; without any, the new league is sealed. `inherit`: ratings start where
    those of the old league are, widened. Raises UsageError, NameRefused.
    """
    return _copy(subject(store, league), name, seed=seed, inherit=inherit)


def season(store: Store, league: str, *, matches: int = FINAL_MATCHES, next_name: str | None = None) -> str:
    """Begin the final of a ladder's season; return in words what happens.

    From the next match on, the field is frozen. Every entry plays at least this many more matches, then the league is
    finished and the next season begins, from the ratings of this one. Raises UsageError, NameRefused.
    """
    about = subject(store, league)
    at = about.changes_at()
    if not about.definition.endless or not isinstance(about.definition.schedule, Open):
        raise UsageError(
            f"{about.league.name} ends by itself: seasons are for ladders",
            Advice("play it again", by("league clone", about.league.name, "NEW")),
        )
    if matches < 1:
        raise UsageError(f"a final of {matches} matches", "give 1 or more")
    following = next_name or _next_name(about.league.name)
    check_name("name", following)
    store.leagues.check_new_name(following)
    store.leagues.add_event(about.league.uuid, at, FINAL, {"matches": matches, "next": following})
    return (
        f"the final of {about.league.name} begins at match {at}: {counted(matches, 'match', 'matches')} or more "
        f"for each bot; then {following} begins"
    )


def next_season(store: Store, league: LeagueRecord) -> LeagueRecord | None:
    """Return the league that follows a finished season; None if none does, or it was created before.

    If its name has been taken since the final began, it gets the next number that is free. Raises UsageError.
    """
    events = store.leagues.events(league.uuid)
    names = [str(event.data["next"]) for event in events if event.kind == FINAL]
    if not names or league.state != "finished" or any(event.kind in (FOLLOWED, REPLAYS) for event in events):
        return None
    about = subject(store, league.name)
    seed = about.definition.file.seed
    taken = {other.name for other in store.leagues.all()}
    name = names[-1]
    while name in taken:
        name = _next_name(name)
    with store.together():
        # Other deals than before, which bots could have learnt.
        following = _copy(about, name, seed=None if seed is None else f"{seed}/{name}", inherit=True)
        store.leagues.add_event(league.uuid, about.planned, FOLLOWED, {"league": following.uuid})
    return following


def seal(league: LeagueRecord) -> str:
    """Return what to publish about a new league, after its name; empty if it isn't sealed."""
    return f", sealed: its secret has the SHA-256 {league.commitment}" if league.sealed else ""


def _copy(about: Subject, name: str, *, seed: int | str | None, inherit: bool) -> LeagueRecord:
    store, league, file = about.store, about.league, about.definition.file
    check_name("name", name)
    file = structs.replace(file, name=name, seed=file.seed if seed is None else seed)
    entries = [
        entry
        for entry in store.entries.all(league.uuid)
        if about.roster.plays(entry.entry_no) or about.roster.is_out_for_the_day(entry.entry_no)
        if (bench := about.roster.benched.get(entry.entry_no)) is None or bench.by != ORGANISER
        if entry.version is not None
    ]
    if not entries:
        raise UsageError(f"no bot plays in {league.name} any more", "create a league from a league file")
    for entry in entries:
        if entry.version is not None:
            program_of(store, entry.version)  # refuses a version whose files are missing
    specs = [EntrySpec(entry.label, entry.version.id, entry.args) for entry in entries if entry.version]
    if inherit and league.ruleset is not None:
        rater = league_rater(league.name, league.rating, league.rating_options, league.scale)
        versions = {entry.version.id: entry.version for entry in entries if entry.version}
        specs = with_priors(store, specs, versions, league.ruleset, rater, _config(file))
    if league.ruleset is None:
        raise AssertionError("a rated league without rules")
    secret = None if file.seed is None else secret_of_seed(file.seed)
    return store.leagues.create(
        name=name,
        config=_config(file),
        ruleset=league.ruleset,
        entries=specs,
        secret=secret,
        rating=league.rating,
        rating_options=league.rating_options,
        keep_replays=league.keep_replays,
    )


def _config(file: LeagueFile) -> dict[str, object]:
    return dict(msgspec.to_builtins(file))


def _next_name(name: str) -> str:
    """Return the name of the season after a league: its own with the next number.

    >>> _next_name("autumn"), _next_name("autumn-9"), _next_name("autumn-²")
    ('autumn-2', 'autumn-10', 'autumn-²-2')
    """
    base, dash, number = name.rpartition("-")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    return f"{base}-{int(number) + 1}" if dash and is_number else f"{name}-2"
