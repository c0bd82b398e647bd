"""The summary that `arena league create` prints: matches and games, size on disk, and warnings."""

from collections.abc import Sequence

from arena.cli.terminal.messages import hint, say, warn
from arena.config.deal_suites import Suite
from arena.config.toml import line_of, placed
from arena.league.definition.entries import Source
from arena.league.definition.league_secret import search_warning
from arena.league.definition.read import LeaguePlan
from arena.league.definition.resolve import Definition, how_long, most_games
from arena.league.forecast.game_size import GameSize
from arena.submissions.manifest import bundled_bots
from results.base.text import counted
from results.records import EntryRecord, newest_kept

MOST_WARNINGS = 5
MOST_BOTS_NAMED = 3
"""Bots named in one warning."""


def warn_of_search(plan: LeaguePlan, entries: Sequence[EntryRecord]) -> None:
    """Warn of a seed short enough for bots to search, unless all bots are the organiser's own."""
    seed = plan.file.seed
    if seed is not None and not _has_own_bots_only(plan, entries) and (searched := search_warning(seed)):
        warn(searched)
        hint("remove `seed` unless you trust all bots")


def _has_own_bots_only(plan: LeaguePlan, entries: Sequence[EntryRecord]) -> bool:
    """Return whether one author wrote all bots but those of Arena, in a league that nobody joins while it goes on."""
    arenas, authors = bundled_bots(), set()
    for source, entry in zip(plan.sources, entries, strict=True):
        if entry.version is None:
            return False
        if source.folder is None or not source.folder.resolve().is_relative_to(arenas):
            authors.add(entry.version.author)
    return len(authors) <= 1 and not plan.definition.endless


def warn_of_duplicates(plan: LeaguePlan) -> None:
    """Warn of bots that several `[[bots]]` tables list, such as overlapping globs. A label shows that it is wanted."""
    first: dict[tuple[object, tuple[str, ...]], Source] = {}
    again: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for source in plan.sources:
        bot = source.version if source.folder is None else source.folder.resolve()
        before = first.setdefault((bot, source.args), source)
        if before is not source and source.label is None:
            again.setdefault((before.keys, source.keys), []).append(source.named)
    for (before_at, now_at), bots in list(again.items())[:MOST_WARNINGS]:
        line, line_before = (line_of(plan.text, keys) for keys in (now_at, before_at))
        more = len(bots) - MOST_BOTS_NAMED
        named = ", ".join(bots[:MOST_BOTS_NAMED]) + (f" and {more} more" if more > 0 else "")
        warn(
            f"{plan.name}:{line}: {named} {'is' if len(bots) == 1 else 'are'} already listed on line {line_before} "
            f"and will {'play' if len(bots) == 1 else 'each play'} as two entries"
        )
    if len(again) > MOST_WARNINGS:
        warn(f"{plan.name}: {len(again) - MOST_WARNINGS} more warnings like these")
    if again:
        hint("list each bot once, or give the second entry a `label` if you want both")


def say_plan(plan: LeaguePlan, size: GameSize) -> None:
    """Print what a league will play and its size on disk; warn of bots listed twice, and of games that all tie."""
    warn_of_duplicates(plan)
    definition = plan.definition
    for remark in definition.remarks():  # settings of the schedule that do something else in this field
        warn(placed(plan.name, plan.text, remark.keys, remark.words))
    games = most_games(definition)
    numbers = how_long(definition)
    say(
        f"{plan.file.name}: {definition.game.info.name} · {definition.ruleset.name} · "
        f"{definition.in_words(len(plan.sources))} · {definition.schedule.name} · {_dealt(definition)}: {numbers}"
    )
    if definition.awaits_entries:
        say(f"it waits until there are enough bots for {definition.field.table(min(definition.field.seats))}")
    _say_authors(plan)
    _say_size(plan, size, games)
    if size.tied_games and not definition.counts_scores:
        warn(
            f"all seats of {definition.game.info.title} had the same score in each of {size.tied_games} games between "
            "random players; if they always do, every game is a tie, and rankings mean nothing"
        )
        hint("if they share one score by the rules, the game says so: shared_score = True in its GameInfo")


def _dealt(definition: Definition) -> str:
    """Return how a league deals, in a few words."""
    rotations = f"rotations {definition.rotations}"
    if not definition.counts_scores:
        return rotations
    return "the same deals for all" + (f" · {rotations}" if max(definition.field.seats) > 1 else "")


def _say_authors(plan: LeaguePlan) -> None:
    """Say whose bots are kept apart, as that makes fewer matches, and what it means for the end of the league."""
    definition = plan.definition
    of_author: dict[str, list[int]] = {}
    for number, author in definition.field.authors.items():
        of_author.setdefault(author, []).append(number)
    several = [(author, numbers) for author, numbers in sorted(of_author.items()) if len(numbers) > 1]
    if not several:
        return
    named = []
    for author, numbers in several[:MOST_BOTS_NAMED]:
        bots = [definition.field.labels.get(number, plan.sources[number].named) for number in numbers]
        more = f" and {len(bots) - MOST_BOTS_NAMED} more" if len(bots) > MOST_BOTS_NAMED else ""
        named.append(f"{', '.join(bots[:MOST_BOTS_NAMED])}{more} by {author}")
    if len(several) > MOST_BOTS_NAMED:
        named.append(f"those of {counted(len(several) - MOST_BOTS_NAMED, 'other author')}")
    said = f"bots of one author are kept apart, or their matches aren't rated: {'; '.join(named)}"
    if plan.file.stop.until != "settled":
        say(said)
        rates = "" if isinstance(plan.file.deals, Suite) else " and rates their matches"
        hint(f"same_author = true lets them meet{rates}")
        return
    say(
        f"{said}. If two of them are neighbours in the rankings, their order never settles, and the league plays until "
        "another limit ends it"
    )
    hint("set same_author = true if you trust the authors, or add bots by others with strengths between them")


def _say_size(plan: LeaguePlan, size: GameSize, games: int | None) -> None:
    """Print the league's size on disk, and what other values of `keep_replays` would change."""
    keep = plan.file.keep_replays
    each = f"{_bytes(size.with_replay)} per game with its replay, {_bytes(size.without_replay)} without"
    if games is None:
        say(f"on disk: about {each} (set by keep_replays)")
        return
    whole, bare = games * size.with_replay, games * size.without_replay
    if (newest := newest_kept(keep)) is not None:
        whole = bare + min(games, newest) * (size.with_replay - size.without_replay)
    if keep in ("none", "faults"):
        say(f"about {_bytes(bare)} on disk{' plus the replays of faults' * (keep == 'faults')}: {each}")
    else:
        less = f'; {_bytes(bare)} with keep_replays = "none"' * (whole > bare)
        say(f"about {_bytes(whole)} on disk: {each}{less}")


def _bytes(count: int) -> str:
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count / 1000:.1f} kB"
