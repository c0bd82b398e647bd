"""Reports of leagues: typed rows of numbers and names, without layout, for the command line, pages and files."""
