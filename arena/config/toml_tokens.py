"""The tokens of TOML, as far as it takes to see what is a string or a comment and what is not."""

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
"""Splits TOML as its parser does, as far as the text is TOML: strings and comments hide what they hold."""
