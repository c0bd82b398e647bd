"""Enters a single match that has been played, with its bots, into the league `casual`."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta, Struct, structs

from arena.core.errors import UsageError
from arena.league.inbox.files import UUID, NoCommand, attached
from arena.submissions.entering import kept_version
from arena.submissions.read_source import BuildRecord
from results.base.scoring import MAX_SEATS
from results.records import AttemptRecord, EntrySpec, GameRecord, MatchDeal, RulesetRecord
from results.store import Store

if TYPE_CHECKING:
    from arena.league.definition.bots_of_commands import Table
    from arena.league.single_match import MatchRules, Played

WHY = "a single match"
_Index = Annotated[int, Meta(ge=0, lt=MAX_SEATS)]


class MatchPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot in a match, whose files are kept next to the store, or a person."""

    label: Annotated[str, Meta(min_length=1, max_length=512)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")] | None = None
    """The bot's content hash; None for a person."""
    build: BuildRecord | None = None
    """How its files were built; None if they weren't."""
    args: tuple[str, ...] = ()
    """Arguments for its command, beyond those in bot.toml."""


class MatchRecords(Struct, frozen=True, array_like=True):
    """The games of a match. Where the ledger has the number of an entry, this has the index of the player."""

    games: tuple[GameRecord, ...]
    attempts: tuple[AttemptRecord, ...] = ()
    deal: MatchDeal | None = None
    """What fixes its deal, to play it again; None if it isn't known."""


class PlayedMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A match that has been played, as plain data; its records are attached to the command."""

    kind: ClassVar[str] = "match"
    words: ClassVar[str] = "store a match"
    players: Annotated[tuple[MatchPlayer, ...], Meta(min_length=1, max_length=MAX_SEATS)]
    seats: Annotated[tuple[_Index, ...], Meta(min_length=1, max_length=MAX_SEATS)]
    """The index of the player at each seat of the first game."""
    ruleset: RulesetRecord
    games: Annotated[int, Meta(ge=1, le=MAX_SEATS)]
    records: Annotated[str, Meta(pattern=UUID)]
    """The id of the command that its `MatchRecords`, as msgpack, are attached to."""

    def perform(self, store: Store) -> str:
        """Enter the match and those of its bots that are new; return its name. Raises UsageError, LedgerError."""
        played = _read(store, self.records)
        league = store.leagues.casual()
        numbers = [
            store.entries.casual(EntrySpec(player.label, _version_id(store, player), player.args)).entry_no
            for player in self.players
        ]
        try:
            match = store.matches.plan_next(
                league.uuid,
                [numbers[index] for index in self.seats],
                self.games,
                why=WHY,
                ruleset=self.ruleset,
                deal=played.deal,
            )
            games, attempts = [], []
            for game in played.games:
                seats = tuple(structs.replace(seat, entry_no=numbers[seat.entry_no]) for seat in game.seats)
                games.append(structs.replace(game, league=league.uuid, match_no=match.match_no, seats=seats))
            for attempt in played.attempts:
                own = None if attempt.entry_no is None else numbers[attempt.entry_no]
                attempts.append(
                    structs.replace(attempt, league=league.uuid, match_no=match.match_no, entry_no=own)
                )
        except IndexError:
            raise UsageError("the records of the match have a player that isn't in it") from None
        store.append(games, attempts)
        return f"{league.name}/{match.match_no}"


def entering(
    rules: "MatchRules", table: "Table", played: "Played"
) -> tuple[Callable[[str], PlayedMatch], bytes]:
    """Return what enters a match that was just played, as `delivery.perform_or_leave_with` and `leave_with` take it.

    The files of its bots are kept next to the store by now: see `staged_bots.keep_files`.
    """
    chosen = rules.ruleset
    change = partial(
        PlayedMatch,
        tuple(
            MatchPlayer(one.label)
            if one.bot is None
            else MatchPlayer(one.label, one.bot.version.sha256, one.bot.build, one.args)
            for one in table.players
        ),
        played.seats,
        RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key),
        len(played.games),
    )
    return change, msgspec.msgpack.encode(MatchRecords(played.games, played.attempts, played.deal))


def number_of(name: str) -> int:
    """Return the number of a match that was entered, from its name."""
    return int(name.rpartition("/")[2])


def _read(store: Store, records: str) -> MatchRecords:
    try:
        return msgspec.msgpack.decode(attached(store.files, records), type=MatchRecords)
    except (NoCommand, FileNotFoundError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(f"the records of the match can't be read: {error}", "play it again") from None


def _version_id(store: Store, player: MatchPlayer) -> int | None:
    if player.sha256 is None:
        return None
    return kept_version(store, player.sha256, player.build).id
