"""Servers that commands ask with --at and --to."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.client.answers import Rankings as RankingsAnswer
    from arena.client.server import Server
    from results.reports.fit_cache import AnyFit
    from results.reports.ranking_table import Rankings


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


def as_report(answer: "RankingsAnswer") -> "Rankings":
    """Return rankings from a server as if this machine had computed them. Raises NoAnswer for rows that aren't any."""
    import msgspec

    from arena.client.connection import NoAnswer
    from results.analysis.fit import Fit, Strength
    from results.analysis.least_squares import LeastSquaresFit
    from results.reports.fit_cache import FitBy, KeptFit, KeptLeastSquares
    from results.reports.ranking_table import FIT_KEYS, RATING_KEYS, RankingRow, Rankings

    missing = {**dict.fromkeys((*RATING_KEYS, *FIT_KEYS)), "disputes": ()}
    try:
        rows = msgspec.convert([{**missing, **row} for row in answer.rows], tuple[RankingRow, ...])
    except (msgspec.ValidationError, RecursionError):
        raise NoAnswer(
            "the server's rankings are not what this version of Arena expects",
            "it may run another version; if it is newer, upgrade Arena here",
        ) from None
    strengths = tuple(
        Strength(number, row.fit_elo, row.fit_elo_low, row.fit_elo_high, None, row.fit_share_percent or 0.0)
        for number, row in enumerate(rows)
        if row.fit_elo is not None
    )
    by = FitBy.SCORES if any("fit_value" in row for row in answer.rows) else FitBy.PLACES
    kept: AnyFit | None = None
    if answer.fit_through is not None and by is not FitBy.PLACES:
        kept = KeptLeastSquares(0, answer.fit_through, "", by, LeastSquaresFit(()))
    elif answer.fit_through is not None:
        kept = KeptFit(0, answer.fit_through, "", Fit(strengths))
    return Rankings(
        league=answer.league,
        scale=answer.scale,
        rows=rows,
        least_matches=answer.least_matches,
        rated_matches=answer.rated_matches,
        rating_stopped_at=answer.rating_stopped_at,
        waiting_games=answer.waiting_games,
        fit=kept,
        fit_by=by,
        is_rated=answer.is_rated,
        moves=answer.moves,
    )
