"""Servers that commands ask with --at and --to, and what is on them."""

from arena.cli.base.stored_names import game_parts
from arena.client.remote_server import SeatChoice, Server
from arena.client.server_tokens import VARIABLE, address_of, token_for
from arena.core.errors import UsageError
from arena.league.definition.bot_arguments import name_elsewhere


def server_at(url: str, *, insecure: bool, token_needed: bool = False) -> Server:
    """Return the server at an address, with this user's token. Raises UsageError: without one if `token_needed`."""
    address = address_of(url, insecure=insecure)
    token = token_for(address)
    if token is None and token_needed:
        raise UsageError(
            f"you are not signed in to {address}", f"sign in with: arena sign-in {address}; or set {VARIABLE}"
        )
    return Server(address, token)


def game_at(text: str) -> tuple[str, str]:
    """Return the league and the number of a game on a server, such as `demo/12.0`. Raises UsageError."""
    league, match_no, rotation = game_parts(text)
    if not league:
        raise UsageError(f"{text!r} names no league", "write LEAGUE/MATCH.ROTATION, such as demo/12.0")
    return league, f"{match_no}.{rotation}"


def league_at(server: Server, name: str | None) -> str:
    """Return the league that is meant: `name`, or the only one of the server. Raises UsageError, NoAnswer."""
    if name is not None:
        return name
    names = [league.name for league in server.leagues() if league.game is not None]
    if len(names) == 1:
        return names[0]
    known = ", ".join(names[:20]) if names else "none"
    raise UsageError(f"which league of {server.address}?", f"name it; available: {known}")


def seat_choice(bot: str | None, seat: int | None) -> SeatChoice:
    """Return what chooses a seat of a game on a server, which finds a bot by its name or hash and not by a path."""
    return SeatChoice(bot and name_elsewhere(bot), seat)
