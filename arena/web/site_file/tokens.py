"""Tokens: what people sign in with, and programs send with each request. Shown once, kept as a hash, revocable."""

from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from arena.web.site_file import accounts
from arena.web.site_file.accounts import Account, Role
from arena.web.site_file.file import Transaction
from arena.web.site_file.secret_texts import MOST_CHARS, hashed, new_token

_NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class Token:
    """A token, without its text, which nobody has but its owner."""

    id: int
    account: str
    created_at: str
    created_by: str
    expires_at: str | None
    """None if it never expires."""
    revoked_at: str | None
    used_at: str | None
    """When somebody last signed in with it."""

    def is_valid(self, now: str) -> bool:
        """Return whether it opens anything at this time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def invite(
    db: Transaction,
    name: str,
    role: Role,
    by: str,
    now: str,
    expires_at: str | None = None,
    *,
    change_role: bool = False,
) -> str:
    """Open an account if needed and give it a new token; return the token, which is nowhere kept.

    Raises OtherRole if the account has another role, unless `change_role`. Raises UsageError if authors can't have
    this name.
    """
    accounts.open_account(db, name, role, now, change_role=change_role)
    token = new_token()
    db.execute(
        "INSERT INTO tokens (account, hash, created_at, created_by, expires_at) VALUES (?, ?, ?, ?, ?)",
        (name, hashed(token), now, by, expires_at),
    )
    return token


def owner_of(db: Transaction, secret: str, now: str) -> tuple[Account, Token] | None:
    """Return whose token this is; None if there is no such token, or if it is revoked or expired.

    Does the same work in all of these cases, and compares hashes in constant time.
    """
    given = hashed(secret.strip()[: MOST_CHARS + 1])
    row = db.execute(
        "SELECT tokens.*, name, role, closed_at, accounts.created_at AS account_created_at "
        "FROM tokens JOIN accounts ON accounts.name = tokens.account WHERE hash = ?",
        (given,),
    ).fetchone()
    same = compare_digest(given, _NO_HASH if row is None else row["hash"])
    if row is None or not same:
        return None
    account = Account(row["name"], row["role"], row["account_created_at"], row["closed_at"])
    token = _token(row)
    return (account, token) if account.is_open and token.is_valid(now) else None


def of_account(db: Transaction, name: str) -> list[Token]:
    """Return all tokens of an account, the newest first."""
    rows = db.execute("SELECT * FROM tokens WHERE account = ? ORDER BY id DESC", (name,))
    return [_token(row) for row in rows]


def used(db: Transaction, token: int, now: str) -> None:
    """Note that somebody has signed in with a token."""
    db.execute("UPDATE tokens SET used_at = ? WHERE id = ?", (now, token))


def revoke(db: Transaction, account: str, token: int, now: str) -> bool:
    """Revoke a token of an account, and end the sessions that began with it; return False if it has no such token."""
    changed = db.execute(
        "UPDATE tokens SET revoked_at = ? WHERE id = ? AND account = ? AND revoked_at IS NULL",
        (now, token, account),
    ).rowcount
    if changed:
        db.execute("UPDATE sessions SET ended_at = ? WHERE token = ? AND ended_at IS NULL", (now, token))
    return bool(changed)


def _token(row: Any) -> Token:
    return Token(
        row["id"],
        row["account"],
        row["created_at"],
        row["created_by"],
        row["expires_at"],
        row["revoked_at"],
        row["used_at"],
    )
