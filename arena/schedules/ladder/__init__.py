"""Ladder: each match is chosen to reveal most about the order, based on results a fixed number of matches back.

The entry that would learn most is seated first, followed by those that teach the table
most (`information`). Rules of fairness take precedence (`turns`): no entry's number of
matches falls below a quarter of the mean, and after a change of the field, none waits
longer than four mean intervals. Newcomers get up to half of the tables until they are
placed. One table in 16 is drawn at random, so that entries are compared with the whole
field, and not only with the opponents that the ladder chose for each.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.core.chance import Stream
from arena.core.errors import BadValue, UnknownName
from arena.core.ruleset import Rotations
from arena.schedules.base import MOST_AT_ONCE, Field, Pairing, Summary
from arena.schedules.base.table_rules import check_filled
from arena.schedules.ladder.information import EVERYBODY, Aim, Information
from arena.schedules.ladder.turns import BLOCK_MATCHES, FinalTurns, turns
from results.base.text import counted
from results.records import Traits

_SEED = b"arena/schedules/ladder"
_AIM = ("schedule", "aim")
DRAWN_OF = 16
"""Of so many tables, one is drawn at random."""
_DRAWS = 64
"""So often an entry is drawn for a seat; if none may take it, the table isn't drawn."""
_DRAWN = "drawn at random, so that all bots are compared and not only neighbours"
LEAST_LAG = 32
"""The lag of small leagues on a few cores."""
MOST_LAG = 1 << 17
SLOT_LAG = 4
"""Matches of lag for each game that can be played at the same time. Two of them are in flight: one plays, one waits."""
OfAuthor = Mapping[str, set[int]]
"""The entries of each author."""
ENTRIES_PER_LAG = 64
"""In a field of so many entries, a match of lag makes no difference, and many chosen at once take less time each."""
SHRINKS = 4
"""The lag shrinks only if it is so many times what is needed, so that it doesn't change back and forth."""


class LadderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a ladder.

    Keys:
        lag: a match uses results at least this many matches back; with more, workers wait less. `auto`: 32, and
            more if more games are in flight or there are many bots
        block: number of matches chosen from the same results
        aim: what the ladder finds out first: `order`, who is among the best k with `top:k`, or with
            `bot:LABEL` how strong one bot is
        enough: without `[stop]`, the league rests once every bot has played this many matches, until the bots
            change
    """

    lag: Annotated[int, Meta(ge=1, le=MOST_LAG)] | Literal["auto"] = "auto"
    block: Annotated[int, Meta(ge=1, le=MOST_AT_ONCE)] = BLOCK_MATCHES
    aim: Annotated[str, Meta(max_length=200)] = "order"
    enough: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000


class Ladder:
    """Endless matchmaking by how much a table would reveal. A `Schedule`."""

    name = "ladder"
    words = "Runs until you stop it; bots of similar strength meet, and new ones may join at any time."
    settings = LadderSettings
    traits = Traits(chooses=True)
    rotations: Rotations = "off"
    """Another deal reveals more about the order than the same deal from another seat: docs/adr/0013."""

    def tally(self, field: Field, settings: LadderSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: LadderSettings, planned: int) -> int:  # noqa: ARG002 - the same for every field
        """Return how many results a match is based on: those `lag` before the first match of its block."""
        return max(0, planned - planned % settings.block - _lag(settings))

    def follows(self, settings: LadderSettings) -> bool:
        """Return whether the lag follows what is in flight."""
        return settings.lag == "auto"

    def following(self, field: Field, settings: LadderSettings, slots: int) -> Mapping[str, int]:
        """Return another lag, a power of two, if what is in flight has changed much; and blocks of half of it."""
        wanted = max(LEAST_LAG, SLOT_LAG * slots, len(field.entries) // ENTRIES_PER_LAG)
        lag = min(MOST_LAG, 1 << (wanted - 1).bit_length())
        now = _lag(settings)
        if now < lag or now >= SHRINKS * lag:
            return {"lag": lag, "block": min(MOST_AT_ONCE, lag * BLOCK_MATCHES // LEAST_LAG)}
        return {}

    def total(self, field: Field, settings: LadderSettings) -> None:
        """Return None: a ladder continues until it is stopped."""

    def check(self, field: Field, settings: LadderSettings) -> None:
        """Raise BadValue if the field is too small, or the aim isn't in it."""
        check_filled(field)
        _check_aim(field, settings.aim)
        for seats in field.seats:
            if (authors := _authors(field)) < seats:
                raise BadValue(
                    ("same_author",),
                    f"{counted(authors, 'author')} cannot fill {field.table(seats)}",
                    "bots of one author share no table on a ladder; same_author = true allows it",
                )

    def changes_at(self, field: Field, settings: LadderSettings, planned: int) -> int | None:  # noqa: ARG002 - at once
        """Return `planned`: another field can play from the next match. None in a final, whose field is fixed."""
        return planned if field.final is None else None

    def rests(self, field: Field, settings: LadderSettings, summary: Summary) -> str:
        """Return why no match is worth playing: all have played enough."""
        if field.final is None and all(summary.matches.get(e, 0) >= settings.enough for e in field.entries):
            return f"every bot has played {settings.enough} matches; more would hardly change the order"
        return ""

    def next_matches(
        self, field: Field, settings: LadderSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the rest of the block; None after the last match of a final, or if no table can be filled."""
        authors = _authors(field, max(field.seats))
        sizes = tuple(seats for seats in field.seats if authors >= seats)
        if not sizes:
            return None
        if sizes != field.seats:
            field = replace(field, seats=sizes)
        end = (summary.planned // settings.block + 1) * settings.block
        round_no = (end - settings.block) // BLOCK_MATCHES
        information = Information(field, summary, round_no, _aim(field, settings.aim))
        rule = turns(field, summary, information, end - summary.planned)
        of_author = _of_authors(field)
        pairings = []
        for match_no in range(summary.planned, end):
            table: list[int] = []
            if isinstance(rule, FinalTurns) and rule.is_over():
                break
            seats = _table_size(field.seats, match_no)
            if _is_drawn(match_no) and rule.may_draw(match_no, seats):
                table, why = _drawn(field, of_author, rule.willing(seats), match_no, seats), _DRAWN
            if len(table) < seats:
                first, why = rule.first(match_no, seats)
                table = [first]
            while len(table) < seats:
                barred = _barred(table, field, of_author)
                found = (
                    information.best_joining(table, tier, barred)
                    for tier in chain(rule.tiers(table, seats), (field.entries,))
                )
                table.append(next(entry for entry in found if entry is not None))
            information.count(table)
            rule.count(match_no, table)
            pairings.append(Pairing(round_no, tuple(table), why.replace("{them}", _named(table[1:]))))
        return tuple(pairings) or None


def _is_drawn(match_no: int) -> bool:
    """Return whether that match's table is drawn: one of each run of `DRAWN_OF`, anywhere in it."""
    run, place = divmod(match_no, DRAWN_OF)
    return Stream(_SEED, f"drawn/{run}").randrange(DRAWN_OF) == place


def _drawn(
    field: Field, of_author: OfAuthor, willing: Collection[int], match_no: int, seats: int
) -> list[int]:
    """Return a table of willing entries drawn at random; with seats left if nobody was found for one."""
    chance, table = Stream(_SEED, f"table/{match_no}"), list[int]()
    for _ in range(_DRAWS * seats):
        if len(table) == seats:
            break
        entry = field.entries[chance.randrange(len(field.entries))]
        if entry in willing and entry not in _barred(table, field, of_author):
            table.append(entry)
    return table


_TOP, _BOT = "top:", "bot:"


def _aim(field: Field, aim: str) -> Aim:
    """Return the aim in a field: the order, if all are among the best, or the bot is gone without a successor."""
    if aim.startswith(_TOP):
        top = int(aim.removeprefix(_TOP))
        return Aim(top=top) if top < len(field.entries) else EVERYBODY
    if aim.startswith(_BOT):
        heirs = {entry: heir for heir, entry in field.predecessors.items()}
        entry = _labelled(field, aim.removeprefix(_BOT))
        while entry is not None and entry not in field.entries:
            entry = heirs.get(entry)
        return EVERYBODY if entry is None else Aim(entry=entry)
    return EVERYBODY


def _check_aim(field: Field, aim: str) -> None:
    """Raise BadValue for an aim that is none, or doesn't fit the entries."""
    name, top = aim.removeprefix(_BOT), aim.removeprefix(_TOP)
    # Labels are of all that ever play, or of fewer while the bots haven't been read.
    known = max(len(field.entries), len(field.labels))
    if aim.startswith(_BOT):
        if _labelled(field, name) is None and len(field.labels) == known:
            error = UnknownName("bot labelled", name, list(field.labels.values()))
            raise BadValue(_AIM, str(error), error.advice)
    elif aim.startswith(_TOP) and top.isascii() and top.isdigit() and 0 < len(top) < 10 and int(top):
        if int(top) >= known:
            said = f"{aim} leaves nobody out, as there are only {counted(known, 'bot')}"
            raise BadValue(_AIM, said, f'aim at "top:{known - 1}" or fewer, or at the "order"')
    elif aim != "order":
        raise BadValue(_AIM, f"{aim!r} is no aim", 'write "order", "top:10", or "bot:" and a label')


def _labelled(field: Field, label: str) -> int | None:
    return next((entry for entry, known in field.labels.items() if known == label), None)


def _lag(settings: LadderSettings) -> int:
    return LEAST_LAG if settings.lag == "auto" else settings.lag


def _of_authors(field: Field) -> OfAuthor:
    found: dict[str, set[int]] = {}
    for entry in field.entries if field.authors else ():
        found.setdefault(_author(field, entry), set()).add(entry)
    return found


def _barred(table: Sequence[int], field: Field, of_author: OfAuthor) -> set[int]:
    """Return who may not join a table: those who sit there, and others of their authors."""
    return set(table).union(*(of_author.get(_author(field, member), ()) for member in table))


def _authors(field: Field, enough: int | None = None) -> int:
    """Return how many authors the entries have; it counts no further than `enough`."""
    if not field.authors:
        return len(field.entries)
    authors = set()
    for entry in field.entries:
        authors.add(_author(field, entry))
        if len(authors) == enough:
            break
    return len(authors)


def _author(field: Field, entry: int) -> str:
    """Return an entry's author, or a unique one if none is named."""
    return field.authors.get(entry, f"#{entry}")


def _named(entries: Sequence[int]) -> str:
    names = [f"#{entry}" for entry in entries]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def _table_size(sizes: Sequence[int], match_no: int) -> int:
    """Return the size of a match's table: each run of as many matches as sizes has every size once, in random order."""
    turn, place = divmod(match_no, len(sizes))
    order = list(sizes)
    Stream(_SEED, f"sizes/{turn}").shuffle(order)
    return order[place]


SCHEDULE = Ladder()
