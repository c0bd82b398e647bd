"""The game command of psyleague: starts two bots, plays one trick game between them, and prints the result.

    python -S -E trick_command.py COMMAND...

The rules and the lines to the bots are those of `benchmarks/games/trick.py`, with as little as will do: no clock, no
checks, no record. Needs only the standard library, so that it starts quickly.
"""

import json
import random
import subprocess
import sys

CARDS = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
HAND = 20


def say(bot: "subprocess.Popen[bytes]", message: object) -> None:
    """Send a message."""
    assert bot.stdin
    bot.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    bot.stdin.flush()


def play(bots: "list[subprocess.Popen[bytes]]") -> list[int]:
    """Play a game; return the tricks of each."""
    deck = random.sample(range(len(CARDS)), 2 * HAND)
    hands = [deck[:HAND], deck[HAND:]]
    scores, seat, led = [0, 0], 0, None
    asked = [0, 0]
    events: list[list[object]] = [[], []]
    while hands[seat]:
        asked[seat] += 1
        view = {
            "led": [] if led is None else [CARDS[led]],
            "scores": scores,
            "hand": [CARDS[card] for card in hands[seat]],
        }
        legal = [{"type": "play", "card": CARDS[card]} for card in hands[seat]]
        time = {"move_ms": 1000, "bank_ms": 0}
        question = {"type": "ask", "id": asked[seat], "kind": "play", "view": view, "events": events[seat]}
        say(bots[seat], {**question, "time": time, "legal": legal})
        answers = bots[seat].stdout
        assert answers
        card = CARDS.index(json.loads(answers.readline())["move"]["card"])
        hands[seat].remove(card)
        events[seat] = []
        for told in events:
            told.append({"kind": "played", "seat": seat, "card": CARDS[card]})
        if led is None:
            led, seat = card, 1 - seat
        else:
            seat = seat if card % 13 > led % 13 else 1 - seat
            scores[seat] += 1
            led = None
    return scores


def main() -> None:
    """Play, and print what psyleague reads."""
    pipe = subprocess.PIPE
    bots = [subprocess.Popen(sys.argv[1:], stdin=pipe, stdout=pipe) for _ in range(2)]
    scores = play(bots)
    for bot in bots:
        bot.kill()
        bot.wait()
    ranks = [int(own < max(scores)) for own in scores]
    print(json.dumps({"ranks": ranks, "errors": [0, 0], "player_data": [{}, {}], "test_data": {}}))


if __name__ == "__main__":
    main()
