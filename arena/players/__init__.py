"""Everything that can fill a seat: bot processes, the house, scripted players."""
