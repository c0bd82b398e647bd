"""Games of finished matches in a store, ready to look into: the rules, the replay, the seats, the seeds."""

import sys
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, convert

from arena import registry
from arena.config.deal_suites import deal_seed, suite_of
from arena.conversation.rebuild import StoredGame
from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.core.replay import Body, check
from protocol.messages import UNSAID_CLOCK, UNSAID_LIMITS, Clock, Limits
from results.base.errors import RulesMissing
from results.records import EntryRecord, LeagueRecord, LogRecord, MatchDeal
from results.records.query_rows import FinishedGame
from results.store import Store


class FoundGame(Struct, frozen=True):
    """A game in a store; its match is finished."""

    league: LeagueRecord
    record: FinishedGame
    entries: tuple[EntryRecord, ...]
    """The one at each seat."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of the bot at each seat."""
        return tuple(entry.label for entry in self.entries)

    @property
    def versions(self) -> tuple[str, ...]:
        """The version at each seat, as AUTHOR/BOT@NUMBER; empty for a person."""
        return tuple(entry.version.reference if entry.version else "" for entry in self.entries)

    @property
    def name(self) -> str:
        """The name that finds it: LEAGUE/MATCH.ROTATION."""
        return f"{self.league.name}/{self.record.match_no}.{self.record.rotation}"


def find(store: Store, league: LeagueRecord, match_no: int, rotation: int) -> FoundGame:
    """Return a game of a finished match. Raises UnknownGame, and MatchUnfinished if it can't be seen yet."""
    store.replays.check_visible(league.uuid, match_no, rotation)
    record = store.games.get(league.uuid, match_no, rotation)
    numbers = {seat.entry_no for seat in record.seats}
    by_number = {entry.entry_no: entry for entry in store.entries.all(league.uuid, numbers)}
    return FoundGame(league, record, tuple(by_number[seat.entry_no] for seat in record.seats))


def log_of(store: Store, found: FoundGame, seat: int) -> LogRecord:
    """Return what the bot at a seat wrote to standard error; empty if it wrote nothing."""
    logs = store.replays.logs(found.league.uuid, found.record.match_no, found.record.rotation)
    return next((log for log in logs if log.seat == seat), LogRecord(seat, b"", b"", 0))


def deal_of(store: Store, found: FoundGame) -> MatchDeal | None:
    """Return what fixes the deal of a game, and no other one; None if it isn't stored.

    In a league it follows from the league's secret and the number of the first match on the deal, by a function that
    nobody can invert, so it reveals no other deal.
    """
    record, league = found.record, found.league
    store.replays.check_visible(league.uuid, record.match_no, record.rotation)
    own = store.matches.deal(league.uuid, record.match_no)
    if own is not None:
        return MatchDeal(own.seed, own.first_rotation + record.rotation)
    if league.ruleset is None:  # a match of `casual` that was entered without its seed
        return None
    match = store.matches.get(league.uuid, record.match_no)
    secret, suite = store.leagues.secret(league.uuid), suite_of(league.config)
    return MatchDeal(deal_seed(secret, suite, match.deal, match.round_no), record.rotation)


def read(store: Store, found: FoundGame) -> StoredGame:
    """Return all that conversations depend on. Raises ReplayNotKept, StoreDamaged, RulesMissing."""
    record = found.record
    replay = store.replays.get(found.league.uuid, record.match_no, record.rotation)
    body, timing = replay.decoded(found.name), replay.decoded_timing(found.name)
    clock, limits = clock_and_limits(found.league)
    return StoredGame(
        game=rules_of(str(body.get("game")), body.get("rules_version")),
        body=body,
        seats=record.seats,
        timing=timing,
        deal=deal_of(store, found),
        clock=clock,
        limits=limits,
    )


def clock_and_limits(league: LeagueRecord) -> tuple[Clock, Limits]:
    """Return the clock and limits of a league's games."""
    config = league.config
    clock, limits = config.get("clock"), config.get("limits")
    return (
        convert(clock, Clock) if clock else UNSAID_CLOCK,
        convert(limits, Limits) if limits else UNSAID_LIMITS,
    )


def rules_of(name: str, version: object) -> AnyGame:
    """Return a game with a version of its rules. Raises RulesMissing if it isn't installed."""
    try:
        game = registry.game(name)
    except registry.BrokenPlugin as error:
        raise RulesMissing(str(error), error.advice) from error
    except ArenaError as error:
        raise RulesMissing(
            f"there is no game {name!r} on this machine", "install the package that adds it"
        ) from error
    if version != game.info.version:
        raise RulesMissing(
            f"{name} was played with version {version} of its rules, but version {game.info.version} is installed",
            "install the version it was played with, and try again",
        )
    return game


def rules_key() -> bytes:
    """Return a hash of all code by which `check_body` judges: of Arena and of each game's package, and of Python."""
    digest = sha256(sys.version.encode())
    names = {type(game).__module__.partition(".")[0] for game in registry.games().values()}
    for name in sorted(names | {"arena"}):
        module = sys.modules[name]
        below = [path for folder in getattr(module, "__path__", ()) for path in Path(folder).rglob("*")]
        files = [path for path in below if "__pycache__" not in path.parts and path.is_file()]
        for file in sorted(files) or [Path(str(module.__file__))]:
            digest.update(f"{name} {file}\n".encode() + sha256(file.read_bytes()).digest())
    return digest.digest()


def check_body(body: Body) -> str | None:
    """Return which rule a replay body breaks, or None. Raises RulesMissing if this version of the game is not here."""
    name = str(body.get("game"))
    game = rules_of(name, body.get("rules_version"))
    try:
        check(game, body)
    except ArenaError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # games come from plug-ins
        return f"the rules of {name} fail: {type(error).__name__}: {error}"
    return None
