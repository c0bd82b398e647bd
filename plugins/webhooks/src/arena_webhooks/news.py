"""What has happened in a league since somebody looked last, and who hears of it in which words.

All of it follows from the ledger, by the rankings that everybody sees; nothing of hands, deals or seeds.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from arena.web.pages.league_format import format_places
from arena_webhooks.tables import Event, Webhook
from results.base.text import visible
from results.records import EntryRecord, LeagueRecord
from results.records.roster import Roster
from results.reports.league_states import COMING_BACK, state_of_entry
from results.reports.rankings import ranked_entries
from results.store import Store

MOST_CHARS = 60
"""Of a name or a reason in a message; longer ones are cut."""
MOST_FIRST = 4
"""Names of those who share the first place."""
_LEADS = re.compile(r"(?<=:)(?=//)|(?<=\bwww)(?=\.)", re.IGNORECASE)
"""Where text would become a link by itself."""


class Seen(Struct, frozen=True):
    """What is known of a league."""

    finished: bool
    leader: int | None
    """The entry that is first by itself, or was last; None before there is one."""
    ranks: dict[int, int]
    """By entry."""
    stopped: tuple[int, ...]
    """Entries that are paused or benched."""


class Field(NamedTuple):
    """Who is in a league."""

    entries: Mapping[int, EntryRecord]
    roster: Roster


def field_of(store: Store, league: LeagueRecord) -> Field:
    """Return who is in a league."""
    entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
    return Field(entries, store.entries.roster(league.uuid))


class Given(str):
    """A part of a message that somebody else has chosen, such as the name of a bot."""

    __slots__ = ()


class News(NamedTuple):
    """Something that has happened in a league."""

    kind: Event
    entry: EntryRecord | None
    """The bot that it is about; None if it is about the league."""
    words: tuple[str, ...]
    """Parts of a sentence; those that others have chosen are `Given`."""

    def is_for(self, webhook: Webhook, authors: frozenset[str | None], *, organises: bool) -> bool:
        """Return whether a webhook hears of it. `authors`: of the bots of the league."""
        if self.kind not in webhook.events:
            return False
        if self.entry is None:
            return organises or webhook.account in authors
        return self.entry.author == webhook.account or (organises and self.kind == "paused")


def look(store: Store, league: LeagueRecord, before: Seen | None, field: Field) -> Seen:
    """Return what a league looks like now."""
    found = ranked_entries(store, league, format_places(store, league)) if league.rated else []
    ranks = {row.entry.entry_no: row.rank for row in found if row.rank is not None and row.entry.matches}
    first = [entry for entry, rank in ranks.items() if rank == 1]
    leader = first[0] if len(first) == 1 else before.leader if before else None
    stopped = [no for no in field.entries if state_of_entry(field.roster, no).state in COMING_BACK]
    return Seen(league.state == "finished", leader, ranks, tuple(stopped))


def news(
    league: LeagueRecord, before: Seen, now: Seen, field: Field, curious: Collection[str]
) -> Iterator[News]:
    """Yield what has happened in a league between two looks; `curious`: authors who hear that they are overtaken."""
    entries = field.entries
    labels = {number: Given(entry.label) for number, entry in entries.items()}
    where = Given(league.name)
    if now.leader is not None and now.leader != before.leader:
        after = (", after ", labels[before.leader]) if before.leader in labels else ()
        yield News("leader", None, (labels[now.leader], " is the new leader of ", where, *after, "."))
    if now.finished and not before.finished:
        first = [labels[entry] for entry, rank in now.ranks.items() if rank == 1]
        yield News("finished", None, (where, " is finished.", *_with_commas(" First: ", first)))
    for number in now.stopped:
        if number not in before.stopped:
            state = state_of_entry(field.roster, number)
            why = (": ", Given(state.why)) if state.why else ()
            yield News(
                "paused", entries[number], (labels[number], f" is {state.state} in ", where, *why, ".")
            )
    for number, rank in now.ranks.items():
        old = before.ranks.get(number)
        if old is None or rank <= old or entries[number].author not in curious:
            continue
        passed = [
            other
            for other, its in now.ranks.items()
            if its < rank
            and before.ranks.get(other, 0) > old
            and entries[other].author != entries[number].author
        ]
        if passed:
            best = labels[min(passed, key=now.ranks.__getitem__)]
            more = f" and {len(passed) - 1} more" if len(passed) > 1 else ""
            moved = f" has place {rank} in ", where, f", after {old}: overtaken by ", best, f"{more}."
            yield News("overtaken", entries[number], (labels[number], *moved))


def _with_commas(before: str, names: Sequence[Given]) -> Iterator[str]:
    for place, name in enumerate(names[:MOST_FIRST]):
        yield before if not place else ", "
        yield name
    if names:
        yield f" and {len(names) - MOST_FIRST} more." if len(names) > MOST_FIRST else "."


def body(words: Sequence[str], link: str = "") -> str:
    """Return a message as JSON that Discord takes by `content`, and Slack and those like it by `text`.

    What others have chosen stands as code, in which nothing is a mention, a link or markup; mentions are switched off
    besides. `link`: of the league's page; empty if its address isn't known.
    """
    text = "".join(f"`{_as_code(one)}`" if isinstance(one, Given) else one for one in words)
    text = f"{text}\n{link}" if link else text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return json.dumps({"content": text, "text": escaped, "allowed_mentions": {"parse": []}})


def _as_code(given: str) -> str:
    """Return a text that ends no code and begins no link, on one line."""
    shown = visible(given).replace("`", "ˋ")
    shown = _LEADS.sub(" ", shown if len(shown) <= MOST_CHARS else f"{shown[: MOST_CHARS - 1]}…")
    return shown.strip() or "�"
