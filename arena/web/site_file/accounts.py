"""Accounts of authors and organisers; the tokens they sign in with, shown once and kept as a hash; sessions."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from typing import Literal

from arena.config.names import BOT_NAME, is_bot_name, near_author, why_reserved
from arena.core.errors import UsageError
from arena.web.site_file.site_database import Transaction, from_row, remove_from_extensions
from results.base.advice import Advice, run
from results.base.clock import utc_text

Role = Literal["author", "organiser"]


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in."""

    name: str
    """Also the author of the bots that this account submits."""
    role: Role
    created_at: str
    closed_at: str | None
    """When it was revoked; None if it is open."""

    @property
    def is_open(self) -> bool:
        """Whether it may be used."""
        return self.closed_at is None


class UnknownAccount(UsageError):
    """There is no account with that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no account {name!r}", Advice(run("accounts list"), " shows all accounts"))


class OtherRole(UsageError):
    """An invitation is for another role than the account has."""

    def __init__(self, name: str, role: Role, wanted: Role) -> None:
        """`role`: of the account. `wanted`: of the invitation."""
        super().__init__(f"{name} is an {role}")
        self.name, self.role, self.wanted = name, role, wanted


def find(db: Transaction, name: str) -> Account | None:
    """Return an account, open or not; None if there is none with that name."""
    row = db.execute("SELECT * FROM accounts WHERE name = ?", (name,)).fetchone()
    return None if row is None else from_row(Account, row)


def get(db: Transaction, name: str) -> Account:
    """Return an account, open or not. Raises UnknownAccount."""
    if (found := find(db, name)) is None:
        raise UnknownAccount(name)
    return found


def every(db: Transaction) -> list[Account]:
    """Return all accounts, by name."""
    return [from_row(Account, row) for row in db.execute("SELECT * FROM accounts ORDER BY name")]


def open_account(db: Transaction, name: str, role: Role, now: str, *, change_role: bool = False) -> Account:
    """Create an account or open it again; return it, which has this role.

    Raises OtherRole if there is one with another role, revoked or not, unless `change_role`. Raises UsageError if
    authors can't have this name.
    """
    if not is_bot_name(name):
        near = near_author(name)
        shown = repr(name if len(name) <= 100 else f"{name[:100]}…")
        raise UsageError(
            f"{shown} can't be the name of an account" if name else "the account has no name",
            f"{BOT_NAME}{f', such as {near}' if near else ''}",
        )
    before = find(db, name)
    if (why := why_reserved(name)) and (before is None or not before.is_open):
        raise UsageError(f"{name} can't be the name of an account: {why}", "choose another name")
    if before is None:
        db.execute("INSERT INTO accounts (name, role, created_at) VALUES (?, ?, ?)", (name, role, now))
    elif before.role != role and not change_role:
        raise OtherRole(name, before.role, role)
    else:
        db.execute("UPDATE accounts SET role = ?, closed_at = NULL WHERE name = ?", (role, name))
    return get(db, name)


def close_account(db: Transaction, name: str, now: str) -> None:
    """Close an account: its tokens and sessions end, what extensions keep of it is removed. Raises UnknownAccount."""
    get(db, name)
    db.execute("PRAGMA secure_delete = ON")  # nothing of theirs stays, such as secret addresses
    remove_from_extensions(db, name)
    db.execute("UPDATE accounts SET closed_at = ? WHERE name = ? AND closed_at IS NULL", (now, name))
    db.execute("UPDATE tokens SET revoked_at = ? WHERE account = ? AND revoked_at IS NULL", (now, name))
    db.execute("UPDATE sessions SET ended_at = ? WHERE account = ? AND ended_at IS NULL", (now, name))


TOKEN_PREFIX = "arena_"  # noqa: S105 - not a secret
"""Of tokens, so that people and programs that look for leaked secrets recognise them."""
CODE_PREFIX = f"{TOKEN_PREFIX}join_"
"""Of the codes of invitations, which open one session, once."""
INVITED_DAYS = 7
"""How long an invitation is valid, unless its organiser says otherwise."""
MOST_INVITED_DAYS = 90
MOST_TOKENS = 20
"""Valid ones that members can have made for themselves."""
MOST_CHARS = 200
"""Longest text that is compared with the stored hashes."""


def hashed(secret: str) -> str:
    """Return what the file keeps of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


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
    is_invitation: int
    """1 for the code of an invitation, which opens one session and is no token for programs."""

    def is_valid(self, now: str) -> bool:
        """Return whether it opens anything at this time."""
        is_spent = bool(self.is_invitation) and self.used_at is not None
        return self.revoked_at is None and not is_spent and (self.expires_at is None or now < self.expires_at)


def invite(
    db: Transaction,
    name: str,
    role: Role,
    by: str,
    now: str,
    expires_at: str | None = None,
    *,
    change_role: bool = False,
    by_link: bool = False,
) -> str:
    """Open an account if needed and give it a new token, or the code of an invitation if `by_link`; return it.

    Neither is kept anywhere. Raises OtherRole if the account has another role, unless `change_role`. Raises UsageError
    if authors can't have this name.
    """
    open_account(db, name, role, now, change_role=change_role)
    token = (CODE_PREFIX if by_link else TOKEN_PREFIX) + secrets.token_urlsafe(32)
    db.execute(
        "INSERT INTO tokens (account, hash, created_at, created_by, expires_at, is_invitation) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (name, hashed(token), now, by, expires_at, by_link),
    )
    return token


def own_token(db: Transaction, name: str, now: str) -> str | None:
    """Return a new token that a member makes for themselves; None if they have too many."""
    account = get(db, name)
    if valid_tokens(db, name, now) >= MOST_TOKENS:
        return None
    return invite(db, name, account.role, name, now)


def owner_of(
    db: Transaction, secret: str, now: str, *, by_link: bool = False
) -> tuple[Account, Token] | None:
    """Return whose token this is, or whose invitation if `by_link`; None if there is none, or if it is over.

    Over is what is revoked, expired or, of invitations, used. Does the same work in all of these cases, and compares
    hashes in constant time.
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
    account = from_row(Account, row, created_at=row["account_created_at"])
    token = from_row(Token, row)
    is_meant = bool(token.is_invitation) == by_link
    return (account, token) if is_meant and account.is_open and token.is_valid(now) else None


def tokens_of(db: Transaction, name: str) -> list[Token]:
    """Return all tokens of an account, the newest first."""
    rows = db.execute("SELECT * FROM tokens WHERE account = ? ORDER BY id DESC", (name,))
    return [from_row(Token, row) for row in rows]


def open_invitations(db: Transaction, now: str) -> list[Token]:
    """Return the invitations that can still be used, the newest first."""
    rows = db.execute("SELECT * FROM tokens WHERE is_invitation AND used_at IS NULL ORDER BY id DESC")
    return [one for one in (from_row(Token, row) for row in rows) if one.is_valid(now)]


def valid_tokens(db: Transaction, name: str, now: str) -> int:
    """Return how many tokens of an account are valid, without invitations."""
    return sum(one.is_valid(now) and not one.is_invitation for one in tokens_of(db, name))


def join_link(site: str, code: str) -> str:
    """Return the link of an invitation; what follows `#` is never sent to a server. `site`: its address."""
    return f"{site.rstrip('/')}/join#{code}"


def token_used(db: Transaction, token: int, now: str) -> None:
    """Note that somebody has signed in with a token."""
    db.execute("UPDATE tokens SET used_at = ? WHERE id = ?", (now, token))


def revoke_token(db: Transaction, account: str, token: int, now: str) -> bool:
    """Revoke a token of an account, and end the sessions that began with it; return False if it has no such token."""
    changed = db.execute(
        "UPDATE tokens SET revoked_at = ? WHERE id = ? AND account = ? AND revoked_at IS NULL",
        (now, token, account),
    ).rowcount
    if changed:
        db.execute("UPDATE sessions SET ended_at = ? WHERE token = ? AND ended_at IS NULL", (now, token))
    return bool(changed)


LASTS = timedelta(days=30)
"""How long a session lasts at most."""
IDLE = timedelta(days=14)
"""A session that isn't used for this long ends."""
SEEN_AGAIN = timedelta(hours=1)
"""How often the use of a session is noted."""
_FORGOTTEN = timedelta(days=30)
"""How long ended sessions are kept."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session, without its id in the cookie."""

    id: int
    account: str
    created_at: str
    seen_at: str
    """When it was last used, to the hour."""
    address: str
    """Where it began."""
    browser: str
    """What the browser says of itself."""


@dataclass(frozen=True, slots=True)
class Member:
    """Whose session a cookie stands for."""

    session: int
    account: str
    role: Role
    is_stale: bool
    """Whether `seen` is due."""


def begin_session(db: Transaction, account: str, token: int, now: str, address: str, browser: str) -> str:
    """Begin a session; return its id, for the cookie."""
    secret = secrets.token_urlsafe(32)
    db.execute(
        "DELETE FROM sessions WHERE max(seen_at, coalesce(ended_at, '')) < ?", (_before(now, _FORGOTTEN),)
    )
    db.execute(
        "INSERT INTO sessions (account, token, hash, created_at, seen_at, expires_at, address, browser) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (account, token, hashed(secret), now, now, _before(now, -LASTS), address[:100], browser[:200]),
    )
    return secret


def member(db: Transaction, secret: str, now: str) -> Member | None:
    """Return whose session this is; None if there is none, or if it has ended."""
    if len(secret) > MOST_CHARS:
        return None
    given = hashed(secret)
    row = db.execute(
        "SELECT sessions.*, role FROM sessions JOIN accounts ON accounts.name = sessions.account "
        "JOIN tokens ON tokens.id = sessions.token "
        "WHERE sessions.hash = ? AND ended_at IS NULL AND closed_at IS NULL AND revoked_at IS NULL",
        (given,),
    ).fetchone()
    if row is None or not compare_digest(given, row["hash"]):
        return None
    if now >= row["expires_at"] or row["seen_at"] < _before(now, IDLE):
        return None
    return Member(row["id"], row["account"], row["role"], row["seen_at"] < _before(now, SEEN_AGAIN))


def session_seen(db: Transaction, session: int, now: str) -> None:
    """Note that a session is used."""
    db.execute("UPDATE sessions SET seen_at = ? WHERE id = ?", (now, session))


def open_sessions(db: Transaction, account: str, now: str) -> list[Session]:
    """Return the sessions of an account that haven't ended, the one used last first."""
    rows = db.execute(
        "SELECT * FROM sessions WHERE account = ? AND ended_at IS NULL AND expires_at > ? AND seen_at >= ? "
        "ORDER BY seen_at DESC, id DESC",
        (account, now, _before(now, IDLE)),
    )
    return [from_row(Session, row) for row in rows]


def end_session(db: Transaction, account: str, session: int, now: str) -> bool:
    """End a session of an account; return False if it has no such session."""
    return bool(
        db.execute(
            "UPDATE sessions SET ended_at = ? WHERE id = ? AND account = ? AND ended_at IS NULL",
            (now, session, account),
        ).rowcount
    )


def _before(now: str, span: timedelta) -> str:
    return utc_text(datetime.fromisoformat(now) - span)


_FAILURES_FORGOTTEN_S = 86_400.0


def sign_in_wait_s(db: Transaction, address: str, now_s: float, window_s: float, most: int) -> float:
    """Return how long an address has to wait until it failed to sign in less than `most` times in a window.

    0 if it did so less often in the last `window_s` seconds.
    """
    found = db.execute(
        "SELECT at_s FROM failed_sign_ins WHERE address = ? AND at_s > ? AND at_s <= ?"
        " ORDER BY at_s DESC LIMIT 1 OFFSET ?",
        (address, now_s - window_s, now_s, most - 1),
    ).fetchone()
    return 0.0 if found is None else float(found[0]) + window_s - now_s


def sign_in_failed(db: Transaction, address: str, now_s: float) -> None:
    """Note that somebody failed to sign in; forgets what is older than a day."""
    db.execute("DELETE FROM failed_sign_ins WHERE at_s < ?", (now_s - _FAILURES_FORGOTTEN_S,))
    db.execute("INSERT INTO failed_sign_ins (address, at_s) VALUES (?, ?)", (address[:200], now_s))
