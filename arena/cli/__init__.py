"""The command line: parsing and printing only."""

import gc
import sys

_PLAY = (["run"], ["match"], ["demo"])
"""Commands that play at once. Their first worker loads its modules while the command loads its own."""


def main() -> None:
    """Run the command line; errors meant for users become one message and an exit code."""
    from arena.cli.terminal import interruption

    arguments = sys.argv[1:]
    try:
        interruption.listen()
        if arguments[:1] in _PLAY and not {"-h", "--help"} & {*arguments}:
            from arena.executors.processes import start_ahead

            start_ahead("arena.league.running.local_games")
        from arena.cli.app import run
        from arena.cli.terminal.consoles import write_in_any_encoding

        write_in_any_encoding()

        interruption.begin()
        code = run(arguments)
    except (interruption.Interrupted, KeyboardInterrupt):
        code = interruption.say_interrupted(arguments)
    except OSError:
        if not interruption.was_interrupted():  # the terminal may be gone
            raise
        code = interruption.INTERRUPTED
    interruption.stop_listening()
    gc.freeze()  # at its end, Python would look for garbage in all modules, a quarter of the time of many a command
    sys.exit(code)
