"""Reading what is derived: rankings, pairs, statistics, progress. Costs the same for any number of games."""

from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session

from results.analysis.fit import PairPart
from results.errors import UnknownGame
from results.fold import MatchResult, match_result
from results.query_rows import (
    EntryStatistics,
    HeadToHead,
    SeatStatistics,
    Standing,
)
from results.ratings.base import Rating
from results.scoring import UNIT
from results.standings import ranked
from results.statistics import DealSums
from results.store.database import Database
from results.store.entries import entry_records, retirements
from results.store.finished import BLOCK, finished_matches
from results.store.folding import starts, system_of
from results.store.missing import refuse_missing
from results.store.rows import league_facts, league_id, league_row
from results.store.tables import TABLES, LeagueRow

_rating = TABLES["rating"]
_point = TABLES["rating_point"]
_entry = TABLES["entry"]
_entry_total = TABLES["entry_total"]
_seat_total = TABLES["seat_total"]
_fault_total = TABLES["fault_total"]
_pair_total = TABLES["pair_total"]
_pair_part = TABLES["pair_part"]
_luck_total = TABLES["luck_total"]
_game = TABLES["game"]
_progress = TABLES["progress"]


class Queries(Database):
    """The part of a store that answers what its games amount to."""

    def standings(self, league: str) -> list[Standing]:
        """Return a league's rankings, the best first; nothing for one that is not rated.

        Raises StoreDamaged where an entry has been lost.
        """
        with self.reading() as session:
            row = league_row(session, league)
            if not row.rated:
                return []
            connection = session.connection()
            number = league_id(row)
            refuse_missing(connection, number, row.name, ("entry",))
            start = starts(connection, number, system_of(league_facts(connection, row.uuid)))
            ratings = {
                rating.entry_no: rating
                for rating in connection.execute(select(_rating).where(_rating.c.league_id == number))
            }
            totals = {
                total.entry_no: total
                for total in connection.execute(
                    select(_entry_total).where(_entry_total.c.league_id == number)
                )
            }
            gone = retirements(session, row)
            return ranked(
                _standing(
                    entry.entry_no,
                    entry.label,
                    entry.version.reference if entry.version else None,
                    start[entry.entry_no],
                    ratings.get(entry.entry_no),
                    totals.get(entry.entry_no),
                    entry.entry_no in gone,
                )
                for entry in entry_records(session, row)
            )

    def head_to_head(self, league: str, entries: Collection[int] | None = None) -> list[HeadToHead]:
        """Return how every two entries that met did against each other, seen from both sides, by entry and opponent.

        `entries`: only how these did, against whomever.
        """
        with self.reading() as session:
            number = league_id(league_row(session, league))
            query = select(_pair_total).where(_pair_total.c.league_id == number)
            if entries is not None:
                query = query.where(_pair_total.c.entry_a.in_(entries) | _pair_total.c.entry_b.in_(entries))
            rows = session.connection().execute(query)
            pairs = []
            for row in rows:
                games_below = row.games - row.games_above - row.games_tied
                matches_below = row.matches - row.matches_above - row.matches_tied
                for entry, opponent, games_above, matches_above in (
                    (row.entry_a, row.entry_b, row.games_above, row.matches_above),
                    (row.entry_b, row.entry_a, games_below, matches_below),
                ):
                    if entries is not None and entry not in entries:
                        continue
                    pairs.append(
                        HeadToHead(
                            entry,
                            opponent,
                            row.games,
                            games_above,
                            row.games_tied,
                            row.matches,
                            matches_above,
                            row.matches_tied,
                        )
                    )
        return sorted(pairs, key=lambda pair: (pair.entry_no, pair.opponent_no))

    def pair_parts(self, league: str) -> list[PairPart]:
        """Return how every two entries that met did in each part of the matches: what the order-free fit takes."""
        with self.reading() as session:
            number = league_id(league_row(session, league))
            rows = session.connection().execute(
                select(*(_pair_part.c[name] for name in PairPart._fields))
                .where(_pair_part.c.league_id == number)
                .order_by(_pair_part.c.part, _pair_part.c.entry_a, _pair_part.c.entry_b)
            )
            return [PairPart(*row) for row in rows]

    def ratings_after(self, league: str, match_no: int) -> dict[int, Rating]:
        """Return the ratings of all entries after a match and all before it, by number; −1: where they started.

        For a schedule that adapts, which must not look further than that; nothing for a league that is not
        rated. Raises UnknownGame if that match is not in the rankings yet.
        """
        with self.reading() as session:
            row = league_row(session, league)
            if not row.rated:
                return {}
            number = league_id(row)
            connection = session.connection()
            folded = connection.execute(
                select(_progress.c.next_match_no).where(_progress.c.league_id == number)
            ).scalar_one()
            if match_no >= folded:
                raise UnknownGame(f"match {match_no} of league {row.name!r} is not in the rankings yet")
            ratings = starts(connection, number, system_of(league_facts(connection, row.uuid)))
            mu, sigma = (
                select(value)
                .where(_point.c.league_id == number, _point.c.entry_no == _entry.c.entry_no)
                .where(_point.c.match_no <= match_no)
                .order_by(_point.c.match_no.desc())
                .limit(1)
                .correlate(_entry)
                .scalar_subquery()
                for value in (_point.c.mu, _point.c.sigma)
            )
            query = select(_entry.c.entry_no, mu, sigma).where(_entry.c.league_id == number)
            for entry, last_mu, last_sigma in connection.execute(query):
                if last_mu is not None:
                    ratings[entry] = Rating(last_mu, last_sigma)
            return ratings

    def match_results(self, league: str, first: int = 0, last: int | None = None) -> Iterator[MatchResult]:
        """Yield what each finished match came to, from `first` to `last` included, void ones left out.

        Each block of matches is read at a moment of its own. In `casual` an entry may sit at a table twice; both
        of its seats are then summed up for it.
        """
        with self.reading() as session:
            number = league_id(league_row(session, league))
            planned = (
                session.connection()
                .execute(select(_progress.c.matches_planned).where(_progress.c.league_id == number))
                .scalar_one()
            )
        end = planned if last is None else min(last + 1, planned)
        for start in range(first, end, BLOCK):
            with self.reading() as session:
                found = list(finished_matches(session.connection(), number, start, min(start + BLOCK, end)))
            yield from (match_result(*match) for match in found)

    def seat_statistics(self, league: str) -> list[SeatStatistics]:
        """Return how each entry did at each seat, by entry, size of the table and seat."""
        with self.reading() as session:
            number = league_id(league_row(session, league))
            rows = session.connection().execute(
                select(_seat_total)
                .where(_seat_total.c.league_id == number)
                .order_by(_seat_total.c.entry_no, _seat_total.c.seats, _seat_total.c.seat)
            )
            return [
                SeatStatistics(
                    row.entry_no,
                    row.seats,
                    row.seat,
                    row.games,
                    row.wins / UNIT,
                    row.share / UNIT / row.games,
                    row.score / row.games,
                )
                for row in rows
            ]

    def entry_statistics(self, league: str) -> list[EntryStatistics]:
        """Return what each entry that has played did over all its games: decisions, times, faults by verdict."""
        with self.reading() as session:
            number = league_id(league_row(session, league))
            connection = session.connection()
            faults: dict[int, dict[str, int]] = {}
            for row in connection.execute(select(_fault_total).where(_fault_total.c.league_id == number)):
                faults.setdefault(row.entry_no, {})[row.verdict] = row.games
            rows = connection.execute(
                select(_entry_total, _entry.c.label)
                .join(
                    _entry,
                    (_entry.c.league_id == _entry_total.c.league_id)
                    & (_entry.c.entry_no == _entry_total.c.entry_no),
                )
                .where(_entry_total.c.league_id == number)
                .order_by(_entry_total.c.entry_no)
            )
            return [
                EntryStatistics(
                    row.entry_no,
                    row.label,
                    row.matches,
                    row.games,
                    row.decisions,
                    row.wall_ns,
                    row.max_wall_ns,
                    row.cpu_ns,
                    faults.get(row.entry_no, {}),
                )
                for row in rows
            ]

    def deal_sums(self, league: str) -> list[DealSums]:
        """Return the sums that tell the luck of the deals, by entry, seats at the table and games of a match."""
        with self.reading() as session:
            number = league_id(league_row(session, league))
            names = DealSums.__struct_fields__
            rows = session.connection().execute(
                select(*(_luck_total.c[name] for name in names))
                .where(_luck_total.c.league_id == number)
                .order_by(_luck_total.c.entry_no, _luck_total.c.seats, _luck_total.c.games)
            )
            return [DealSums(*row) for row in rows]

    def sandbox_levels(self, league: str) -> list[str]:
        """Return the levels of isolation that the league's games were played at, each once.

        From one to the next by the index, so that a million games cost what a thousand do.
        """
        levels: list[str] = []
        with self.reading() as session:
            number = league_id(league_row(session, league))
            query = select(func.min(_game.c.sandbox)).where(_game.c.league_id == number)
            found = session.connection().execute(query).scalar()
            while found is not None:
                levels.append(found)
                found = session.connection().execute(query.where(_game.c.sandbox > found)).scalar()
        return levels

    def fingerprint_of_league(self, league: str) -> str:
        """Return SHA-256 over `match_no rotation fingerprint` of every game, a line each, in order."""
        with self.reading() as session:
            number = league_id(league_row(session, league))
            digest = sha256()
            for row in session.connection().execute(
                select(_game.c.match_no, _game.c.rotation, _game.c.fingerprint)
                .where(_game.c.league_id == number)
                .order_by(_game.c.match_no, _game.c.rotation)
            ):
                digest.update(f"{row.match_no} {row.rotation} {row.fingerprint}\n".encode())
            return digest.hexdigest()

    def ratings_digest(self, league: str) -> str:
        """Return SHA-256 over `entry_no mu sigma` of every entry that has played, a line each, to the last bit."""
        with self.reading() as session:
            return digest_of_ratings(session, league_row(session, league))


def digest_of_ratings(session: Session, row: LeagueRow) -> str:
    """Return SHA-256 over the ratings of a league; floats are written in hexadecimal, which is exact."""
    digest = sha256()
    for rating in session.connection().execute(
        select(_rating).where(_rating.c.league_id == row.id).order_by(_rating.c.entry_no)
    ):
        digest.update(f"{rating.entry_no} {rating.mu.hex()} {rating.sigma.hex()}\n".encode())
    return digest.hexdigest()


def _standing(
    entry_no: int, label: str, version: str | None, start: Rating, rating: Any, total: Any, retired: bool
) -> Standing:
    now = Rating(rating.mu, rating.sigma) if rating else start
    games = total.games if total else 0
    return Standing(
        place=0,
        entry_no=entry_no,
        label=label,
        version=version,
        mu=now.mu,
        sigma=now.sigma,
        conservative=now.conservative,
        matches=total.matches if total else 0,
        games=games,
        wins=total.wins / UNIT if total else 0.0,
        share=total.share / UNIT / games if games else None,
        score=total.score / games if games else None,
        faults=total.faults if total else 0,
        change=rating.last_change if rating else None,
        last_match_no=rating.last_match_no if rating else None,
        retired=retired,
    )
