"""A source of generated text for the tests of docs/generate.py."""


def text() -> str:
    """Return two lines, with blank ones around them."""
    return "\n\ngenerated\ntext\n\n\n"
