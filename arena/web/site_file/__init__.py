"""The site's own file: accounts, tokens, sessions, commands and the audit log. All SQL of it is in this room."""
