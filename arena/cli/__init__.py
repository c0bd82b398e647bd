"""The command line: parsing and printing only."""

import sys


def main() -> None:
    """Run the command line; errors that are meant for people become one message and an exit code."""
    try:
        from arena.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 4  # arena.cli.exits.INTERRUPTED, which may be what was being loaded
    sys.exit(code)
