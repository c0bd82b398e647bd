"""Webhooks: what is told of a league and to whom, once, and how members set them up."""

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from arena_webhooks import WEBHOOKS, tables
from arena_webhooks.mailing import Mailing
from arena_webhooks.news import Given, body
from arena_webhooks.sending import Outcome, Sender
from arena_webhooks.tables import EVENTS, MOST_PER_HOUR, MOST_TESTS

from arena.web.live.site import Site
from arena.web.site_file.accounts import Role, close_account, invite
from results.records import EntrySpec, LeagueRecord, VersionSpec
from results.records.roster import PAUSED
from results.store import Store
from tests.plugins.webhooks.https_server import NAME, https
from tests.support.ledgers import RULES, new_store, planned, played
from tests.support.waiting import eventually
from tests.support.web.visitors import HERE, browser, form_id, member

ADDRESS = "https://hooks.example/services/T000/very-secret-token"
AUTHORS = {"alpha": "ann", "beta": "bo", "gamma": "cy"}
LEADS = (5, 1)


class Post(Sender):
    """Takes messages, and answers as it is told."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.answer = Outcome("sent", "delivered")

    def post(self, address: str, body: bytes) -> Outcome:
        """Keep a message."""
        self.sent.append((address, json.loads(body)["content"]))
        return self.answer


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as found:
        yield found


def with_webhooks(store: Path) -> Site:
    """Return a site that has webhooks, though nothing of them begins with it."""
    found = Site.of(store)
    found.file.extend(WEBHOOKS.name, WEBHOOKS.tables)
    found.extensions = (WEBHOOKS,)
    return found


@pytest.fixture
def site(store: Store) -> Iterator[Site]:
    found = with_webhooks(store.path)
    yield found
    found.close()


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def mailing(site: Site, post: Post) -> Iterator[Mailing]:
    found = Mailing(site.file, site.stores.borrowed, "https://arena.example", post)
    yield found
    found.close()


def league_of(store: Store, name: str = "spring") -> LeagueRecord:
    """Make a league of three bots, each of an author of its own."""
    specs = [
        VersionSpec(author, bot, f"{ord(bot[0]):x}".ljust(64, "0"), {"name": bot}, {})
        for bot, author in AUTHORS.items()
    ]
    entries = [EntrySpec(version.bot, version.id) for version in store.versions.add_all(specs)]
    return store.leagues.create(name, config={"game": "bread-basket"}, ruleset=RULES, entries=entries)


def play(store: Store, league: LeagueRecord, *results: tuple[Sequence[int], Sequence[int]]) -> None:
    """Play matches: who sits there, and the points."""
    first = store.leagues.progress(league.uuid).matches_planned
    matches = [planned(league, first + at, entries) for at, (entries, _) in enumerate(results)]
    store.matches.plan(league.uuid, matches)
    store.append([played(one, 0, points) for one, (_, points) in zip(matches, results, strict=True)])


def rounds(order: Sequence[int], times: int) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Return matches in which the first beats the others, and the second the third."""
    pairs = [(order[0], order[1]), (order[0], order[2]), (order[1], order[2])]
    return [(pair, LEADS) for pair in pairs * times]


def subscribe(site: Site, account: str, role: Role = "author", events: Sequence[str] = tuple(EVENTS)) -> int:
    """Give an account a webhook; return its number."""
    with site.file.writing() as db:
        invite(db, account, role, "a test", site.file.now())
        chosen = [one for one in EVENTS if one in events]
        return tables.add(db, account, f"{ADDRESS}/{account}", "hooks.example", chosen, site.file.now())


def told(site: Site, account: str) -> list[str]:
    """Return the kinds of the messages to an account, the oldest first."""
    with site.file.reading() as db:
        return [one.kind for one in reversed(tables.messages_of(db, account, 1_000))]


def bodies(site: Site) -> list[tuple[str, str]]:
    """Return to whom which messages wait."""
    with site.file.reading() as db:
        rows = db.execute("SELECT account, body FROM x_webhooks_messages ORDER BY number").fetchall()
    return [(row["account"], json.loads(row["body"])["content"]) for row in rows]


def test_news_follow_from_the_ledger_and_are_told_once(store: Store, site: Site, post: Post) -> None:
    league = league_of(store)
    for account in ("ann", "bo", "dan"):
        subscribe(site, account)
    subscribe(site, "eve", "organiser")
    play(store, league, *rounds((0, 1, 2), 8))

    def looked() -> None:
        """Look as a server does that has just been started."""
        again = Mailing(site.file, site.stores.borrowed, "https://arena.example", post)
        again.look()
        again.close()

    looked()
    assert not bodies(site)  # nobody hears of what was there before
    play(store, league, *rounds((1, 0, 2), 40))
    for _ in range(3):
        looked()
    link = "\nhttps://arena.example/leagues/spring"
    leader = f"`beta` is the new leader of `spring`, after `alpha`.{link}"
    overtaken = f"`alpha` has place 2 in `spring`, after 1: overtaken by `beta`.{link}"
    assert sorted(bodies(site)) == [
        ("ann", overtaken),
        ("ann", leader),
        ("bo", leader),
        ("eve", leader),
    ]
    store.leagues.add_event(league.uuid, 144, PAUSED, {"entry": 2, "by": "faults", "why": "it crashes"})
    store.leagues.set_state(league.uuid, "finished")
    for _ in range(2):
        looked()
    assert told(site, "ann")[2:] == ["finished"]
    assert told(site, "eve")[1:] == ["finished", "paused"]
    assert ("eve", f"`gamma` is paused in `spring`: `it crashes`.{link}") in bodies(site)
    assert ("bo", f"`spring` is finished. First: `beta`.{link}") in bodies(site)
    assert not told(site, "dan")  # has no bot there


def test_who_chose_less_hears_less_and_who_has_left_hears_nothing(
    store: Store, site: Site, mailing: Mailing
) -> None:
    league = league_of(store)
    subscribe(site, "ann", events=["leader"])
    subscribe(site, "bo")
    play(store, league, *rounds((0, 1, 2), 8))
    mailing.look()
    with site.file.writing() as db:
        close_account(db, "bo", site.file.now())
    play(store, league, *rounds((1, 0, 2), 40))
    mailing.look()
    assert told(site, "ann") == ["leader"]
    assert not told(site, "bo")
    with site.file.reading() as db:
        assert not tables.of_account(db, "bo")


def test_what_happens_while_nobody_listens_is_never_told(store: Store, site: Site, mailing: Mailing) -> None:
    league = league_of(store)
    number = subscribe(site, "ann")
    play(store, league, *rounds((0, 1, 2), 8))
    mailing.look()
    with site.file.writing() as db:
        tables.remove(db, "ann", number)
    mailing.look()
    play(store, league, *rounds((1, 0, 2), 40))
    subscribe(site, "ann")
    mailing.look()
    assert not told(site, "ann")


def test_a_server_without_a_store_still_sends(tmp_path: Path, post: Post) -> None:
    site = with_webhooks(tmp_path / "arena.sqlite")
    subscribe(site, "ann")
    with site.file.writing() as db:
        tables.send(db, tables.of_account(db, "ann")[0], tables.TEST, body((Given("a"),)), site.file.now())
    mailing = Mailing(site.file, site.stores.borrowed, "", post)
    mailing.begin()
    eventually(lambda: len(post.sent) == 1 and not mailing._busy)
    mailing.close()
    site.close()
    assert not mailing._told


def test_a_message_has_no_mention_link_or_markup_of_others() -> None:
    hostile = (
        "`@everyone` <!channel> [free](https://evil.example) www.evil.example & <b>\u202e\n**x**" + "W" * 64
    )
    sent = json.loads(body((Given(hostile), " leads."), "https://arena.example/leagues/a"))
    assert sent["allowed_mentions"] == {"parse": []}
    text = sent["content"]
    assert text.endswith(" leads.\nhttps://arena.example/leagues/a")
    code = text.removesuffix(" leads.\nhttps://arena.example/leagues/a")
    assert code[0] == code[-1] == "`"
    assert not set(code[1:-1]) & set("`\u202e\n")
    assert len(code) < 70
    assert "https://" not in code
    assert "www." not in code
    assert not set(sent["text"]) & set("<>")
    assert "&lt;!channel&gt;" in sent["text"]
    assert set(sent) == {"content", "text", "allowed_mentions"}
    assert json.loads(body((Given("```"), "."), ""))["content"] == "`ˋˋˋ`."
    assert json.loads(body((Given("\u200b"), "."), ""))["content"] == "`�`."


def test_a_message_is_tried_again_later_and_not_for_ever(site: Site, post: Post, mailing: Mailing) -> None:
    number = subscribe(site, "ann")
    clock = ["2026-01-31T12:00:00Z"]
    site.file.now = lambda: clock[0]
    post.answer = Outcome("later", "it answered 503")
    with site.file.writing() as db:
        mine = tables.of_account(db, "ann")[0]
        assert tables.send(db, mine, "leader", body((Given("a"),)), clock[0])
    waits = []
    for time in ("12:00", "12:00", "12:01", "12:05", "12:06", "12:31", "14:36", "23:59"):
        clock[0] = f"2026-01-31T{time}:30Z"
        before = len(post.sent)
        mailing.send_due()
        eventually(lambda: not mailing._busy)
        waits.append(len(post.sent) - before)
    assert waits == [1, 0, 1, 0, 1, 1, 1, 0]
    with site.file.reading() as db:
        message = tables.messages_of(db, "ann", 1)[0]
    assert (message.webhook, message.state, message.attempts, message.words) == (
        number,
        "failed",
        5,
        "it answered 503",
    )


def test_a_webhook_that_never_works_is_given_up(site: Site, post: Post, mailing: Mailing) -> None:
    subscribe(site, "ann")
    post.answer = Outcome("refused", "it answered 404")
    for _ in range(tables.MOST_FAILURES + 2):
        with site.file.writing() as db:
            mine = tables.of_account(db, "ann")[0]
            tables.send(db, mine, "leader", body((Given("a"),)), site.file.now())
        mailing.send_due()
        eventually(lambda: not mailing._busy)
    assert len(post.sent) == tables.MOST_FAILURES
    with site.file.reading() as db:
        assert tables.of_account(db, "ann")[0].ended_at
        assert not tables.listening(db)


def test_what_a_killed_server_was_sending_is_not_sent_again(site: Site, post: Post, mailing: Mailing) -> None:
    subscribe(site, "ann")
    with site.file.writing() as db:
        mine = tables.of_account(db, "ann")[0]
        tables.send(db, mine, "leader", body((Given("a"),)), site.file.now())
        tables.send(db, mine, "finished", body((Given("b"),)), site.file.now())
        assert tables.claim(db, (), site.file.now())  # and then it is killed
    mailing.begin()
    eventually(lambda: len(post.sent) == 1 and not mailing._busy)
    mailing.close()
    assert [text for _, text in post.sent] == ["`b`"]
    with site.file.reading() as db:
        assert [one.state for one in tables.messages_of(db, "ann", 9)] == ["sent", "failed"]


def test_an_account_gets_a_bounded_number_of_messages(site: Site) -> None:
    subscribe(site, "ann")
    subscribe(site, "bo")
    with site.file.writing() as db:
        ann, bo = (tables.of_account(db, name)[0] for name in ("ann", "bo"))
        now = "2026-01-31T12:00:00Z"
        tests = [tables.send(db, ann, tables.TEST, "{}", now) for _ in range(MOST_TESTS + 2)]
        assert tests == [True] * MOST_TESTS + [False] * 2
        more = [tables.send(db, ann, "leader", "{}", now) for _ in range(MOST_PER_HOUR)]
        assert sum(more) == MOST_PER_HOUR - MOST_TESTS
        assert tables.send(db, bo, "leader", "{}", now)
        assert tables.remove(db, "ann", ann.number)
        tables.add(db, "ann", ADDRESS, "hooks.example", ["leader"], now)
        assert not tables.send(db, tables.of_account(db, "ann")[0], tables.TEST, "{}", now)
        assert tables.send(db, tables.of_account(db, "ann")[0], "leader", "{}", "2026-01-31T13:00:01Z")


def test_a_member_adds_tries_and_removes_a_webhook_and_its_address_is_never_shown(
    site: Site, post: Post, mailing: Mailing, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client, csrf = member(site, "ann")
    page = client.get("/account/webhooks").text
    fields = {"csrf": csrf, "form_id": form_id(page), "address": ADDRESS, "leader": "1", "paused": "1"}
    for _ in range(2):
        assert client.post("/account/webhooks", data=fields, headers=HERE).status_code == 303
    with site.file.reading() as db:
        (mine,) = tables.of_account(db, "ann")
    assert mine.events == ("leader", "paused")
    here = f"/account/webhooks/{mine.number}"
    for _ in range(MOST_TESTS):
        assert client.post(f"{here}/test", data={"csrf": csrf}, headers=HERE).status_code == 303
    answer = client.post(f"{here}/test", data={"csrf": csrf}, headers=HERE)
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "3600"
    mailing.send_due()
    eventually(lambda: not mailing._busy)
    assert set(post.sent) == {(ADDRESS, "A test message for `ann`: this webhook works.")}
    page = client.get("/account/webhooks").text
    assert "hooks.example" in page
    assert "delivered" in page
    other, other_csrf = member(site, "bo")
    for action in ("test", "remove"):
        answer = other.post(f"{here}/{action}", data={"csrf": other_csrf}, headers=HERE)
        assert answer.status_code == 404
    organiser, _ = member(site, "eve", "organiser")
    shown = [page, client.get("/account").text, organiser.get("/organiser/audit").text, caplog.text]
    assert client.post(f"{here}/remove", data={"csrf": csrf}, headers=HERE).status_code == 303
    assert client.post(f"{here}/remove", data={"csrf": csrf}, headers=HERE).status_code == 404
    shown += [client.get("/account/webhooks").text, organiser.get("/organiser/audit").text]
    assert not any("very-secret" in text for text in shown)
    assert "added webhook 1 to hooks.example" in shown[-1]
    assert b"very-secret" not in b"".join(
        one.read_bytes() for one in site.file.path.parent.glob("*.site.sqlite")
    )


@pytest.mark.parametrize(
    ("address", "events", "words"),
    [
        ("http://hooks.example/very-secret", {"leader": "1"}, "A webhook needs an https address"),
        ("https://127.0.0.1/very-secret", {"leader": "1"}, "A webhook needs an https address"),
        (ADDRESS, {}, "Nothing is chosen"),
        ("", {"leader": "1"}, "A webhook needs an https address"),
    ],
)
def test_a_refused_form_says_why_without_the_address(
    site: Site, address: str, events: dict[str, str], words: str
) -> None:
    client, csrf = member(site, "ann")
    fields = {
        "csrf": csrf,
        "form_id": form_id(client.get("/account/webhooks").text),
        "address": address,
        **events,
    }
    answer = client.post("/account/webhooks", data=fields, headers=HERE)
    assert answer.status_code == 400
    assert words in answer.text
    assert "very-secret" not in answer.text
    assert "checked" not in answer.text.partition('name="finished"')[2].partition(">")[0]


def test_webhooks_need_an_account_and_a_form_of_this_site(site: Site) -> None:
    assert browser(site).get("/account/webhooks").status_code == 303
    assert browser(site).post("/account/webhooks", data={}, headers=HERE).status_code == 303
    client, csrf = member(site, "ann")
    fields = {"csrf": "0" * 64, "address": ADDRESS, "leader": "1"}
    assert client.post("/account/webhooks", data=fields, headers=HERE).status_code == 403
    for _ in range(tables.MOST):
        subscribe(site, "ann")
    page = client.get("/account/webhooks").text
    assert "Add a webhook" not in page
    fields = {
        "csrf": csrf,
        "form_id": form_id(client.get("/account").text),
        "address": ADDRESS,
        "leader": "1",
    }
    answer = client.post("/account/webhooks", data=fields, headers=HERE)
    assert (answer.status_code, "remove one first" in answer.text) == (
        400,
        True,
    )


@pytest.mark.slow
def test_a_message_goes_from_the_ledger_over_the_network(store: Store, site: Site, tmp_path: Path) -> None:
    """With a real server and a real certificate, from a league that ends to what the channel gets."""
    league = league_of(store)
    with https(tmp_path) as server:
        with site.file.writing() as db:
            invite(db, "ann", "author", "a test", site.file.now())
            tables.add(db, "ann", f"https://{NAME}/secret", NAME, ["finished"], site.file.now())
        mailing = Mailing(site.file, site.stores.borrowed, "", server.sender())
        play(store, league, *rounds((0, 1, 2), 8))
        mailing.look()
        store.leagues.set_state(league.uuid, "finished")
        mailing.begin()
        eventually(lambda: bool(server.heard))
        mailing.close()
    message = json.loads(server.heard[0].partition(b"\r\n\r\n")[2])
    assert message["content"] == message["text"] == "`spring` is finished. First: `alpha`."
