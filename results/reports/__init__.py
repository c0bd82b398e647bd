"""Reports of leagues: typed rows of numbers and names, for the command line, pages and files; nothing is drawn here."""
