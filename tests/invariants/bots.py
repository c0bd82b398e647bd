"""Bots that must play the same for ever: their files are hashed into versions, and versions into replays.

None of them uses the kit, whose text may change. With each move goes a note of the SHA-256 over everything that the
bot has heard and said in this game, clock readings and ids aside. So a replay's fingerprint stands for the
conversation too.
"""

from pathlib import Path

SOURCE = """\
import hashlib, json, sys

HABIT = "{habit}"
heard = hashlib.sha256()
seed = asked = 0


def say(message):
    print(json.dumps(message), flush=True)


def take(message):
    kept = {{key: message[key] for key in message if key not in ("id", "time")}}
    heard.update(json.dumps(kept, sort_keys=True).encode())


def move(message):
    legal = message.get("legal") or [message["example"]]
    if HABIT == "faulty" and asked == 3 and seed % 2:
        return {{"type": "no such move"}}
    if HABIT == "first":
        return legal[0]
    if HABIT == "last":
        return legal[-1]
    drawn = hashlib.sha256(b"%d/%d" % (seed, asked)).digest()
    return legal[int.from_bytes(drawn[:4], "big") % len(legal)]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({{"type": "hello", "protocol": 1}})
    elif message["type"] == "start":
        heard, seed, asked = hashlib.sha256(), message["bot_seed"], 0
        take(message)
        if HABIT == "faulty":
            print("game of seat", message["seat"], file=sys.stderr, flush=True)
        say({{"type": "ready"}})
    elif message["type"] == "ask":
        asked += 1
        take(message)
        answer = {{"type": "move", "move": move(message)}}
        take(answer)
        say({{**answer, "id": message["id"], "note": heard.hexdigest()}})
"""


def write_bot(folder: Path, name: str, habit: str, author: str = "tests") -> Path:
    """Write a bot's folder; return it.

    Its habit is to make a move "drawn" by its seed, the "first" legal one, the "last", or, if "faulty", one that is
    drawn, and in some games none.
    """
    place = folder / name
    place.mkdir(parents=True)
    (place / "bot.toml").write_text(
        f'name = "{name}"\nauthor = "{author}"\ncommand = ["python3", "-S", "-E", "bot.py"]\ngames = ["*"]\n'
    )
    (place / "bot.py").write_text(SOURCE.format(habit=habit))
    for file in place.iterdir():
        file.chmod(0o644)  # the mode is hashed too
    return place
