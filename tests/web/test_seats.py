"""What a table tells the person and spectators, and which answers it takes, without a server or a process."""

import json
import os
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json as codec

from arena import registry
from arena.core.move_words import Choice, Group, told
from arena.core.replay import steps
from arena.players.base import Fault, Player, Reply
from arena.players.person import Person
from arena.referee.referee import Referee
from arena.web.play_tables.process_messages import (
    Answer,
    AnswerRefused,
    Asked,
    Filling,
    FromTable,
    Leave,
    Public,
    Setup,
    ToTable,
    raw,
)
from arena.web.play_tables.table import NotAsked, Owner, Table
from arena.web.play_tables.table_process import PipeIO
from arena.web.play_tables.tables import TableLimits, Tables, TooManyTables
from arena.web.site_file.site_database import SiteFile
from arena.web.viewer.document import marked
from protocol.messages import Ask
from results.base.children import Pipe
from tests.support.tables import PATIENT, Recorder, body_of, play, reply, ticket
from tests.support.waiting import eventually

GAMES: dict[str, tuple[int, dict[str, object]]] = {
    "bread-basket": (3, {"hands": 1}),
    "bread-and-chocolate": (2, {"hands": 1}),
    "sandwich": (4, {"rounds": 1, "open": True, "tasting": "free", "trading": True}),
}
SEAT = 1
MARIA = Owner("account maria", "maria")


def a_setup(game: str = "bread-basket", seats: int = 3) -> Setup:
    return Setup(
        "", game, "", (), seats, SEAT, ("bots/any_game/random",) * (seats - 1), "maria", 300, 600, ""
    )


class Browser:
    """Passes a person's game through a `Table` and answers as a page would, with the first move of each question."""

    def __init__(self, game: str, seats: int) -> None:
        self.table = Table("t", MARIA, a_setup(game, seats), "")
        self.answers: queue.SimpleQueue[ToTable] = queue.SimpleQueue()
        self.seat: list[dict[str, Any]] = []
        self.public: list[dict[str, Any]] = []

    def heard(self, message: FromTable) -> None:
        self.table.heard(codec.decode(codec.encode(message), type=FromTable))
        news = json.loads(self.table.news(-1, 0) or b"")
        self.seat.append(news)
        self.public.append(json.loads(self.table.public_news(-1, 0) or b""))
        question = news["question"]
        if question and news["phase"] == "asking" and not news["answered"]:
            self.answers.put(self.answer(question))

    def answer(self, question: dict[str, Any]) -> Answer:
        if question["groups"]:
            return Answer(question["number"], choice=0)
        form = question["form"]
        used: set[str] = set()
        slots = []
        for at, slot in enumerate(form["slots"]):
            free = [
                item["key"]
                for item in form["items"]
                if item["slot"] in (None, at) and item["key"] not in used
            ][: slot["most"]]
            used.update(free)
            slots.append(tuple(free))
        return Answer(question["number"], filled=Filling(tuple(slots)))


PUBLIC = {
    *("number", "phase", "game", "ruleset", "names", "person", "result", "stored", "match", "failed", "live"),
    *("view", "told", "told_from", "events"),
}
"""What spectators are sent; `view`, `told` and `events` are the only parts that come from the game."""


@pytest.mark.parametrize("name", GAMES)
def test_the_browser_gets_what_a_bot_gets_and_spectators_the_public_view(name: str) -> None:
    seats, options = GAMES[name]
    game = registry.game(name)
    given = ticket(game, seats, options=options)
    names = [f"p{seat}" for seat in range(seats)]
    browser = Browser(name, seats)
    face = PipeIO(game, names, browser.heard, browser.answers, until_s=1e12)
    moves: list[Any] = []

    class Noted(Person):
        def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:
            answer = super().ask(message, limit_ns)
            assert isinstance(answer, Reply), answer
            moves.append(answer.move)
            return answer

    def table(person: Player) -> list[Player]:
        return [person if seat == SEAT else Recorder() for seat in range(seats)]

    record = play(game, table(Noted(face)), Referee(PATIENT, watched=face.watched), given)
    bot = Recorder(lambda _ask, number: reply(moves[number]))
    play(game, table(bot), given=given)

    def sent(key: str) -> list[Any]:
        """Return what the seat was sent under a key, without repetitions."""
        found = [news[key] for news in browser.seat if news[key] is not None]
        return [one for at, one in enumerate(found) if at == 0 or found[at - 1] != one]

    def wire(message: Any) -> Any:
        return json.loads(codec.encode(message))

    assert sent("start") == [wire(bot.started)]
    assert sent("ask") == [wire(ask) for ask in bot.asks] != []
    assert sent("end") == [wire(bot.ended)]
    for news in browser.seat:
        if (question := news["question"]) and question["groups"]:
            offered = [choice["move"] for group in question["groups"] for choice in group["choices"]]
            assert all(move in offered for move in news["ask"]["legal"])
            assert len(offered) == len(news["ask"]["legal"])

    played = list(steps(game, body_of(record)))
    views = [wire(game.view(step.after, None)) for step in played]
    shown = [news["view"] for news in browser.public if news["view"] is not None]
    assert [view for at, view in enumerate(shown) if at == 0 or shown[at - 1] != view] == [
        view for at, view in enumerate(views) if at == 0 or views[at - 1] != view
    ]
    events = [event.seen_by(None) for step in played for event in step.events]
    sentences = [told(game, event, marked(names), in_words=True) for event in events]
    assert browser.public[-1]["told"] == [line for line in sentences if line]
    assert {key for news in browser.public for key in news} == PUBLIC
    drawn = [event for event in events if event["kind"] in game.info.drawn_events]
    assert bool(drawn) == bool(game.info.drawn_events)
    seen = [event for news in browser.public for event in news["events"]]
    assert all(wire(event) in seen for event in drawn)


def asked_table(game: str = "bread-basket") -> tuple[Table, int]:
    """Return a table whose person has been asked question 3, and the reading end of its pipe."""
    reading, writing = os.pipe()
    table = Table("t", MARIA, a_setup(game), "", pipe=Pipe(-1, writing, FromTable))
    group = Group("Play", (Choice("a", "", {"type": "play"}),))
    table.heard(Asked(raw({"id": 3}), 3, ("something happens",), (group,), None, (), 60.0))
    return table, reading


def lines_in(reading: int) -> list[dict[str, Any]]:
    os.set_blocking(reading, False)
    try:
        return [json.loads(line) for line in os.read(reading, 65_536).splitlines()]
    except BlockingIOError:
        return []


def test_a_question_is_answered_once_and_only_while_it_is_open() -> None:
    table, reading = asked_table()
    for wrong in (2, 4, 10**9):
        with pytest.raises(NotAsked):
            table.answer(Answer(wrong, choice=0))
    for _ in range(3):  # clicks, and an answer that is sent again because the reply was lost
        table.answer(Answer(3, choice=0))
    assert [line["ask"] for line in lines_in(reading)] == [3]
    table.heard(AnswerRefused(3, "not legal"))
    table.answer(Answer(3, choice=0))
    assert len(lines_in(reading)) == 1
    table.heard(Public(raw({}), ()))
    with pytest.raises(NotAsked):
        table.answer(Answer(3, choice=0))
    table.leave("resigned")
    table.leave("resigned")
    assert lines_in(reading) == [{"type": "leave", "why": "resigned"}]
    table.gone("it broke off")
    with pytest.raises(NotAsked):
        table.answer(Answer(3, choice=0))


def test_news_come_once_each_and_whole_after_a_reload() -> None:
    table, _ = asked_table()
    first = json.loads(table.news(-1, 0) or b"")
    assert first["told"] == ["something happens"]
    assert table.news(first["number"], 1) is None
    table.heard(AnswerRefused(3, "not legal"))
    later = json.loads(table.news(first["number"], 1) or b"")
    assert (later["told"], later["told_from"], later["refused"]) == ([], 1, "not legal")
    table.answer(Answer(3, choice=0))
    table.heard(AnswerRefused(3, "not legal"))
    same = json.loads(table.news(later["number"], 1) or b"")
    assert (same["refused"], same["refusals"] - later["refusals"]) == ("not legal", 1)
    again = json.loads(table.news(-1, 0) or b"")
    assert again["told"] == ["something happens"]
    assert json.loads(table.news(10**9, 10**9) or b"")["told"] == [], "forged numbers get nothing else"


def test_who_leaves_or_is_too_slow_forfeits_at_their_next_question() -> None:
    game = registry.game("bread-basket")
    for until_s, leaves, verdict, detail in (
        (1e12, True, "resigned", "left the table"),
        (0.0, False, "resigned", "the time for the whole game is up"),
    ):
        answers: queue.SimpleQueue[ToTable] = queue.SimpleQueue()
        face = PipeIO(game, ["p0", "p1"], lambda _message: None, answers, until_s)
        if leaves:
            answers.put(Leave("left the table"))
        record = play(game, [Person(face), Recorder()], given=ticket(game, 2, options={"hands": 1}))
        assert (record.seats[0].verdict, record.seats[0].detail) == (verdict, detail)


def test_answers_that_name_no_move_are_asked_again_in_words() -> None:
    browser = Browser("sandwich", 4)
    game = registry.game("sandwich")
    refused: list[str] = []
    wrong = [
        Answer(1, choice=10**9),
        Answer(1),
        Answer(1, typed="[" * 2_000),
        Answer(1, filled=Filling((("0", "0"),))),
        Answer(1, filled=Filling((("nonsense",),))),
        Answer(1, filled=Filling(())),
        Answer(7, choice=0),  # another question: not even refused
    ]

    def heard(message: FromTable) -> None:
        if isinstance(message, AnswerRefused):
            refused.append(message.why)
        if isinstance(message, Asked | AnswerRefused):
            browser.answers.put(wrong.pop(0) if wrong else Leave("enough"))
            if wrong and wrong[0].ask == 7:
                browser.answers.put(wrong.pop(0))

    face = PipeIO(game, ["a", "b", "c", "d"], heard, browser.answers, 1e12)
    play(
        game, [Person(face), Recorder(), Recorder(), Recorder()], given=ticket(game, 4, options={"rounds": 1})
    )
    assert len(refused) == 6
    assert all(refused), refused


@pytest.fixture
def sleepers(tmp_path: Path) -> Iterator[Tables]:
    tables = Tables(
        tmp_path / "arena.sqlite",
        SiteFile(tmp_path / "arena.site.sqlite"),
        TableLimits(at_once=5, of_guests=3),
        program=("sh", "-c", "cat >/dev/null"),
    )
    yield tables
    tables.close()


def test_a_hundred_starts_at_once_open_no_more_tables_than_allowed(sleepers: Tables) -> None:
    refused: list[str] = []

    def start(number: int) -> None:
        owner = (
            Owner(f"guest {number}", "guest", True) if number % 2 else Owner(f"account {number // 50}", "ann")
        )
        try:
            sleepers.open(owner, a_setup())
        except TooManyTables as error:
            refused.append(str(error))

    threads = [threading.Thread(target=start, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    live = [table for table in sleepers.all() if table.is_live]
    assert 4 <= len(live) <= 5
    assert len(live) + len(refused) == 100
    assert sum(table.owner.is_guest for table in live) <= 3
    one = live[0]
    same = sleepers.open(MARIA, a_setup(), "form") if len(live) < 5 else one
    assert sleepers.find(same.id) is same
    sleepers.close()
    assert eventually(lambda: all(table.ended_s is not None for table in sleepers.all()))
    assert {table.failed for table in sleepers.all()} == {"The server was stopped."}


def test_the_same_form_opens_one_table(sleepers: Tables) -> None:
    table = sleepers.open(MARIA, a_setup(), "form 1")
    assert sleepers.open(MARIA, a_setup(), "form 1") is table
    assert sleepers.open(Owner("account ann", "ann"), a_setup(), "form 1") is not table
    assert sleepers.open(MARIA, a_setup(), "form 2") is not table
    with pytest.raises(TooManyTables, match="2 tables already"):
        sleepers.open(MARIA, a_setup(), "form 3")
