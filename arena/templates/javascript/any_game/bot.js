// A bot for any game: it plays a random legal move.

"use strict";

const { run } = require("./arena_kit");

function choose(ask, game) {
  if (ask.legal) return game.rng.choice(ask.legal);
  return ask.example; // there are too many moves to list: build your own in this form
}

if (require.main === module) run(choose);

module.exports = { choose };
