"""Swiss: a fixed number of rounds, in which entries meet others with similar standings."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Annotated

from msgspec import Meta, Struct

from arena.schedules.base import MOST_AT_ONCE, Field, Finished, Pairing, Placing, Summary
from arena.schedules.base.table_rules import check_apart, check_filled, groups, one_size, table_sizes
from arena.schedules.swiss.pairing import arranged, largest_matching, preferred_pairs
from results.base.scoring import UNIT
from results.records import Traits

BYE_POINTS = Fraction(1)
VOID_POINTS = Fraction(1, 2)
"""Points for a round if all matches at the table were void because of platform errors."""


class SwissSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a Swiss.

    Keys:
        rounds: default: as many as a knock-out would need; 4 for 16 bots
        matches: matches per table in each round
    """

    rounds: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    matches: Annotated[int, Meta(ge=1, le=100)] = 1


class Swiss:
    """Rounds among entries of equal standing. A `Schedule` that is `Sized` and `Placed`.

    An entry's points are the sum over rounds of its mean share of a game: 0 to 1 per round. A bye is worth 1, a
    void round 1/2. At tables of two, as few bots of one author as possible meet: none, unless an author has more than
    half of those paired. If nobody has several bots, the number of repeated meetings is exactly the smallest possible;
    otherwise there are none if a round can do without. In an odd field, one entry has a bye: among those with the
    fewest byes, the last whose bye causes no more of both than it must. Then the first in the standings gets the
    nearest opponent that lets the others be paired as well, and so on down the standings. At larger tables, which
    differ in size by one seat at most and never exceed `seats`, a search approximates the same.
    """

    name = "swiss"
    words = "A few rounds in which bots with equal points meet, and nobody is out."
    settings: type[Struct] = SwissSettings
    traits = Traits(chooses=True, places="Swiss", in_rounds=True)

    def tally(self, field: Field, settings: SwissSettings) -> "_Tally":
        """Return the standings before the first round."""
        return _Tally(field, settings)

    def sees(self, field: Field, settings: SwissSettings, planned: int) -> int:
        """Return the number of matches in all earlier rounds."""
        a_round = _matches_a_round(field, settings)
        return planned // a_round * a_round

    def check(self, field: Field, settings: SwissSettings) -> None:  # noqa: ARG002 - the same for all settings
        """Raise BadValue if the field can't be seated."""
        check_filled(field)
        one_size(field, "a Swiss")
        sizes = _sizes(field)
        check_apart(field, max(sizes), len(sizes))

    def total(self, field: Field, settings: SwissSettings) -> int:
        """Return the number of matches."""
        return _rounds(field, settings) * _matches_a_round(field, settings)

    def sizes(self, field: Field, settings: SwissSettings) -> Mapping[int, int | None]:
        """Return the number of matches by table size."""
        times = _rounds(field, settings) * settings.matches
        return {size: count * times for size, count in Counter(_sizes(field)).items()}

    def next_matches(
        self, field: Field, settings: SwissSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the next round, or the rest of it, based on the results of all rounds before; None after the last."""
        round_no, first = divmod(summary.planned, _matches_a_round(field, settings))
        if round_no >= _rounds(field, settings):
            return None
        scores: Mapping[int, _Score] = summary.tally.scores
        order = sorted(field.entries, key=lambda entry: -scores[entry].points)
        if field.seats[0] == 2:
            tables: list[tuple[int, ...]] = list(_pairs(order, scores, groups(field, 2)))
        else:
            sizes = _sizes(field)
            group_of, met, name = groups(field, max(sizes)), _meetings(scores), f"swiss/{round_no}"
            tables = arranged(order, sizes, group_of, met, spread=round_no == 0, name=name)
        seated = {entry for table in tables for entry in table}
        bye = "".join(f"; #{entry} has a bye" for entry in order if entry not in seated)
        sweep = [
            Pairing(round_no, table, _why(table, scores, round_no) + (bye if number == 0 else ""))
            for number, table in enumerate(tables)
        ]
        end = min(first + MOST_AT_ONCE, len(sweep) * settings.matches)
        return tuple(sweep[number % len(sweep)] for number in range(first, end))

    def placing(
        self, field: Field, settings: SwissSettings, results: Iterable[Finished]
    ) -> tuple[Placing, ...]:
        """Return the standings after the last complete round.

        They are ordered by points; then by Buchholz, the sum of the points of all opponents (at larger tables, of their
        mean; a bye counts as an opponent with one's own points); then by Sonneborn–Berger, the same with each round
        weighted by one's score in it. Entries that are equal in all of this share a place.
        """
        tally = _Tally(field, settings)
        for match in results:
            tally.add(match)
        scores = tally.scores
        points = {entry: score.points for entry, score in scores.items()}
        keys = {
            entry: (score.points, score.buchholz(points), score.sonneborn_berger(points))
            for entry, score in scores.items()
        }
        order = sorted(field.entries, key=keys.__getitem__, reverse=True)
        places: dict[tuple[Fraction, ...], int] = {}
        for place, entry in enumerate(order, 1):
            places.setdefault(keys[entry], place)
        return tuple(
            Placing(
                place=places[keys[entry]],
                entry=entry,
                points=float(keys[entry][0]),
                byes=scores[entry].byes,
                tie_breaks=dict(zip(TIE_BREAKS, map(float, keys[entry][1:]), strict=True)),
            )
            for entry in order
        )


@dataclass(slots=True)
class _Score:
    """The results of an entry in the completed rounds."""

    points: Fraction = Fraction(0)
    byes: int = 0
    met: Counter[int] = field(default_factory=Counter)
    """By opponent: the number of rounds in which they met."""
    faced: dict[int, Fraction] = field(default_factory=dict)
    """By opponent: the sum over these rounds of its part of the opposition, which is 1 at tables of two."""
    won_against: dict[int, Fraction] = field(default_factory=dict)
    """The same, with each round weighted by the entry's score in it."""

    def play(self, opponents: Sequence[int], won: Fraction) -> None:
        self.points += won
        part = Fraction(1, len(opponents))
        for other in opponents:
            self.met[other] += 1
            self.faced[other] = self.faced.get(other, Fraction(0)) + part
            self.won_against[other] = self.won_against.get(other, Fraction(0)) + part * won

    def pause(self) -> None:
        """Count a round with a bye."""
        self.points += BYE_POINTS
        self.byes += 1

    def buchholz(self, points: Mapping[int, Fraction]) -> Fraction:
        """Return the sum of the opponents' points; a bye counts as an opponent with one's own points."""
        return _weighed(self.faced, points) + self.byes * self.points

    def sonneborn_berger(self, points: Mapping[int, Fraction]) -> Fraction:
        """Return the same with each round weighted by the score in it."""
        return _weighed(self.won_against, points) + self.byes * BYE_POINTS * self.points


def _weighed(weights: Mapping[int, Fraction], points: Mapping[int, Fraction]) -> Fraction:
    return sum((weight * points[entry] for entry, weight in weights.items()), Fraction(0))


class _Tally:
    """The standings and the current round. A `Tally`."""

    def __init__(self, field: Field, settings: SwissSettings) -> None:
        self.scores = {entry: _Score() for entry in field.entries}
        """The results of each entry in the completed rounds."""
        self._matches_a_round = _matches_a_round(field, settings)
        self._begin_round()

    def _begin_round(self) -> None:
        self._matches = 0
        self._games: Counter[int] = Counter()
        self._shares: Counter[int] = Counter()
        self._opponents: dict[int, tuple[int, ...]] = {}

    def add(self, match: Finished) -> None:
        """Add the next match; the last one of a round completes the round."""
        for place, entry in enumerate(match.entries):
            self._opponents[entry] = tuple(sorted({*match.entries} - {entry}))
            if match.shares is not None:
                self._games[entry] += match.games
                self._shares[entry] += match.shares[place]
        self._matches += 1
        if self._matches == self._matches_a_round:
            for entry, score in self.scores.items():
                if entry in self._opponents:
                    games = self._games[entry]
                    won = Fraction(self._shares[entry], games * UNIT) if games else VOID_POINTS
                    score.play(self._opponents[entry], won)
                else:
                    score.pause()
            self._begin_round()


def _rounds(field: Field, settings: SwissSettings) -> int:
    return settings.rounds or (len(field.entries) - 1).bit_length()


def _sizes(field: Field) -> list[int]:
    seats = field.seats[0]
    return [2] * (len(field.entries) // 2) if seats == 2 else table_sizes(len(field.entries), seats)


def _matches_a_round(field: Field, settings: SwissSettings) -> int:
    return len(_sizes(field)) * settings.matches


def _meetings(scores: Mapping[int, _Score]) -> dict[int, Counter[int]]:
    """Return, by entry, the number of rounds in which it has met each other entry."""
    return {entry: score.met for entry, score in scores.items()}


def _pairs(
    order: Sequence[int], scores: Mapping[int, _Score], group_of: Mapping[int, Hashable]
) -> list[tuple[int, int]]:
    """Return the pairs of a round for tables of two; `order` is by points."""
    standings = _Standings(order, scores, group_of)
    if len(order) % 2 == 0:
        return standings.pairs(order)[0]
    best: tuple[list[tuple[int, int]], int] | None = None
    byes = {entry: scores[entry].byes for entry in order}
    fewest = min(byes.values())
    members = Counter(group_of.values())
    may_rest = [entry for entry in reversed(order) if byes[entry] == fewest]
    in_largest = [entry for entry in may_rest if members[group_of[entry]] > len(order) // 2]
    for bye in in_largest or may_rest:
        found = standings.pairs([entry for entry in order if entry != bye])
        if best is None or found[1] < best[1]:
            best = found
        if found[1] == 0:
            break
    return best[0] if best else []


class _Standings:
    """The order of a field, who must not meet, and who should rather not meet again, for pairing it."""

    def __init__(
        self, order: Sequence[int], scores: Mapping[int, _Score], group_of: Mapping[int, Hashable]
    ) -> None:
        self._order = order
        self._group_of = group_of
        self._met = _meetings(scores)
        whole = lcm(*(score.points.denominator for score in scores.values()))
        self._points = {entry: int(scores[entry].points * whole) for entry in order}
        self._place = {entry: place for place, entry in enumerate(order)}
        tied = Counter(self._points.values())
        self._half = {points: max(1, entries // 2) for points, entries in tied.items()}
        """By points: how far apart two entries with these points meet if they can: the upper half meets the lower."""
        strangers = {entry: self._of_strangers(entry) for entry in order}
        members = Counter(group_of[entry] for entry in order)
        least = 0
        if all(len(strangers[entry]) == len(order) - members[group_of[entry]] for entry in order):
            least = min((times for of_entry in strangers.values() for times in of_entry.values()), default=0)
        self._apart = {
            entry: {other for other, times in self._met[entry].items() if times > least} for entry in order
        }
        """By entry: those that it has met more often than others have met."""
        self._most_apart = max(map(len, self._apart.values()))

    def _of_strangers(self, entry: int) -> dict[int, int]:
        """Return how often an entry has met those of other groups that it has met."""
        own = self._group_of[entry]
        return {other: times for other, times in self._met[entry].items() if self._group_of[other] != own}

    def pairs(self, playing: Sequence[int]) -> tuple[list[tuple[int, int]], int]:
        """Return the pairs of entries in their order, an even number, and how many should rather not meet.

        As few as possible are of one group. As long as nobody has to avoid half of those that are left, they can be
        paired whoever is taken out (Dirac's theorem: there is a cycle through all of them), so the first gets its most
        preferred partner at once.
        """
        pairs = []
        left = dict.fromkeys(playing)
        members = Counter(self._group_of[entry] for entry in playing)
        largest = max(members.values(), default=0)
        for one in playing:
            if len(left) - 2 < 2 * (self._most_apart + largest):
                break
            if one in left:
                other = self._partner(one, left)
                pairs.append((one, other))
                for entry in (one, other):
                    del left[entry]
                    members[self._group_of[entry]] -= 1
                    if largest > 1 and members[self._group_of[entry]] == largest - 1:
                        largest = max(members.values())
        order = list(left)
        allowed = self._allowed(order)
        graph = {one: others - self._apart[one] for one, others in allowed.items()}
        if largest > 1 and len(largest_matching(graph)) < len(order):
            graph = allowed
        preferences = {one: self._preferences(one, order) for one in order}
        pairs += preferred_pairs(order, graph, preferences)
        return pairs, sum(other in self._apart[one] for one, other in pairs)

    def _allowed(self, order: Sequence[int]) -> dict[int, set[int]]:
        """Return, by entry, whom it may meet so that as few pairs as possible are of one group.

        That is others of its group only if that is the majority: all the rest must meet the majority then.
        """
        members: dict[Hashable, set[int]] = {}
        for entry in order:
            members.setdefault(self._group_of[entry], set()).add(entry)
        everybody = set(order)
        largest = max(members.values(), key=len, default=set())
        if 2 * len(largest) > len(order):
            return {entry: (everybody if entry in largest else largest) - {entry} for entry in order}
        return {entry: everybody - members[self._group_of[entry]] for entry in order}

    def _partner(self, one: int, left: Container[int]) -> int:
        """Return the most preferred partner of the first entry in the order among those left that it may meet."""
        order, points, apart, group_of = self._order, self._points, self._apart[one], self._group_of
        at, own, group = self._place[one], self._points[one], group_of[one]
        tied = bisect_right(order, -own, lo=at, key=lambda entry: -points[entry])
        middle = at + self._half[own]

        def may_meet(other: int) -> bool:
            return other in left and other not in apart and group_of[other] != group

        for distance in range(max(middle - at, tied - middle)):
            for place in (middle - distance, middle + distance):
                if at < place < tied and may_meet(other := order[place]):
                    return other
        return next(filter(may_meet, order[tied:]))

    def _preferences(self, entry: int, others: Sequence[int]) -> list[int]:
        """Return others in order of preference: fewest meetings first, then nearest in points.

        Among entries with equal points, the upper half should meet the lower half, first against first.
        """
        points, places, met = self._points, self._place, self._met[entry]
        own, at, half = points[entry], places[entry], self._half[points[entry]]
        keys = {
            other: (
                met[other],
                abs(points[other] - own),
                abs(places[other] - at) if points[other] != own else abs(abs(places[other] - at) - half),
            )
            for other in others
            if other != entry
        }
        return sorted(keys, key=keys.__getitem__)


def _why(table: Sequence[int], scores: Mapping[int, _Score], round_no: int) -> str:
    if round_no == 0:
        return "first round"
    points = ", ".join(f"#{entry} {_plain(scores[entry].points)}" for entry in table)
    again = any(b in scores[a].met for a, b in combinations(table, 2))
    return f"points: {points}" + ("; not all meet for the first time" if again else "")


TIE_BREAKS = "Buchholz", "Sonneborn-Berger"


def _plain(number: Fraction) -> str:
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


SCHEDULE = Swiss()
