"""Servers that commands ask with --at and --to."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.client.server import Server


def server_at(url: str, *, insecure: bool, token_needed: bool = False) -> "Server":
    """Return the server at an address, with this user's token for it. Raises UsageError.

    `token_needed`: whether to refuse if there is none.
    """
    from arena.client.address import address_of
    from arena.client.server import Server
    from arena.client.tokens import VARIABLE, token_for
    from arena.core.errors import UsageError

    address = address_of(url, insecure=insecure)
    token = token_for(address)
    if token is None and token_needed:
        raise UsageError(
            f"you are not signed in to {address}", f"sign in with: arena sign-in {address}; or set {VARIABLE}"
        )
    return Server(address, token)


def game_at(text: str) -> tuple[str, str]:
    """Return the league and the number of a game on a server, such as `demo/12.0`. Raises UsageError."""
    from arena.core.errors import UsageError

    league, _, number = text.rpartition("/")
    match_no, dot, rotation = number.partition(".")
    if not league or not match_no.isdigit() or (dot and not rotation.isdigit()):
        raise UsageError(
            f"{text!r} is not a game on a server", "write LEAGUE/MATCH.ROTATION, such as demo/12.0"
        )
    return league, f"{match_no}.{rotation or 0}"


def league_at(server: "Server", name: str | None) -> str:
    """Return the league that is meant: `name`, or the only one of the server. Raises UsageError, NoAnswer."""
    from arena.core.errors import UsageError

    if name is not None:
        return name
    names = [league.name for league in server.leagues() if league.game is not None]
    if len(names) == 1:
        return names[0]
    known = ", ".join(names[:20]) if names else "none"
    raise UsageError(f"which league of {server.address}?", f"name it; available: {known}")
