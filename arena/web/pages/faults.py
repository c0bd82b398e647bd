"""Games that bots of a league forfeited, and games that failed."""

from collections.abc import Mapping

from arena.web.html.page import Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from protocol.verdicts import Verdict
from results.reports.faults import failed_attempt_rows, latest_faults_of_league
from results.reports.leagues import league_summary
from results.reports.statistics import fault_cause_rows
from results.store import Store

LATEST = 50
LATEST_FAILED = 50
MEANINGS: Mapping[str, str] = {
    Verdict.STARTUP: "It didn't start, or wasn't ready, in time.",
    Verdict.TIMEOUT: "It didn't answer in time.",
    Verdict.CRASH: "Its process ended while it owed a move.",
    Verdict.ILLEGAL: "Its move is not allowed by the rules.",
    Verdict.MALFORMED: "What it wrote is no message of the protocol.",
    Verdict.OUTPUT: "It wrote more than it may.",
    Verdict.MEMORY: "It used more memory than it may.",
    Verdict.PONDERING: "It computed during the turns of others, which this league forbids.",
    Verdict.RESIGNED: "A person gave the game up, or left the table.",
}

SORTS = ("bot", "cause", "games", "of", "rate")


def faults(store: Store, name: str) -> Page:
    """Return the page. Raises NoPage."""
    league = league_named(store, name)
    verdicts = store.games.faults_by_verdict(league.uuid)
    failed = failed_attempt_rows(store, league)
    causes = fault_cause_rows(store, league)
    return Page(
        path_of(league, "faults"),
        f"Faults · {league.name}",
        "faults.html",
        {
            "league": league_summary(store, league),
            "causes": causes,
            "meanings": {cause: words for cause, words in MEANINGS.items() if cause in verdicts},
            "latest": latest_faults_of_league(store, league, LATEST),
            "faults": sum(verdicts.values()),
            "failed": failed[::-1][:LATEST_FAILED],
            "all_failed": len(failed),
        },
        tabs=tabs(league),
        polls_s=0 if league.state == "finished" else 15,
        scripts=("tables.js",),
    )
