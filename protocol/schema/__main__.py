"""Write protocol/schema/v1.json from the types, or with --check say whether it is up to date."""

import argparse
import sys

from protocol.schema import FILE, render


def main() -> int:
    """Return the exit code: 0 written or up to date, 1 out of date."""
    parser = argparse.ArgumentParser(prog="python -m protocol.schema", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if it is out of date"
    )
    if not parser.parse_args().check:
        FILE.write_text(render(), encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == render():
        return 0
    sys.stderr.write(f"{FILE} is out of date: run python -m protocol.schema\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
