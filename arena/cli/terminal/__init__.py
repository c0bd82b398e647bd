"""What is shown and typed: messages, consoles, signals of a terminal, a person's place at a table."""
