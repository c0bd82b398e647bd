"""The events of a league: who joined, left, was paused or replaced, and from which match on."""

from typing import TYPE_CHECKING

from results.records import LeagueEvent, LeagueRecord
from results.reports.columns import ReportRow

if TYPE_CHECKING:
    from results.store import Store


class EventRow(ReportRow, frozen=True, kw_only=True):
    """One event."""

    event_no: int
    """From 0."""
    at_match_no: int
    """The first match that it applies to."""
    kind: str
    words: str
    """What happened, in a line for people."""
    at: str
    """In the format of `clock.utc_text`."""


def event_rows(store: "Store", league: LeagueRecord) -> list[EventRow]:
    """Return the events of a league, in order."""
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    leagues = {other.uuid: other.name for other in store.leagues.all()}
    return [
        EventRow(
            event_no=event.event_no,
            at_match_no=event.at_match_no,
            kind=event.kind,
            words=_words(event, labels, leagues),
            at=event.at,
        )
        for event in store.leagues.events(league.uuid)
    ]


def _words(event: LeagueEvent, labels: dict[int, str], leagues: dict[str, str]) -> str:
    """Return in words what happened: names of entries, then what else the event tells."""
    data = dict(event.data)
    numbers = data.pop("entries", [])
    numbers += [data.pop(key) for key in ("entry", "entry_no") if key in data]
    words = ", ".join(labels.get(number, f"#{number}") for number in numbers)
    if (before := data.pop("predecessor", None)) is not None:
        words += f", after {labels.get(before, f'#{before}')}"
    by = data.pop("by", None)
    data.pop("until", None)  # the reason says it
    if "league" in data:
        data["league"] = leagues.get(data["league"], data["league"])
    parts = [str(data.pop("why", ""))] if "why" in data else []
    for key, value in data.items():
        parts.append(", ".join(f"{k} = {v}" for k, v in value.items()) if key == "set" else f"{key} {value}")
    if by is not None:
        parts.append(f"by {by}")
    return ": ".join(part for part in (words, ", ".join(filter(None, parts))) if part)
