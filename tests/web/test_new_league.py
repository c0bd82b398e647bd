"""Creating a league in the browser: fields and text of its file, bots to pick, a preview, a draft."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from arena.core.errors import ArenaError, UsageError
from arena.league.changes.entries import Add
from arena.submissions.manifest import bundled_bot
from arena.web.live.site import Site
from arena.web.organising.league_file_text import (
    LeagueDraft,
    UnwritableValue,
    checked,
    read_draft,
    tables,
    value_of,
    with_bots,
    with_keys,
)
from arena.web.organising.league_questions import TEMPLATES, kind_of, kinds
from arena.web.play_tables.setup import bots_to_enter
from arena.web.site_file import pending_commands
from results.base.errors import LedgerError
from results.store import Store, open_store
from tests.support.open_leagues import open_league
from tests.support.web.copied_site import copied_site
from tests.support.web.visitors import HERE, form_id, member

FILE = (
    'name = "a"  # its name\ngame = "bread-basket"\n\n[clock]\nmove_ms = 100\n\n[[bots]]\nversion = "a/b"\n'
)


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path) as found:
        yield found


@pytest.fixture
def organiser(site: Site) -> tuple[TestClient, str]:
    return member(site, "olga", "organiser")


def key(path: str):  # type: ignore[no-untyped-def]
    return next(one for table in tables() for one in table.keys if one.path == path)


def test_fields_write_into_the_text_and_leave_the_rest() -> None:
    values = {"clock.move_ms": "250", "clock.bank_ms": "5", "quota.games_per_day": "9"}
    text = with_keys(FILE, [(key(path), value) for path, value in values.items()])
    text = with_keys(text, [(key("ruleset"), value_of(key("ruleset"), "tens"))])
    text = with_bots(text, ["a/c"])
    file = read_draft(text)
    assert (file.clock.move_ms, file.clock.bank_ms, file.ruleset, file.quota.games_per_day) == (
        250,
        5,
        "tens",
        9,
    )
    assert [bot.version for bot in file.bots] == ["a/b", "a/c"]
    assert "# its name" in text
    told = FILE.replace("[[bots]]", "# who plays\n[[bots]]")
    assert with_keys(told, [(key("clock.bank_ms"), "5")]) == told.replace("100\n", "100\nbank_ms = 5\n")
    with pytest.raises(UnwritableValue, match="not a value in TOML"):
        value_of(key("clock.move_ms"), "many")
    assert with_keys(FILE.replace("100", '"""\nmove_ms = 3\n"""'), [(key("clock.move_ms"), "100")]) == FILE
    for text in ("clock = 3", "[[clock]]"):
        with pytest.raises(UnwritableValue, match=r"clock\.move_ms can't be set here"):
            with_keys(text, [(key("clock.move_ms"), "1")])
    assert value_of(key("name"), 'a "quoted" ü') == r'"a \"quoted\" ü"'


def test_every_key_of_a_league_file_has_a_field_with_its_meaning() -> None:
    keys = [one for table in tables() for one in table.keys]
    assert {"name", "schedule.kind", "rating.system", "clock.move_ms", "stop.until", "limits.memory_mib"} <= {
        one.path for one in keys
    }
    assert all(one.meaning for one in keys)


def test_bots_are_picked_from_those_that_play_the_game(organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    text = 'name = "open"\ngame = "bread-basket"\n'
    page = client.get("/organiser/new").text
    assert 'name="bot:bots/any_game/random"' in page
    assert 'name="bot:tests/pick0"' in page

    def sent(**more: str) -> tuple[int, str]:
        fields = {"csrf": csrf, "form_id": form_id(page), "text": text, "step": "write", **more}
        answer = client.post("/organiser/new", data=fields, headers=HERE)
        return answer.status_code, answer.text

    code, told = sent(**{"bot:bots/any_game/random": "yes", "bot:tests/pick0": "yes", "bots": "x/y"})
    assert code == 200
    for line in ('path = "bots/any_game/random"', 'version = "tests/pick0"', 'version = "x/y"'):
        assert line.replace('"', "&#34;") in told
    code, told = sent(**{"bot:bots/sandwich/greedy": "yes"})
    assert code == 400
    assert "bots/sandwich/greedy doesn&#39;t play bread-basket, but sandwich" in told
    for path in ("/etc", "bots/../arena", "../bots/any_game/random", "bots/any_game/random/"):
        assert sent(bots=path)[0] == 400, path
    assert sent(bots="tests/pick0", text="x" * 100_001)[0] == 400
    code, told = sent(text=".".join("a" * 20_000) + " = 1")
    assert (code, "parts" in told) == (400, True)


def test_a_bot_of_arena_joins_a_league_and_no_other_folder_does(tmp_path: Path) -> None:
    store = open_league(tmp_path)
    assert "random (arena/random@1) joins main" in Add("main", "bots/any_game/random").perform(store)
    for name in ("bots/any_game/random", "arena/random"):
        assert "plays in main already" in refused_words(store, name)
    before = len(store.versions.all())
    with pytest.raises(UsageError, match="bots/sandwich/greedy does not play bread-basket") as error:
        Add("main", "bots/sandwich/greedy").perform(store)
    assert error.value.hint == "choose a bot that plays bread-basket, such as bots/bread_basket/greedy"
    assert len(store.versions.all()) == before, "refused before a version is made"
    assert "arena/random" not in {one.name for one in bots_to_enter(store)}, "it is named by its path"
    (tmp_path / "bots" / "any_game").mkdir()
    (tmp_path / "bots" / "any_game" / "evil").symlink_to(tmp_path / "bots" / "bot-1")
    for path in (
        *("bots/any_game/evil", "bots/../tests", "/etc/passwd", str(tmp_path / "bots" / "bot-0")),
        *(
            "bots/any_game/random/",
            "bots/any_game/random\n",
            "bots/any_game/../any_game/random",
            "bots//random",
        ),
    ):
        assert bundled_bot(path) is None
        assert refused_words(store, path)


def refused_words(store: Store, bot: str) -> str:
    with pytest.raises((ArenaError, LedgerError)) as error, store.together():
        Add("main", bot).perform(store)
    return str(error.value)


def test_bots_that_come_with_arena_can_be_named() -> None:
    assert read_draft(FILE.replace('version = "a/b"', 'path = "bots/any_game/random"')).bots[0].path


@pytest.mark.parametrize(
    "line",
    [
        'path = "/etc"',
        'glob = "/home/*"',
        'path = "bots/../arena/web"',
        'path = "bots/any_game/none"',
        'glob = "bots/*/*"',
    ],
)
def test_folders_of_the_server_cant_be_named(line: str) -> None:
    with pytest.raises(
        UsageError, match=r"league\.toml:8: \[\[bots\]\] number 1, (path|glob): folders of the server"
    ):
        read_draft(FILE.replace('version = "a/b"', line))


def test_a_mistake_in_the_text_names_key_and_line_and_the_text_is_kept(
    organiser: tuple[TestClient, str],
) -> None:
    client, csrf = organiser
    text = FILE.replace("100", "-1")
    page = client.get("/organiser/new").text
    sent = {"csrf": csrf, "form_id": form_id(page), "text": text, "step": "create"}
    answer = client.post("/organiser/new", data=sent, headers=HERE)
    assert answer.status_code == 400
    assert "league.toml:5: clock.move_ms" in answer.text
    assert "move_ms = -1" in answer.text
    written = {**sent, "step": "write", "key:clock.move_ms": "7", "bots": "x/y"}
    page = client.post("/organiser/new", data=written, headers=HERE).text
    assert "move_ms = 7" in page
    assert "x/y" in page


def test_a_preview_creates_nothing_and_a_draft_is_created_once(
    site: Site, organiser: tuple[TestClient, str]
) -> None:
    from arena.league.inbox.new_league import NewEntry, NewLeague

    client, csrf = organiser
    with open_store(site.stores.path, readonly=True) as store:
        version = store.entries.all(store.leagues.get("unplayed").uuid)[0].version
        assert version is not None
    text = FILE.replace("a/b", "tests/pick0") + '[[bots]]\nversion = "tests/pick1"\n'
    import msgspec

    file = msgspec.json.decode(msgspec.json.encode(read_draft(text)))
    change = NewLeague(file, (NewEntry(version.sha256, ("bots", "0")),))
    sent = {"csrf": csrf, "form_id": form_id(client.get("/organiser/new").text), "text": text}
    threads = set()

    def noted_check(*_asked: object) -> LeagueDraft:
        threads.add(threading.current_thread().name.rpartition("_")[0])
        return LeagueDraft(("about 3 MB",), change)

    with patch("arena.web.routes.new_league.checked", noted_check):
        preview = client.post("/organiser/new", data={**sent, "step": "preview"}, headers=HERE)
        assert "about 3 MB" in preview.text
        with site.file.reading() as db:
            assert pending_commands.newest(db, 9) == []
        threads.clear()
        created = client.post("/organiser/new", data={**sent, "step": "create"}, headers=HERE)
    assert threads == {"routes"}, "what waits for the site's file holds up no page"
    with site.file.reading() as db:
        (command,) = pending_commands.newest(db, 9)
    assert command.kind == "create"
    assert created.status_code in (303, 400)  # one bot is too few for some rulesets; the words say so
    assert client.get("/organiser").status_code == 200  # it lists the command


def test_one_press_creates_a_league_of_the_answers_and_the_text(organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    fields = {
        "csrf": csrf,
        "form_id": str(uuid4()),
        "step": "create",
        "text": FILE,
        "key:name": "seen",
        "key:game": "bread-basket",
        "key:schedule.kind": "ladder",
        "bot:tests/pick0": "yes",
        "bots": "a/b",
    }
    with patch("arena.web.routes.new_league._created", return_value=str(uuid4())) as create:
        assert client.post("/organiser/new", data=fields, headers=HERE).status_code == 303
        file = read_draft(create.call_args.args[3])
        assert (file.name, [bot.version for bot in file.bots]) == ("seen", ["a/b", "tests/pick0"])
        assert file.schedule == {"kind": "ladder"}
        create.reset_mock()
        written = client.post("/organiser/new", data={**fields, "step": "write"}, headers=HERE).text
        told = re.findall(r"<li><code>(.*?)</code>", written)
        assert told == [
            "name = &#34;seen&#34;",
            "schedule.kind = &#34;ladder&#34;",
            "[[bots]] version = &#34;tests/pick0&#34;",
        ]
        for step in ("write", "create"):
            sent = {**fields, "step": step, "text": "game ="}
            broken = client.post("/organiser/new", data=sent, headers=HERE)
            assert broken.status_code == 400
            assert "league.toml:1" in broken.text
            assert 'value="seen"' in broken.text
        create.assert_not_called()


def test_a_look_says_what_the_answers_would_play_and_creates_nothing(
    organiser: tuple[TestClient, str],
) -> None:
    client, csrf = organiser
    bots = {f"bot:bots/bread_basket/{name}": "yes" for name in ("greedy",)}
    fields = {
        "csrf": csrf,
        "form_id": str(uuid4()),
        "step": "look",
        "text": "# mine\n",
        "key:name": "cup",
        "key:game": "bread-basket",
        "key:schedule.kind": "swiss",
        "key:seats": "2",
        **bots,
        "bot:bots/any_game/random": "yes",
        "bot:tests/pick0": "yes",
        "bot:tests/pick1": "yes",
    }
    with patch("arena.web.routes.new_league._created") as create:
        answer = client.post("/organiser/new", data=fields, headers=HERE)
        create.assert_not_called()
    shown = answer.text.partition('id="preview"')[2]
    assert "<li>4 bots at tables of 2</li>" in shown
    assert "<li>4 matches, " in shown
    assert "kind = &#34;swiss&#34;" in shown, "the file is shown"
    assert re.search(r"Everybody meets everybody[^<]*<[^>]*>For 4 bots: 6 matches", answer.text)
    assert ">\n# mine\n</textarea>" in answer.text, "what was typed stays as it was"
    assert 'name="bot:bots/sandwich/greedy"' not in answer.text, "it plays another game"
    other = client.post("/organiser/new", data={**fields, "key:game": "sandwich"}, headers=HERE).text
    assert 'name="bot:bots/sandwich/greedy"' in other


@pytest.mark.parametrize(("answer", "game"), [("sandwich", "bread-basket"), ("bread-basket", "bread-basket")])
def test_a_game_that_nobody_chose_leaves_that_of_the_text(
    organiser: tuple[TestClient, str], answer: str, game: str
) -> None:
    client, csrf = organiser
    fields = {
        "csrf": csrf,
        "form_id": str(uuid4()),
        "step": "create",
        "text": 'name = "cup"\ngame = "bread-basket"\nschedule = { kind = "ladder" }\n',
        "was:game": "sandwich",
        "was:schedule.kind": "swiss",
        "key:schedule.kind": "swiss",
        "key:game": answer,
        "bot:tests/pick0": "yes",
    }
    with patch("arena.web.routes.new_league._created", return_value=str(uuid4())) as create:
        assert client.post("/organiser/new", data=fields, headers=HERE).status_code == 303
        file = read_draft(create.call_args.args[3])
        assert (file.game, file.schedule) == (game, {"kind": "ladder"})
        chosen = {**fields, "was:game": "bread-basket", "key:game": "sandwich", "bot:tests/pick0": ""}
        client.post("/organiser/new", data=chosen, headers=HERE)
        assert read_draft(create.call_args.args[3]).game == "sandwich", "somebody chose it"


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ({"key:name": ""}, 'for="name"', "&#39;name&#39; is missing"),
        ({"bots": "/etc"}, "4. Which bots", "/etc is no bot that comes with Arena"),
        ({"key:seats": "many"}, 'for="seats"', "seats"),
    ],
)
def test_a_mistake_is_beside_its_question_and_answers_are_kept(
    organiser: tuple[TestClient, str], more: dict[str, str], field: str, words: str
) -> None:
    client, csrf = organiser
    fields = {
        "csrf": csrf,
        "form_id": str(uuid4()),
        "step": "create",
        "text": "",
        "key:name": "cup",
        "key:game": "sandwich",
        "key:schedule.kind": "gauntlet",
        "bot:bots/sandwich/greedy": "yes",
        **more,
    }
    answer = client.post("/organiser/new", data=fields, headers=HERE)
    assert answer.status_code == 400
    problem = answer.text.partition(field)[2].partition('<p class="problem" role="alert">')
    assert problem[1]
    assert words in problem[2].partition("</p>")[0]
    assert len(problem[0]) < 200, "it is at this question"
    assert 'value="gauntlet" checked' in answer.text
    assert 'name="bot:bots/sandwich/greedy" value="yes" checked' in answer.text


def test_templates_begin_with_answers_of_a_game(organiser: tuple[TestClient, str]) -> None:
    client, _ = organiser
    for one in TEMPLATES:
        page = client.get("/organiser/new", params={"template": one.name, "game": "sandwich"}).text
        assert f'value="{kind_of(one)}" checked' in page
        assert 'value="sandwich" checked' in page
        assert f'value="{one.name.replace(" ", "-")}"' in page
        assert "bots at tables of" in page, "it could be created at once"
    assert client.get("/organiser/new?template=%3Cx%3E&game=none").status_code == 200


def test_schedules_say_in_a_sentence_what_they_are() -> None:
    assert all(one.words.endswith(".") for one in kinds(""))


def test_a_bot_that_isnt_there_is_named_before_tables_that_it_would_not_fill(site: Site) -> None:
    draft = checked(site.stores.path, FILE.replace("a/b", "cleo/none"))
    assert draft.problem.startswith("league.toml:8: [[bots]] number 1, version: ")
    assert "cleo/none" in draft.problem
    assert "fill" not in draft.problem


@pytest.mark.slow
def test_a_league_file_is_checked_in_a_process_and_creates_a_league(
    site: Site, demo_store: Path, organiser: tuple[TestClient, str]
) -> None:
    client, csrf = organiser
    (site.stores.path.parent / "arena.files").symlink_to(demo_store.parent / "arena.files")
    bots = "".join(f'[[bots]]\nversion = "tests/pick{number}"\n' for number in range(2))
    text = f'name = "browser"\ngame = "bread-basket"\n{bots}'
    draft = checked(site.stores.path, text)
    assert draft.problem == ""
    assert any("bread-basket" in line for line in draft.lines)
    assert checked(site.stores.path, text.replace("pick1", "pick9")).problem.startswith(
        "league.toml:6: [[bots]]"
    )
    sent = {
        "csrf": csrf,
        "form_id": form_id(client.get("/organiser/new").text),
        "text": text,
        "step": "create",
    }
    first = client.post("/organiser/new", data=sent, headers=HERE)
    assert first.status_code == 303, first.text
    assert (
        client.post("/organiser/new", data=sent, headers=HERE).headers["location"]
        == first.headers["location"]
    )
    assert "created browser" in client.get(first.headers["location"]).text
    other = client.post("/organiser/new", data={**sent, "text": text.replace("browser", "x")}, headers=HERE)
    assert other.status_code == 409
    assert "name = &#34;x&#34;" in other.text
