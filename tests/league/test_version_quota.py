"""How many versions an author may enter in a day, and have in a league at the same time."""

from pathlib import Path

import pytest
from msgspec import convert, to_builtins

from arena.core.errors import ArenaError, BadFile, UsageError
from arena.league.changes.entries import Add, Pause, Replace, Retire
from arena.league.changes.submitted_versions import Submit, check_entering, enter, enter_tracking
from arena.league.definition.read import read_plan
from arena.submissions.entering import Submission
from arena.submissions.entering import enter as enter_version
from arena.submissions.manifest import bundled_bot
from results.records import VersionRecord
from results.store import Store, open_store
from results.store.verification.verify import verify
from tests.support.leagues import arena_here, simple, write_bot
from tests.support.open_leagues import LADDER, open_league, submitted
from tests.support.submissions import take_in


class Clock:
    """A time of day that stands still until it is set."""

    def __init__(self, now: str) -> None:
        self.now = now

    def __call__(self) -> str:
        return self.now


CLOCK = "2026-03-01T{}.000Z"


def league(tmp_path: Path, quota: str) -> tuple[Store, Clock]:
    """Return the store of a ladder between two bots of the author "tests", and its clock."""
    open_league(tmp_path, f"{LADDER}[quota]\n{quota}\n", bots=2).close()
    clock = Clock(CLOCK.format("12:00:00"))
    return open_store(tmp_path / "arena.sqlite", now=clock), clock


def by_another(store: Store, name: str) -> VersionRecord:
    """Enter a version of a bot by another author into the store."""
    submitted(store, name, simple(1))
    manifest = store.path.parent / "new" / name / "bot.toml"
    manifest.write_text(manifest.read_text().replace('author = "tests"', 'author = "others"'))
    return submitted(store, name, simple(2))


def refused(change: object, *arguments: object, **more: object) -> str:
    """Return the words of a change that is refused, with its hint."""
    with pytest.raises(ArenaError) as caught:
        change(*arguments, **more)  # type: ignore[operator]
    return f"{caught.value}; {caught.value.hint}"


def test_versions_of_a_day_are_counted_by_author_until_midnight(tmp_path: Path) -> None:
    store, clock = league(tmp_path, "versions_per_day = 2")
    for number in range(4):
        submitted(store, f"new-{number}", simple(number))
    Add("main", "new-0").perform(store)
    submitted(store, "new-0", simple(9))
    Replace("main", "new-0").perform(store)
    said = refused(Add("main", "new-1").perform, store)
    assert "tests has entered 2 of 2 versions in main on 2026-03-01" in said
    assert "wait until 2026-03-02, 00:00 UTC" in said
    submitted(store, "bot-0", simple(7))
    assert "2 of 2 versions" in refused(Replace("main", "bot-0").perform, store)
    Add("main", by_another(store, "theirs").reference).perform(store)
    clock.now = CLOCK.format("23:59:59")
    assert "2 of 2 versions" in refused(Add("main", "new-1").perform, store)
    clock.now = "2026-03-02T00:00:00.000Z"
    Add("main", "new-1").perform(store)
    assert len(store.leagues.events("main")) == 4, "what was refused is not recorded"


def test_a_version_replaces_all_entries_of_its_bot_or_none(tmp_path: Path) -> None:
    store, _ = league(tmp_path, "versions_per_day = 3")
    first = submitted(store, "twice", simple(1))
    Add("main", first.reference).perform(store)
    Add("main", first.reference, args=("--other",)).perform(store)
    second = submitted(store, "twice", simple(2))
    said = refused(enter, store, "main", second)
    assert "2 of 3 versions in main on 2026-03-01, and this would be 2 more" in said
    assert len(store.leagues.events("main")) == 2


def test_active_versions_of_an_author(tmp_path: Path) -> None:
    store, _ = league(tmp_path, "active_versions = 3")
    for number in range(2):
        submitted(store, f"new-{number}", simple(number))
    Add("main", "new-0").perform(store)
    Pause("main", "bot-0").perform(store)
    said = refused(Add("main", "new-1").perform, store)
    assert "tests has 3 of 3 bots in main: bot-0, bot-1, new-0" in said
    assert "paused ones too" in said
    assert "arena league retire main bot-0" in said
    theirs = by_another(store, "theirs")
    Add("main", theirs.reference).perform(store)
    submitted(store, "bot-1", simple(8))
    Replace("main", "bot-1").perform(store)
    assert "3 of 3 bots" in refused(Replace("main", "theirs", "new-1").perform, store), (
        "one more of this author"
    )
    Retire("main", "bot-0").perform(store)
    Add("main", "new-1").perform(store)


def test_all_limits_that_are_reached_are_named(tmp_path: Path) -> None:
    store, _ = league(tmp_path, "versions_per_day = 1\nactive_versions = 3")
    for number in range(2):
        submitted(store, f"new-{number}", simple(number))
    Add("main", "new-0").perform(store)
    said = refused(Add("main", "new-1").perform, store)
    assert "1 of 1 versions in main on 2026-03-01" in said
    assert "; and tests has 3 of 3 bots in main" in said
    assert "wait until 2026-03-02, 00:00 UTC; and retire one first" in said


def test_a_bot_that_a_quota_refuses_is_not_checked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league(tmp_path, "active_versions = 2")[0].close()
    write_bot(tmp_path, "new", simple(1), game="bread-basket")
    monkeypatch.setattr("arena.checking.whole_and_short_check.submission_check", None)
    done = arena_here("submit", "new", "--enter", "main", "--sandbox", "off", cwd=tmp_path)
    assert (done.returncode, "tests has 2 of 2 bots in main" in done.stderr) == (2, True), done.stderr


def test_a_tracked_bot_replaces_all_its_entries_in_a_league_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracked = '[[bots]]\ntrack = "tests/bot-0"\nlabel = "{0}"\nargs = ["{0}"]\n'
    open_league(tmp_path).close()
    for name in ("two", "three"):
        store = open_league(tmp_path, LADDER + tracked.format("a") + tracked.format("b"), bots=2, name=name)
    version = submitted(store, "bot-0", simple(9))
    replacements = []

    perform = Replace.perform

    def failing(change: Replace, store: Store) -> str:
        replacements.append(change.league)
        if replacements.count("two") == 2 and change.league == "two":
            raise UsageError("not this one")
        return perform(change, store)

    monkeypatch.setattr(Replace, "perform", failing)
    with store.together():
        words = enter_tracking(store, version)
    assert words[0] == "not entered in two: not this one"
    assert store.leagues.events("two") == []
    assert len(store.entries.all("two")) == 4
    assert len(store.leagues.events("three")) == 3
    assert verify(store) == []


def test_a_league_file_may_have_more_bots_of_an_author_than_may_join(tmp_path: Path) -> None:
    store, _ = league(tmp_path, "active_versions = 1")
    submitted(store, "bot-0", simple(8))
    Replace("main", "bot-0").perform(store)
    submitted(store, "new", simple(1))
    assert "2 of 1 bots" in refused(Add("main", "new").perform, store)


@pytest.mark.parametrize("kind", ["swiss", "elimination"])
@pytest.mark.parametrize(
    "line", ["cpu_s_per_day = 9.5", "author_games_per_day = 5", "versions_per_day = 5", "active_versions = 2"]
)
def test_a_quota_where_the_field_is_fixed_is_refused(tmp_path: Path, kind: str, line: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_league(tmp_path, f'[schedule]\nkind = "{kind}"\n[quota]\n{line}\n')
    key = line.partition(" ")[0]
    assert f"main.toml:15: quota.{key}: the field of the schedule {kind!r} is fixed" in str(caught.value)
    assert "ladder" in (caught.value.hint or "")
    assert not (tmp_path / "arena.sqlite").exists()


@pytest.mark.parametrize("value", ["-1", "0", '"many"', "1e300", "nan", "inf", "true", "[5]"])
@pytest.mark.parametrize(
    "key",
    ["cpu_s_per_day", "games_per_day", "author_cpu_s_per_day", "author_games_per_day", "versions_per_day"],
)
def test_numbers_that_are_no_quota(tmp_path: Path, key: str, value: str) -> None:
    file = tmp_path / "main.toml"
    file.write_text(f'name = "main"\ngame = "bread-basket"\n[quota]\n{key} = {value}\n[[bots]]\npath = "x"\n')
    with pytest.raises(BadFile, match=f"main.toml:4: quota.{key}"):
        read_plan(file)


def test_whoever_enters_bots_among_others_has_three_by_default(tmp_path: Path) -> None:
    """Not an author alone, nor an organiser; and the league's file decides otherwise."""
    open_league(tmp_path, bots=2).close()
    store = open_store(tmp_path / "arena.sqlite")
    new = [submitted(store, f"new-{number}", simple(number)) for number in range(4)]
    enter(store, "main", new[0])
    assert "tests has 3 of 3 bots in main" in refused(
        check_entering, store, "main", "tests", "new-1", new[1], by="account"
    )
    assert "tests has 3 of 3 bots in main" in refused(enter, store, "main", new[1], by="account")
    enter(store, "main", new[1])
    enter(store, "main", by_another(store, "theirs"))
    said = refused(enter, store, "main", new[2])
    assert "tests has 4 of 3 bots in main" in said
    assert "3 by default for bots that authors enter" in said
    assert said.endswith("or an organiser adds it: arena league add main BOT")
    enter(store, "main", submitted(store, "bot-0", simple(7)))
    Add("main", new[2].reference).perform(store)
    own = bundled_bot("bots/any_game/random")
    assert own is not None
    enter(store, "main", enter_version(store, take_in(own, store)))
    open_league(tmp_path, f"{LADDER}[quota]\nactive_versions = 4\n", bots=2, name="wide").close()
    for version in new[:2]:
        enter(store, "wide", version, by="account")
    said = refused(enter, store, "wide", new[2], by="account")
    assert "tests has 4 of 4 bots in wide" in said
    assert "by default" not in said


def test_an_upload_says_that_it_is_one() -> None:
    submission = Submission("ab" * 32, {}, deterministic=True)
    assert not Submit.of(submission, ("main",)).of_account
    assert convert(to_builtins(Submit.of(submission, ("main",), of_account=True)), Submit).of_account
