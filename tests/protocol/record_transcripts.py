"""Records the golden transcripts that are still missing: python -m tests.protocol.record_transcripts.

A transcript that is there stays as it is: bots that spoke like that must be understood for ever.
Those without rules behind them were written by hand.
"""

import json
from typing import Any

from tests.support.bots.scripted_arena import HELLO, QUIT, START
from tests.support.bots.simulation import KitSeat, load_bot
from tests.support.bots.transcripts import FOLDER, Transcript, Wire, play

GAMES: dict[str, dict[str, Any]] = {
    "two-seats": {
        "about": "A handshake and a whole game of one hand between two bots; then the processes are told to quit.",
        "options": {"hands": 1},
        "seats": 2,
        "illegal": None,
    },
    "forfeit": {
        "about": "Three seats. Seat 1 answers its third ask with a card that it does not hold: it is out, "
        "the house plays its cards, the others play on.",
        "options": {"hands": 1},
        "seats": 3,
        "illegal": (1, 3),
    },
}


def record(name: str) -> Transcript:
    """Return the transcript of a game as it is played now, by greedy at all seats."""
    given = GAMES[name]
    ticket = {
        "game": "bread-basket",
        "ruleset": "tens",
        "options": given["options"],
        "match_seed": name.encode().hex().ljust(64, "0"),
        "clock": START["clock"],
        "limits": START["limits"],
    }
    head = {"protocol": 1, "about": given["about"], "ticket": ticket}
    lines: list[dict[str, Any]] = []
    made = load_bot("bread-basket", "greedy")[0]

    def wire(seat: int) -> Wire:
        bot = KitSeat(made)
        answers: list[dict[str, Any]] = []

        def hear(message: Any) -> None:
            lines.append({"seat": seat, "arena": message})
            if message["type"] == "start":
                bot.start(message)
                answers.append({"type": "ready"})
            elif message["type"] == "ask":
                move = bot.ask(message)
                if (seat, message["id"]) == given["illegal"]:
                    move = {"type": "play", "card": "10"}
                answers.append({"type": "move", "id": message["id"], "move": move})

        def say() -> bytes:
            answer = answers.pop(0)
            lines.append({"seat": seat, "bot": answer})
            return json.dumps(answer).encode()

        return Wire(hear, say)

    for seat in range(given["seats"]):
        lines.append({"seat": seat, "arena": HELLO})
        lines.append({"seat": seat, "bot": {"type": "hello", "protocol": 1}})
    play(head, [wire(seat) for seat in range(given["seats"])])
    out = given["illegal"][0] if given["illegal"] else None
    lines += [{"seat": seat, "arena": QUIT} for seat in range(given["seats"]) if seat != out]
    return Transcript(head, lines)


if __name__ == "__main__":
    for missing in GAMES:
        if not (FOLDER / "v1" / f"{missing}.jsonl").exists():
            record(missing).write(FOLDER / "v1" / f"{missing}.jsonl")
