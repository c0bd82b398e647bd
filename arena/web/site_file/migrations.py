"""The tables of the site's file, as steps from one version to the next.

A step never changes once it is released; a new table or column is a new step at the end. Times are texts in the
format of `results.clock.utc_text`, which sort by time.
"""

from collections.abc import Sequence

_ACCOUNTS = """
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('author', 'organiser')),
    created_at TEXT NOT NULL,
    closed_at TEXT
);
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL REFERENCES accounts (name),
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    used_at TEXT
);
CREATE INDEX tokens_by_account ON tokens (account);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL REFERENCES accounts (name),
    token INTEGER NOT NULL REFERENCES tokens (id),
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    ended_at TEXT,
    address TEXT NOT NULL,
    browser TEXT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account);
CREATE TABLE commands (
    uuid TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'refused')),
    answer TEXT NOT NULL DEFAULT '',
    hint TEXT NOT NULL DEFAULT '',
    answered_at TEXT
);
CREATE INDEX commands_waiting ON commands (created_at) WHERE state = 'waiting';
CREATE INDEX commands_by_account ON commands (account, created_at);
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    command TEXT,
    address TEXT NOT NULL
);
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_never_shortened BEFORE DELETE ON audit
BEGIN SELECT RAISE (ABORT, 'the audit log is append-only'); END;
CREATE TABLE attempts (
    what TEXT NOT NULL,
    key TEXT NOT NULL,
    at_s REAL NOT NULL
);
CREATE INDEX attempts_by_key ON attempts (what, key, at_s);
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
"""

_UPLOADS = """
CREATE TABLE uploads (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL REFERENCES accounts (name),
    archive TEXT NOT NULL,
    leagues TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('receiving', 'queued', 'reading', 'building', 'checking', 'entering', 'refused', 'broken')),
    created_at TEXT NOT NULL,
    ended_at TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    bot TEXT NOT NULL DEFAULT '',
    steps TEXT NOT NULL DEFAULT '[]',
    said TEXT NOT NULL DEFAULT '',
    build_log TEXT NOT NULL DEFAULT '',
    refusal TEXT,
    sha256 TEXT NOT NULL DEFAULT '',
    kept_bytes INTEGER NOT NULL DEFAULT 0,
    command TEXT,
    words TEXT NOT NULL DEFAULT ''
);
CREATE INDEX uploads_by_account ON uploads (account, number);
CREATE INDEX uploads_waiting ON uploads (number)
    WHERE state IN ('receiving', 'queued', 'reading', 'building', 'checking');
"""

_PLAYED_TABLES = """
CREATE TABLE played_tables (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    game TEXT NOT NULL,
    uuid TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    words TEXT NOT NULL DEFAULT ''
);
"""

MIGRATIONS: Sequence[str] = (_ACCOUNTS, _UPLOADS, _PLAYED_TABLES)
"""Step n makes version n, counted from 1."""
