"""How the command line draws what it shows: tables, charts, live displays."""
