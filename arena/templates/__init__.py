"""Templates of new bots in five languages, each with its kit, and what writes a bot's folder from them.

Only the modules beside this one are Arena's code. The folders hold the templates, which are data: `<language>/common`
has what every bot of a language gets, `<language>/<game>` its program and test for a game, `any_game` those for every
other game, and `common` the files of all bots.
"""
