"""The line above the tables of a league."""

from results.counting import counted
from results.reports.leagues import LeagueSummary


def heading(league: LeagueSummary) -> str:
    """Return a league's name, rules, number of games, state, and sandbox."""
    rules = "single games" if league.ruleset is None else f"{league.game} · {league.ruleset}"
    parts = [f"{league.name}: {rules}", counted(league.games, "game")]
    if league.state:
        parts.append("finished, settled" if league.is_settled else league.state)
    if not league.is_sealed:
        parts.append("not sealed")
    if league.weakest_isolation:
        parts.append(f"sandbox {league.weakest_isolation}")
    return " · ".join(parts)
