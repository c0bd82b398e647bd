"""The queue of uploads: their archives, and what has become of each."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from arena.checking.step_results import Step
from arena.client.api_types import ENDED, Refusal, Upload
from arena.web.html.advice_words import on_pages
from arena.web.site_file.site_database import Transaction
from results.base.advice import unpacked

MOST_STEPS = 200
MOST_TEXT_CHARS = 200_000
_WORKING = "('reading', 'building', 'checking')"
_WAITING = "('receiving', 'queued', 'reading', 'building', 'checking')"
_COLUMNS = (
    "uploads.*, CASE WHEN uploads.state IN ('receiving', 'queued') THEN (SELECT count(*) FROM uploads AS before "
    "WHERE before.state IN ('receiving', 'queued', 'reading', 'building', 'checking') "
    "AND before.number < uploads.number) END AS place, "
    "commands.state AS command_state, commands.answer AS command_answer, "
    "commands.hint AS command_hint, commands.answered_at AS command_answered_at "
    "FROM uploads LEFT JOIN commands ON commands.uuid = uploads.command"
)


class UploadRow(Upload, frozen=True, kw_only=True):
    """An upload, as the file has it: without its version and the leagues where that plays."""

    attempts: int
    """How often it was begun."""
    sha256: str
    """Of the version's files, once it has passed."""


@dataclass(frozen=True, slots=True)
class Use:
    """How much of the limits is used."""

    in_progress: int
    today: int
    kept_bytes: int
    queue: int
    """Of everybody."""


def use_of(db: Transaction, account: str, day: str, is_kept: Callable[[str], bool]) -> Use:
    """Return what an account uses of its limits.

    `day`: today, such as `2026-11-22`; `is_kept`: whether the files of a version with this hash are there.
    """
    rows = db.execute(
        "SELECT uploads.state, uploads.created_at, size_bytes, kept_bytes, sha256, commands.state AS command_state "
        "FROM uploads LEFT JOIN commands ON commands.uuid = uploads.command WHERE uploads.account = ?",
        (account,),
    ).fetchall()
    versions: dict[str, int] = {}
    working = today = waiting_bytes = 0
    for row in rows:
        is_ended = row["state"] in ENDED or row["command_state"] in ("done", "refused")
        today += row["created_at"].startswith(day)
        if not is_ended:
            working += 1
            waiting_bytes += row["size_bytes"]
        if row["sha256"]:
            versions[row["sha256"]] = row["kept_bytes"]
    kept = sum(size for sha256, size in versions.items() if is_kept(sha256))
    (queue,) = db.execute(f"SELECT count(*) FROM uploads WHERE state IN {_WAITING}").fetchone()  # noqa: S608
    return Use(working, today, kept + waiting_bytes, queue)


def begin_receiving(
    db: Transaction, upload: str, account: str, archive: str, leagues: Sequence[str], size: int, now: str
) -> None:
    """Add an upload whose archive is on its way. `size`: in bytes; the most that it may have, if it isn't known."""
    db.execute(
        "INSERT INTO uploads (id, account, archive, leagues, size_bytes, state, created_at) "
        "VALUES (?, ?, ?, ?, ?, 'receiving', ?)",
        (upload, account, archive, json.dumps(list(leagues)), size, now),
    )


def name(db: Transaction, upload: str, archive: str, leagues: Sequence[str]) -> None:
    """Set the name and the leagues of an upload whose archive is on its way."""
    db.execute(
        "UPDATE uploads SET archive = ?, leagues = ? WHERE id = ? AND state = 'receiving'",
        (archive, json.dumps(list(leagues)), upload),
    )


def received(db: Transaction, upload: str, size: int) -> bool:
    """Put an upload in the queue, once its archive is there; return False if nobody waits for it any more."""
    return bool(
        db.execute(
            "UPDATE uploads SET state = 'queued', size_bytes = ? WHERE id = ? AND state = 'receiving'",
            (size, upload),
        ).rowcount
    )


def broken(db: Transaction, upload: str, why: str, now: str) -> None:
    """End an upload whose archive never arrived whole."""
    db.execute(
        "UPDATE uploads SET state = 'broken', words = ?, ended_at = ?, size_bytes = 0 "
        "WHERE id = ? AND state = 'receiving'",
        (why, now, upload),
    )


def break_off_older(db: Transaction, before: str, now: str) -> list[str]:
    """End uploads that have been on their way since before a moment; return their ids."""
    rows = db.execute("SELECT id FROM uploads WHERE state = 'receiving' AND created_at < ?", (before,))
    found = [row["id"] for row in rows]
    for upload in found:
        broken(db, upload, "the archive didn't arrive in time", now)
    return found


def find(db: Transaction, upload: str) -> UploadRow | None:
    """Return an upload; None if there is none with this id."""
    return next(_found(db, "uploads.id = ?", upload), None)


_OF = "(? IS NULL OR uploads.account = ?) AND instr(lower(uploads.account || ' ' || bot || ' ' || archive), lower(?))"


def newest(
    db: Transaction, most: int, account: str | None = None, skip: int = 0, text: str = ""
) -> list[UploadRow]:
    """Return the newest uploads, of one account or of all, the newest first, without the first `skip`.

    `text`: only those that have it in the account, the bot or the name of the archive.
    """
    return list(
        _found(db, f"{_OF} ORDER BY number DESC LIMIT ? OFFSET ?", account, account, text, most, skip)
    )


def count(db: Transaction, account: str | None = None, text: str = "") -> int:
    """Return how many uploads there are; `account`, `text`: as in `newest`."""
    of = (account, account, text)
    return int(db.execute(f"SELECT count(*) FROM uploads WHERE {_OF}", of).fetchone()[0])  # noqa: S608


def of_version(db: Transaction, account: str, sha256: str) -> UploadRow | None:
    """Return the newest upload of an account that became the version with these files; None if there is none."""
    same = "uploads.account = ? AND sha256 = ? ORDER BY number DESC LIMIT 1"
    return next(_found(db, same, account, sha256), None)


def next_queued(db: Transaction) -> UploadRow | None:
    """Return the upload that has waited the longest; None if none waits."""
    return next(_found(db, "uploads.state = 'queued' ORDER BY number LIMIT 1"), None)


def put_back(db: Transaction) -> None:
    """Put uploads back in the queue on which work was broken off."""
    db.execute(
        f"UPDATE uploads SET state = 'queued', steps = '[]', said = '' WHERE state IN {_WORKING}"  # noqa: S608
    )


def in_progress(db: Transaction) -> set[str]:
    """Return the ids of all uploads whose archives are still needed."""
    rows = db.execute(f"SELECT id FROM uploads WHERE state IN {_WAITING}")  # noqa: S608
    return {row["id"] for row in rows}


def begin(db: Transaction, upload: str) -> None:
    """Note that work on an upload begins, once more or for the first time."""
    db.execute(
        "UPDATE uploads SET state = 'reading', attempts = attempts + 1, steps = '[]', said = '', build_log = '' "
        "WHERE id = ?",
        (upload,),
    )


def progressed(
    db: Transaction,
    upload: str,
    state: str = "",
    bot: str = "",
    said: str = "",
    step: Step | None = None,
    build_log: str | None = None,
) -> None:
    """Note how far the work is: its next state, with the bot; what goes on; a step that is over; the build's output."""
    values: dict[str, object] = {"said": said[:500]}
    if state:
        values |= {"state": state, "bot": bot}
    if build_log is not None:
        values["build_log"] = build_log[:MOST_TEXT_CHARS]
    if step is not None:
        (steps,) = db.execute("SELECT steps FROM uploads WHERE id = ?", (upload,)).fetchone()
        found = json.loads(steps)
        if len(found) < MOST_STEPS:
            values["steps"] = json.dumps([*found, msgspec.to_builtins(step)])
    _set(db, upload, **values)


def refuse(db: Transaction, upload: str, refusal: Refusal, now: str) -> None:
    """End an upload that doesn't pass."""
    _set(db, upload, state="refused", refusal=msgspec.json.encode(refusal).decode(), said="", ended_at=now)


def enter(db: Transaction, upload: str, sha256: str, kept_bytes: int, command: str) -> None:
    """Note that an upload has passed, and the id of the command that enters it."""
    _set(db, upload, state="entering", said="", sha256=sha256, kept_bytes=kept_bytes, command=command)


def _set(db: Transaction, upload: str, **values: object) -> None:
    names = ", ".join(f"{name} = ?" for name in values)
    db.execute(f"UPDATE uploads SET {names} WHERE id = ?", (*values.values(), upload))  # noqa: S608 - our own names


def _found(db: Transaction, condition: str, *values: object) -> Iterator[UploadRow]:
    """Yield the uploads that meet a condition, which may say the order too."""
    return map(_upload, db.execute(f"SELECT {_COLUMNS} WHERE {condition}", values))


def _upload(row: sqlite3.Row) -> UploadRow:
    found = {
        **dict(row),
        "leagues": json.loads(row["leagues"]),
        "steps": json.loads(row["steps"]),
        "refusal": json.loads(row["refusal"]) if row["refusal"] else None,
        "version": None,
        "places": (),
    }
    if row["state"] == "entering" and row["command_state"] in ("done", "refused"):
        found["ended_at"] = row["command_answered_at"]
        if row["command_state"] == "done":
            found |= {"state": "accepted", "words": row["command_answer"]}
        else:
            failure = {"cause": row["command_answer"], "cure": on_pages(unpacked(row["command_hint"]))}
            found |= {"state": "refused", "refusal": {"step": "entering", "failure": failure}}
    return msgspec.convert(found, UploadRow)
