"""The display of a running league: progress, rate, time left and standings."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from arena.cli.display.live import LiveDisplay, duration
from arena.cli.display.rankings import columns
from arena.cli.display.tables import table
from results.counting import counted
from results.escaping import one_line
from results.reports.rankings import ranking_rows

if TYPE_CHECKING:
    from arena.league.running.progress import RunProgress
    from results.records import LeagueRecord
    from results.store import Store

BAR_CELLS = 24
MOST_ROWS = 16


class LiveLeague(LiveDisplay["RunProgress"]):
    """Shows a league while it runs; with its name if the runner serves several."""

    def __init__(self, store: "Store", league: "LeagueRecord", workers: int, *, named: bool = False) -> None:
        super().__init__(None, BAR_CELLS)
        self._named = named
        self._store = store
        self._league = league
        self._workers = workers

    def line(self, progress: "RunProgress") -> str:
        """Return the progress of the run, as one line."""
        done = progress.games_before + progress.games
        games = (
            counted(done, "game")
            if progress.total_games is None
            else f"{done} of {progress.total_games} games"
        )
        overtime = f" · {progress.overtime}" if progress.overtime else ""
        name = f"{self._league.name}: " if self._named else ""
        return f"{name}{games} · {self._rate(progress)}{overtime}"

    def frame(self, progress: "RunProgress") -> Group:
        """Return the display for a terminal."""
        done = progress.games_before + progress.games
        rows = ranking_rows(self._store, self._league)[:MOST_ROWS]
        parts = self.head(done, progress.total_games, self._rate(progress))
        if self._named:
            parts.insert(0, Text(one_line(self._league.name), "bold"))
        if any(row.matches for row in rows):
            parts.append(table(columns(self._league.scale, rows), rows, self.width))
        if progress.failed_attempts:
            parts.append(Text(f"{counted(progress.failed_attempts, 'game')} replayed after platform errors"))
        if progress.overtime:
            parts.append(Text(progress.overtime))
        if self.message:
            parts.append(Text(self.message, style="yellow"))
        return Group(*parts)

    def _rate(self, progress: "RunProgress") -> str:
        left = "" if progress.total_games is None else f" · {duration(progress.left_s)} left"
        return f"{progress.games_per_s:.1f} games/s{left} · {self._who(progress)}"

    def _who(self, progress: "RunProgress") -> str:
        """Return in words how many games are played at a time, and by whom."""
        if progress.hosts is None:
            return counted(self._workers, "worker")
        if not progress.hosts:
            return "no host"
        return f"{counted(progress.host_slots, 'slot')} on {counted(progress.hosts, 'host')}"
