"""Matches: recording them before they are played, what is left to play, and the results of finished ones."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from results.base.errors import LedgerConflict, RecordRefused, UnknownGame
from results.base.scoring import MAX_SEATS
from results.records import MatchDeal, MatchRecord, MatchState, RulesetRecord
from results.records.query_rows import CountedMatch
from results.records.ratings_and_totals_fold import MatchResult, match_result
from results.store.database import Row, from_text, insert, named_rows, rows, to_text, value
from results.store.entries import entry_count
from results.store.league_rows import LeaguePart, first_of_final, progress_row, ruleset_id, ruleset_record
from results.store.schema.checked_rows import count, match_checksum
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import BLOCK, finished_matches

_MATCHES = "SELECT * FROM match WHERE league_id = :league"
_COUNTED = """
    SELECT match_no, entries, ruleset.name, (
        SELECT max(finished_at) FROM game WHERE game.league_id = match.league_id AND game.match_no = match.match_no
    ) FROM match LEFT JOIN ruleset ON ruleset.id = coalesce(ruleset_id, :own)
    WHERE league_id = :league AND state = 'done' AND match.rated AND match_no >= :first AND match_no < :end
    ORDER BY match_no
    """

SEED_BYTES = 32
"""Length of the seed of a match's deal."""


class Matches(LeaguePart):
    """The matches of a league, planned before they are played, and their results."""

    def plan(self, league: str, matches: Sequence[MatchRecord]) -> None:
        """Record matches before their tickets are issued; existing ones stay unchanged.

        Numbers continue from the last match without a gap. Raises RecordRefused for a match that can't be played, and
        LedgerConflict if a different match with that number exists; in both cases, nothing is written.
        """
        with self._changing(league) as (connection, row):
            planned = progress_row(connection, row.id).matches_planned
            entries = entry_count(connection, row)
            for match in matches:
                _check(row, match, entries)
            known = [match for match in matches if match.match_no < planned]
            _check_same(connection, row, known)
            fresh = sorted(
                (match for match in matches if match.match_no >= planned), key=lambda match: match.match_no
            )
            for number, match in enumerate(fresh, planned):
                if match.match_no != number:
                    raise RecordRefused(
                        f"match {match.match_no} of league {row.name!r} leaves a gap: match {number} is next",
                        "matches are numbered from 0 without gaps",
                    )
            _write(connection, row, fresh)

    def plan_next(
        self,
        league: str,
        entries: Sequence[int],
        games: int,
        *,
        why: str = "",
        ruleset: RulesetRecord | None = None,
        deal: MatchDeal | None = None,
    ) -> MatchRecord:
        """Record one more match under the next number, and return it.

        For single games, because several programs may add matches at the same time. `deal` is kept if the league's
        secret doesn't fix it. Raises RecordRefused.
        """
        with self._changing(league) as (connection, row):
            planned = progress_row(connection, row.id).matches_planned
            match = MatchRecord(row.uuid, planned, 0, tuple(entries), games, why, "planned", ruleset)
            _check(row, match, entry_count(connection, row))
            if deal is not None and (len(deal.seed) != SEED_BYTES or deal.first_rotation < 0):
                raise RecordRefused(f"match {match.match_no} of league {row.name!r}: its deal has no seed")
            _write(connection, row, [match], deal)
            return match

    def all(
        self,
        league: str,
        *,
        state: MatchState | None = None,
        first: int = 0,
        last: int | None = None,
        unrated: bool = False,
    ) -> list[MatchRecord]:
        """Return matches by number, `last` included, in one state, or only those that are `unrated`."""
        with self._reading(league) as (connection, row):
            if state == "planned":
                # All matches before are finished, so a long league isn't read from the start.
                first = max(first, progress_row(connection, row.id).next_match_no)
            which = [
                "match_no >= :first",
                *(["match_no <= :last"] if last is not None else []),
                *(["state = :state"] if state is not None else []),
                *(["NOT rated"] if unrated else []),
            ]
            text = f"{_MATCHES} AND {' AND '.join(which)} ORDER BY match_no"
            found = named_rows(connection, text, league=row.id, first=first, last=last, state=state)
            return _records(connection, row, found)

    def newest(
        self,
        league: str,
        limit: int,
        *,
        skip: int = 0,
        entries: Collection[Collection[int]] = (),
        state: MatchState | None = None,
    ) -> list[MatchRecord]:
        """Return the latest matches, newest first, after `skip`: with one of each of some entries, in a state."""
        with self._reading(league) as (connection, row):
            which, values = _wanted(entries, state)
            if not which:  # their numbers have no gaps
                which = " AND match_no < :end"
                values = {"end": progress_row(connection, row.id).matches_planned - skip}
                skip = 0
            text = f"{_MATCHES}{which} ORDER BY match_no DESC LIMIT :limit OFFSET :skip"
            found = named_rows(connection, text, league=row.id, limit=limit, skip=skip, **values)
            return _records(connection, row, found)

    def count(
        self, league: str, *, entries: Collection[Collection[int]] = (), state: MatchState | None = None
    ) -> int:
        """Return how many matches there are; `entries` and `state` as for `newest`."""
        with self._reading(league) as (connection, row):
            which, values = _wanted(entries, state)
            text = f"SELECT count(*) FROM match WHERE league_id = :league{which}"
            return int(value(connection, text, league=row.id, **values))

    def of_round(self, league: str, match_no: int, most: int) -> list[MatchRecord] | None:
        """Return the matches of a match's round, by number; None if it has more than `most`."""
        with self._reading(league) as (connection, row):
            text = (
                f"{_MATCHES} AND match_no BETWEEN :match - :most AND :match + :most AND round_no = "
                "(SELECT round_no FROM match WHERE league_id = :league AND match_no = :match) "
                "ORDER BY match_no LIMIT :most + 1"
            )
            found = named_rows(connection, text, league=row.id, match=match_no, most=most)
            return None if len(found) > most else _records(connection, row, found)

    def open(self, league: str) -> list[MatchRecord]:
        """Return the unfinished matches by number; their games that `Games.keys` lacks must still be played."""
        return self.all(league, state="planned")

    def deals(self, league: str) -> dict[int, int]:
        """Return, of the matches that share a deal with others, the first match on it, by number."""
        text = "SELECT match_no, deal_no FROM match WHERE league_id = :league AND deal_no IS NOT NULL"
        return {int(number): int(deal) for number, deal in self._rows(league, text)}

    def hidden(self, league: str) -> set[int]:
        """Return the numbers of the matches that can't be seen yet, as games on their deals are still to come.

        Those of a final are hidden until the league is over.
        """
        found = self.open(league)
        deals = {match.deal_no for match in found if match.deal_no is not None}
        played = self.all(league, first=min(deals), state="done") if deals else ()
        hidden = {match.match_no for match in (*found, *(one for one in played if one.deal_no in deals))}
        with self._reading(league) as (connection, row):
            if (first := first_of_final(row)) is not None:
                text = "SELECT match_no FROM match WHERE league_id = :league AND round_no >= :first"
                hidden.update(number for (number,) in rows(connection, text, league=row.id, first=first))
        return hidden

    def get(self, league: str, match_no: int) -> MatchRecord:
        """Return one match. Raises UnknownGame."""
        found = self.all(league, first=match_no, last=match_no)
        if not found:
            raise UnknownGame(f"there is no match {match_no} in league {league!r}")
        return found[0]

    def deal(self, league: str, match_no: int) -> MatchDeal | None:
        """Return what fixes a match's deal; None if that is the league's secret, or isn't known.

        A secret, like that of the league: bots must not see it before all games of the match are over.
        """
        text = (
            "SELECT seed, first_rotation FROM match "
            "WHERE league_id = :league AND match_no = :match_no AND seed IS NOT NULL"
        )
        found = self._rows(league, text, match_no=match_no)
        return MatchDeal(*found[0]) if found else None

    def results(self, league: str, first: int = 0, last: int | None = None) -> Iterator[MatchResult]:
        """Yield the result of each finished match, block by block, `last` included, without void ones."""
        with self._reading(league) as (connection, row):
            planned = progress_row(connection, row.id).matches_planned
        end = planned if last is None else min(last + 1, planned)
        for start in range(first, end, BLOCK):
            with self._database.reading() as connection:
                found = list(finished_matches(connection, row, start, min(start + BLOCK, end)))
            yield from map(match_result, found)

    def counted(self, league: str, first: int, end: int) -> list[CountedMatch]:
        """Return what filters may ask about the rated matches from `first` to `end` − 1 below the first open one."""
        with self._reading(league) as (connection, row):
            end = min(end, progress_row(connection, row.id).next_match_no)
            found = rows(connection, _COUNTED, league=row.id, first=first, end=end, own=row.ruleset_id)
            return [
                CountedMatch(match_no, tuple(from_text(entries)), ruleset, ended_at)
                for match_no, entries, ruleset, ended_at in found
                if ended_at is not None  # of a damaged store, which has lost the games
            ]

    def rulesets(self, league: str) -> list[str]:
        """Return the names of rulesets that some matches have instead of the league's own."""
        text = (
            "SELECT name FROM ruleset WHERE id IN "
            "(SELECT ruleset_id FROM match WHERE league_id = :league AND ruleset_id IS NOT NULL)"
        )
        return sorted({name for (name,) in self._rows(league, text)})

    def chosen(self, league: str, fits: Callable[[CountedMatch], bool]) -> Iterator["Chosen"]:
        """Yield the matches counted in the rankings that `fits`, in order; each block in its own transaction."""
        with self._reading(league) as (connection, row):
            end = progress_row(connection, row.id).next_match_no
        for first in range(0, end, BLOCK):
            stop = min(first + BLOCK, end)
            counted = self.counted(league, first, stop)
            yield Chosen(stop, end, len(counted), [match.match_no for match in counted if fits(match)])

    def day_of(self, league: str, match_no: int) -> str:
        """Return the day (UTC) on which the first game of a match ended; empty if none has."""
        text = (
            "SELECT substr(finished_at, 1, 10) FROM game WHERE league_id = :league AND match_no = :match "
            "ORDER BY rotation LIMIT 1"
        )
        return next((str(day) for (day,) in self._rows(league, text, match=match_no)), "")

    def first_after(self, league: str, moment: str) -> int:
        """Return the first match with a game that ended after a moment, in the format of `clock.utc_text`.

        The rankings at that moment counted the matches before it. To the second. If there is none, return the
        number of matches that are counted.
        """
        with self._reading(league) as (connection, row):
            text = "SELECT min(match_no) FROM game WHERE league_id = :league AND substr(finished_at, 1, 19) > :moment"
            ((found,),) = rows(connection, text, league=row.id, moment=moment[:19])
            reached: int = progress_row(connection, row.id).next_match_no
            return reached if found is None else min(found, reached)


class Chosen(NamedTuple):
    """The matches of one block that fit a filter."""

    through: int
    """Matches below this number have been looked at."""
    end: int
    """The first match that isn't counted in the rankings."""
    finished: int
    """How many finished matches the block has, whether they fit or not."""
    match_nos: list[int]


def _wanted(
    entries: Collection[Collection[int]], state: MatchState | None
) -> tuple[str, dict[str, int | str]]:
    """Return the conditions of `newest` after others, and their values."""
    numbers = "replace(replace(entries, '[', ','), ']', ',')"  # ,3,1,0,2,
    which = [" AND state = :state"] if state is not None else []
    for one_of in entries:
        any_of = " OR ".join(f"instr({numbers}, ',{int(one)},')" for one in one_of)
        which.append(f" AND ({any_of})")
    return "".join(which), {"state": state} if state is not None else {}


def _check(row: Row, match: MatchRecord, entry_count: int) -> None:
    """Raise RecordRefused for a match that can't be played in this league."""
    problem = ""
    if match.league != row.uuid:
        problem = f"it is of league {match.league}"
    elif match.match_no < 0:
        problem = "numbers begin at 0"
    elif match.state != "planned":
        problem = f"its state is {match.state!r}, not planned"
    elif not 1 <= len(match.entries) <= MAX_SEATS:
        problem = f"it has {len(match.entries)} entries; there can be 1 to {MAX_SEATS}"
    elif not all(0 <= entry < entry_count for entry in match.entries):
        problem = f"its entries {list(match.entries)} are not all among the {entry_count} of the league"
    elif row.rated and len(set(match.entries)) < len(match.entries):
        problem = f"an entry is in {list(match.entries)} twice, and the league is rated"
    elif match.games < 1:
        problem = f"it has {match.games} games"
    elif match.deal_no is not None and not 0 <= match.deal_no <= match.match_no:
        problem = f"it is on the deal of match {match.deal_no}"
    elif match.ruleset is None and row.ruleset_id is None:
        problem = "it names no ruleset, and neither does the league"
    if problem:
        raise RecordRefused(f"match {match.match_no} of league {row.name!r}: {problem}")


def _check_same(connection: Connection, row: Row, matches: Sequence[MatchRecord]) -> None:
    """Raise LedgerConflict if a different match with that number exists."""
    if not matches:
        return
    numbers = [match.match_no for match in matches]
    text = f"{_MATCHES} AND match_no BETWEEN :first AND :last"
    found = named_rows(connection, text, league=row.id, first=min(numbers), last=max(numbers))
    there = {match.match_no: match for match in _records(connection, row, found)}
    conflicts = [
        f"match {match.match_no} of league {row.name!r} is planned as another: "
        f"{_told(there[match.match_no])}, not {_told(match)}"
        for match in matches
        if _told(there[match.match_no]) != _told(match)
    ]
    if conflicts:
        raise LedgerConflict(conflicts)


def _told(match: MatchRecord) -> str:
    rules = f", {match.ruleset.game} {match.ruleset.name}" if match.ruleset else ""
    unrated = "" if match.rated else ", not rated"
    shared = "" if match.deal_no is None else f", on the deal of match {match.deal_no}"
    return (
        f"round {match.round_no}, entries {list(match.entries)}, {match.games} games{rules}{unrated}{shared}"
    )


def _write(
    connection: Connection, row: Row, matches: Sequence[MatchRecord], deal: MatchDeal | None = None
) -> None:
    if not matches:
        return
    number = row.id
    new, state = [], list(connection.columns("match")).index("state")
    dealt = (None, 0) if deal is None else (deal.seed, deal.first_rotation)
    for match in matches:
        rules = ruleset_id(connection, match.ruleset) if match.ruleset else None
        row_of = (
            *(number, match.match_no, match.round_no, to_text(match.entries)),
            *(match.games, match.why, "planned", rules),
        )
        last = (*dealt, int(match.rated), match.deal_no)
        new.append((*row_of, match_checksum((*row_of, *last), state), *last))
    insert(connection, "match", new)
    count(connection, "match", number, len(matches))
    connection.execute(
        "UPDATE progress SET matches_planned = matches_planned + ?, games_planned = games_planned + ? "
        "WHERE league_id = ?",
        (len(matches), sum(match.games for match in matches), number),
    )


def _records(connection: Connection, row: Row, found: Sequence[Row]) -> list[MatchRecord]:
    rulesets = {
        number: ruleset_record(connection, number) for number in {match.ruleset_id for match in found}
    }
    return [
        MatchRecord(
            *(row.uuid, match.match_no, match.round_no, tuple(from_text(match.entries)), match.games),
            *(match.why, match.state, rulesets[match.ruleset_id], bool(match.rated), match.deal_no),
        )
        for match in found
    ]
