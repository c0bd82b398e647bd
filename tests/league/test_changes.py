"""Changes of a league's field: what they write, from which match they hold, and what is refused."""

import shutil
from itertools import combinations
from pathlib import Path

import pytest

from arena.core.errors import ArenaError
from arena.league.changes import entering
from arena.league.changes.copies import clone, next_season, season
from arena.league.changes.field import add, replace, retire
from arena.league.changes.pausing import bench, pause, resume, unbench
from arena.league.changes.whole_league import delete, extend, extendable, rank, rename, reveal
from arena.league.definition.stored import StoredDefinition
from arena.league.event_file import create_from_events, exported, read_events
from arena.schedules import round_robin
from arena.submissions.bundled import bundled_bot
from arena.submissions.versions import enter
from results.errors import LedgerError, StoreFull, UnknownLeague
from results.records import LeagueEvent
from results.reports.fits import FitBy, fit_by_of
from results.reports.rankings import ranking_rows
from results.roster import ADDED, BENCHED, RETIRED
from results.store import Store, holding, open_store
from tests.league.open_league import LADDER, ROUNDS, digests, field_of, open_league, planned, play, submitted
from tests.league.running import simple, write_bot
from tests.submissions.taking import take_in


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_league(tmp_path)


@pytest.fixture(scope="module")
def first_block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("begun")
    with open_league(folder) as store:
        play(store, until=16)
    return folder


@pytest.fixture
def begun(first_block: Path, tmp_path: Path) -> Store:
    """Return a copy of a ladder that has planned its first matches."""
    shutil.copytree(first_block, tmp_path / "begun")
    return open_store(tmp_path / "begun" / "arena.sqlite")


def refused(change: object, *arguments: object, **named: object) -> str:
    """Return the words of a change that is refused, with its hint."""
    try:
        change(*arguments, **named)  # type: ignore[operator]
    except (ArenaError, LedgerError) as error:
        return f"{error}; {error.hint}"
    raise AssertionError("it was not refused")


def kinds(store: Store, name: str = "main") -> list[tuple[str, int]]:
    return [(event.kind, event.at_match_no) for event in store.leagues.events(name)]


def test_a_bot_joins_at_the_first_match_that_is_not_planned(begun: Store) -> None:
    at = planned(begun)
    version = submitted(begun, "late", simple(9))
    assert add(begun, "main", "late") == f"late ({version.reference}) joins main at match {at}"
    assert kinds(begun) == [(ADDED, at)]
    play(begun, until=at + 16)
    assert "late" not in field_of(begun, "main", 0, at)
    assert "late" in field_of(begun, "main", at)


def test_a_new_version_takes_over_with_the_rating_of_the_old_one(begun: Store) -> None:
    at = planned(begun)
    version = submitted(begun, "bot-1", simple(5))
    said = replace(begun, "main", "bot-1")
    assert said == f"bot-1@{version.number} ({version.reference}) replaces bot-1 in main at match {at}"
    shown = {row.label: row for row in ranking_rows(begun, begun.leagues.get("main"))}
    left, taken = shown["bot-1"], shown[f"bot-1@{version.number}"]
    assert None not in (taken.mu, taken.sigma, left.sigma)
    assert taken.mu == left.mu, "before it has its rating, the rankings show what it will start with"
    assert (left.sigma or 0) < (taken.sigma or 0) < begun.leagues.get("main").scale.start.sigma
    play(begun, until=at + 16)
    new = begun.entries.find("main", f"bot-1@{version.number}")
    old = begun.entries.find("main", "tests/bot-1@1")
    assert new.predecessor == old.entry_no
    inherited = begun.ratings.after("main", at - 1)[old.entry_no]
    start = begun.leagues.get("main").scale.start
    assert new.prior is not None
    assert new.prior.mu == inherited.mu
    assert inherited.sigma < new.prior.sigma < start.sigma
    assert "bot-1" not in field_of(begun, "main", at)
    assert new.label in field_of(begun, "main", at)
    standing = {row.label: row for row in begun.ratings.standings("main")}
    assert standing["bot-1"].retired
    assert standing["bot-1"].matches > 0, "old games and ratings stay"


def test_who_retires_stays_in_the_table(begun: Store) -> None:
    at = planned(begun)
    before = {row.label: row for row in begun.ratings.standings("main")}["bot-2"]
    retire(begun, "main", "bot-2")
    play(begun, until=at + 16)
    after = {row.label: row for row in begun.ratings.standings("main")}["bot-2"]
    assert after.retired
    assert "bot-2" not in field_of(begun, "main", at)
    assert after.matches >= before.matches


def test_a_pause_ends_with_resume(store: Store) -> None:
    pause(store, "main", "bot-0", why="its author asked")
    play(store, until=16)
    at = planned(store)
    assert "bot-0" not in field_of(store, "main", 0, at)
    assert store.entries.roster("main").paused[0].why == "its author asked"
    resume(store, "main", "bot-0")
    play(store, until=at + 16)
    assert "bot-0" in field_of(store, "main", at)


def test_a_paused_league_plays_what_is_planned_and_waits(begun: Store) -> None:
    pause(begun, "main")
    at = planned(begun)
    run = play(begun)
    assert (planned(begun), run.waits) == (at, "paused: paused by the organiser")
    assert begun.matches.open("main") == []
    resume(begun, "main")
    play(begun, until=at + 16)
    assert planned(begun) > at


def test_a_benched_bot_is_forgiven(store: Store) -> None:
    store.leagues.add_event("main", 0, BENCHED, {"entry_no": 3, "why": "thought on others' time in 3 games"})
    play(store, until=16)
    at = planned(store)
    assert "bot-3" not in field_of(store, "main", 0, at), "nobody waits for a bot that is not started"
    assert unbench(store, "main", "bot-3") == f"bot-3 is no longer benched in main from match {at} on"
    play(store, until=at + 16)
    assert "bot-3" in field_of(store, "main", at)


def test_a_bot_is_benched_by_the_organiser_until_unbenched(begun: Store) -> None:
    at = planned(begun)
    said = bench(begun, "main", "bot-3", "it shares its log")
    assert said == f"bot-3 is benched in main: it gets no matches from match {at} on"
    assert (
        begun.entries.roster("main").benched[3].by_organiser == "benched by the organiser: it shares its log"
    )
    assert "benched already" in refused(bench, begun, "main", "bot-3")
    version = submitted(begun, "bot-3", simple(5))
    assert "benched by the organiser: it shares its log" in refused(entering.enter, begun, "main", version)
    clone(begun, "main", "next")
    assert [entry.label for entry in begun.entries.all("next")] == ["bot-0", "bot-1", "bot-2"]
    play(begun, until=at + 16)
    assert "bot-3" not in field_of(begun, "main", at)
    unbench(begun, "main", "bot-3")
    at = planned(begun)
    play(begun, until=at + 16)
    assert "bot-3" in field_of(begun, "main", at)


def test_names_change_and_leagues_go(begun: Store) -> None:
    rename(begun, "main", "spring")
    assert "'spring'" in refused(rename, begun, "spring", "spring")
    assert begun.leagues.get("spring").state == "stopped"
    games = begun.leagues.progress("spring").games_done
    assert delete(begun, "spring") == f"spring is deleted, with {games} game{'s' * (games != 1)}"
    with pytest.raises(UnknownLeague):
        begun.leagues.get("spring")
    assert begun.verify() == []
    assert begun.versions.find("tests/bot-0").number == 1, "bots stay"


def test_a_league_is_ranked_by_scores_and_so_are_its_copies(begun: Store, tmp_path: Path) -> None:
    before = digests(begun, "main")
    assert rank(begun, "main", "scores") == "main now shows strengths by scores beside the ratings"
    assert "by scores already" in refused(rank, begun, "main", "scores")
    assert fit_by_of(begun, begun.leagues.get("main")) is FitBy.SCORES
    assert digests(begun, "main") == before, "ratings stay"
    copy = clone(begun, "main", "next")
    assert copy.config["ranking"] == {"by": "scores"}
    path = tmp_path / "main.jsonl"
    path.write_bytes(b"".join(exported(begun, begun.leagues.get("main"))))
    again = create_from_events(begun, *read_events(path), "again")
    assert fit_by_of(begun, again) is FitBy.SCORES
    rank(begun, "main", "places")
    assert fit_by_of(begun, begun.leagues.get("main")) is FitBy.PLACES
    begun.leagues.casual()
    assert "has single games, not a league" in refused(rank, begun, "casual", "scores")


def test_a_reference_bot_that_is_in_the_store_is_known_by_its_name(store: Store) -> None:
    own = bundled_bot("bots/any_game/random")
    assert own is not None
    enter(store, take_in(own, store))
    assert "random (arena/random@1) joins main" in add(store, "main", "arena/random")


def test_a_bot_that_is_in_already_is_told_how_it_plays_again(store: Store) -> None:
    bench(store, "main", "bot-1")
    told = refused(add, store, "main", "bot-1")
    assert "as 'bot-1', and benched" in told
    assert "arena league unbench main bot-1" in told
    pause(store, "main", "bot-2")
    assert "and paused; let it play again: arena league resume" in refused(add, store, "main", "bot-2")


def test_a_version_plays_once_with_the_same_arguments(store: Store) -> None:
    """What replaces a bot is no version that plays beside it; with other arguments, its label has the number."""
    older, newer = submitted(store, "bot-1", simple(4)), submitted(store, "bot-1", simple(5))
    add(store, "main", newer.reference)
    told = refused(replace, store, "main", "bot-1", newer.reference)
    assert "tests/bot-1@3 plays in main already, as 'bot-1@3'" in told
    assert "other arguments" in told
    assert entering.enter(store, "main", newer) == "tests/bot-1@3 plays in main already"
    add(store, "main", older.reference, args=["-v"])
    said = replace(store, "main", "bot-1 -v", newer.reference)
    assert said.startswith("bot-1 -v@3 (tests/bot-1@3) replaces bot-1 -v ")
    newest = submitted(store, "bot-1", simple(6))
    entering.check_entering(store, "main", "tests", "bot-1", newest)
    said = entering.enter(store, "main", newest)
    assert said.count("replaces") == 2, "the newest entry with each arguments"
    assert "bot-1@4 (tests/bot-1@4) replaces bot-1@3 " in said
    assert "bot-1 -v@4 (tests/bot-1@4) replaces bot-1 -v@3 " in said
    retire(store, "main", "bot-1@4")
    said = replace(store, "main", "bot-1", newest.reference)
    assert said.startswith("tests/bot-1@4 (tests/bot-1@4) replaces bot-1 "), "not `bot-1 2`"


def test_what_is_refused(store: Store) -> None:
    submitted(store, "other-game", simple(0), game="sandwich")
    assert "plays in main already, as 'bot-0'" in refused(add, store, "main", "bot-0")
    assert "does not play bread-basket" in refused(add, store, "main", "other-game")
    assert "bot-0, bot-1" in refused(replace, store, "main", "bot-9"), "the hint lists the entries"
    assert "the newest version" in refused(replace, store, "main", "bot-0")
    assert "nobody" in refused(add, store, "main", "nobody")
    assert "summer" in refused(add, store, "summer", "bot-0")
    assert "is not paused" in refused(resume, store, "main", "bot-0")
    assert "is not benched" in refused(unbench, store, "main", "bot-0")
    assert "no budget of matches" in refused(extend, store, "main", matches=5)
    assert "nothing to extend by" in refused(extend, store, "main")
    assert extendable(store, "main") == [], "a ladder without a budget"
    copied = enter(store, take_in(write_bot(store.path.parent, "unchecked", simple(3)), store))
    assert "has not been checked in bread-basket" in refused(add, store, "main", copied.reference)
    retire(store, "main", "bot-0")
    submitted(store, "bot-0", simple(7))
    for change in (retire, replace, pause):
        assert "retired from main at match 0" in refused(change, store, "main", "bot-0")
    assert kinds(store) == [(RETIRED, 0)], "nothing half done"


@pytest.mark.parametrize("kind", ["swiss", "elimination"])
def test_a_field_that_cannot_change(tmp_path: Path, kind: str) -> None:
    store = open_league(tmp_path, f'[schedule]\nkind = "{kind}"\n')
    submitted(store, "late", simple(9))
    for said in (refused(add, store, "main", "late"), refused(bench, store, "main", "bot-0")):
        assert f"the field of a {kind} is fixed" in said
        assert "arena league clone main NEW" in said


def test_a_copy_has_the_bots_that_still_play(begun: Store) -> None:
    store = begun
    play(store, until=32)
    retire(store, "main", "bot-3")
    copy = clone(store, "main", "again", seed=8, inherit=True)
    entries = store.entries.all("again")
    assert [entry.label for entry in entries] == ["bot-0", "bot-1", "bot-2"]
    assert all(entry.prior is not None for entry in entries)
    assert copy.ruleset == store.leagues.get("main").ruleset
    assert copy.commitment != store.leagues.get("main").commitment
    play(store, "again", until=16)
    assert "'again'" in refused(clone, store, "main", "again")


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "tables", "rounds", "cut_at"), [(4, 4, 1, 2), (5, 5, 2, 7)])
def test_a_sampled_round_cut_by_a_budget_is_finished_as_it_was_begun(
    tmp_path: Path, bots: int, tables: int, rounds: int, cut_at: int
) -> None:
    sample = f'[schedule]\nkind = "round-robin"\nrounds = {rounds}\ntables = {tables}\n'
    whole = open_league(tmp_path / "whole", sample, bots=bots)
    cut = open_league(tmp_path / "cut", f"{sample}[stop]\nmatches = {cut_at}\n", bots=bots)
    for store in (whole, cut):
        play(store)
    assert planned(cut) == cut_at
    extend(cut, "main", matches=9)
    play(cut)
    played = [[sorted(match.entries) for match in store.matches.all("main")] for store in (whole, cut)]
    assert len(played[0]) == rounds * tables
    assert played[0] == played[1]


@pytest.mark.slow
def test_a_round_robin_changes_between_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_robin, "BLOCK_MATCHES", 8)
    store = open_league(tmp_path, ROUNDS.replace("3", "5"), bots=3)
    play(store, until=1)
    assert planned(store) == 8
    submitted(store, "late", simple(9))
    assert add(store, "main", "late").endswith("joins main at match 9"), "each round has three matches"
    assert retire(store, "main", "bot-0").endswith("retires from main at match 9")
    run = play(store)
    assert store.leagues.get("main").state == "finished", run.waits
    assert planned(store) == 15
    assert field_of(store, "main", 6, 9) == {"bot-0", "bot-1", "bot-2"}, "the round that had begun"
    assert field_of(store, "main", 9) == {"bot-1", "bot-2", "late"}
    submitted(store, "too-late", simple(8))
    assert "is finished" in refused(add, store, "main", "too-late")
    short = open_league(tmp_path / "short", ROUNDS, bots=3)
    play(short, until=1)
    assert "is in its last round" in refused(retire, short, "main", "bot-0")


@pytest.mark.slow
def test_a_finished_league_goes_on_when_it_is_extended(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, bots=3)
    play(store)
    assert "is finished" in refused(add, store, "main", "bot-0")
    assert extend(store, "main", rounds=2) == "main is extended: rounds = 5"
    play(store)
    assert planned(store) == 15
    ladder = open_league(tmp_path / "other", LADDER + "[stop]\nmatches = 20\n")
    play(ladder)
    assert planned(ladder) == 20
    assert extendable(ladder, "main") == ["matches"]
    extend(ladder, "main", matches=8)
    play(ladder)
    assert planned(ladder) == 28
    assert ladder.leagues.get("main").state == "finished"


def test_a_season_ends_with_a_final_and_the_next_begins_from_its_ratings(begun: Store) -> None:
    at = planned(begun)
    assert "then main-2 begins" in season(begun, "main", matches=6)
    submitted(begun, "late", simple(9))
    assert "its field is frozen" in refused(add, begun, "main", "late")
    assert "its field is frozen" in refused(season, begun, "main")
    assert next_season(begun, begun.leagues.get("main")) is None, "not before its end"
    run = play(begun)
    assert begun.leagues.get("main").state == "finished", run.waits
    final = begun.matches.all("main", first=at)
    assert all(sum(number in match.entries for match in final) >= 6 for number in range(4))
    following = next_season(begun, begun.leagues.get("main"))
    assert following is not None
    assert following.name == "main-2"
    begun.leagues.rename(following.uuid, "autumn")
    assert "join the next season, autumn" in refused(add, begun, "main", "late")
    begun.leagues.reveal("main")
    assert "join the next season, autumn" in refused(add, begun, "main", "late")
    begun.leagues.rename(following.uuid, "main-2")
    assert all(entry.prior is not None for entry in begun.entries.all("main-2"))
    assert following.commitment != begun.leagues.get("main").commitment, "other deals"
    assert next_season(begun, begun.leagues.get("main")) is None, "once"


def test_a_final_without_enough_bots_ends_because_nobody_can_join_it(tmp_path: Path) -> None:
    store = open_league(tmp_path, bots=3)
    play(store, until=16)
    for bot in ("bot-0", "bot-1"):
        retire(store, "main", bot)
    season(store, "main", matches=5)
    run = play(store)
    assert (store.leagues.get("main").state, run.waits) == ("finished", "")


def test_a_league_extended_while_its_last_matches_are_played_goes_on(tmp_path: Path) -> None:
    store = open_league(tmp_path, LADDER + "[stop]\nmatches = 20\n")
    extended: list[str] = []

    def take_up() -> None:
        if planned(store) == 20 and not extended and store.leagues.progress("main").matches_counted >= 16:
            extended.append(extend(store, "main", matches=8))

    play(store, take_up=take_up)
    assert planned(store) == 28


def test_a_replayed_season_has_no_next_one(begun: Store, tmp_path: Path) -> None:
    season(begun, "main", matches=2)
    play(begun)
    path = tmp_path / "main.jsonl"
    path.write_bytes(b"".join(exported(begun, begun.leagues.get("main"))))
    create_from_events(begun, *read_events(path), "again")
    play(begun, "again")
    assert digests(begun, "again") == digests(begun, "main")
    assert next_season(begun, begun.leagues.get("again")) is None


@pytest.mark.slow
def test_a_league_without_enough_bots_waits_for_more(tmp_path: Path) -> None:
    store = open_league(tmp_path, LADDER + "[stop]\nmatches = 24\n", bots=3)
    play(store, until=16)
    at = planned(store)
    for bot in ("bot-0", "bot-1"):
        retire(store, "main", bot)
    run = play(store)
    assert (planned(store), run.waits) == (
        at,
        "1 of its bots play, and a table needs 2",
    )
    submitted(store, "late", simple(9))
    add(store, "main", "late")
    play(store)
    assert (planned(store), store.leagues.get("main").state) == (24, "finished")
    assert field_of(store, "main", at) == {"bot-2", "late"}


def test_a_ladder_without_bots_waits_for_them_and_is_replayed_alike(tmp_path: Path) -> None:
    for kind in (ROUNDS, LADDER + "[stop]\nmatches = 9\n"):
        assert "the league has no bots" in refused(open_league, tmp_path, kind, bots=0)
    assert "cannot fill a table of 2" in refused(open_league, tmp_path, ROUNDS, bots=1)
    store = open_league(tmp_path, bots=0)
    assert play(store).waits == "0 of its bots play, and a table needs 2"
    assert store.ratings.standings("main") == []
    for number in range(2):
        submitted(store, f"late-{number}", simple(number))
        add(store, "main", f"late-{number}")
        assert bool(play(store, until=8).waits) == (number == 0)
    assert field_of(store, "main", 0) == {"late-0", "late-1"}
    season(store, "main", matches=2)
    play(store)
    reveal(store, "main")
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join(exported(store, store.leagues.get("main"))))
    create_from_events(store, *read_events(path), "again")
    play(store, "again")
    assert digests(store, "again") == digests(store, "main")


def test_who_is_benched_in_a_round_robin_forfeits_the_rest_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_robin, "BLOCK_MATCHES", 4)
    store = open_league(tmp_path, ROUNDS.replace("3", "2"))
    play(store, until=4)
    benched_at = planned(store)
    assert benched_at % 6, "within a round"
    assert "it forfeits its matches" in bench(store, "main", "bot-3")
    play(store)
    tables = [tuple(sorted(match.entries)) for match in store.matches.all("main")]
    assert tables == [*combinations(range(4), 2)] * 2
    games = store.games.all("main")
    forfeits = {
        (seat.verdict, seat.detail) for game in games for seat in game.seats if game.match_no >= benched_at
    } - {(None, "")}
    assert forfeits == {("startup", "benched by the organiser; it was not started")}
    path = tmp_path / "events.jsonl"
    reveal(store, "main")
    path.write_bytes(b"".join(exported(store, store.leagues.get("main"))))
    create_from_events(store, *read_events(path), "again")
    play(store, "again")
    assert digests(store, "again") == digests(store, "main")


def test_a_league_whose_bots_have_lost_their_files_is_not_copied(tmp_path: Path) -> None:
    store = open_league(tmp_path)
    version = store.versions.find("bot-1")
    (store.files / "versions" / version.sha256).rename(tmp_path / "elsewhere")
    assert "the files of tests/bot-1@1 are missing" in refused(clone, store, "main", "again")
    assert [league.name for league in store.leagues.all()] == ["main"]
    retire(store, "main", "bot-1")
    play(store, until=8)
    clone(store, "main", "again")


def test_the_definition_of_a_match_reads_each_event_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = StoredDefinition(store, store.leagues.get("main"))
    read: list[str] = []
    every = store.leagues.events

    def counted(league: str, first: int = 0) -> list[LeagueEvent]:
        found = every(league, first)
        read.extend(event.kind for event in found)
        return found

    pause(store, "main", "bot-1")
    monkeypatch.setattr(store.leagues, "events", counted)
    stored.at(0)
    with monkeypatch.context() as uncounted:
        uncounted.setattr(store.leagues, "events", every)
        resume(store, "main", "bot-1")
    stored.at(0)
    stored.at(0)
    assert read == ["paused", "resumed"]
    assert [event.kind for event in stored.events] == read


def test_a_round_robin_keeps_enough_bots(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, bots=2)
    said = refused(retire, store, "main", "bot-0")
    assert "main could not go on" in said
    assert "main could not go on" in refused(pause, store, "main", "bot-0")
    assert kinds(store) == []


def test_a_full_disk_is_not_the_fault_of_a_league_that_tracks_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_league(tmp_path).close()
    store = open_league(tmp_path, LADDER + '[[bots]]\ntrack = "tests/bot-0"\nlabel = "tracked"\n', name="two")
    version = submitted(store, "bot-0", simple(9))

    def full(*_: object, **__: object) -> str:
        raise StoreFull("the disk is full", "make room")

    monkeypatch.setattr(entering, "enter", full)
    with pytest.raises(StoreFull):
        entering.enter_tracking(store, version)


def test_an_author_does_not_end_a_pause_of_the_organiser(store: Store) -> None:
    pause(store, "main", "bot-1", why="it spams")
    version = submitted(store, "bot-1", simple(5))
    assert "paused in main by the organiser: it spams" in refused(entering.enter, store, "main", version)
    resume(store, "main", "bot-1")
    assert "replaces bot-1" in entering.enter(store, "main", version)


def test_a_standing_ladder_keeps_its_secret(store: Store) -> None:
    play(store, until=16)
    assert "arena league season main" in refused(reveal, store, "main")


def test_a_secret_is_not_published_while_the_league_goes_on(tmp_path: Path) -> None:
    store = open_league(tmp_path, LADDER + "[stop]\nmatches = 20\n")
    play(store, until=16)
    with holding(store.path, "serves leagues"):
        assert "isn't finished" in refused(reveal, store, "main")
        play(store)
        assert len(reveal(store, "main")) == 64, "a finished one can"
