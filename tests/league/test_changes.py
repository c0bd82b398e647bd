"""Changes of a league's field: what they write, from which match they hold, and what is refused."""

import shutil
from itertools import combinations
from pathlib import Path

import pytest

from arena.core.errors import ArenaError
from arena.league.changes import submitted_versions
from arena.league.changes.entries import Add, Bench, Pause, Replace, Resume, Retire
from arena.league.changes.whole_league import (
    Aim,
    Clone,
    Delete,
    Extend,
    Rename,
    Reveal,
    Season,
    next_season,
    possible,
)
from arena.league.definition.stored import StoredDefinition, definition_of
from arena.league.export_and_import import create_from_events, exported, read_events
from arena.schedules import round_robin
from arena.submissions.entering import enter
from arena.submissions.manifest import bundled_bot
from results.base.errors import StoreFull, UnknownLeague
from results.records import LeagueEvent
from results.records.roster import ADDED, BENCHED, RETIRED
from results.reports.rankings import ranking_rows
from results.store import Store, holding, open_store
from results.store.verification.verify import verify
from tests.support.leagues import simple, write_bot
from tests.support.open_leagues import (
    LADDER,
    ROUNDS,
    digests,
    field_of,
    open_league,
    planned,
    play,
    submitted,
)
from tests.support.submissions import take_in


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
    except ArenaError as error:
        return f"{error}; {error.hint}"
    raise AssertionError("it was not refused")


def kinds(store: Store, name: str = "main") -> list[tuple[str, int]]:
    return [(event.kind, event.at_match_no) for event in store.leagues.events(name)]


def test_a_bot_joins_at_the_first_match_that_is_not_planned(begun: Store) -> None:
    at = planned(begun)
    version = submitted(begun, "late", simple(9))
    assert Add("main", "late").perform(begun) == f"late ({version.reference}) joins main at match {at}"
    assert kinds(begun) == [(ADDED, at)]
    play(begun, until=at + 16)
    assert "late" not in field_of(begun, "main", 0, at)
    assert "late" in field_of(begun, "main", at)


def test_a_new_version_takes_over_with_the_rating_of_the_old_one(begun: Store) -> None:
    at = planned(begun)
    version = submitted(begun, "bot-0", simple(5))
    said = Replace("main", "bot-0").perform(begun)
    assert said == f"bot-0@{version.number} ({version.reference}) replaces bot-0 in main at match {at}"
    shown = {row.label: row for row in ranking_rows(begun, begun.leagues.get("main"))}
    left, taken = shown["bot-0"], shown[f"bot-0@{version.number}"]
    assert None not in (taken.mu, taken.sigma, left.sigma)
    assert taken.mu == left.mu, "before it has its rating, the rankings show what it will start with"
    assert (left.sigma or 0) < (taken.sigma or 0) < begun.leagues.get("main").scale.start.sigma
    play(begun, until=at + 16)
    new = begun.entries.find("main", f"bot-0@{version.number}")
    old = begun.entries.find("main", "tests/bot-0@1")
    assert new.predecessor == old.entry_no
    inherited = begun.ratings.after("main", at - 1)[old.entry_no]
    start = begun.leagues.get("main").scale.start
    assert new.prior is not None
    assert new.prior.mu == inherited.mu
    assert inherited.sigma < new.prior.sigma < start.sigma
    assert "bot-0" not in field_of(begun, "main", at)
    assert new.label in field_of(begun, "main", at)
    standing = {row.label: row for row in begun.ratings.standings("main")}
    assert standing["bot-0"].retired
    assert standing["bot-0"].matches > 0, "old games and ratings stay"


def test_who_retires_stays_in_the_table(begun: Store) -> None:
    at = planned(begun)
    before = {row.label: row for row in begun.ratings.standings("main")}["bot-2"]
    Retire("main", "bot-2").perform(begun)
    play(begun, until=at + 16)
    after = {row.label: row for row in begun.ratings.standings("main")}["bot-2"]
    assert after.retired
    assert "bot-2" not in field_of(begun, "main", at)
    assert after.matches >= before.matches


def test_a_pause_ends_with_resume(store: Store) -> None:
    Pause("main", "bot-0", why="its author asked").perform(store)
    play(store, until=16)
    at = planned(store)
    assert "bot-0" not in field_of(store, "main", 0, at)
    assert store.entries.roster("main").paused[0].why == "its author asked"
    Resume("main", "bot-0").perform(store)
    play(store, until=at + 16)
    assert "bot-0" in field_of(store, "main", at)


def test_a_paused_league_plays_what_is_planned_and_waits(begun: Store) -> None:
    Pause("main").perform(begun)
    at = planned(begun)
    run = play(begun)
    assert (planned(begun), run.waits) == (at, "paused: no reason given")
    assert begun.matches.open("main") == []
    Resume("main").perform(begun)
    play(begun, until=at + 16)
    assert planned(begun) > at


def test_a_benched_bot_is_forgiven(store: Store) -> None:
    store.leagues.add_event("main", 0, BENCHED, {"entry_no": 3, "why": "thought on others' time in 3 games"})
    play(store, until=16)
    at = planned(store)
    assert "bot-3" not in field_of(store, "main", 0, at), "nobody waits for a bot that is not started"
    assert Resume("main", "bot-3").perform(store) == f"bot-3 is no longer benched in main from match {at} on"
    play(store, until=at + 16)
    assert "bot-3" in field_of(store, "main", at)


def test_a_bot_is_benched_by_the_organiser_until_resumed(begun: Store) -> None:
    at = planned(begun)
    said = Bench("main", "bot-3", "it shares its log").perform(begun)
    assert said == f"bot-3 is benched in main: it gets no matches from match {at} on"
    assert (
        begun.entries.roster("main").benched[3].by_organiser == "benched by the organiser: it shares its log"
    )
    assert "benched already" in refused(Bench("main", "bot-3").perform, begun)
    version = submitted(begun, "bot-3", simple(5))
    assert "benched by the organiser: it shares its log" in refused(
        submitted_versions.enter, begun, "main", version
    )
    Clone("main", "next").perform(begun)
    assert [entry.label for entry in begun.entries.all("next")] == ["bot-0", "bot-1", "bot-2"]
    play(begun, until=at + 16)
    assert "bot-3" not in field_of(begun, "main", at)
    Resume("main", "bot-3").perform(begun)
    at = planned(begun)
    play(begun, until=at + 16)
    assert "bot-3" in field_of(begun, "main", at)


def test_names_change_and_leagues_go(begun: Store) -> None:
    Rename("main", "spring").perform(begun)
    assert "'spring'" in refused(Rename("spring", "spring").perform, begun)
    assert begun.leagues.get("spring").state == "stopped"
    with begun.leagues.playing(begun.leagues.get("spring").uuid):
        assert "spring is being played" in refused(Delete("spring").perform, begun)
    games = begun.leagues.progress("spring").games_done
    assert Delete("spring").perform(begun) == f"spring is deleted, with {games} game{'s' * (games != 1)}"
    with pytest.raises(UnknownLeague):
        begun.leagues.get("spring")
    assert verify(begun) == []
    assert begun.versions.find("tests/bot-0").number == 1, "bots stay"


def test_a_ladder_gets_another_aim_also_a_bot_that_joined_later(begun: Store) -> None:
    at = planned(begun)
    assert Aim("main", "top:2").perform(begun) == f"the aim of main is top:2 from match {at} on; it was order"
    assert "is top:2 already" in refused(Aim("main", "top:2").perform, begun)
    assert "leaves nobody out" in refused(Aim("main", "top:4").perform, begun)
    assert "no bot labelled 'late'" in refused(Aim("main", "bot:late").perform, begun)
    submitted(begun, "late", simple(9))
    Add("main", "late").perform(begun)
    play(begun, until=at + 16)
    assert "is bot:late from match" in Aim("main", "bot:late").perform(begun)
    play(begun, until=at + 32)
    assert definition_of(begun, begun.leagues.get("main")).schedule_settings.aim == "bot:late"
    Clone("main", "copy").perform(begun)
    assert begun.leagues.get("copy").config["schedule"]["aim"] == "bot:late"
    Retire("main", "late").perform(begun)
    play(begun, until=at + 48)
    assert "already" in refused(Aim("main", "bot:late").perform, begun)
    Clone("main", "without").perform(begun)
    assert "aim" not in begun.leagues.get("without").config["schedule"], "nobody is left to aim at"


def test_only_ladders_have_an_aim(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, bots=3)
    assert "only ladders choose what to find out first" in refused(Aim("main", "top:2").perform, store)


def test_a_reference_bot_that_is_in_the_store_is_known_by_its_name(store: Store) -> None:
    own = bundled_bot("bots/any_game/random")
    assert own is not None
    enter(store, take_in(own, store))
    assert "random (arena/random@1) joins main" in Add("main", "arena/random").perform(store)


def test_a_bot_that_is_in_already_is_told_how_it_plays_again(store: Store) -> None:
    Bench("main", "bot-1").perform(store)
    told = refused(Add("main", "bot-1").perform, store)
    assert "as 'bot-1', and benched" in told
    assert "arena league resume main bot-1" in told
    Pause("main", "bot-2").perform(store)
    assert "and paused; let it play again: arena league resume" in refused(
        Add("main", "bot-2").perform, store
    )


def test_a_version_plays_once_with_the_same_arguments(store: Store) -> None:
    """What replaces a bot is no version that plays beside it; with other arguments, its label has the number."""
    older, newer = submitted(store, "bot-1", simple(4)), submitted(store, "bot-1", simple(5))
    Add("main", newer.reference).perform(store)
    told = refused(Replace("main", "bot-1", newer.reference).perform, store)
    assert "tests/bot-1@3 plays in main already, as 'bot-1@3'" in told
    assert "other arguments" in told
    assert submitted_versions.enter(store, "main", newer) == "tests/bot-1@3 plays in main already"
    Add("main", older.reference, args=("-v",)).perform(store)
    said = Replace("main", "bot-1 -v", newer.reference).perform(store)
    assert said.startswith("bot-1 -v@3 (tests/bot-1@3) replaces bot-1 -v ")
    newest = submitted(store, "bot-1", simple(6))
    submitted_versions.check_entering(store, "main", "tests", "bot-1", newest)
    said = submitted_versions.enter(store, "main", newest)
    assert said.count("replaces") == 2, "the newest entry with each arguments"
    assert "bot-1@4 (tests/bot-1@4) replaces bot-1@3 " in said
    assert "bot-1 -v@4 (tests/bot-1@4) replaces bot-1 -v@3 " in said
    Retire("main", "bot-1@4").perform(store)
    said = Replace("main", "bot-1", newest.reference).perform(store)
    assert said.startswith("tests/bot-1@4 (tests/bot-1@4) replaces bot-1 "), "not `bot-1 2`"


def test_what_is_refused(store: Store) -> None:
    submitted(store, "other-game", simple(0), game="sandwich")
    assert "plays in main already, as 'bot-0'" in refused(Add("main", "bot-0").perform, store)
    assert "does not play bread-basket" in refused(Add("main", "other-game").perform, store)
    assert "bot-0, bot-1" in refused(Replace("main", "bot-9").perform, store), "the hint lists the entries"
    assert "the newest version" in refused(Replace("main", "bot-0").perform, store)
    assert "nobody" in refused(Add("main", "nobody").perform, store)
    assert "summer" in refused(Add("summer", "bot-0").perform, store)
    assert "is not paused" in refused(Resume("main", "bot-0").perform, store)
    assert "no budget of matches" in refused(Extend("main", matches=5).perform, store)
    assert "nothing to extend" in refused(Extend("main").perform, store)
    assert possible(store, "main").extendable == (), "a ladder without a budget"
    copied = enter(store, take_in(write_bot(store.path.parent, "unchecked", simple(3)), store))
    assert "has not been checked in bread-basket" in refused(Add("main", copied.reference).perform, store)
    Retire("main", "bot-0").perform(store)
    submitted(store, "bot-0", simple(7))
    for change in (Retire, Replace, Pause):
        assert "retired from main at match 0" in refused(change("main", "bot-0").perform, store)
    assert kinds(store) == [(RETIRED, 0)], "nothing half done"


@pytest.mark.parametrize("kind", ["swiss", "elimination"])
def test_a_field_that_cannot_change(tmp_path: Path, kind: str) -> None:
    store = open_league(tmp_path, f'[schedule]\nkind = "{kind}"\n')
    submitted(store, "late", simple(9))
    for said in (refused(Add("main", "late").perform, store), refused(Bench("main", "bot-0").perform, store)):
        assert f"its bots are fixed, as its schedule is {kind}" in said
        assert "arena league clone main NEW" in said


def test_a_copy_has_the_bots_that_still_play(begun: Store) -> None:
    store = begun
    play(store, until=32)
    Retire("main", "bot-3").perform(store)
    Clone("main", "again", seed=8, inherit=True).perform(store)
    copy = store.leagues.get("again")
    entries = store.entries.all("again")
    assert [entry.label for entry in entries] == ["bot-0", "bot-1", "bot-2"]
    assert all(entry.prior is not None for entry in entries)
    assert copy.ruleset == store.leagues.get("main").ruleset
    assert copy.commitment != store.leagues.get("main").commitment
    play(store, "again", until=16)
    assert "'again'" in refused(Clone("main", "again").perform, store)


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
    Extend("main", matches=9).perform(cut)
    play(cut)
    played = [[sorted(match.entries) for match in store.matches.all("main")] for store in (whole, cut)]
    assert len(played[0]) == rounds * tables
    assert played[0] == played[1]


@pytest.mark.slow
def test_a_round_robin_changes_between_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_robin, "BLOCK_MATCHES", 8)
    store = open_league(tmp_path, ROUNDS.replace("3", "5"), bots=3)
    play(store, until=1)
    assert planned(store) == 4, "then starts are looked at"
    submitted(store, "late", simple(9))
    assert Add("main", "late").perform(store).endswith("joins main at match 6"), (
        "each round has three matches"
    )
    assert Retire("main", "bot-0").perform(store).endswith("retires from main at match 6")
    run = play(store)
    assert store.leagues.get("main").state == "finished", run.waits
    assert planned(store) == 15
    assert field_of(store, "main", 3, 6) == {"bot-0", "bot-1", "bot-2"}, "the round that had begun"
    assert field_of(store, "main", 6) == {"bot-1", "bot-2", "late"}
    submitted(store, "too-late", simple(8))
    assert "is finished" in refused(Add("main", "too-late").perform, store)
    short = open_league(tmp_path / "short", ROUNDS.replace("3", "2"), bots=3)
    play(short, until=1)
    assert "is in its last round" in refused(Retire("main", "bot-0").perform, short)


@pytest.mark.slow
def test_a_finished_league_goes_on_when_it_is_extended(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, bots=3)
    play(store)
    assert "is finished" in refused(Add("main", "bot-0").perform, store)
    assert Extend("main", rounds=2).perform(store) == "main is extended: rounds = 5"
    play(store)
    assert planned(store) == 15
    ladder = open_league(tmp_path / "other", LADDER + "[stop]\nmatches = 20\n")
    play(ladder)
    assert planned(ladder) == 20
    assert possible(ladder, "main").extendable == ("matches",)
    Extend("main", matches=8).perform(ladder)
    play(ladder)
    assert planned(ladder) == 28
    assert ladder.leagues.get("main").state == "finished"
    play(ladder)
    ends = [event.data["why"] for event in ladder.leagues.events("main") if event.kind == "ended"]
    assert ends == ["its budget of 20 matches is spent", "its budget of 28 matches is spent"]


def test_a_season_ends_with_a_final_and_the_next_begins_from_its_ratings(begun: Store) -> None:
    at = planned(begun)
    assert "then main-2 begins" in Season("main", matches=6).perform(begun)
    submitted(begun, "late", simple(9))
    assert "its field is frozen" in refused(Add("main", "late").perform, begun)
    assert "its field is frozen" in refused(Season("main").perform, begun)
    assert next_season(begun, begun.leagues.get("main")) is None, "not before its end"
    run = play(begun)
    assert begun.leagues.get("main").state == "finished", run.waits
    final = begun.matches.all("main", first=at)
    assert all(sum(number in match.entries for match in final) >= 6 for number in range(4))
    following = next_season(begun, begun.leagues.get("main"))
    assert following is not None
    assert following.name == "main-2"
    begun.leagues.rename(following.uuid, "autumn")
    assert "join the next season, autumn" in refused(Add("main", "late").perform, begun)
    begun.leagues.reveal("main")
    assert "join the next season, autumn" in refused(Add("main", "late").perform, begun)
    begun.leagues.rename(following.uuid, "main-2")
    assert all(entry.prior is not None for entry in begun.entries.all("main-2"))
    assert following.commitment != begun.leagues.get("main").commitment, "other deals"
    assert next_season(begun, begun.leagues.get("main")) is None, "once"
    begun.leagues.delete(following.uuid)
    assert "arena league clone main NEW" in refused(Season("main").perform, begun)


def test_a_final_without_enough_bots_ends_because_nobody_can_join_it(tmp_path: Path) -> None:
    store = open_league(tmp_path, bots=3)
    play(store, until=16)
    for bot in ("bot-0", "bot-1"):
        Retire("main", bot).perform(store)
    Season("main", matches=5).perform(store)
    run = play(store)
    assert (store.leagues.get("main").state, run.waits) == ("finished", "")


def test_a_league_extended_while_its_last_matches_are_played_goes_on(tmp_path: Path) -> None:
    store = open_league(tmp_path, LADDER + "[stop]\nmatches = 20\n")
    extended: list[str] = []

    def take_up() -> None:
        if planned(store) == 20 and not extended and store.leagues.progress("main").matches_counted >= 16:
            extended.append(Extend("main", matches=8).perform(store))

    play(store, take_up=take_up)
    assert planned(store) == 28


def test_a_replayed_season_has_no_next_one(begun: Store, tmp_path: Path) -> None:
    Season("main", matches=2).perform(begun)
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
        Retire("main", bot).perform(store)
    run = play(store)
    assert (planned(store), run.waits) == (
        at,
        "1 bot can play, and a table needs 2",
    )
    submitted(store, "late", simple(9))
    Add("main", "late").perform(store)
    play(store)
    assert (planned(store), store.leagues.get("main").state) == (24, "finished")
    assert field_of(store, "main", at) == {"bot-2", "late"}


def test_a_ladder_without_bots_waits_for_them_and_is_replayed_alike(tmp_path: Path) -> None:
    for kind in (ROUNDS, LADDER + "[stop]\nmatches = 9\n"):
        assert "the league has no bots" in refused(open_league, tmp_path, kind, bots=0)
    assert "cannot fill a table of 2" in refused(open_league, tmp_path, ROUNDS, bots=1)
    store = open_league(tmp_path, bots=0)
    assert play(store).waits == "no bot can play, and a table needs 2"
    assert store.ratings.standings("main") == []
    for number in range(2):
        submitted(store, f"late-{number}", simple(number))
        Add("main", f"late-{number}").perform(store)
        assert bool(play(store, until=8).waits) == (number == 0)
    assert field_of(store, "main", 0) == {"late-0", "late-1"}
    Season("main", matches=2).perform(store)
    play(store)
    Reveal("main").perform(store)
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
    assert "it forfeits its matches" in Bench("main", "bot-3").perform(store)
    play(store)
    tables = [tuple(sorted(match.entries)) for match in store.matches.all("main")]
    assert tables == [*combinations(range(4), 2)] * 2
    games = store.games.all("main")
    forfeits = {
        (seat.verdict, seat.detail) for game in games for seat in game.seats if game.match_no >= benched_at
    } - {(None, "")}
    assert forfeits == {("startup", "benched by the organiser; it was not started")}
    path = tmp_path / "events.jsonl"
    Reveal("main").perform(store)
    path.write_bytes(b"".join(exported(store, store.leagues.get("main"))))
    create_from_events(store, *read_events(path), "again")
    play(store, "again")
    assert digests(store, "again") == digests(store, "main")


def test_a_league_whose_bots_have_lost_their_files_is_not_copied(tmp_path: Path) -> None:
    store = open_league(tmp_path)
    version = store.versions.find("bot-1")
    (store.files / "versions" / version.sha256).rename(tmp_path / "elsewhere")
    assert "the files of tests/bot-1@1 are missing" in refused(Clone("main", "again").perform, store)
    assert [league.name for league in store.leagues.all()] == ["main"]
    Retire("main", "bot-1").perform(store)
    play(store, until=8)
    Clone("main", "again").perform(store)


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

    Pause("main", "bot-1").perform(store)
    monkeypatch.setattr(store.leagues, "events", counted)
    stored.at(0)
    with monkeypatch.context() as uncounted:
        uncounted.setattr(store.leagues, "events", every)
        Resume("main", "bot-1").perform(store)
    stored.at(0)
    stored.at(0)
    assert read == ["paused", "resumed"]
    assert [event.kind for event in stored.events] == read


def test_a_round_robin_keeps_enough_bots(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, bots=2)
    said = refused(Retire("main", "bot-0").perform, store)
    assert "main could not continue" in said
    assert "main could not continue" in refused(Pause("main", "bot-0").perform, store)
    assert kinds(store) == []


def test_a_full_disk_is_not_the_fault_of_a_league_that_tracks_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_league(tmp_path).close()
    store = open_league(tmp_path, LADDER + '[[bots]]\ntrack = "tests/bot-0"\nlabel = "tracked"\n', name="two")
    version = submitted(store, "bot-0", simple(9))

    def full(*_: object, **__: object) -> str:
        raise StoreFull("the disk is full", "make room")

    monkeypatch.setattr(submitted_versions, "enter", full)
    with pytest.raises(StoreFull):
        submitted_versions.enter_tracking(store, version)


def test_an_author_does_not_end_a_pause_of_the_organiser(store: Store) -> None:
    Pause("main", "bot-1", why="it spams").perform(store)
    version = submitted(store, "bot-1", simple(5))
    assert "paused in main by the organiser: it spams" in refused(
        submitted_versions.enter, store, "main", version
    )
    Resume("main", "bot-1").perform(store)
    assert "replaces bot-1" in submitted_versions.enter(store, "main", version)


def test_a_standing_ladder_keeps_its_secret(store: Store) -> None:
    play(store, until=16)
    assert "arena league season main" in refused(Reveal("main").perform, store)


def test_a_secret_is_not_published_while_the_league_goes_on(tmp_path: Path) -> None:
    store = open_league(tmp_path, LADDER + "[stop]\nmatches = 20\n")
    play(store, until=16)
    with holding(store.path, "serves leagues"):
        assert "isn't finished" in refused(Reveal("main").perform, store)
        play(store)
        assert len(Reveal("main").perform(store)) == 64, "a finished one can"
