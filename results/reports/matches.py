"""The matches of a league: a list with results, and one match with all its games and why it was played."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from results.base.scoring import UNIT, Partners
from results.ratings.base import Rating
from results.records import AttemptRecord, LeagueRecord, MatchRecord, MatchState, RulesetRecord, SeatRecord
from results.records.query_rows import FinishedGame
from results.records.ratings_and_totals_fold import FinishedMatch, match_result
from results.records.roster import roster_at
from results.reports.columns import row_from
from results.reports.faults import detail_of_verdict
from results.store import Store

MOST_OF_ROUND = 2000
"""Of rounds with more matches, it isn't said who didn't play."""


class Result(Struct, frozen=True, kw_only=True):
    """What an entry has reached in a match."""

    label: str
    place: int | None
    """From 1, by the sum of its shares; None as long as games are missing."""
    share_percent: float | None
    """Mean share of its games so far (0 to 100); None before the first."""
    score: int | float
    faults: int
    partners: tuple[str, ...] = ()
    """Labels of those who played on its side."""


class MatchRow(Struct, frozen=True, kw_only=True):
    """A match in a list."""

    match_no: int
    round_no: int
    state: MatchState
    games: int
    games_done: int
    rated: bool
    """False if bots of one author meet in it: it counts in no table but the standings of a format."""
    results: tuple[Result, ...]
    """The best first, or in base order as long as games are missing."""
    ended_at: str | None
    """When its latest game ended; None before the first."""
    counts_scores: bool = False
    """Whether its score counts, and not who was better at the table."""


class SeatOfGame(NamedTuple):
    """A seat of a game."""

    label: str
    detail: str
    """`faults.HIDDEN` while the match is unfinished, if it quotes the bot. That of the record never is."""
    record: SeatRecord


class GameOfMatch(NamedTuple):
    """A game of a match."""

    record: FinishedGame
    seats: tuple[SeatOfGame, ...]


class Before(Struct, frozen=True, kw_only=True):
    """Where an entry stood when its match was planned, and what the match changed."""

    label: str
    matches: int
    """Rated matches that were known."""
    place: int | None
    """By its rating, among the entries that had played; None if it hadn't."""
    rating: float
    change: float | None
    """How the match changed that; None if the match doesn't count."""


class MatchPage(Struct, frozen=True, kw_only=True):
    """A match with everything that may be seen of it."""

    row: MatchRow
    ruleset: RulesetRecord | None
    labels: tuple[str, ...]
    """In base order: in game `r`, each sits `r` seats further on."""
    games: tuple[GameOfMatch | None, ...]
    """By rotation; None for games that aren't in."""
    failures: tuple[AttemptRecord, ...]
    why: str
    before: tuple[Before, ...]
    """Empty if earlier matches, or this one, aren't counted yet, and in leagues without ratings."""
    idle: tuple[str, ...]
    """Entries that could play, but didn't in this round."""
    absent: tuple[tuple[str, str], ...]
    """Entries that were paused or benched, with the reason."""
    of_round: int | None
    """Matches of this round; None if there are more than are looked at."""


def match_rows(
    store: Store,
    league: LeagueRecord,
    limit: int,
    *,
    skip: int = 0,
    entries: Sequence[Sequence[int]] = (),
    state: MatchState | None = None,
) -> list[MatchRow]:
    """Return the latest matches, the newest first, without the first `skip`; for the others, see `Matches.newest`."""
    found = store.matches.newest(league.uuid, limit, skip=skip, entries=entries, state=state)
    labels = store.entries.labels(league.uuid, {no for match in found for no in match.entries})
    games: dict[int, list[FinishedGame]] = {}
    for game in store.games.of_matches(league.uuid, [match.match_no for match in found]):
        games.setdefault(game.match_no, []).append(game)
    return [
        structs.replace(
            _row(match, games.get(match.match_no, []), labels, league.partners),
            counts_scores=league.counts_scores,
        )
        for match in found
    ]


def match_page(store: Store, league: LeagueRecord, match: MatchRecord, seen: int | None = None) -> MatchPage:
    """Return a match with its games; `seen`: planned from the results below this number, None: not known."""
    labels = store.entries.labels(league.uuid)
    found = store.games.of_matches(league.uuid, [match.match_no])
    by_rotation = {game.rotation: game for game in found}
    idle, of_round = _idle(store, league, match, labels)
    is_open = match.match_no in store.matches.hidden(league.uuid)
    return MatchPage(
        row=_row(match, found, labels, league.partners),
        ruleset=match.ruleset or league.ruleset,
        labels=tuple(labels[no] for no in match.entries),
        games=tuple(
            _game(by_rotation[rotation], labels, is_open=is_open) if rotation in by_rotation else None
            for rotation in range(match.games)
        ),
        failures=tuple(store.games.attempts(league.uuid, match.match_no)),
        why=match.why,
        before=_before(store, league, match, labels, match.match_no if seen is None else seen),
        idle=idle,
        absent=_absent(store, league, match.match_no, labels),
        of_round=of_round,
    )


def _row(
    match: MatchRecord, games: Sequence[FinishedGame], labels: Mapping[int, str], partners: Partners
) -> MatchRow:
    """Return a match in short. In `casual`, an entry may have several seats; its results are summed."""
    seats = [[*game.seats] for game in games]
    sides = partners.at(len(match.entries))
    side = dict(zip(match.entries, sides, strict=True)) if sides else {}
    entries = sorted(dict.fromkeys(match.entries), key=lambda entry: side.get(entry, 0))
    with_them = {
        entry: tuple(
            labels[other] for other in match.entries if other != entry and side[other] == side[entry]
        )
        for entry in side
    }
    reached: Mapping[int, tuple[int | None, float, int | None]] = {}
    if seats:
        sums = match_result(FinishedMatch(match.match_no, match.entries, seats, sides=sides))
        reached = dict(zip(sums.entries, zip(sums.shares, sums.scores, sums.ranks, strict=True), strict=True))
    results = []
    for entry_no in entries:
        share, score, place = reached.get(entry_no, (None, 0, None))
        own = [seat for game in seats for seat in game if seat.entry_no == entry_no]
        results.append(
            Result(
                label=labels[entry_no],
                place=place if match.state == "done" else None,
                share_percent=None if share is None else 100 * share / UNIT / max(1, len(own)),
                score=score,
                faults=sum(seat.verdict is not None for seat in own),
                partners=with_them.get(entry_no, ()),
            )
        )
    results.sort(key=lambda one: one.place or 0)
    return row_from(
        match,
        MatchRow,
        games_done=len(games),
        results=tuple(results),
        ended_at=max((game.finished_at for game in games), default=None),
    )


def _game(game: FinishedGame, labels: Mapping[int, str], *, is_open: bool) -> GameOfMatch:
    return GameOfMatch(
        game,
        tuple(
            SeatOfGame(labels[one.entry_no], detail_of_verdict(one.verdict, one.detail, is_open=is_open), one)
            for one in game.seats
        ),
    )


def _before(
    store: Store, league: LeagueRecord, match: MatchRecord, labels: Mapping[int, str], seen: int
) -> tuple[Before, ...]:
    counted = store.leagues.progress(league.uuid).matches_counted
    if not league.rated or seen > counted:
        return ()
    earlier = store.ratings.after(league.uuid, seen - 1)
    played = store.ratings.matches_before(league.uuid, seen)
    before: Mapping[int, Rating] = {}
    after: Mapping[int, Rating] = {}
    if match.state == "done" and match.rated and match.match_no < counted:
        before = earlier if seen == match.match_no else store.ratings.after(league.uuid, match.match_no - 1)
        after = store.ratings.after(league.uuid, match.match_no)
    of_played = [rating.mu for no, rating in earlier.items() if played.get(no)]
    return tuple(
        Before(
            label=labels[no],
            matches=played.get(no, 0),
            place=1 + sum(other > earlier[no].mu for other in of_played) if played.get(no) else None,
            rating=earlier[no].mu,
            change=after[no].mu - before[no].mu if no in after and no in before else None,
        )
        for no in match.entries
        if no in earlier
    )


def _idle(
    store: Store, league: LeagueRecord, match: MatchRecord, labels: Mapping[int, str]
) -> tuple[tuple[str, ...], int | None]:
    """Return who could have played in the round of a match but didn't, and how many matches the round has."""
    of_round = store.matches.of_round(league.uuid, match.match_no, MOST_OF_ROUND)
    if of_round is None or not league.rated:
        return (), None
    seated = {no for one in of_round for no in one.entries}
    roster = roster_at(store.leagues.events(league.uuid), match.match_no)
    idle = [no for no in labels if roster.plays(no) and no not in roster.benched and no not in seated]
    return tuple(labels[no] for no in idle), len(of_round)


def _absent(
    store: Store, league: LeagueRecord, match_no: int, labels: Mapping[int, str]
) -> tuple[tuple[str, str], ...]:
    if not league.rated:
        return ()
    roster = roster_at(store.leagues.events(league.uuid), match_no)
    why = {no: pause.why for no, pause in roster.paused.items()}
    why |= {no: bench.why for no, bench in roster.benched.items()}
    return tuple((labels[no], text) for no, text in sorted(why.items()) if no in labels)
