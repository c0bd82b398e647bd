"""What has changed in a store between two looks at its status, a line each: for pipes and logs."""

from collections.abc import Iterator, Mapping

from arena.cli.display.status_view import runner_lines
from results.counting import counted
from results.escaping import one_line
from results.reports.status_rows import LeagueStatusRow, StatusRow


def first_lines(status: StatusRow, store_option: str) -> Iterator[str]:
    """Yield the status at the beginning."""
    yield runner_lines(status.runner, status.at, store_option, idle=False)[0]
    for league in status.leagues:
        if league.state != "finished":
            yield _of_league(league)
    for row in status.absent:
        yield f"{row.league}: {row.bot} is {row.state}" + _why(row.why)
    for command in status.inbox.waiting:
        yield f"waiting in the inbox: {command.kind or command.file}" + (command.by and f" by {command.by}")


def changed_lines(before: StatusRow, after: StatusRow, store_option: str) -> Iterator[str]:
    """Yield a line for each change. Games that were played are no change: `progress_line` counts them."""
    if (before.runner.state, before.runner.pid) != (after.runner.state, after.runner.pid):
        yield runner_lines(after.runner, after.at, store_option, idle=False)[0]
    leagues = {row.name: (row.state, row.why) for row in before.leagues}
    for league in after.leagues:
        if leagues.get(league.name) != (league.state, league.why):
            yield _of_league(league)
    for name in leagues.keys() - {row.name for row in after.leagues}:
        yield f"{name} is gone: deleted or renamed"
    absent = {(row.league, row.bot): row.state for row in before.absent}
    for row in after.absent:
        if absent.pop((row.league, row.bot), None) != row.state:
            yield f"{row.league}: {row.bot} is {row.state}{_why(row.why)}"
    yield from _back(absent, after)
    newcomers = {(row.league, row.bot): row.is_placed for row in before.newcomers}
    for new in after.newcomers:
        known = newcomers.get((new.league, new.bot))
        if known is None:
            yield f"{new.league}: {new.bot} has joined, from match {new.match_no}"
        elif new.is_placed and not known:
            yield f"{new.league}: {new.bot} has its place after {counted(new.matches, 'match', 'matches')}"
    files = {row.file for row in before.inbox.waiting}
    for command in after.inbox.waiting:
        if command.file not in files:
            yield f"waiting in the inbox: {command.kind or command.file}" + (
                command.by and f" by {command.by}"
            )
    refused = {(row.at, row.why) for row in before.inbox.refused}
    for refusal in reversed(after.inbox.refused):
        if (refusal.at, refusal.why) not in refused:
            yield f"refused: {refusal.kind or 'a file in the inbox'}{refusal.by and f' by {refusal.by}'}: {refusal.why}"
    for now, then in (
        (after.errors.refusals, before.errors.refusals),
        (after.errors.recent, before.errors.recent),
    ):
        for trouble in now:
            if trouble not in then:
                yield f"error: {trouble.what}"


def progress_line(status: StatusRow) -> str:
    """Return how far the leagues that are played are; empty if none is."""
    return " · ".join(
        f"{one_line(row.name)}: {counted(row.matches, 'match', 'matches')}, {counted(row.games, 'game')}, "
        f"{row.games_per_s:.1f} games/s"
        for row in status.leagues
        if row.state == "running"
    )


def _of_league(league: LeagueStatusRow) -> str:
    return f"{league.name} is {league.state}{_why(league.why)}"


def _why(why: str) -> str:
    return f": {why}" if why else ""


def _back(absent: Mapping[tuple[str, str], str], after: StatusRow) -> Iterator[str]:
    """Yield the entries that were paused or benched and play again."""
    leagues = {row.name for row in after.leagues}
    for (league, bot), state in absent.items():
        if state in ("paused", "benched") and league in leagues:
            yield f"{league}: {bot} is no longer {state}"
