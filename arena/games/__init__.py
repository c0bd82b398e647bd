"""The games: one module or package each, exporting `GAME`; the registry finds them on its own."""
