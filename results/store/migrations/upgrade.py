"""Upgrades a file to the newest version: forward only, one transaction per step, after a backup."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine

from results.errors import StoreDamaged
from results.store.copying import copy
from results.store.database import APPLICATION_ID, too_new, translated, version_of, version_of_store
from results.store.migrations import (
    VERSION,
    builds,
    commands,
    deleted_versions,
    fault_reasons,
    first_tables,
    hash_schemes,
    match_deals,
    match_rulesets,
    pair_parts_and_luck,
    pairs_on_demand,
    rating_scales,
    replay_segments,
    row_checksums,
    seed_derivation,
    unrated_matches,
)
from results.store.row_checksums import columns_of, seal_rows


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from version `number` − 1 to `number`."""

    number: int
    name: str
    apply: Callable[[Connection], None]
    """Changes the tables within the given transaction. It empties derived tables that change and sets
    `progress.next_match_no` to 0; the fold fills them again."""


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "the first tables", first_tables.create),
    Migration(2, "pairs by parts, luck of deals", pair_parts_and_luck.apply),
    Migration(3, "how secrets follow from seeds", seed_derivation.apply),
    Migration(4, "checksums and counts of rows", row_checksums.apply),
    Migration(5, "schemes of content hashes", hash_schemes.apply),
    Migration(6, "scales of ratings", rating_scales.apply),
    Migration(7, "commands from the inbox", commands.apply),
    Migration(8, "deals of single matches", match_deals.apply),
    Migration(9, "builds of versions", builds.apply),
    Migration(10, "numbers of deleted versions", deleted_versions.apply),
    Migration(11, "pairs by parts on demand", pairs_on_demand.apply),
    Migration(12, "segments of replays", replay_segments.apply),
    Migration(13, "index of rulesets of matches", match_rulesets.apply),
    Migration(14, "reasons of faults", fault_reasons.apply),
    Migration(15, "matches that aren't rated, versions that came with Arena", unrated_matches.apply),
)
"""All steps, in order, numbered from 1 without gaps. A released step never changes."""
if MIGRATIONS[-1].number != VERSION:
    raise AssertionError(f"VERSION must be {MIGRATIONS[-1].number}")


def upgrade(engine: Engine, path: Path, now: Callable[[], str], migrations: Sequence[Migration]) -> bool:
    """Upgrade the file to the newest version, or create the tables in an empty one. Return whether it changed.

    Before the first step, a file with content is copied to `backup_path`. A step that
    fails leaves the file as it was before the step, and its error passes through. Raises
    StoreTooNew if the file's version is beyond the last step, NotAStore for a file of
    another program.
    """
    found = version_of_store(engine, path)
    newest = migrations[-1].number
    if found > newest:
        raise too_new(path, found, newest)
    backup = backup_path(path, found) if found else None
    for migration in migrations[found:]:
        _step(engine, path, migration, now(), backup, copies=migration.number == found + 1)
    return found < newest


def backup_path(path: Path, version: int) -> Path:
    """Return the path of the backup for a file of this version: `arena.v1.backup.sqlite` for `arena.sqlite`."""
    return path.with_name(f"{path.stem}.v{version}.backup{path.suffix}")


def _step(
    engine: Engine, path: Path, migration: Migration, at: str, backup: Path | None, *, copies: bool
) -> None:
    with translated(path), engine.execution_options(write=True).connect() as connection:
        # Tables can be rebuilt only while foreign keys are off; they are checked at the end.
        raw = connection.connection
        raw.cursor().execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.begin():
                if version_of(connection) >= migration.number:
                    return  # another process was faster
                if backup and copies:
                    copy(engine, path, backup)  # on a second connection, while this one blocks writers
                migration.apply(connection)
                if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall():
                    raise StoreDamaged(
                        f"{path}: after the step {migration.name!r} {len(broken)} rows refer to nothing",
                        "the file is as it was before the step; please report this",
                    )
                connection.exec_driver_sql(
                    "INSERT INTO migration (number, name, at, backup) VALUES (?, ?, ?, ?)",
                    (migration.number, migration.name, at, backup.name if backup else None),
                )
                if "checksum" in columns_of(connection, "migration"):
                    seal_rows(connection, "migration")
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.exec_driver_sql(f"PRAGMA user_version = {migration.number}")
        finally:
            raw.cursor().execute("PRAGMA foreign_keys = ON")
