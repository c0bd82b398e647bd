"""The command line: parsing and printing only."""

import sys


def main() -> None:
    """Run the command line; errors that are meant for people become one message and an exit code."""
    from arena.cli.app import run

    sys.exit(run(sys.argv[1:]))
