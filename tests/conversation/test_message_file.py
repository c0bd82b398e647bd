"""Questions from the lines of a file: read in every form, put to a bot, and compared with a search."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.conversation.bot_replay import steps_of
from arena.conversation.message_file import searches, told_in
from arena.conversation.narration import Conversation
from arena.conversation.rebuild import conversation
from arena.core.errors import BadFile, UnknownName
from arena.players.base import Reply
from arena.registry import game
from tests.support.games import DICEY
from tests.support.leagues import arena_here, simple, unguarded, write_bot
from tests.support.recording import Recording, play, stored

BASKET = "bread-basket"


@pytest.fixture(scope="module")
def told() -> Conversation:
    """Return what seat 1 of a short game was sent, and answered."""
    return conversation(stored(play(game(BASKET), "tens", [Recording(seat, 5) for seat in range(2)])), 1)


def lines_of(told: Conversation) -> list[dict[str, Any]]:
    return [json.loads(line) for _, line in told.lines()]


def text_of(lines: list[Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def forms(told: Conversation) -> Iterator[str]:
    """Yield the same game as bots get it, as the protocol's transcripts have it, and as `arena trace` prints it."""
    yield text_of(lines_of(told))
    pairs = [(speaker, json.loads(line)) for speaker, line in told.lines()]
    other = {"seat": 0, "arena": {**lines_of(told)[0], "seat": 0}}
    mine = [{"seat": 1, speaker: message} for speaker, message in pairs]
    yield text_of([{"protocol": 1, "about": "a game"}, mine[0], other, *mine[1:]])
    yield text_of(
        [{"seat": 1, "speaker": speaker, "text": json.dumps(message)} for speaker, message in pairs]
    )


def test_every_form_of_a_line_gives_the_same_questions(told: Conversation) -> None:
    for text in forms(told):
        found = told_in(text, "game.jsonl", 1, game).conversation
        assert (found.seat, found.start) == (1, told.start)
        assert [(one.ask, one.answer) for one in found.questions] == [
            (one.ask, one.answer) for one in told.questions
        ]
        for question in found.questions:
            rules = game(BASKET)
            assert rules.view(question.state, 1) == question.ask.view
            legal = rules.turn(question.state)[0].legal or ()  # type: ignore[index]  # of a question
            assert [rules.format_move(move) for move in legal] == question.ask.legal


def test_without_answers_and_at_the_first_start_it_is_the_last_game_of_the_first_seat(
    told: Conversation,
) -> None:
    lines = [line for line in lines_of(told) if line["type"] in ("start", "ask")]
    found = told_in("\n" + text_of([*lines, *lines[:4]]), "x", None, game).conversation
    assert [question.answer for question in found.questions] == [None] * 3
    assert found.seat == 1


def broken(told: Conversation, number: int, **changes: Any) -> str:
    """Return the lines with one of its asks changed."""
    lines = [line for line in lines_of(told) if line["type"] in ("start", "ask")]
    lines[number] = {key: value for key, value in {**lines[number], **changes}.items() if value is not ...}
    return text_of(lines)


@pytest.mark.parametrize(
    ("number", "changes", "said"),
    [
        (1, {"view": ...}, "x:2: not a message of the arena: Object missing required field `view`"),
        (1, {"id": "one"}, "x:2: not a message of the arena: Expected `int`, got `str` - at `$.id`"),
        (2, {"view": {"line": []}}, "x:3: `view` and `events` are not those of a game of bread-basket: no "),
        (2, {"events": []}, "x:3: `view` and `events` are not those of a game of bread-basket: "),
        (0, {"type": "ready"}, "x has no start"),
        (
            0,
            {"options": {"chefs": "many"}},
            "x:2: `view` and `events` are not those of a game of bread-basket: ",
        ),
        (1, {"type": 7}, "x:2: not a message: it has no `type`"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_field(
    told: Conversation, number: int, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadFile) as refused:
        told_in(broken(told, number, **changes), "x", None, game)
    assert str(refused.value).startswith(said), refused.value
    assert refused.value.hint


@pytest.mark.parametrize(
    ("text", "seat", "said"),
    [
        ("", None, "x has no start"),
        ('{"type":"hello","protocols":[1]}\n', None, "x has no start"),
        ("{", None, "x:1: not JSON: "),
        ("7\n", None, "x:1: not a message: it has no `type`"),
        ('\n{"type":"quit"}\n{"type":"a","type":"b"}', None, "x:3: "),
    ],
)
def test_a_file_without_a_question_is_refused(text: str, seat: int | None, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        told_in(text, "x", seat, game)
    assert str(refused.value).startswith(said), refused.value
    assert refused.value.hint


def test_a_seat_that_was_sent_nothing_and_an_unknown_game_are_named(told: Conversation) -> None:
    with pytest.raises(BadFile, match="x has no start to seat 0"):
        told_in(broken(told, 1), "x", 0, game)
    with pytest.raises(UnknownName, match="there is no game 'nim'"):
        told_in(broken(told, 0, game="nim"), "x", None, game)


class Answers:
    """A bot that answers with these moves."""

    def __init__(self, *moves: Any) -> None:
        self.moves = list(moves)

    def start(self, told: Conversation) -> None:
        """Get ready."""

    def ask(self, question: Any, clock: Any) -> Reply:  # noqa: ARG002 - it knows what to say
        return Reply(self.moves.pop(0), "", 0, 0)

    def end(self, told: Conversation) -> None:
        """Hear of the end."""


def test_moves_of_a_game_that_cannot_guess_are_compared_with_the_legal_ones(told: Conversation) -> None:
    start, _, ask, *_ = lines_of(told)
    start |= {"game": "dicey", "options": {}, "seats": 2}
    ask |= {"view": {"sums": [0, 3]}, "legal": [{"type": "pass", "dice": 0}, {"type": "pass", "dice": 1}]}
    found = told_in(text_of([start, ask, {**ask, "id": 9}]), "x", None, lambda _: DICEY)
    assert [question.state for question in found.conversation.questions] == [None, None]
    bot: Any = Answers({"dice": 1, "type": "pass"}, {"dice": 2, "type": "pass"})
    faults = [step.fault for _, step in steps_of(bot, DICEY, found.conversation)]
    assert faults == ["", "illegal: it isn't one of `legal`"]


def test_a_search_knows_all_events_so_far_and_says_how_far_moves_are_behind(told: Conversation) -> None:
    found = told_in(text_of(lines_of(told)), "x", None, game)
    answer = searches(found.game, found.conversation, 0.02)
    for question in found.conversation.questions[2:8:5]:
        moves = answer(question)
        legal = question.ask.legal
        assert isinstance(legal, list)
        assert {json.dumps(one.move) for one in moves} <= set(map(json.dumps, legal))
        assert moves[0].behind == 0
        assert moves[0].worlds == max(one.worlds for one in moves) > 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, told: Conversation) -> Path:
    folder = tmp_path_factory.mktemp("files")
    lines = [line for line in lines_of(told) if line["type"] in ("start", "ask")]
    (folder / "asked.jsonl").write_text(text_of(lines[:4]))
    (folder / "bad.jsonl").write_text("7\n")
    write_bot(folder, "last", simple(-1))
    return folder


def step(*words: str, cwd: Path) -> Any:
    with unguarded():
        return arena_here("step", *words, "--sandbox", "off", cwd=cwd)


def test_the_command_shows_the_answer_of_a_bot_and_of_the_search(place: Path, told: Conversation) -> None:
    done = step("asked.jsonl", "--as", "last", "--search", "0.01", cwd=place)
    assert done.returncode == 0, done.stderr
    head, *rest = done.stdout.splitlines()
    assert head == "asked.jsonl, seat 1, answered by last"
    assert rest[-1] == "3 answers"
    assert sum(line.startswith("    search: {") for line in rest) == 3
    legal = told.questions[0].ask.legal
    assert isinstance(legal, list)
    assert json.loads(rest[1].removeprefix("    answer: ")) == legal[-1]
    assert all(
        " worse, in " in line or "the same" in line for line in rest if line.startswith(" " * 12 + "answer")
    )


def test_the_command_prints_both_as_json(place: Path) -> None:
    done = step("asked.jsonl", "--as", "last", "--search", "0.01", "--from", "2", "--json", cwd=place)
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert (found["decision"], found["stored"]) == (2, None)
    assert found["search"][0].keys() == {"move", "lead", "behind", "error", "worlds"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gone.jsonl",), "there is no file gone.jsonl"),
        (("bad.jsonl",), "bad.jsonl:1: not a message: it has no `type`"),
        (("asked.jsonl", "--bot", "last"), "asked.jsonl has no names of bots"),
        (("asked.jsonl", "--from", "9"), "asked.jsonl has no decision 9"),
    ],
)
def test_the_command_says_what_is_wrong(words: tuple[str, ...], said: str, place: Path) -> None:
    done = step(*words, "--as", "last", cwd=place)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
