"""Accounts: the names of authors and organisers."""

from dataclasses import dataclass
from typing import Literal, cast

from arena.config.allowed_names import BOT_NAME, is_bot_name, near_author, why_reserved
from arena.core.errors import UsageError
from arena.web.site_file.file import Transaction
from results.base.advice import Advice, run

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
    return None if row is None else _account(row)


def get(db: Transaction, name: str) -> Account:
    """Return an account, open or not. Raises UnknownAccount."""
    if (found := find(db, name)) is None:
        raise UnknownAccount(name)
    return found


def every(db: Transaction) -> list[Account]:
    """Return all accounts, by name."""
    return [_account(row) for row in db.execute("SELECT * FROM accounts ORDER BY name")]


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
    """Close an account: its tokens and sessions end. Raises UnknownAccount."""
    get(db, name)
    db.execute("UPDATE accounts SET closed_at = ? WHERE name = ? AND closed_at IS NULL", (now, name))
    db.execute("UPDATE tokens SET revoked_at = ? WHERE account = ? AND revoked_at IS NULL", (now, name))
    db.execute("UPDATE sessions SET ended_at = ? WHERE account = ? AND ended_at IS NULL", (now, name))


def _account(row: "dict[str, str]") -> Account:
    return Account(row["name"], cast("Role", row["role"]), row["created_at"], row["closed_at"])
