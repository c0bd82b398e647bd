"""The leagues whose games, ratings and reports are written down: small, of a fixed seed, one for each thing."""

from dataclasses import dataclass

from tests.support.game_tables import RULESETS

BOTS = {
    "ann": ("drawn", "a"),
    "bob": ("first", "b"),
    "cat": ("last", "c"),
    "dan": ("drawn", "d"),
    "eve": ("first", "e"),
    "fay": ("faulty", "f"),
}
"""Habit and author of each bot by its name."""


@dataclass(frozen=True)
class League:
    """A league file but for the bots, and which of them play."""

    game: str = "bread-basket"
    more: str = ""
    """Keys of the file that stand before its first table, a line each."""
    tables: str = '[schedule]\nkind = "round-robin"\n'
    bots: int | tuple[str, ...] = 3
    """Which play: the first so many, or these."""
    rating: str = "draw_probability = 0.1\n"
    """Keys of `[rating]`. To measure how often equals tie takes longer than a small league."""

    def text(self, name: str = "league") -> str:
        """Return the league file."""
        bots = list(BOTS)[: self.bots] if isinstance(self.bots, int) else self.bots
        entries = "".join(f'[[bots]]\npath = "{bot}"\n' for bot in bots)
        return (
            f'name = "{name}"\ngame = "{self.game}"\nseed = 7\nworkers = 1\nsandbox = "off"\npondering = true\n'
            f"{self.more}\n"
            "[clock]\nstartup_ms = 60000\nready_ms = 60000\nmove_ms = 60000\n"
            f"[rating]\n{self.rating}\n{self.tables}\n{entries}"
        )


def schedule(kind: str, keys: str = "", *, bots: int | tuple[str, ...] = 4, stop: str = "") -> League:
    """Return a league of short games of two by a schedule."""
    return League(
        more="seats = 2\noptions = { hands = 1 }",
        tables=f'[schedule]\nkind = "{kind}"\n{keys}\n' + (f"[stop]\n{stop}\n" if stop else ""),
        bots=bots,
    )


def rotations(which: str) -> League:
    """Return a league of one match of three seats by a kind of rotation."""
    return League(more=f'seats = 3\nrotations = "{which}"\noptions = {{ hands = 1 }}')


LEAGUES: dict[str, League] = {
    **{
        f"{game}-{ruleset}": League(
            game,
            f'ruleset = "{ruleset}"\nseats = {seats}\nrotations = "off"',
            bots=seats,
            rating="",  # measured
        )
        for game, rulesets in RULESETS.items()
        for ruleset, seats in rulesets.items()
    },
    "round-robin": schedule("round-robin", "rounds = 2"),
    "round-robin-sampled": schedule("round-robin", "rounds = 2\ntables = 2", bots=5),
    "gauntlet": schedule("gauntlet"),
    "gauntlet-named": schedule("gauntlet", 'challengers = ["cat", "ann"]\nrounds = 2'),
    "swiss": schedule("swiss", bots=5),
    "swiss-matches": schedule("swiss", "rounds = 2\nmatches = 2", bots=5),
    "elimination": schedule("elimination", "third_place = true"),
    "elimination-by-rating": schedule("elimination", 'best_of = 1\nextra = 2\nseeds = "rating"', bots=6),
    "ladder": schedule("ladder", "lag = 4", stop="matches = 24"),
    "stop-matches": schedule("round-robin", "rounds = 9", stop="matches = 7"),
    "stop-games": schedule("round-robin", "rounds = 9", stop="games = 11"),
    "stop-settled": schedule(
        "round-robin", "rounds = 400", stop='until = "settled"\nerror_rate = 0.4\ntop = 1', bots=2
    ),
    "stop-settled-indifference": schedule(
        "round-robin", "rounds = 400", stop='until = "settled"\nerror_rate = 0.4\nindifference = 0.6', bots=2
    ),
    "rotations-mirror": rotations("mirror"),
    "rotations-cyclic": rotations("cyclic"),
    "rotations-all": rotations("all"),
    "rotations-balanced": League(
        more='seats = 4\nrotations = "balanced"\noptions = { hands = 1 }',
        tables='[schedule]\nkind = "round-robin"\nrounds = 2\n',
        bots=5,
    ),
    "rotations-off": rotations("off"),
    "table-sizes": League(more='rotations = "cyclic"\nseats = [2, 3]\noptions = { hands = 1 }', bots=4),
    "table-sizes-swiss": League(
        more='rotations = "cyclic"\nseats = 3\noptions = { hands = 1 }',
        tables='[schedule]\nkind = "swiss"\n',
        bots=5,
    ),
    "table-sizes-elimination": League(
        more='rotations = "cyclic"\nseats = 3\noptions = { hands = 1 }',
        tables='[schedule]\nkind = "elimination"\nbest_of = 1\ngo_on = 1\n',
        bots=6,
    ),
    "table-sizes-ladder": League(
        more="seats = [2, 4]\noptions = { hands = 1 }",
        tables='[schedule]\nkind = "ladder"\nlag = 3\n[stop]\nmatches = 12\n',
        bots=6,
    ),
    "rating": League(
        more="seats = 2\noptions = { hands = 1 }",
        rating="beta = 2.5\ntau = 0.3\ndraw_probability = 0.25\n",
        tables='[schedule]\nkind = "round-robin"\nrounds = 3\n',
    ),
    "rating-tables": League(
        more='rotations = "cyclic"\nseats = [2, 4]\noptions = { hands = 1 }',
        rating="draw_probability = 0.1\n",
        bots=6,
    ),
    "faults": schedule("round-robin", "rounds = 2", bots=("ann", "bob", "fay")),
    "keep-replays": League(
        more='seats = 2\nkeep_replays = "last 5"\noptions = { hands = 1 }', tables="", bots=4
    ),
}
"""By name. What one of them plays never changes; a new thing gets a new league."""
QUICK = {"round-robin", "ladder", "faults", "sandwich-fr"}
"""What the quick suite plays: a planned league, one that plans as it goes, one with faults, one by the defaults."""

INHERITING = League(
    more="seats = 2\noptions = { hands = 1 }",
    rating="draw_probability = 0.1\ninherit = true\nwiden = 2\n",
    tables='[schedule]\nkind = "gauntlet"\n',
    bots=4,
)
"""Played after another league in the same store: its bots start from their ratings there."""
