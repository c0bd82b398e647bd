"""Bots with one mistake each, and what their authors must be told."""

from dataclasses import dataclass, field
from pathlib import Path

from arena.checking.game_selection import Wanted
from arena.checking.step_results import Step
from arena.checking.whole_and_short_check import WholeCheck
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.submissions.build import Builder
from tests.support.leagues import WITHOUT_KIT

TOML = 'name = "bot"\nauthor = "tests"\ncommand = {command}\ngames = ["bread-basket"]\n'
PYTHON = '["python3", "bot.py"]'
NODE = '["node", "bot.js"]'
KIT = TOML.format(command=PYTHON) + "kit = true\n"
PLAIN = WITHOUT_KIT
IN_NODE = """\
const input = require("node:readline").createInterface({ input: process.stdin });
const answer = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
input.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") answer({ type: "hello", protocol: 1 });
  if (message.type === "start") answer({ type: "ready" });
  if (message.type === "ask") answer({ type: "move", id: message.id, move: message.legal[0] });
  if (message.type === "quit") process.exit(0);
});
"""
IN_SHELL = """\
#!/bin/sh
while read -r line; do
  case "$line" in
    *'"type":"hello"'*) echo '{"type":"hello","protocol":1}' ;;
    *'"type":"start"'*) echo '{"type":"ready"}' ;;
    *'"type":"ask"'*) printf '%s\\n' "$line" | jq -c '{type: "move", id: .id, move: .legal[0]}' ;;
  esac
done
"""
IN_C = """\
#include <stdio.h>
#include <string.h>
int main(void) {
    static char line[70000];
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\\"type\\":\\"hello\\"")) puts("{\\"type\\":\\"hello\\",\\"protocol\\":1}");
        if (strstr(line, "\\"type\\":\\"start\\"")) puts("{\\"type\\":\\"ready\\"}");
    }
    return 0;
}
"""


IN_GO = """\
package main

func main() {
    var cards []int
    println(cards[len(cards)])
}
"""
IN_JAVA = """\
public class Bot {
    public static void main(String[] arguments) {
        Object nothing = null;
        nothing.toString();
    }
}
"""


@dataclass(frozen=True)
class Mistake:
    """A bot with a mistake."""

    files: dict[str, str]
    says: tuple[str, ...]
    """Words of the message."""
    place: str = ""
    """End of the file and line that the message names."""
    step: str = "bread-basket"
    executable: tuple[str, ...] = ()
    compiled: str = ""
    """A C program to compile to `bot`."""
    needs: str = ""
    """A program without which this can't be tried."""
    takes_long: bool = field(default=False)
    """Whether its cause can be known only at the end of the allowed time."""

    def write(self, folder: Path) -> Path:
        """Write the bot's folder; return it."""
        place = folder / "bot"
        place.mkdir()
        for name, text in self.files.items():
            (place / name).write_bytes(text.encode())
            if name in self.executable:
                (place / name).chmod(0o755)
        return place


def _python(old: str, new: str, without: str = "") -> dict[str, str]:
    assert old in PLAIN
    source = PLAIN.replace(without, "") if without else PLAIN
    return {"bot.toml": TOML.format(command=PYTHON), "bot.py": source.replace(old, new)}


def _node(old: str, new: str) -> dict[str, str]:
    assert old in IN_NODE
    return {"bot.toml": TOML.format(command=NODE), "bot.js": IN_NODE.replace(old, new)}


def _kit(choose: str, parameters: str = "ask, game") -> dict[str, str]:
    return {
        "bot.toml": KIT,
        "bot.py": f"from arena_kit import run\n\n\ndef choose({parameters}):\n{choose}\n\n\nrun(choose)\n",
    }


_TO_OUT = "    print(json.dumps(answer), flush=True)\n"
_MOVE = 'answer = {"type": "move", "id": message["id"], "move": message["legal"][0]}'
_KIND = '    kind = message["type"]\n'
_NEXT = "    else:\n        continue\n"
_SHELL = '["./bot.sh"]'

MISTAKES = {
    "no flush in Python": Mistake(
        _python(
            "import json, sys\n",
            "import io, json, sys\nsys.stdout = io.TextIOWrapper(open(1, 'wb'))\n",
            ", flush=True",
        ),
        ("no answer to `hello`", "none will come", "flush", "print(line, flush=True)"),
        step="handshake",
    ),
    "no flush in C": Mistake(
        {"bot.toml": TOML.format(command='["./bot"]'), "bot.c": IN_C},
        ("no answer to `hello`", "flush", "fflush(stdout)"),
        step="handshake",
        compiled="bot.c",
        needs="gcc",
    ),
    "no newline in Node": Mistake(
        _node(' + "\\n")', ")"),
        ("no complete answer to `hello`", "without a newline"),
        step="handshake",
        needs="node",
    ),
    "no answer to start in Node": Mistake(
        _node('  if (message.type === "start") answer({ type: "ready" });\n', ""),
        ("no answer to `start`", "none will come"),
        needs="node",
    ),
    "jq that buffers": Mistake(
        {"bot.toml": TOML.format(command='["jq", "-c", "{type: .type, protocol: 1}"]')},
        ("no answer to `hello`", "flush", "jq --unbuffered"),
        step="handshake",
        needs="jq",
    ),
    "endless loop in a decision": Mistake(
        _kit("    while True: pass"),
        ("no answer to `ask`", "endless loop"),
        place="bot.py:5",
        takes_long=True,
    ),
    "endless loop at import": Mistake(
        _python("import json, sys\n", "import json, sys\nwhile True: pass\n"),
        ("no answer to `hello`", "endless loop"),
        place="bot.py:2",
        step="handshake",
        takes_long=True,
    ),
    "CR LF in the first line": Mistake(
        {"bot.toml": TOML.format(command=_SHELL), "bot.sh": IN_SHELL.replace("\n", "\r\n")},
        ("bot.toml:3", "CR LF", "sed -i"),
        step="manifest",
        executable=("bot.sh",),
    ),
    "no run bit": Mistake(
        {"bot.toml": TOML.format(command=_SHELL), "bot.sh": IN_SHELL},
        ("bot.toml:3", "not executable", "chmod +x"),
        step="manifest",
    ),
    "wrong command": Mistake(
        {"bot.toml": TOML.format(command='["pyhton3", "bot.py"]'), "bot.py": PLAIN},
        ("bot.toml:3", "'pyhton3'", "did you mean 'python3'"),
        step="manifest",
    ),
    "typo in the name of the script": Mistake(
        {"bot.toml": TOML.format(command='["python3", "bto.py"]'), "bot.py": PLAIN},
        ("bot.toml:3", "'bto.py'", "did you mean 'bot.py'"),
        step="manifest",
    ),
    "typo in a game's name": Mistake(
        {"bot.toml": TOML.format(command=PYTHON).replace("bread-basket", "breadbasket"), "bot.py": PLAIN},
        ("bot.toml:4", "'breadbasket'", "did you mean 'bread-basket'"),
        step="manifest",
    ),
    "wrong name": Mistake(
        {"bot.toml": TOML.format(command=PYTHON).replace('"bot"', '"My Bot"'), "bot.py": PLAIN},
        ("bot.toml:1", "name", "lower-case"),
        step="manifest",
    ),
    "wrong author": Mistake(
        {"bot.toml": TOML.format(command=PYTHON).replace('"tests"', '"tests@example.org"'), "bot.py": PLAIN},
        ("bot.toml:2", "author", "lower-case"),
        step="manifest",
    ),
    "syntax error in Python": Mistake(
        _python("    kind = message", "    kind == = message"),
        ("SyntaxError", "exited with code 1", "syntax"),
        place="bot.py:4",
        step="start",
    ),
    "syntax error in Node": Mistake(
        _node("const message = JSON", "const message = = JSON"),
        ("SyntaxError", "exited with code 1", "syntax"),
        place="bot.js:4",
        step="start",
        needs="node",
    ),
    "exception with the kit": Mistake(
        _kit("    return ask['lgeal'][0]"),
        ("KeyError: 'lgeal'", "exited with code 1", "traceback"),
        place="bot.py:5",
    ),
    "nothing returned with the kit": Mistake(
        _kit("    ask['legal'][0]"),
        ("choose(ask, game) returned None; it must return one of ask['legal']", "arena_kit.py"),
        place="bot.py:4",
    ),
    "a parameter missing with the kit": Mistake(
        _kit("    return ask['legal'][0]", "ask"),
        ("the kit calls choose(ask, game): choose() takes 1 positional argument", "arena_kit.py"),
        place="bot.py:4",
    ),
    "exception in Node": Mistake(
        _node("move: message.legal[0]", "move: message.view.cards.first"),
        ("TypeError", "exited with code 1"),
        place="bot.js:7",
        needs="node",
    ),
    "illegal move": Mistake(
        _python(_MOVE, _MOVE.replace('message["legal"][0]', '{"type": "play", "card": "99"}')),
        ("illegal: ", "answer with one of `legal`", '"type":"play"'),
    ),
    "print to standard output": Mistake(
        _python("    if kind ==", '    print("thinking about", kind)\n    if kind =='),
        ("not JSON", "write debug text to standard error"),
        place="bot.py:5",
        step="handshake",
    ),
    "print in a decision": Mistake(
        _python(
            "        answer = " + '{"type": "move"',
            '        print("value of", message["id"])\n        answer = {"type": "move"',
        ),
        ("malformed: not JSON", "write debug text to standard error"),
        place="bot.py:10",
    ),
    "a message over several lines": Mistake(
        _python("json.dumps(answer)", "json.dumps(answer, indent=1)"),
        ("a message is one line", "json.dumps(message), without indent"),
        step="handshake",
    ),
    "a message over several lines in Node": Mistake(
        _node("JSON.stringify(message)", "JSON.stringify(message, null, 2)"),
        ("a message is one line", "JSON.stringify(message), without a third argument"),
        step="handshake",
        needs="node",
    ),
    "an object printed by Node": Mistake(
        _node('process.stdout.write(JSON.stringify(message) + "\\n")', "console.log(message)"),
        ("write JSON, not an object", "in JavaScript: JSON.stringify(message)"),
        step="handshake",
        needs="node",
    ),
    "an object printed by Python": Mistake(
        _python("print(json.dumps(answer)", "print(answer"),
        ("write JSON, not an object", "in Python: json.dumps(message)"),
        step="handshake",
    ),
    "a comma too many": Mistake(
        _python("json.dumps(answer)", "json.dumps(answer)[:-1] + ',}'"),
        ("no comma before a closing bracket",),
        step="handshake",
    ),
    "a NaN": Mistake(_python(_MOVE, _MOVE[:-1] + ', "worth": float("nan")}'), ("neither NaN nor Infinity",)),
    "two messages in a line": Mistake(
        _python("print(json.dumps(answer)", "print(2 * json.dumps(answer)"),
        ("write one message in a line",),
        step="handshake",
    ),
    "an empty line": Mistake(
        _python("json.dumps(answer)", 'json.dumps(answer) + "\\n"'), ("no empty lines",)
    ),
    "UTF-16": Mistake(
        _python("import json, sys\n", 'import json, sys\nsys.stdout.reconfigure(encoding="utf-16-le")\n'),
        ("write UTF-8", "in Python: sys.stdout.reconfigure"),
        step="handshake",
    ),
    "a panic in Go": Mistake(
        {
            "bot.toml": TOML.format(command='["./bot"]') + 'build = ["go", "build", "-o", "bot", "bot.go"]\n',
            "bot.go": IN_GO,
        },
        ("exited with code 2", "panic: runtime error", "the traceback is in the log"),
        place="bot.go:5",
        step="start",
        needs="go",
    ),
    "an exception in Java": Mistake(
        {"bot.toml": TOML.format(command='["java", "Bot.java"]'), "Bot.java": IN_JAVA},
        ("exited with code 1", "NullPointerException", "the traceback is in the log"),
        place="Bot.java:4",
        step="start",
        needs="java",
    ),
    "a command that is not there": Mistake(
        {"bot.toml": TOML.format(command='["sh", "bot.sh"]'), "bot.sh": "read -r line\nnosuchcommand\n"},
        ("exited with code 127", "nosuchcommand is not installed here"),
        place="bot.sh:2",
        step="start",
    ),
    "wrong id": Mistake(
        _python('message["id"]', 'message["id"] + 1'),
        ("id 2 was not asked", "repeat the `id`"),
    ),
    "ids counted by the bot": Mistake(
        _python(
            _MOVE, "count = globals().get('count', 0) + 1\n        " + _MOVE.replace('message["id"]', "count")
        ),
        ("was not asked", "repeat the `id`"),
        step="ids",
    ),
    "an array for an answer": Mistake(
        _python(_MOVE, 'answer = ["move", message["id"], message["legal"][0]]'),
        ("this is an array", '{"type":"move","id":1,"move":…}'),
    ),
    "a missing package": Mistake(
        _python("import json, sys\n", "import json, sys\nimport numpy\n"),
        ("No module named 'numpy'", "put numpy into the bot's folder"),
        place="bot.py:2",
        step="start",
    ),
    "a missing kit": Mistake(
        _kit("    return ask['legal'][0]") | {"bot.toml": TOML.format(command=PYTHON)},
        ("No module named 'arena_kit'", "kit = true"),
        place="bot.py:1",
        step="start",
    ),
    "exit at the start": Mistake(
        _python("import json, sys\n", "import json, sys\nsys.exit(7)\n"),
        ("exited with code 7",),
        step="start",
    ),
    "crash at the start": Mistake(
        _python("import json, sys\n", "import ctypes, json, sys\nctypes.string_at(0)\n"),
        ("was ended by SIGSEGV",),
        place="bot.py:2",
        step="start",
    ),
    "a missing file": Mistake(
        _python("import json, sys\n", "import json, sys\nweights = open('/home/me/weights.json').read()\n"),
        ("/home/me/weights.json", "only the files in its folder"),
        place="bot.py:2",
        step="start",
    ),
    "only the first game": Mistake(
        _python(
            '    elif kind == "start":\n',
            '    elif kind == "start":\n        assert message["game"] == "bread-basket"\n',
        )
        | {"bot.toml": TOML.format(command=PYTHON).replace('"bread-basket"', '"bread-basket", "sandwich"')},
        ("AssertionError", "exited with code 1"),
        place="bot.py:8",
        step="sandwich",
    ),
    "answers twice": Mistake(
        _python(_TO_OUT, _TO_OUT + '    if kind == "ask":\n    ' + _TO_OUT),
        ("already answered", "one `move` for each `ask`"),
        step="ids",
    ),
    "answers end": Mistake(
        _python(_NEXT, '    elif kind == "end":\n        answer = {"type": "ok"}\n' + _NEXT),
        ("wrote", "between two games", "do not answer `end`"),
        step="silence",
    ),
    "computes between games": Mistake(
        _python(_NEXT, '    elif kind == "end":\n        sum(range(8_000_000))\n        continue\n' + _NEXT),
        ("computed between two games", "CPU time", "stop all threads"),
        step="silence",
    ),
    "refuses unknown fields": Mistake(
        _python(_KIND, '    assert not any(key.startswith("x_") for key in message)\n' + _KIND),
        ("an unknown field was sent", "ignore fields"),
        place="bot.py:4",
        step="unknown fields",
    ),
    "refuses unknown messages": Mistake(
        _python(
            _NEXT,
            '    elif kind in ("end", "quit"):\n        continue\n    else:\n        raise ValueError(kind)\n',
        ),
        ("an unknown message was sent", "ValueError: x-unknown", "ignore messages"),
        place="bot.py:14",
        step="unknown fields",
    ),
    "one game in a process": Mistake(
        _python(_NEXT, '    elif kind == "end":\n        break\n' + _NEXT),
        ("exited with code 0 before it answered `start`", "reuse = false"),
    ),
    "never exits": Mistake(
        _python(_TO_OUT, _TO_OUT + "import time\ntime.sleep(60)\n"),
        ("still running 2 s after `quit`", "exit when `quit` comes"),
        place="bot.py:15",
        step="quit",
    ),
    "waits for itself": Mistake(
        _python(
            _KIND,
            "    import threading\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()\n"
            + _KIND,
        ),
        ("none can come", "are waiting for each other"),
        step="handshake",
    ),
    "sleeps": Mistake(
        _python(_KIND, "    import time\n    time.sleep(3600)\n" + _KIND),
        ("no answer to `hello`",),
        place="bot.py:5",
        step="handshake",
        takes_long=True,
    ),
}


def checked(path: Path, confinement: Confinement = UNCONFINED, wanted: Wanted | None = None) -> list[Step]:
    """Return the steps of a bot's check."""
    builder = Builder(path / "none", lambda: confinement)
    return list(
        WholeCheck(
            path,
            wanted or Wanted(),
            confinement.runtimes,
            lambda: confinement,
            builder,
            lambda _line: None,
        ).steps()
    )
