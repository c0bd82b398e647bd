"""Messages laid out for people: escaped, bounded, moves numbered."""

from arena.cli.display.message_text import cut, decision_words, message_lines

ASK = {
    "type": "ask",
    "id": 20,
    "kind": "play",
    "view": {"hand": ["3", "4"], "table": "x" * 100},
    "events": [{"kind": "played", "card": "\x1b[31m"}],
    "time": {"move_ms": 1000, "bank_ms": 9000},
    "legal": [{"type": "play", "card": card} for card in range(50)],
}


def test_a_decision_has_one_name() -> None:
    assert decision_words(42, 20) == "decision 42 (ask 20)"
    assert decision_words(42) == "decision 42"


def test_long_lines_are_cut_to_the_width_and_say_how_much_is_left_out() -> None:
    for width in range(20, 60):
        line = cut("x" * 500, width)
        kept, _, left = line.partition("… +")
        assert len(line) <= width
        assert len(kept) + int(left) == 500
    assert cut("short", 20) == "short"
    assert cut("x" * 500, None) == "x" * 500


def test_a_question_is_a_page() -> None:
    lines = list(message_lines(ASK, width=60))
    assert max(map(len, lines)) <= 60
    assert '    hand: ["3", "4"]' in lines
    assert "legal: 50" in lines
    assert '   1. {"type": "play", "card": 0}' in lines
    assert '  40. {"type": "play", "card": 39}' in lines
    assert lines[-1] == "    … and 10 more"
    assert not any("\x1b" in line for line in lines)


def test_a_picture_takes_the_place_of_the_view() -> None:
    lines = list(message_lines(ASK, width=60, picture="you: 3 4\n\x1b[2J"))
    assert lines[2:5] == ["view:", "    you: 3 4", "    \N{REPLACEMENT CHARACTER}[2J"]
    assert not any("hand" in line for line in lines)
