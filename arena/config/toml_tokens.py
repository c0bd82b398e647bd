"""The tokens of TOML: just enough to tell strings and comments from the rest."""

import re

TOKEN = re.compile(
    r"""
    (?P<comment> \# [^\n]* )
    | (?P<string>
        \"{3} (?: [^"\\] | \\. | " (?!"") )*+ (?: "{3,5} | \Z )
      | '{3} (?: [^'] | ' (?!'') )*+ (?: '{3,5} | \Z )
      | " (?: [^"\\\n] | \\[^\n] )*+ "?
      | ' [^'\n]*+ '?
      )
    | (?P<word> [^][\s{}=,.\#"']++ )
    | (?P<mark> [][{}=,.\n] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Splits valid TOML as its parser does, so that nothing inside strings and comments counts."""
