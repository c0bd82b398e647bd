"""Advice about a bot that failed its check, based on its log."""

import re

_MISSING = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_OURS = {
    "arena_kit": "set `kit = true` in bot.toml, and Arena puts arena_kit.py next to the program",
    "arena_engine": "set `engine = true` in bot.toml, and Arena puts arena_engine where the program finds it",
    "arena": "set `engine = true` in bot.toml to import arena.core and arena.games",
}


_UNANSWERED = re.compile(r"\bno answer to `?(?:hello|start|ask)\b")
_ENDED_EARLY = re.compile(r"\bexited with code 0 before it answered `?hello\b")
_NO_JSON = re.compile(r"\bnot JSON\b")
_TO_STDERR = (
    "write debug text to standard error, in Python with print(text, file=sys.stderr): standard output is for messages "
    "of the protocol only"
)
_COMPUTING = "it was still computing"
_LIMIT = re.compile(r"^timeout: time: (\d+ ms) limit (\(.*?\)): no answer to `ask` within \1")


def in_short(fault: str) -> str:
    """Return a fault's text with its limit said once."""
    return _LIMIT.sub(r"timeout: no answer to `ask` within \1 \2", fault)


def not_a_message(fault: str) -> str:
    """Return what an author can do about a fault if the bot wrote something else than a message; empty otherwise."""
    return _TO_STDERR if _NO_JSON.search(fault) else ""


def advice(log: str, fault: str = "", *, kit: bool = False) -> str:
    """Return what an author can do about a fault, based on the bot's log and the fault's text; empty if unknown.

    `kit` is true if the bot uses the Python kit.
    """
    missing = _MISSING.findall(log)
    if not missing:
        if wrote := not_a_message(fault):
            return wrote
        if kit and _ENDED_EARLY.search(fault):
            return "is `run(choose)` at the end of the program?"
        if fault.endswith(_COMPUTING):
            return "is there an endless loop?"
        if _UNANSWERED.search(fault) and not kit:
            return "does it flush each line it writes? In Python: print(line, flush=True)"
        return ""
    name = missing[-1].partition(".")[0]
    return _OURS.get(
        name,
        f"`python3` has the standard library and no packages: put {name} into the bot's folder, or ask the "
        "organiser for a Python that has it (docs/writing-a-bot.md, Packages)",
    )
